"""Loads the modules of a room when they are first asked for: a process pays for what it does."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType


def load_on_first_use(room: str) -> Callable[[str], ModuleType]:
    """Returns a `__getattr__` for a package that imports its modules as its attributes."""

    def load(name: str) -> ModuleType:
        path = f"{room}.{name}"
        try:
            return import_module(path)
        except ModuleNotFoundError as error:
            if error.name != path:
                raise
            raise AttributeError(f"module {room!r} has no attribute {name!r}") from error

    return load

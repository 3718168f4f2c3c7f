"""Extension points: what a package may add to Glymph, such as a prune rule, a tool or a job.

A built-in member is a module in the folder of its room; a third party's is an entry point of the
group. Both hand over the same kind of object and are registered by the same code.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from importlib.machinery import PathFinder
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from glymph.errors import BadExtension

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


def has_entry_points(group: str) -> bool:
    """Tells whether an installed package may have entry points of the group.

    Importing importlib.metadata takes 60 ms, a fifth of `glymph --help`; reading the files that it
    would read takes a few.
    """
    others = (finder for finder in sys.meta_path if finder is not PathFinder)
    if any(hasattr(finder, "find_distributions") for finder in others):
        return True  # packages may also lie where no folder shows them
    files = chain.from_iterable(Path(one).glob("*-info/entry_points.txt") for one in sys.path)
    return any(f"[{group}]" in file.read_text(encoding="utf-8") for file in files)


class ExtensionPoint(Generic[T]):
    """One kind of thing that others may add, each member under a name of its own."""

    def __init__(self, group: str, kind: type[T], *, package: str, attribute: str) -> None:
        """Takes the group of entry points, the type of its members, and where built-in ones lie.

        Each module of `package` that has the attribute is a built-in member, named like its file.
        """
        self.group = group
        self._kind = kind
        self._package = package
        self._attribute = attribute

    @cached_property
    def members(self) -> Mapping[str, T]:
        """Every member by its name: the built-in ones, then those of installed packages."""
        found = {name: self._load_built_in(name) for name in self.built_in_names}
        for entry in self._entry_points:
            if entry.name in found:
                raise BadExtension(self.group, entry.name, "that name is taken; give it another")
            found[entry.name] = self._load(entry)
        return found

    @cached_property
    def built_in_names(self) -> tuple[str, ...]:
        """The names of the built-in members, known without importing them."""
        from pkgutil import iter_modules  # a hook passes here and asks for no names

        files = iter_modules(import_module(self._package).__path__)
        return tuple(sorted(file.name for file in files))

    @property
    def names(self) -> tuple[str, ...]:
        """Every name, known without importing a member."""
        return (*self.built_in_names, *(entry.name for entry in self._entry_points))

    def get(self, name: str) -> T | None:
        """Returns the member of that name, or None. A built-in one costs no look at packages."""
        if name in self.built_in_names:
            return self._load_built_in(name)
        entry = next((one for one in self._entry_points if one.name == name), None)
        return None if entry is None else self._load(entry)

    def _load_built_in(self, name: str) -> T:
        module = import_module(f"{self._package}.{name}")
        return self._check(name, getattr(module, self._attribute))

    def _load(self, entry: EntryPoint) -> T:
        try:
            found = entry.load()
        except (ImportError, AttributeError) as error:
            problem = f"{entry.value} cannot be loaded ({error}); fix or uninstall its package"
            raise BadExtension(self.group, entry.name, problem) from error
        return self._check(entry.name, found)

    def _check(self, name: str, found: Any) -> T:
        if not isinstance(found, self._kind):
            wanted, got = self._kind.__name__, type(found).__name__
            raise BadExtension(self.group, name, f"it must be a {wanted}, not a {got}")
        return found

    @cached_property
    def _entry_points(self) -> tuple[EntryPoint, ...]:
        if not has_entry_points(self.group):
            return ()
        from importlib.metadata import entry_points

        return tuple(sorted(entry_points(group=self.group), key=lambda entry: entry.name))

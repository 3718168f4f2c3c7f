"""Arguments and results as JSON. Results are read back by the annotations of the methods."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

from pydantic import TypeAdapter

from glymph import errors
from glymph.errors import GlymphError, InvalidInput, NotOverTheWire
from glymph.moments import iso

MOMENT, PLAN, PLAIN = "$moment", "$plan", "$plain"
MARKS = (MOMENT, PLAN, PLAIN)
# Where the types are that annotations of methods name.
HOMES = (
    "model", "decay.fit", "forget.plan", "learn.consolidate_result", "learn.extract_result",
    "learn.memetic_figures", "learn.playbooks", "llm.cost_report", "prune.plan", "prune.results",
    "recall.filters", "recall.search", "store.certificate", "upkeep.status_result",
    "write.draft", "write.edit", "accessors",
)  # fmt: skip


class _Names(dict[str, Any]):
    """The names in annotations, each found when it is asked for."""

    def __missing__(self, name: str) -> Any:
        if name == "m":
            return importlib.import_module("glymph.model")
        for home in HOMES:
            found = getattr(importlib.import_module(f"glymph.{home}"), name, None)
            if found is not None:
                return found
        raise KeyError(name)


@cache
def _reader_of(method: Callable[..., Any]) -> TypeAdapter[Any]:
    annotation = method.__annotations__.get("return", "None")
    if isinstance(annotation, str):
        hints = get_type_hints(_Only(annotation), globalns=method.__globals__, localns=_Names())
        annotation = hints["return"]
    return TypeAdapter(annotation)


class _Only:
    """Something with a single annotation, for `get_type_hints`."""

    def __init__(self, annotation: str) -> None:
        self.__annotations__ = {"return": annotation}


def read_result(method: Callable[..., Any], data: Any) -> Any:
    """Returns what a method gives back, of the types that it says."""
    return _reader_of(method).validate_python(data)


def write_named(name: str, value: Any) -> Any:
    """Returns an argument as JSON; what cannot be sent is refused by the argument's name."""
    try:
        return write_argument(value, name)
    except RecursionError:
        raise InvalidInput(name, "is nested too deeply to be sent. Pass plain data.") from None


def write_argument(value: Any, name: str = "argument") -> Any:
    """Returns an argument as JSON; moments and plans are marked."""
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise InvalidInput("time", f"{value} has no time zone. Add one: tzinfo=UTC.")
        return {MOMENT: iso(value)}
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        if strange := [key for key in value if not isinstance(key, str)]:
            raise InvalidInput(name, f"{strange[0]!r} is no name. Name every value by a text.")
        given = {key: write_argument(one, name) for key, one in value.items()}
        return {PLAIN: given} if any(mark in given for mark in MARKS) else given
    if isinstance(getattr(value, "id", None), str):  # a plan that was shown goes by its id
        return {PLAN: value.id}
    if isinstance(value, Path):
        raise NotOverTheWire(f"A path ({value})", "A server opens no file that a client names.")
    if isinstance(value, Iterable) and not isinstance(value, bytes):
        return [write_argument(one, f"{name}[{at}]") for at, one in enumerate(value)]
    raise InvalidInput(name, f"a {type(value).__name__} cannot be sent. Pass plain data.")


def read_argument(data: Any, load_plan: Callable[[str], Any]) -> Any:
    """Returns an argument that came as JSON; `load_plan` finds a plan by its id."""
    if isinstance(data, list):
        return [read_argument(one, load_plan) for one in data]
    if not isinstance(data, dict):
        return data
    if data.keys() == {MOMENT}:
        return _read_moment(data[MOMENT])
    if data.keys() == {PLAN} and isinstance(data[PLAN], str):
        return load_plan(data[PLAN])
    inner = data[PLAIN] if data.keys() == {PLAIN} and isinstance(data[PLAIN], dict) else data
    return {name: read_argument(one, load_plan) for name, one in inner.items()}


def _read_moment(given: Any) -> datetime:
    try:
        found = datetime.fromisoformat(given)
    except (TypeError, ValueError) as error:
        raise InvalidInput(MOMENT, f"{str(given)[:60]!r} is no ISO 8601 time.") from error
    if found.tzinfo is None:
        raise InvalidInput(MOMENT, f"{given[:60]!r} has no time zone. Add one.")
    return found


def revive_error(code: str, detail: str, facts: Mapping[str, Any]) -> Exception:
    """Returns the error that a server tells of: the same class, with the same words."""
    if code == "TypeError":
        return TypeError(detail)
    kind = getattr(errors, code, None)
    if not (isinstance(kind, type) and issubclass(kind, GlymphError)):
        return errors.ServiceError(f"The server said {code}: {detail}")
    made: GlymphError = kind.__new__(kind)
    made.args = (detail,)
    for name, value in facts.items():
        setattr(made, name, _freeze(value))
    return made


def _freeze(value: Any) -> Any:
    return tuple(map(_freeze, value)) if isinstance(value, list) else value

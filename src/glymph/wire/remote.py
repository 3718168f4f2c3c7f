"""The class of a handle on a server: its methods are calls, with the same names and types."""

from __future__ import annotations

import inspect
import uuid
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from glymph.accessors import Accessor
from glymph.checks import checked_space, checked_text
from glymph.errors import NotOverTheWire, SpaceNotFound
from glymph.signatures import FullSignature
from glymph.wire.coding import read_result, write_named
from glymph.wire.line import ServerLine
from glymph.wire.methods import METHODS, NOT_OVER_THE_WIRE, READ, SAME

T = TypeVar("T")
USER = "user"  # who signs unless told otherwise: over the wire, whomever the token belongs to


def connect(
    cls: type[T], url: str, *, space: str, actor: str, token: str | None, create: bool, **fixed: Any
) -> T:
    """Returns a handle of this class on a space of a server; `create` makes one that is missing.

    What is `fixed` is the server's: its clock, its models, its settings. A handle cannot change it.
    """
    checked_space(space)
    checked_text("actor", actor, 200)
    for name, value in fixed.items():
        if value not in (None, "auto"):
            raise NotOverTheWire(f"open(…, {name}=…)", "It is the server's; leave it out here.")
    line = ServerLine(url, token=token, space=space, actor=None if actor == USER else actor)
    try:
        me = line.ask("GET", "/v1/me", pauses=())  # an address with no server is told at once
        _enter(line, space, create=create)
    except BaseException:
        line.close()
        raise
    kind: Any = cls
    handle = _remote_class(kind)()
    handle.__dict__.update(_line=line, _space=space, _actor=me["actor"] if actor == USER else actor)
    made: T = handle
    return made


def _enter(line: ServerLine, space: str, *, create: bool) -> None:
    try:
        line.ask("GET", "/v1/memory-health")
    except SpaceNotFound:
        if not create:
            raise
        line.ask("PUT", f"/v1/spaces/{quote(space, safe='')}")


@cache
def _remote_class(cls: type[Any]) -> type[Any]:
    """Returns the class whose methods are calls, under the names that the given class has."""
    members: dict[str, Any] = {
        "__doc__": cls.__doc__,
        "__init__": lambda self: None,
        "url": property(lambda self: self._line.url),
        "shown_url": property(lambda self: self._line.url),
        "space": property(lambda self: self._space),
        "actor": property(lambda self: self._actor),
        "close": lambda self: self._line.close(),
    }
    for name, given in _public(cls).items():
        if name in members:
            continue
        if isinstance(inspect.getattr_static(cls, name), Accessor):
            members[name] = property(_group(name, given))
        elif isinstance(given, property):
            members[name] = property(_refusal(name))
        elif (own := SAME.get(name, name)) in METHODS:
            members[name] = _call(own, getattr(cls, own))
        elif own in NOT_OVER_THE_WIRE:
            members[name] = wraps(given)(_refusal(own))
    return type(f"Remote{cls.__name__}", (cls,), members)


def _public(cls: type[Any]) -> dict[str, Any]:
    return {name: getattr(cls, name) for name in dir(cls) if not name.startswith("_")}


def _call(path: str, method: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(method)
    named = isinstance(signature, FullSignature)  # it refuses a field it does not know by name

    @wraps(method)
    def call(self: Any, *args: Any, **options: Any) -> Any:
        unknown = options.keys() - signature.parameters.keys() if named else set()
        more = {name: options.pop(name) for name in unknown}
        bound = signature.bind(self, *args, **options)  # a TypeError, as from the method itself
        given = dict(list(bound.arguments.items())[1:]) | more
        for name, one in signature.parameters.items():
            if one.kind is one.VAR_KEYWORD:
                given |= given.pop(name, {})
        if given.pop("progress", None) is not None:
            raise NotOverTheWire(f"progress of {path}()", "Leave it out; the call waits.")
        if path == "extract" and isinstance(given.get("transcript"), str | Path):
            raise NotOverTheWire("extract() of a file", "Read it, and pass its messages as a list.")
        line = self._line
        arguments = {name: write_named(name, value) for name, value in given.items()}
        key = None if METHODS[path] == READ else uuid.uuid4().hex
        answer = line.ask("POST", f"/v1/call/{path}", {"arguments": arguments}, key=key)
        return read_result(method, answer["result"])

    return call


def _refusal(name: str) -> Callable[..., Any]:
    def refuse(self: Any, *args: Any, **options: Any) -> Any:
        raise NotOverTheWire(name, NOT_OVER_THE_WIRE[name])

    return refuse


def _group(name: str, group: type[Any]) -> Callable[[Any], Any]:
    """Returns what makes the group of methods of a handle, each of them a call."""
    members: dict[str, Any] = {"__doc__": group.__doc__}
    members["__init__"] = lambda self, handle: self.__dict__.update(_line=handle._line)
    for own, method in {"__call__": group.__call__, **_public(group)}.items():
        path = name if own == "__call__" else f"{name}.{own}"
        members[own] = _call(path, method) if path in METHODS else _refusal(path)
    made = type(f"Remote{group.__name__}", (group,), members)
    return lambda handle: made(handle)

"""The signatures that `help()` and editors show: fields taken by name stand there one by one.

A method with `**fields: Unpack[NewMemory]` is one that a type checker reads whole; `inspect` sees
only `**fields`. What the fields are is looked up when somebody asks for it, and not before.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, TypeVar, get_type_hints

Class = TypeVar("Class", bound=type)
# The modules of the classes that list fields: names, so that nothing is imported for them.
HOMES = {
    "Unpack[NewMemory]": "glymph.write.draft",
    "Unpack[MemoryChanges]": "glymph.write.edit",
    "Unpack[Filters]": "glymph.recall.filters",
    "Unpack[SearchOptions]": "glymph.recall.search",
}


class FullSignature(inspect.Signature):
    """The signature of a method, with the fields of its TypedDict in place of `**fields`."""

    __slots__ = ("_known",)

    def __init__(self, plain: inspect.Signature) -> None:
        super().__init__(list(plain.parameters.values()), return_annotation=plain.return_annotation)
        self._known: Mapping[str, inspect.Parameter] | None = None

    @property
    def parameters(self) -> MappingProxyType[str, inspect.Parameter]:
        if self._known is None:
            self._known = {one.name: one for own in self._parameters.values() for one in _open(own)}
        return MappingProxyType(self._known)

    _parameters: Mapping[str, inspect.Parameter]  # kept by inspect itself

    def replace(self, **changes: Any) -> inspect.Signature:  # type: ignore[override]
        """Returns a plain signature with all fields, as of a method that is bound."""
        kept = {"parameters": list(self.parameters.values()), **changes}
        return inspect.Signature(
            kept["parameters"],
            return_annotation=kept.get("return_annotation", self.return_annotation),
        )


def _open(given: inspect.Parameter) -> list[inspect.Parameter]:
    if given.annotation not in HOMES:
        return [given]
    name = given.annotation.removeprefix("Unpack[").removesuffix("]")
    fields = get_type_hints(getattr(import_module(HOMES[given.annotation]), name))
    return [
        inspect.Parameter(field, inspect.Parameter.KEYWORD_ONLY, default=..., annotation=hint)
        for field, hint in fields.items()
    ]


def spell_out_fields(owner: Class) -> Class:
    """Gives the methods of a class that take fields by name their full signatures."""
    for method in vars(owner).values():
        if inspect.isfunction(method) and _takes_fields(method):
            method.__signature__ = FullSignature(inspect.signature(method))  # type: ignore[attr-defined]
    return owner


def _takes_fields(method: Callable[..., Any]) -> bool:
    return not HOMES.keys().isdisjoint(method.__annotations__.values())

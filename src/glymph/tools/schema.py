"""JSON schemas as a model reads them: what it needs to make a call, once, and nothing else."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

# What Pydantic writes and a caller does not need: names of classes, marks of our own.
NOISE = ("title", "positional", "show", "names", "words")
# A field that may be left out needs no default that says "nothing".
NOTHING: tuple[Any, ...] = (None, False, [], {})


def simplify_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a schema of arguments with references put in, and without what says nothing."""
    definitions = schema.get("$defs", {})
    simple = {
        name: _simplify(field, definitions) for name, field in schema.get("properties", {}).items()
    }
    kept = {
        name: part
        for name, part in schema.items()
        if name not in ("$defs", "title", "description", "properties")
    }
    return {**kept, "properties": simple}


def select_fields(schema: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Returns a schema with some of its fields. It is open: the others may still be given."""
    properties = {name: schema["properties"][name] for name in names}
    required = [name for name in schema.get("required", ()) if name in names]
    short: dict[str, Any] = {"type": "object", "properties": properties}
    return {**short, "required": required} if required else short


def _simplify(field: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the schema of one value."""
    found = dict(field)
    if "$ref" in found:
        found = {**definitions[found.pop("$ref").rpartition("/")[2]], **found}
    if choices := [one for one in found.pop("anyOf", ()) if one.get("type") != "null"]:
        found = {**choices[0], **found} if len(choices) == 1 else {**found, "anyOf": choices}
    if any(found.get("default", ...) == nothing for nothing in NOTHING):
        del found["default"]
    if isinstance(found.get("properties"), Mapping):
        parts = found["properties"].items()
        found["properties"] = {name: _simplify(part, definitions) for name, part in parts}
    if isinstance(found.get("items"), Mapping):
        found["items"] = _simplify(found["items"], definitions)
    if found.get("additionalProperties") is True:
        del found["additionalProperties"]
    return {name: part for name, part in found.items() if name not in NOISE}

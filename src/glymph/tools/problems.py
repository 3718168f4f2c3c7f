"""What is wrong with arguments, in words that say how to write them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from reprlib import repr as shortened
from typing import Any

from glymph.moments import WRITE_IT

NO_ZONE = "timezone_aware"  # Pydantic's word for a time without one
MISSING, UNKNOWN = "missing", "extra_forbidden"
# What Pydantic calls a problem, and how we say it: `{given}`, and the bounds it names.
SAID = {
    MISSING: "is missing. Give it in the call.",
    "json_invalid": "the JSON breaks at this character ({error}). Send one whole document.",
    "literal_error": "{given} is not known. Use one of {expected}.",
    "greater_than_equal": "{given} does not fit. Pass at least {ge}.",
    "greater_than": "{given} does not fit. Pass more than {gt}.",
    "less_than_equal": "{given} does not fit. Pass at most {le}.",
    "less_than": "{given} does not fit. Pass less than {lt}.",
    "string_type": "{given} is no text. Pass a string, in quotes.",
    "string_too_long": "it is too long. Pass at most {max_length} characters.",
    "too_long": "{given} has {actual_length} entries. Pass at most {max_length}.",
    "list_type": '{given} is no list. Pass one such as ["a"].',
    "dict_type": '{given} is no object. Pass one such as {{"name": "value"}}.',
}
KINDS = {
    "int_": "{given} is no whole number. Pass one such as 10.",
    "float_": "{given} is no number. Pass one such as 0.5.",
    "bool_": "{given} is neither true nor false. Pass one of them.",
}


def say_problems(found: Iterable[Mapping[str, Any]], known: Collection[str] = ()) -> str:
    """Returns what is wrong, field by field; `found` is what Pydantic lists.

    Of `known` fields the one is named that an unknown field was probably meant to be.
    """
    said = [f"{name_field(one)}: {say_problem(one, known)}" for one in found]
    return " ".join(said) if all(one.endswith(".") for one in said) else "; ".join(said)


def name_field(found: Mapping[str, Any]) -> str:
    return ".".join(map(str, found["loc"])) or "arguments"


def say_problem(found: Mapping[str, Any], known: Collection[str] = ()) -> str:
    """Returns what is wrong with one field; of a time, with examples of how it is written."""
    given, problem = shortened(found.get("input")), found["type"]
    if problem == NO_ZONE:
        return f"{given} has no time zone. {WRITE_IT}"
    if problem.startswith("datetime_"):
        return f"{given} is no ISO 8601 time. {WRITE_IT}"
    if problem == UNKNOWN:
        return _say_unknown(str(found["loc"][-1]), known)
    words = SAID.get(problem) or next(
        (said for kind, said in KINDS.items() if problem.startswith(kind)), None
    )
    if words is None:
        return str(found["msg"])
    return words.format(given=given, **found.get("ctx", {}))


def _say_unknown(name: str, known: Collection[str]) -> str:
    """Returns that there is no such field, with the one that was meant or all there are."""
    meant = [one for one in known if one in name.split("_")] or get_close_matches(name, known, 1)
    if meant:
        return f"there is no such argument. Did you mean {meant[0]!r}?"
    also = f" There are: {', '.join(known)}." if known else " Leave it out."
    return f"there is no such argument.{also}"

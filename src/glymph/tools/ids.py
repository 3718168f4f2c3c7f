"""Ids as a model handles them: short where it reads them, a prefix where it writes one.

Ids begin with the moment at which they were made. Their first eight characters stand for about a
minute: once that is over, a prefix that is unique stays so, and until then the whole moment is
shown. Where a prefix means several nevertheless, the error names them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from glymph.errors import Ambiguous, InvalidInput
from glymph.ids import is_uuid7, uuid7
from glymph.moments import micros

if TYPE_CHECKING:
    from glymph.client import Glymph
    from glymph.tools.contract import Arguments

KINDS = {
    "memory": "memories",
    "operation": "operations",
    "recall": "recalls",
    "question": "questions",
    "plan": "plans",
}
SHORTEST = 6  # characters that an id may be cut to by whoever writes it
SHOWN, SHOWN_AT_FIRST = 8, 13  # at least so many are shown: a minute, or the whole moment
MOST_NAMED = 10  # of those that a prefix may mean
WHOLE, WHOLE_PLAN = 36, 32
# Words that may look like an id, and are what people said.
SPOKEN = frozenset({"text", "title", "query", "request", "old", "new", "older_text", "newer_text"})
PLANS = ("plan_id",)  # hashes, not moments
_PREFIX = re.compile(rf"[0-9a-f][0-9a-f-]{{0,{WHOLE - 2}}}\Z")

Given = TypeVar("Given", bound="Arguments")


def resolve_ids(glymph: Glymph, arguments: Given) -> Given:
    """Returns arguments in which each prefix of an id is the id; raises Ambiguous.

    What is no prefix of anything stays as it is: the tool says that there is no such thing.
    """
    found: dict[str, Any] = {}
    for name, field in type(arguments).model_fields.items():
        extra, given = field.json_schema_extra, getattr(arguments, name)
        kind = extra.get("names") if isinstance(extra, Mapping) else None
        if not isinstance(kind, str) or not given:
            continue
        if isinstance(given, str):
            found[name] = resolve_id(glymph, kind, given)
        else:
            found[name] = [resolve_id(glymph, kind, one) for one in given]
    return arguments.model_copy(update=found)


def resolve_id(glymph: Glymph, kind: str, given: str) -> str:
    """Returns the id of that kind that a text is or begins; raises InvalidInput if it is too short.

    A short word that begins no id is left to the tool: it may describe what is meant.
    """
    if not _PREFIX.match(given) or (kind == "plan" and len(given) >= WHOLE_PLAN):
        return given
    with glymph.context.reading() as reader:
        known = reader.ids_from(kind, given, limit=MOST_NAMED + 1)
    if known and len(given) < SHORTEST:
        raise InvalidInput(
            kind, f"{given!r} is too short for an id. Give at least {SHORTEST} characters of it."
        )
    if len(known) > 1:
        raise Ambiguous(f"The id {given!r}", known, KINDS[kind])
    return known[0][0] if known else given


def choose_id(given: str, known: Sequence[tuple[str, str]], what: str) -> str:
    """Returns the one of some ids, each with its title, that a text is or begins.

    What begins none of them stays as it is; raises Ambiguous if it begins several.
    """
    if any(one == given for one, _ in known) or len(given) < SHORTEST:
        return given
    begun = {one: title for one, title in known if one.startswith(given)}
    if len(begun) > 1:
        raise Ambiguous(f"The id {given!r}", [*begun.items()], what)
    return next(iter(begun), given)


def shorten_ids(glymph: Glymph, result: Mapping[str, Any]) -> dict[str, Any]:
    """Returns an answer in which each id is as short as is unique, and no text is touched."""
    ids = sorted(set(_find(result)))
    if not ids:
        return dict(result)
    short: dict[str, str] = {}
    minute = uuid7(micros(glymph.context.now(), "clock"), bytes(8))[:SHOWN]
    with glymph.context.reading() as reader:
        for kind in KINDS:
            left = [one for one in ids if one not in short]
            for one, sides in reader.ids_beside(kind, left).items() if left else ():
                least = SHOWN_AT_FIRST if kind != "plan" and one[:SHOWN] >= minute else SHOWN
                short[one] = one[: max(least, *(1 + _common(one, other) for other in sides))]
    shortened: dict[str, Any] = _replace(result, short)
    return shortened


def _common(one: str, other: str) -> int:
    """Returns how many characters two ids begin with alike."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)


def _find(value: Any, name: str = "") -> Iterator[str]:
    """Yields every id in an answer."""
    if isinstance(value, Mapping):
        yield from (key for key in value if is_uuid7(key))
        for key, one in value.items():
            if key not in SPOKEN:
                yield from _find(one, key)
    elif isinstance(value, list | tuple):
        yield from _find_all(value, name)
    elif isinstance(value, str) and (is_uuid7(value) or name in PLANS):
        yield value


def _find_all(values: Iterable[Any], name: str) -> Iterator[str]:
    for one in values:
        yield from _find(one, name)


def _replace(value: Any, short: Mapping[str, str], name: str = "") -> Any:
    if isinstance(value, Mapping):
        return {
            short.get(key, key): one if key in SPOKEN else _replace(one, short, key)
            for key, one in value.items()
        }
    if isinstance(value, list | tuple):
        return [_replace(one, short, name) for one in value]
    return short.get(value, value) if isinstance(value, str) else value

"""Filters: which memories a listing or a search is about."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from difflib import get_close_matches
from typing import Any, TypedDict

from glymph.checks import checked_list, checked_text, one_of, optional_text, show
from glymph.context import Context
from glymph.decay.sections import KINDS, Section
from glymph.errors import InvalidInput
from glymph.model import State
from glymph.moments import optional_micros
from glymph.store.contract import Filter
from glymph.store.reader import Reader


class Filters(TypedDict, total=False):
    """The filter of a listing or a search; by default it lets through what is LIVE and current."""

    kinds: Sequence[str] | None
    sections: Sequence[str] | None
    tags: Sequence[str] | None  # all of them
    since: datetime | None
    until: datetime | None
    states: Sequence[str] | None
    include_superseded: bool
    session: str | None
    source: str | None  # who or what told it, such as consolidation or extraction


def check_filters(filters: Filters) -> Filter:
    """Returns the filter; raises InvalidInput if a value or a name is not known."""
    unknown = filters.keys() - Filters.__annotations__.keys()
    if unknown:
        raise InvalidInput(
            min(unknown), f"no such filter. Known: {', '.join(Filters.__annotations__)}."
        )
    return Filter(
        states=_choices("states", filters.get("states"), State) or (State.LIVE,),
        kinds=_texts("kinds", filters.get("kinds")),
        sections=_choices("sections", filters.get("sections"), Section),
        tags=_texts("tags", filters.get("tags")),
        since=optional_micros(filters.get("since"), "since"),
        until=optional_micros(filters.get("until"), "until"),
        include_superseded=bool(filters.get("include_superseded")),
        session=optional_text("session", filters.get("session")),
        source=optional_text("source", filters.get("source")),
    )


def check_list(field: str, values: object) -> list[Any] | None:
    """Returns the values of a filter, None if left out; refuses an empty list."""
    if values is None:
        return None
    given = checked_list(field, values)
    if not given:
        raise InvalidInput(
            field, "is an empty list, which nothing matches. Leave it out to get everything."
        )
    return given


def _texts(field: str, values: object) -> tuple[str, ...] | None:
    given = check_list(field, values)
    return None if given is None else tuple(checked_text(field, value, 200) for value in given)


def _choices(field: str, values: object, choices: Any) -> tuple[str, ...] | None:
    given = check_list(field, values)
    return None if given is None else tuple(one_of(field, value, choices) for value in given)


def check_kinds(reader: Reader, wanted: Filter) -> None:
    """Refuses a kind nobody has ever used or defined: most likely a typing error."""
    unknown = [kind for kind in wanted.kinds or () if kind not in KINDS]
    if not unknown:
        return
    known = {*KINDS, *reader.kinds()}
    for kind in unknown:
        if kind not in known:
            near = get_close_matches(kind, known, n=1)
            hint = (
                f" Did you mean {near[0]!r}?" if near else " Leave kinds out to see what there is."
            )
            raise InvalidInput(
                "kinds", f"no memory of kind {kind!r} was ever stored in {reader.space!r}.{hint}"
            )


def check_score(least: object) -> None:
    """Raises InvalidInput unless a least score is left out or lies between 0 and 1."""
    if least is None:
        return
    if isinstance(least, bool) or not isinstance(least, int | float) or not 0 <= least <= 1:
        raise InvalidInput("min_score", f"{show(least)} does not fit. Pass a number from 0 to 1.")


def check_limit(ctx: Context, limit: object) -> None:
    most = ctx.settings.max_page
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= most:
        raise InvalidInput(
            "limit", f"{show(limit)} does not fit. Pass a whole number from 1 to {most}."
        )

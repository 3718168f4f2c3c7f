"""Finds what a request means by rules: identifiers, names and aliases, figures, dates, words.

Rules are exact where a thing has a name; of what is described in other words they know little.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from glymph.forget import wording
from glymph.forget.match import (
    ENOUGH,
    ENOUGH_ALONE,
    Sought,
    Statement,
    Unit,
    by_identifier,
    contrasts,
    dates_met,
    figures_met,
    find_longer,
    heads_met,
    known_as,
    lexical,
    names_met,
    polar,
    rank,
    score,
    sought,
    units,
)
from glymph.forget.names import fuller, places
from glymph.forget.request import Request
from glymph.text.grammar import OF_THE_SPEAKER

SHORT = 4  # characters of a code that different things may carry
NOTHING = Sought((), (), ())


@dataclass(frozen=True, slots=True)
class Meant:
    """The clauses a request means, with the evidence.

    Also those it may mean, when that is not certain.
    """

    found: tuple[Unit, ...] = ()
    reason: str = ""
    confidence: float = 1.0
    perhaps: tuple[Unit, ...] = ()
    why: str = ""
    wanted: Sought = NOTHING

    @property
    def named(self) -> bool:
        """Whether a request says no more than whom or what it means, by name."""
        return bool(self.found and self.wanted.names) and not self.wanted.words


def find_meant(request: Request, among: Sequence[Unit], *, likeness: Mapping[str, float]) -> Meant:
    """The clauses that a request means."""
    if request.empty:
        return Meant(why="the request names nothing. Say whom or what it is about")
    if request.strong:
        return _by_identifier(request, among)
    wanted = sought(request, among, known_as(among))
    if wanted.unknown:
        return Meant(why=f"nothing here mentions {', '.join(wanted.unknown)}", wanted=wanted)
    if not (wanted.names or wanted.words or request.figures or request.weak):
        return Meant(why="the request names nothing. Say whom or what it is about")
    found = [unit for unit in among if names_met(unit, wanted) and figures_met(unit, request)]
    if not found and wanted.names and request.figures:
        found = [unit for unit in among if _dominant(request) and figures_met(unit, request)]
    found = dates_met(request, found)
    found = polar(request, found)
    if request.mine and not wanted.names:
        found = [
            unit
            for unit in found
            if not OF_THE_SPEAKER.isdisjoint(word.lower() for word in unit.words)
        ] or found
    if request.now and any(not wording.PAST.search(unit.clause.text) for unit in found):
        found = [unit for unit in found if not wording.PAST.search(unit.clause.text)]
    if not found:
        return Meant(why="nothing here says all that the request names", wanted=wanted)
    if several := _several(found, wanted):
        return Meant(
            perhaps=tuple(rank(found, likeness)),
            why=f"it may mean {', '.join(several)}",
            wanted=wanted,
        )
    return _by_words(request, found, wanted, likeness)


def _dominant(request: Request) -> bool:
    """Returns whether a figure alone says what is meant: long, and no year."""
    return any(
        len(figure) > 3 and not re.fullmatch(r"(?:19|20)\d\d", figure) for figure in request.figures
    )


def _is_dated(request: Request) -> bool:
    """Returns whether a date alone says what is meant: a whole one."""
    return any(each.type == "date" and each.key[:4].isdigit() for each in request.weak)


def _by_identifier(request: Request, among: Sequence[Unit]) -> Meant:
    found = by_identifier(request, among)
    written = ", ".join(each.text for each in request.strong)
    if not found:
        longer = tuple(find_longer(request, among))
        return Meant(perhaps=longer, why=f"nothing here holds {written}, whole")
    if request.whole:
        closure = known_as(among)
        names = [
            tuple(name.split())
            for each in request.strong
            for name in closure.of(each.text)
            if name != each.text
        ]
        names = [name for name in names if name != ("me",)]
        found += [
            unit
            for unit in among
            if unit not in found and any(places(unit.about, name) for name in names)
        ]
    return Meant(tuple(_keep_labelled(request, found)), f"it holds {written}", 1.0)


def still_held(request: Request, old: str, new: str) -> bool:
    """Returns whether a text made of an older one still holds an identifier of the request.

    The spelling does not matter. The older one stands beside it, so that the same is meant here as
    where it was found.
    """
    if not request.strong:
        return False
    among = units([Statement("old", old), Statement("new", new)])
    return any(
        unit.statement.id == "new"
        for unit in _keep_labelled(request, by_identifier(request, among))
    )


def _keep_labelled(request: Request, found: Sequence[Unit]) -> Sequence[Unit]:
    """Returns the clauses that call a short code what the request calls it, as in "station S3".

    If none does, all of the clauses stay.
    """
    if any(len(each.key) > SHORT for each in request.strong):
        return found
    labels = [*request.words, *(word for run in request.names for word in run)]
    called = [
        unit
        for unit in found
        if any(lexical(label, word) for label in labels for word in unit.words)
    ]
    return called or found


def _several(found: Sequence[Unit], wanted: Sought) -> list[str]:
    """The fuller names that a single name may stand for, if there are several."""
    for known in wanted.names:
        if len(known[0]) != 1:
            continue
        full = {
            fuller(unit.about, span) for unit in found for span in places(unit.about, known[0])
        } - {None}
        if len(full) > 1 and len(wanted.names) == 1 and not wanted.words:
            return sorted(str(name) for name in full)
    return []


def _by_words(
    request: Request, found: Sequence[Unit], wanted: Sought, likeness: Mapping[str, float]
) -> Meant:
    """Returns those of the clauses that say the words of the request best, if well enough."""
    anchored = bool(wanted.names or request.figures or request.weak)
    if not wanted.words:
        return Meant(tuple(found), _describe(wanted, request), 0.95, wanted=wanted)
    scores = {id(unit): score(unit, wanted) for unit in found}
    best = max(scores.values())
    chosen = [unit for unit in found if scores[id(unit)] >= best - 1e-9]
    unique = len({unit.statement.id for unit in chosen}) == 1
    if (
        not anchored
        and not request.mine
        and not unique
        and all(wording.attributes(word) for word in wanted.words)
    ):
        return Meant(
            perhaps=tuple(rank(chosen, likeness)), why="it does not say whose", wanted=wanted
        )
    if best >= (ENOUGH if anchored else ENOUGH_ALONE - 0.06 if unique else ENOUGH_ALONE):
        whole = [unit for unit in chosen if heads_met(unit, wanted) and not contrasts(unit, wanted)]
        vague = best < 0.67 and len({unit.statement.id for unit in whole}) > 1
        if (
            whole
            and not (vague and not all(wording.attributes(word) for word in wanted.words))
            and (anchored or best > 0.75 or len({unit.statement.id for unit in whole}) == 1)
        ):
            return Meant(
                tuple(whole), _describe(wanted, request), round(0.5 + best / 2, 2), wanted=wanted
            )
        return Meant(
            perhaps=tuple(rank(chosen, likeness)),
            why="it is not certain what it means",
            wanted=wanted,
        )
    if not anchored:
        near = [unit for unit in chosen if best > 0]
        return Meant(
            perhaps=tuple(rank(near, likeness)),
            why="nothing here says it in these words",
            wanted=wanted,
        )
    if _dominant(request) or (request.weak and (wanted.names or _is_dated(request))):
        return Meant(tuple(found), _describe(wanted, request), 0.8, wanted=wanted)
    general = all(wording.attributes(word) for word in wanted.words)
    plain = [unit for unit in found if not unit.topics]
    if general and best == 0 and len({unit.statement.id for unit in found}) == 1 and plain:
        return Meant(tuple(plain), "it is the only statement about that", 0.6, wanted=wanted)
    return Meant(
        perhaps=tuple(rank(found, likeness)), why="nothing says that of them", wanted=wanted
    )


def _describe(wanted: Sought, request: Request) -> str:
    names = [" ".join(known[0]) for known in wanted.names]
    figures = [*request.figures, *(each.text for each in request.weak)]
    return f"it is about {', '.join([*names, *figures, *wanted.words])}"

"""The planner, which makes a plan of a request before anything happens.

The plan says what goes, what is reworded, and what somebody must decide.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

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
from glymph.forget.request import Request, read_request
from glymph.text.clauses import Clauses
from glymph.text.grammar import OF_THE_SPEAKER
from glymph.text.identifiers import find_matching
from glymph.text.lists import without_item, without_name, without_phrase
from glymph.text.scripts import fold
from glymph.text.words import NAME_WORD

UNSAFE = (
    "it is not certain what would be left of it; reword it by hand, or name its id to remove all "
    "of it"
)
_ENTANGLED = re.compile(
    r"\b(?:neither|nor|unless|if|only|whether|false|untrue|den(?:y|ies|ied)|doubts?|doubted"
    r"|pretends?|pretended|(?:don't|doesn't|do not|does not|didn't|did not) (?:believe|think))\b",
    re.IGNORECASE,
)
_INFLECTED = frozenset("is are was were has have does do".split())
_ALTERNATIVE = re.compile(r"\w (?:or|oder|ou) \w", re.IGNORECASE)
Kind = Literal["remove", "rewrite", "refuse", "ask"]
Decide = Callable[[Sequence["Action"]], Collection[str]]
MOST_ASKED = 20
_ASIDE = re.compile(r"(?: ?\([^()]*\))?")  # what is told of an item of a list
SHORT = 4  # characters of a code that different things may carry
_LISTED = re.compile(r",? (?:and|or|und|oder|et|ou|y|o|e|и|или|&) |, | / ")
NOTHING = Sought((), (), ())
_PREPOSITION = re.compile(
    r"\s*\b(?:at|on|via|by|under|from|to|unter|bei|an|über|à|au|sur|par|en|a|al|su|per|:|=)?\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Action:
    """One step of a plan: what it does with a memory, and why.

    `ask` does nothing until somebody decides.
    """

    kind: Kind
    id: str
    old: str
    new: str = ""
    reason: str = ""
    confidence: float = 1.0
    version: int = 0


@dataclass(frozen=True, slots=True)
class Planned:
    """The plan that a request comes to."""

    actions: tuple[Action, ...] = ()
    why: str = ""  # why there is nothing to do, or nothing certain

    def of(self, *kinds: Kind) -> tuple[Action, ...]:
        return tuple(action for action in self.actions if action.kind in kinds)


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


def plan(
    request: str,
    statements: Sequence[Statement],
    *,
    likeness: Mapping[str, float] | None = None,
    decide: Decide | None = None,
) -> Planned:
    """The plan for a request among these statements. The same input gives the same plan."""
    statements = sorted(statements, key=lambda statement: statement.id)
    named = [statement for statement in statements if statement.id == request.strip()]
    if named:
        given = [
            Action("remove", one.id, one.text, "", "named by its id", 1.0, one.version)
            for one in named
        ]
        return Planned(
            tuple(_guard(one, action, []) for one, action in zip(named, given, strict=True))
        )
    asked = read_request(request)
    meaning = find_meant(asked, units(statements), likeness=likeness or {})
    actions = [_action(own, meaning, asked) for own in _by_statement(meaning.found)]
    taken = {action.id for action in actions}
    asking = [
        _question(unit, meaning) for unit in meaning.perhaps if unit.statement.id not in taken
    ]
    asking = list({action.id: action for action in asking}.values())[:MOST_ASKED]
    if decide and asking:
        chosen = set(decide(asking))
        decided = [own for own in _by_statement(meaning.perhaps) if own[0].statement.id in chosen]
        actions += [
            replace(_action(own, meaning, asked), reason="decided by the hook") for own in decided
        ]
        asking = [action for action in asking if action.id not in chosen]
    return Planned(
        (*actions, *asking), "" if actions else meaning.why or "nothing here is meant by it"
    )


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
        return Meant(why=f"nothing here holds {written}, whole")
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


def _by_statement(found: Sequence[Unit]) -> list[list[Unit]]:
    grouped: dict[str, list[Unit]] = {}
    for unit in found:
        grouped.setdefault(unit.statement.id, []).append(unit)
    return list(grouped.values())


def _question(unit: Unit, meaning: Meant) -> Action:
    one = unit.statement
    return Action("ask", one.id, one.text, "", meaning.why, 0.3, one.version)


def _action(own: Sequence[Unit], meaning: Meant, request: Request) -> Action:
    """Returns what becomes of a statement some of whose clauses go."""
    one = own[0].statement
    new = find_rest(own, meaning.wanted, request)
    kind: Kind = "rewrite" if new else "remove"
    if new and not is_safe(one.text, new, listed=bool(request.strong)):
        return Action("ask", one.id, one.text, "", UNSAFE, 0.3, one.version)
    return _guard(
        one,
        Action(kind, one.id, one.text, new, meaning.reason, meaning.confidence, one.version),
        own,
    )


def is_safe(old: str, new: str, *, listed: bool) -> bool:
    """Returns whether what is left says what it said before.

    Of an alternative, a condition or a denial none can tell. `listed` says that an identifier is
    cut out: of two numbers joined by "or", the other one still holds.
    """
    if _ENTANGLED.search(old) or (not listed and _ALTERNATIVE.search(old)):
        return False
    told = {word.casefold() for word in NAME_WORD.findall(old)}
    return all(_is_form(word.casefold(), told) for word in NAME_WORD.findall(new))


def _is_form(word: str, told: Collection[str]) -> bool:
    """Returns whether a word is one of these or a form of it, and not pieced together from two."""
    if word in told or word in _INFLECTED:
        return True
    if any(len(was) > 2 and word.endswith(was) for was in told):
        return False
    return any(word[:2] == was[:2] and abs(len(word) - len(was)) <= 4 for was in told)


def find_rest(own: Sequence[Unit], wanted: Sought, request: Request) -> str:
    """Returns what a statement still says without these clauses; empty if nothing."""
    parts = own[0].parts
    dropped: list[int] = []
    text = parts
    for unit in own:
        edited = (
            _remove_from_list(unit, request)
            if request.strong
            else _remove_item(unit.clause.text, wanted)
        )
        if edited and fold(edited) != fold(unit.clause.text):
            clauses = tuple(
                replace(clause, text=edited, alone="") if at == unit.at else clause
                for at, clause in enumerate(text.clauses)
            )
            text = replace(
                text,
                text=text.replace_clause(unit.at, edited),
                clauses=clauses,
                sentences=_anew(text, unit.at, edited),
            )
        else:
            dropped.append(unit.at)
    rest = text.without(dropped)
    return rest if re.search(r"\w", rest) else ""


def _anew(parts: Clauses, at: int, edited: str) -> tuple[str, ...]:
    sentences = list(parts.sentences)
    clause = parts.clauses[at]
    old = sentences[clause.sentence]
    sentences[clause.sentence] = old.replace(clause.text, edited, 1)
    return tuple(sentences)


def _remove_from_list(unit: Unit, request: Request) -> str | None:
    """The clause without an identifier that stands in a list of several, if others of them stay."""
    text = unit.clause.text
    found = [replace(each, end=_ASIDE.match(text, each.end).end()) for each in unit.identifiers]  # type: ignore[union-attr]
    meant = {id(each) for wanted in request.strong for each in find_matching(wanted, found)}
    for at, each in enumerate(found):
        if id(each) not in meant or len(meant) == len(found):
            continue
        if at and _LISTED.fullmatch(text[found[at - 1].end : each.start]):
            last = at + 1 == len(found) or not _LISTED.fullmatch(
                text[each.end : found[at + 1].start]
            )
            start = found[at - 1].end
            rest = text[:start] + text[each.end :]
            return _last_joined(rest, start, text[start : each.start]) if last else rest
        if at + 1 < len(found) and _LISTED.fullmatch(text[each.end : found[at + 1].start]):
            return text[: each.start] + text[found[at + 1].start :]
    return None


def _last_joined(text: str, end: int, joint: str) -> str:
    """A list whose last item is gone: what joined that one now joins the one before it."""
    comma = text.rfind(", ", 0, end)
    if comma < 0 or not joint.strip(" ,") or " " in text[comma + 2 : end]:
        return text
    return f"{text[:comma]} {joint.strip(' ,')} {text[comma + 2 :]}"


def _remove_item(text: str, wanted: Sought) -> str | None:
    """The clause without the one item of a list that is meant, if it has such a list."""
    without = without_name(text, lambda item: _is_meant(item, wanted))
    if without or not wanted.names or not wanted.words:
        return without

    def is_said(item: str) -> bool:
        return any(lexical(word, part) for word in wanted.words for part in NAME_WORD.findall(item))

    return without_phrase(text, is_said) or without_item(text, is_said)


def _is_meant(item: str, wanted: Sought) -> bool:
    return any(places(item, name, strict=False) for known in wanted.names for name in known)


def _guard(one: Statement, action: Action, own: Sequence[Unit]) -> Action:
    """A pinned memory is left alone; of a protected one only what is meant is cut out."""
    if one.pinned:
        return replace(
            action,
            kind="refuse",
            new="",
            reason="it is pinned; unpin it first, then repeat the call",
        )
    if one.protected and action.kind == "remove":
        new = _cut_out(one.text, own)
        if not new:
            return replace(
                action, kind="refuse", reason="it is protected, and nothing would be left of it"
            )
        return replace(action, kind="rewrite", new=new)
    return action


def _cut_out(text: str, own: Sequence[Unit]) -> str:
    """The text without the identifiers that these clauses hold, and the word that leads to each."""
    for unit in own:
        for each in reversed(unit.identifiers):
            at = text.find(each.text)
            if at >= 0:
                before = _PREPOSITION.sub("", text[:at])
                text = f"{before}{text[at + len(each.text) :]}"
    return text.strip() if own and re.search(r"\w", text) else ""

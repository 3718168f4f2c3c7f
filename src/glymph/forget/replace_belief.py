"""The search for the belief that a newer statement replaces.

It is found by its description, and cut out of what else is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from glymph.forget import wording
from glymph.forget.by_rules import Meant, find_meant
from glymph.forget.match import (
    ENOUGH,
    Sought,
    Statement,
    Unit,
    contrasts,
    known_as,
    lexical,
    names_met,
    rank,
    score,
    sought,
    units,
)
from glymph.forget.planner import SAID, Judges, find_agreed, find_lead, judge
from glymph.forget.request import Request, read_checked
from glymph.forget.rest import cut_spans, find_rest, is_safe
from glymph.forget.verdicts import Verdict
from glymph.text.grammar import BEING, FUNCTION
from glymph.text.words import NAME_WORD, stems

MOST_CHANGED = 3  # words that part a text from one that says all of it anew
MEANT, LIKELY = 0.85, 0.02  # shares from which on a belief is replaced, and asked about
_LOOSE = frozenset(
    {"colour", "liking", "time", "name"}
)  # topics that statements of different things share


@dataclass(frozen=True, slots=True)
class Belief:
    """A statement of the belief that is replaced.

    With it come what it still says without the belief, and why it is meant.
    """

    id: str
    version: int
    rest: str  # empty: all it says is replaced
    reason: str


def find_beliefs(
    description: str,
    new_text: str,
    statements: Sequence[Statement],
    *,
    likeness: Mapping[str, float],
    judges: Judges,
) -> tuple[tuple[Belief, ...], tuple[Belief, ...]]:
    """Returns the current statements of the described belief, and those that may be.

    It can be taken back: the best evidence is enough.
    """
    asked = read_checked(description)
    by_rules = belief(description, new_text, statements, likeness=likeness)
    if asked.strong or asked.empty or not (judges.read or judges.ask):
        unsure = len(by_rules) > 1 and not (asked.words or asked.strong)
        return ((), by_rules) if unsure else (by_rules, ())
    current = sorted((one for one in statements if one.current), key=lambda one: one.id)
    found = {one.id for one in by_rules}
    among = units(current)
    meaning = Meant(tuple(unit for unit in among if unit.statement.id in found), "it says that")
    verdicts = judge(asked, meaning, current, likeness, judges)
    verdicts.sort(key=lambda one: (-one.share, one.statement.id))
    meant = [one for one in verdicts if one.share >= MEANT] or find_lead(verdicts)
    wanted = sought(asked, among, known_as(among))
    seen = any(one.ruled == "found" and one.share >= LIKELY for one in verdicts)
    meant = meant or find_agreed(verdicts, wanted, least=ENOUGH if seen else SAID)
    perhaps = [one for one in verdicts if one.share >= LIKELY and one not in meant]
    return tuple(_leave_rest(one, new_text) for one in meant), tuple(
        Belief(one.statement.id, one.statement.version, "", one.why) for one in perhaps
    )


def _leave_rest(one: Verdict, new_text: str) -> Belief:
    """Returns a statement of the belief with what it still says without it."""
    said = one.statement
    cut = one.spans and not _says_all_anew(new_text, said.text)
    rest = one.left or (cut_spans(said.text, one.spans) if cut else "")
    if rest and (stems(rest) <= stems(new_text) or not is_safe(said.text, rest, listed=False)):
        rest = ""
    return Belief(said.id, said.version, rest, one.why)


def _says_all_anew(new: str, old: str) -> bool:
    """Tells whether a text says what another did with other values: nothing of that is left."""
    said = stems(old)
    changed = len(said - stems(new))
    return changed <= MOST_CHANGED and 4 * changed <= len(said)


def belief(
    description: str,
    new_text: str,
    statements: Sequence[Statement],
    *,
    likeness: Mapping[str, float] | None = None,
) -> tuple[Belief, ...]:
    """Every current statement of the described belief; none if nothing here is meant."""
    statements = sorted(statements, key=lambda statement: statement.id)
    request = read_checked(description)
    among = units(statements)
    likeness = likeness or {}
    meaning = find_meant(
        request, [unit for unit in among if unit.statement.current], likeness=likeness
    )
    if not meaning.found:
        meaning = find_meant(request, among, likeness=likeness)
    found = (
        list(meaning.found)
        or _alone(meaning)
        or _only_other(request, among, new_text, meaning, likeness)
    )
    current = [unit for unit in found if unit.statement.current]
    if not current:
        heirs = {unit.statement.heir for unit in found if unit.statement.heir}
        current = [unit for unit in among if unit.statement.id in heirs and unit.statement.current]
    grouped: dict[str, list[Unit]] = {}
    for unit in current:
        grouped.setdefault(unit.statement.id, []).append(unit)
    return tuple(_belief(own, new_text, meaning, request) for own in grouped.values())


def _alone(meaning: Meant) -> list[Unit]:
    """The one statement that says some of the words, where no other says any."""
    found = [unit for unit in meaning.perhaps if unit.statement.current]
    if len({unit.statement.id for unit in found}) != 1 or meaning.wanted.names:
        return []
    return [
        unit
        for unit in found
        if score(unit, meaning.wanted) >= ENOUGH and not contrasts(unit, meaning.wanted)
    ]


def _belief(own: Sequence[Unit], new_text: str, meaning: Meant, request: Request) -> Belief:
    one = own[0].statement
    rest = find_rest(own, Sought((), (), ()), request)
    if rest and stems(rest) <= stems(new_text):
        rest = ""
    return Belief(one.id, one.version, rest, meaning.reason or "it is what is told of that")


def _only_other(
    request: Request,
    among: Sequence[Unit],
    new_text: str,
    meaning: Meant,
    likeness: Mapping[str, float],
) -> list[Unit]:
    """Returns what the subject is told to be, where the description's words are met nowhere.

    It is found by topic, or because it is the only one.
    """
    wanted = meaning.wanted
    if not wanted.names and not wanted.words:
        wanted = sought(request, among, known_as(among))
    if not wanted.names or wanted.unknown or request.strong:
        return []
    plain = [word for word in wanted.words if not wording.attributes(word)]
    if any(lexical(word, said) for word in plain for said in NAME_WORD.findall(new_text)):
        return []  # it tells of a thing that nothing here told of before
    about = [unit for unit in among if names_met(unit, wanted) and unit.statement.current]
    topics = {topic for word in wanted.words for topic in wording.attributes(word)}
    said = {topic for word in NAME_WORD.findall(new_text) for topic in wording.topics(word)}
    for meant_by in (topics & said, said - _LOOSE, topics):
        near = [unit for unit in about if unit.topics & meant_by]
        if near:
            return (
                near if len({unit.statement.id for unit in near}) == 1 else rank(near, likeness)[:1]
            )
    if len({unit.statement.id for unit in about}) == 1:
        return about
    same = [unit for unit in about if _verb_of(unit, wanted) & stems(new_text)]
    if len(same) == 1:
        return same
    untold = [unit for unit in about if not unit.topics]
    if len(untold) == 1 and not plain:
        return untold
    return rank(about, likeness)[:1] if any(unit.statement.id in likeness for unit in about) else []


def _verb_of(unit: Unit, wanted: Sought) -> frozenset[str]:
    """The stems of what a clause says besides the names that are asked for."""
    named = {
        word for known in wanted.names for name in known for part in name for word in stems(part)
    }
    return (
        frozenset(
            stem
            for word in unit.words
            if word.islower() and word not in FUNCTION | BEING
            for stem in stems(word)
        )
        - named
    )

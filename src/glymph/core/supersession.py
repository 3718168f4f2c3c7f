"""What a new statement does to the older ones near it: the same, related, replaced, in conflict, or nothing.

A statement replaces an older one when it says another value of the same attribute of the same subject, and says it
as true and later. Where the words do not settle which of the two holds, it is a conflict for somebody to decide.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from glymph.core import lexicon as lex
from glymph.core.claims import Claim, Entry, claims, entry
from glymph.core.sections import SECTIONS, Section
from glymph.core.similarity import BANDS, Bands, relation, stem
from glymph.core.values import Value

LONGEST = 10  # telling words of a sentence; in a longer one a clause depends on what stands around it
LEAST_SHARED = 0.5  # of the words that lead to a new value

Outcome = Literal["duplicate", "connect", "supersedes", "conflict", "nothing"]


@dataclass(frozen=True, slots=True)
class Statement:
    """A memory as far as this decision needs it."""

    id: Hashable
    text: str
    section: str = Section.KNOWLEDGE
    entities: tuple[str, ...] = ()
    at: int = 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a new statement does to an older one, and why; `whole` is false where the older one says more."""

    kind: Outcome
    target: Hashable
    reason: str
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Finding:
    """How one claim stands to an older one."""

    kind: Literal["supersedes", "conflict"]
    reason: str
    strength: float
    former: str = ""  # the value that was replaced, when that rests on shared words


def decide(
    new: Statement, near: Sequence[tuple[Statement, float | None]], *, bands: Bands = BANDS
) -> list[Verdict]:
    """What the new statement does to each of its nearest live memories, in their order."""
    alike = [_alike(new, old, cosine, bands) for old, cosine in near]
    found = {
        place: list(_findings(new, old))
        for place, (old, _) in enumerate(near)
        if alike[place][0] != "duplicate" and _is_target(new) and _is_target(old)
    }
    kept = _settled(found)
    return [_verdict(old, alike[place], kept.get(place)) for place, (old, _) in enumerate(near)]


def _verdict(old: Statement, alike: tuple[Outcome, str], finding: Finding | None) -> Verdict:
    if finding is None:
        return Verdict(alike[0], old.id, alike[1])
    whole = len([claim for claim in claims(old.text) if claim.mood == "said"]) <= 1
    return Verdict(finding.kind, old.id, finding.reason, whole)


def _alike(new: Statement, old: Statement, cosine: float | None, bands: Bands) -> tuple[Outcome, str]:
    """Duplicates among lessons and facts; what happened twice happened twice, and is only connected."""
    kind, reason = relation(new.text, old.text, cosine, bands=bands, names=(new.entities, old.entities))
    if kind == "duplicate" and not (_is_target(new) and _is_target(old)):
        return "connect", f"{reason}, but what happened twice is two memories"
    return kind, reason


def _is_target(statement: Statement) -> bool:
    return SECTIONS[Section(statement.section)].role == "target"


def _settled(found: dict[int, list[tuple[Finding, int]]]) -> dict[int, Finding]:
    """The strongest finding of each memory.

    What rests on shared words holds for one former value only, the one that shares most, wherever that is said.
    """
    best: dict[int, Finding] = {}
    for findings in found.values():
        for finding, claim in findings:
            if finding.former and (claim not in best or finding.strength > best[claim].strength):
                best[claim] = finding
    kept: dict[int, Finding] = {}
    for place, findings in found.items():
        fit = [one for one, claim in findings if not one.former or _fits(one, best[claim])]
        if fit:
            kept[place] = max(fit, key=lambda one: (one.kind == "supersedes", one.strength))
    return kept


def _fits(finding: Finding, best: Finding) -> bool:
    """Whether a finding is the best of its claim, or of the same former value."""
    same_value = finding.kind == "supersedes" and finding.former == best.former
    return same_value or finding.strength >= best.strength


def _findings(new: Statement, old: Statement) -> Iterator[tuple[Finding, int]]:
    """What each claim of the new statement does to a claim of the old one, with the claim's place."""
    later = new.at > old.at
    was = entry(old.text)
    if was is not None:
        finding = _entered(new.text, was)
        if finding is not None and later:
            yield finding, -1
    for place, claim in enumerate(claims(new.text)):
        for other in claims(old.text):
            finding = compared(claim, other, later=later)
            if finding is not None:
                yield finding, place


def _entered(text: str, was: Entry) -> Finding | None:
    """The same entry with another item, or told to have ended."""
    now = entry(text)
    if now is None:
        ended = [claim for claim in claims(text) if claim.end and was.item <= claim.around]
        return Finding("supersedes", f"it ended: {_list(was.item)}", 2.0, _list(was.item)) if ended else None
    if now.label != was.label:
        return None
    shared = now.item & was.item
    if not was.several and not now.several:
        return (
            Finding("supersedes", f"{_list(was.item)} became {_list(now.item)}", 2.0)
            if now.item != was.item
            else None
        )
    part = len(shared) / min(len(now.item), len(was.item))
    near = len(shared) / len(now.item | was.item)
    if part < LEAST_SHARED:
        return None
    return Finding("supersedes", f"a newer wording of {_list(shared)}", part + near, _list(was.item))


def compared(new: Claim, old: Claim, *, later: bool) -> Finding | None:
    """How a claim stands to an older one of the same or a compatible subject."""
    if old.end or (new.extra and not new.end):
        return None
    plain = new.mood == old.mood == "said" and max(len(new.around), len(old.around)) <= LONGEST
    for rule in _RULES if plain else _FAR_RULES:
        finding = rule(new, old)
        if finding is None:
            continue
        if finding.kind == "supersedes" and not later:
            return Finding("conflict", f"{finding.reason}, and neither is later", finding.strength, finding.former)
        if finding.kind == "supersedes" and (new.topic | old.topic | new.subject) & _LASTING:
            return Finding(
                "conflict", f"{finding.reason}, of what does not change", finding.strength, finding.former
            )
        return finding
    return None


_LASTING = frozenset(stem(word) for word in lex.LASTING)
_ATTRIBUTES = frozenset(stem(word) for word in lex.ATTRIBUTES)


def _same_subject(new: Claim, old: Claim) -> bool:
    return bool(new.subject) and new.subject == old.subject


def _says(claim: Claim) -> frozenset[str]:
    return claim.topic | frozenset(claim.complement) | frozenset(claim.verb.split()[:1])


def _ended(new: Claim, old: Claim) -> Finding | None:
    """ "I quit smoking", "I no longer live in Berlin": what it ends is what the older one says."""
    mine = new.subject == old.subject or (
        "me" in new.subject & old.subject and (new.names | new.topic) & old.names
    )
    mine = mine or (bool(new.subject) and new.subject <= old.topic)  # "The meeting was cancelled."
    if not new.end or not mine or old.negated:
        return None
    what = (frozenset(new.complement) | (new.topic - new.subject)) - _ENDERS
    shared = what & (_says(old) | old.names)
    if shared and len(shared) >= len(what) / 2:
        return Finding("supersedes", f"it ended: {_list(shared)}", 3.0)
    return None


def _other_state(new: Claim, old: Claim) -> Finding | None:
    """ "I got married" after "I am single": of such states one holds at a time."""
    if not _same_subject(new, old) or new.negated or old.negated:
        return None
    was, is_now = dict(old.states), dict(new.states)
    for group in was.keys() & is_now.keys():
        if was[group] != is_now[group] and not new.states & old.states:
            return Finding("supersedes", f"was {was[group]}, is {is_now[group]}", 3.0)
    return None


def _denied(new: Claim, old: Claim) -> Finding | None:
    """The same with and without "not": news if it says so, else a conflict."""
    if new.negated == old.negated or not _same_subject(new, old):
        return None
    one, other = frozenset(new.complement) - _ENDERS, frozenset(old.complement) - _ENDERS
    verbs = {claim.verb.split()[0] if claim.verb else "" for claim in (new, old)}
    alike = len(verbs) == 1 or verbs <= lex.HAVING or new.never or (new.change and bool(one & other))
    if not alike or len(one & other) < 0.6 * max(len(one), len(other), 1):
        return None
    if new.change and not new.negated:
        return Finding("supersedes", "it became so", 2.5)
    return Finding("conflict", "one denies the other", 2.0)


def _never(new: Claim, old: Claim) -> Finding | None:
    """ "I have never done that" of what the speaker once told to have done."""
    if not new.never or new.mood != "said" or old.negated or old.mood == "supposed" or not _same_subject(new, old):
        return None
    what = new.topic - new.subject
    shared = what & old.around
    if len(shared) < 2 or len(shared) < 0.5 * len(what):
        return None
    deed = len(what & old.topic) / len(what)
    same = 0.5 * (new.verb.split()[0] in old.verb.split()[:1]) if new.verb else 0.0
    return Finding(
        "conflict", f"never, it says, of {_list(shared)}", deed + same + len(shared) / len(what), "never"
    )


def _recounted(new: Claim, old: Claim) -> Finding | None:
    """The same deed on the same date, with another count."""
    if not _same_subject(new, old) or not new.verb or new.verb != old.verb or "supposed" in (new.mood, old.mood):
        return None
    days = new.dates & old.dates
    pair = _pair(new, old) if days else None
    counted = pair is not None and new.nouns[new.values.index(pair[0])]
    return (
        Finding("supersedes", f"{pair[1].key} became {pair[0].key}, counted again", 2.0)
        if pair and counted
        else None
    )


def _other_value(new: Claim, old: Claim) -> Finding | None:
    """Another number, date or time of the same thing."""
    if not _same_subject(new, old) or not new.verb or new.verb != old.verb or new.negated != old.negated:
        return None
    if (old.event or new.event) and not new.change:
        return None
    one, other = frozenset(new.complement), frozenset(old.complement)
    if one and other and len(one & other) < 0.5 * max(len(one), len(other)):
        return None
    pair = _pair(new, old)
    if pair is None or (new.subject == {"me"} and (pair[0].kind == "identifier" or len(one | other) > 5)):
        return None
    return Finding("supersedes", f"{pair[1].key} became {pair[0].key}", 2.5)


def _other_name(new: Claim, old: Claim) -> Finding | None:
    """Another name or word where only one can stand."""
    if not _same_subject(new, old) or not new.verb or new.verb != old.verb or new.negated or old.negated:
        return None
    if new.event and not new.change:
        return None
    is_now, was = new.complement or tuple(new.names), old.complement or tuple(old.names)
    if is_now == was or not is_now or not was:
        return None
    if {_unit(value) for value in new.values} != {_unit(value) for value in old.values}:
        return None
    shared = frozenset(is_now) & frozenset(was)
    one_valued = new.verb in lex.ONE_AT_A_TIME and (bool(shared) or new.verb != "prefer")
    if new.verb == "be":
        one_valued = bool(new.subject & _ATTRIBUTES) or (
            bool(new.names)
            and bool(old.names)
            and new.names != old.names
            and (new.subject != {"me"} or bool(shared & _LASTING))
        )
    if one_valued or (new.change and shared):
        return Finding("supersedes", f"{' '.join(was)} became {' '.join(is_now)}", 2.0)
    return None


def _replaced(new: Claim, old: Claim) -> Finding | None:
    """It says itself what it replaces: "from X", "instead of X", "not X"."""
    gone = new.instead & (old.names | old.subject | set(old.complement) | {value.key for value in old.values})
    if not gone or not (_same_subject(new, old) or (new.topic - gone) & old.topic):
        return None
    return Finding("supersedes", f"in place of {_list(gone)}", 2.5)


def _moved_on(new: Claim, old: Claim) -> Finding | None:
    """A value that is said to be new, of what the words that lead to it name."""
    if _clash(new, old):
        return None
    found = [
        finding
        for at, fresh in enumerate(new.fresh)
        for place in range(len(old.values))
        if fresh and (finding := _successor(new, at, old, place)) is not None
    ]
    return max(found, key=lambda finding: finding.strength, default=None)


def _successor(new: Claim, at: int, old: Claim, place: int) -> Finding | None:
    """A new value in the place of an older one, if they are values of the same thing as far as the words tell."""
    value, other, lead = new.values[at], old.values[place], new.leads[at]
    counts = bool(new.nouns[at]) and new.nouns[at] == old.nouns[place]
    if not lead or not _succeeds(value, other) or any(same.key == value.key for same in old.values):
        return None
    if sum(_unit(listed) == _unit(value) and listed.key not in new.origins for listed in new.values) > 1:
        return None  # one of a list
    if not counts and (new.nouns[at] or (old.nouns[place] and old.nouns[place] not in lead)):
        return None
    if (new.origins and other.key not in new.origins) or not (counts or old.around >= {new.heads[at]} - {""}):
        return None
    shared = lead & old.around
    part = len(shared) / len(lead)
    if part < LEAST_SHARED and other.key not in new.origins:
        return None
    near = len(lead & old.leads[place]) / len(lead | old.leads[place])
    if old.leads[place] and not near:
        return None
    return Finding("supersedes", f"{other.key} became {value.key}, of {_list(shared)}", part + near, other.key)


def _succeeds(value: Value, other: Value) -> bool:
    """Whether a value may follow another: of one kind and unit, different, and for amounts within ten times."""
    if _unit(value) != _unit(other) or value.key == other.key:
        return False
    try:
        one, two = float(value.key), float(other.key)
    except ValueError:
        return True
    return value.kind == "identifier" or 0.1 <= (one or 1) / (two or 1) <= 10


def _clash(new: Claim, old: Claim) -> bool:
    """Whether they speak of different people: the speaker here, somebody else there."""
    both = new.subject and old.subject
    return (
        bool(both)
        and ("me" in new.subject) != ("me" in old.subject)
        and bool((new.subject | old.subject) & new.names)
    )


def _pair(new: Claim, old: Claim) -> tuple[Value, Value] | None:
    """The values that differ of one kind, unit and thing counted, where each has just one of these."""
    one, other = _single(new), _single(old)
    return next(((one[key], other[key]) for key in one if key in other and one[key].key != other[key].key), None)


def _single(claim: Claim) -> dict[tuple[str, str, str], Value]:
    """The values of a claim by kind, unit and thing counted, without lists of several."""
    keys = [(*_unit(value), noun) for value, noun in zip(claim.values, claim.nouns, strict=True)]
    return {key: value for key, value in zip(keys, claim.values, strict=True) if keys.count(key) == 1}


def _unit(value: Value) -> tuple[str, str]:
    return value.kind, value.unit


def _list(words: frozenset[str]) -> str:
    return ", ".join(sorted(words)[:4])


_ENDERS = frozenset(
    stem(word)
    for word in "stop quit give left leave cancelled lost lose interest job sold sell end off break broke".split()
)
_FAR_RULES = (_never, _moved_on, _recounted)
_RULES = (_ended, _other_state, _denied, _replaced, _other_value, _other_name, _moved_on, _recounted)

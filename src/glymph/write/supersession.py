"""The effects of a new statement on the older ones near it.

An older one is the same, related, replaced, in conflict, or not touched. A statement replaces an
older one when it says another value of the same attribute of the same subject, and says it as true
and later. Where the words do not settle which of the two holds, it is a conflict for somebody to
decide.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from glymph.decay.sections import SECTIONS, Section
from glymph.text.bands import BANDS, Bands
from glymph.text.identifiers import identifiers
from glymph.text.similarity import find_names, relation
from glymph.text.words import stems
from glymph.write import lexicon as lex
from glymph.write.claims import Claim, Entry, entry, read_claims
from glymph.write.succession import (
    LEAST_SHARED,
    LONGEST,
    Finding,
    compare_claims,
    list_words,
    touches,
)

LEAST_TOLD = 0.6  # of the words of a liked or disliked item that a change of heart must name

FEW_CHARS = 300  # of a text that is about what it names

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
    """The effect of a new statement on an older one, and why.

    `whole` is false where the older one says more.
    """

    kind: Outcome
    target: Hashable
    reason: str
    whole: bool = True


def decide(
    new: Statement, near: Sequence[tuple[Statement, float | None]], *, bands: Bands = BANDS
) -> list[Verdict]:
    """Returns what the new statement does to each of its nearest live memories, in their order."""
    alike = [_alike(new, old, cosine, bands) for old, cosine in near]
    found = {
        place: list(_findings(new, old))
        for place, (old, _) in enumerate(near)
        if alike[place][0] != "duplicate" and _is_target(new) and _is_target(old)
    }
    kept = _settle(found)
    return [_verdict(old, alike[place], kept.get(place)) for place, (old, _) in enumerate(near)]


def _verdict(old: Statement, alike: tuple[Outcome, str], finding: Finding | None) -> Verdict:
    if finding is None:
        return Verdict(alike[0], old.id, alike[1])
    whole = _is_one(old.text)
    return Verdict(finding.kind, old.id, finding.reason, whole)


def _is_one(text: str) -> bool:
    """Returns whether a text says just one thing, so that nothing else is lost with it.

    Such a text is a clause, or an entry with its reason.
    """
    if "\n" in text.strip():
        return False
    said = read_claims(text)
    return entry(text) is not None or (
        len(said) <= 1 and all(len(one.around) <= LONGEST for one in said)
    )


def _alike(
    new: Statement, old: Statement, cosine: float | None, bands: Bands
) -> tuple[Outcome, str]:
    """Returns how two statements are alike; only lessons and facts can be duplicates.

    What happened twice happened twice, and is only connected.
    """
    kind, reason = relation(
        new.text, old.text, cosine, bands=bands, names=(new.entities, old.entities)
    )
    if kind == "duplicate" and not (_is_target(new) and _is_target(old)):
        return "connect", f"{reason}, but what happened twice is two memories"
    return kind, reason


def _is_target(statement: Statement) -> bool:
    return SECTIONS[Section(statement.section)].role == "target"


def _settle(found: dict[int, list[tuple[Finding, int]]]) -> dict[int, Finding]:
    """The strongest finding of each memory.

    What rests on shared words holds for one former value only, the one that shares most, wherever
    that is said.
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
    """Returns whether a finding is the best of its claim, or of the same former value."""
    same_value = finding.kind == "supersedes" and finding.former == best.former
    return same_value or finding.strength >= best.strength


def _findings(new: Statement, old: Statement) -> Iterator[tuple[Finding, int]]:
    """Yields what each claim of the new statement does to a claim of the old one.

    The claim's place comes with it.
    """
    if _of_other_things(new.text, old.text):
        return
    later = new.at >= old.at  # of two said at one moment, the new one was said after the other
    was = entry(old.text)
    if was is not None:
        finding = _compare_entry(new.text, was)
        if finding is not None and later:
            yield finding, -1
    told = stems(old.text)
    touching = [
        (place, claim) for place, claim in enumerate(read_claims(new.text)) if touches(claim, told)
    ]
    if not touching:
        return  # before the older one is read, which is dear
    was_said = read_claims(old.text)
    apart = _name_others(new, old)
    agreed = any(
        other.never for other in was_said
    )  # who said "never" before, too, contradicts nothing
    for place, claim in touching:
        for other in was_said if not (agreed and claim.never) else ():
            finding = compare_claims(claim, other, later=later, apart=apart)
            if finding is not None:
                yield finding, place


def _of_other_things(new: str, old: str) -> bool:
    """Returns whether two short texts are about different things.

    They begin with different identifiers or numbered things, or list different keys.
    """
    if max(len(new), len(old)) > FEW_CHARS:
        return False
    counted = _NUMBERED.match(new), _NUMBERED.match(old)
    if (
        counted[0] is not None
        and counted[1] is not None
        and counted[0][1].lower() == counted[1][1].lower()
    ):
        return counted[0][2] != counted[1][2]
    one, other = _read_heading(new), _read_heading(old)
    if one and other:
        return one.isdisjoint(other)
    keys = _KEY.search(new), _KEY.search(old)
    return (
        keys[0] is not None
        and keys[1] is not None
        and keys[0][1] == keys[1][1]
        and keys[0][2] != keys[1][2]
    )


def _read_heading(text: str) -> frozenset[tuple[str, str]]:
    """Returns every reading of the identifier a text begins with.

    Readings of keys and tokens are included, wherever they stand.
    """
    found = [
        each
        for each in identifiers(text)
        if each.type in _THINGS
        and (len(text[: each.start].split()) < 3 or _SECRET.search(each.text))
    ]
    return frozenset(reading for each in found for reading in each.readings)


def _name_others(new: Statement, old: Statement) -> bool:
    """Returns whether two short texts name somebody or something, and none of it in common."""
    if max(len(new.text), len(old.text)) > FEW_CHARS:
        return False  # of much that is said, names tell little about each claim
    one, other = find_names(new.text, new.entities), find_names(old.text, old.entities)
    return bool(one) and bool(other) and one.isdisjoint(other)


def _compare_entry(text: str, was: Entry) -> Finding | None:
    """The same entry with another item, or told to have ended."""
    now = entry(text)
    if now is None:
        return _entry_ended(text, was)
    if now.label != was.label:
        return None
    shared = now.item & was.item
    if not was.several and not now.several:
        return (
            Finding("supersedes", f"{list_words(was.item)} became {list_words(now.item)}", 2.0)
            if now.item != was.item
            else None
        )
    part = len(shared) / min(len(now.item), len(was.item))
    near = len(shared) / len(now.item | was.item)
    if part < LEAST_SHARED:
        return None
    return Finding(
        "supersedes", f"a newer wording of {list_words(shared)}", part + near, list_words(was.item)
    )


def _entry_ended(text: str, was: Entry) -> Finding | None:
    """Returns what is told to have ended, or, of what was liked or disliked, to be seen anew."""
    said = [
        claim
        for claim in read_claims(text)
        if claim.mood in ("said", "past") and not _of_others(claim)
    ]
    if any(claim.end and was.item <= claim.around for claim in said):
        return Finding("supersedes", f"it ended: {list_words(was.item)}", 2.0, list_words(was.item))
    if was.liked is None or not any(claim.turned or claim.end for claim in said):
        return None
    told = frozenset().union(*(claim.around | claim.topic for claim in read_claims(text)))
    part = len(was.item & told) / len(was.item)
    if part < LEAST_TOLD:
        return None
    strength = part + 0.2 * len(was.label & told) / len(was.label) + 0.01 * len(was.item & told)
    return Finding(
        "supersedes",
        f"a change of heart about {list_words(was.item)}",
        strength,
        list_words(was.item),
    )


def _of_others(claim: Claim) -> bool:
    """Returns whether somebody else is said to do it: "My friend", "Anna"."""
    return bool(_OTHERS.match(claim.text)) or (bool(claim.subject) and claim.subject <= claim.names)


_THINGS = frozenset(
    {"code", "mail", "url", "ip", "path", "uuid", "handle", "hash", "iban", "card", "mac"}
)
# "Server 3 stands", "Room 12 has": one of several. A new version takes the place of the one before.
_NUMBERED = re.compile(
    r"(?:(?:the|our|my|your|his|her|their)\s)?((?!version|release)[a-z]+)\s(?:no\.?\s|number\s"
    r"|#)?(\d+)\s(?:is|are|was|were|has|had|will|can|does|did|must|should|\w+(?:s|ed))\b",
    re.IGNORECASE,
)
_KEY = re.compile(
    r": (\w{2,6}[-_])(\w{6,}(?:[-_]\w+)*)\.?$"
)  # an entry whose item is a key of a kind: sk-…
_SECRET = re.compile(
    r"(?=\w*\d\w*[a-z])(?=\w*[a-z]\w*\d)\w{8,}", re.IGNORECASE
)  # letters and digits, mixed
_OTHERS = re.compile(
    r"(?:my|our|his|her|their|your|a|an|the|one of my)\s(?:\w+\s){0,2}?"
    rf"(?:{'|'.join(sorted(lex.KINSFOLK))})s?\b(?!['’])",
    re.IGNORECASE,
)

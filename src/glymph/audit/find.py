"""Finds what is wrong with memories: exact rules first, then the reader's word on pairs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from glymph.audit.personal_numbers import find_personal_numbers
from glymph.audit.result import CHECKS, Finding, Shown, Statement
from glymph.embed.contract import Vectors
from glymph.embed.embedding import Embedding
from glymph.errors import EmbedderFailed
from glymph.reader.contract import Reader
from glymph.reader.no_reader import NoReader
from glymph.store.lsh import near_pairs
from glymph.text.identifiers import identifiers
from glymph.text.normal import derive_title, normalise
from glymph.text.query import asked_words
from glymph.text.secrets import mask_secrets
from glymph.text.similarity import differ_in_values, relation
from glymph.write.grading import NOISE
from glymph.write.junk import find_junk
from glymph.write.verdicts import NONE, PART, REPLACES, SAME

NEAREST = 8  # older memories that each is compared with, by meaning or by words
LEAST_COSINE = 0.3  # of two texts that may have to do with each other
MOST_WORDS = 24  # of a text that are looked up
COMMON = 200  # memories that share a word which tells nothing any more
LONGEST = 2_000  # characters; a longer text is a document, and no statement
MOST_PAIRS = 20_000  # that are read in one audit, the nearest first
# Nothing is changed by an audit, so what is likelier than not is named, with how sure it is.
LIKELY = 0.5
DOUBTED = 0.1  # the share of any relation from which on two memories are read alone
# A reader knows what replaces what. Before a text, these words make it say what it denies: without
# them it takes only every second contradiction for one.
DENIAL = "That is wrong."
LATER = timedelta(hours=1)  # so far apart, dates say which of two is the newer
# Types of identifiers by which a person can be reached or charged.
PERSONAL = ("mail", "phone", "iban", "card")

Progress = Callable[[int, int], None]
Pair = tuple[int, int]  # places: the newer, and the older


@dataclass(frozen=True, slots=True)
class Judges:
    """Who judges: the reader, and what makes vectors."""

    reader: Reader
    embedding: Embedding

    @property
    def can_read(self) -> bool:
        return self.reader.name != NoReader.name


def find_problems(
    found: Sequence[Statement], judges: Judges, progress: Progress | None = None
) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """Returns what is wrong, in the order of the checks, and what could not be judged."""
    ordered = sorted(found, key=lambda one: one.at or datetime.max.replace(tzinfo=UTC))
    findings = [*_find_single(ordered, judges)]
    junk = {one.memories[0].id for one in findings if one.check == "junk"}
    repeated = list(_find_repeated(ordered))
    gone = junk | {one.memories[0].id for one in repeated}
    left = [one for one in ordered if one.id not in gone and len(one.text) <= LONGEST]
    vectors, lacking = _embed(left, judges.embedding)
    unjudged = [lacking] if lacking else []
    pairs, cosines = _choose_pairs(left, vectors)
    if len(pairs) > MOST_PAIRS:
        unjudged.append(f"{len(pairs) - MOST_PAIRS:,} pairs that are less near were not read.")
        pairs = pairs[:MOST_PAIRS]
    if judges.can_read:
        findings += _read_pairs(left, pairs, judges.reader, progress)
    if not judges.can_read:  # also where its weights turned out to be unusable
        unjudged.append(
            "Stale, contradictory and reworded memories, and junk that only reading tells: "
            "no reader is installed (`pip install glymph[reader]`)."
        )
        findings += _compare_vectors(left, pairs, cosines, judges.embedding)
    findings += repeated
    return tuple(sorted(findings, key=lambda one: CHECKS.index(one.check))), tuple(unjudged)


# one by one


def _find_single(found: Sequence[Statement], judges: Judges) -> Iterator[Finding]:
    """Yields what is wrong with memories by themselves."""
    graded = judges.reader.grade([one.text[:LONGEST] for one in found])
    for one, grade in zip(found, graded, strict=True):
        reason = find_junk(one.text)
        noise = grade.shares[NOISE] if grade.shares else 0.0
        if reason is not None:
            yield Finding("junk", (show(one),), reason)
        hidden = mask_secrets(one.text)[1]
        if reason is None and noise >= LIKELY and not hidden:  # keys read like noise
            yield Finding("junk", (show(one),), "nothing of it will matter later", noise)
        if hidden:
            many = "a secret" if hidden == 1 else f"{hidden} secrets"
            yield Finding("secret", (show(one),), f"it holds {many}")
        if types := sorted({what for what, _, _ in _find_personal(one.text)}):
            yield Finding("identifier", (show(one),), f"it holds a person's {', '.join(types)}")


def _find_repeated(found: Sequence[Statement]) -> Iterator[Finding]:
    """Yields each memory that says what an older one says in the same words."""
    first: dict[str, Statement] = {}
    for one in found:
        said = normalise(one.text)
        if said in first:
            yield Finding("duplicate", (show(one), show(first[said])), "the same words")
        else:
            first[said] = one


def show(one: Statement) -> Shown:
    """Returns a memory as it may be shown: without secrets, and without what identifies people."""
    text, left = one.text, len(one.text)
    for what, start, end in sorted(_find_personal(text), key=lambda each: -each[1]):
        if end <= left:
            text, left = f"{text[:start]}[{what}]{text[end:]}", start
    return Shown(one.id, derive_title(mask_secrets(text)[0]), one.at)


def _find_personal(text: str) -> list[tuple[str, int, int]]:
    """Returns what identifies a person, by its type and place."""
    typed = [(one.type, one.start, one.end) for one in identifiers(text) if one.type in PERSONAL]
    return typed + [("number", *one) for one in find_personal_numbers(text)]


# pairs


def _embed(found: Sequence[Statement], embedding: Embedding) -> tuple[Vectors | None, str]:
    """Returns the vectors of the texts, or None and what is lost without them."""
    if embedding.embedder is None:
        why = embedding.absence or "there is no embedder."
        return None, f"Texts without a common word were not compared: {why}"
    try:
        rows = [embedding.embedder.embed([one.text for one in some]) for some in _batches(found)]
    except EmbedderFailed as error:
        return None, f"Texts without a common word were not compared: {error}"
    return (np.concatenate(rows) if rows else None), ""


def _batches(found: Sequence[Statement], size: int = 256) -> Iterator[Sequence[Statement]]:
    return (found[at : at + size] for at in range(0, len(found), size))


def _choose_pairs(
    found: Sequence[Statement], vectors: Vectors | None
) -> tuple[list[Pair], dict[Pair, float]]:
    """Returns the pairs that may have to do with each other, the nearest first; their cosines."""
    cosines: dict[Pair, float] = {}
    if vectors is not None:
        first, second, near = near_pairs(vectors, least=LEAST_COSINE)
        for a, b, cosine in zip(first.tolist(), second.tolist(), near.tolist(), strict=True):
            cosines[(max(a, b), min(a, b))] = cosine
    weights: dict[Pair, float] = dict(cosines)
    for pair, weight in _share_words(found):
        weights.setdefault(pair, weight)
    by_newer: dict[int, list[Pair]] = defaultdict(list)
    for pair in sorted(weights, key=lambda pair: -weights[pair]):
        if len(by_newer[pair[0]]) < NEAREST:
            by_newer[pair[0]].append(pair)
    kept = [pair for pairs in by_newer.values() for pair in pairs]
    return sorted(kept, key=lambda pair: -weights[pair]), cosines


def _share_words(found: Sequence[Statement]) -> Iterator[tuple[Pair, float]]:
    """Yields pairs that share words few others have, each with how much of the newer that is."""
    words = [list(asked_words(one.text, MOST_WORDS)) for one in found]
    holders: dict[str, list[int]] = defaultdict(list)
    for at, said in enumerate(words):
        shared: Counter[int] = Counter()
        for word in set(said):
            if 0 < len(holders[word]) <= COMMON:
                for older in holders[word]:
                    shared[older] += 1
            holders[word].append(at)
        for older, count in shared.most_common(NEAREST):
            yield (at, older), count / max(len(set(said)), 1)


def _read_pairs(
    found: Sequence[Statement], pairs: Sequence[Pair], reader: Reader, progress: Progress | None
) -> Iterator[Finding]:
    """Yields what the reader says of pairs that it does not at once hold to be unrelated."""
    by_newer: dict[int, list[int]] = defaultdict(list)
    for newer, older in pairs:
        by_newer[newer].append(older)
    for done, (at, others) in enumerate(sorted(by_newer.items())):
        new, olds = found[at], [found[other] for other in others]
        for old in _find_related(new, olds, reader):
            yield from _decide(new, old, reader)
        if progress is not None:
            progress(done + 1, len(by_newer))


def _find_related(new: Statement, olds: Sequence[Statement], reader: Reader) -> list[Statement]:
    """Returns those of the older that may have to do with the newer, or cannot hold beside it."""
    related: dict[str, Statement] = {}
    beside = [old for old in olds if not _is_later(new, old)]
    for text, some in ((new.text, olds), (_deny(new), beside)):
        judged = reader.relate(text, [old.text for old in some]) if some else []
        for old, one in zip(some, judged, strict=True):
            if one.shares and 1 - one.shares[NONE] >= DOUBTED:
                related[old.id] = old
    return list(related.values())


def _decide(new: Statement, old: Statement, reader: Reader) -> Iterator[Finding]:
    """Yields what two memories are to each other, read alone and in both directions."""
    (there,) = reader.relate(new.text, [old.text])
    (back,) = reader.relate(old.text, [new.text])
    if not (there.shares and back.shares):
        return
    same = max(there.shares[SAME], back.shares[SAME])
    update = there.shares[REPLACES] + there.shares[PART]
    later = _is_later(new, old)
    against = _weigh_denial(new, old, reader) if same >= LIKELY or not later else 0.0
    either = max(there.shares[REPLACES], back.shares[REPLACES], against)
    if same >= LIKELY > against and not differ_in_values(new.text, old.text):
        yield Finding("near", (show(new), show(old)), "the same in other words", same)
    elif later and update >= LIKELY:
        yield Finding("stale", (show(old), show(new)), "a newer one takes its place", update)
    elif not later and either >= LIKELY:
        why = "both cannot hold, and no date says which is newer"
        yield Finding("contradiction", (show(new), show(old)), why, either)


def _is_later(new: Statement, old: Statement) -> bool:
    """Tells whether dates say which of two is the newer."""
    return new.at is not None and old.at is not None and new.at - old.at >= LATER


def _weigh_denial(one: Statement, other: Statement, reader: Reader) -> float:
    """Returns how likely it is that each of two texts, said as a denial, replaces the other."""
    (there,) = reader.relate(_deny(one), [other.text])
    (back,) = reader.relate(_deny(other), [one.text])
    return (there.shares[REPLACES] + back.shares[REPLACES]) / 2


def _deny(one: Statement) -> str:
    return f"{DENIAL} {one.text}"


def _compare_vectors(
    found: Sequence[Statement], pairs: Sequence[Pair], cosines: dict[Pair, float],
    embedding: Embedding,
) -> Iterator[Finding]:  # fmt: skip
    """Yields, without a reader, the pairs whose vectors and values say that they are the same."""
    for newer, older in pairs:
        new, old, cosine = found[newer], found[older], cosines.get((newer, older))
        if cosine is None:
            continue
        verdict, reason = relation(new.text, old.text, min(cosine, 1.0), bands=embedding.bands)
        if verdict == "duplicate":
            yield Finding("near", (show(new), show(old)), reason, cosine)

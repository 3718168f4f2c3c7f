"""Decides what becomes of an older statement: the reader's judgement, and vetoes it cannot lift."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from glymph.decay.outdating import find_moment
from glymph.reader.contract import Judgement, Reader, Thresholds
from glymph.store import records
from glymph.store.contract import Row
from glymph.text.normal import normalise
from glymph.text.sentences import NOTES, split_sentences
from glymph.text.similarity import differ_in_values
from glymph.text.words import UNSPACED, WORD

Kind = Literal["same", "replaces", "updates", "asks", "disputes"]
NONE, SAME, REPLACES, PART = range(4)
VITAL = 3  # noise, passing, lasting, vital
LEAST_VITAL = 0.3  # the share from which on a statement is too important to be hidden unasked
SAYS_SAME, OUTDATED = "it says the same", "it is out of date"
PARTLY = "it, or a part of it, may be out of date"
MOST_SWAPPED = 3  # words in a row that part two texts which are the same otherwise
_FIGURES = re.compile(r"\d+(?:[.,:/-]\d+)*")
_LETTER = re.compile(r"[^\W\d_]")

MOST_BY_WORD = 3  # older statements that one is taken to hide by a model's word alone


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a new statement does to an older one, and why.

    `same` and `replaces` hide the older; `updates` only puts the newer above it; `asks` does that
    too, and puts a question; `disputes` only puts the question. `about` is the question's kind.
    """

    kind: Kind
    old: Row
    sure: float
    reason: str
    about: str = "replaces"


def decide(
    new: Row, judged: Sequence[tuple[Row, Judgement]], least: Thresholds
) -> Iterator[Verdict]:
    """Yields what is to be done to older statements; to most of them nothing."""
    for old, one in judged:
        verdict = _decide(new, old, one.shares, least)
        if verdict is not None:
            yield _spare_other(new, verdict)


def spare_vital(
    verdicts: Sequence[Verdict], reader: Reader, *, kinds: Sequence[Kind] = ("replaces",)
) -> Iterator[Verdict]:
    """Yields the verdicts, but asks about what would be hidden so and is vital to somebody."""
    hidden = [verdict for verdict in verdicts if verdict.kind in kinds]
    graded = reader.grade([verdict.old["text"] for verdict in hidden])
    vital = {
        verdict.old["key"]
        for verdict, one in zip(hidden, graded, strict=True)
        if one.shares and one.shares[VITAL] >= LEAST_VITAL
    }
    for verdict in verdicts:
        if verdict.kind in kinds and verdict.old["key"] in vital:
            why = f"{verdict.reason}, and vital"
            verdict = replace(verdict, kind="asks", reason=why, about="vital")
        yield verdict


def spare_many(verdicts: Sequence[Verdict]) -> Iterator[Verdict]:
    """Yields a model's verdicts, but asks about all it would hide if one statement hid so many.

    Who obeys what a statement says finds that it replaces whatever is shown beside it.
    """
    hiding = [verdict for verdict in verdicts if verdict.kind in ("replaces", "same")]
    for verdict in verdicts:
        if len(hiding) > MOST_BY_WORD and verdict in hiding:
            why = f"{verdict.reason}, as {len(hiding) - 1} others"
            verdict = replace(verdict, kind="asks", reason=why, about="many")
        yield verdict


def decide_by_word(new: Row, old: Row, word: str) -> Verdict | None:
    """Returns what follows from a language model's word; the vetoes hold for it as well."""
    if word == "same" and not differ_in_values(new["text"], old["text"]):
        return Verdict("same", old, 1.0, SAYS_SAME)
    if _tells_of_before(new, old):
        return None
    if word == "replaces":
        return Verdict("replaces", old, 1.0, OUTDATED)
    return Verdict("updates", old, 1.0, PARTLY)


def decide_by_vectors(new: Row, old: Row, cosine: float) -> Verdict | None:
    """Returns what follows, without a reader, for two texts whose vectors are close."""
    if _tells_of_before(new, old):
        return None
    return Verdict("updates", old, cosine, "it is about the same, and older")


def _decide(new: Row, old: Row, shares: Sequence[float], least: Thresholds) -> Verdict | None:
    update = shares[REPLACES] + shares[PART]
    fixed = is_fixed(old)
    if _tells_of_before(new, old):
        late = "one of the two is out of date; what was told later happened earlier"
        if update < least.ask:
            return None
        return Verdict("disputes", old, update, late, about="contradicts")
    if shares[SAME] >= least.doubt_same and not differ_in_values(new["text"], old["text"]):
        if shares[SAME] >= least.same and not fixed:
            return Verdict("same", old, shares[SAME], SAYS_SAME)
        kind: Kind = "asks" if shares[SAME] >= least.ask_same else "updates"
        return Verdict(kind, old, shares[SAME], "it may say the same", about="same")
    if shares[REPLACES] >= least.hide:
        if fixed:
            return Verdict("asks", old, update, f"{OUTDATED}, and pinned", about="pinned")
        if _may_be_one_more(new["text"], old["text"]):
            return Verdict("updates", old, update, f"{OUTDATED}, or another one of a series")
        return Verdict("replaces", old, shares[REPLACES], OUTDATED)
    if shares[REPLACES] >= least.ask:
        return Verdict("asks", old, update, "it may be out of date")
    if update >= least.doubt:
        return Verdict("updates", old, update, PARTLY)
    return None


def _spare_other(new: Row, verdict: Verdict) -> Verdict:
    """Hides nothing that is said to be about others: the newer only stands above it."""
    named, others = (set(records.words(row["entities"])) for row in (new, verdict.old))
    if verdict.kind not in ("same", "replaces") or not (named and others) or named & others:
        return verdict
    return replace(verdict, kind="updates", reason=f"{verdict.reason}, of others")


def is_fixed(row: Row) -> bool:
    """Tells whether a memory is hidden only on somebody's word."""
    return bool(row["pinned"] or row["protected"])


def _may_be_one_more(new: str, old: str) -> bool:
    """Tells whether nothing but a value parts two texts: a new one, or one more beside the old.

    "Lea speaks Czech" after "Lea speaks Polish" has no word that says which of the two it is.
    """
    if _is_counted_alike(normalise(new), normalise(old)):
        return True
    ours, theirs = (_split(text) for text in (new, old))
    if len(ours) != len(theirs):
        return False
    parting = [at for at, (one, other) in enumerate(zip(ours, theirs, strict=True)) if one != other]
    swapped = parting[-1] - parting[0] + 1 if parting else 0
    return swapped <= min(MOST_SWAPPED, len(ours) // 2)


def _is_counted_alike(new: str, old: str) -> bool:
    """Tells whether two texts, or a sentence of each, are the same but for their figures."""
    ours, theirs = ({_FIGURES.sub("#", one): one for one in _list_counts(t)} for t in (new, old))
    return any(ours[frame] != theirs[frame] for frame in ours.keys() & theirs.keys())


def _list_counts(text: str) -> list[str]:
    """Returns a text and its sentences, those with a figure and a word beside it."""
    said = (text, *split_sentences(text, NOTES))
    return [one for one in said if _FIGURES.search(one) and _LETTER.search(one)]


def _split(text: str) -> list[str]:
    """Returns the words of a text; where words are not parted by spaces, the characters."""
    return WORD.findall(UNSPACED.sub(lambda run: " ".join(run[0]), normalise(text)))


def _tells_of_before(new: Row, old: Row) -> bool:
    """Tells whether what was said later happened earlier: that cannot put the other out of date."""
    return find_moment(new) < find_moment(old)

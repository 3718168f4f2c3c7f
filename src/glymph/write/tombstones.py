"""Tombstones, which keep what was removed for good on request from being learnt again.

Nothing tells what it was. A tombstone is a fingerprint made with the key of its space, HMAC-SHA256;
the key lies beside the store, not in it. Three kinds of forms are kept:

    the statement    each form under which the whole text, or a sentence of a longer one, is known
                     again after trivial rewording
    its words        the stems of its telling words in a circle, with figures, negations and the
                     like: "The salary of Ana is 5000" is "Ana's salary: 5000", and
                     "5000 is Ana's salary"
    an identifier    each typed key of an identifier that the request named, or that only the
                     statements about a person had whom it named, so that no sentence with it comes
                     in again, however it is spelt

The words hold against another order, other endings and other small words. They do not hold against
synonyms ("Sara expects a baby" for "Sara is pregnant"), a passive, a summary or a translation: of
the 40 other wordings in tests/forget/test_tombstones.py they refuse 21, of the 41 new facts about
the same subjects none. To know more one would have to keep the text, or a vector, from which much
of it can be guessed. A vector is no way out either: with a cosine of 0.98 the local model knows 12
of those wordings and takes three new facts for known, "Clara owes Tom" for "Tom owes Clara" among
them. Nor can a reader help, for it has to be shown both texts.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection, Iterable, Sequence

from glymph.context import Context, OpenOperation
from glymph.errors import KeyMissing
from glymph.store.contract import Row
from glymph.store.reader import Reader
from glymph.text.identifiers import identifiers
from glymph.write.tombstone_forms import (
    find_burials,
    list_all_forms,
    list_buried_forms,
    list_held_forms,
    list_said_forms,
    list_whole_forms,
    sketch,
)

TOMBSTONED = "tombstoned: it was removed on request. add(…, revive=True) takes it in again"
_TIED = "tied "  # begins a row that names the tombstones of one statement or identifier


def match_tombstones(ctx: Context, reader: Reader, texts: Sequence[str]) -> list[bool]:
    """Tells for each text whether it says what was removed for good, or holds such an identifier.

    The statement may be worded nearly so, the identifier spelt in any way.
    """
    if not texts or not reader.has_tombstones():
        return [False] * len(texts)
    key = _key(ctx, reader)
    marks = [list_marks(key, text) for text in texts]
    wanted = dict.fromkeys(mark for of_one in marks for mark in of_one)
    standing = {row["fingerprint"] for row in reader.tombstones_with(wanted)}
    return [not standing.isdisjoint(of_one) for of_one in marks]


def bury(
    op: OpenOperation,
    ctx: Context,
    texts: Iterable[str],
    identifiers: Iterable[str] = (),
    *,
    by_words: bool = False,
) -> None:
    """Keeps these texts from being learnt again, as a part of the operation that removes them.

    Also keeps out whatever holds one of the identifiers: those that the request named, or those of
    the person that it named. What else stood in the texts may be said of others. Dates, times,
    quantities and versions are never kept out. `by_words` keeps the same telling words out as
    well, put in another way.
    """
    key = (
        _key(ctx, op.writer)
        if op.writer.has_tombstones()
        else ctx.store.keyring.get_or_create(_identity(op.writer))
    )
    said = list(texts)
    marks: dict[str, None] = {}
    for text in said:
        marks |= dict.fromkeys(_mark_all(key, list_whole_forms(text)))
        if by_words and (words := sketch(text)):
            marks |= _tie(_mark_all(key, [*list_whole_forms(text), words]))
    for one in find_burials(identifiers):
        marks |= _tie(_mark_all(key, list_buried_forms(one, said)))
    op.writer.bury(marks, at=op.now)


def _tie(marks: Sequence[str]) -> dict[str, None]:
    """Returns the fingerprints of one thing, with a row by which they are lifted together."""
    return dict.fromkeys([*marks, _TIED + " ".join(marks)] if len(marks) > 1 else marks)


def unbury(op: OpenOperation, ctx: Context, texts: Iterable[str]) -> list[int]:
    """Lifts the tombstones of these texts, as a part of an operation; returns their numbers."""
    numbers = [row["key"] for row in find_tombstones(ctx, op.writer, texts)]
    op.writer.remove("tombstones", numbers)
    return numbers


def find_tombstones(ctx: Context, reader: Reader, texts: Iterable[str]) -> list[Row]:
    """Returns the tombstones that keep these texts out, with all of the same thing."""
    if not reader.has_tombstones():
        return []
    key = _key(ctx, reader)
    wanted = dict.fromkeys(mark for text in texts for mark in list_marks(key, text))
    found = reader.tombstones_with(wanted)
    met = {row["fingerprint"] for row in found}
    tied = [row for row in reader.tombstones() if row["fingerprint"].startswith(_TIED)]
    tied = [row for row in tied if not met.isdisjoint(row["fingerprint"].split())]
    others = {mark for row in tied for mark in row["fingerprint"].split()[1:]} - met
    return [*found, *reader.tombstones_with(others), *tied]


def list_marks(key: bytes, text: str) -> frozenset[str]:
    """Returns every fingerprint under which a tombstone may know a text or a sentence of it."""
    return frozenset(_mark_all(key, list_all_forms(text)))


def fingerprints(key: bytes, text: str) -> tuple[str, ...]:
    """Returns the fingerprints of one statement: without the key they cannot be read or guessed.

    Those of the identifiers that it holds are among them if it is a single sentence.
    """
    return _mark_all(key, list_said_forms(text))


def find_buried(key: bytes, standing: Collection[str], texts: Iterable[str]) -> list[str]:
    """Returns the identifiers in the texts, as they are written there, that a tombstone names."""
    found = dict.fromkeys(one.text for text in texts for one in identifiers(text))
    marks = {one: _mark_all(key, list_held_forms(one)) for one in found}
    return [one for one, of_one in marks.items() if not frozenset(of_one).isdisjoint(standing)]


def _mark_all(key: bytes, forms: Iterable[str]) -> tuple[str, ...]:
    return tuple(hmac.digest(key, form.encode(), "sha256").hex() for form in dict.fromkeys(forms))


def _key(ctx: Context, reader: Reader) -> bytes:
    """Returns the key of a space that has tombstones, or raises KeyMissing."""
    keyring, identity = ctx.store.keyring, _identity(reader)
    key = keyring.get(identity)
    if key is None:
        raise KeyMissing(ctx.space, str(keyring.folder / identity))
    return key


def _identity(reader: Reader) -> str:
    return str(reader.identity()["id"])

"""Text made comparable: normal forms, content hashes, titles, search words."""

from __future__ import annotations

import hashlib
import unicodedata

from glymph.text.patterns import compile_late
from glymph.text.sentences import NOTE_MARK, NOTES, find_breaks

TITLE_LENGTH = 80

# Words that say nothing in a query; they stay in the index, where phrases may need them.
STOP_WORDS = frozenset(
    "a about am an and any are as at be been but by can could did do does for from had has have he "
    "her his how i if in into is it its just me my no not of on or our out she should so than that "
    "the their them s then there these they this to too up us was we were what when where which "
    "who whom why will with would you your".split()
)

_UNSTORABLE = compile_late("[\\x00\ud800-\udfff]")
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u00ad\ufeff\u2060"))  # breaks and joins nobody sees


def normalise(text: str) -> str:
    """Returns the text without the differences nobody means.

    These are Unicode form, case, spacing and invisible characters.
    """
    if text.isascii():
        return " ".join(text.casefold().split())
    composed = unicodedata.normalize("NFKC", text.translate(_INVISIBLE))
    # Folding takes some composed characters apart, so they are composed once more.
    return " ".join(unicodedata.normalize("NFKC", composed.casefold()).split())


def storable(text: str) -> str:
    """The text without what no store keeps: NUL and half surrogate pairs."""
    return _UNSTORABLE.sub("\ufffd", text)


def content_hash(text: str, kind: str, event_at: int | None) -> str:
    """SHA-256 over what makes two memories the same: normalised text, kind and event time."""
    return hashlib.sha256(f"{kind}\0{event_at}\0{normalise(text)}".encode()).hexdigest()


def derive_title(text: str) -> str:
    """The first sentence or line, cut at a word near 80 characters."""
    head = text.lstrip()[: TITLE_LENGTH * 2]
    # The rule looks back at every character; most texts have one mark, or none.
    mark = NOTE_MARK.search(head)
    end = len(head)
    if mark is not None:
        end, _ = next(find_breaks(head, NOTES, mark.start()), (end, 0))
    first = head[:end].rstrip()
    if len(first) <= TITLE_LENGTH:
        return first
    cut = first[: TITLE_LENGTH - 1]
    words, _, _ = cut.rpartition(" ")
    return (words if len(words) > TITLE_LENGTH // 2 else cut) + "…"


def is_derived_title(title: str, text: str) -> bool:
    """Whether a title is the beginning of the text, as nobody gave another."""
    return text.lstrip().startswith(title.removesuffix("…").rstrip())

"""Cuts what repeats something removed out of texts, and out of the lines of transcripts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from glymph.history.conversation import State
from glymph.text.identifiers import fingerprint_forms, identifiers
from glymph.text.normal import STOP_WORDS
from glymph.text.quotes import GONE, Quotes, words_in, words_of
from glymph.text.sentences import PIECES, split_with_breaks
from glymph.text.spans import Key
from glymph.write.tombstones import fingerprints

MARKS = (GONE, "…", "")  # what stands in place of words, the first that fits
NAMES = frozenset(
    ("role", "type", "id", "tool_call_id", "tool_use_id", "call_id", "at", "timestamp")
)
TELLING = frozenset(
    ("mail", "phone", "iban", "card", "ip", "mac", "uuid", "hash", "handle", "url", "code")
)
SHORT = 2  # words; a text of no more is a value, not a statement
ENOUGH = 2  # words of a statement that a sentence has to share with it, and half of all it says
MOST_DIGITS_LESS = 4  # of a key that may not be written: the country, a leading zero

_LETTERS = re.compile("[a-z]+")
_SIGNS = frozenset("@./#:-_")


class Cutter(Protocol):
    """Cuts something out of texts."""

    def __call__(self, text: str, mark: str = GONE) -> str:
        """Returns the text with `mark` in its place; the same text if it says nothing of it."""
        ...


class QuoteCutter:
    """Cuts what repeats something removed: the words themselves, or else the whole sentence."""

    def __init__(self, quotes: Quotes) -> None:
        self._quotes = quotes
        self._statements_by_word = _index_by_telling_word(quotes)
        self._statements = Quotes(tuple(text for text in quotes.texts if len(text.split()) > SHORT))
        self._keys = frozenset(key for text in quotes.texts for key in self._own(text))
        self._digits = [_count_digits(key) for _, key in self._keys]
        whole = [text for text in quotes.texts if not _is_identifier(text)]
        self._forms = frozenset(form for text in whole for form in fingerprint_forms(text))
        self._landmarks = {
            max(_LETTERS.findall(text.casefold()), key=len, default="") for text in whole
        }

    def __call__(self, text: str, mark: str = GONE) -> str:
        # Statements go first, for they may have several sentences. Single values go last: where
        # one stands, the whole sentence usually has to go.
        parts = split_with_breaks(self._statements.cut_from(text), PIECES)
        kept = (
            GONE if at % 2 == 0 and self._tells(part) else part for at, part in enumerate(parts)
        )
        left = self._quotes.cut_from("".join(kept))
        return left if left == text or mark == GONE else left.replace(GONE, mark)

    def _own(self, text: str) -> Iterator[Key]:
        """Yields the identifiers that make up a text, or whose words nothing else here has."""
        for one in identifiers(text):
            if one.text.strip() == text.strip() or (
                one.type in TELLING and words_of(one.text) & self._quotes.words
            ):
                yield one.type, one.key

    def _tells(self, sentence: str) -> bool:
        if not sentence.strip() or sentence == GONE:
            return False
        if self._retells(words_of(sentence)):
            return True
        if self._may_name(sentence) and any(
            (one.type, one.key) in self._keys for one in identifiers(sentence)
        ):
            return True
        # Looking closely takes a hundred times as long as seeing that it cannot be the same.
        low = sentence.casefold()
        if low.isascii() and not any(mark in low for mark in self._landmarks):
            return False
        return not self._forms.isdisjoint(fingerprint_forms(sentence))

    def _retells(self, said: set[str]) -> bool:
        """Tells whether it has a rare word, and half of the words, of a removed statement."""
        known = self._statements_by_word
        statements = {words for word in said & known.keys() for words in known[word]}
        return any(len(words & said) >= max(ENOUGH, len(words) / 2) for words in statements)

    def _may_name(self, sentence: str) -> bool:
        """Tells whether an identifier can be in it: most of its digits, or a sign of an address."""
        digits = _count_digits(sentence)
        has_sign = not sentence.isascii() or not _SIGNS.isdisjoint(sentence)
        return any(
            digits >= max(MOST_DIGITS_LESS, wanted - MOST_DIGITS_LESS) if wanted else has_sign
            for wanted in self._digits
        )


def _count_digits(text: str) -> int:
    return sum(map(str.isdigit, text))


def _index_by_telling_word(quotes: Quotes) -> dict[str, list[frozenset[str]]]:
    """Maps each word that nothing else in the space has to the statements it stands in."""
    statements = [frozenset(words_of(text) - STOP_WORDS) for text in quotes.texts]
    beside = quotes.words.difference(*statements)  # of its tags, entities and attributes
    found: dict[str, list[frozenset[str]]] = {}
    for words in [*statements, beside]:
        for word in words & quotes.words:
            found.setdefault(word, []).append(words)
    return found


def _is_identifier(text: str) -> bool:
    return any(one.text.strip() == text.strip() for one in identifiers(text))


class TombstoneCutter:
    """Cuts the sentences that a tombstone keeps from being learnt again."""

    def __init__(self, key: bytes, standing: frozenset[str]) -> None:
        self._key, self._standing = key, standing

    def __call__(self, text: str, mark: str = GONE) -> str:
        if self._tells(text):
            return mark
        parts = split_with_breaks(text, PIECES)
        return "".join(
            mark if at % 2 == 0 and self._tells(part) else part for at, part in enumerate(parts)
        )

    def _tells(self, part: str) -> bool:
        return bool(part.strip()) and not self._standing.isdisjoint(fingerprints(self._key, part))


def clean_state(found: State, cut: Cutter) -> State:
    """Returns the state without it."""
    old = found.standing
    standing = replace(
        old, summary=cut(old.summary), newest=tuple(map(cut, old.newest)), task=cut(old.task)
    )
    waiting = (replace(one, text=cut(one.text)) for one in found.waiting)
    return replace(
        found,
        standing=standing,
        waiting=tuple(one for one in waiting if one.text.replace(GONE, "").strip()),
    )


# lines


def line_repeats(line: bytes, cut: QuoteCutter, quotes: Quotes) -> bool:
    """Tells whether a line still says it."""
    return rewrite_line(line, cut) != line or quotes.whole(words_in(line.decode(errors="replace")))


def rewrite_line(line: bytes, cut: Cutter) -> bytes:
    """Returns the line of a message without it, as long as it was; the same if it says nothing.

    A line that is no JSON object becomes blank.
    """
    end = line[len(line.rstrip(b"\r\n")) :]
    room = len(line) - len(end)
    record = _parse_object(line)
    if record is None:
        text = line.decode(errors="replace")
        return line if cut(text) == text else b" " * room + end
    for mark in MARKS:
        anew = _cut_values(record, partial(cut, mark=mark))
        if anew == record:
            return line
        for body in _encode_variants(anew):
            if len(body) <= room:
                return _pad(body, room) + end
    return _pad(_empty_message(record), room) + end


def _parse_object(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _cut_values(value: Any, cut: Callable[[str], str], name: str = "") -> Any:
    """Cuts every text in a JSON value, also inside texts that are JSON, as a tool's arguments."""
    if isinstance(value, dict):
        return {
            key if key in NAMES else cut(key): _cut_values(inner, cut, key)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [_cut_values(one, cut, name) for one in value]
    if isinstance(value, int | float) and not isinstance(value, bool) and name not in NAMES:
        anew = cut(str(value))
        return value if anew == str(value) else anew
    if not isinstance(value, str) or name in NAMES:
        return value
    if value[:1] in ("{", "["):
        try:
            inside = json.loads(value)
        except (ValueError, RecursionError):
            return cut(value)
        anew = _cut_values(inside, cut)
        return value if anew == inside else json.dumps(anew, ensure_ascii=False)
    return cut(value)


def _encode_variants(record: Any) -> Iterator[bytes]:
    for separators in ((", ", ": "), (",", ":")):
        text = json.dumps(record, ensure_ascii=False, separators=separators)
        try:
            yield text.encode()
        except UnicodeEncodeError:
            yield json.dumps(record, separators=separators).encode()


def _pad(body: bytes, room: int) -> bytes:
    """Fills a line with spaces before its last braces, where JSON skips them."""
    braces = 2 if body.endswith(b"}}") else 1
    return body[:-braces] + b" " * (room - len(body)) + body[-braces:]


def _empty_message(record: dict[str, Any]) -> bytes:
    """Returns a message that says nothing, in the shape it had."""
    inside = record.get("message")
    role = (inside if isinstance(inside, dict) else record).get("role", "user")
    empty = {"role": role, "content": ""}
    return json.dumps(
        {"message": empty} if isinstance(inside, dict) else empty, separators=(",", ":")
    ).encode()

"""Recognises texts that repeat something removed, whatever the case and the spaces."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from itertools import count

from glymph.text.patterns import compile_late
from glymph.text.words import RUN, UNSPACED

GONE = "(removed by a purge)"  # stands in place of what repeated it
SHORT = 12  # characters; a shorter text counts only where it is not a part of another word

FEW = 64  # words that are looked for one by one
SYLLABLES = 4  # characters of a script without spaces that stand by themselves within others

_END = ".!?…。！？ "  # marks that end a sentence and say nothing

_ID = compile_late(r"\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b")


@dataclass(frozen=True, slots=True)
class Quotes:
    """Removed texts, and the words of them that nothing else in the space has. Never stored.

    A text repeats them if it holds one of the texts whole, or one of these words, or if `also` says
    that it tells them in another way, such as an identifier that is spelt otherwise. `perhaps` says
    at little cost that a text may do so; it is true wherever `also` is.
    """

    texts: tuple[str, ...]
    words: frozenset[str] = frozenset()
    also: Callable[[str], bool] | None = field(default=None, repr=False, compare=False)
    perhaps: Callable[[str], bool] | None = field(default=None, repr=False, compare=False)
    _repeats: Callable[[str], bool] = field(init=False, repr=False, compare=False)
    _probes: frozenset[str] = field(init=False, repr=False, compare=False)
    _patterns: list[re.Pattern[str]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "_repeats", repeating(self.texts))
        chosen = (_choose_probe(text, self.words) for text in map(_fold_needle, self.texts) if text)
        object.__setattr__(self, "_probes", frozenset(chosen) | self.words)

    def __bool__(self) -> bool:
        return bool(self.texts or self.words or self.also)

    def __call__(self, text: str) -> bool:
        """Tells whether a text repeats them."""
        return self.whole(text) or (bool(self.words) and not self.words.isdisjoint(words_of(text)))

    def strongly(self, body: str) -> bool:
        """Tells whether a text or a JSON document holds one of them whole, or two of the words.

        A single word may be there by chance.
        """
        # Without an escape each text stands in the document as it is: most need not be read.
        if "\\" not in body and not self._may_be_in(body):
            return False
        text = words_in(body)
        if not self._may_be_in(text):
            return False
        return self.whole(text) or len(self.words & words_of(text)) > 1

    def in_json(self, body: str) -> bool:
        """Tells whether the texts in a JSON document repeat them; a part of an id is no word."""
        return bool(self) and body != "{}" and self(self._without_ids(words_in(body)))

    def _without_ids(self, text: str) -> str:
        return _ID.sub(lambda found: found[0] if self._repeats(found[0]) else " ", text)

    def whole(self, text: str) -> bool:
        """Tells whether a text holds one of them whole, or tells it in another way."""
        return self._repeats(text) or (self.also is not None and self.also(text))

    def cut_from(self, text: str) -> str:
        """Returns a text without those that it holds whole."""
        if not self._patterns:  # made when they are needed: a purge may remove thousands
            folded = {" ".join(unicodedata.normalize("NFC", one).split()) for one in self.texts}
            longest_first = sorted(filter(None, folded), key=lambda one: (-len(one), one))
            self._patterns.extend(
                re.compile(_write_pattern(one), re.IGNORECASE) for one in longest_first
            )
        composed = unicodedata.normalize("NFC", text)
        rest = composed
        for pattern in self._patterns:
            rest = pattern.sub(GONE, rest)
        return text if rest == composed else rest

    def cut_out_of_name(self, name: str) -> str:
        """Returns a name without whatever repeats them."""
        rest = self.cut_from(name)
        if self.whole(rest):
            return GONE
        return RUN.sub(lambda word: GONE if word[0].casefold() in self.words else word[0], rest)

    def cut_from_details(self, body: str) -> str:
        """Returns the details of an operation without single reasons that repeat them, or empty."""
        if not self.in_json(body):
            return body
        details = json.loads(body)
        if isinstance(reasons := details.get("reasons"), dict):
            details["reasons"] = {
                key: why for key, why in reasons.items() if not self.in_json(json.dumps([why]))
            }
        rest = json.dumps(details, ensure_ascii=False, separators=(",", ":"))
        return "{}" if self.in_json(rest) else rest

    def probes(self) -> list[str]:
        """Returns words in small letters, one of which is in each ASCII text that repeats them.

        Not in one that only `also` knows.
        """
        return sorted(word for word in self._probes if word.isascii())

    def _may_be_in(self, text: str) -> bool:
        """Tells at little cost that a text does not repeat them; most do not."""
        if len(self._probes) > FEW:
            return True
        composed = unicodedata.normalize("NFC", text)
        said = text.casefold() if composed == text else f"{text}\n{composed}".casefold()
        told = self.perhaps or self.also
        return any(word in said for word in self._probes) or (told is not None and told(text))


def _choose_probe(text: str, words: Collection[str]) -> str:
    """Returns the word of a folded text that fewest others have.

    It is one of these, or one with a digit, or the longest.
    """

    def rank(word: str) -> tuple[bool, bool, int, str]:
        return word in words, any(map(str.isdigit, word)), len(word), word

    return max(RUN.findall(text), key=rank, default=text)


def choose_gone_name(is_taken: Callable[[str], object], wanted: str = GONE) -> str:
    """Returns a name for what had one that told something removed: the wanted one, if it can be."""
    names = (f"{wanted} {number}" if number > 1 else wanted for number in count(1))
    return next(name for name in names if not is_taken(name))


def repeating(texts: Iterable[str]) -> Callable[[str], bool]:
    """Returns a function that tells whether a text holds one of these."""
    # Looked up by their first word, so that many texts cost no more than few. Texts in scripts
    # that may not part their words are always compared.
    by_word: dict[str, list[str]] = defaultdict(list)
    for one in {folded for text in texts if (folded := _fold_needle(text))}:
        first = RUN.search(one)
        by_word[first[0] if first and first[0].isascii() else ""].append(one)

    def repeats(text: str) -> bool:
        whole = _fold(text)
        known = (by_word[word] for word in {"", *RUN.findall(whole)} & by_word.keys())
        return any(one in whole and _stands_in(one, whole) for held in known for one in held)

    return repeats


def _stands_in(one: str, whole: str) -> bool:
    """Tells whether a short text is not just a part of another word."""
    return len(one) >= SHORT or re.search(_apart(re.escape(one), one), whole) is not None


def _write_pattern(text: str) -> str:
    """Returns the pattern of a text with any spaces, and its last marks or none."""
    bare = text.rstrip(_END) or text
    marks = re.escape(text[len(bare) :].strip())
    return _apart(r"\s+".join(map(re.escape, bare.split())), bare) + (f"(?:{marks})?")


def _apart(pattern: str, text: str) -> str:
    """Returns the pattern of a text for where it stands by itself, not inside a longer word.

    In a script without spaces all but a short one stands by itself wherever it is.
    """
    long = len(text) >= SYLLABLES
    before = "" if long and UNSPACED.match(text[:1]) else r"(?<!\w)"
    after = "" if long and UNSPACED.match(text[-1:]) else r"(?!\w)"
    return f"{before}{pattern}{after}"


def words_of(text: str) -> set[str]:
    """Returns the words of a text, folded."""
    return {word.casefold() for word in RUN.findall(unicodedata.normalize("NFC", text))}


def words_in(body: str) -> str:
    """Returns the texts in a JSON document as they were before it was written; other text as is."""
    try:
        waiting = [json.loads(body)]
    except ValueError:
        return body
    words: list[str] = []
    while waiting:
        match waiting.pop():
            case str() as word:
                words.append(word)
            case int() | float() as number:
                words.append(str(number))
            case list() as values:
                waiting += values
            case dict() as values:
                waiting += [*values, *values.values()]
    return "\n".join(words)


def _fold(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text.casefold()).split())


def _fold_needle(text: str) -> str:
    """Returns a folded text without the marks at its end, which a quotation may leave out."""
    folded = _fold(text)
    return folded.rstrip(_END) or folded

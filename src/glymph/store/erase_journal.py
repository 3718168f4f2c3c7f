"""What a purge leaves of a row in the journal: that it was there and what became of it, never what
it said.

A blanked image names the purge that blanked it. Hashes of contents go with the texts: from one, a
short text could be guessed.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from glymph.store.journal import PURGED as PURGED
from glymph.text.words import RUN

GONE = "(removed by a purge)"  # in place of a reason that repeated what was removed

# Columns without a word of what a row says. Any other, also one that is yet to come, is blanked.
KEPT: Mapping[str, frozenset[str]] = {
    "memories": frozenset(
        {"id", "version", "state", "state_at", "state_by", "pinned", "superseded_by", "created_at"}
    ),
    "conflicts": frozenset(
        {"id", "older", "newer", "raised_at", "expires_at", "resolution", "resolved_at"}
    ),
    "pages": frozenset({"name", "updated_at"}),
}
# Columns that say it.
WORDED: Mapping[str, tuple[str, ...]] = {
    "memories": ("text", "title", "tags", "entities", "attributes"),
    "pages": ("text",),
}

SHORT = 12  # characters; a shorter text counts only where it is not a part of another word
MOST_PROBES = 8

_ID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b")


def blanked(table: str, image: str, by: str | None = None) -> str:
    """The image without what the row said; `by` is the purge that it is to name."""
    kept = {column: value for column, value in json.loads(image).items() if column in KEPT[table]}
    return compact({**kept, PURGED: by} if by else kept)


def without_words(
    table: str, image: str, after: str, by: str, *, keep_after: bool = False
) -> tuple[str, str] | None:
    """Both images of a journal row without what the row said; None if that is how they are.

    One that was blanked before goes on naming the purge that did it.
    """
    earlier = json.loads(image).get(PURGED)
    anew = blanked(table, image, earlier or by), after if keep_after else blanked(table, after)
    return None if earlier and anew == (image, after) else anew


def texts_in(*images: str) -> list[str]:
    """The wordings of a memory that journal images hold."""
    return [text for image in images if (text := json.loads(image).get("text"))]


def wordings_in(*images: str) -> list[str]:
    """The same with titles, tags, entities and attributes."""
    return [said for image in images for said in wordings_of(json.loads(image))]


def wordings_of(row: Mapping[str, Any]) -> list[str]:
    """What a memory's row, or a part of one, says in whatever column."""
    return [words_in(row[column]) for column in WORDED["memories"] if row.get(column)]


def changes_words(table: str, image: str) -> bool:
    """Whether the image of a journal row holds a former wording."""
    columns = json.loads(image)
    return any(column in columns for column in WORDED[table])


@dataclass(frozen=True, slots=True)
class Quotes:
    """Tells of a text whether it repeats what was removed: whole, whatever the case and the spaces,
    or by a word that nothing else in the space has. It is never stored."""

    texts: tuple[str, ...]
    words: frozenset[str] = frozenset()
    _repeats: Callable[[str], bool] = field(init=False, repr=False, compare=False)
    _patterns: list[re.Pattern[str]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "_repeats", repeating(self.texts))

    def __bool__(self) -> bool:
        return bool(self.texts or self.words)

    def __call__(self, text: str) -> bool:
        return self._repeats(text) or (
            bool(self.words) and not self.words.isdisjoint(words_of(text))
        )

    def strongly(self, body: str) -> bool:
        """Whether a JSON document or a text repeats it whole or by two such words: one may be there
        by chance.
        """
        text = words_in(body)
        return self._repeats(text) or len(self.words & words_of(text)) > 1

    def in_json(self, body: str) -> bool:
        """The same of the texts in a JSON document. A part of a memory's id is no word of anybody."""
        return bool(self) and body != "{}" and self(self._without_ids(words_in(body)))

    def _without_ids(self, text: str) -> str:
        return _ID.sub(lambda found: found[0] if self._repeats(found[0]) else " ", text)

    def cut_from_details(self, body: str) -> str:
        """The details of an operation without what repeats it: single reasons where that is enough,
        else all.
        """
        if not self.in_json(body):
            return body
        details = json.loads(body)
        if isinstance(reasons := details.get("reasons"), dict):
            details["reasons"] = {
                key: why for key, why in reasons.items() if not self.in_json(json.dumps([why]))
            }
        rest = compact(details)
        return "{}" if self.in_json(rest) else rest

    def probes(self) -> list[str]:
        """A few pieces, in lower case, of which anything that quotes it holds one, as JSON would
        write them.
        """
        longest = sorted(self.words, key=len, reverse=True)
        found = {
            next((word for word in longest if word in text.lower()), text) for text in self.texts
        }
        found |= set(longest[:MOST_PROBES])
        return [json.dumps(one.lower(), ensure_ascii=False)[1:-1] for one in found if one][
            :MOST_PROBES
        ]

    def whole(self, text: str) -> bool:
        """Whether it repeats one of them whole."""
        return self._repeats(text)

    def cut_from(self, text: str) -> str:
        """A text without what it repeats whole."""
        if not self._patterns:  # made when they are needed: a purge may remove thousands
            longest_first = sorted(
                (one.split() for one in self.texts), key=lambda words: -len(" ".join(words))
            )
            forms = (_apart(r"\s+".join(map(re.escape, words))) for words in longest_first if words)
            self._patterns.extend(re.compile(form, re.IGNORECASE) for form in forms)
        for pattern in self._patterns:
            text = pattern.sub(GONE, text)
        return text


def repeating(texts: Iterable[str]) -> Callable[[str], bool]:
    """Tells of a text whether it holds one of these, whatever the case and the spaces."""
    # By their first word, so that many texts cost no more than few. Other scripts may not part
    # their words.
    by_word: dict[str, list[str]] = defaultdict(list)
    for one in {folded for text in texts if (folded := _folded(text))}:
        first = RUN.search(one)
        by_word[first[0] if first and first[0].isascii() else ""].append(one)

    def repeats(text: str) -> bool:
        whole = _folded(text)
        known = (by_word[word] for word in {"", *RUN.findall(whole)} & by_word.keys())
        return any(one in whole and _stands_in(one, whole) for held in known for one in held)

    return repeats


def _stands_in(one: str, whole: str) -> bool:
    """Whether a short text is not just a part of another word."""
    return len(one) >= SHORT or re.search(_apart(re.escape(one)), whole) is not None


def _apart(pattern: str) -> str:
    """The pattern where it stands for itself, not inside a longer word."""
    return rf"(?<!\w){pattern}(?!\w)"


def words_of(text: str) -> set[str]:
    """The words of a text, folded."""
    return {word.casefold() for word in RUN.findall(unicodedata.normalize("NFC", text))}


def words_in(body: str) -> str:
    """The texts in a JSON document, as they were before it was written; another text as it is."""
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


def compact(value: Mapping[str, Any]) -> str:
    """JSON as the journal's triggers write it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())

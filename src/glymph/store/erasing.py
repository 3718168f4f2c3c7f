"""What a purge leaves of a row in the journal: that it was there and what became of it, never what it said.

A blanked image names the purge that blanked it. Hashes of contents go with the texts: from one, a short text could
be guessed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from glymph.core.journal import PURGED as PURGED

GONE = "(removed by a purge)"  # in place of a reason that repeated what was removed

# Columns without a word of what a row says. Any other, also one that is yet to come, is blanked.
KEPT: Mapping[str, frozenset[str]] = {
    "memories": frozenset(
        {"id", "version", "state", "state_at", "state_by", "pinned", "superseded_by", "created_at"}
    ),
    "conflicts": frozenset({"id", "older", "newer", "raised_at", "expires_at", "resolution", "resolved_at"}),
}


def blanked(table: str, image: str, by: str | None = None) -> str:
    """The image without what the row said; `by` is the purge that it is to name."""
    kept = {column: value for column, value in json.loads(image).items() if column in KEPT[table]}
    return compact({**kept, PURGED: by} if by else kept)


def texts_in(*images: str) -> list[str]:
    """The wordings of a memory that journal images hold."""
    return [text for image in images if (text := json.loads(image).get("text"))]


def repeating(texts: Iterable[str]) -> Callable[[str], bool]:
    """Tells of a text whether it holds one of these, whatever the case and the spaces."""
    wanted = {folded for text in texts if (folded := _folded(text))}

    def repeats(text: str) -> bool:
        whole = _folded(text)
        return any(one in whole for one in wanted)

    return repeats


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

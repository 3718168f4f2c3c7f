"""What FTS5 knows of single words: where each stands. Weighing them is left to who asks.

FTS5's own ranking weighs a word by the whole file, so that other spaces would change the order of
this one, and looks up the length of every text that matches, which is most of its cost.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from glymph.store.contract import IndexedText

TOKENIZER = ("porter", "unicode61", "remove_diacritics", "2")  # that of memory_text
COLUMNS = ("title", "text", "tags", "entities", "day")
KEY_BITS, COLUMN_BITS = 24, 20  # where a key and a column begin in a mark

_MARK = (
    f"(doc << {KEY_BITS}) | CASE col "
    + " ".join(f"WHEN '{name}' THEN {at << COLUMN_BITS}" for at, name in enumerate(COLUMNS))
    + " END | offset"
)


class TextIndex:
    """The words of a connection's texts, under its transaction."""

    def __init__(self, raw: apsw.Connection) -> None:
        self._raw = raw
        raw.execute(
            "CREATE VIRTUAL TABLE temp.word_places USING fts5vocab(main, memory_text, instance)"
        )

    def split(self, text: str) -> list[str]:
        """Returns the words of a text as the index writes them, in order."""
        tokenizer: Any = self._raw.fts5_tokenizer(TOKENIZER[0], list(TOKENIZER[1:]))
        found: list[Any] = tokenizer(
            text.encode("utf-8", "replace"),
            apsw.FTS5_TOKENIZE_DOCUMENT,
            None,
            include_offsets=False,
            include_colocated=False,
        )
        return found

    def find_marks(self, words: Collection[str]) -> dict[str, NDArray[np.int64]]:
        """Returns where words of the index stand: memory, column and place in one number each."""
        # As one text for each word: a row for each place costs three times as much. In one
        # statement: to begin one costs as much as a rare word. To group places by their words
        # would sort them first, which costs as much as all the rest.
        sql = (
            f"SELECT w.value, (SELECT group_concat({_MARK}, ' ') FROM temp.word_places "
            "WHERE term = w.value) FROM json_each(?) w"
        )
        found: Any = self._raw.execute(sql, (json.dumps(list(words)),))
        return {word: np.fromstring(at or "", dtype=np.int64, sep=" ") for word, at in found}

    def read_texts(self, keys: Sequence[int]) -> list[IndexedText]:
        """Returns what the index holds of memories: the key, and a text for each column."""
        sql = (
            f"SELECT key, {', '.join(COLUMNS)} FROM searchable "
            "WHERE key IN (SELECT value FROM json_each(?))"
        )
        return [
            (key, tuple(texts))
            for key, *texts in self._raw.execute(sql, (f"[{','.join(map(str, keys))}]",))
        ]

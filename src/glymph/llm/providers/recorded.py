"""Answers of a strong model, recorded once and replayed without a network.

A folder has two files of JSON Lines. `answers.jsonl` holds answers: `id` and `text`. A question
that has none is written into `questions.jsonl` (`id`, `messages`, `schema`), and the call fails and
says so. Whoever answers it, a person or a model, adds a line to `answers.jsonl`; the same question
is answered by that from then on. The id is made of the question's own words, but for the random
mark around its data: a prompt that changes asks anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from glymph import folders
from glymph.llm.contract import TIMEOUT, ModelProvider
from glymph.llm.dialogue import FREE, Message, Prices, Reply, Schema, Usage, tokens_of
from glymph.llm.failures import make_failure
from glymph.text.tokens import tokens

ANSWERS, QUESTIONS = "answers.jsonl", "questions.jsonl"
ID_LENGTH = 16
_MARK = re.compile(r"(</?)data-[0-9a-f]{8,32}(>)")  # see llm.fence


def from_spec(detail: str, *, url: str, key: str, prices: str) -> RecordedModel:
    return RecordedModel(Path(detail))


PROVIDER = ModelProvider("recorded:FOLDER", from_spec)


class RecordedModel:
    """Answers what has been answered before, and collects what has not."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.expanduser()
        self.name = f"recorded:{self._folder.name}"
        self.prices: Prices = FREE
        self._lock = threading.Lock()
        self._answers: dict[str, str] = {}
        self._seen: tuple[int, int] | None = None  # when answers were last read, and their size

    def __repr__(self) -> str:
        return f"RecordedModel({self.name!r})"

    def complete(
        self, messages: Sequence[Message], schema: Schema | None = None, *, max_tokens: int = 1024,
        timeout: float = TIMEOUT, cancel: threading.Event | None = None,
    ) -> Reply:  # fmt: skip
        asked = {
            "messages": [{"role": one.role, "content": one.content} for one in messages],
            "schema": schema,
        }
        number = name_question(asked)
        with self._lock:
            text = self._find(number)
            if text is None:
                number = name_question(_without_marks(asked))
                text = self._find(number)
            if text is None:
                self._collect(number, asked)
        if text is None:
            path = self._folder / ANSWERS
            step = f'Answer it: add a line with "id": "{number}" and "text" to {path}.'
            raise make_failure(self.name, "this question has no answer yet", step, charged=False)
        return Reply(text, Usage(tokens_of(messages), tokens(text)))

    def close(self) -> None:
        """Nothing is held open."""

    def _find(self, number: str) -> str | None:
        """Finds the answer, reading the file anew if it has changed."""
        path = self._folder / ANSWERS
        if not path.exists():
            return None
        state = path.stat()
        seen = state.st_mtime_ns, state.st_size
        if seen != self._seen:
            self._answers = {row["id"]: row["text"] for row in self._read(path, "id", "text")}
            self._seen = seen
        return self._answers.get(number)

    def _collect(self, number: str, asked: dict[str, Any]) -> None:
        """Writes a question down, unless it is there."""
        path = self._folder / QUESTIONS
        try:
            folders.make_folder(self._folder)
            if path.exists() and any(row["id"] == number for row in self._read(path, "id")):
                return
            line = json.dumps({"id": number, **asked}, ensure_ascii=False) + "\n"
            target = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, folders.FILE)
            try:
                os.write(target, line.encode())  # one write, so that lines of processes stay whole
            finally:
                os.close(target)
        except OSError as error:
            step = "Name a folder that can be written, in the setting model."
            raise make_failure(
                self.name, f"{path} cannot be written ({error})", step, charged=False
            ) from error

    def _read(self, path: Path, *keys: str) -> Iterator[dict[str, str]]:
        """Reads the lines of a file; each must have these keys with a text."""
        for place, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                fits = all(isinstance(row[key], str) for key in keys)
            except (ValueError, TypeError, KeyError):
                fits = False
            if not fits:
                wanted = " and ".join(f'"{key}"' for key in keys)
                step = f"Make line {place} of {path} a JSON object with {wanted}."
                problem = f"line {place} of {path.name} cannot be read"
                raise make_failure(self.name, problem, step, charged=False)
            yield row


def _without_marks(asked: dict[str, Any]) -> dict[str, Any]:
    """Returns a question with the same mark around its data every time."""
    said = json.dumps(asked, ensure_ascii=False)
    unmarked: dict[str, Any] = json.loads(_MARK.sub(r"\1data\2", said))
    return unmarked


def name_question(asked: dict[str, Any]) -> str:
    """Returns the id of a question, which depends on its own words alone."""
    words = json.dumps(asked, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(words.encode()).hexdigest()[:ID_LENGTH]

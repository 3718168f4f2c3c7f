"""The page an agent keeps: in the store, where every change of it is journalled, or in files beside
a history.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Protocol

from glymph.checks import checked_text
from glymph.context import Context
from glymph.errors import InvalidInput
from glymph.history.disk import Disk
from glymph.moments import iso
from glymph.write.edit import read_page, write_page

MOST_WORDS, MOST_CHARACTERS = 600, 100_000
FILE, JOURNAL, LOCK = "page.md", "page.jsonl", "page.lock"


class Page(Protocol):
    def read(self) -> str:
        """What the agent wrote; empty if it never did."""
        ...

    def write(self, text: str, mode: str = "replace") -> None:
        """Replaces the page or adds to its end; refuses more than 600 words."""
        ...


class StorePage:
    """The page of a space."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    def read(self) -> str:
        return read_page(self._ctx)

    def write(self, text: str, mode: str = "replace") -> None:
        write_page(self._ctx, text, mode)


class FilePage:
    """A page without a store. Every change is written to a journal first, with what was there
    before.
    """

    def __init__(self, folder: Path, disk: Disk, clock: Callable[[], datetime]) -> None:
        self._folder, self._disk, self._clock = folder, disk, clock

    def read(self) -> str:
        return (self._disk.read(self._folder / FILE) or b"").decode(errors="replace")

    def write(self, text: str, mode: str = "replace") -> None:
        if mode not in ("replace", "append"):
            raise InvalidInput(
                "mode", f"{mode!r} is neither 'replace' nor 'append'. Use one of them."
            )
        checked_text("text", text, MOST_CHARACTERS)
        self._disk.make(self._folder)
        with self._disk.locked(self._folder / LOCK):
            before = self.read()
            whole = f"{before}\n{text}" if before and mode == "append" else text
            if (words := len(whole.split())) > MOST_WORDS:
                raise InvalidInput(
                    "text",
                    f"the page would have {words} words; at most {MOST_WORDS}. Shorten it, or replace it whole.",
                )
            entry = {"at": iso(self._clock()), "mode": mode, "before": before}
            self._disk.append(self._folder / JOURNAL, json.dumps(entry).encode() + b"\n")
            self._disk.replace(self._folder / FILE, whole.encode(errors="replace"))

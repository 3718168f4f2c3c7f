"""Reads the lines that somebody said in a turn: no code, no quotations, no tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_FENCED = re.compile(r"(```|~~~).*?(?:\1|\Z)", re.DOTALL)
_QUOTE = re.compile(r"\s*(?:[>|$#%+@]|\d+[:|\t]|---|\*\*\*|```|- \[|</?\w)")
_BULLET = re.compile(r"\A\s*(?:[-*•]|\d+[.)])\s+")


class SaidLine(NamedTuple):
    """A line without its bullet, and whether it had one."""

    text: str
    listed: bool


def read_said_lines(text: str) -> Iterator[SaidLine]:
    """Yields the lines of a turn that its speaker said."""
    for line in _FENCED.sub("\n", text).splitlines():
        bullet = _BULLET.match(line)
        if bullet is None and _QUOTE.match(line):
            continue
        said = line[bullet.end() :] if bullet else line
        if said.strip():
            yield SaidLine(said.strip(), bullet is not None)

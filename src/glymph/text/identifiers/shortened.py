"""Hashes, wallets and other long keys that people shorten: "0x7aF3…D0c9", "commit 7af3e91"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from glymph.text.spans import Span

CUT = "..."  # stands in a key where characters are left out
SHORTEST_HEAD = 7  # characters of a hash that stand for all of it
FEWEST_SHOWN = 6  # characters on both sides of what is left out
SHORTEST_WHOLE = 32  # characters of a hash that a beginning stands for
LONG = 16  # characters of a key that is worth shortening
_CUT = r" ?(?:\.{2,4}|\*{2,}|…+|\[\.\.\.\]|\[…\]|-{3,}) ?"
_CUT_KEY = re.compile(
    rf"(?<![\w.])(?P<head>[0-9A-Za-z]{{2,40}})(?:{_CUT})(?P<tail>[0-9A-Za-z]{{2,40}})(?![\w])"
)
_HEAD = re.compile(r"(?<![\w.-])(?P<head>[0-9A-Za-z]{7,64})(?:\.{2,4}|…)(?![\w.])")
_WHOLE = re.compile(rf"(?<![\w-])[0-9A-Za-z]{{{LONG},128}}(?![\w-])")
_HEX = re.compile(r"(?<![\w-])(?:0[xX])?([0-9A-Fa-f]{7,64})(?![\w-]|\.\.|…)")
_CALLED = re.compile(
    r"(?<!\w)(?:commits?|hash|sha(?:-?(?:1|256))?|rev(?:ision)?|digest|checksum|git)\W{1,3}\Z",
    re.IGNORECASE,
)
_CALL_WIDTH = 20


def shortened(text: str) -> Iterator[Span]:
    """Finds keys with their middle left out, and the beginnings of hashes."""
    for match in _CUT_KEY.finditer(text):
        head, tail = bare(match["head"]), match["tail"].lower()
        if len(head) + len(tail) >= FEWEST_SHOWN and re.search("[0-9]", head + tail):
            yield Span("short", f"{head}{CUT}{tail}", *match.span())
    for match in _HEAD.finditer(text):
        if re.search("[0-9]", match["head"]) and re.search("[A-Za-z]", match["head"]):
            yield Span("short", bare(match["head"]) + CUT, *match.span("head"))
    for match in _HEX.finditer(text):
        if len(match[1]) < 32 and is_called(text, match.start()):
            yield Span("short", match[1].lower() + CUT, *match.span())


def bare(written: str) -> str:
    """Returns a key in small letters without the 0x before it."""
    return re.sub("^0x", "", written.lower())


def is_called(text: str, start: int) -> bool:
    """Returns whether the word before says that this is a hash."""
    return _CALLED.search(text, max(0, start - _CALL_WIDTH), start) is not None


def find_shortened(whole: str, text: str) -> Iterator[tuple[int, int]]:
    """Finds where a long key, given bare, stands in short."""
    for match in _CUT_KEY.finditer(text):
        head, tail = bare(match["head"]), match["tail"].lower()
        if (
            len(head) + len(tail) >= FEWEST_SHOWN
            and len(head) + len(tail) < len(whole)
            and whole.startswith(head)
            and whole.endswith(tail)
        ):
            yield match.span()
    for match in _HEAD.finditer(text):
        if whole.startswith(bare(match["head"])) and len(bare(match["head"])) >= SHORTEST_HEAD:
            yield match.span("head")
    if re.fullmatch("[0-9a-f]{32,}", whole):
        for match in _HEX.finditer(text):
            head = match[1].lower()
            mixed = re.search("[0-9]", head) and re.search("[a-f]", head)
            if (
                len(head) < len(whole)
                and whole.startswith(head)
                and (mixed or is_called(text, match.start()))
            ):
                yield match.span()


def find_whole(key: str, text: str) -> Iterator[tuple[int, int, str]]:
    """Finds the keys that one in short may stand for, each with what it is."""
    head, _, tail = key.partition(CUT)
    for match in _WHOLE.finditer(text):
        whole = bare(match[0])
        least = len(head) + len(tail) + 1 if tail else SHORTEST_WHOLE
        if len(whole) >= least and whole.startswith(head) and whole.endswith(tail):
            yield *match.span(), whole
    for match in _CUT_KEY.finditer(text):
        first, last = bare(match["head"]), match["tail"].lower()
        if (
            _begin_alike(head, first)
            and (not tail or _begin_alike(tail[::-1], last[::-1]))
            and len(first) + len(last) >= FEWEST_SHOWN
        ):
            yield *match.span(), ""
    if not tail:
        for match in _HEX.finditer(text):
            if match[1].lower() == head:
                yield *match.span(), ""


def _begin_alike(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)

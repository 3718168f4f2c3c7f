"""A transcript cut into windows: as many turns as a model reads at once, without secrets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from glymph.learn.transcript import Turn, turn
from glymph.text.secret_codes import mask_codes
from glymph.text.secrets import mask_secrets
from glymph.text.tokens import CHARACTERS, tokens

WINDOW = 3000  # tokens
MOST_TURNS = 1000  # of one window: those without words have no tokens
MOST_PARTS = 10  # windows' worth of one turn that is read; what is longer is pasted
LONGEST = MOST_PARTS * WINDOW * CHARACTERS  # characters of a turn

Raw = str | bytes | Mapping[str, Any] | None  # a line; None for one that is too long to be read


@dataclass(slots=True)
class Window:
    """Turns to be read together, and where they and the lines between them end.

    The ends are places in the transcript.
    """

    start: int
    end: int
    turns: list[Turn] = field(default_factory=list)
    tokens: int = 0
    masked: int = 0
    unreadable: int = 0
    left_out: int = 0

    def parts(self) -> list[Sequence[Turn]]:
        """The turns as a model is shown them: at once, or one that is too long in pieces."""
        said = [each for each in self.turns if each.text]
        if self.tokens <= WINDOW:
            return [said] if said else []
        return [[replace(each, text=piece)] for each in said for piece in _pieces(each.text)]


def windows(lines: Iterable[tuple[Raw, int]], start: int) -> Iterator[Window]:
    """Yields the windows of lines, each line given with its end.

    The windows hold no secrets, and lose no line between them.
    """
    window = Window(start, start)
    heard: dict[str, str] = {}  # what each side said last
    for line, end in lines:
        said, secrets, left_out, readable = _read(line, heard)
        size = tokens(said.text) if said is not None else 0
        if window.turns and (window.tokens + size > WINDOW or len(window.turns) >= MOST_TURNS):
            yield window
            window = Window(window.end, window.end)
        if said is not None:
            window.turns.append(said)
        window.end = end
        window.tokens += size
        window.masked += secrets
        window.left_out += left_out
        window.unreadable += not readable
    if window.end > window.start:
        yield window


def _read(line: Raw, heard: dict[str, str]) -> tuple[Turn | None, int, int, bool]:
    """Reads a line and takes its secrets out, knowing what either side said last.

    Returns what it says, how many secrets there were, how much was left out, and whether it was
    readable.
    """
    if line is None:
        return None, 0, 0, False
    try:
        said = turn(line)
    except ValueError:
        return None, 0, 0, False
    if said is None:
        return None, 0, 0, True
    # What is cut off goes in two steps, so that no secret is cut in two before it is seen.
    text, secrets = mask_secrets(said.text[: 2 * LONGEST])
    text, codes = mask_codes(text, heard.get("assistant" if said.role == "user" else "user", ""))
    kept = text[:LONGEST]
    heard[said.role] = kept or heard.get(said.role, "")
    secrets += codes
    commands = []
    for command in said.commands:
        masked, hidden = mask_secrets(command.text)
        commands.append(command._replace(text=masked))
        secrets += hidden
    cut = max(0, len(said.text) - LONGEST)
    return replace(said, text=kept, commands=tuple(commands)), secrets, cut, True


def _pieces(text: str) -> Iterator[str]:
    """The text in pieces of a window's size, cut at a line or a blank where there is one."""
    while tokens(text) > WINDOW:
        size = WINDOW * CHARACTERS if text.isascii() else WINDOW
        cut = max(text.rfind("\n", size // 2, size), text.rfind(". ", size // 2, size) + 1)
        cut = cut if cut > 0 else max(text.rfind(" ", size // 2, size), 0) or size
        yield text[:cut]
        text = text[cut:].lstrip()
    if text:
        yield text

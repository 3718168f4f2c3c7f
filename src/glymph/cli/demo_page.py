"""Tells what happened in `glymph demo`: a few lines a chapter, each at most 80 columns wide."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from glymph.text.secrets import mask_url

if TYPE_CHECKING:
    from rich.text import Text

WIDTH, DATE, LABEL = 80, 8, 20  # columns
NOTHING = "nothing"
HEADINGS = {
    "begin": "Half a year with Mira, a nurse. She is made up; the rest happens now.",
    "move": "“{told}”",
    "doubt": "“{told}”",
    "forget": "“Forget Jonas, my former flatmate. For good.”",
    "prune": "The kitchen is done, and nobody asked about it since",
    "learn": "{nights} nights make {count} lesson, every figure counted",
    "fade": "Upkeep: what faded steps back, what may be vital stays",
    "shorten": "The chat is sent short, and stays whole",
    "end": "What it took",
}
HIDING = {"reader": "hidden by itself", "agent": "the agent replaces"}
Facts = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Row:
    """A date, what was done, and what came of it; a row without a label is a heading."""

    date: str
    label: str
    text: str

    def __str__(self) -> str:
        start = f"{self.date:>{DATE - 2}}  " + (f"{self.label:<{LABEL}}" if self.label else "")
        return shorten(start + self.text, WIDTH)

    def __rich__(self) -> Text:
        from rich.text import Text

        shown = Text(str(self))
        if self.label:
            shown.stylize("cyan", DATE, DATE + LABEL)
        else:
            shown.stylize("bold")
        return shown


def shorten(text: str, width: int) -> str:
    """Cuts a text that is too wide, and marks that."""
    return text if len(text) <= width else text[: width - 1].rstrip(" ,.") + "…"


def tell(chapter: str, facts: Facts) -> Iterator[Any]:
    """Yields the lines of a chapter."""
    if chapter != "begin":
        yield ""
    yield Row(facts.get("date", ""), "", HEADINGS[chapter].format_map(facts))
    for label, text in _CHAPTERS[chapter](facts):
        # A lesson is told in full; anything else is cut where the line ends.
        lines = textwrap.wrap(text, WIDTH - DATE - LABEL) if chapter == "learn" else [text]
        yield from (Row("", label if n == 0 else " ", line) for n, line in enumerate(lines))


def _quote(texts: Sequence[str]) -> str:
    return texts[0] if texts else NOTHING


Told = Iterator[tuple[str, str]]


def _begin(facts: Facts) -> Told:
    read, embedder = facts["reader"], facts["embedder"]
    yield "reads texts", read if read != "none" else "hard rules: there is no reader it can use"
    yield "finds by meaning", embedder or "nobody: no embedder is installed"
    yield "remembered", f"{facts['memories']} things, and {facts['messages']} messages of a chat"


def _move(facts: Facts) -> Told:
    yield HIDING[facts["by"]], _quote(facts["hidden"])
    yield "where she lives", _quote(facts["found"])
    if "undone" in facts:
        yield "undo", _quote(facts["undone"])
        yield "undo the undo", _quote(facts["redone"])
    yield "as of 4 February", _quote(facts["then"])


def _doubt(facts: Facts) -> Told:
    for question in facts["questions"]:
        yield "in doubt, it asks", question["asks"]
    newer, older = (*facts["found"], NOTHING, NOTHING)[:2]
    yield "found first", newer
    yield "found second", older
    for question in facts["questions"]:
        yield "Mira says yes", question["answered"]


def _forget(facts: Facts) -> Told:
    for one in facts["requests"]:
        counts = [
            f"{one[kind]} {words}"
            for kind, words in (
                ("removed", "removed for good"), ("reworded", "reworded"),
                ("left_for_a_person", "named, not touched"),
            )
            if one[kind]
        ]  # fmt: skip
        yield "forget", f"{one['request']}: {', '.join(counts) or NOTHING}"
    states = list(facts["requests"][-1]["places"].values())
    yield (
        "certificate",
        (
            f"{states.count('clean')} of {len(states)} places clean, "
            f"{states.count('out of reach')} out of its reach"
        ),
    )
    yield "the chat", f"cut in {facts['messages_cut']} of {facts['messages']} messages"
    for one in facts["refused"]:
        outcome = "refused" if one["why"] else "taken in"
        yield "told again", f"{outcome}: {one['text']}"


def _prune(facts: Facts) -> Told:
    if not facts["members"]:
        yield "analyze", f"{facts['groups']} stale groups, and none is the kitchen"
        return
    yield (
        "analyze: a plan",
        (f"{facts['members']} memories belong together, idle for {facts['idle_days']:.0f} days"),
    )
    yield "asked for the price", _quote(facts["before"])
    yield f"prune: {facts['archived']} archived", _quote(facts["after"])
    yield f"undo: {facts['restored']} are back", _quote(facts["again"])


def _learn(facts: Facts) -> Told:
    for lesson, evidence in zip(facts["lessons"], facts["evidence"], strict=True):
        yield "lesson", lesson
        (well, of), (other, rest) = evidence["recounted"]
        yield "counted again", f"{well} of {of}, otherwise {other} of {rest}"
        yield "evidence", f"{evidence['linked']} nights it is linked to, such as"
        yield " ", _quote(evidence["such_as"])


def _fade(facts: Facts) -> Told:
    small, allergy = facts["small_talk"], facts["allergy"]
    yield "archived", f"{facts['archived']}, with {len(small)} of {facts['of']} bits of small talk"
    yield "such as", _quote(small)
    if facts["vital"]:
        yield "kept all the same", f"{facts['vital']} that faded as much and may be vital"
    state = "archived" if allergy["archived"] else "pinned" if allergy["pinned"] else "it stays"
    yield "the allergy", f"{state}, after {allergy['days']} days and {allergy['uses']} uses"
    yield "a doctor asks", _quote(facts["found"])


def _shorten(facts: Facts) -> Told:
    yield "kept", f"{facts['kept']} of {facts['messages']} messages, {facts['tokens']:,} tokens"
    yield "sent", f"{facts['sent']} messages, {facts['sent_tokens']:,} tokens"
    yield "where is the key?", _quote(facts["found"])


def _end(facts: Facts) -> Told:
    yield "language model", f"{facts['calls']} calls, {facts['cost_usd']:.2f} USD"
    yield "this machine", f"{facts['cpu_s']:.0f} s of one core"
    yield "journal", f"{facts['operations']} changes, each with who did it, and when"
    problems = "; ".join(facts["problems"])
    yield "verify", problems or f"{facts['checks']} checks, no problem found"


_CHAPTERS = {
    "begin": _begin, "move": _move, "doubt": _doubt, "forget": _forget, "prune": _prune,
    "learn": _learn, "fade": _fade, "shorten": _shorten, "end": _end,
}  # fmt: skip


def say_farewell(url: str | None, space: str) -> str:
    """Returns the last line: where it ran, and what to do next."""
    if url is None:
        return "It ran in a temporary file, which is gone now; `--url` keeps it."
    return f"It stays: `glymph status --url {mask_url(url)} --space {space}` shows it."

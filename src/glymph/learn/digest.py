"""The digest a session begins with: the best lines of each heading.

It keeps within a budget of tokens and of lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from glymph.decay.sections import Section
from glymph.text.shown import INTRODUCTION, SHOWN_FROM, SHOWN_TO
from glymph.text.tokens import tokens

OVER = 4 / 3  # of the budget, up to which goals and fading lessons may go: 2,000 for 1,500


@dataclass(frozen=True, slots=True)
class Heading:
    """A part of the digest: its title, which kinds it shows, and how many lines at most."""

    title: str
    kinds: tuple[str, ...]
    lines: int
    newest: bool = False  # the newest first, not the likeliest to be needed
    # Its lines come before all others, up to this share of the budget: what is more than 1 lies
    # between target and cap. 0: they wait for their turn.
    first: float = 0.0


# What losing sight of may hurt somebody, and rules that stand; of whatever kind.
VITAL = Heading("Vital, and rules that stand", (), 30, first=0.5)
GOALS = Heading("Goals", ("goal",), 6, first=OVER)
QUESTIONS = Heading("Open questions: find out, then answer_question", (), 5, first=OVER)
TRASH = Heading("Trash", (), 3, first=OVER)
FADING = Heading("Fading: use them, or let them go", (), 5, first=OVER)
HEADINGS: tuple[Heading, ...] = (
    VITAL,
    GOALS,
    QUESTIONS,
    TRASH,
    FADING,
    Heading("Preferences", ("preference",), 20),
    Heading("Lessons, learnt from episodes: memory_get shows which", ("lesson",), 20),
    Heading("Playbooks", ("playbook", "good_pass", "missed_opportunity"), 6),
    Heading("Decisions", ("decision",), 20),
    Heading("Facts", ("fact",), 60),
    Heading("Theses", ("thesis", "curiosity"), 5),
    Heading("To watch", ("watchpoint", "signal"), 5),
    Heading(
        "Lately",
        ("session_summary", "trade_close", "trade_entry", "trade_modify", "event"),
        6,
        newest=True,
    ),
)
NOTES = Heading("Notes", ("note",), 60)  # and every kind that has no heading of its own
ALL_HEADINGS = (*HEADINGS, NOTES)

_BY_KIND: Mapping[str, Heading] = {
    kind: heading for heading in ALL_HEADINGS for kind in heading.kinds
}


def heading_of(kind: str, section: str) -> Heading:
    """The heading under which memories of a kind are shown."""
    found = _BY_KIND.get(kind)
    if found is not None:
        return found
    return _BY_KIND["event"] if section in (Section.EPISODIC, Section.SIGNALS) else NOTES


def digest(
    lines: Mapping[Heading, Sequence[str]], *, budget: int
) -> tuple[str, dict[Heading, int]]:
    """Returns the digest within its marks, and how many lines of each heading are in it.

    It is empty if no line is in it. Headings take turns, a line each, so that a long list under
    one does not push out the others. What is vital comes first, up to half of the budget, then
    goals, open questions and fading lessons, up to the cap.
    """
    chosen: dict[Heading, list[str]] = {}
    frame = tokens(_frame(""))
    used = 0
    for first in [*sorted({heading.first for heading in ALL_HEADINGS if heading.first}), 0.0]:
        limit = int(budget * (first or 1.0)) - frame
        waiting = {h: list(lines.get(h, ()))[: h.lines] for h in ALL_HEADINGS if h.first == first}
        while any(waiting.values()):
            for heading, rest in waiting.items():
                if not rest:
                    continue
                cost = tokens(rest[0] + "\n") + (
                    0 if heading in chosen else tokens(f"\n## {heading.title}\n")
                )
                if used + cost > limit:
                    waiting[heading] = []
                    continue
                chosen.setdefault(heading, []).append(rest.pop(0))
                used += cost
    if not chosen:
        return "", {}
    parts = [f"## {h.title}\n" + "\n".join(chosen[h]) for h in ALL_HEADINGS if h in chosen]
    return _frame("\n\n".join(parts)), {heading: len(taken) for heading, taken in chosen.items()}


def _frame(body: str) -> str:
    return f"{SHOWN_FROM}\n{INTRODUCTION}\n\n{body}\n{SHOWN_TO}"

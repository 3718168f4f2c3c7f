"""A conversation: forty days of standups, shortened as they grow, searchable to the first word."""

from __future__ import annotations

from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from examples.demo import page

if TYPE_CHECKING:
    from rich.console import Console

    from examples.demo.play import Played
    from glymph.client import Glymph
    from glymph.history.history import History

SESSION = "standups"
DAYS = 40
SETTINGS = {"consolidation_threshold": 1200, "keep_recent_ratio": 0.25}
DECISION = 6  # the day of it
DECIDED = "We decided on 8 May to move the order gateway to Frankfurt and to give Ines the pager."
ASKED = "who has the pager?"
TALK = (
    "Good morning. Fills were fine overnight, {fills} orders, the slowest took {slow} ms. "
    "Anything for me?",
    "Nothing urgent. The spread on the second venue was {spread} points at the open, I left the "
    "limits alone.",
    "Thanks, that is fine. Let us look at it again tomorrow.",
    "Will do. I will bring the figures.",
)
SHOWN_NOTES = 2


def gather(glymph: Glymph, played: Played) -> dict[str, Any]:
    # In a folder of its own and without the store: what is told here is nobody's memory.
    from glymph.history.history import History

    with TemporaryDirectory(prefix="glymph-demo-") as folder:
        history = History(folder, settings=SETTINGS, clock=glymph.context.clock)
        consolidations, largest = _talk(history)
        built = history.build(SESSION)
        found = history.search(SESSION, ASKED, limit=1)
        every = history.messages(SESSION)
        return {
            "messages": len(every),
            "sent": len(built.messages),
            "summarised": built.summarised,
            "size": built.size,
            "largest": largest,
            "threshold": history.settings.threshold,
            "consolidations": consolidations,
            "notes": history.summary(SESSION).splitlines(),
            "decision_in_notes": DECIDED in history.summary(SESSION),
            "asked": ASKED,
            "found": [
                {"number": one.number, "text": one.text, "summarised": one.summarised}
                for one in found
            ],
        }


def _talk(history: History) -> tuple[int, int]:
    """Talks for forty days; returns how often it was shortened and its largest size."""
    consolidations = largest = 0
    for day in range(DAYS):
        said = [
            text.format(fills=90 + 7 * day, slow=11 + day % 9, spread=2 + day % 4) for text in TALK
        ]
        if day == DECISION:
            said[2] = DECIDED
        roles = ("user", "assistant") * 2
        history.append(
            SESSION,
            *({"role": role, "content": text} for role, text in zip(roles, said, strict=True)),
        )
        built = history.build(SESSION)
        consolidations += built.shortened is not None
        largest = max(largest, built.size)
    return consolidations, largest


def show(console: Console, facts: dict[str, Any]) -> None:
    page.print_heading(
        console,
        "A conversation",
        f"{facts['messages']} messages over {DAYS} days, and never more than "
        f"{facts['threshold']:,} tokens of "
        "them sent. Rules made the notes; with a model, the model does.",
    )
    page.say(
        console,
        f"It was shortened {facts['consolidations']} times. Now {facts['sent']} messages are sent "
        "as they were "
        f"said, and notes stand for the {facts['summarised']} before. None is lost. The notes "
        "begin:",
    )
    for note in facts["notes"][:SHOWN_NOTES]:
        page.say(console, f"  {note}")
    for one in facts["found"]:
        page.say(
            console,
            f"Asked “{facts['asked']}”, message {one['number']} of the transcript is found: "
            f"“{one['text']}”",
        )

"""The demo of an installed package: a few memories are added, fade, are pruned and come back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from glymph.client import Glymph
from glymph.config import Settings
from glymph.environment import effective_settings
from glymph.errors import InvalidInput
from glymph.stores import spaces_at
from glymph.text.secrets import mask_url
from glymph.tools.blocks import Line

SPACE = "demo"
START = datetime(2026, 1, 5, 9, tzinfo=UTC)
KEPT = (
    ("preference", "Anna drinks her coffee black, without sugar."),
    ("fact", "Anna's flat is on the third floor and has no lift."),
    ("lesson", "Reports that Anna reads before nine are answered the same day."),
)
PROJECT = (
    ("decision", "The balcony gets a tomato bed of two square metres."),
    ("fact", "The tomato bed on the balcony needs eighty litres of soil."),
    ("note", "The garden centre delivers soil for the balcony on Thursdays."),
    ("note", "Anna wants two kinds of tomatoes on the balcony, a red and a yellow one."),
)
ASKED = "How does Anna like her coffee?"
FORGOTTEN = "How much soil does the tomato bed need?"


def play(url: str | None) -> dict[str, Any]:
    """Adds, searches, lets time pass, analyses, prunes and undoes; returns what happened.

    Without a URL the store is a temporary file that is gone afterwards.
    """
    if url is not None:
        refuse_existing(url)
        return _open_and_live(url, effective_settings()[0])
    with TemporaryDirectory(prefix="glymph-demo-", ignore_cleanup_errors=True) as folder:
        store = f"sqlite:///{Path(folder, 'demo.db').as_posix()}"
        return _open_and_live(store, Settings(durability="normal", embedder="none"))


def _open_and_live(url: str, settings: Settings) -> dict[str, Any]:
    now = [START]  # the story moves it
    with Glymph.open(
        url, space=SPACE, actor="agent", settings=settings, clock=lambda: now[0]
    ) as memory:
        return _live(memory, now)


def _live(memory: Glymph, now: list[datetime]) -> dict[str, Any]:
    for kind, text in KEPT:
        memory.add(text, kind=kind)
    first = memory.add(PROJECT[0][1], kind=PROJECT[0][0]).id
    for kind, text in PROJECT[1:]:
        memory.add(text, kind=kind, links=[first] if first else [])
    found = [(hit.memory.text, hit.score) for hit in memory.search(ASKED, limit=2)]
    for _ in range(9):
        now[0] += timedelta(days=30)
        for text in (ASKED, "third floor", "reports"):
            memory.recall(text, limit=1, reinforce=True)
    faded = [(one.text, one.retrievability) for one in memory.list()]
    plan, before = memory.analyze(), memory.search(FORGOTTEN, limit=1)
    pruned, after = memory.prune(plan), memory.search(FORGOTTEN, limit=1)
    undone, again = memory.undo(pruned.operation_id), memory.search(FORGOTTEN, limit=1)
    answers = {"before": before, "after": after, "again": again}
    return {
        "added": len(KEPT + PROJECT), "found": found, "days": (now[0] - START).days, "faded": faded,
        "groups": [(group.label, group.staleness, len(group.node_ids)) for group in plan.groups],
        "pruned": len(pruned.succeeded), "undone": len(undone.succeeded),
        "answers": {name: [hit.memory.text for hit in hits] for name, hits in answers.items()},
        "sound": memory.verify().ok,
    }  # fmt: skip


def refuse_existing(url: str) -> None:
    """Raises InvalidInput if the store has a space `demo` already."""
    if any(space.name == SPACE for space in spaces_at(url, create=True)):
        shown = mask_url(url)
        raise InvalidInput(
            "url",
            f"{shown} has a space {SPACE!r} already, and the demo never mixes into one. "
            f"Name another store, or remove it with `glymph space delete {SPACE} --url {shown}`.",
        )


def tell(facts: dict[str, Any], url: str | None) -> Iterator[str | Line]:
    """Yields the story for people."""
    yield Line(f"An agent remembers {facts['added']} things.", "bold")
    yield f"  Asked “{ASKED}”, it finds:"
    yield from (f"    {score:.2f}  {text}" for text, score in facts["found"])
    yield Line(f"{facts['days']} days later: what was used stays, the rest has faded.", "bold")
    yield from (f"    {present:4.0%}  {text}" for text, present in facts["faded"])
    yield Line("`analyze` proposes, and changes nothing:", "bold")
    for label, staleness, members in facts["groups"]:
        yield f"    {label}: {members} memories, staleness {staleness:.2f}"
    yield Line(f"`prune` archives {facts['pruned']}, `undo` brings {facts['undone']} back.", "bold")
    yield f"  Asked “{FORGOTTEN}”:"
    for name, texts in facts["answers"].items():
        yield f"    {name:7} {' '.join(texts) or 'nothing is found'}"
    kept = (
        "a temporary store, which is gone" if url is None else f"space {SPACE} of {mask_url(url)}"
    )
    yield Line(f"It ran in {kept}. The long demo is in a clone: `make demo`.", "dim")

"""`glymph demo`: in a clone half a year of an agent's life, else a short one that is built in."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import glymph
from glymph.cli.options import LOOK, Json

if TYPE_CHECKING:
    from types import ModuleType

    from glymph.client import Glymph
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


def register(app: typer.Typer) -> None:
    app.command("demo", rich_help_panel=LOOK)(demo)


def demo(
    url: Annotated[
        str | None,
        typer.Option(
            help="Keep it: load into a new space `demo` of this store.", show_default=False
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Another seed, another life (in a clone).")] = 7,
    as_json: Json = False,
) -> None:
    """Play some of an agent's life into a fresh store and show what became of it.

    A clone of the project plays half a year (examples/demo), a package a short built-in story.
    """
    if (long_demo := find_long_demo()) is not None:
        raise typer.Exit(long_demo.run(url, as_json, seed))
    from glymph.cli import output

    facts = play_short(url)
    output.answer(facts, tell(facts, url), as_json=as_json)
    raise typer.Exit(0 if facts["sound"] else output.FAILED)


def find_long_demo() -> ModuleType | None:
    """Returns examples/demo/run.py if the package runs from the src folder of a clone."""
    source = Path(glymph.__file__).resolve().parents[1]
    if source.name != "src" or not (source.parent / "examples/demo/__init__.py").is_file():
        return None
    sys.path.insert(0, str(source.parent))
    return import_module("examples.demo.run")


def play_short(url: str | None) -> dict[str, Any]:
    """Adds, searches, lets time pass, analyses, prunes and undoes; returns what happened."""
    from tempfile import TemporaryDirectory

    from glymph.client import Glymph
    from glymph.config import Settings
    from glymph.environment import effective_settings

    now = [START]
    with ExitStack() as stack:
        settings = Settings(durability="normal", embedder="none")
        if url is None:
            folder = stack.enter_context(TemporaryDirectory(ignore_cleanup_errors=True))
            url = f"sqlite:///{Path(folder, 'demo.db').as_posix()}"
        else:
            refuse_existing(url)
            settings = effective_settings()[0]
        memory = stack.enter_context(
            Glymph.open(url, space=SPACE, actor="agent", settings=settings, clock=lambda: now[0])
        )
        return _play(memory, now)


def _play(memory: Glymph, now: list[datetime]) -> dict[str, Any]:
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
    from glymph.errors import InvalidInput
    from glymph.stores import spaces_at

    if any(space.name == SPACE for space in spaces_at(url, create=True)):
        raise InvalidInput(
            "url",
            f"{url} has a space {SPACE!r} already, and the demo never mixes into one. "
            f"Name another store, or remove it with `glymph space delete {SPACE} --url {url}`.",
        )


def tell(facts: dict[str, Any], url: str | None) -> Iterator[str | Line]:
    """Yields the story for people."""
    from glymph.tools.blocks import Line

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
    kept = "a temporary store, which is gone" if url is None else f"space {SPACE} of {url}"
    yield Line(f"It ran in {kept}. The long demo is in a clone: `make demo`.", "dim")

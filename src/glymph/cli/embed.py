"""`glymph sleep embed`: vectors for the memories that wait for one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from time import perf_counter
from typing import Annotated, Any

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.options import KEEP, Json, SpaceName, Url
from glymph.cli.progress import show_progress
from glymph.errors import GlymphError
from glymph.tools.blocks import quantity

NO_EMBEDDER = (
    "No embedder: the setting embedder is none. `glymph config set embedder auto` switches it on."
)


def register(app: typer.Typer) -> None:
    app.command("embed", rich_help_panel=KEEP)(embed)


def embed(
    tidy: Annotated[
        bool,
        typer.Option(
            "--tidy", help="Also remove the vectors of other models, which are never compared."
        ),
    ] = False,
    url: Url = None,
    space: SpaceName = "default",
    as_json: Json = False,
) -> None:
    """Give a vector to every memory that waits for one. Cut short, it can be repeated."""
    with environment.open_glymph(url, space, "user", create=False) as glymph:
        before = glymph.meaning()
        if before.embedder is None:
            raise GlymphError(before.failure or before.absence or NO_EMBEDDER)
        started = perf_counter()
        waiting = before.waiting
        # Archived memories come after the live ones that were counted: more may be done than wait.
        with show_progress("embedding", "memories", quiet=as_json, expected=waiting) as tick:
            done = glymph.embed(tidy=tidy, progress=tick)
        seconds = perf_counter() - started
        after = glymph.meaning()
    facts = {
        "embedder": after.embedder,
        "dimension": after.dimension,
        "embedded": done,
        "waiting": after.waiting,
        "seconds": round(seconds, 3),
        "per_second": round(done / seconds, 1),
        "removed": sum(n for _, n in before.others) - sum(n for _, n in after.others),
    }
    output.answer(facts, _render(facts), as_json=as_json)


def _render(facts: Mapping[str, Any]) -> Iterator[str]:
    model = f"{facts['embedder']}, {facts['dimension']} numbers per text"
    if facts["embedded"]:
        many = quantity(facts["embedded"], "memory", "memories")
        speed = f"{facts['seconds']:.1f} s, {facts['per_second']:.0f} per second"
        yield f"Gave {many} a vector of {model}: {speed}."
    else:
        yield f"Nothing to do: every memory has its vector of {model}."
    if facts["waiting"]:
        many = quantity(facts["waiting"], "memory", "memories")
        yield f"{many} came meanwhile and wait: run it again."
    if facts["removed"]:
        yield f"Removed {quantity(facts['removed'], 'vector', 'vectors')} of other models."


def describe_embedder(status: Mapping[str, Any], space: str) -> list[str]:
    """Says in sentences how the embedder of a space and its vectors are doing."""
    if status["embedder"] is None:
        by_text = f"Recall goes by text only. {status['absence'] or NO_EMBEDDER}"
        return [status["failure"] or by_text]
    here = "" if space == "default" else f" --space {space}"
    sentences = [f"{status['embedder']}, {status['dimension']} numbers per text."]
    if status["waiting"]:
        many = quantity(status["waiting"], "memory waits", "memories wait")
        sentences.append(f"{many} for a vector: `glymph sleep embed{here}`.")
    else:
        sentences.append("Every memory has its vector.")
    if status["others"]:
        others = ", ".join(f"{name} ({vectors:,})" for name, vectors in status["others"])
        removal = f"`glymph sleep embed --tidy{here}` removes them."
        sentences.append(f"Vectors of other models, never compared: {others}. {removal}")
    if status["failure"]:
        sentences.append(status["failure"])
    return sentences

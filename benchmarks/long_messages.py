"""Whether the newer of two long messages that answer a question stands above the older.

Chats of long messages, each of which says several things. For a question whose answer changed the
newer message has to come first; for one whose answer still holds, the message that says it, and not
a later one that speaks of something near it.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from datetime import time as day_time
from pathlib import Path
from typing import Any

from benchmarks.harness.contract import Figure, Figures, Options
from benchmarks.harness.forgetting_cases import lines
from glymph import Glymph
from glymph.embed.contract import Embedder
from glymph.testing import FrozenClock

QUESTION = "Does the newer of two long messages stand above the older, where it updates it?"

FOLDER = Path(__file__).parent / "cases" / "long_messages"
NOON = day_time(12, tzinfo=UTC)
# Milliseconds that a search may read: so much that the speed of the machine decides nothing.
SETTINGS = {"rerank_ms": "2000"}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: whether an update is at stake, and what came of it."""

    is_update: bool
    above: bool  # what answers stands above what does not any more, or never did
    first: bool  # and is the first of all hits
    cpu_ms: float


def run(options: Options, embedder: Embedder | None = None) -> Figures:
    """Shares of questions with the right order, in the part for choosing and the one run once."""
    figures: dict[str, Figure] = {}
    for part in ("dev", "once"):
        chats = lines(FOLDER / f"{part}.jsonl")
        asked = [one for chat in chats[: options.count(len(chats))] for one in _ask(chat, embedder)]
        suffix = "" if part == "dev" else f"_{part}"
        for name, is_update, note in (
            (
                "newer_above_stale",
                True,
                "questions whose answer changed: the newer above the older",
            ),
            ("current_stays", False, "questions whose answer holds: it above what is near it"),
        ):
            own = [one.above for one in asked if one.is_update is is_update]
            figures[f"{name}{suffix}"] = Figure(_percent(own), f"% of {len(own)} {note}")
        first = [one.first for one in asked]
        figures[f"first_right{suffix}"] = Figure(
            _percent(first), f"% of {len(first)}: the first hit"
        )
        figures[f"search_cpu_ms{suffix}"] = Figure(
            sum(one.cpu_ms for one in asked) / max(1, len(asked)), "a search, on average"
        )
    return figures


def _ask(chat: Mapping[str, Any], embedder: Embedder | None) -> list[Asked]:
    """Tells the messages of a chat in order, and asks its questions a day later."""
    clock = FrozenClock()
    with (
        tempfile.TemporaryDirectory(prefix="glymph-long-") as folder,
        Glymph.open(
            f"sqlite:///{folder}/memory.db", clock=clock, settings=SETTINGS,
            embedder=embedder or "local",
        ) as memory,
    ):  # fmt: skip
        names = {}
        for message in chat["messages"]:
            clock.now = datetime.combine(datetime.fromisoformat(message["date"]), NOON)
            names[memory.add(message["text"]).id] = message["id"]
        memory.settle()
        clock.advance(days=1)
        return [_judge(memory, names, question) for question in chat["questions"]]


def _judge(memory: Glymph, names: Mapping[str, str], question: Mapping[str, Any]) -> Asked:
    began = time.process_time()
    hits = memory.search(question["question"])
    cpu_ms = 1000 * (time.process_time() - began)
    order = [names[hit.memory.id] for hit in hits]
    is_update = question["kind"] == "update"
    right, wrong = (question[key] for key in (("new", "old") if is_update else ("answer", "later")))
    above = next((one in right for one in order if one in {*right, *wrong}), False)
    return Asked(is_update, above, bool(order) and order[0] in right, cpu_ms)


def _percent(flags: Sequence[bool]) -> float:
    return 100 * sum(flags) / len(flags) if flags else 0.0

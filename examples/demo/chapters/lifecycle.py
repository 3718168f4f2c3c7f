"""How present the memories are today, section by section."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from examples.demo import page
from glymph.decay.sections import Section
from glymph.model import Lifecycle

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from examples.demo.play import Played
    from glymph.client import Glymph

BAR_WIDTH = 36


def gather(glymph: Glymph, played: Played) -> dict[str, Any]:
    stages = Counter((node["section"], node["lifecycle"]) for node in glymph.graph().nodes)
    sections = {s.value: {stage.value: stages[s, stage] for stage in Lifecycle} for s in Section}
    total = {stage.value: sum(counts[stage] for counts in sections.values()) for stage in Lifecycle}
    return {
        "sections": {name: counts for name, counts in sections.items() if sum(counts.values())},
        "all": total,
    }


def show(console: Console, facts: dict[str, Any]) -> None:
    total = facts["all"]
    page.print_heading(
        console,
        "How present they are today",
        f"{total['ACTIVE']:,} ACTIVE, {total['WEAK']:,} WEAK, {total['DORMANT']:,} DORMANT. "
        "Nothing was removed "
        "to get there: fading is computed when asked for and never written.",
    )
    rows: list[list[str | Text]] = [
        [name, page.bar(counts, BAR_WIDTH), *(f"{n:,}" for n in counts.values())]
        for name, counts in {**facts["sections"], "all": total}.items()
    ]
    page.table(
        console, ["section", "█ active  ▓ weak  ░ dormant", "active>", "weak>", "dormant>"], rows
    )

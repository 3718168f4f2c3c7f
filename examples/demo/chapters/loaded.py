"""What was loaded: how many memories of which kind, and what became of repeated statements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from examples.demo import page
from glymph.decay.sections import Section, kind_profile
from glymph.moments import iso

if TYPE_CHECKING:
    from rich.console import Console

    from examples.demo.play import Played
    from glymph.client import Glymph


def gather(glymph: Glymph, played: Played) -> dict[str, Any]:
    health = glymph.health()
    kinds: dict[str, dict[str, int]] = {section: {} for section in Section}
    for kind, n in sorted(health.by_kind.items(), key=lambda item: -item[1]):
        kinds[kind_profile(kind).section][kind] = n
    return {
        "from": iso(played.began),
        "until": iso(played.ended),
        "seconds": round(played.seconds, 3),
        "statements": played.learned,
        "memories": played.learned - played.duplicates - played.refused,
        "duplicates": played.duplicates,
        "refused": played.refused,
        "links": health.edges,
        "recalls": played.recalls,
        "uses": played.uses,
        "unseen": played.unseen,
        "pinned": health.pinned,
        "archived": health.archived,
        "trashed": health.trashed,
        "by_section": dict(health.by_section),
        "kinds": kinds,
    }


def show(console: Console, facts: dict[str, Any]) -> None:
    page.print_heading(
        console,
        "What was loaded",
        f"{facts['statements']:,} statements from {facts['from'][:10]} to {facts['until'][:10]}, "
        "played in "
        f"{facts['seconds']:.1f} s, became {facts['memories']:,} memories with {facts['links']:,} "
        "links.",
        f"{facts['duplicates']} statements had been heard before in another case or spacing: each "
        "strengthened "
        "the older memory instead of making a second one.",
        f"{facts['recalls']} recalls brought {facts['uses']} reported uses; "
        f"{page.count(facts['unseen'], 'time')} the memory that was meant was not among the ten "
        "shown.",
    )
    rows = []
    for section, kinds in facts["kinds"].items():
        named = ", ".join(f"{kind} {n}" for kind, n in kinds.items())
        rows.append([section, f"{facts['by_section'].get(section, 0):,}", named])
    page.table(console, ["section", "live>", "kinds~"], rows)
    console.print()
    page.say(
        console,
        f"{facts['pinned']} are pinned; {facts['archived']} were archived "
        f"and {facts['trashed']} deleted by hand.",
    )

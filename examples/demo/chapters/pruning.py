"""The stale groups of the half-year, from found to pruned again.

Found, shown as a plan, pruned, recall asked, undone, and pruned again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from examples.demo import page
from examples.demo.chapters.forgetting import fingerprint
from examples.demo.questions import own_questions, questions_in_other_words

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from examples.demo.play import Played
    from glymph.client import Glymph
    from glymph.prune.plan import Group

MIN_STALENESS = 0.7
SHOWN = 6  # groups in the table
MEMBERS = 3  # of the stalest group


def gather(glymph: Glymph, played: Played) -> dict[str, Any]:
    plan = glymph.analyze(min_staleness=MIN_STALENESS, max_groups=100)
    before, asked = fingerprint(glymph), _count_answered(glymph, played)
    live = glymph.health().live + glymph.health().dormant
    done = glymph.prune(plan, confirm_large=True)
    pruned = fingerprint(glymph), _count_answered(glymph, played)
    undone = glymph.undo(done.operation_id, reason="the demo takes it back")
    after = fingerprint(glymph)
    again = glymph.prune(plan, confirm_large=True, reason="and prunes again")
    return {
        "plan": plan.id,
        "totals": {"memories": plan.totals.memories, "edges": plan.totals.edges,
                   "connected_groups": plan.totals.connected_groups,
                   "elapsed_ms": plan.totals.elapsed_ms},
        "groups": [_describe_group(group) for group in plan.groups],
        "planned": len(plan.node_ids),
        "live": live,
        "pruned": len(done.succeeded),
        "skipped": sorted({refusal.reason for refusal in done.skipped}),
        "left": len(done.skipped),
        "questions": asked[1],
        "answered": {"before": asked[0], "pruned": pruned[1][0]},
        "restored": len(undone.succeeded),
        "identical": before == after,
        "changed": before != pruned[0],
        "pruned_again": len(again.succeeded),
        "operation": again.operation_id,
    }  # fmt: skip


def _describe_group(group: Group) -> dict[str, Any]:
    return {
        "label": group.label,
        "members": group.node_count,
        "links": group.edge_count,
        "staleness": group.staleness,
        "days_since_active": group.days_since_active,
        "recalls": group.impact.recalls,
        "examined": group.impact.examined,
        "lessons": len(group.impact.lessons),
        "reasons": list(group.reasons),
        "titles": [[node.title, list(node.reasons)] for node in group.nodes[:MEMBERS]],
    }


def _count_answered(glymph: Glymph, played: Played) -> tuple[int, int]:
    """How many of the questions with a known answer have it among the first ten.

    And how many there are.
    """
    found = total = 0
    for question, refs in [*own_questions(), *questions_in_other_words()]:
        meant = {played.ids[ref] for ref in refs if ref in played.ids}
        found += any(hit.memory.id in meant for hit in glymph.search(question))
        total += 1
    return found, total


def show(console: Console, facts: dict[str, Any]) -> None:
    groups, totals = facts["groups"], facts["totals"]
    page.print_heading(
        console,
        "Pruning: a plan, a look, a prune, an undo",
        f"{totals['memories']:,} memories and {totals['edges']:,} links, analysed in "
        f"{totals['elapsed_ms']:,.0f} "
        f"ms. The plan takes the {len(groups)} stalest groups (from {MIN_STALENESS} on) and names "
        "each of their "
        f"{facts['planned']:,} memories. It begins with:",
    )
    rows: list[list[str | Text]] = [
        [f"{g['staleness']:.2f}", f"{g['members']}", f"{g['days_since_active']:.0f}",
         f"{g['recalls']} of {g['examined']}", page.text(g["label"])]
        for g in groups[:SHOWN]
    ]  # fmt: skip
    page.table(console, ["stale>", "memories>", "days>", "recalls>", "group…"], rows)
    console.print()
    answered = facts["answered"]
    verdict = (
        page.text("identical", "green")
        if facts["identical"]
        else page.text("DIFFERENT", "bold red")
    )
    asked = facts["questions"]
    page.table(
        console,
        ["", "", ""],
        [
            ["before", f"{answered['before']} of {asked} questions answered",
             f"{facts['live']:,} live"],
            [f"{facts['pruned']:,} archived", f"{answered['pruned']} of {asked} questions answered",
             f"{facts['live'] - facts['pruned']:,} live"],
            ["undone", "everything hashed and compared", verdict],
            ["pruned again", f"the same plan: {facts['pruned_again']:,} archived",
             "`glymph undo` takes it back"],
        ],
    )  # fmt: skip
    if facts["left"]:
        console.print()
        page.say(console, f"{facts['left']} of the plan stayed: {'; '.join(facts['skipped'])}.")

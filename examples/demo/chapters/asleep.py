"""While the agent sleeps: the last session is read and what has faded steps back.

The next session gets a digest.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from examples.demo import page
from glymph.text.tokens import tokens

if TYPE_CHECKING:
    from rich.console import Console

    from examples.demo.play import Played
    from glymph.client import Glymph

# What was said in the last session; the key is made up, and assembled so that nobody takes it for
# one.
SESSION = (
    ("user", "From now on always set the stop before the entry is filled."),
    ("assistant", "Understood. I will place the stop first."),
    (
        "user",
        f"And the exchange key is {'sk-' + 'a1B2' * 10}, can you check whether it still works?",
    ),
    ("user", "We decided to leave the second venue at the end of the quarter."),
)
SHOWN_LINES = 9
SHOWN_GONE = 4


def gather(glymph: Glymph, played: Played) -> dict[str, Any]:
    read = glymph.extract(
        [{"role": role, "content": text} for role, text in SESSION], session="the last one"
    )
    faded = glymph.lifecycle()
    digest = glymph.surface()
    costs = glymph.costs()
    facts = {
        "turns": read.turns,
        "kept": [one.text for one in read.found],
        "masked": read.masked,
        "archived": len(faded.archived),
        "by_kind": dict(Counter(one.kind for one in faded.archived).most_common()),
        "reasons": [{"title": one.title, "why": one.reason} for one in faded.archived[:SHOWN_GONE]],
        "waiting": faded.waiting,
        "cap": faded.cap,
        "digest": digest.splitlines(),
        "digest_tokens": tokens(digest),
        "cost_usd": costs.total.cost_usd,
    }
    for operation in faded.operation_ids:
        glymph.undo(operation, reason="the demo clears up")
    for added in read.added:
        glymph.delete(str(added.id), reason="the demo clears up")
    return facts


def show(console: Console, facts: dict[str, Any]) -> None:
    page.print_heading(
        console,
        "While the agent sleeps",
        "The session has ended. Nothing below asked a language model.",
    )
    page.say(
        console, f"Extract read {facts['turns']} turns, masked {facts['masked']} secret and kept:"
    )
    for kept in facts["kept"]:
        page.say(console, f"  “{kept}”")
    kinds = ", ".join(f"{count} {kind}" for kind, count in facts["by_kind"].items())
    page.say(
        console,
        f"Lifecycle archived {facts['archived']} memories ({kinds}), of {facts['cap']} that a run "
        "may; "
        f"{facts['waiting']} trades wait until somebody has learnt from them. For example:",
    )
    page.table(
        console,
        ["memory~", "why~"],
        [[page.text(one["title"]), one["why"]] for one in facts["reasons"]],
    )
    console.print()
    page.say(
        console, f"The next session begins with this digest of {facts['digest_tokens']} tokens:"
    )
    for line in facts["digest"][:SHOWN_LINES]:
        page.say(console, f"  {line}")
    page.say(console, f"  and {max(0, len(facts['digest']) - SHOWN_LINES)} more lines.")

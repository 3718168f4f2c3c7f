"""The status of a space on one screen: what it holds, what upkeep did and will do, and what
somebody should do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from glymph.cli import show
from glymph.moments import parse_iso

FEW = 8  # spaces that are named
STYLES = {"ok": "bold green", "attention": "bold yellow", "failing": "bold red"}


def status(facts: Mapping[str, Any], space: str) -> None:
    """The whole page, from what `glymph status --json` prints."""
    presence = f"{facts['active']:,} active, {facts['weak']:,} weak"
    rows = [
        ["store", facts["store"]],
        ["space", f"{facts['space']}{_others(facts['spaces'])}"],
        *(["away", f"part {part}: {why}"] for part, why in facts["away"].items()),
        ["live", f"{facts['live']:,}: {presence}; besides {facts['dormant']:,} dormant"],
        ["kinds", _pairs(facts["by_kind"])],
        ["put away", f"{facts['archived']:,} archived, {facts['trashed']:,} in the trash"],
        [
            "links",
            f"{facts['edges']:,}; {facts['pinned']:,} pinned, {facts['superseded']:,} superseded",
        ],
        ["operations", f"{facts['operations']:,}, the last {_ago(facts['last_operation_at'])}"],
        ["meaning", " ".join(show.meaning(facts["meaning"], space))],
    ]
    show.table(["", ""], rows)
    show.line("")
    autonomous(facts)


def autonomous(value: Mapping[str, Any]) -> None:
    """The part about upkeep."""
    show.line(f"Upkeep: {value['health']}", STYLES[value["health"]])
    show.table(["", ""], [["•", told] for told in value["recommendations"]])
    rows = [
        ["queue", _queue(value["queue"])],
        ["lock", _lock(value["lock"])],
        ["left today", _caps(value["caps"])],
        ["AI prune", _ai_prune(value["counters"])],
    ]
    show.table(["", ""], rows)
    new = [
        one["job"]
        for one in value["jobs"]
        if one["told"] == "has not run yet" and not one["overdue"]
    ]
    known = [one for one in value["jobs"] if one["job"] not in new]
    jobs = [[one["job"], _ago(one["last_run_at"]), _until(one), one["told"]] for one in known]
    show.table(["job", "last run", "next", "outcome"], jobs)
    if new:
        show.line(f"Not run yet: {', '.join(new)}.", "dim")


def _others(spaces: Sequence[str]) -> str:
    more = f" and {len(spaces) - FEW:,} more" if len(spaces) > FEW else ""
    return f" (of {', '.join(spaces[:FEW])}{more})" if len(spaces) > 1 else ""


def _pairs(value: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in value.items()) or "none"


def _queue(value: Mapping[str, Any]) -> str:
    if not value["waiting"] and not value["failed"]:
        return "empty"
    since = f", the oldest came {_ago(value['oldest_at'])}" if value["oldest_at"] else ""
    return f"{value['waiting']:,} waiting ({value['resting']:,} resting), {value['failed']:,} given up{since}"


def _lock(value: Mapping[str, Any]) -> str:
    if value["state"] == "free":
        return "free"
    until = show.when(value["until"])
    if value["state"] == "held":
        return f"held by {value['holder']} until {until} UTC"
    return f"stale: {value['holder']} did not give it back; the next worker takes it over"


def _caps(value: Mapping[str, Any]) -> str:
    archive = show.counted(value["unattended_left"], "memory", "memories")
    return f"{archive} to archive, {value['spend_left_usd']:.2f} USD and {value['tokens_left']:,} tokens to spend"


def _ai_prune(value: Mapping[str, Any]) -> str:
    sessions = show.counted(value["sessions_since_ai_prune"], "session has", "sessions have")
    then = value["active_count_at_last_ai_prune"]
    if then is None:
        return f"never ran; {sessions} ended"
    return (
        f"ran {_ago(value['last_ai_prune_at'])} with {then:,} live memories; {sessions} ended since"
    )


def _until(job: Mapping[str, Any]) -> str:
    if job["next_due_at"] is None:
        return "-"
    told = _ago(job["next_due_at"])
    return "overdue" if job["overdue"] else told if told.startswith("in") else "due"


def _ago(iso: str | None) -> str:
    """A moment as seen from now: 5 min ago, in 2 h."""
    if iso is None:
        return "never"
    seconds = (parse_iso(iso, "time") - datetime.now(UTC)).total_seconds()
    size = abs(seconds)
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if size >= 2 * length or (unit == "min" and size >= length):
            told = f"{size / length:.0f} {unit}"
            return f"in {told}" if seconds > 0 else f"{told} ago"
    return "now"

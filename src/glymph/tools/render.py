"""Renderings that several tools and commands share: memories, receipts, plans, hits, upkeep."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from glymph.moments import parse_iso
from glymph.text.normal import is_derived_title
from glymph.tools.blocks import LINK, Line, Table, format_cell, format_time, quantity
from glymph.upkeep.status_result import IDLE

NOT_CHANGED = "Nothing was changed: add --apply to do it."
NOT_CHANGED_LARGE = (
    "Nothing was changed. It is more than may go at once: add --apply --confirm-large to do it."
)
ASKED = "answer the question"  # in the reason of what was left alone for a doubt
UPKEEP_STYLES = {"ok": "bold green", "attention": "bold yellow", "failing": "bold red"}
LONGEST_VALUE = 60  # characters of a replaced value in a memory's history
SAME = 30  # seconds that make no other moment
MEMBER, FEW_MEMBERS = "  - ", 5  # a line of a plan, and how many of a group are shown at first
LONGEST_TEXT = 300  # characters of a found memory
_GROUP, _LISTED = re.compile(r"Group (\d+): "), re.compile(r"\d+ of the \d+ members of group ")

Result = Mapping[str, Any]
Blocks = Iterator[Line | Table]


def render_undo(operation_id: str | None, where: str = "") -> Blocks:
    """Shows the command that takes an operation back, if there was one."""
    if operation_id:
        yield Line(f"  take it back with: glymph undo {operation_id}{where}", "dim")


def render_usage(result: Result) -> Blocks:
    """Shows how often a language model was asked and for how much, if it was."""
    if result["calls"]:
        calls = quantity(result["calls"], "call", "calls")
        tokens = f"{result['tokens_in']:,} tokens in, {result['tokens_out']:,} out"
        yield Line(f"{calls}: {tokens}, {result['cost_usd']:.4f} USD.", "dim")


def render_receipt(receipt: Result) -> Blocks:
    """Shows what an operation did, what it left alone and why, and the way back."""
    done, skipped, failed = (len(receipt[name]) for name in ("succeeded", "skipped", "failed"))
    along = f" ({len(receipt['cascaded'])} more along with them)" if receipt.get("cascaded") else ""
    yield Line(f"{receipt['verb']}: {done} done{along}, {skipped} skipped, {failed} failed")
    for memory_id, title in receipt.get("titles", {}).items():
        yield Line(f"  {format_cell(title)} [{memory_id}]")
    if receipt.get("titles") and (rest := _describe_untitled(receipt)):
        yield Line(f"  … and {rest}", "dim")
    yield from render_refusals(receipt)
    if receipt.get("recoverable_until"):
        yield Line(f"  in the trash, recoverable until {receipt['recoverable_until'][:10]}")
    if receipt["succeeded"] and receipt["verb"] == "purge":
        yield Line(
            "  for good: there is no undo. `glymph store certificates` says what is clean.", "dim"
        )
    elif receipt["succeeded"]:
        yield from render_undo(receipt["operation_id"])


def _describe_untitled(receipt: Result) -> str:
    """Says how many links, and how much else without a title, an operation was done to."""
    links = sum(LINK in one for one in receipt["succeeded"])
    others = len(receipt["succeeded"]) - links - len(receipt["titles"])
    told = [
        quantity(links, "link", "links") if links else "",
        f"{others:,} more" if others > 0 else "",
    ]
    return " and ".join(filter(None, told))


def render_refusals(receipt: Result) -> Blocks:
    """Shows the ids that were left alone, each with the reason."""
    for kind, style in (("skipped", "yellow"), ("failed", "red")):
        for refusal in receipt[kind]:
            told = f"{refusal['id']}: {refusal['reason']}"
            yield Line(f"  {kind}: {format_cell(told)}", style)
    if any(ASKED in refusal["reason"] for refusal in receipt["skipped"]):
        yield Line("  status 3: a doubt is left. Answer it with: glymph questions", "dim")


def render_memories(memories: Sequence[Result]) -> Table:
    """Shows memories, each in a row."""
    rows = [
        [
            memory["id"],
            memory["kind"],
            memory["state"] if memory["state"] != "LIVE" else memory["lifecycle"],
            f"{memory['retrievability']:.2f}",
            memory["title"],
        ]
        for memory in memories
    ]
    return Table(["id", "kind", "presence", "R>", "title"], rows)


def render_changes(changes: Sequence[Result]) -> Table:
    """Shows a memory's history, oldest first, with what each change replaced."""
    bookkeeping = ("content_hash", "updated_at", "version")
    rows = []
    for change in changes:
        before = change["before"].items()
        replaced = (
            f"{name}: {_shorten(value)}" for name, value in before if name not in bookkeeping
        )
        when = format_time(change["at"])
        action = change["action"]
        if change["folded"]:
            action += f" ({quantity(change['folded'], 'other change', 'other changes')} folded)"
        rows.append([when, change["actor"], change["verb"], action, ", ".join(replaced)])
    columns = ["when (UTC)", "actor", "verb", "change", "before"]
    return Table(columns, rows, [change["reason"] for change in changes])


def _shorten(value: Any) -> str:
    text = str(value)
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"


def render_hits(result: Result) -> Blocks:
    """Shows what a search or a recall found, the best first, with why."""
    hits = result["hits"]
    if result.get("notice"):
        yield Line(result["notice"], "yellow")
    rows = [[f"{h['score']:.2f}", h["kind"], h["lifecycle"], h["id"], _say(h)] for h in hits]
    notes = [f"{h['created_at'][:10]}: {h['why']}" for h in hits]
    yield Table(["score>", "kind", "presence", "id", "text"], rows, notes)
    if not rows:
        yield Line("Nothing found. Other words, or --states ARCHIVED, may find it.")


def _say(memory: Result) -> str:
    """Returns what a memory says: its text, behind a title that somebody gave it."""
    title, text = memory["title"], " ".join(memory["text"].split())
    said = text if is_derived_title(title, memory["text"]) else f"{title}: {text}"
    return said if len(said) <= LONGEST_TEXT else said[: LONGEST_TEXT - 1] + "…"


def render_plan(plan: Result) -> Blocks:
    """Shows a plan to prune, and how to act on it: by commands, not by the calls of programs.

    A part of a plan (`analyze`) shows a few members of each group, and names the other groups.
    """
    in_part = "rest" in plan
    lines = plan["text"].splitlines()
    said = [one for one in lines if not one.startswith("batch_prune(")]
    if in_part:
        counts = {one["group"]: one["node_count"] for one in plan["groups"]}
        said = list(_leave_out_members(said, counts))
    yield Line("\n".join(said).rstrip())
    for one in plan.get("rest", ()):
        many = quantity(one["node_count"], "memory", "memories")
        yield Line(f"Group {one['group']}: {one['label']} ({many})")
    if plan["groups"]:
        prune = f"glymph prune {plan['plan_id']} --groups {plan['groups'][0]['group']}"
        yield Line("")
        if in_part:
            yield Line(f"Every member: glymph prune plan show {plan['plan_id']}", "dim")
        yield Line(f"Nothing was changed. See what archiving a group would do: {prune}", "dim")


def _leave_out_members(lines: Sequence[str], counts: Mapping[int, int]) -> Iterator[str]:
    """Yields the lines of a plan with the first members of each group, and how many more it has."""
    members = whole = 0
    for line in [*lines, ""]:
        is_member = line.startswith(MEMBER)
        shown = min(members, FEW_MEMBERS)
        if not is_member and 0 < shown < whole:
            yield f"  … and {whole - shown:,} more"
        members = members + 1 if is_member else 0
        if group := _GROUP.match(line):
            whole = counts[int(group[1])]
        if members <= FEW_MEMBERS and not _LISTED.match(line):
            yield line


def render_prune_preview(result: Result) -> Blocks:
    """Shows the ids that a prune would archive or trash."""
    many = quantity(len(result["succeeded"]), "memory", "memories")
    along = len(result["cascaded"])
    also = f", and {along:,} that only exist through them" if along else ""
    how = NOT_CHANGED_LARGE if result.get("needs_confirm_large") else NOT_CHANGED
    yield Line(f"Would {result['would']} {many}{also}. {how}", "bold")
    titles = result.get("titles", {})
    for memory_id in [*result["succeeded"], *result["cascaded"]]:
        title = titles.get(memory_id)
        yield Line(f"  {format_cell(title)} [{memory_id}]" if title else f"  {memory_id}")
    yield from render_refusals(result)


def describe_rewritten(erasure: Result | None) -> str:
    """Says which files and messages an erasure writes anew; empty if none."""
    files, messages = (erasure["files"], erasure["messages"]) if erasure else (0, 0)
    parts = [
        quantity(files, "file of conversations", "files of conversations") if files else "",
        quantity(messages, "message in the store", "messages in the store") if messages else "",
    ]
    return " and ".join(filter(None, parts))


def render_upkeep(status: Result) -> Blocks:
    """Shows how upkeep is doing: what to do, what waits, and when each job ran and will run."""
    yield Line(f"Upkeep: {status['health']}", UPKEEP_STYLES[status["health"]])
    yield Table(["", ""], [["•", advice] for advice in status["recommendations"]])
    yield Table(
        ["", ""],
        [
            ["queue", _describe_queue(status["queue"])],
            ["lock", _describe_lock(status["lock"])],
            ["left today", _describe_caps(status["caps"])],
            ["AI prune", _describe_ai_prune(status["counters"])],
        ],
    )
    waiting = [job for job in status["jobs"] if _is_new(job)]
    quiet = [job for job in status["jobs"] if job["told"] == IDLE and not job["overdue"]]
    known = [job for job in status["jobs"] if job not in waiting and job not in quiet]
    rows = [[job["job"], from_now(job["last_run_at"]), _next(job), job["told"]] for job in known]
    yield Table(["job", "last run", "next", "outcome"], rows)
    if quiet:
        yield Line(f"Found nothing to do: {', '.join(job['job'] for job in quiet)}.", "dim")
    if waiting:
        yield Line(f"Not run yet: {', '.join(job['job'] for job in waiting)}.", "dim")


def _is_new(job: Result) -> bool:
    return job["told"] == "has not run yet" and not job["overdue"]


def _next(job: Result) -> str:
    if job["next_due_at"] is None:
        return "-"
    when = from_now(job["next_due_at"])
    return "overdue" if job["overdue"] else when if when.startswith("in") else "due"


def _describe_queue(queue: Result) -> str:
    if not queue["waiting"] and not queue["failed"]:
        return "empty"
    since = f", the oldest came {from_now(queue['oldest_at'])}" if queue["oldest_at"] else ""
    waiting = f"{queue['waiting']:,} waiting ({queue['resting']:,} resting)"
    return f"{waiting}, {queue['failed']:,} given up{since}"


def _describe_lock(lock: Result) -> str:
    if lock["state"] == "free":
        return "free"
    if lock["state"] == "held":
        return f"held by {lock['holder']} until {format_time(lock['until'])} UTC"
    return f"stale: {lock['holder']} did not give it back; the next worker takes it over"


def _describe_caps(caps: Result) -> str:
    archive = quantity(caps["unattended_left"], "memory", "memories")
    spend = f"{caps['spend_left_usd']:.2f} USD and {caps['tokens_left']:,} tokens to spend"
    return f"{archive} to archive, {spend}"


def _describe_ai_prune(counters: Result) -> str:
    sessions = quantity(counters["sessions_since_ai_prune"], "session has", "sessions have")
    then = counters["active_count_at_last_ai_prune"]
    if then is None:
        return f"never ran; {sessions} ended"
    ran = f"ran {from_now(counters['last_ai_prune_at'])} with {then:,} live memories"
    return f"{ran}; {sessions} ended since"


def from_now(iso: str | None) -> str:
    """Returns a moment as seen from now: 5 min ago, in 2 h."""
    if iso is None:
        return "never"
    seconds = (parse_iso(iso, "time") - datetime.now(UTC)).total_seconds()
    size = abs(seconds) + SAME  # 119.9 minutes are two hours
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if size >= 2 * length or (unit == "min" and size >= length):
            span = f"{size / length:.0f} {unit}"
            return f"in {span}" if seconds > 0 else f"{span} ago"
    return "now"

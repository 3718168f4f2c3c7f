"""The status of upkeep in a space: its jobs, its queue, its lock, its caps, and what to do next."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from glymph.context import Context
from glymph.decay.stages import Stage
from glymph.errors import GlymphError
from glymph.forget.trash import trash
from glymph.moments import AHEAD, MICROS_PER_DAY, micros, moment, optional_moment
from glymph.prune import ai_prune, lifecycle
from glymph.prune.allowance import allowance
from glymph.recall.counter import stage_of
from glymph.store.contract import Row
from glymph.store.reader import Reader
from glymph.upkeep.leases import LASTS
from glymph.upkeep.status_result import (
    ATTENTION,
    FAILING,
    FREE,
    HELD,
    IDLE,
    OK,
    STALE,
    AutonomousStatus,
    Backlog,
    Caps,
    GivenUp,
    JobStatus,
    LockStatus,
    QueueStatus,
)
from glymph.write.backfill import count_waiting as without_vectors
from glymph.write.questions import questions

FEW = 20  # jobs given up that are listed
LATE = MICROS_PER_DAY // 24  # after its time, a job counts as overdue
TROUBLED = timedelta(days=3)  # how long a job that was given up makes the space a failing one
LITTLE = 200  # MB left on the disk under which writing will soon fail
SECOND = 1_000_000

_COMMAND = re.compile("`(glymph (?!doctor)[^`]+)`")  # doctor looks at the whole store
_BY_HAND = {
    "lifecycle": "glymph sleep lifecycle --apply",
    "ai_prune": "glymph sleep ai-prune --apply",
    "embed": "glymph sleep embed",
    "questions": "glymph questions",
    "trash": "glymph memory trash empty --apply",
    "surface": "glymph memory surface",
}


def autonomous_status(ctx: Context) -> AutonomousStatus:
    """Returns the status of the space, from one look that changes nothing."""
    now = micros(ctx.now())
    with ctx.reading() as reader:
        spent = reader.spent_since(now - MICROS_PER_DAY, upto=now + AHEAD)
        settings = ctx.settings
        caps = Caps(
            unattended_left=allowance(ctx, reader),
            spend_left_usd=round(max(0.0, settings.spend_daily_usd - spent.usd), 6),
            tokens_left=max(0, settings.tokens_daily - spent.tokens),
        )
        jobs, line, lock = _jobs(ctx, reader, now), _queue(reader, now), _lock(reader.lease(), now)
        counters = _counters(reader)
        pending = len(reader.pending_certificates())
    backlog = _backlog(ctx, pending)
    failing = list(_explain_failures(jobs, line, backlog, now))
    other = list(_recommend(ctx, jobs, line, lock, backlog, caps, now))
    return AutonomousStatus(
        health=FAILING if failing else ATTENTION if other else OK,
        recommendations=tuple(_in_space(ctx.space, told) for told in (*failing, *other)),
        jobs=jobs, queue=line, lock=lock, backlog=backlog, caps=caps, counters=counters,
    )  # fmt: skip


def measure_condition(ctx: Context) -> dict[str, Any]:
    """Returns figures that cost little and say if a space can be worked with.

    Raises what the store raises.
    """
    now = micros(ctx.now())
    with ctx.reading() as reader:
        line = reader.queue_state(now)
        told = {"live": reader.live_count(), "waiting": line["waiting"], "resting": line["resting"]}
        given_up = len(reader.failed_jobs(limit=FEW))
    told |= {"given_up": given_up, "store_mb": round(ctx.store.recent_size() / 1e6, 1)}
    free = _free_mb(ctx)
    if free is None:
        return told
    told["free_mb"] = free
    return {**told, "failed": f"only {free} MB are left on the disk"} if free < LITTLE else told


def _free_mb(ctx: Context) -> int | None:
    """Returns what is left on the disk of a store that is a file; None for another."""
    scheme, mark, rest = ctx.store.url.partition(":///")
    folder = Path(unquote(rest.partition("?")[0])).parent
    if scheme != "sqlite" or not mark or not folder.is_dir():
        return None
    return shutil.disk_usage(folder).free // 1_000_000


# parts


def _jobs(ctx: Context, reader: Reader, now: int) -> tuple[JobStatus, ...]:
    """Returns each scheduled job; lifecycle and ai_prune also where only hooks run them."""
    rows = {row["job"]: dict(row) for row in reader.schedules()}
    for job, counter in (("lifecycle", lifecycle.LAST_RUN), ("ai_prune", ai_prune.LAST_RUN)):
        row = rows.setdefault(
            job, {"job": job, "due_at": None, "last_run_at": None, "outcome": None}
        )
        last = reader.counter(counter)
        if last is not None and last > (row["last_run_at"] or 0):
            row["last_run_at"], row["outcome"] = last, None
    waits = {"ai_prune": _ai_prune_waits_for(ctx, reader)}
    return tuple(_job(rows[name], waits.get(name, ""), now) for name in sorted(rows))


def _ai_prune_waits_for(ctx: Context, reader: Reader) -> str:
    if ctx.model is None:
        return "off: no language model"
    if stage_of(reader) is Stage.INFANCY:
        return f"off: {ai_prune.INFANT}"
    why = ai_prune.find_reason(ctx, reader)
    return f"due: {why}" if why else "waits for more sessions or memories"


def _job(row: Row, waits: str, now: int) -> JobStatus:
    report = _parse_report(row["outcome"])
    outcome = None
    if row["outcome"] is not None:
        outcome = next((how for how in ("failed", "skipped") if how in report), "done")
    due_at = row["due_at"]
    usual = "done" if row["last_run_at"] else "has not run yet"
    return JobStatus(
        job=row["job"],
        last_run_at=optional_moment(row["last_run_at"]),
        next_due_at=optional_moment(due_at),
        outcome=outcome,
        told=_describe(outcome, report) or waits or usual,
        overdue=due_at is not None and now - due_at > LATE,
        report=report,
    )


def _parse_report(text: str | None) -> dict[str, Any]:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        found = text
    return found if isinstance(found, dict) else {"told": str(found)}


def _describe(outcome: str | None, report: Mapping[str, Any]) -> str:
    """Returns a report in one line: why it failed or did nothing, or its figures."""
    if outcome in ("failed", "skipped"):
        return f"{outcome}: {report[outcome]}"
    figures = {
        name: len(value) if isinstance(value, list) else value for name, value in report.items()
    }
    told = [_say_figure(name, value) for name, value in figures.items() if value]
    return ", ".join(told) or (IDLE if figures else "")


def _say_figure(name: str, value: Any) -> str:
    words = name.replace("_", " ")
    return (
        f"{words.removesuffix(' mb')} {value:,} MB" if words.endswith(" mb") else f"{words} {value}"
    )


def _queue(reader: Reader, now: int) -> QueueStatus:
    row, failed = reader.queue_state(now), reader.failed_jobs(limit=FEW)
    return QueueStatus(
        waiting=row["waiting"],
        resting=row["resting"],
        failed=len(failed),
        oldest_at=optional_moment(row["oldest_at"]),
        failures=tuple(_given_up(one) for one in failed),
    )


def _given_up(row: Row) -> GivenUp:
    steps = {
        name: told for name, told in _parse_report(row["report"]).items() if isinstance(told, dict)
    }
    reasons = {name: str(told["failed"]) for name, told in steps.items() if "failed" in told}
    return GivenUp(row["id"], row["job"], moment(row["failed_at"]), row["attempts"], reasons)


def _lock(row: Row | None, now: int) -> LockStatus:
    if row is None or row["until"] <= 0:
        return LockStatus(FREE)
    ahead = row["until"] - now
    held = 0 < ahead <= 2 * LASTS * SECOND  # farther ahead only if the clock was set back
    return LockStatus(HELD if held else STALE, row["holder"], moment(row["until"]))


def _counters(reader: Reader) -> dict[str, Any]:
    moments = (lifecycle.LAST_RUN, ai_prune.LAST_RUN)
    counts = (ai_prune.SESSIONS, ai_prune.LIVE_THEN)
    return {name: optional_moment(reader.counter(name)) for name in moments} | {
        name: reader.counter(name) or 0 if name == ai_prune.SESSIONS else reader.counter(name)
        for name in counts
    }


def _backlog(ctx: Context, pending: int) -> Backlog:
    problem = ""
    try:
        without: int | None = without_vectors(ctx)
    except GlymphError as error:
        without, problem = None, str(error)
    rubbish = trash(ctx)
    return Backlog(
        without_vectors=without,
        open_questions=len(questions(ctx)),
        in_trash=len(rubbish),
        expired_trash=sum(one.expired for one in rubbish),
        pending_certificates=pending,
        embedder_problem=problem,
    )


# what to do


def _explain_failures(
    jobs: tuple[JobStatus, ...], line: QueueStatus, backlog: Backlog, now: int
) -> Iterator[str]:
    if backlog.embedder_problem:
        yield f"The embedder cannot be used: {backlog.embedder_problem} `glymph doctor` looks."
    for one in jobs:
        if one.outcome == "failed":
            command = _BY_HAND.get(one.job, "glymph doctor")
            does = "looks" if "doctor" in command else "tries it now"
            yield f"{one.job} {one.told}. `{command}` {does}."
    lately = [one for one in line.failures if moment(now) - one.failed_at < TROUBLED]
    if lately:
        why = next(
            (reason for one in lately for reason in one.reasons.values()), "no reason was kept"
        )
        yield (
            f"{_many(len(lately), 'job was', 'jobs were')} given up ({why}). "
            "`glymph status --json` tells each; "
            "`glymph sleep extract TRANSCRIPT` reads a session by hand."
        )


def _recommend(
    ctx: Context,
    jobs: tuple[JobStatus, ...],
    line: QueueStatus,
    lock: LockStatus,
    backlog: Backlog,
    caps: Caps,
    now: int,
) -> Iterator[str]:
    late = [one.job for one in jobs if one.overdue]
    old = line.oldest_at is not None and moment(now) - line.oldest_at > timedelta(hours=1)
    if late:
        names = ", ".join(late)
        yield f"{names} should have run: no daemon is at work. `glymph sleep daemon` starts one."
    if line.waiting > line.resting and old and lock.state != HELD:
        many = _many(line.waiting, "job waits", "jobs wait")
        yield f"{many} for a worker. `glymph sleep daemon --once` runs them."
    if line.resting:
        many = _many(line.resting, "job", "jobs")
        yield f"{many} failed and will be tried again. `glymph status --json` tells."
    if backlog.without_vectors:
        many = _many(backlog.without_vectors, "memory waits", "memories wait")
        yield f"{many} for a vector. `glymph sleep embed` makes them."
    if backlog.open_questions:
        many = _many(backlog.open_questions, "question waits", "questions wait")
        yield f"{many} for an answer. `glymph questions` shows them."
    if backlog.expired_trash:
        many = _many(backlog.expired_trash, "memory is", "memories are")
        yield f"{many} past the time in the trash. `glymph memory trash empty --apply` ends them."
    if backlog.pending_certificates:
        many = _many(backlog.pending_certificates, "erase certificate is", "erase certificates are")
        yield f"{many} not complete. `glymph store compact` completes what can be."
    if not caps.unattended_left:
        yield (
            "Unattended runs have archived all they may today. "
            "`glymph analyze` shows what else could go."
        )
    if ctx.model is not None and (not caps.spend_left_usd or not caps.tokens_left):
        yield "The language model's budget of today is spent. `glymph status costs` shows on what."


def _many(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _in_space(space: str, told: str) -> str:
    """Returns the sentence with the space in its commands, so that they can be copied."""
    return told if space == "default" else _COMMAND.sub(rf"`\1 --space {space}`", told)

"""Jobs: what upkeep did, when it is due again, and a button to run one now."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from starlette.responses import Response

from glymph.client import Glymph
from glymph.dashboard.page import RUN, Page
from glymph.dashboard.pages.trash import FOR_GOOD, SHOWN
from glymph.dashboard.visit import CURATE, READ, Visit, page_router
from glymph.errors import InvalidInput
from glymph.jobs.job import Job
from glymph.jobs.registry import all_jobs, scheduled_jobs
from glymph.jobs.runner import run_due
from glymph.jobs.schedule import Ticket, mark_as_due
from glymph.model import Trashed
from glymph.prune.results import Joined, Moved
from glymph.tools.blocks import quantity
from glymph.upkeep.status_result import AutonomousStatus, JobStatus

router = page_router()
PAGE = Page("Jobs", "/jobs", router, group=RUN, order=10, key="j")
EXPLAINED = {
    "ai_prune": "lets the language model nominate what may go; code decides",
    "consolidate": "makes few lessons of many episodes, every claim counted again",
    "decay": "counts what is fading",
    "embed": "gives a vector to memories that wait for one",
    "garden": "drops faded links, merges duplicates, lists what nothing leads to",
    "health": "looks at queue, disk and store",
    "idle": "uses the time while the agent is away",
    "journal": "folds the end of the journal",
    "lifecycle": "archives what faded and may go, trashes what was archived long ago",
    "link": "links what belongs together",
    "questions": "looks at open questions, and ends those that nobody answered",
    "surface": "writes the digest that a session begins with",
    "trash": "removes for good what has left the trash",
}

WITH_UNDO = "What it archives or trashes can be taken back under Operations."


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What a job would do if it ran now: in words, and the memories it would touch."""

    told: str
    memories: Sequence[Moved | Joined | Trashed] = ()


@dataclass(frozen=True, slots=True)
class Scheduled:
    """A job that runs at intervals, and how its last run went, if there was one."""

    job: Job
    told: str
    hours: float
    status: JobStatus | None


@router.get("/jobs")
async def show(visit: Visit = READ) -> Response:
    """Shows every job with its last run and the next."""
    status, jobs = await visit.run(lambda g: _look(g))
    return visit.show("jobs.html", status=status, jobs=jobs, foreseen=FORESEEN)


def _look(glymph: Glymph) -> tuple[AutonomousStatus, list[Scheduled]]:
    status = glymph.autonomous_status()
    known = {one.job: one for one in status.jobs}
    return status, [
        Scheduled(
            job, EXPLAINED.get(job.name, ""),
            job.interval(glymph.settings).total_seconds() / 3600, known.get(job.schedule),
        )
        for job in scheduled_jobs(all_jobs())
    ]  # fmt: skip


def _foresee_lifecycle(glymph: Glymph) -> Foreseen:
    would = glymph.lifecycle(if_needed=True, dry_run=True)
    counts = (
        (len(would.archived), "archived"),
        (len(would.trashed), "put in the trash"),
        (would.purged, "removed for good, being past the time in the trash"),
    )
    told = [f"{many:,} would be {what}" for many, what in counts if many]
    if not told:
        return Foreseen(would.told if not would.ran else "Nothing would be put away.")
    return Foreseen(f"{', '.join(told)}. {WITH_UNDO}", (*would.archived, *would.trashed))


def _foresee_garden(glymph: Glymph) -> Foreseen:
    would = glymph.garden(dry_run=True)
    return Foreseen(f"{would.told} {WITH_UNDO}", would.merged)


def _foresee_trash(glymph: Glymph) -> Foreseen:
    over = [one for one in glymph.trash() if one.expired]
    going = over[: glymph.settings.trash_daily]
    if not going:
        return Foreseen("Nothing in the trash is past its time: nothing would be removed.")
    many = quantity(len(going), "memory is", "memories are")
    return Foreseen(f"{many} past the time in the trash. {FOR_GOOD}", going)


def _foresee_ai_prune(glymph: Glymph) -> Foreseen:
    would = glymph.ai_prune(if_needed=True, dry_run=True)
    if not would.shown:
        return Foreseen(f"Nothing would be asked: {would.why}.")
    shown = quantity(would.shown, "memory", "memories")
    return Foreseen(
        f"The language model would be shown {shown}, for {would.cost_usd:.2f} USD at most. What "
        f"it nominates and code allows is archived. {WITH_UNDO}"
    )


FORESEEN: Mapping[str, Callable[[Glymph], Foreseen]] = {
    "ai_prune": _foresee_ai_prune,
    "garden": _foresee_garden,
    "lifecycle": _foresee_lifecycle,
    "trash": _foresee_trash,
}  # of jobs that put something away


@router.get("/jobs/{name}")
async def ask(name: str, visit: Visit = CURATE) -> Response:
    """Shows what a job would do, before it is run."""
    _find(name)
    foresee = FORESEEN.get(name)
    if foresee is None:
        return visit.go("/jobs")
    would = await visit.run(foresee, large=True)
    return visit.show(
        "confirm.html", title=f"Run {name.replace('_', ' ')} now?", explained=would.told,
        memories=would.memories[:SHOWN], receipt=None, action=f"/jobs/{name}", button="Run it now",
        back=visit.href("/jobs"), fields={},
    )  # fmt: skip


def _find(name: str) -> Job:
    for job in scheduled_jobs(all_jobs()):
        if job.name == name:
            return job
    raise InvalidInput("name", f"{name[:60]!r} is no job. The page lists those there are.")


@router.post("/jobs/{name}")
async def run_now(name: str, visit: Visit = CURATE) -> Response:
    """Makes a job due, and runs it here unless a worker is at it already."""
    jobs, wanted = scheduled_jobs(all_jobs()), _find(name)
    glymph = await visit.run(lambda g: g)
    await visit.run(lambda g: mark_as_due(g.context, wanted.schedule))
    # Of its own: it may take longer than a request may.
    threading.Thread(
        target=run_due, args=(glymph.context, jobs, visit.asked.service.stopping),
        kwargs={"only": Ticket(visit.space, wanted.schedule)}, name=f"glymph-{name}",
    ).start()  # fmt: skip
    return visit.go("/jobs", ran=name)

"""Jobs: what upkeep did, when it is due again, and a button to run one now."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from starlette.responses import Response

from glymph.client import Glymph
from glymph.dashboard.page import RUN, Page
from glymph.dashboard.visit import CURATE, READ, Visit, page_router
from glymph.errors import InvalidInput
from glymph.jobs.job import Job
from glymph.jobs.registry import all_jobs, scheduled_jobs
from glymph.jobs.runner import run_due
from glymph.jobs.schedule import Ticket, mark_as_due
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
    return visit.show("jobs.html", status=status, jobs=jobs)


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


@router.post("/jobs/{name}")
async def run_now(name: str, visit: Visit = CURATE) -> Response:
    """Makes a job due, and runs it here unless a worker is at it already."""
    jobs = scheduled_jobs(all_jobs())
    wanted = next((job for job in jobs if job.name == name), None)
    if wanted is None:
        raise InvalidInput("name", f"{name[:60]!r} is no job. The page lists those there are.")
    glymph = await visit.run(lambda g: g)
    await visit.run(lambda g: mark_as_due(g.context, wanted.schedule))
    # Of its own: it may take longer than a request may.
    threading.Thread(
        target=run_due, args=(glymph.context, jobs, visit.asked.service.stopping),
        kwargs={"only": Ticket(visit.space, wanted.schedule)}, name=f"glymph-{name}",
    ).start()  # fmt: skip
    return visit.go("/jobs", ran=name)

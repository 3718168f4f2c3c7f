"""What is there when the load is over, held against what clients and workers were told."""

from __future__ import annotations

import sys
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.harness.cluster_load import space_name
from benchmarks.harness.cluster_stage import SESSION_ROW, Beats, Stage, handles
from glymph import Glymph
from glymph.jobs.schedule import count_failures
from glymph.moments import micros
from glymph.prune.ai_prune import SESSIONS

GLANCE = 0.5  # seconds between two looks at jobs under way
SECOND = 1_000_000


@dataclass(slots=True)
class Verdict:
    """Counts; all but the first of each kind should be 0."""

    read: int = 0
    foreign: int = 0
    jobs: int = 0
    beats: int = 0
    doubled: int = 0
    unfinished: int = 0
    checked: int = 0
    lost: int = 0
    unsound: int = 0
    unclear: int = 0  # adds without an acknowledgement
    unclear_kept: int = 0
    twice: int = 0


@dataclass(slots=True)
class Promised:
    """What clients were told of one space.

    By key the values that may stand there, and ids that must.
    """

    values: dict[str, list[Any]] = field(default_factory=dict)
    operations: set[str] = field(default_factory=set)
    recalls: set[str] = field(default_factory=set)
    unclear: set[str] = field(default_factory=set)  # texts that may have been taken in
    texts: Counter[str] = field(default_factory=Counter)  # that are there, and how often

    def hear(self, line: Mapping[str, Any]) -> None:
        for key, value in line.get("begun", {}).items():
            # Until it is acknowledged both may be true. What was not there before need not be
            # there.
            self.values[key] = [*self.values.get(key, [None]), value]
        if line.get("end") != "ok":
            if line["kind"] == "add" and "end" in line:
                self.unclear.add(line["text"])
            return
        self.values |= {key: [value] for key, value in line.get("after", {}).items()}
        if line.get("op"):
            self.operations.add(line["op"])
        if line.get("recall"):
            self.recalls.add(line["recall"])

    def held_against(self, found: Promised, verdict: Verdict) -> None:
        """Counts what was looked for, and what is not there as promised."""
        for key, allowed in self.values.items():
            value = found.values.get(key, [None])[0]
            verdict.checked += 1
            verdict.lost += value not in allowed
        verdict.checked += len(self.operations) + len(self.recalls)
        verdict.lost += len(self.operations - found.operations) + len(self.recalls - found.recalls)
        verdict.unclear += len(self.unclear)
        verdict.unclear_kept += sum(text in found.texts for text in self.unclear)
        verdict.twice += found.texts.total() - len(found.texts)


def await_jobs(stage: Stage, beats: Beats, patience: float) -> float:
    """Waits until all jobs are done, or patience ends; the seconds it took."""
    began, left = time.monotonic(), dict(beats.due)
    with Glymph.open(stage.url, space=space_name(0), embedder="none", create=False) as glymph:
        spaces = handles(glymph, stage.plan.spaces)
        while left and time.monotonic() < began + patience:
            left = {job: at for job, at in left.items() if not _done(spaces[job[0]], job[1], at)}
            if left:
                time.sleep(GLANCE)
    return time.monotonic() - began


def _done(handle: Glymph, job: str, at: float) -> bool:
    """Whether a run that began after the moment at which a job was let due came to its end."""
    with handle.context.reading() as reader:
        if job == SESSION_ROW:
            row = reader.job(SESSION_ROW)
            return row is not None and row["done_at"] is not None
        row = reader.schedule(job)
        now = micros(handle.context.now())
        ran = (
            row is not None
            and (row["last_run_at"] or 0) >= int(at * SECOND)
            and row["due_at"] > now
        )
        return ran and not count_failures(row)


def _tell(handle: Glymph, job: str, at: float) -> None:
    """Says of a job that is not done what the store knows of it."""
    with handle.context.reading() as reader:
        row = reader.job(SESSION_ROW) if job == SESSION_ROW else reader.schedule(job)
    print(
        f"cluster: {handle.space}: {job}, let due at {int(at * SECOND)}, is not done: {row}",
        file=sys.stderr,
    )


def judged(stage: Stage, beats: Beats) -> Verdict:
    """Everything that must be 0, and how much was looked at to say so."""
    verdict = Verdict(jobs=len(beats.due))
    promised: dict[int, Promised] = defaultdict(Promised)
    for line in stage.lines("load *"):
        promised[line["space"]].hear(line)
        verdict.read += line.get("read", 0)
        verdict.foreign += line.get("foreign", 0)
    runs = Counter((line["space"], line["job"], line["due_at"]) for line in stage.lines("runs *"))
    verdict.beats = len(runs)
    verdict.doubled = sum(runs.values()) - len(runs)
    with Glymph.open(stage.url, space=space_name(0), embedder="none", create=False) as glymph:
        spaces = handles(glymph, stage.plan.spaces)
        verdict.unfinished = len(beats.missing())
        for (number, job), at in beats.due.items():
            if not _done(spaces[number], job, at):
                verdict.unfinished += 1
                _tell(spaces[number], job, at)
        verdict.unsound = len(glymph.verify().problems)  # of the whole store, every space of it
        for number, handle in enumerate(spaces):
            promised[number].held_against(_found(handle), verdict)
            with handle.context.reading() as reader:
                verdict.doubled += max(0, (reader.counter(SESSIONS) or 0) - 1)
    return verdict


def _found(handle: Glymph) -> Promised:
    """What a space holds, in the form in which it was promised."""
    found, ids = Promised(), {}
    for table, row in handle.context.store.dump(handle.space):
        if table == "memories":
            ids[row["key"]] = row["id"]
            found.values[row["id"]] = [[row["state"], row["text"]]]
            found.texts[row["text"]] += 1
        elif table == "edges":
            found.values[f"{ids[row['source']]}>{ids[row['target']]}"] = [True]
        elif table == "operations":
            found.operations.add(row["id"])
        elif table == "recalls":
            found.recalls.add(row["id"])
    return found

"""Sessions that end while everything around them is killed, and what became of them."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

from benchmarks.harness import mortal
from benchmarks.harness.mortal import Fate
from glymph import Glymph
from glymph.jobs.project import SHARED, digest_tokens
from glymph.jobs.worker import work
from glymph.prune.ai_prune import SESSIONS
from glymph.testing.embedders import WordEmbedder

ROOT = Path(__file__).parents[2]
SPACE = "sleepers"
HOST = '"$@" && echo returned && exec sleep 600'  # a host that goes on after its hook
RETURNED = b"returned\n"
STEPS = {"extract", "embed", "link", "lifecycle", "ai_prune", "surface"}
PLACES = ("Lisbon", "Oslo", "Quito", "Hanoi", "Dakar", "Perth", "Turin", "Lagos")
Statement = tuple[str, str]  # space and text


@dataclass(slots=True)
class Harm:
    """What kills did: to sessions and to what they said."""

    lost: int = 0
    doubled: int = 0
    problems: list[str] = field(default_factory=list)

    def add(self, other: Harm) -> None:
        self.lost += other.lost
        self.doubled += other.doubled
        self.problems += other.problems


class Ground:
    """A folder with a home, a store that has a shared space, and the transcripts of some sessions."""

    def __init__(self, folder: Path, sessions: int, *, label: str) -> None:
        self.home, self.label, self.sessions = folder / "home", label, sessions
        self.file = folder / "memory.db"
        self.url = f"sqlite:///{self.file}"
        self.transcripts = [folder / f"{number}.jsonl" for number in range(sessions)]
        for number, path in enumerate(self.transcripts):
            path.write_text("".join(_turn(text) for text in _said(label, number)))
        for space in (SPACE, SHARED):
            Glymph.open(self.url, space=space, embedder="none").close()
        self._diaries = 0

    def environment(self) -> dict[str, str]:
        """That of the hook and its worker, with no setting of the caller."""
        own = {name: value for name, value in os.environ.items() if not name.startswith("GLYMPH_")}
        own["PYTHONPATH"] = str(ROOT)  # where the mortal worker is found
        return own | {
            "GLYMPH_HOME": str(self.home),
            "GLYMPH_EMBEDDER": "none",
            "GLYMPH_READER": "none",
            "CLAUDE_PROJECT_DIR": "",
        }

    def told(self, number: int | None, event: str) -> bytes:
        """The host's JSON about a session."""
        told = {
            "session_id": f"{self.label}-{number}",
            "cwd": str(self.home.parent),
            "hook_event_name": event,
        }
        if number is not None:
            told |= {"transcript_path": str(self.transcripts[number]), "reason": "other"}
        return json.dumps(told).encode()

    def end_session(self, number: int, fate: Fate) -> bool:
        """Ends a session whose host is killed as soon as the hook returns.

        Gives back whether its worker was killed.
        """
        return _fallen(self.hook("session-end", self.told(number, "SessionEnd"), fate), None)

    def start_session(self, fate: Fate, delay: float | None = None) -> bool:
        """Starts a session, which takes up what is left; whether the worker it started was killed."""
        return _fallen(self.hook("session-start", self.told(None, "SessionStart"), fate), delay)

    def hook(self, event: str, told: bytes, fate: Fate) -> Path:
        """Runs a hook and kills its host, with all of its group, once it returned.

        Gives back the diary of the worker.
        """
        self._diaries += 1
        diary = self.home.parent / f"{self._diaries}.diary"
        command = [
            sys.executable,
            "-m",
            mortal.MODULE,
            "hook",
            event,
            "--url",
            self.url,
            "--space",
            SPACE,
        ]
        with subprocess.Popen(
            ["/bin/sh", "-c", HOST, "sh", *command], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**self.environment(), **fate.variables(diary)}, start_new_session=True,
        ) as host:  # fmt: skip
            assert host.stdin is not None
            assert host.stdout is not None
            host.stdin.write(told)
            host.stdin.close()
            returned = RETURNED in iter(host.stdout.readline, b"")
            if not returned:
                raise RuntimeError(f"the hook {event} failed before its host was killed")
            os.killpg(host.pid, signal.SIGKILL)
        return diary

    def unfinished(self) -> bool:
        """Whether anything waits in the spool or in a queue."""
        waits = "SELECT count(*) FROM queue WHERE done_at IS NULL AND failed_at IS NULL"
        return any((self.home / "spool").glob("*.json")) or self._value(waits) > 0

    def work_in_peace(self) -> None:
        """Ends every session in this process, with nobody killed.

        This is what the others are compared with.
        """
        from glymph.jobs import spool

        for number in range(self.sessions):
            told = json.loads(self.told(number, "SessionEnd"))
            spool.drop(
                self.home / "spool",
                {"event": "session-end", "url": self.url, "space": SPACE, **told},
            )
        work(self.home / "spool", lambda url, space, create: self.opened(space))

    def opened(self, space: str) -> Glymph:
        return Glymph.open(
            self.url,
            space=space,
            actor="glymph",
            embedder=WordEmbedder(512, ms=1000.0),
            reader="none",
        )

    # what became of it

    def statements(self) -> Counter[Statement]:
        """How often each extracted text is remembered.

        A text that was told once more counts as another time.
        """
        rows = self._rows(
            "SELECT s.name, m.text, 1 + m.access_count FROM memories m JOIN spaces s ON s.key = m.space_id "
            "WHERE m.source = 'extraction'"
        )
        found: Counter[Statement] = Counter()
        for space, text, times in rows:
            found[space, text] += times
        return found

    def links(self) -> Counter[Statement]:
        """How often each pair of texts is linked, in whichever direction."""
        rows = self._rows(
            "SELECT min(a.text, b.text), max(a.text, b.text) FROM edges e JOIN memories a ON a.key = e.source "
            "JOIN memories b ON b.key = e.target WHERE e.type = 'similar_to'"
        )
        return Counter((str(one), str(other)) for one, other in rows)

    def harm(self, peaceful: Ground) -> Harm:
        """What differs from the same sessions that ended in peace."""
        harm = Harm()
        for expected, found in (
            (peaceful.statements(), self.statements()),
            (peaceful.links(), self.links()),
        ):
            harm.lost += sum((expected - found).values())
            harm.doubled += sum((found - expected).values())
        for space, job in ((SPACE, "session"), (SHARED, "upkeep")):
            self._judge_jobs(space, job, harm)
        with self.opened(SPACE) as glymph:
            harm.problems += [f"{self.label}: {problem}" for problem in glymph.verify().problems]
        if harm.lost or harm.doubled:
            harm.problems.append(f"{self.label}: {harm.lost} lost, {harm.doubled} doubled")
        return harm

    def _judge_jobs(self, space: str, job: str, harm: Harm) -> None:
        rows = self._rows(
            "SELECT q.done_at, q.report FROM queue q JOIN spaces s ON s.key = q.space_id "
            f"WHERE s.name = '{space}' AND q.job = '{job}'"
        )
        whole = [row for row in rows if row[0] is not None and set(json.loads(row[1])) >= STEPS]
        harm.lost += max(0, self.sessions - len(whole))
        harm.doubled += max(0, len(rows) - self.sessions)
        with self.opened(space) as glymph, glymph.context.reading() as reader:
            counted = reader.counter(SESSIONS) or 0
            budget = digest_tokens(space) or glymph.settings.surface_tokens
            if reader.surface(budget) is None:
                harm.problems.append(f"{self.label}: {space} has no digest")
        harm.lost += max(0, self.sessions - counted)
        harm.doubled += max(0, counted - self.sessions)

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        connection = apsw.Connection(str(self.file))
        try:
            return list(connection.execute(query))
        finally:
            connection.close()

    def _value(self, query: str) -> int:
        return int(str(self._rows(query)[0][0]))


def _fallen(diary: Path, delay: float | None) -> bool:
    """Waits for the worker's end; after a delay, if one is given, it is killed. Whether it was."""
    pid = mortal.begun(diary)
    if delay is not None:
        time.sleep(delay)
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return False
    return mortal.ended(diary, pid) != mortal.ENDED


def _said(label: str, number: int) -> list[str]:
    """What a user says: the same sentences in each session but for a number.

    So they are near each other.
    """
    draw = random.Random(label)
    place, other = draw.sample(PLACES, 2)
    return [
        f"We decided to keep archive {number} of the {label} team in {place} behind the second firewall.",
        f"Always run the slow tests of suite {number} of the {label} team before a release goes out to {other}.",
        f"Remember that build server {number} of the {label} team stands in {place} near the old harbour wall.",
    ]


def _turn(text: str) -> str:
    message = {"role": "user", "content": text}
    return (
        json.dumps({"type": "user", "message": message, "timestamp": "2026-01-05T09:00:00Z"}) + "\n"
    )

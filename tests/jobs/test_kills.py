"""Real workers in processes of their own, killed and put to sleep.

Each session is worked up exactly once.

The worker and the hook are the real ones; the harness of the benchmark only lets them die at a
chosen moment.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time

import pytest

from benchmarks.harness import mortal
from benchmarks.harness.mortal import Fate
from benchmarks.harness.sleepers import SHARED, SPACE, Ground
from benchmarks.hook import kill_workers
from glymph.prune.ai_prune import SESSIONS, count_session

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="looks at processes that are not its children"
)
BEGUN = 4  # writing transactions: two queues, the lease, the beginning of the job


@pytest.fixture
def grounds(tmp_path):
    """A ground on which a session ended in peace, and one on which it is still to end."""
    for name in ("peace", "other"):
        (tmp_path / name).mkdir()
    peaceful = Ground(tmp_path / "peace", 1, label="t")
    peaceful.work_in_peace()
    return peaceful, Ground(tmp_path / "other", 1, label="t")


def attempts(ground):
    return ground._rows("SELECT attempts FROM queue WHERE job = 'session'")[0][0]


def log(ground):
    return (ground.home / "worker.log").read_text()


@pytest.mark.nightly
def test_ten_kills_at_any_moment_lose_nothing_and_double_nothing():
    _, kills, harm = kill_workers(10, random.Random(7), first=3)
    assert kills >= 10
    assert (harm.lost, harm.doubled, harm.problems) == (0, 0, [])


def test_a_worker_that_wakes_late_changes_nothing_and_the_other_has_finished_the_job(grounds):
    peaceful, ground = grounds
    fate = Fate(BEGUN, after=True, by=signal.SIGSTOP, lease=0.5, renewed=60.0)
    sleeping = ground.hook("session-end", ground.told(0, "SessionEnd"), fate)
    pid = mortal.asleep(sleeping)
    try:
        assert ground.unfinished()
        assert not ground.start_session(Fate())  # the other one, which came to its end
        assert not ground.unfinished()
        before = (ground.statements(), ground.links(), attempts(ground))
    finally:
        os.kill(pid, signal.SIGCONT)
    assert mortal.ended(sleeping, pid) == mortal.ENDED
    assert (ground.statements(), ground.links(), attempts(ground)) == before
    assert "'lost': 1" in log(ground)
    assert ground.harm(peaceful).problems == []


def test_while_one_works_the_other_waits_and_nothing_is_begun_twice(grounds):
    peaceful, ground = grounds
    fate = Fate(BEGUN, after=True, by=signal.SIGSTOP, lease=60.0)
    working = ground.hook("session-end", ground.told(0, "SessionEnd"), fate)
    first = mortal.asleep(working)
    waiting = ground.hook("session-start", ground.told(None, "SessionStart"), Fate(lease=60.0))
    second = mortal.begun(waiting)
    time.sleep(1.0)
    try:
        assert mortal._lives(second)
        assert ground.unfinished()
    finally:
        os.kill(first, signal.SIGCONT)
    assert [mortal.ended(working, first), mortal.ended(waiting, second)] == [
        mortal.ENDED,
        mortal.ENDED,
    ]
    assert attempts(ground) == 1
    assert ground.harm(peaceful).problems == []


def test_a_killed_holder_is_followed_when_its_lease_ends(grounds):
    peaceful, ground = grounds
    assert ground.end_session(0, Fate(BEGUN, after=True, lease=3.0, renewed=60.0))
    began = time.monotonic()
    assert not ground.start_session(Fate(lease=3.0))
    assert time.monotonic() - began < 30
    assert not ground.unfinished()
    assert ground.harm(peaceful).problems == []


def test_the_judge_sees_what_is_lost_and_what_is_doubled(grounds):
    peaceful, other = grounds
    assert peaceful.harm(peaceful).problems == []
    assert other.harm(peaceful).lost >= 3
    assert peaceful.harm(other).doubled >= 3
    with peaceful.opened(SHARED) as glymph, glymph.context.store.writing(SHARED, None) as writer:
        count_session(writer)
        assert writer.counter(SESSIONS) == 2
    assert peaceful.harm(peaceful).doubled == 1
    with peaceful.opened(SPACE) as glymph:
        told = next(one for one in glymph.list() if one.source == "extraction")
        before = peaceful.statements()
        glymph.add(told.text, kind=told.kind, event_at=told.event_at)
    assert (peaceful.statements() - before).total() == 1

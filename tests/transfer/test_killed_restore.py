"""A restore that is killed at any step leaves the old store or the new one, and nothing else."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from glymph import Glymph
from glymph.config import Settings
from glymph.stores import restore_backup
from glymph.testing import FrozenClock
from tests.pace import NIGHTLY

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="needs a process that can be killed"
)
QUIET = {"compare": "off", "junk_gate": "off"}
SECRET = "QXT-4471983"
STEPS = ("open", "os.mkdir", "os.link", "os.rename", "os.remove", "os.rmdir", "shutil.rmtree")
STRIDE = 1 if NIGHTLY else 3
FEWEST_KILLS = 5


def open_at(file, clock):
    options = {"embedder": "none", "reader": "none", "settings": QUIET}
    return Glymph.open(f"sqlite:///{file}", clock=clock, **options)


@pytest.fixture(params=["purged since", "nothing purged"])
def ground(request, tmp_path):
    """A folder with a store in use, and a backup of it elsewhere, from before a purge."""
    clock = FrozenClock()
    home, safe = tmp_path / "home", tmp_path / "safe"
    home.mkdir(), safe.mkdir()
    with open_at(home / "memory.db", clock) as glymph:
        glymph.add(f"Zoe waits for {SECRET}.")
        glymph.add("Ben waters the plants.")
        glymph.backup(safe / "backup.db")
        if request.param == "purged since":
            glymph.forget(SECRET, mode="purge", apply=True)
    return home, safe / "backup.db", clock, request.param == "purged since"


def restore(home, backup, clock):
    return restore_backup(
        backup, home / "new.db", in_use=f"sqlite:///{home}/memory.db", clock=clock,
        settings=Settings(embedder="none"),
    )  # fmt: skip


def run_until(step, home, backup, clock):
    """Restores in another process, which is killed before a step on files; tells whether it was."""
    process = os.fork()
    if not process:
        seen = 0

        def watch(event, arguments):
            nonlocal seen
            if event in STEPS and arguments and str(home / "") in str(arguments[0]):
                seen += 1
                if seen == step:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(watch)
        try:
            restore(home, backup, clock)
            os._exit(0)
        finally:
            os._exit(1)
    _, status = os.waitpid(process, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


def names(home):
    return {one.name for one in home.iterdir()} - {"memory.db-wal", "memory.db-shm"}


def test_a_killed_restore_leaves_nothing_behind(ground):
    home, backup, clock, purged = ground
    before, ends = names(home), []
    for step in range(1, 200, STRIDE):
        killed = run_until(step, home, backup, clock)
        left = any(SECRET.encode() in one.read_bytes() for one in home.glob("new.db"))
        assert not (purged and left)
        with open_at(home / "memory.db", clock):  # the next start
            found = names(home) - before
        assert found <= {"new.db", "new.db.keys"}
        ends.append(found)
        if found:
            with open_at(home / "new.db", clock) as new:
                assert new.verify().ok
                assert len(new.list()) == (1 if purged else 2)
            for name in sorted(found | {"new.db-wal", "new.db-shm"}):
                remove(home / name)
        if not killed:
            break
    assert len(ends) > FEWEST_KILLS
    assert ends[0] == set()
    assert "new.db" in ends[-1]


def test_the_next_restore_to_the_same_file_finds_no_obstacle(ground):
    home, backup, clock, purged = ground
    for step in (3, 6, 9):
        run_until(step, home, backup, clock)
    done = restore(home, backup, clock)
    assert done.kept_out == int(purged)
    assert not [one for one in names(home) if "partial" in one]


def test_a_restore_that_still_runs_is_left_alone(ground, monkeypatch):
    home, backup, clock, _ = ground
    seen, link = [], os.link

    def look(source, target):
        with open_at(home / "memory.db", clock):
            seen.append([one for one in names(home) if "partial" in one])
        link(source, target)

    monkeypatch.setattr(os, "link", look)
    restore(home, backup, clock)
    assert seen
    assert all(seen)
    assert "new.db" in names(home)


def remove(path):
    if path.is_dir():
        for one in path.iterdir():
            one.unlink()
        path.rmdir()
    else:
        path.unlink(missing_ok=True)

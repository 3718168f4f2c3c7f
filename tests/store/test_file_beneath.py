"""The file beneath an open store: moved, replaced, deleted, or changed by a newer version."""

from __future__ import annotations

import itertools
import shutil
import threading

import apsw
import pytest

from glymph import Glymph, errors
from glymph.store.backends.sqlite import database, reclaim


@pytest.fixture
def opened(tmp_path):
    with Glymph.open(f"sqlite:///{tmp_path}/memory.db", embedder="none", reader="none") as glymph:
        glymph.add("The first one stays.")
        yield glymph


def test_nothing_is_written_into_a_file_that_was_moved(opened, tmp_path):
    (tmp_path / "memory.db").rename(tmp_path / "elsewhere.db")
    with pytest.raises(errors.StoreMoved, match="nothing was written"):
        opened.add("This one would be lost.")
    (tmp_path / "elsewhere.db").rename(tmp_path / "memory.db")
    assert opened.add("This one is kept.").id


def test_nor_into_one_that_was_replaced(opened, tmp_path):
    opened.backup(tmp_path / "copy.db")
    (tmp_path / "memory.db").unlink()
    shutil.copy(tmp_path / "copy.db", tmp_path / "memory.db")
    with pytest.raises(errors.StoreMoved):
        opened.add("This one would be lost.")


def test_nor_into_one_that_was_deleted(opened, tmp_path):
    (tmp_path / "memory.db").unlink()
    with pytest.raises(errors.StoreMoved):
        opened.add("This one would be lost.")


def test_an_older_program_stops_writing_when_a_newer_one_has_changed_the_schema(opened, tmp_path):
    apsw.Connection(str(tmp_path / "memory.db")).pragma("user_version", 99)
    with pytest.raises(errors.NewerSchema):
        opened.add("This one might break what the newer one relies on.")


def test_the_log_is_emptied_now_and_then_although_somebody_always_reads(
    opened, tmp_path, monkeypatch
):
    monkeypatch.setattr(database, "LARGE_LOG", 5_000_000, raising=False)
    over = threading.Event()
    readers = [apsw.Connection(str(tmp_path / "memory.db")) for _ in range(2)]

    def read():
        """One reader begins before the other ends, so that there is never none."""
        for turn in itertools.cycle((0, 1)):
            readers[turn].execute("BEGIN; SELECT count(*) FROM memories").fetchall()
            if readers[1 - turn].in_transaction:
                readers[1 - turn].execute("COMMIT")
            if over.wait(0.002):
                return

    reading = threading.Thread(target=read)
    reading.start()
    sizes = []
    for number in range(300):
        opened.add(f"The crate of number {number} came by boat.")
        sizes.append((tmp_path / "memory.db-wal").stat().st_size)
    over.set()
    reading.join()
    assert max(sizes) < 10_000_000
    assert opened.verify().ok


def test_a_log_that_cannot_be_emptied_keeps_nobody_from_writing(opened, tmp_path, monkeypatch):
    monkeypatch.setattr(database, "LARGE_LOG", 200_000, raising=False)
    monkeypatch.setattr(reclaim, "PATIENCE", 1)
    reader = apsw.Connection(str(tmp_path / "memory.db"))
    reader.execute("BEGIN; SELECT count(*) FROM memories").fetchall()
    for number in range(10):
        assert opened.add(f"The crate of number {number} came by boat.").created
    reader.execute("COMMIT")
    opened.add("The reader has gone, so it is emptied.")
    assert len(opened.list().items) == 12

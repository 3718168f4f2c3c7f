"""The file beneath an open store: moved, replaced, deleted, or changed by a newer version."""

from __future__ import annotations

import shutil

import apsw
import pytest

from glymph import Glymph, errors


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

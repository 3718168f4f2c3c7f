"""A file that fails: the error is ours, nothing is half done, and the handle works on."""

from __future__ import annotations

import os
import shutil

import apsw
import pytest

from glymph import Glymph, errors
from glymph.store.backends.sqlite.connection import translate_errors
from glymph.store.keyring import Keyring
from glymph.store.portable import write_whole
from glymph.testing.faulty_files import KINDS, Fault, FaultyFiles

pytestmark = pytest.mark.skipif(os.name != "posix", reason="lies above SQLite's files for Unix")
ERRORS = [kind for kind in KINDS if kind not in ("kill", "power_loss")]
TEXT = "The ferry to the island leaves at nine."


@pytest.fixture
def files():
    with FaultyFiles() as installed:
        yield installed


@pytest.fixture
def template(tmp_path):
    folder = tmp_path / "template"
    folder.mkdir()
    with Glymph.open(f"sqlite:///{folder}/memory.db", embedder="none", reader="none") as glymph:
        glymph.add_many([f"Crate {n} of lemons went to the harbour." for n in range(12)])
    return folder


def trials(template, tmp_path, files, kind, act):
    """Meets the fault at calls of `act`, each time on a fresh copy; yields error and handle."""
    for at in range(1, 200, 7 if "write" in kind or kind == "full" else 1):
        folder = tmp_path / f"{kind}-{at}"
        shutil.copytree(template, folder)
        with Glymph.open(f"sqlite:///{folder}/memory.db", embedder="none", reader="none") as glymph:
            files.plan(Fault(kind, at))
            error = None
            try:
                act(glymph)
            except errors.GlymphError as met:
                error = met
            files.cure()
            if error is None:
                return
            yield error, glymph
        shutil.rmtree(folder)


@pytest.mark.parametrize("kind", ERRORS)
def test_what_failed_can_be_repeated_on_the_same_handle_and_leaves_a_sound_store(
    template, tmp_path, files, kind
):
    tried = 0
    for error, glymph in trials(template, tmp_path, files, kind, lambda one: one.add(TEXT)):
        expected = errors.StoreFull if kind == "full" else errors.StoreError
        assert type(error) is expected
        assert len(glymph.list().items) == 12, "nothing of it was written"
        assert glymph.add(TEXT).id
        assert glymph.verify().problems == ()
        tried += 1
    assert tried >= 1


@pytest.mark.parametrize(
    "kind",
    [apsw.ProtocolError, apsw.LockedError, apsw.NoMemError, apsw.AbortError, apsw.NoLFSError],
)
def test_whatever_the_driver_reports_of_the_file_or_machine_is_an_error_of_ours(kind):
    with pytest.raises(errors.StoreError, match="glymph doctor"), translate_errors("memory.db"):
        raise kind("it happened")


@pytest.fixture
def synced(monkeypatch):
    """What was synced, in order, by its name at that moment."""
    found, real = [], os.fsync

    def fsync(descriptor):
        found.append(os.fstat(descriptor).st_ino)
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    return found


def test_a_new_key_has_its_name_on_the_disk_before_a_tombstone_is_made_with_it(tmp_path, synced):
    folder = tmp_path / "memory.db.keys"
    Keyring(folder).get_or_create("0" * 36)
    assert synced[-2:] == [folder.stat().st_ino, tmp_path.stat().st_ino]


def test_a_backup_or_export_has_its_name_on_the_disk_before_it_is_reported(tmp_path, synced):
    with write_whole(tmp_path / "export.jsonl", "an export") as partial:
        partial.write_text("all of it")
    assert synced[-2:] == [(tmp_path / "export.jsonl").stat().st_ino, tmp_path.stat().st_ino]

"""The spool: what is dropped stays, in order, once; what is broken is put aside."""

from __future__ import annotations

import errno
import json
import os
import stat

import pytest

from glymph.folders import fsync_folder
from glymph.jobs import spool


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "home" / "spool"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_an_item_comes_back_as_it_was_with_its_id(folder):
    name = spool.drop(folder, {"space": "a", "transcript_path": "/tmp/é \ud800"})
    [(path, item)] = spool.items(folder)
    assert item == {"space": "a", "transcript_path": "/tmp/é \ud800", "id": name}
    assert path.name == f"{name}.json"


def test_items_come_in_the_order_in_which_they_were_dropped(folder):
    dropped = [spool.drop(folder, {"space": "a"}) for _ in range(20)]
    assert [item["id"] for _, item in spool.items(folder)] == dropped


def test_only_the_owner_may_read_what_is_dropped(folder):
    spool.drop(folder, {"space": "a"})
    [(path, _)] = spool.items(folder)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_file_and_folder_are_on_the_disk_before_the_item_counts_as_dropped(folder, monkeypatch):
    real_sync, real_replace, seen = os.fsync, spool.Path.replace, []

    def sync(number):
        seen.append(str(spool.Path(f"/proc/self/fd/{number}").readlink()))
        real_sync(number)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(
        spool.Path, "replace", lambda a, b: (seen.append("named"), real_replace(a, b))
    )
    name = spool.drop(folder, {"space": "a"})
    assert seen == [str(folder.parent), str(folder / f"{name}.partial"), "named", str(folder)]


def test_a_system_that_takes_a_part_at_a_time_gets_all_of_it(folder, monkeypatch):
    real = os.write
    monkeypatch.setattr(os, "write", lambda number, body: real(number, body[:7]))
    spool.drop(folder, {"space": "a" * 100})
    assert [item["space"] for _, item in spool.items(folder)] == ["a" * 100]


def test_a_full_disk_is_an_error_and_leaves_nothing_behind(folder, monkeypatch):
    def full(number, body):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        spool.drop(folder, {"space": "a"})
    assert names(folder) == []


def test_what_no_worker_would_read_is_refused_at_once(folder):
    with pytest.raises(ValueError, match="bytes"):
        spool.drop(folder, {"space": "a", "reason": "x" * spool.MOST_BYTES})
    assert spool.count_items(folder) == 0


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b'{"id": "x"}', b'{"space": "a"}', b'{"id": "", "space": "a"}',
     b"\xff\xfe", b'{"id": 7, "space": "a"}', b"[" * 60_000,
     b'{"id": "x", "space": "a"}' + b" " * spool.MOST_BYTES],
)  # fmt: skip
def test_what_cannot_be_understood_is_put_aside_and_does_not_hold_up_the_rest(folder, body):
    folder.mkdir(parents=True)
    (folder / "0.json").write_bytes(body)
    name = spool.drop(folder, {"space": "a"})
    assert [item["id"] for _, item in spool.items(folder)] == [name]
    assert (folder / "0.broken").read_bytes() == body
    assert spool.count_items(folder) == 1


def test_an_item_that_another_worker_takes_meanwhile_is_passed_over(folder):
    for _ in range(2):
        spool.drop(folder, {"space": "a"})
    left = spool.items(folder)
    next(left)
    for path in folder.glob("*.json"):
        path.unlink()
    assert list(left) == []


def test_half_a_file_is_no_item_and_goes_after_a_day(folder):
    folder.mkdir(parents=True)
    young, old = folder / "young.partial", folder / "old.partial"
    for path in (young, old):
        path.write_text(json.dumps({"id": "x", "space": "a"}))
    os.utime(old, (0, 0))
    assert list(spool.items(folder)) == []
    assert names(folder) == ["young.partial"]


def test_a_spool_that_never_was_is_empty(folder):
    assert (list(spool.items(folder)), spool.count_items(folder)) == ([], 0)
    assert not folder.exists()


def test_windows_has_no_way_to_settle_a_folder_and_needs_none(folder, monkeypatch):
    opened = []
    folder.mkdir(parents=True)
    monkeypatch.setattr(os, "open", lambda *_: opened.append(1))
    monkeypatch.setattr(os, "name", "nt")
    fsync_folder(folder)
    assert opened == []

"""Stores by URL scheme: built-in ones, and those a package adds by an entry point."""

from __future__ import annotations

import importlib.metadata
from importlib.metadata import EntryPoint

import pytest

from glymph import Glymph, errors
from glymph import store as stores
from glymph.config import Settings
from glymph.store import open_store
from glymph.store.backends import sqlite
from glymph.store.backends.shards import ShardedStore
from glymph.store.store import Store


def open_folder(url, settings, *, create):
    """Opens the SQLite store in a folder: `folder:///path`."""
    path = url.removeprefix("folder:///")
    return sqlite.open_store(f"sqlite:///{path}/store.db", settings, create=create)


@pytest.fixture
def packaged(monkeypatch):
    def install(**values):
        found = [EntryPoint(name, value, "glymph.stores") for name, value in values.items()]
        monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: found)
        monkeypatch.delitem(stores.stores.__dict__, "_entry_points", raising=False)

    yield install
    stores.stores.__dict__.pop("_entry_points", None)


def test_a_package_adds_a_scheme_by_an_entry_point(packaged, tmp_path):
    packaged(folder=f"{__name__}:open_folder")
    with Glymph.open(f"folder:///{tmp_path}") as memory:
        kept = memory.add("Kept behind a scheme of somebody else")
    assert (tmp_path / "store.db").exists()
    with open_store(f"folder:///{tmp_path}", Settings()).reading("default") as reader:
        assert reader.memory(kept.id) is not None


def test_a_built_in_scheme_is_opened_without_a_look_at_packages(packaged, tmp_path):
    packaged(sqlite="no_such_package:open_store")
    open_store(f"sqlite:///{tmp_path}/a.db", Settings()).close()


def test_an_unknown_scheme_names_all_that_there_are(packaged):
    packaged(folder=f"{__name__}:open_folder")
    with pytest.raises(errors.UnknownScheme) as caught:
        open_store("cloud://somewhere", Settings())
    for scheme in ("folder://", "postgresql://", "shards://", "sqlite://"):
        assert scheme in str(caught.value)


def test_a_member_that_opens_nothing_is_named(packaged):
    packaged(folder=f"{__name__}:stores")
    with pytest.raises(errors.BadExtension, match="folder"):
        open_store("folder:///x", Settings())


def test_a_sharded_store_answers_every_call_by_its_parts():
    calls = {name for name in vars(Store) if not name.startswith("_")}
    assert calls <= vars(ShardedStore).keys()

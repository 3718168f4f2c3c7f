"""Stores by URL scheme: built-in ones, and those a package adds by an entry point."""

from __future__ import annotations

from types import FunctionType

import pytest

from glymph import Glymph, errors
from glymph import store as stores
from glymph.config import Settings
from glymph.extensions import ExtensionPoint
from glymph.store import open_store
from glymph.store.backends import sqlite
from glymph.store.backends.shards import ShardedStore
from glymph.store.store import Store
from tests.packages import install_entry_points


def open_drawer(url, settings, *, create):
    """Opens the SQLite store in a folder: `drawer:///path`."""
    path = url.removeprefix("drawer:///")
    return sqlite.open_store(f"sqlite:///{path}/store.db", settings, create=create)


@pytest.fixture
def packaged(tmp_path, monkeypatch):
    """Installs a package with entry points, as it is seen by a new process."""

    def install(**entries):
        folder = tmp_path / "packages"
        folder.mkdir()
        install_entry_points(folder, "glymph.stores", **entries)
        monkeypatch.syspath_prepend(folder)
        anew = ExtensionPoint(
            "glymph.stores", FunctionType, package="glymph.store.backends", attribute="open_store"
        )
        monkeypatch.setattr(stores, "stores", anew)

    return install


def test_a_package_adds_a_scheme_by_an_entry_point(packaged, tmp_path):
    packaged(drawer=f"{__name__}:open_drawer")
    with Glymph.open(f"drawer:///{tmp_path}") as memory:
        kept = memory.add("Kept behind a scheme of somebody else")
    assert (tmp_path / "store.db").exists()
    with open_store(f"drawer:///{tmp_path}", Settings()).reading("default") as reader:
        assert reader.memory(kept.id) is not None


def test_a_built_in_scheme_is_opened_without_a_look_at_packages(packaged, tmp_path):
    packaged(sqlite="no_such_package:open_store")
    open_store(f"sqlite:///{tmp_path}/a.db", Settings()).close()
    assert (tmp_path / "a.db").exists()


def test_an_unknown_scheme_names_all_that_there_are(packaged):
    packaged(drawer=f"{__name__}:open_drawer")
    with pytest.raises(errors.UnknownScheme) as caught:
        open_store("cloud://somewhere", Settings())
    for scheme in ("drawer://", "postgresql://", "shards://", "sqlite://"):
        assert scheme in str(caught.value)


def test_a_member_that_opens_nothing_is_named(packaged):
    packaged(drawer=f"{__name__}:stores")
    with pytest.raises(errors.BadExtension, match="drawer"):
        open_store("drawer:///x", Settings())


def test_a_sharded_store_answers_every_call_by_its_parts():
    calls = {name for name in vars(Store) if not name.startswith("_")}
    assert calls <= vars(ShardedStore).keys()

"""Shared fixtures: a real store in a temporary folder and a clock that stands still."""

from __future__ import annotations

import itertools
import os
import shutil
import socket
import tempfile
import threading
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, settings

from glymph import Glymph
from glymph.config import Settings
from glymph.store import open_store
from glymph.store.backends.sqlite import migrations
from glymph.testing import FrozenClock
from glymph.testing import postgres as postgresql
from tests.pace import NIGHTLY

_COMMON = {
    "deadline": None,
    "suppress_health_check": [
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
    ],
}
settings.register_profile("ci", max_examples=60, derandomize=True, **_COMMON)
settings.register_profile("nightly", max_examples=2000, **_COMMON)
settings.load_profile(os.environ.get("GLYMPH_TEST_PROFILE", "ci"))


SET_HERE = {"GLYMPH_TEST_PROFILE", "GLYMPH_EMBEDDER", "GLYMPH_READER"}
IN_MEMORY = Path("/dev/shm")
ROOM = 4 << 30  # bytes


def pytest_configure():
    """Lets temporary files lie in memory where there is room: stores wait for disks very often.

    What a killed program leaves behind is the same there; the loss of power no test can play.
    """
    if "TMPDIR" in os.environ or not IN_MEMORY.is_dir():
        return
    if shutil.disk_usage(IN_MEMORY).free >= ROOM:
        os.environ["TMPDIR"] = str(IN_MEMORY)
        tempfile.tempdir = None


def pytest_collection_modifyitems(items):
    """Leaves long tests to `make test-nightly`."""
    if NIGHTLY:
        return
    for item in items:
        if item.get_closest_marker("nightly"):
            item.add_marker(pytest.mark.skip(reason="takes long: make test-nightly"))


@pytest.fixture(scope="session")
def homes(tmp_path_factory):
    """Names of new folders. (`mktemp` lists all there are before it makes one more.)"""
    place = tmp_path_factory.mktemp("homes")
    return (place / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def _home(homes, monkeypatch):
    """No test reads or writes the real home folder or the caller's environment."""
    home = next(homes)
    home.mkdir(mode=0o700)
    monkeypatch.setenv("HOME", str(home))
    for name in [name for name in os.environ if name.startswith("GLYMPH_")]:
        if name not in SET_HERE:
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True, scope="session")
def _no_model_unless_asked():
    """A handle opened without naming an embedder or a reader has none, nor has one of a module.

    Loading a model takes a third of a second, and reading hits makes every search longer.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("glymph.embed.absence", lambda: "not in tests")
        patch.setattr("glymph.reader.automatic.explain_absence", lambda: "not in tests")
        patch.setenv("GLYMPH_EMBEDDER", "none")  # for commands started by tests
        patch.setenv("GLYMPH_READER", "none")
        yield


@pytest.fixture(autouse=True, scope="session")
def _only_this_machine():
    """No test reaches beyond this machine.

    Real calls cost money and make tests depend on the weather.
    """

    def guarded(real):
        def connect(line, address):
            leads_away = line.family in (socket.AF_INET, socket.AF_INET6)
            if (
                leads_away
                and address[0] not in ("localhost", "::1")
                and not address[0].startswith("127.")
            ):
                raise AssertionError(
                    f"a test wants to connect to {address[0]}; real calls are forbidden in tests"
                )
            return real(line, address)

        return connect

    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex"):
            patch.setattr(socket.socket, name, guarded(getattr(socket.socket, name)))
        yield


@pytest.fixture(autouse=True, scope="session")
def _new_stores_are_copied():
    """New SQLite files get their tables from one made before; older files are migrated for real.

    Making the tables takes 20 ms, and tests open some ten thousand new files.
    """
    made = apsw.Connection(":memory:")
    migrate, turn = migrations.migrate, threading.Lock()
    migrate(made, ":memory:", 0)

    def copy(connection, path, now, steps=migrations.MIGRATIONS):
        with turn:
            new = migrations.schema_version(connection, path, steps[-1].version) == 0
            if not new or steps is not migrations.MIGRATIONS or path == ":memory:":
                return migrate(connection, path, now, steps)
            with connection.backup("main", made, "main") as backup:
                backup.step()
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
            connection.execute("UPDATE migrations SET applied_at = ?", (now,))
            connection.execute("UPDATE meta SET value = lower(hex(randomblob(32)))")
            return None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(migrations, "migrate", copy)
        yield


@pytest.fixture
def clock():
    return FrozenClock()


# Suites that run on both engines in `make test`; `--engine postgresql` runs any other one there,
# too.
ON_BOTH_ENGINES = {
    "forget.test_forget", "forget.test_purge", "forget.test_tombstones", "importers.test_keep",
    "learn.test_consolidate", "learn.test_summarize",
    "prune.test_agents_day", "prune.test_execute_prune", "prune.test_prune", "prune.test_prune_guards",
    "recall.test_pinned_expiry", "service.test_engines", "tools.test_agents_day", "tools.test_ids", "undo.test_who_may_undo", "upkeep.test_clocks", "upkeep.test_leases",
    "upkeep.test_overview", "upkeep.test_queue", "write.test_pins_of_persons", "write.test_tombstones",
}  # fmt: skip


LONG_ON_POSTGRESQL = {
    "adapters.test_langgraph",
    "adapters.test_mem0",
    "upkeep.test_fold",
}  # on both engines by night, on SQLite by day
if NIGHTLY:
    ON_BOTH_ENGINES |= LONG_ON_POSTGRESQL


def pytest_addoption(parser):
    parser.addoption(
        "--engine",
        choices=["sqlite", "postgresql", "both"],
        help="which engines to run every test on",
    )


def pytest_generate_tests(metafunc):
    """A test that asks for a `url` is run once for each engine its suite is meant for."""
    fixtures = metafunc._arg2fixturedefs.get("url", ())
    if (
        not fixtures or fixtures[-1].func.__code__.co_filename != __file__
    ):  # a suite with a store of its own
        return
    if metafunc.definition.get_closest_marker("sqlite"):
        return
    asked = metafunc.config.getoption("--engine")
    both = asked == "both" or (
        asked is None and metafunc.module.__name__.removeprefix("tests.") in ON_BOTH_ENGINES
    )
    engines = ["sqlite", "postgresql"] if both else [asked or "sqlite"]
    if engines != ["sqlite"]:
        metafunc.parametrize("url", engines, indirect=True)


@pytest.fixture
def url(request, tmp_path):
    """An empty store."""
    if getattr(request, "param", "sqlite") == "postgresql":
        return request.getfixturevalue("empty_postgres_store")
    return f"sqlite:///{tmp_path}/memory.db"


@pytest.fixture
def glymph(url, clock):
    with Glymph.open(url, clock=clock) as handle:
        yield handle


@pytest.fixture(scope="session")
def postgres(tmp_path_factory):
    """One server for all tests of this process."""
    if reason := postgresql.absence():
        pytest.skip(reason)
    with postgresql.Server(tmp_path_factory.mktemp("postgres")) as server:
        yield server


@pytest.fixture
def postgres_url(postgres):
    """A new empty database, gone after the test."""
    url = postgres.database()
    yield url
    postgres.drop(url)


@pytest.fixture(scope="session")
def postgres_template(postgres):
    """A database with Glymph's schema and nothing in it, to be copied."""
    url = postgres.database()
    open_store(url, Settings()).close()
    return url


@pytest.fixture
def empty_postgres_store(postgres, postgres_template):
    """A new database with Glymph's schema, gone after the test."""
    url = postgres.database(template=postgres_template)
    yield url
    postgres.drop(url)

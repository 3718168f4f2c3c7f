"""The PostgreSQL that tests start for themselves.

It starts, survives a kill, and leaves nothing behind.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from glymph.testing import postgres as postgresql
from glymph.testing.postgres import Server
from glymph.testing.postgres import _is_gone as gone

psycopg = pytest.importorskip("psycopg")
pwd = pytest.importorskip("pwd")
pytestmark = pytest.mark.skipif(postgresql.absence() is not None, reason=str(postgresql.absence()))
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


def ask(url, statement, *values):
    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute(statement, values or None).fetchone()


def tell(url, *statements):
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


def test_it_is_postgresql_18_and_speaks_utf8(postgres_url):
    assert 180000 <= int(ask(postgres_url, "SHOW server_version_num")[0]) < 190000
    assert ask(postgres_url, "SHOW server_encoding") == ("UTF8",)


def test_each_database_is_new_and_empty(postgres):
    first, second = postgres.database(), postgres.database()
    tell(first, "CREATE TABLE note (text text)")
    assert ask(second, "SELECT to_regclass('note')") == (None,)
    copy = postgres.database(template=first)
    assert ask(copy, "SELECT to_regclass('note')::text") == ("note",)
    for url in (first, second, copy):
        postgres.drop(url)
        with pytest.raises(psycopg.OperationalError, match="does not exist"):
            psycopg.connect(url)
    postgres.drop(first)


def test_a_database_is_dropped_although_someone_is_connected(postgres):
    url = postgres.database()
    connection = psycopg.connect(url)
    postgres.drop(url)
    with pytest.raises(psycopg.OperationalError):
        connection.execute("SELECT 1")
    connection.close()


@pytest.mark.parametrize("collation", ["", 'COLLATE "pg_c_utf8"'])
def test_letters_of_every_script_are_letters(postgres_url, collation):
    kept = ask(
        postgres_url,
        f"SELECT regexp_replace('Zürich 日本, Ж 🙂' {collation}, '[^[:alnum:]]', '', 'g')",
    )
    assert kept == ("Zürich日本Ж",)
    assert ask(postgres_url, f"SELECT lower('ÄЖ' {collation})") == ("äж",)


@pytest.mark.parametrize("dimensions", [1, 3, 16, 384, 1536])
def test_vectors_of_any_length_have_distances(postgres_url, dimensions):
    """Some builds of pgvector use instructions that not every processor has.

    One length alone does not show it.
    """
    tell(postgres_url, "CREATE EXTENSION vector", f"CREATE TABLE v (at vector({dimensions}))")
    ones, twos = str([1] * dimensions), str([2] * dimensions)
    statement = "SELECT a <-> b, a <=> b, a <#> b, a <+> b FROM (SELECT %s::vector a, %s::vector b)"
    expected = (dimensions**0.5, 0.0, -2.0 * dimensions, 1.0 * dimensions)
    assert ask(postgres_url, statement, ones, twos) == pytest.approx(expected, abs=1e-6)
    tell(postgres_url, f"INSERT INTO v VALUES ('{ones}'), ('{twos}')")
    tell(postgres_url, "CREATE INDEX ON v USING hnsw (at vector_l2_ops)")
    assert ask(postgres_url, "SELECT at <-> %s FROM v ORDER BY 1", twos) == (0.0,)


def test_the_extensions_of_a_store_are_there(postgres_url):
    tell(postgres_url, *(f"CREATE EXTENSION {name}" for name in ("vector", "btree_gin", "pg_trgm")))
    assert ask(postgres_url, "SELECT similarity('memory', 'memories') > 0.3") == (True,)


def test_two_servers_run_at_once(postgres, tmp_path):
    with Server(tmp_path, settings={"max_connections": "20"}) as other:
        assert other.url != postgres.url
        assert ask(other.url, "SHOW max_connections") == ("20",)
        assert ask(postgres.url, "SHOW max_connections") == ("200",)


def test_a_taken_port_is_refused_with_a_reason(postgres, tmp_path):
    port = int(postgres.url.split(":")[-1].split("/")[0])
    with pytest.raises(RuntimeError, match=f"port {port} is taken"):
        Server(tmp_path, port=port).start()
    assert ask(postgres.url, "SELECT 1") == (1,)


def test_a_bad_setting_is_told_in_the_words_of_the_server(tmp_path):
    with pytest.raises(RuntimeError, match="no_such_setting"):
        Server(tmp_path, settings={"no_such_setting": "1"}).start()


def test_what_was_committed_survives_a_kill_and_the_rest_does_not(tmp_path):
    with Server(tmp_path) as server:
        url = server.database("kept")
        tell(url, "CREATE TABLE note (n int)", "INSERT INTO note SELECT generate_series(1, 1000)")
        half_done = psycopg.connect(url)
        half_done.execute("INSERT INTO note VALUES (-1)")
        family = [server.pid, *postgresql._children(server.pid)]
        assert len(family) > 4
        server.kill()
        assert all(map(gone, family))
        with pytest.raises(psycopg.OperationalError):
            half_done.execute("SELECT 1")
        half_done.close()
        for _ in range(2):
            server.start()
            assert server.database(f"again_{server.pid}").startswith(url.rsplit("/", 1)[0])
            assert ask(url, "SELECT count(*), min(n) FROM note") == (1000, 1)
            server.kill()
        server.start()
        assert "database system was not properly shut down" in server.log.read_text()


def test_a_stopped_server_starts_again_with_its_data(tmp_path):
    with Server(tmp_path) as server:
        tell(server.url, "CREATE TABLE note (n int)")
        pid, url = server.pid, server.url
        server.stop()
        assert gone(pid)
        server.stop()
        with pytest.raises(RuntimeError, match="start"):
            server.kill()
        server.start()
        assert server.url == url
        with pytest.raises(RuntimeError, match="runs already"):
            server.start()
    with Server(tmp_path) as server:
        assert ask(server.url, "SELECT to_regclass('note')::text") == ("note",)


@as_root
def test_root_runs_it_as_an_unprivileged_account(postgres):
    assert Path(f"/proc/{postgres.pid}").stat().st_uid == pwd.getpwnam(postgresql.ACCOUNT).pw_uid


PROGRAM = """
import os, pathlib, sys
import psycopg
from glymph.testing.postgres import Server
folder, user, group = sys.argv[1:]
if int(user) != os.geteuid():  # only now: the user may not be able to read the folder of this Python
    os.setgroups([])
    os.setgid(int(group))
    os.setuid(int(user))
server = Server(pathlib.Path(folder))
server.start()
print(os.geteuid(), server.pid, server.url, flush=True)
sys.stdin.readline()
server.stop()
"""


@pytest.fixture
def open_folder():
    """A folder that every user may enter, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


def started(folder, user, group):
    """A process of a user with a server of its own in this folder, and what it says about it."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder), str(user), str(group)], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(folder)}, cwd="/",
    )  # fmt: skip
    words = process.stdout.readline().split()
    assert len(words) == 3, "the process ended before its server ran"
    return process, int(words[0]), int(words[1]), words[2]


def test_the_server_ends_with_the_process_that_started_it_even_if_that_is_killed(open_folder):
    process, _, pid, url = started(open_folder, os.geteuid(), os.getegid())
    with process:
        assert ask(url, "SELECT 1") == (1,)
        family = [pid, *postgresql._children(pid)]
        process.send_signal(signal.SIGKILL)
        process.wait()
        postgresql._wait_until(lambda: all(map(gone, family)), "the server is still there")


@as_root
def test_another_user_runs_it_as_itself(open_folder):
    if not postgresql._may_enter(postgresql._bundle().parent):
        pytest.skip("the packages are installed where only root may read them")
    account = pwd.getpwnam(postgresql.ACCOUNT)
    os.chown(open_folder, account.pw_uid, account.pw_gid)
    process, uid, pid, url = started(open_folder, account.pw_uid, account.pw_gid)
    with process:
        assert uid == Path(f"/proc/{pid}").stat().st_uid == account.pw_uid
        assert ask(url, "SELECT 1") == (1,)
        process.communicate("\n", timeout=60)
    assert process.returncode == 0
    assert gone(pid)


@as_root
def test_a_folder_that_the_account_may_enter_holds_the_data_itself_and_stays_ours(open_folder):
    with Server(open_folder):
        assert not (open_folder / "postgres").is_symlink()
        assert (open_folder / "postgres" / "data" / "PG_VERSION").read_text() == "18\n"
    assert open_folder.stat().st_uid == 0

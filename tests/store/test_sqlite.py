"""The SQLite engine: the common suite, and what only a file can go wrong with."""

from __future__ import annotations

import gzip
import hashlib
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from glymph import Glymph, errors
from glymph.config import Settings
from glymph.store import open_store
from glymph.store.backends.sqlite import migrations
from glymph.store.backends.sqlite.connection import Connection
from glymph.store.backends.sqlite.dialect import SQLITE
from glymph.store.statements import statements
from glymph.testing import logical_image
from glymph.testing.files import open_file
from glymph.testing.store_suite import StoreSuite


class TestSqlite(StoreSuite):
    @pytest.fixture
    def url(self, tmp_path):
        return f"sqlite:///{tmp_path}/suite.db"


def raw(glymph):
    """A connection of somebody who knows nothing of Glymph's rules."""
    return open_file(glymph.url.removeprefix("sqlite:///"))


# many rows are written by one statement, from a table of the connection


def staged_connection():
    connection = Connection(":memory:", read_only=False, synchronous="OFF")
    connection.raw.execute("CREATE TABLE things(key INTEGER PRIMARY KEY, a TEXT, b REAL) STRICT")
    return connection


def things(connection):
    return connection.raw.execute("SELECT key, a, b FROM things ORDER BY key").fetchall()


def test_many_rows_keep_their_values_and_their_order():
    connection = staged_connection()
    rows = [(1, "x'\"ü", 0.1), (2, None, 1.0), (3, "", None)]
    connection.insert("things", ("key", "a", "b"), rows)
    assert things(connection) == rows
    connection.update("things", ("key",), ("b", "a"), [(1, 2.5, None), (3, None, "new")])
    assert things(connection) == [(1, None, 2.5), (2, None, 1.0), (3, "new", None)]
    connection.update("things", ("key",), ("a",), [])
    connection.update("things", ("key",), ("a",), [(2, "one")])
    assert things(connection)[1] == (2, "one", 1.0)


def test_rows_that_were_refused_are_not_written_with_the_next():
    connection = staged_connection()
    with pytest.raises(apsw.ConstraintError):
        connection.insert("things", ("key", "a"), [(1, "a"), (1, "b")])
    connection.insert("things", ("key", "a"), [(2, "c"), (3, "d")])
    assert [key for key, *_ in things(connection)] == [2, 3]


def test_many_rows_are_written_after_a_rollback_took_their_table_away():
    connection = staged_connection()
    with pytest.raises(apsw.ConstraintError), connection.transaction("IMMEDIATE"):
        connection.insert("things", ("key", "a"), [(1, "a"), (1, "b")])
    assert things(connection) == []
    connection.insert("things", ("key", "a"), [(3, "a"), (4, "b")])
    assert [key for key, *_ in things(connection)] == [3, 4]


@pytest.mark.parametrize("count", [1, 2])
def test_a_list_of_one_value_finds_what_a_longer_one_finds(count):
    connection = staged_connection()
    connection.insert("things", ("key", "a"), [(1, "a"), (2, "b"), (3, "c")])
    asked = {"texts": ["a", "b"][:count], "keys": [1, 2][:count]}
    among = "SELECT key FROM things WHERE a IN {texts:texts} AND key IN {keys:keys}"
    through = "SELECT v.value FROM {texts:texts} v"
    assert connection.tuples(among, asked) == [(1,), (2,)][:count]
    assert connection.tuples(through, asked) == [("a",), ("b",)][:count]


# guards hold against anybody who opens the file


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO memories(space_id, id, kind, section, title, text, state, state_at, state_by, salience,"
        " trust, created_at, updated_at, stability, difficulty, content_hash)"
        " SELECT space_id, 'x', 'note', section, title, text, state, 1, 'x', 1, 1, 1, 1, 1, 1, 'h' FROM memories",
        "UPDATE memories SET title = 'stolen'",
        "DELETE FROM memories",
        "DELETE FROM edges",
        "UPDATE journal SET image = '{}'",
        "DELETE FROM journal",
        "UPDATE operations SET actor = 'nobody'",
        "DELETE FROM operations",
        "UPDATE pages SET text = ''",
        "INSERT OR REPLACE INTO journal SELECT * FROM journal",
        "INSERT OR REPLACE INTO operations SELECT * FROM operations",
        "INSERT INTO journal(space_id, operation, tbl, key, action) VALUES (1, 1, 'memories', 1, 'insert')",
        "INSERT INTO operations(space_id, id, actor, verb, at) VALUES (1, 'x', 'x', 'x', 1)",
        "INSERT OR REPLACE INTO memories SELECT * FROM memories WHERE kind = 'self'",
    ],
)
def test_a_stranger_with_sql_cannot_change_memories_or_rewrite_history(glymph, statement):
    a = glymph.add("one")
    glymph.add("two", links=[a.id])
    glymph.write("my page")
    before = logical_image(glymph._ctx.store, "default")
    with pytest.raises(apsw.ConstraintError, match="glymph:"):
        raw(glymph).execute(statement)
    assert logical_image(glymph._ctx.store, "default") == before


def test_not_even_an_operation_replaces_the_identity(glymph):
    glymph.add("somebody else")
    connection = raw(glymph)
    connection.execute("INSERT INTO writing VALUES (1, 1, 1, 'add')")
    columns = [row[1] for row in connection.execute("PRAGMA table_info(memories)")]
    values = ", ".join({"key": "NULL", "id": "'evil'", "protected": "0"}.get(c, c) for c in columns)
    for statement in (
        f"INSERT OR REPLACE INTO memories SELECT {values} FROM memories WHERE kind = 'self'",
        "INSERT OR REPLACE INTO memories SELECT * FROM memories",
        "UPDATE OR REPLACE memories SET kind = 'self' WHERE kind <> 'self'",
    ):
        with pytest.raises(apsw.ConstraintError, match=r"exists already|born with it"):
            connection.execute(statement)


def test_a_closed_handle_says_so(glymph):
    glymph.close()
    with pytest.raises(errors.StoreError, match="closed"):
        glymph.list()
    glymph.close()


def test_a_handle_survives_refused_calls_and_reads_of_other_spaces(url):
    """A rollback must take away neither the views of the connection nor the limits of its space."""
    with Glymph.open(url, space="a") as a, Glymph.open(url, space="b") as b:
        a.add("apples of a")
        secret = b.add("the secret of b")
        a.search("apples", spaces=["a", "b"])
        for _ in range(3):
            with pytest.raises(errors.MemoryNotFound):
                a.get(secret.id)
            with pytest.raises(errors.InvalidInput):
                a.search("x", kinds=["typo"], spaces=["b"])
            assert [m.text for m in a.list()] == ["apples of a"]
            assert [h.memory.space for h in a.search("secret apples", spaces=["b"])] == ["b"]
        assert a.add("the secret of b").created
        assert a.archive(secret.id).failed[0].id == secret.id
        assert a.verify().ok


# opening


def test_an_unknown_scheme_is_an_error_that_names_the_known_ones():
    with pytest.raises(errors.UnknownScheme, match="sqlite://"):
        open_store("redis://localhost/1", Settings())


@pytest.mark.parametrize(
    "url", ["sqlite://", "sqlite:///", "sqlite://host/file.db", "sqlite:///:memory:"]
)
def test_a_url_without_a_file_is_refused(url):
    with pytest.raises(errors.InvalidInput, match="url"):
        open_store(url, Settings())


def test_an_unknown_url_option_is_refused(tmp_path):
    with pytest.raises(errors.InvalidInput, match="mode"):
        open_store(f"sqlite:///{tmp_path}/x.db?cache=shared", Settings())
    assert list(tmp_path.iterdir()) == []


def test_another_programs_file_is_refused_and_left_as_it_is(tmp_path):
    other = tmp_path / "other.db"
    apsw.Connection(str(other)).execute("CREATE TABLE theirs(x)")
    text = tmp_path / "notes.txt"
    text.write_text("not a database at all, but long enough to look like one " * 40)
    for path in (other, text):
        before = path.read_bytes()
        with pytest.raises(errors.NotAStore, match="nothing was written"):
            open_store(f"sqlite:///{path}", Settings())
        assert path.read_bytes() == before


def test_a_file_of_a_newer_glymph_is_refused_and_left_as_it_is(glymph, url):
    glymph.close()
    path = url.removeprefix("sqlite:///")
    connection = apsw.Connection(path)
    connection.execute(f"PRAGMA user_version = {migrations.NEWEST + 5}")
    connection.close()
    before = Path(path).read_bytes()
    with pytest.raises(errors.NewerSchema, match=f"schema {migrations.NEWEST + 5}.*Upgrade"):
        Glymph.open(url)
    assert Path(path).read_bytes() == before


def test_a_damaged_file_is_named_as_such(glymph, url):
    glymph.add_many([f"memory {n} " + "word " * 30 for n in range(200)])
    glymph.close()
    path = Path(url.removeprefix("sqlite:///"))
    content = bytearray(path.read_bytes())
    for page in range(2, len(content) // 4096):
        content[page * 4096 : page * 4096 + 2000] = os.urandom(2000)
    path.write_bytes(content)
    with pytest.raises(errors.CorruptStore, match="backup"):
        _use_everything(url)


def _use_everything(url):
    with Glymph.open(url) as damaged:
        damaged.list(limit=1000)
        damaged.search("memory")
        damaged.add("one more")


def test_opening_and_reading_an_existing_store_writes_nothing(glymph, url):
    glymph.add("something to read")
    glymph.close()
    path = Path(url.removeprefix("sqlite:///"))
    before = (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
    with Glymph.open(url) as again:
        (
            again.search("something"),
            again.list(),
            again.health(),
            again.graph(),
            again.operations(),
            again.spaces(),
        )
    assert (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns) == before
    assert sorted(p.name for p in path.parent.iterdir()) == [path.name]


def test_a_store_opened_read_only_answers_and_refuses_to_write(glymph, url):
    added = glymph.add("readable")
    with Glymph.open(f"{url}?mode=ro") as reader:
        assert reader.search("readable")[0].memory.id == added.id
        recalled = reader.recall("readable")
        assert (recalled.id, len(recalled)) == (None, 1)
        assert "read-only" in recalled.notice
        for attempt in (
            lambda: reader.add("x y"),
            lambda: reader.archive(added.id),
            lambda: reader.undo(),
        ):
            with pytest.raises(errors.ReadOnlyStore, match="may write to it"):
                attempt()
        assert reader.verify().ok


def test_reading_only_a_file_that_is_not_there_creates_nothing(tmp_path):
    with pytest.raises(errors.StoreError, match="no file"):
        Glymph.open(f"sqlite:///{tmp_path}/absent.db?mode=ro")
    assert list(tmp_path.iterdir()) == []


def test_an_unprivileged_user_can_read_a_store_it_may_not_write(glymph, url, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("needs root to become somebody else")
    glymph.add("for everybody")
    glymph.close()
    folder = Path("/tmp") / f"glymph-shared-{os.getpid()}"
    folder.mkdir()
    try:
        shutil.copy(url.removeprefix("sqlite:///"), folder / "memory.db")
        folder.chmod(0o555)
        (folder / "memory.db").chmod(0o444)
        connection = (
            "import os, sys\n"
            "from glymph import Glymph, errors\n"
            f"warm = Glymph.open('sqlite:///{tmp_path}/warm.db'); warm.add('warm up'); warm.search('warm')\n"
            "os.setgid(65534); os.setuid(65534)\n"  # from here on, modules may be out of reach
            f"g = Glymph.open('sqlite:///{folder}/memory.db')\n"
            "print(len(g.search('everybody')))\n"
            "try: g.add('never mind the rain')\n"
            "except errors.ReadOnlyStore: print('refused')\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", connection], capture_output=True, text=True, check=False
        )
        assert done.stdout.split() == ["1", "refused"], done.stderr
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_a_full_disk_takes_back_the_change_and_says_so(glymph):
    glymph.add("before the disk was full")
    before = logical_image(glymph._ctx.store, "default")
    connection = glymph._ctx.store.database._pool._idle[0].raw
    pages = connection.pragma("page_count")
    connection.execute(f"PRAGMA max_page_count = {pages + 4}")
    with pytest.raises(errors.StoreFull, match="Free disk space"):
        glymph.add_many([f"memory {n} " + "word " * 200 for n in range(100)])
    assert logical_image(glymph._ctx.store, "default") == before
    assert glymph.add("after").created
    assert glymph.verify().ok


def test_deleted_text_leaves_no_trace_in_the_file(glymph, url):
    """secure_delete and FTS5's secure-delete: what is removed is overwritten, not merely unlinked."""
    with glymph._ctx.store.writing("default", None) as writer:
        writer.enqueue({"id": "j", "job": "xylophone-secret", "payload": "{}", "at": 1})
    added = glymph.add("the zanzibar-secret is safe")
    glymph._ctx.store.database._pool._idle[0].raw.execute("DELETE FROM queue")
    glymph.close()
    with Glymph.open(url) as again:
        again.delete(added.id)
    content = Path(url.removeprefix("sqlite:///")).read_bytes()
    assert b"xylophone-secret" not in content
    assert b"zanzibar-secret" in content  # the trash still holds it; only a purge removes it


def test_stores_backups_and_exports_are_private(glymph, url, tmp_path):
    glymph.backup(tmp_path / "backup.db")
    glymph.export(tmp_path / "export.jsonl")
    for path in (url.removeprefix("sqlite:///"), tmp_path / "backup.db", tmp_path / "export.jsonl"):
        assert Path(path).stat().st_mode & 0o777 == 0o600
    with pytest.raises(errors.InvalidInput, match="cannot write"):
        glymph.backup(tmp_path / "no" / "such" / "folder.db")


@pytest.mark.parametrize("bad", ["\ud800", "id \udfff"])
def test_half_a_surrogate_pair_is_a_typed_error_wherever_it_comes_from(glymph, bad):
    for attempt in (
        lambda: glymph.get(bad),
        lambda: glymph.archive(bad, reason=bad),
        lambda: glymph.list(tags=[bad]),
        lambda: glymph.list(session=bad),
        lambda: glymph.clusters.create(bad),
    ):
        with pytest.raises(errors.GlymphError):
            attempt()


# migrations


def test_a_new_file_records_its_migrations(glymph):
    rows = raw(glymph).execute("SELECT version, name FROM migrations").fetchall()
    assert rows == [(step.version, step.name) for step in migrations.MIGRATIONS]


def test_a_migration_that_fails_leaves_the_old_schema_untouched(glymph, url):
    glymph.add("precious")
    before = logical_image(glymph._ctx.store, "default")
    connection = raw(glymph)

    def half_way(c):
        c.execute("CREATE TABLE new_thing(x)")
        c.execute("DROP TABLE counters")
        raise RuntimeError("power cut")

    steps = (*migrations.MIGRATIONS, migrations.Migration(99, "broken", half_way))
    with pytest.raises(RuntimeError):
        migrations.migrate(connection, "x", 0, steps)
    assert connection.pragma("user_version") == migrations.NEWEST
    assert (
        connection.execute("SELECT name FROM sqlite_schema WHERE name = 'new_thing'").fetchall()
        == []
    )
    connection.close()
    assert logical_image(glymph._ctx.store, "default") == before
    assert glymph.verify().ok


def test_a_migration_adds_a_column_and_the_journal_follows_it(glymph):
    added = glymph.add("older than the column")
    connection = raw(glymph)
    step = migrations.Migration(
        migrations.NEWEST + 1,
        "mood",
        lambda c: c.execute("ALTER TABLE memories ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'"),
    )
    migrations.migrate(connection, "x", 0, (*migrations.MIGRATIONS, step))
    connection.close()
    place = glymph._ctx
    place.store.database._schema = step.version  # as of a program that knows the column
    with place.operation("update") as op:
        op.writer.change("memories", {op.row(added.id)["key"]: {"mood": "merry"}})
    assert glymph.history(added.id)[-1].before == {"mood": "calm"}
    glymph.undo(op.intent.id)
    image = logical_image(place.store, "default")
    assert {row["mood"] for (table, _), row in image.items() if table == "memories"} == {"calm"}


def test_every_earlier_schema_upgrades_with_its_data(tmp_path):
    """tests/store/schemas holds a store of each schema there ever was.

    Each must open and verify today.
    """
    stores = sorted((Path(__file__).parent / "schemas").glob("v*.db.gz"))
    assert [store.name for store in stores] == sorted(
        f"v{m.version}.db.gz" for m in migrations.MIGRATIONS
    )
    for store in stores:
        path = tmp_path / store.stem
        path.write_bytes(gzip.decompress(store.read_bytes()))
        with Glymph.open(f"sqlite:///{path}") as opened:
            assert opened.verify().ok
            assert opened.search("Lisbon")[0].memory.text == "I live in Lisbon now"
            assert len(opened.operations()) > 3
            assert opened.add("still writable").created


def _open_and_add(url, number):
    with Glymph.open(url, space=f"s{number % 3}") as handle:
        handle.add(f"from process {number}")


def test_many_processes_may_create_the_same_store_at_once(url):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_open_and_add, args=(url, number)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 4
    with Glymph.open(url, space="s0") as handle:
        assert {space.name for space in handle.spaces()} == {"s0", "s1", "s2"}
        assert handle.verify().ok


def test_a_handle_survives_a_fork(glymph):
    glymph.add("parent's")
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if glymph.add("child's").created and len(glymph.list()) == 2 else 1
        finally:
            os._exit(code)  # whatever happens, the child must not go on as a second test runner
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(glymph.list()) == 2


# speed by design


EVERYTHING = (
    "spaces",
    "space_count",
    "due_spaces",
    "mirrored_columns",
    "mirrored_columns_alone",
    "tokens",
)  # is what these are asked for


def test_no_statement_reads_a_whole_table_for_a_few_rows(glymph):
    one_row_or_rows_just_found = {
        "SCAN temp.scope",
        "SCAN scope",
        "SCAN undo",
        "SCAN h",
        "SCAN CONSTANT ROW",
        "SCAN placed",
        "SCAN each_row",
        "SCAN counted",
        "SCAN sqlite_sequence",  # a row for each table
    }
    with glymph._ctx.store.reading("default") as reader:
        connection = reader._session.raw
        for name, sql in ((name, SQLITE.render(one)) for name, one in statements().items()):
            values = dict.fromkeys(re.findall(r":(\w+)", sql))
            plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
            scans = {step for step in plan if step.startswith("SCAN")}
            scans = {step for step in scans if "json_each" not in step and "subquery" not in step}
            assert scans <= one_row_or_rows_just_found or name in EVERYTHING, (name, plan)


def test_a_look_at_all_spaces_asks_once_when_each_is_due(glymph):
    sql = SQLITE.render(statements()["due_spaces"])
    with glymph._ctx.store.reading("default") as reader:
        values = dict.fromkeys(re.findall(r":(\w+)", sql))
        plan = [row[3] for row in reader._session.raw.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
    asked = [step for step in plan if step.startswith("SEARCH c ")]
    assert len(asked) == 1, plan

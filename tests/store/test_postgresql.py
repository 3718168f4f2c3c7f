"""The PostgreSQL engine: the common suite, and what only a server can go wrong with."""

from __future__ import annotations

import multiprocessing
import os
import threading

import psycopg
import pytest

from glymph import Glymph, errors
from glymph.config import Settings
from glymph.store import open_store
from glymph.store.backends.postgresql import migrations, pool, reclaim
from glymph.store.contract import JOURNALLED
from glymph.store.erase_places import find_uncovered
from glymph.store.portable import BIRTH_ORDER
from glymph.testing import FrozenClock, logical_image
from glymph.testing.builders import intent
from glymph.testing.store_suite import StoreSuite


class TestPostgresql(StoreSuite):
    @pytest.fixture
    def url(self, empty_postgres_store):
        return empty_postgres_store


@pytest.fixture
def url(empty_postgres_store):
    return empty_postgres_store


def raw(url, **how):
    """A connection of somebody who knows nothing of Glymph's rules, with every right there is."""
    return psycopg.connect(url, autocommit=True, options="-c search_path=glymph,public", **how)


def shown(connection, space_id, operation=None, verb=""):
    """Pretends to be Glymph at work in a space."""
    for name, value in (("space", space_id), ("operation", operation or ""), ("verb", verb)):
        connection.execute("SELECT set_config(%s, %s, false)", (f"glymph.{name}", str(value)))


# guards hold against anybody who reaches the database


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO memories(space_id, id, kind, section, title, text, state, state_at, state_by, salience,"
        " trust, created_at, updated_at, stability, difficulty, content_hash)"
        " SELECT space_id, 'x', 'note', section, title, text, state, 1, 'x', 1, 1, 1, 1, 1, 1, 'h' FROM memories"
        " WHERE kind = 'self'",
        "UPDATE memories SET title = 'stolen'",
        "DELETE FROM memories",
        "DELETE FROM edges",
        "UPDATE edges SET weight = 0.1",
        "UPDATE journal SET image = '{}'",
        "DELETE FROM journal",
        "UPDATE operations SET actor = 'nobody'",
        "DELETE FROM operations",
        "UPDATE pages SET text = ''",
        "UPDATE vectors SET vector = ''",
        "INSERT INTO journal(space_id, operation, tbl, key, action) VALUES (1, 1, 'memories', 1, 'insert')",
        "INSERT INTO operations(space_id, id, actor, verb, at) VALUES (1, 'x', 'x', 'x', 1)",
        "DELETE FROM memory_text",
        "UPDATE text_sums SET texts = 0",
        "DELETE FROM spaces",
        *(f"TRUNCATE {table}" for table in (*JOURNALLED, "journal", "operations")),
    ],
)
def test_the_database_itself_refuses_changes_past_an_operation(url, clock, statement):
    with Glymph.open(url, clock=clock) as glymph:
        one, two = (glymph.add(text).id for text in ("Ann skis.", "Bob swims."))
        glymph.link(one, two)
        place = glymph._ctx
        with place.store.writing("default", intent("write")) as writer:
            writer.insert("pages", [{"name": "about", "text": "a page", "updated_at": 1}])
        with place.store.writing("default", None) as writer:
            row = writer.memory(one)
            model = writer.add_model("m", 2, at=1)
            writer.add_vectors(
                model, [(row["key"], bytes.fromhex(row["content_hash"][:16]), b"abcd")]
            )
        before = logical_image(place.store, "default")
        with raw(url) as anybody, pytest.raises(psycopg.errors.RaiseException, match="glymph:"):
            anybody.execute(statement)
        assert logical_image(place.store, "default") == before
        assert glymph.verify().ok


def test_an_operation_of_one_space_cannot_touch_another_even_past_the_policies(url, clock):
    with (
        Glymph.open(url, clock=clock) as ours,
        Glymph.open(url, space="other", clock=clock) as theirs,
    ):
        theirs.add("Bob swims.")
        keys = {row["name"]: row["key"] for row in ours._ctx.store.spaces()}
        with raw(url) as superuser:
            shown(superuser, keys["default"], operation=10**6, verb="update")
            with pytest.raises(psycopg.errors.RaiseException, match="glymph:Isolated"):
                superuser.execute("UPDATE memories SET title = 'stolen' WHERE kind <> 'self'")


def test_a_statement_that_forgets_the_space_sees_and_changes_one_space_only(url, clock):
    with (
        Glymph.open(url, clock=clock) as ours,
        Glymph.open(url, space="other", clock=clock) as theirs,
    ):
        ours.add("Ann skis.")
        theirs.add("Bob swims.")
        keys = {row["name"]: row["key"] for row in ours._ctx.store.spaces()}
        with raw(url) as connection:
            connection.execute(f"SET ROLE {migrations.ROLE}")
            for table in (*BIRTH_ORDER, *migrations.OWN):
                assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table
            shown(connection, keys["other"])
            said = [
                text
                for (text,) in connection.execute("SELECT text FROM memories WHERE kind <> 'self'")
            ]
            assert said == ["Bob swims."]
            row = "INSERT INTO counters(space_id, name, value) VALUES (%s, 'n', 1)"
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
                connection.execute(row, (keys["default"],))
            connection.execute(row, (keys["other"],))
            assert connection.execute("DELETE FROM counters").rowcount >= 1


def test_each_key_and_index_begins_with_the_space(url):
    open_store(url, Settings()).close()
    with raw(url) as connection:
        found = connection.execute(
            "SELECT t.relname, i.relname, a.attname FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid "
            "JOIN pg_class t ON t.oid = x.indrelid "
            "JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = x.indkey[0] "
            "WHERE t.relnamespace = 'glymph'::regnamespace"
        ).fetchall()
    own = {"spaces", "keys", "migrations", "tokens", "meta"}  # tables that are about no space
    assert {table for table, _, _ in found} >= {*BIRTH_ORDER, *migrations.OWN, "memory_text"}
    assert [one for one in found if one[0] not in own and one[2] != "space_id"] == []


def test_a_user_without_superuser_rights_is_bound_as_well(url, postgres, clock):
    name = f"plain_{os.getpid()}_{id(url)}"
    with raw(url) as administrator:
        database = psycopg.conninfo.conninfo_to_dict(url)["dbname"]
        administrator.execute("DROP SCHEMA glymph CASCADE")
        administrator.execute(f"CREATE ROLE {name} LOGIN")
        administrator.execute(f'GRANT CREATE ON DATABASE "{database}" TO {name}')
    theirs = url.replace("postgres@", f"{name}@")
    with Glymph.open(theirs, clock=clock) as glymph:
        glymph.add("Ann skis.")
        assert glymph.verify().ok
        assert glymph._ctx.store.check() == []
    with raw(theirs) as connection:
        assert connection.execute("SELECT count(*) FROM memories").fetchone() == (0,)
    with raw(url) as administrator:
        administrator.execute(f"DROP OWNED BY {name} CASCADE")
        administrator.execute(f"DROP ROLE {name}")


# soundness


@pytest.mark.parametrize(
    ("damage", "check"),
    [
        ("DROP TRIGGER memories_after_delete ON memories", "guards"),
        ("ALTER TABLE memories DISABLE TRIGGER memories_after_update", "guards"),
        ("ALTER TABLE edges NO FORCE ROW LEVEL SECURITY", "guards"),
        (
            "CREATE OR REPLACE FUNCTION glymph.refuse(kind TEXT, detail TEXT) RETURNS VOID LANGUAGE sql AS $$ $$",
            "guards",
        ),
        ("ALTER TABLE memory_text DISABLE TRIGGER USER; DELETE FROM memory_text", "references"),
        (
            "ALTER TABLE memory_text DISABLE TRIGGER USER; UPDATE memory_text SET words = ''",
            "full text",
        ),
    ],
)
def test_what_is_wrong_with_a_store_is_named(url, clock, damage, check):
    with Glymph.open(url, clock=clock) as glymph:
        glymph.add("Ann skis.")
        assert glymph._ctx.store.check() == []
        with raw(url) as vandal:
            vandal.execute(damage)
        assert check in {problem.check for problem in glymph._ctx.store.check()}


def test_every_column_of_text_has_its_place_in_the_registry_of_erasure(url):
    open_store(url, Settings()).close()
    with raw(url) as connection:
        found = connection.execute(
            "SELECT c.relname || '.' || a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid "
            "WHERE c.relnamespace = 'glymph'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 "
            "AND format_type(a.atttypid, NULL) NOT IN ('bigint', 'integer', 'double precision')"
        ).fetchall()
    assert find_uncovered({column for (column,) in found}, reclaim.COLUMNS) == []


def test_a_purge_names_what_a_server_keeps_and_compaction_settles_it(url, clock):
    with Glymph.open(url, clock=clock) as glymph:
        glymph.add("The code is swordfish-77.")
        done = glymph.forget("swordfish-77", apply=True, mode="purge")
        told = {place.name: place.status for place in done.certificate.places}
        assert told["write-ahead log"] == "out of reach"
        assert told["removed rows"] in ("clean", "pending")
        glymph._ctx.store.compact()
        with raw(url) as connection:
            for table in reclaim.TABLES:
                rows = connection.execute(
                    f"SELECT count(*) FROM {table} r WHERE r::text ILIKE '%%swordfish%%'"
                )
                assert rows.fetchone() == (0,), table


# opening


def test_processes_that_open_an_empty_database_at_once_make_one_schema(postgres_url):
    failures = []

    def opened():
        try:
            open_store(postgres_url, Settings()).close()
        except BaseException as error:  # noqa: BLE001  a thread's failure must reach the test
            failures.append(error)

    threads = [threading.Thread(target=opened) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with raw(postgres_url) as connection:
        found = connection.execute("SELECT version FROM migrations ORDER BY version").fetchall()
        assert found == [(step.version,) for step in migrations.MIGRATIONS]


def test_an_empty_database_is_left_alone_unless_a_store_may_be_made(postgres_url):
    for url, create in ((postgres_url, False), (f"{postgres_url}?mode=ro", True)):
        with pytest.raises(errors.StoreError, match="no store"):
            open_store(url, Settings(), create=create)
    with raw(postgres_url) as connection:
        assert connection.execute("SELECT to_regnamespace('glymph')").fetchone() == (None,)


def test_a_store_of_the_first_schema_is_brought_to_todays_and_its_role_may_use_the_new_tables(
    url, clock
):
    with Glymph.open(url, clock=clock) as glymph:
        glymph.add("Ann skis.")
    with raw(url) as connection:
        for table in ("messages", "conversations", "folders", "tokens", "meta"):
            connection.execute(f"DROP TABLE {table} CASCADE")
        connection.execute("ALTER TABLE conflicts DROP COLUMN kind CASCADE")
        connection.execute(
            "ALTER TABLE conflicts ADD CONSTRAINT conflicts_resolution_check CHECK (true)"
        )
        connection.execute("DELETE FROM migrations WHERE version > 1")
    with Glymph.open(url, clock=clock) as glymph:
        history = glymph.conversations()
        history.append("s", {"role": "user", "content": "Hello."})
        assert history.messages("s") == [{"role": "user", "content": "Hello."}]
        assert glymph.search("skis")
        glymph.add("Ben sings.")
        assert len(glymph.list(limit=1, cursor=glymph.list(limit=1).cursor)) == 1
        assert glymph.verify().ok


def test_a_newer_schema_is_refused(url):
    with raw(url) as connection:
        connection.execute("INSERT INTO migrations VALUES (99, 'later', 1)")
    with pytest.raises(errors.NewerSchema):
        open_store(url, Settings())


def test_a_read_only_handle_reads_and_says_that_it_cannot_write(url, clock):
    with Glymph.open(url, clock=clock) as glymph:
        glymph.add("Ann skis.")
    with Glymph.open(f"{url}?mode=ro", clock=clock) as reader:
        assert [hit.memory.text for hit in reader.search("ann")] == ["Ann skis."]
        with pytest.raises(errors.ReadOnlyStore):
            reader.add("Bob swims.")


@pytest.mark.parametrize(
    "url", ["postgresql://h/d?mode=maybe", "postgresql://h/d?keys=", "postgresql://h/d?nonsense=1"]
)
def test_an_option_that_does_not_exist_is_an_error(url):
    with pytest.raises(errors.InvalidInput):
        open_store(url, Settings())


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann:hunter2@127.0.0.1:1/nowhere", "postgresql://ann:hun%ter2@127.0.0.1:1/nowhere",
        "postgresql://ann:hunter2@[::1]x/db", "postgresql://ann:hun ter2@h/db", "postgresql://ann:x/hunter2@h/db",
        "postgresql://ann:x#hunter2@h/db", "postgresql://ann:hunter2\u2100et@h/db",
    ],
)  # fmt: skip
def test_no_error_tells_the_password(url):
    with pytest.raises(errors.GlymphError) as told:
        open_store(url, Settings())
    shown = f"{told.value} {told.value.__cause__ or ''}"
    assert not any(part in shown for part in ("hunter2", "ter2"))


def test_keys_are_only_ever_drawn_forward_while_others_write(url):
    store, given, stop = open_store(url, Settings()), [], threading.Event()

    def draw():
        with raw(url) as connection:
            while not stop.is_set():
                given.append(
                    connection.execute("SELECT nextval('glymph.journal_id_seq')").fetchone()[0]
                )

    threads = [threading.Thread(target=draw) for _ in range(2)]
    for thread in threads:
        thread.start()
    for number in range(60):
        with store.database.writing() as session:
            store.database.reserve_keys(session, "journal", 50 * number)
    stop.set()
    for thread in threads:
        thread.join()
    with raw(url) as connection:
        assert connection.execute("SELECT nextval('glymph.journal_id_seq')").fetchone()[0] > 50 * 59
    assert len(given) == len(set(given)) > 0
    store.close()


def test_a_space_that_lost_its_name_while_we_waited_is_left_alone(url, clock):
    with Glymph.open(url, space="x", clock=clock) as glymph:
        glymph.add("Ann skis.")
    store, failures = open_store(url, Settings()), []

    def delete():
        try:
            list(store.delete_space("x"))
        except errors.SpaceNotFound as error:
            failures.append(error)

    with raw(url) as other, other.transaction():
        other.execute("UPDATE spaces SET name = 'keep' WHERE name = 'x'")
        thread = threading.Thread(target=delete)
        thread.start()
        while not other.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchone():
            pass
    thread.join()
    assert len(failures) == 1
    assert [row["name"] for row in store.spaces()] == ["keep"]
    store.close()


def test_many_open_one_new_space_at_once(url, clock):
    failures = []

    def opened():
        try:
            Glymph.open(url, space="same", clock=clock).close()
        except BaseException as error:  # noqa: BLE001  a thread's failure must reach the test
            failures.append(error)

    threads = [threading.Thread(target=opened) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


@pytest.mark.parametrize(
    "text", ["हिन्दी भाषा", "বাংলা", "தமிழ்", "שָׁלוֹם", "తెలుగు", "شُكْرًا", "Σίσυφος", "Zürich", "日本"]
)
def test_words_of_many_scripts_are_found_as_on_sqlite(url, tmp_path, clock, text):
    for store in (url, f"sqlite:///{tmp_path}/memory.db"):
        with Glymph.open(store, clock=clock) as glymph:
            glymph.add(f"{text} 7")
            assert len(glymph.search(text.upper() if text.isascii() else text)) == 1, store


# keys


def test_secret_keys_are_shared_through_the_database_or_kept_in_a_folder(url, clock, tmp_path):
    for opened, space in ((url, "one"), (f"{url}?keys={tmp_path}/keys", "two")):
        with Glymph.open(opened, space=space, clock=clock) as glymph:
            glymph.add("The code is swordfish-77.")
            glymph.forget("swordfish-77", apply=True, mode="purge")
            assert glymph.add("The code is swordfish-77.").refused.startswith("tombstoned")
    assert len(list((tmp_path / "keys").iterdir())) == 1
    with raw(url) as connection:
        assert connection.execute("SELECT count(*) FROM keys").fetchone() == (1,)


def test_a_missing_key_is_a_problem_whose_way_out_fits_where_keys_are_kept(url, tmp_path, clock):
    kept = f"{url}?keys={tmp_path}/keys"
    with Glymph.open(kept, clock=clock) as glymph:
        glymph.add("The code is swordfish-77.")
        glymph.forget("swordfish-77", apply=True, mode="purge")
        assert glymph.verify().ok
    with Glymph.open(url, clock=clock) as glymph:
        [problem] = glymph.verify().problems
        assert problem.check == "keys"
        assert "add keys=FOLDER to the URL" in problem.detail
    [key] = (tmp_path / "keys").iterdir()
    key.unlink()
    with Glymph.open(kept, clock=clock) as glymph:
        [problem] = glymph.verify().problems
        assert f"the key {key} is missing. Put that file back from a backup" in problem.detail


def test_what_is_said_of_a_read_only_store_fits_a_server(url):
    Glymph.open(url).close()
    with (
        Glymph.open(f"{url}?mode=ro", create=False) as glymph,
        pytest.raises(errors.ReadOnlyStore) as told,
    ):
        glymph.add("Ann skis.")
    assert "the file" not in str(told.value)
    assert "a database's tables" in str(told.value)


# a server that goes away


def test_a_handle_goes_on_after_the_server_was_killed_and_nothing_acknowledged_is_lost(
    postgres, url, clock, monkeypatch
):
    monkeypatch.setattr(pool, "REACH_SECONDS", 1.0)
    with Glymph.open(url, clock=clock) as glymph:
        for number in range(3):
            kept = {glymph.add(f"Item {number} lies on shelf {number * 7}.").id}
            postgres.kill()
            with pytest.raises(errors.StoreError):
                glymph._ctx.store.spaces()
            postgres.start()
            assert kept <= {memory.id for memory in glymph.list(limit=50)}
        assert len(glymph.list(limit=50)) == 3
        assert glymph.verify().ok


def _count_across_a_crash(store, postgres):
    with store.writing("default", None) as writer:
        writer.set_counter("n", 1)
        postgres.kill()
        postgres.start()
        writer.set_counter("n", 2)


def test_a_transaction_that_the_server_dropped_never_happened(postgres, url, clock):
    with Glymph.open(url, clock=clock) as glymph:
        glymph.add("Ann skis.")
        store = glymph._ctx.store
        before = logical_image(store, "default")
        with pytest.raises(errors.StoreError):
            _count_across_a_crash(store, postgres)
        assert logical_image(store, "default") == before
        with store.reading("default") as reader:
            assert reader.counter("n") is None


# what a change costs the server


def test_the_words_of_a_text_are_a_part_of_the_statement_that_indexes_it(url):
    """A function that is called for each row would parse and plan for itself."""
    open_store(url, Settings()).close()
    sql = "EXPLAIN VERBOSE SELECT words_in(title, text, tags, entities, event_at) FROM memories"
    with raw(url) as connection:
        plan = "\n".join(line for (line,) in connection.execute(sql).fetchall())
    assert "to_tsvector" in plan
    assert "words_in" not in plan


def test_the_connection_that_came_back_last_is_used_again(url, clock):
    def backend(session):
        return session.tuples("SELECT pg_backend_pid()", {})[0][0]

    database = open_store(url, Settings()).database
    with database.reading() as one, database.reading() as other:
        assert backend(one) != backend(other)
    used = set()
    for _ in range(4):
        with database.reading() as session:
            used.add(backend(session))
    database.close()
    assert len(used) == 1


# many at once


def test_a_handle_can_be_used_on_both_sides_of_a_fork(url):
    with Glymph.open(url) as glymph:
        glymph.add("the parent's")
        child = os.fork()
        if child == 0:
            code = 1
            try:
                code = 0 if glymph.add("the child's").created and len(glymph.list()) == 2 else 1
            finally:
                os._exit(code)  # whatever happens, the child must not go on as a second test runner
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert len(glymph.list()) == 2


def _write(url, space, count):
    with Glymph.open(url, space=space, clock=FrozenClock()) as glymph:
        for number in range(count):
            glymph.add(f"{os.getpid()} writes line {number} of its report.")


def test_processes_write_to_the_same_and_to_other_spaces_at_once(url):
    jobs = [("same", 12), ("same", 12), ("other", 12)]
    with Glymph.open(url, space="same"), Glymph.open(url, space="other"):
        pass
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_write, args=(url, *job)) for job in jobs]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    for space, count in (("same", 24), ("other", 12)):
        with Glymph.open(url, space=space) as glymph:
            assert len(glymph.list(limit=99)) == count
            assert glymph.verify().ok
            with glymph._ctx.reading() as reader:
                keys = [row["key"] for row in reader.operations(limit=99)]
            assert keys == sorted(keys, reverse=True)

"""Moving spaces between stores: everything arrives.

A kill costs nothing, and what is wrong is never seen.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import closing

import pytest

from glymph import Glymph, errors
from glymph.config import Settings
from glymph.store import open_store
from glymph.store.portable import CARRIED
from glymph.store.spaces import UNFINISHED_AFTER, Spaces
from glymph.testing.files import open_file
from glymph.transfer import migrate as moving
from glymph.transfer.copy_check import Checksum
from glymph.transfer.migrate import backup_into, hide_credentials, migrate, survey
from tests.grounds.moving import SECRET, Engines, done, image, live_a_little


@pytest.fixture(params=["sqlite to sqlite", "sqlite to postgresql", "postgresql to sqlite"])
def engines(request, tmp_path):
    source, target = request.param.split(" to ")
    urls = {
        name: request.getfixturevalue("empty_postgres_store")
        if engine == "postgresql"
        else f"sqlite:///{tmp_path}/{name}.db"
        for name, engine in (("source", source), ("target", target))
    }
    return Engines(**urls)


def run(engines, **options):
    with engines.both() as (source, target):
        report, _ = done(migrate(source, target, **options))
        return report


def alter(store, sql):
    """Changes rows of the youngest space behind the store's back, past its guards."""
    if store.url.startswith("sqlite"):
        connection = open_file(store.database.path)
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger'"
        ).fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        (space,) = connection.execute("SELECT max(key) FROM spaces").fetchone()
        connection.execute(sql, {"space": space})
        assert connection.changes()
        connection.close()
        return
    with store.database._pool.connect() as connection:
        connection.execute("SET session_replication_role = replica; SET search_path = glymph")
        (space,) = connection.execute("SELECT max(key) FROM spaces").fetchone()
        assert connection.execute(sql.replace(":space", str(space))).rowcount


def hidden(store):
    with store.database.reading() as session:
        return session.tuples("SELECT name FROM spaces WHERE substr(name, 1, 1) = '('", {})


# what arrives


def test_every_row_arrives_as_it_was_and_the_past_can_still_be_undone(engines, clock):
    home, _ = live_a_little(engines.source, clock)
    report = run(engines, chunk=7)
    with engines.both() as (source, target):
        before, after = image(source, "default"), image(target, "default")
        assert {table for table in CARRIED if not before[table]} == set()
        assert after == before
        identity = source.spaces()[0]["identity_id"]
        assert target.keyring.get(identity) == source.keyring.get(identity) is not None
        assert [s["created_at"] for s in target.spaces()] == [
            s["created_at"] for s in source.spaces()
        ]
    (moved,) = report.spaces
    assert (moved.outcome, moved.rows, moved.goes_on_at) == (
        "moved",
        sum(map(len, before.values())),
        0,
    )
    assert dict(moved.counts) == {table: len(rows) for table, rows in before.items()}
    assert moved.searched >= 4
    assert report.changed == ()
    with Glymph.open(engines.target, clock=clock, create=False) as glymph:
        assert glymph.verify().ok
        assert len(glymph.trash()) == 1
        assert next(iter(glymph.search("Berlin canal"))).memory.id == home
        assert len(glymph.certificates()) == 1
        update = next(one for one in glymph.operations() if one.verb == "update")
        glymph.undo(update.id)
        assert glymph.get(home).title == "I live in Berlin near the canal"
        assert glymph.verify().ok


def test_moved_back_it_is_still_the_same(engines, clock, tmp_path):
    live_a_little(engines.source, clock)
    there = run(engines)
    back = run(Engines(engines.target, f"sqlite:///{tmp_path}/back.db"))
    assert back.spaces[0].checksum == there.spaces[0].checksum


def test_all_spaces_go_or_the_named_ones_into_a_store_that_has_others(engines, clock):
    for space in ("default", "other", "third"):
        live_a_little(engines.source, clock, space=space)
    live_a_little(engines.target, clock, space="own")
    assert [one.space for one in run(engines, spaces=["other"]).spaces] == ["other"]
    assert [one.outcome for one in run(engines).spaces] == ["moved", "already there", "moved"]
    with engines.both() as (source, target):
        assert [space["name"] for space in target.spaces()] == ["default", "other", "own", "third"]
        for space in ("default", "other", "third"):
            assert image(target, space) == image(source, space)
    with Glymph.open(engines.target, space="other", clock=clock) as glymph:
        glymph.add("life goes on with keys of its own")
        assert glymph.verify().ok


def test_the_source_is_only_read(engines, clock):
    live_a_little(engines.source, clock)
    with engines.both() as (source, target):
        with source.database.reading() as session:
            before = session.tuples("SELECT * FROM spaces", {}), image(source, "default")
        done(migrate(source, target))
        with source.database.reading() as session:
            assert (session.tuples("SELECT * FROM spaces", {}), image(source, "default")) == before


def test_a_pending_certificate_stays_where_the_bytes_are_and_is_counted(engines, clock):
    live_a_little(engines.source, clock)
    with closing(open_store(engines.source, Settings())) as source:
        alter(source, "UPDATE certificates SET completed_at = NULL WHERE space_id = :space")
    report = run(engines)
    assert report.spaces[0].unsettled == 1
    assert report.spaces[0].counts["certificates"] == 0
    with Glymph.open(engines.target, clock=clock) as glymph:
        assert glymph.certificates() == []


def test_a_tombstone_still_keeps_out_what_was_removed(engines, clock):
    with Glymph.open(engines.source, clock=clock) as glymph:
        glymph.add(SECRET)
        glymph.add("something else entirely")
        glymph.forget(SECRET, mode="purge", apply=True)
        assert glymph.tombstones(text=SECRET)
    run(engines)
    with Glymph.open(engines.target, clock=clock) as glymph:
        assert glymph.tombstones(text=SECRET)


# killed in the middle

CHILD = """
import sys
from glymph.config import Settings
from glymph.transfer.migrate import migrate
from glymph.store import open_store
source, target = (open_store(url, Settings()) for url in sys.argv[1:3])
for step in migrate(source, target, chunk=100):
    print(step.step, step.rows, flush=True)
    sys.stdin.readline()
"""


def killed_at(engines, step, rows, *, at_work=False):
    """Moves in another process and kills it when it says that it has come so far; how far it was.

    It waits for a word before each next step: killed while it waits, or at work on the next one.
    """
    command = [sys.executable, "-c", CHILD, engines.source, engines.target]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as child:
        for line in child.stdout:
            what, so_far = line.split()
            arrived = what == step and int(so_far) >= rows
            if at_work or not arrived:
                child.stdin.write("\n")
            if arrived:
                child.kill()
                break
    assert child.returncode == -signal.SIGKILL
    return int(so_far)


@pytest.fixture
def thousands(engines, clock):
    """A source with some thousand rows."""
    live_a_little(engines.source, clock)
    with Glymph.open(
        engines.source, clock=clock, settings={"compare": "off", "junk_gate": "off"}
    ) as glymph:
        glymph.add_many(
            [f"memory number {n} tells of the town of Oberstadt{n}" for n in range(900)]
        )


@pytest.mark.parametrize(
    ("step", "rows"),
    [
        ("moving", 0),
        pytest.param("moving", 300, marks=pytest.mark.nightly),
        ("moving", 1500),
        ("checking", 0),
    ],
)
def test_a_move_that_was_killed_goes_on_where_it_was(engines, thousands, step, rows):
    got_to = killed_at(engines, step, rows)
    with engines.both() as (source, target):
        assert target.spaces() == []
        assert len(hidden(target)) == 1
        (plan,), _ = done(survey(source, target))
        total = sum(map(len, image(source, "default").values()))
        assert plan.goes_on_at == (total if step == "checking" else got_to)
        report, told = done(migrate(source, target, chunk=100))
        assert report.spaces[0].goes_on_at == plan.goes_on_at
        assert next(one.rows for one in told if one.step == "moving") == plan.goes_on_at
        assert image(target, "default") == image(source, "default")
        assert hidden(target) == []
    with Glymph.open(engines.target) as glymph:
        assert glymph.verify().ok


def test_killed_again_and_again_at_work_it_still_arrives_once(engines, thousands):
    reached = [killed_at(engines, "moving", rows, at_work=True) for rows in (200, 900, 1600)]
    assert reached == sorted(set(reached))
    assert run(engines, chunk=100).spaces[0].goes_on_at in (reached[-1], reached[-1] + 100)
    with engines.both() as (source, target):
        assert image(target, "default") == image(source, "default")


def interrupted(source, target, rows, **options):
    """A move that is broken off, as by Ctrl-C, when it has come so far."""
    steps = migrate(source, target, chunk=20, **options)
    for step in steps:
        if step.step == "moving" and step.rows >= rows:
            break
    steps.close()


CHANGES = {
    "a memory": lambda g, w: g.add("one more memory about harbours"),
    "a job": lambda g, w: w(
        lambda writer: writer.enqueue({"id": "k", "job": "end", "payload": "{}", "at": 2})
    ),
    "a schedule": lambda g, w: w(
        lambda writer: writer.set_schedule("lifecycle", due_at=9, last_run_at=8, outcome="done")
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_begun_from_another_state_of_the_source_is_not_gone_on_with(
    engines, clock, change
):
    live_a_little(engines.source, clock)
    with engines.both() as (source, target):
        interrupted(source, target, 40)
        with Glymph.open(engines.source, clock=clock) as glymph:

            def write(what):
                with glymph._ctx.store.writing("default", None) as writer:
                    what(writer)

            CHANGES[change](glymph, write)
        report, _ = done(migrate(source, target))
        assert report.spaces[0].goes_on_at == 0
        assert image(target, "default") == image(source, "default")
        assert hidden(target) == []


def test_an_unfinished_move_outlives_the_sweep_of_imports_but_not_a_week(
    engines, clock, monkeypatch
):
    live_a_little(engines.source, clock)
    with engines.both() as (source, target):
        interrupted(source, target, 40)
        now = target._spaces.now()
        monkeypatch.setattr(Spaces, "now", lambda self: now + UNFINISHED_AFTER - 10**9)
        live_a_little(engines.target, clock, space="own")
        list(target.delete_space("own"))
        assert len(hidden(target)) == 1
        monkeypatch.setattr(Spaces, "now", lambda self: now + UNFINISHED_AFTER + 10**9)
        live_a_little(engines.target, clock, space="own")
        list(target.delete_space("own"))
        assert hidden(target) == []


def test_of_two_moves_at_once_the_later_goes_on_and_the_earlier_says_so(engines, clock):
    live_a_little(engines.source, clock)
    with engines.both() as (source, target):
        slow = migrate(source, target, chunk=20)
        for step in slow:
            if step.rows >= 40:
                break
        report, _ = done(migrate(source, target, chunk=20))
        assert report.spaces[0].goes_on_at >= 40
        with pytest.raises(errors.StoreError, match="another process goes on with it"):
            done(slow)
        assert image(target, "default") == image(source, "default")


# what is wrong


@pytest.mark.parametrize(
    ("table", "sql"),
    [
        (
            "memories",
            "UPDATE memories SET text = 'another' WHERE space_id = :space AND kind <> 'self'",
        ),
        ("schedules", "UPDATE schedules SET due_at = 99 WHERE space_id = :space"),
        ("journal", "UPDATE journal SET after = '{}' WHERE space_id = :space"),
        ("edges", "DELETE FROM edges WHERE space_id = :space"),
    ],
)
def test_a_row_that_did_not_arrive_as_it_was_is_found_before_anybody_sees_it(
    engines, clock, table, sql
):
    live_a_little(engines.source, clock)
    with engines.both() as (source, target):
        steps = migrate(source, target)
        total = sum(map(len, image(source, "default").values()))
        next(step for step in steps if step.rows == total)
        alter(target, sql)
        with pytest.raises(errors.StoreError, match=rf"default was not moved: .*{table}: "):
            done(steps)
        assert target.spaces() == []
        assert hidden(target) == []


def test_a_source_whose_past_was_altered_is_refused(engines, clock):
    live_a_little(engines.source, clock)
    with engines.both() as (source, target):
        alter(
            source,
            "UPDATE operations SET actor = 'nobody' WHERE space_id = :space AND verb = 'update'",
        )
        with pytest.raises(
            errors.StoreError, match=r"operations were altered in the source \(.*\(update\)\)"
        ):
            done(migrate(source, target))
        assert target.spaces() == hidden(target) == []


# what is there already


def test_an_untouched_space_makes_way_and_another_of_that_name_does_not(engines, clock):
    live_a_little(engines.source, clock)
    Glymph.open(engines.target, clock=clock).close()
    assert run(engines).spaces[0].outcome == "moved"
    with engines.both() as (_, target):
        list(target.delete_space("default"))
    with Glymph.open(engines.target, clock=clock) as glymph:
        glymph.add("precious")
    live_a_little(engines.source, clock, space="other")
    with pytest.raises(
        errors.InvalidInput, match=r"nothing was moved\. default: .* another space of this name"
    ):
        run(engines)
    with engines.both() as (_, target):
        assert [space["name"] for space in target.spaces()] == ["default"]


def test_a_copy_of_an_earlier_state_is_replaced_at_once(engines, clock):
    live_a_little(engines.source, clock)
    run(engines)
    with Glymph.open(engines.source, clock=clock) as glymph:
        glymph.add("the source has gone on since")
    with engines.both() as (source, target):
        for step in (steps := migrate(source, target, chunk=20)):
            assert [space["name"] for space in target.spaces()] == ["default"]
            if step.step == "moving":
                break
        report, _ = done(steps)
        assert report.spaces[0].outcome == "replaced"
        assert image(target, "default") == image(source, "default")
        assert hidden(target) == []
        assert [one.outcome for one in done(migrate(source, target))[0].spaces] == ["already there"]


@pytest.mark.parametrize("change", CHANGES)
def test_a_copy_that_was_written_to_is_never_replaced(engines, clock, change):
    live_a_little(engines.source, clock)
    run(engines)
    with Glymph.open(engines.target, clock=clock) as copy:

        def write(what):
            with copy._ctx.store.writing("default", None) as writer:
                what(writer)

        CHANGES[change](copy, write)
    assert run(engines).spaces[0].outcome == "in use there"
    with Glymph.open(engines.source, clock=clock) as glymph:
        glymph.add("the source has gone on, too")
    with engines.both() as (source, target):
        before = image(target, "default")
        with pytest.raises(
            errors.InvalidInput, match="was written to and the source has gone on, too"
        ):
            done(migrate(source, target))
        assert image(target, "default") == before


def test_a_copy_that_is_written_to_while_it_is_to_be_replaced_stays(engines, clock):
    live_a_little(engines.source, clock)
    run(engines)
    with Glymph.open(engines.source, clock=clock) as glymph:
        glymph.add("the source has gone on since")
    with engines.both() as (source, target):
        steps = migrate(source, target)
        next(step for step in steps if step.step == "moving")
        with Glymph.open(engines.target, clock=clock) as copy:
            kept = copy.add("said to the copy meanwhile")
        with pytest.raises(errors.InvalidInput, match="was written to meanwhile"):
            done(steps)
        assert hidden(target) == []
    with Glymph.open(engines.target, clock=clock) as copy:
        assert copy.get(kept.id).text == "said to the copy meanwhile"


def test_a_source_that_was_set_back_does_not_replace_a_later_copy(engines, clock, tmp_path):
    live_a_little(engines.source, clock)
    earlier = f"sqlite:///{tmp_path}/earlier.db"
    run(Engines(engines.source, earlier))
    with Glymph.open(engines.source, clock=clock) as glymph:
        glymph.add("what the backup does not know")
    run(engines)
    with pytest.raises(errors.InvalidInput, match="is of a later state than the source"):
        run(Engines(earlier, engines.target))


def test_a_space_that_somebody_makes_meanwhile_stays(engines, clock):
    live_a_little(engines.source, clock)
    with engines.both() as (source, target):
        steps = migrate(source, target)
        next(step for step in steps if step.step == "checking")
        with Glymph.open(engines.target, clock=clock) as other:
            kept = other.add("somebody was faster")
        with pytest.raises(errors.InvalidInput, match="exists already"):
            done(steps)
        assert hidden(target) == []
    with Glymph.open(engines.target, clock=clock) as other:
        assert [one.id for one in other.list()] == [kept.id]


def test_tombstones_of_another_key_are_in_the_way(engines, clock):
    live_a_little(engines.source, clock)
    with engines.both() as (source, target):
        target.keyring.put(source.spaces()[0]["identity_id"], bytes(32))
        with pytest.raises(errors.InvalidInput, match="has another key for its tombstones"):
            done(migrate(source, target))


def test_a_copy_under_another_name_is_in_the_way(engines, clock):
    live_a_little(engines.source, clock)
    run(engines)
    with engines.both() as (_, target):
        target.rename_space("default", "renamed")
    with pytest.raises(errors.InvalidInput, match="has this space already, as renamed"):
        run(engines)


def test_a_source_that_is_written_to_meanwhile_is_named(engines, clock):
    live_a_little(engines.source, clock)
    with engines.both() as (source, target):
        before = image(source, "default")
        steps = migrate(source, target, chunk=20)
        next(step for step in steps if step.step == "moving")
        with Glymph.open(engines.source, clock=clock) as glymph:
            glymph.add("said while it was moved")
        live_a_little(engines.source, clock, space="new")
        report, _ = done(steps)
        assert report.changed == ("default", "new")
        assert image(target, "default") == before
        assert [one.outcome for one in done(migrate(source, target))[0].spaces] == [
            "replaced",
            "moved",
        ]


def test_the_same_store_however_it_is_written_is_no_target(url, clock, tmp_path):
    live_a_little(url, clock)
    (tmp_path / "link.db").symlink_to(tmp_path / "memory.db")
    for same in (url, f"sqlite:///{tmp_path}/link.db", f"sqlite:///{tmp_path}/x/../memory.db"):
        with pytest.raises(errors.InvalidInput, match="is the source"):
            run(Engines(url, same))


def test_a_space_that_does_not_exist_is_not_found(engines, clock):
    live_a_little(engines.source, clock)
    with pytest.raises(errors.SpaceNotFound):
        run(engines, spaces=["nobody"])


def test_a_url_is_shown_without_its_password():
    assert (
        hide_credentials("postgresql://me:secret@host:5432/db?keys=/k")
        == "postgresql://host:5432/db"
    )
    assert hide_credentials("sqlite:////tmp/a%20b.db?mode=ro") == "sqlite:////tmp/a%20b.db"


def test_a_survey_writes_nothing(engines, clock, tmp_path):
    live_a_little(engines.source, clock)
    with engines.both() as (source, target):
        (plan,), _ = done(survey(source, None))
        assert (plan.plan, plan.rows) == (
            moving.MOVE,
            sum(map(len, image(source, "default").values())),
        )
        done(survey(source, target))
        assert target.spaces() == hidden(target) == []
    run(engines)
    files = sorted(tmp_path.iterdir())
    with engines.both() as (source, target):
        (plan,), _ = done(survey(source, target))
        assert plan.plan == moving.SAME
    assert sorted(tmp_path.iterdir()) == files


# backups and checksums


def test_a_backup_of_a_store_without_a_file_is_a_store_in_a_file(engines, clock, tmp_path):
    live_a_little(engines.source, clock)
    path = tmp_path / "backup.db"
    with engines.both() as (source, _):
        report, _ = done(backup_into(source, path, settings=Settings()))
        assert [one.outcome for one in report.spaces] == ["moved"]
        with closing(open_store(f"sqlite:///{path}?mode=ro", Settings())) as copy:
            assert image(copy, "default") == image(source, "default")
            identity = source.spaces()[0]["identity_id"]
            assert copy.keyring.get(identity) == source.keyring.get(identity)
        with pytest.raises(errors.InvalidInput, match="a backup never overwrites"):
            done(backup_into(source, path, settings=Settings()))
    assert not list(tmp_path.glob(".*"))


def test_a_checksum_goes_on_from_its_note_and_knows_order_and_table():
    rows = [
        ("memories", {"key": 1, "x": 0.1 + 0.2}),
        ("memories", {"key": 2, "x": b"\x00"}),
        ("edges", {"key": 1}),
    ]
    whole, first = Checksum(), Checksum()
    for row in rows:
        whole.take(*row)
    first.take(*rows[0])
    rest = Checksum(first.note())
    for row in rows[1:]:
        rest.take(*row)
    assert (rest.text(), rest.rows) == (whole.text(), 3)
    other = Checksum()
    for at in (1, 0, 2):
        other.take(*rows[at])
    assert whole.differences(other) == ["memories: other rows"]
    assert whole.differences(first) == [
        "memories: 1 rows instead of 2",
        "edges: 0 rows instead of 1",
    ]

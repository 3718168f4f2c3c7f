"""Columns read from chunks are those of the rows, whatever happened to either.

Keeping them disturbs nobody.
"""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import settings

from glymph import Glymph
from glymph.moments import micros
from glymph.prune.stale_groups import rank_linked_groups
from glymph.store import chunks, columns
from glymph.store.arrays import FOR_EVER, NEVER, SECTIONS, STATES, Columns
from glymph.store.contract import Filter
from glymph.testing.machine import GlymphMachine


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Chunks of a few rows, so that a small space has many of them."""
    shrink(monkeypatch.setattr)


def shrink(setattr_):
    for name, value in (("ROWS", 4), ("BATCH", 8), ("PAGE", 3), ("LEAST", 0)):
        setattr_(columns, name, value)
    setattr_(chunks, "PAGE", 5)
    setattr_(chunks, "MANY_CHANGES", 0)


def read(handle, space=None):
    with handle._ctx.reading(space) as reader:
        return columns.read(reader)


def keep(handle, reading=None):
    return columns.keep(handle._ctx.store, reading or read(handle))


def told(found: Columns) -> tuple[list[dict], list[dict]]:
    """What columns tell of each memory and each link, in words."""
    memories = as_rows(found.memories, tuple(found.memories))
    for row in memories:
        row["kind"] = found.kinds[row["kind"]]
        row["state"], row["section"] = str(STATES[row["state"]]), str(SECTIONS[row["section"]])
    links = as_rows(found.edges, ("source", "target", "type", "weight", "since"))
    for row in links:
        row["type"] = found.types[row["type"]]
    assert [row["source"] for row in links] == sorted(row["source"] for row in links)
    return memories, sorted(links, key=lambda row: (row["source"], row["target"], row["type"]))


def as_rows(table, names):
    return [
        dict(zip(names, row, strict=True))
        for row in zip(*(table[n].tolist() for n in names), strict=True)
    ]


def rows_of(handle, space):
    """The same, from the rows themselves."""
    with handle._ctx.reading(space) as reader:
        memories = reader._session.rows("SELECT * FROM scoped_memories ORDER BY key", {})
        links = reader._session.rows("SELECT * FROM scoped_edges ORDER BY source, target, type", {})
    plain = ("key", "kind", "section", "state", "created_at", "stability", "access_count")
    return [
        {
            **{name: row[name] for name in plain},
            "pinned": bool(row["pinned"]),
            "protected": bool(row["protected"]),
            "superseded": row["superseded_by"] is not None,
            "last_used_at": NEVER if row["last_used_at"] is None else row["last_used_at"],
            "expires_at": FOR_EVER if row["expires_at"] is None else row["expires_at"],
            "size": len(row["text"].encode()),
        }
        for row in memories
    ], [
        {
            **{name: row[name] for name in ("source", "target", "type", "weight")},
            "since": row["created_at"] if row["last_used_at"] is None else row["last_used_at"],
        }
        for row in links
    ]


def check(handle, space="default"):
    reading = read(handle, space)
    assert told(reading.columns) == rows_of(handle, space)
    return reading


def fresh(reading):
    return {table: part.fresh for table, part in reading.parts.items()}


def count(handle, table="chunks"):
    with handle._ctx.reading() as reader:
        return reader._session.tuples(f"SELECT count(*) FROM {table}", {})[0][0]


def tamper(handle, sql):
    with handle._ctx.store.database.writing() as connection:
        connection.raw.execute(sql)


@pytest.fixture
def grown(glymph):
    """A handle on thirty memories in a web."""
    ids = [
        glymph.add(f"memory number {n}", kind=("fact", "lesson", "event")[n % 3]).id
        for n in range(30)
    ]
    for n in range(1, 30):
        glymph.link(ids[n], ids[n // 2], "related_to" if n % 2 else "part_of")
    return glymph, ids


def test_without_chunks_everything_is_read_from_rows_and_nothing_is_written(grown):
    handle, _ = grown
    assert fresh(check(handle)) == {"memories": 31, "edges": 29}
    assert count(handle) == 0


def test_what_was_kept_is_not_read_from_rows_again(grown):
    handle, _ = grown
    written = keep(handle)
    assert written == count(handle) == count(handle, "chunk_bodies")
    assert written >= 31 / 4 + 29 / 8
    reading = check(handle)
    assert fresh(reading) == {"memories": 0, "edges": 0}
    assert not reading.worth_keeping
    assert keep(handle, reading) == 0


def test_only_what_changed_since_is_read_from_rows(grown, clock):
    handle, ids = grown
    keep(handle)
    clock.advance(days=1)
    handle.archive(ids[3])
    handle.link(ids[4], ids[20])
    handle.report(handle.recall("memory").id, used=[ids[9], ids[10]])
    assert 0 < fresh(check(handle))["memories"] <= 6
    assert 0 < fresh(check(handle))["edges"] <= 3


def test_only_chunks_that_changed_are_written_again(grown):
    handle, ids = grown
    whole = keep(handle)
    handle.pin(ids[3])
    assert keep(handle) == 1
    assert count(handle) == whole
    assert fresh(check(handle)) == {"memories": 0, "edges": 0}, "the others were stamped anew"


@pytest.mark.parametrize("kept_between", [False, True])
def test_memories_that_come_and_go_and_come_back_are_followed(grown, kept_between):
    handle, ids = grown

    def step():
        check(handle)
        if kept_between:
            keep(handle)
            check(handle)

    keep(handle)
    added = handle.add("a newer one", links=[(ids[0], "user_linked")])
    step()
    undone = handle.undo(added.operation_id)
    step()
    handle.add("one after that")
    step()
    handle.undo(undone.operation_id)
    step()
    handle.delete(ids[5:9])
    step()
    handle.undo()
    step()
    handle.add_many([f"many more {n}" for n in range(25)])
    step()
    handle.undo()
    step()


def test_a_process_that_is_killed_while_keeping_leaves_chunks_that_are_right(grown):
    handle, ids = grown
    reading = read(handle)
    batches = list(columns._batches(reading.parts["memories"], "memories", reading.change))
    assert len(batches) > 2
    replaced, some = batches[1]
    with handle._ctx.store.writing("default", None) as writer:
        assert writer.replace_chunks("memories", replaced, some)
    handle.archive(ids[7])
    half = check(handle)
    assert 0 < fresh(half)["memories"] < 31
    keep(handle, half)
    assert fresh(check(handle)) == {"memories": 0, "edges": 0}


def test_nothing_of_a_transaction_that_fails_is_kept(grown):
    handle, _ = grown
    reading = read(handle)
    ((replaced, some), *_) = columns._batches(reading.parts["memories"], "memories", reading.change)
    with suppress(ZeroDivisionError), handle._ctx.store.writing("default", None) as writer:
        writer.replace_chunks("memories", replaced, some)
        raise ZeroDivisionError
    assert count(handle) == 0


def test_whoever_keeps_second_leaves_what_the_first_has_kept(grown):
    handle, ids = grown
    late = read(handle)
    handle.archive(ids[2])
    keep(handle)
    assert keep(handle, late) == 0
    assert fresh(check(handle)) == {"memories": 0, "edges": 0}


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE chunk_bodies SET body = substr(body, 1, length(body) - 8) WHERE chunk % 3 = 0",
        "DELETE FROM chunk_bodies WHERE chunk % 2 = 0",
        "DELETE FROM chunks WHERE key % 3 = 1",
        "UPDATE chunks SET layout = '{\"format\": 99}' WHERE key % 4 = 0",
        "UPDATE chunks SET upto = upto + 3 WHERE key = 2",
        "UPDATE chunks SET stamp = 1",
    ],
)
def test_chunks_that_are_broken_or_of_another_make_cost_time_and_nothing_else(grown, sql):
    handle, _ = grown
    keep(handle)
    tamper(handle, sql)
    reading = check(handle)
    assert sum(fresh(reading).values()) > 0
    keep(handle, reading)
    assert fresh(check(handle)) == {"memories": 0, "edges": 0}


def test_chunks_can_be_forgotten(grown):
    handle, _ = grown
    written = keep(handle)
    with handle._ctx.store.writing("default", None) as writer:
        assert writer.forget_chunks() == written
    assert count(handle) == count(handle, "chunk_bodies") == 0
    check(handle)


def test_a_hub_with_more_links_than_a_chunk_takes_stays_in_one(glymph):
    ids = [glymph.add(f"spoke {n}").id for n in range(15)]
    hub = glymph.add("hub").id
    for one in ids:
        glymph.link(hub, one)
    keep(glymph)
    with glymph._ctx.reading() as reader:
        assert max(head.count for head in reader.chunks("edges")) == 15
    check(glymph)


def test_a_store_that_cannot_be_written_to_is_read(grown, url):
    handle, ids = grown
    keep(handle)
    handle.archive(ids[1])
    with Glymph.open(f"{url}?mode=ro") as reader:
        reading = check(reader)
        assert sum(fresh(reading).values()) > 0
        assert keep(reader, reading) == 0


def test_spaces_have_their_own_chunks_and_take_them_along(grown, url, clock):
    handle, _ = grown
    with Glymph.open(url, space="other", clock=clock) as other:
        for n in range(12):
            other.add(f"of another {n}")
            handle.add(f"in between {n}")
        keep(other)
        keep(handle)
        assert fresh(check(other, "other")) == {"memories": 0, "edges": 0}
        assert fresh(check(handle)) == {"memories": 0, "edges": 0}
        with other._ctx.reading() as reader, handle._ctx.reading() as own:
            mine = [head.key for head in own.chunks("memories")]
            assert [reader.chunk_body(key) for key in mine] == [None] * len(mine)
        before = count(handle)
        kept = len(mine)
    for _ in handle._ctx.store.delete_space("other"):
        pass
    assert kept < count(handle) < before
    assert count(handle) == count(handle, "chunk_bodies")
    check(handle)
    assert handle.verify().ok


def test_an_export_has_no_chunks_and_an_import_begins_without(grown, tmp_path, clock):
    handle, _ = grown
    keep(handle)
    handle.export(tmp_path / "space.jsonl")
    assert "chunk" not in json.dumps([table for table, _ in handle._ctx.store.dump("default")])
    with Glymph.open(f"sqlite:///{tmp_path}/new.db", clock=clock) as new:
        new.add("something first")
        new.import_(tmp_path / "space.jsonl", space="taken-in")
        assert fresh(check(new, "taken-in"))["memories"] == 31


def test_a_backup_has_the_chunks_of_its_moment(grown, tmp_path, clock):
    handle, ids = grown
    keep(handle)
    handle.archive(ids[4])
    handle.backup(tmp_path / "copy.db")
    handle.archive(ids[5])
    with Glymph.open(f"sqlite:///{tmp_path}/copy.db", clock=clock) as copy:
        assert fresh(check(copy)) == {"memories": 1, "edges": 0}
        assert copy.verify().ok


def test_a_space_of_that_name_made_meanwhile_gets_nothing(grown, url, clock):
    handle, _ = grown
    late = read(handle)
    for _ in handle._ctx.store.delete_space("default"):
        pass
    with Glymph.open(url, clock=clock) as anew:
        assert keep(anew, late) == 0
        assert count(anew) == 0


@pytest.mark.parametrize("kept", [False, True])
def test_from_a_store_to_its_stalest_groups(glymph, clock, kept):
    old = [glymph.add(f"old and linked {n}", kind="event").id for n in range(3)]
    glymph.link(old[0], old[1])
    glymph.link(old[1], old[2])
    lone = glymph.add("old and alone", kind="event").id
    clock.advance(days=300)
    new = [glymph.add(f"new and linked {n}").id for n in range(2)]
    glymph.link(new[0], new[1])
    if kept:
        assert columns.refresh(glymph._ctx.store, "default") > 0
        assert columns.refresh(glymph._ctx.store, "default") == 0
    with glymph._ctx.reading() as reader:
        found = rank_linked_groups(
            columns.read(reader).columns, curves=reader.curves(), now=micros(clock.now)
        )
        rows = [reader.by_key(group.keys.tolist(), Filter()) for group in found.groups]
    assert [[row["id"] for _, row in sorted(some.items())] for some in rows] == [old]
    (group,) = found.groups
    assert (group.edges, group.dormant, group.isolated) == (2, 3, False)
    assert group.staleness > 0.7
    assert (found.memories, found.edges, found.connected, found.isolated) == (6, 3, 2, 1)
    own = glymph.get(lone)
    assert group.vitals.retrievability.tolist() == pytest.approx([own.retrievability] * 3)


class ColumnsMachine(GlymphMachine):
    """A random life in which chunks are kept now and then."""

    def check_recall(self, space: str) -> None:
        handle = self.handles[space]
        reading = check(handle, space)
        if next(self.lives) % 3 == 0:
            columns.keep(handle._ctx.store, reading)
            assert fresh(check(handle, space)) == {"memories": 0, "edges": 0}


TestColumnsMachine = ColumnsMachine.TestCase
TestColumnsMachine.settings = settings(max_examples=25, stateful_step_count=20)

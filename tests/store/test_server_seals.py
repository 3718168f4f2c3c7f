"""Seals that a PostgreSQL works out itself: the same as a file's, for any text."""

from __future__ import annotations

import pytest

from glymph import Glymph
from glymph.config import Settings
from glymph.store import open_store
from glymph.store.backends.postgresql import sealing
from glymph.store.statements import statements
from glymph.store.writer import Writer
from glymph.testing.builders import identity_row, intent, memory_row

OPTIONS = {"embedder": "none", "reader": "none", "settings": {"compare": "off"}}
TEXTS = (
    "Ann skis.", "Two\nlines\tand 'quotes' \"of\" both kinds", "Zoë isst Käse 🧀", "C:\\temp\\x",
    "It says \"version\": 3 here.",
)  # fmt: skip


@pytest.fixture
def sealed(monkeypatch):
    """The keys of the operations that the server sealed."""
    keys, real = [], sealing.record
    monkeypatch.setattr(
        sealing, "record", lambda line, key, head: keys.append(key) or real(line, key, head)
    )
    return keys


def _work(glymph):
    """Adds, says again, rewrites, links, uses, hides and takes back."""
    ids = [glymph.add(text, tags=["a", "ü"]).id for text in TEXTS]
    glymph.add(TEXTS[0])
    glymph.update(ids[1], text="Other words, 'quoted'.", title="ein Täglein")
    glymph.link(ids[0], ids[1])
    found = glymph.recall("skis")
    glymph.report(found.id, used=[hit.memory.id for hit in found.hits])
    glymph.archive(ids[2])
    glymph.delete(ids[3])
    glymph.undo()


def test_what_the_server_seals_is_what_any_check_works_out(empty_postgres_store, clock, sealed):
    with Glymph.open(empty_postgres_store, clock=clock, **OPTIONS) as glymph:
        _work(glymph)
        assert len(sealed) >= len(TEXTS)
        assert glymph.verify().ok


def test_both_engines_count_the_same_changes(empty_postgres_store, tmp_path, clock):
    told = []
    for url in (f"sqlite:///{tmp_path}/a.db", empty_postgres_store):
        with Glymph.open(url, clock=clock, **OPTIONS) as glymph:
            _work(glymph)
            with glymph.context.reading() as reader:
                rows = reader.operations(limit=50)
            told.append([(row["verb"], row["changes"], row["edits"]) for row in rows])
    assert told[0] == told[1]


def test_a_receipt_tells_the_seal_that_is_kept(empty_postgres_store, clock, sealed):
    with Glymph.open(empty_postgres_store, clock=clock, **OPTIONS) as glymph:
        done = glymph.archive(glymph.add("Ann skis.").id)
        with glymph.context.reading() as reader:
            kept = reader.operation(done.operation_id)
    assert kept["key"] in sealed
    assert done.hash == kept["hash"]


def test_a_change_of_many_rows_is_sealed_by_the_client(empty_postgres_store, monkeypatch, sealed):
    monkeypatch.setattr(sealing, "MOST_ROWS", 2)
    store = open_store(empty_postgres_store, Settings())
    store.create_space("one", intent(), identity_row("one"))
    sealed.clear()
    head = intent("add")
    with store.writing("one", head) as writer:
        writer.insert("memories", [memory_row() for _ in range(3)])
    with store.reading("one") as reader:
        row = reader.operation(head.id)
    assert (row["changes"], len(row["hash"]), sealed) == (3, 64, [])
    store.close()


def test_a_seal_asked_for_before_the_end_is_the_one_that_is_kept(empty_postgres_store):
    store = open_store(empty_postgres_store, Settings())
    store.create_space("one", intent(), identity_row("one"))
    head = intent("add")
    with store.database.writing() as session:
        key, _ = store.database.enter(session, "one")
        writer = Writer(session, "one", key, {})
        writer.open(head)
        writer.insert("memories", [memory_row()])
        writer.close()
        early = writer.seal
    with store.reading("one") as reader:
        assert reader.operation(head.id)["hash"] == early == writer.seal
    store.close()


def test_every_statement_that_writes_memories_is_known_by_who_counts_what_is_put_away():
    """Writer.may_put_away follows `set_state`; `bump_versions` hides nothing."""
    writes = ("UPDATE memories", "DELETE FROM memories", "INTO memories")
    found = {name for name, sql in statements().items() if any(one in sql for one in writes)}
    assert found == {"set_state", "bump_versions"}

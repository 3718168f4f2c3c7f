"""The registry of erasable places covers the real store.

Every column of text, every virtual table, every file.
"""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from glymph import Glymph
from glymph.forget.purge import purge
from glymph.history import list_text_keepers
from glymph.store.backends.sqlite import migrations, reclaim
from glymph.store.erase_places import PLACES, WORDLESS, find_uncovered
from glymph.store.statements import statements
from glymph.testing.embedders import WordEmbedder

NUMBERS = {"INTEGER", "REAL", "INT"}


def columns_of_text(connection):
    """Each column that may hold text or bytes, virtual and shadow tables included: "table.column"."""
    found = set()
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    for (table,) in tables:
        for _, column, kind, *_ in connection.execute(f"PRAGMA table_info({table})").fetchall():
            if kind not in NUMBERS:  # in a STRICT table such a column holds nothing else
                found.add(f"{table}.{column}")
    return found


@pytest.fixture
def schema():
    connection = apsw.Connection(":memory:")
    migrations.migrate(connection, ":memory:", 0)
    yield connection
    connection.close()


def test_every_column_of_text_is_registered(schema):
    assert find_uncovered(columns_of_text(schema), reclaim.COLUMNS) == []


@pytest.mark.parametrize(
    ("leak", "named"),
    [
        (
            "CREATE TABLE answers (key INTEGER PRIMARY KEY, reply TEXT NOT NULL) STRICT",
            "answers.reply",
        ),
        ("CREATE TABLE cache (key INTEGER PRIMARY KEY, body BLOB) STRICT", "cache.body"),
        ("CREATE TABLE loose (anything)", "loose.anything"),
        ("CREATE VIRTUAL TABLE more_text USING fts5(said)", "more_text.said"),
        ("ALTER TABLE recalls ADD COLUMN answer TEXT", "recalls.answer"),
    ],
)
def test_a_planted_leak_is_found(schema, leak, named):
    schema.execute(leak)
    assert named in find_uncovered(columns_of_text(schema), reclaim.COLUMNS)


def test_only_strict_tables_are_trusted_about_their_numbers(schema):
    loose = [name for _, name, kind, _, _, strict in schema.execute("PRAGMA table_list").fetchall()
             if kind == "table" and not strict and not name.startswith("sqlite_")]  # fmt: skip
    assert loose == []


def test_the_registry_names_nothing_that_is_not_there(schema):
    found = columns_of_text(schema)
    known = found | {f"{column.partition('.')[0]}.*" for column in found}
    declared = [column for place in PLACES for column in place.columns]
    assert set(declared) - known == set()
    assert set(WORDLESS) - known == set()
    assert len(declared) == len(set(declared))
    assert not set(declared) & set(WORDLESS)
    for place in PLACES:
        assert place.erased
        assert place.checked
        for statement in filter(None, (place.left, place.former, *place.quoted)):
            assert statement in statements()


def test_every_place_that_is_kept_apart_has_a_part_that_erases_it(url):
    apart = {place.name for place in PLACES if place.apart}
    assert apart
    assert apart <= {name for keeper in list_text_keepers() for name in keeper.places}
    with Glymph.open(url) as glymph:
        keepers = glymph.context.text_keepers()
        reported = [
            one.name for keeper in keepers for one in keeper.report_unchecked(glymph.context)
        ]
        assert reported == [name for keeper in keepers for name in keeper.places]


def test_every_file_of_a_store_belongs_to_a_place(url, clock):
    file = Path(url.removeprefix("sqlite:///"))
    with Glymph.open(url, clock=clock, embedder=WordEmbedder()) as glymph:
        added = glymph.add("Zarathustra keeps a key under plank 7731")
        glymph.embed()
        glymph.analyze(include_isolated=True)
        purge(glymph._ctx, added.id, tombstone=True)
        glymph.add("Ben waters the plants")
        found = {
            one.name.removeprefix(file.name)
            for one in file.parent.iterdir()
            if one.name.startswith(file.name)
        }
        assert found >= {"", "-wal", "-shm", ".keys"}
        assert found <= set(reclaim.FILES)
        names = {one.name for one in file.parent.iterdir()}
        assert names == {
            f"{file.name}{end}" for end in found
        }  # and nothing lies beside it under another name

"""A flipped bit in the file of a store is named, and nobody stumbles over it."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from benchmarks.harness import damage
from benchmarks.harness.full_store import write_store
from glymph import Glymph, errors
from glymph.cli.doctor import RESTORE, doctor
from glymph.store.backends.sqlite import checksums, migrations
from glymph.store.contract import JOURNALLED
from glymph.testing.files import open_file
from tests.pace import NIGHTLY

FLIPS, PAGES, MEMORIES = 44, 3, 16
# Written by Glymph's own rules alone: seals vouch for the first two, the others are always empty.
SEALED_OR_EMPTY = {"operations", "journal", "meta", "writing"}


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A store with rows in every table, where it is to be damaged."""
    path = tmp_path_factory.mktemp("sound") / "memory.db"
    write_store(path, MEMORIES, seed=3)
    return path, damage.read_sound(path)


@pytest.fixture
def damaged(sound):
    """Replaces some bytes of a table by others, once, and returns the store's URL."""
    path, whole = sound

    def damaged(table: str, before: bytes, after: bytes) -> str:
        assert len(before) == len(after)
        at = whole.whole.find(before)
        while at >= 0 and whole.owners[at // whole.page_size] != table:
            at = whole.whole.find(before, at + 1)
        assert at >= 0, f"{table} does not say {before!r}"
        path.write_bytes(whole.whole[:at] + after + whole.whole[at + len(before) :])
        return f"sqlite:///{path}"

    return damaged


def opened(url: str) -> Glymph:
    return Glymph.open(url, embedder="none", reader="none", create=False)


def findings(url: str) -> str:
    with opened(url) as glymph:
        return "; ".join(f"{one.check}: {one.detail}" for one in glymph.verify().problems)


def test_a_sound_store_is_found_sound(sound):
    path, whole = sound
    heard = damage.examine_one(whole, damage.Damage(damage.NONE, 0, ""), path)
    assert heard.outcome == damage.HARMLESS, heard.detail


def test_no_flipped_bit_goes_unnoticed_and_none_makes_anything_crash(sound, tmp_path, monkeypatch):
    path, whole = sound
    for name, value in (damage.SILENCE | {"GLYMPH_HOME": str(tmp_path)}).items():
        monkeypatch.setenv(name, value)
    draw = random.Random(17)
    chosen = damage.draw_bits(whole, FLIPS, draw)
    for kind in (damage.ZEROED, damage.GARBLED):
        chosen += damage.draw_pages(whole, kind, PAGES, draw)
    heard = [damage.examine_one(whole, one, path) for one in chosen]
    wrong = [one for one in heard if one.outcome in (damage.UNNOTICED, damage.CRASHED)]
    assert wrong == []
    assert sum(one.outcome == damage.NOTICED for one in heard) > FLIPS / 2


@pytest.mark.parametrize(
    ("table", "before", "after"),
    [
        ("spaces", b"{}", b"{u"),  # a space that cannot be shown was looked at for ever
        ("sqlite_schema", b"AS BLOB)))", b"AS BLNB)))"),  # checksums are handed numbers
        ("sqlite_schema", b"(name,seq)", b"(name,sfq)"),  # which no guard of ours makes
    ],
)
def test_a_damaged_record_of_a_space_and_a_damaged_schema_are_named(
    damaged, sound, tmp_path, monkeypatch, table, before, after
):
    for name, value in (damage.SILENCE | {"GLYMPH_HOME": str(tmp_path)}).items():
        monkeypatch.setenv(name, value)
    said = dict(damage._try_all(damaged(table, before, after)))
    assert said["doctor"]


@pytest.mark.parametrize(
    ("table", "before", "after"),
    [
        ("memories", b"before it is changed", b"before It is changed"),  # its hash is blind to case
        ("messages", b"Box 7 goes to", b"Box 3 goes to"),
        ("conversations", b'"version"', b'"versiOn"'),
        ("recalls", b" in ", b" hn "),
        ("plans", b"staleness", b"stalENess"),
        ("queue", b'{"session": "moving"}', b'{"session": "Moving"}'),
        ("schedules", b'{"ran": true}', b'{"ran": 4rue}'),
        ("transcripts", b"0badcafe", b"0badcefe"),
        ("folders", b"elsewhere.db", b"elsewhere.eb"),
        ("leases", b"worker-1", b"worker-3"),
        ("ledger", b"scripted", b"scrip4ed"),
        ("certificates", b"clean", b"cLean"),
        ("surfaces", b"pump", b"dump"),
        ("conflicts", b"both may be current", b"both may be cusrent"),
        ("pages", b"Remember the pump", b"Remember the pumq"),
    ],
)
def test_what_no_journal_tells_of_has_a_checksum(damaged, table, before, after):
    found = findings(damaged(table, before, after))
    assert f"of {table} differs from" in found, found


def test_every_column_is_in_a_journal_a_seal_or_a_checksum(sound):
    raw = apsw.Connection(":memory:")
    migrations.migrate(raw, ":memory:", 0)
    sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%~_%' ESCAPE '~'"
    tables = {name for (name,) in raw.execute(sql)} | {"chunk_bodies"}
    assert tables - {"searchable"} <= {*checksums.WHOLE, *JOURNALLED, *SEALED_OR_EMPTY}
    for table in checksums.WHOLE:
        index = raw.execute(
            "SELECT sql FROM sqlite_schema WHERE name = ?", (f"{table}{checksums.END}",)
        ).get
        missing = {
            row[1] for row in raw.execute(f"PRAGMA table_info({table})") if row[1] not in index
        }
        assert not missing, f"run checksums.install_for in the step that adds {missing} to {table}"


def test_doctor_goes_on_over_a_damaged_journal_and_names_the_next_step(damaged, capsys):
    url = damaged("journal", b'"protected":', b'"prot%cted":')
    found = findings(url)
    assert "the record or the journal of" in found
    assert "'prot%cted'" in found
    with pytest.raises(BaseException, match="1"):
        doctor(url=url, as_json=False)
    said = capsys.readouterr().out
    assert "WRONG" in said
    assert RESTORE[:40] in said


def test_who_stumbles_over_a_damaged_row_hears_of_the_damage(damaged):
    with (
        opened(damaged("plans", b'"days_since_active"', b'"days_since_acthve"')) as glymph,
        pytest.raises(errors.CorruptStore, match=r"row \d+ of plans differs.*glymph store restore"),
    ):
        glymph.plans()


def test_a_damaged_guard_is_damage_to_whoever_it_stands_in_the_way_of(damaged):
    with (
        opened(damaged("sqlite_schema", b"OLD.superseded_by", b"OLD.supersedud_by")) as glymph,
        pytest.raises(errors.CorruptStore, match=r"trigger .* was changed"),
    ):
        glymph.archive([memory.id for memory in glymph.list(limit=3)])


def test_a_fault_of_the_program_is_not_taken_for_damage(glymph):
    with pytest.raises(KeyError, match="no such thing"), glymph.context.reading():
        raise KeyError("no such thing")


def test_an_operation_that_seems_to_undo_itself_ends_no_search_for_undos(glymph):
    glymph.add("one")
    raw = open_file(glymph.url.removeprefix("sqlite:///"))
    raw.execute("DROP TRIGGER operations_only_grow")
    raw.execute("UPDATE operations SET undoes = key WHERE verb = 'add'")
    raw.close()
    assert len(glymph.operations()) == 2
    assert any("undoes a later operation" in one.detail for one in glymph.verify().problems)


def test_a_schema_that_differs_from_its_record_is_damage_and_not_upgraded(glymph, url):
    glymph.close()
    path = url.removeprefix("sqlite:///")
    raw = apsw.Connection(path)
    raw.pragma("user_version", migrations.NEWEST ^ 8)
    raw.close()
    before = Path(path).read_bytes()
    with pytest.raises(errors.CorruptStore, match="header says schema"):
        Glymph.open(url)
    assert Path(path).read_bytes() == before


@pytest.mark.parametrize(
    ("statement", "check"),
    [
        ("UPDATE sqlite_sequence SET seq = 0 WHERE name = 'operations'", "sequences"),
        ("UPDATE memory_text_config SET v = 0 WHERE k = 'secure-delete'", "full text"),
        ("DROP INDEX messages_by_number", "schema"),
    ],
)
def test_what_sqlite_keeps_for_itself_is_checked_too(glymph, statement, check):
    glymph.add("one")
    raw = open_file(glymph.url.removeprefix("sqlite:///"))
    raw.execute(statement)
    raw.close()
    assert check in {one.check for one in glymph.verify().problems}


# memory

LIMIT_MB = 300
LOOK = """
import resource, sys
from glymph import Glymph
with Glymph.open(sys.argv[1], embedder="none", reader="none") as glymph:
    if len(sys.argv) > 2:
        glymph.import_(sys.argv[2], space="copy")
    else:
        assert glymph.verify().ok
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


@pytest.mark.skipif(not NIGHTLY, reason="takes long: make test-nightly")
def test_a_hundred_thousand_memories_are_verified_and_imported_in_little_memory(url, tmp_path):
    with Glymph.open(url, embedder="none", reader="none") as glymph:
        for first in range(0, 100_000, 5_000):
            glymph.add_many(
                {"text": f"Note {number} about {number * 7919 % 4001}", "kind": "event"}
                for number in range(first, first + 5_000)
            )
        glymph.export(tmp_path / "all.jsonl")
    for arguments in ([], [str(tmp_path / "all.jsonl")]):
        said = subprocess.run(
            [sys.executable, "-c", LOOK, url, *arguments], capture_output=True, check=True
        )
        assert int(said.stdout) < LIMIT_MB

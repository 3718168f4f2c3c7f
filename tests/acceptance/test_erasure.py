"""Erasure, proved on the bytes.

A live store, a second process that reads, and no trace in any file at the end.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from contextlib import contextmanager

import pytest

from glymph import Glymph
from glymph.forget.certificate import list_certificates
from glymph.forget.complete_certificates import complete_certificates
from glymph.forget.purge import purge_certified
from glymph.plain import plain
from glymph.testing.embedders import WordEmbedder

FIRST = "Zarathustra hid the quixotic xylophone beneath floorboard Wyvern-88417"
THEN = "Zarathustra moved the quixotic xylophone behind the Jabberwock cupboard"
TITLE = "Krakatoa hideout"
# Pieces from inside of rare words: a text index keeps the beginning of a word only where it differs
# from the last.
PIECES = [
    b"arathust",
    b"uixot",
    b"ylophon",
    b"loorboar",
    b"yvern",
    b"abberwo",
    b"upboar",
    b"rakato",
    b"ideou",
]
PIECES += [
    b"ephalop",
    b"iloreto",
    b"aumaturg",
]  # a tag, an entity and an attribute that nothing else has

READER = """
import sys, apsw
connection = apsw.Connection(sys.argv[1])
connection.execute("BEGIN")
print(connection.execute("SELECT count(*) FROM memories").get, flush=True)
sys.stdin.readline()
print(connection.execute("SELECT count(*) FROM memories WHERE text LIKE 'Zarathustra%'").get, flush=True)
"""


@contextmanager
def reading_process(file):
    """Another process in the middle of a read transaction.

    Ends it, and tells what it saw, when asked.
    """
    process = subprocess.Popen(
        [sys.executable, "-c", READER, str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert int(process.stdout.readline()) > 0
        yield lambda: process.communicate("end\n", timeout=30)[0].strip()
    finally:
        process.kill()
        process.wait()


SCAN = """
import json, sys
from pathlib import Path
found = {}
needles = [bytes.fromhex(one) for one in json.load(sys.stdin)]
for one in sorted(Path(sys.argv[1]).rglob("*")):
    content = one.read_bytes() if one.is_file() else b""
    if held := [needle.hex() for needle in needles if needle in content or needle in content.lower()]:
        found[one.name] = held
print(json.dumps(found))
"""


def traces(file, needles):
    """Which needles are in which file of the store, case apart.

    The files are the database, its log, its keys and any other.

    Read by another process: one that closes a file gives up the locks that SQLite holds on it.
    """
    listed = json.dumps([needle.hex() for needle in needles])
    done = subprocess.run(
        [sys.executable, "-c", SCAN, str(file.parent)],
        input=listed,
        capture_output=True,
        text=True,
        check=True,
    )
    return {
        name: [bytes.fromhex(one) for one in held] for name, held in json.loads(done.stdout).items()
    }


def noise(glymph, count, seed):
    chooser = random.Random(seed)
    words = [
        f"{a}{b}"
        for a in ("gar", "mel", "tur", "pon", "ris", "dal")
        for b in ("den", "ody", "tle", "cho", "en")
    ]
    return glymph.add_many(
        " ".join(chooser.choices(words, k=chooser.randint(4, 40))) for _ in range(count)
    )


@pytest.fixture
def file(tmp_path):
    (tmp_path / "store").mkdir()
    return tmp_path / "store" / "memory.db"


@pytest.fixture
def glymph(file, clock):
    url = f"sqlite:///{file}"
    with Glymph.open(
        url, clock=clock, embedder=WordEmbedder(), settings={"compare": "off"}
    ) as handle:
        yield handle


def vectors(glymph, memory_id):
    """The stored bytes of every wording's vector."""
    with glymph._ctx.store.reading("default") as reader:
        key = reader.memory(memory_id)["key"]
        return [
            bytes(v)
            for model in reader.models()
            for _, _, v in reader.vectors_of(model["key"], [key])
        ]


def live(glymph, clock):
    """A memory that left its mark wherever one can be left; its id and everything to look for."""
    others = noise(glymph, 150, 1)
    secret = glymph.add(
        FIRST,
        title=TITLE,
        tags=["cephalopod"],
        entities=["Philoretos"],
        attributes={"mood": "thaumaturgic"},
    )
    glymph.embed()
    noise(glymph, 150, 2)
    glymph.add(FIRST.upper())  # rejected, its wording kept
    glymph.add(f"  {FIRST.replace(' ', '  ')} ")
    clock.advance(days=40)
    found = vectors(glymph, secret.id)
    glymph.update(secret.id, text=THEN, reason=f"it said: {FIRST}")
    glymph.embed()
    found = {*found, *vectors(glymph, secret.id)}
    assert len(found) == 2
    glymph.link(others[0].id, secret.id, "related_to")
    glymph.archive(others[1].id, reason="Zarathustra said so")
    glymph.write(f"# Notes\nBuy milk. {THEN}. Feed the cat.")
    glymph.write(f"Also {FIRST}", mode="append")
    glymph.recall(f"is it true that {THEN.lower()}?")
    glymph.recall("which xylophone?")
    glymph.recall("garden melody")
    plan = glymph.analyze(0.0, 400, include_isolated=True)
    assert TITLE in json.dumps(plain(plan))
    with glymph._ctx.operation("add") as op:
        conflict = glymph._ctx.new_id(op.now)
        row = {"reason": f"{THEN} or {FIRST}", "raised_at": op.now, "expires_at": op.now + 1}
        op.writer.insert(
            "conflicts", [{"id": conflict, "older": secret.id, "newer": others[2].id, **row}]
        )
    with glymph._ctx.store.writing("default", None) as writer:
        body = json.dumps({"label": f"note: {TITLE}, {THEN[:30]}…", "members": []})
        writer.save_plan({"id": "quotes", "created_at": 1, "expires_at": 2, "body": body})
        writer.enqueue(
            {"id": "job", "job": "extract", "payload": json.dumps({"said": FIRST}), "at": 1}
        )
        writer.set_schedule("dream", due_at=1, last_run_at=1, outcome=f"thought of {TITLE}")
    with glymph._ctx.store.reading("default") as reader:
        hashes = [reader.memory(secret.id)["content_hash"].encode()]
    return secret.id, [*PIECES, *found, *hashes, FIRST.encode(), THEN.encode()]


def test_no_byte_is_left_once_the_last_reader_ends(glymph, file, clock):
    secret, needles = live(glymph, clock)
    assert {needle for held in traces(file, needles).values() for needle in held} == set(needles)
    with reading_process(file) as end:
        done = purge_certified(glymph._ctx, secret, reason="user_requested", tombstone=True)
        assert done.derived == ()
        assert not done.certificate.complete
        assert {one.name for one in done.certificate.pending} == {
            "write-ahead log",
            "free pages",
            "page gaps",
        }
        assert traces(file, needles)  # the log still has it, as the certificate says
        assert not complete_certificates(glymph._ctx)[0].complete
        assert end() == "1"  # which is what that reader was promised
    (after,) = complete_certificates(glymph._ctx)
    assert after.complete
    assert traces(file, needles) == {}
    assert glymph.verify().ok
    assert (
        glymph.page()
        == "# Notes\nBuy milk. (removed by a purge). Feed the cat.\nAlso (removed by a purge)"
    )
    assert glymph.add(THEN).refused.startswith("tombstoned")
    glymph.close()
    assert traces(file, needles) == {}
    assert {one.name for one in file.parent.iterdir()} == {"memory.db", "memory.db.keys"}


def test_what_is_not_removed_is_all_there(glymph, file, clock):
    secret, _ = live(glymph, clock)
    before = {m.id: (m.text, m.version) for m in every(glymph) if m.id != secret}
    queries = [row.query for row in recalls(glymph)]
    purge_certified(glymph._ctx, secret)
    assert {m.id: (m.text, m.version) for m in every(glymph)} == before
    assert [row.query for row in recalls(glymph)] == ["garden melody", "", ""]
    assert len(queries) == 3
    assert glymph.search("garden melody")


def every(glymph):
    page = glymph.list(limit=1000, states=["LIVE", "ARCHIVED", "TRASHED"])
    return list(page)


def recalls(glymph):
    with glymph._ctx.reading() as reader:
        return [type("R", (), row) for row in reader.recalls(limit=10)]


def test_many_that_an_undo_took_away_leave_no_byte_either(glymph, file, clock):
    noise(glymph, 100, 3)
    added = glymph.add_many(f"{FIRST} number {n}" for n in range(80))
    glymph.undo(added[0].operation_id)  # of so many, without care for the text index
    assert traces(file, PIECES)
    done = purge_certified(glymph._ctx, [one.id for one in added])
    assert done.certificate.complete
    assert traces(file, PIECES) == {}
    assert glymph.verify().ok


def test_expired_trash_leaves_no_byte(glymph, file, clock):
    noise(glymph, 100, 4)
    added = glymph.add(THEN)
    glymph.embed()
    needles = [*vectors(glymph, added.id), *PIECES]
    glymph.delete(added.id)
    clock.advance(days=31)
    with reading_process(file) as end:
        glymph.trash.empty()
        assert len(list_certificates(glymph._ctx, pending=True)) == 1
        end()
    glymph.trash.empty()  # the sweep completes what waits
    assert list_certificates(glymph._ctx, pending=True) == []
    assert traces(file, needles) == {}
    assert glymph.tombstones() == ()


def test_the_scan_would_see_a_trace(glymph, file, clock):
    glymph.add(THEN)
    glymph.embed()
    glymph.close()
    assert traces(file, [b"abberwo", b"rakato"]) == {"memory.db": [b"abberwo"]}

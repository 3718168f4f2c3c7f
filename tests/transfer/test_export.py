"""Moving spaces: what a stranger's file may not do.

And what a failure or a kill must not leave behind.
"""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from glymph import Glymph, errors
from glymph.config import Settings
from glymph.store import open_store
from glymph.store import spaces as stored_spaces
from glymph.store.backends.sqlite import database as sqlite
from glymph.store.portable import BIRTH_ORDER
from glymph.stores import spaces_at
from glymph.testing import logical_image
from glymph.testing.files import open_file
from glymph.transfer import export
from glymph.write import spaces

HOUR = 3_600_000_000


def file_of(url):
    return url.removeprefix("sqlite:///")


@pytest.fixture
def exported(glymph, clock, tmp_path):
    """The lines of an export with something in most tables."""
    a = glymph.add("I live in Berlin", tags=["home"])
    b = glymph.add("Lisbon is sunny", links=[(a.id, "related_to")])
    glymph.unlink(b.id, a.id, "related_to")
    glymph.link(a.id, b.id)
    glymph.update(a.id, title="Home")
    clock.advance(days=2)
    glymph.report(glymph.recall("Lisbon").id, used=[b.id])
    glymph.clusters.create("c")
    glymph.clusters.add("c", b.id)
    glymph.export(tmp_path / "whole.jsonl")
    return [json.loads(line) for line in (tmp_path / "whole.jsonl").read_text().splitlines()]


def everything(url):
    """Every row of every table but the ones that count keys, hidden spaces included."""
    with_rows = {}
    connection = apsw.Connection(file_of(url))
    for table in ("spaces", *BIRTH_ORDER):
        with_rows[table] = connection.execute(f"SELECT * FROM {table}").fetchall()
    connection.close()
    return with_rows


def write(path, lines):
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n")
    return path


def first(lines, table):
    return next(line[1] for line in lines if isinstance(line, list) and line[0] == table)


def rename_column(table, old, new):
    def change(lines):
        row = first(lines, table)
        row[new] = row.pop(old)

    return change


def put(table, **values):
    return lambda lines: first(lines, table).update(values)


def put_image(image, column="image"):
    def change(lines):
        entry = next(
            x[1]
            for x in lines
            if isinstance(x, list) and x[0] == "journal" and x[1]["action"] == "update"
        )
        entry[column] = json.dumps(image)

    return change


INJECTION = "key) SELECT 1, 2 FROM memories; DROP TABLE memories; --"
HOSTILE = {
    "sql as a column": rename_column("memories", "title", INJECTION),
    "sql as a column of the journal": rename_column("journal", "tbl", INJECTION),
    "sql in an image": put_image({"title = (SELECT text FROM main.memories) --": 1}),
    "sql in what came after": put_image(
        {"title = (SELECT text FROM main.memories) --": 1}, "after"
    ),
    "a list in what came after": put_image({"title": []}, "after"),
    "an image of another key": put_image({"key": 7}),
    "an image of another space": put_image({"space_id": 1}),
    "an image that is a list": put_image([1]),
    "a column too many": put("memories", mood="calm"),
    "another space": put("memories", space_id=1),
    "a column missing": lambda lines: first(lines, "memories").pop("title"),
    "an id of the journal": put("journal", id=1),
    "a list as text": put("memories", text=["x"]),
    "an object as text": put("memories", text={"x": 1}),
    "a truth as a number": put("memories", pinned=True),
    "a text as a number": put("memories", salience="0.5"),
    "null where a value must be": put("memories", text=None),
    "nan": put("memories", stability=float("nan")),
    "infinity": put("memories", stability=float("inf")),
    "a key of 0": put("memories", key=0),
    "a key below 0": put("operations", key=-1),
    "a key too high": put("edges", key=2**48 + 1),
    "no key": put("edges", key=None),
    "a link too far": put("edges", source=2**60),
    "an undo too far": put("operations", undoes=2**60),
    "a number no store keeps": put("memories", access_count=2**70),
    "a year no calendar has": put("memories", created_at=2**60),
    "half a pair": put("memories", source="\ud800"),
    "tags that are none": put("memories", tags="home"),
    "tags of numbers": put("memories", tags="[1]"),
    "attributes that are none": put("memories", attributes="[]"),
    "an unknown journalled table": put("journal", tbl="spaces"),
    "an unknown action": put("journal", action="drop"),
    "an unknown table": lambda lines: lines.insert(2, ["spaces", {"key": 1, "name": "x"}]),
    "a table that is no name": lambda lines: lines.insert(2, [["memories"], {}]),
    "a row that is none": lambda lines: lines.insert(2, ["memories", [1]]),
    "three parts": lambda lines: lines.insert(2, ["memories", {}, 1]),
    "a number as a line": lambda lines: lines.insert(2, 5),
    "the same key twice": lambda lines: lines.insert(2, lines[1]),
    "an end in the middle": lambda lines: lines.insert(2, {"rows": 1}),
}


@pytest.mark.parametrize("attack", HOSTILE)
def test_a_row_that_is_not_exactly_a_row_is_refused_before_anything_is_written(
    glymph, url, tmp_path, exported, attack
):
    HOSTILE[attack](exported)
    before = everything(url)
    with pytest.raises(errors.InvalidInput, match=r"path: line \d+ of"):
        glymph.import_(write(tmp_path / "bad.jsonl", exported), space="copy")
    assert everything(url) == before
    assert glymph.verify().ok


def drop(table, **where):
    def change(lines):
        gone = [
            line
            for line in lines
            if isinstance(line, list) and line[0] == table and where.items() <= line[1].items()
        ]
        for line in gone:
            lines.remove(line)
        lines[-1]["rows"] -= len(gone)

    return change


UNSOUND = {
    "no identity": drop("memories", kind="self"),
    "an unprotected identity": put("memories", protected=0),
    "another text": lambda lines: lines[next(n for n, x in enumerate(lines) if "Berlin" in str(x))][
        1
    ].update(text="I live in Rome"),
    "no journal": drop("journal"),
    "a missing entry": drop("journal", action="update"),
    "another past": put_image({"title": "never said"}),
    "no operations": drop("operations"),
    "a broken seal": put("operations", hash="0" * 64),
    "another actor": put("operations", actor="somebody else"),
    "a link into nowhere": put("edges", target=4711),
    "a later parent": put("operations", parent=99),
    "nothing at all": lambda lines: lines.__setitem__(slice(None), [lines[0], {"rows": 0}]),
}


@pytest.mark.parametrize("damage", UNSOUND)
def test_a_file_that_would_not_verify_is_refused_and_leaves_nothing_behind(
    glymph, url, tmp_path, exported, damage
):
    UNSOUND[damage](exported)
    before = everything(url)
    with pytest.raises(errors.InvalidInput, match=r"path: .* is not sound"):
        glymph.import_(write(tmp_path / "bad.jsonl", exported), space="copy")
    assert everything(url) == before


def test_what_only_the_store_itself_refuses_leaves_nothing_behind_either(
    glymph, url, tmp_path, exported
):
    first(exported, "recalls")["id"] = "same"
    exported.insert(-1, ["recalls", first(exported, "recalls") | {"key": 99}])
    exported[-1]["rows"] += 1
    before = everything(url)
    with pytest.raises(errors.InvalidInput, match=r"path: .* the store takes no such rows"):
        glymph.import_(write(tmp_path / "bad.jsonl", exported), space="copy")
    assert everything(url) == before


# the space that is there


def test_an_import_replaces_a_space_that_holds_nothing_but_its_birth(
    glymph, url, tmp_path, exported, clock
):
    with Glymph.open(url, space="copy", clock=clock) as copy:
        assert copy.import_(tmp_path / "whole.jsonl", space="copy").rows == exported[-1]["rows"]
        assert [m.text for m in copy.list()] == [m.text for m in glymph.list()]
    assert [s.name for s in glymph.spaces()] == ["copy", "default"]
    assert glymph.verify().ok


@pytest.mark.parametrize("bad", ["operations", "memories"])
def test_an_import_that_fails_leaves_the_space_it_was_to_fill(glymph, url, tmp_path, exported, bad):
    with Glymph.open(url, space="copy"):
        before = everything(url)
        put(bad, id="x" * 10)(exported)
        with pytest.raises(errors.InvalidInput):
            glymph.import_(write(tmp_path / "bad.jsonl", exported), space="copy")
        assert everything(url) == before


def buried(place, writer):
    place.store.keyring.get_or_create(writer.identity()["id"])
    writer.bury(["f"], at=1)


TOUCHES = {
    "a memory": lambda place, writer: None,
    "a tombstone": lambda place, w: buried(place, w),
    "a message": lambda place, w: w.append_messages(w.begin_conversation("s"), ["{}"]),
    "a counter": lambda place, w: w.set_counter("n", 1),
    "a recall": lambda place, w: w.log_recall(
        {
            "id": "r",
            "at": 1,
            "actor": "a",
            "session": None,
            "query": "q",
            "shown": "[]",
            "figures": "[]",
        },
        keep=5,
    ),
    "a job": lambda place, w: w.enqueue({"id": "j", "job": "end", "payload": "{}", "at": 1}),
    "a plan": lambda place, w: w.save_plan(
        {"id": "p", "created_at": 1, "expires_at": 2, "body": "{}"}
    ),
    "a schedule": lambda place, w: w.set_schedule("l", due_at=1, last_run_at=None, outcome=None),
    "a charge": lambda place, w: w.reserve(
        {
            "at": 7,
            "job": "j",
            "model": "m",
            "run": "r",
            "tokens_in": 1,
            "tokens_out": 2,
            "cost_usd": 0.25,
            "assumed": 0,
        }
    ),
    "a transcript": lambda place, w: w.set_transcript("t", head="h", offset=1, at=1),
}


@pytest.mark.parametrize("touch", TOUCHES)
@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_a_space_that_holds_anything_is_never_replaced(
    glymph, url, tmp_path, exported, touch, when
):
    settings = Settings(bulk_chunk=5)
    with Glymph.open(url, space="copy", settings=settings) as copy:

        def do():
            if touch == "a memory":
                copy.add("precious")
            intent = copy._ctx.intent("forget") if touch == "a tombstone" else None
            with copy._ctx.store.writing("copy", intent) as writer:
                TOUCHES[touch](copy._ctx, writer)

        if when == "before":
            do()
        steps = export.import_(copy._ctx, tmp_path / "whole.jsonl", space="copy")
        with pytest.raises(errors.InvalidInput, match="exists already"):
            [do() for number, _ in enumerate(steps) if number == 1]
        assert len(copy.list()) == (touch == "a memory")
        assert not [row for row in everything(url)["spaces"] if row[1].startswith("(")]
        assert copy.verify().ok


# killed in the middle

KILLED = """
import os, signal, sys
from glymph import Glymph, Settings
from glymph.transfer import export
from glymph.write import spaces
from glymph.store.backends.sqlite import database
database.MEMORIES_CHUNK = 1
g = Glymph.open(sys.argv[1], settings=Settings(bulk_chunk=5))
work = export.import_(g._ctx, sys.argv[3], space="copy") if sys.argv[2] == "load" else \
    spaces.delete_space(g._ctx.store, "doomed")
for number, rows in enumerate(work):
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("work", ["load", "delete"])
def test_what_a_killed_process_leaves_is_out_of_the_way_and_swept_later(
    glymph, url, tmp_path, exported, work
):
    with Glymph.open(url, space="doomed") as doomed:
        doomed.add_many(["one", "two", "three"])
    command = [sys.executable, "-c", KILLED, url, work, str(tmp_path / "whole.jsonl")]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL

    def hidden():
        return [row for row in everything(url)["spaces"] if row[1].startswith("(")]

    assert len(hidden()) == 1
    assert [problem.check for problem in glymph.verify().problems] == (
        ["unfinished"] if work == "delete" else []
    )
    glymph.import_(tmp_path / "whole.jsonl", space="copy")
    assert len(hidden()) == (work == "load")  # a load that is young: somebody may be at it
    connection = open_file(file_of(url))
    connection.execute(
        "UPDATE spaces SET created_at = created_at - ? WHERE name LIKE '(%'", (HOUR + 10**6,)
    )
    connection.close()
    if work == "load":
        glymph.import_(tmp_path / "whole.jsonl", space="again")
    else:
        glymph.delete_space("copy")
    assert hidden() == []
    ids = {row[0] for row in everything(url)["spaces"]}
    assert {row[1] for table in BIRTH_ORDER for row in everything(url)[table]} <= ids
    assert glymph.verify().ok


def test_a_load_that_goes_on_is_not_taken_for_a_leftover(
    glymph, url, tmp_path, exported, monkeypatch
):
    now = time.time_ns() // 1000
    monkeypatch.setattr(stored_spaces, "now_for_the_record", lambda: now)
    with Glymph.open(url, settings=Settings(bulk_chunk=5)) as slow:
        steps = export.import_(slow._ctx, tmp_path / "whole.jsonl", space="slow")
        for _ in steps:
            now += HOUR // 2
            glymph.import_(tmp_path / "whole.jsonl", space=f"other-{now}")
    assert "slow" in [s.name for s in glymph.spaces()]
    with Glymph.open(url, settings=Settings(bulk_chunk=5)) as stuck:
        steps = export.import_(stuck._ctx, tmp_path / "whole.jsonl", space="stuck")
        next(steps)
        now += 2 * HOUR
        glymph.import_(tmp_path / "whole.jsonl", space="quick")
        with pytest.raises(errors.StoreError, match="Repeat it"):
            list(steps)
    assert glymph.verify().ok


def test_hidden_names_are_nobodys_to_give(glymph):
    for attempt in (
        lambda: glymph.rename_space("(loading) x", "mine"),
        lambda: glymph.rename_space("default", "(mine)"),
        lambda: glymph.delete_space("(loading) x"),
    ):
        with pytest.raises(errors.InvalidInput, match="cannot name a space"):
            attempt()


def test_a_handle_goes_on_when_its_own_space_is_renamed(glymph):
    kept = glymph.add("still mine")
    glymph.rename_space("default", "renamed")
    assert glymph.space == "renamed"
    assert glymph.get(kept.id).space == "renamed"
    glymph.add("and more")
    assert len(glymph.list()) == 2


def test_deleting_a_space_lets_go_of_the_write_lock_again_and_again(glymph, url):
    with Glymph.open(url, space="big") as big:
        big.add_many([f"memory number {n} about the weather in town {n % 7}" for n in range(1500)])
    steps = 0
    for _ in spaces.delete_space(glymph._ctx.store, "big"):
        # out of sight from the first step on, and others write in between
        assert [s.name for s in glymph.spaces()] == ["default"]
        glymph.add(f"written after step {steps}")
        steps += 1
    assert sqlite.MEMORIES_CHUNK <= 250
    assert steps > 1500 // sqlite.MEMORIES_CHUNK


# files


@contextmanager
def no_file_larger_than(size):
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)


def test_an_export_overwrites_nothing_least_of_all_the_store(glymph, url, tmp_path):
    glymph.add("precious")
    path = Path(file_of(url))
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "dangling").symlink_to(tmp_path / "absent")
    for target in (path, f"{path}-wal", tmp_path / "notes.txt", tmp_path / "dangling"):
        with pytest.raises(errors.InvalidInput, match="an export never overwrites"):
            glymph.export(target)
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert glymph.verify().ok
    assert not list(tmp_path.glob("*.partial*"))


def test_a_file_that_appears_meanwhile_is_not_overwritten(glymph, tmp_path, monkeypatch):
    real = glymph._ctx.store.dump

    def slow(space):
        (tmp_path / "x.jsonl").write_text("mine")
        yield from real(space)

    monkeypatch.setattr(glymph._ctx.store, "dump", slow)
    with pytest.raises(errors.InvalidInput, match="never overwrites"):
        glymph.export(tmp_path / "x.jsonl")
    assert (tmp_path / "x.jsonl").read_text() == "mine"


@pytest.mark.parametrize("what", ["backup", "export"])
def test_a_full_disk_leaves_no_half_of_a_file_and_names_the_target(glymph, tmp_path, what):
    glymph.add_many([f"memory {n} " + "word " * 100 for n in range(200)])
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    with no_file_larger_than(50_000), pytest.raises(errors.GlymphError, match=r"elsewhere/copy"):
        getattr(glymph, what)(folder / "copy")
    assert list(folder.iterdir()) == []
    getattr(glymph, what)(folder / "copy")
    assert [p.name for p in folder.iterdir()] == ["copy"]
    assert (folder / "copy").stat().st_mode & 0o777 == 0o600


def test_a_backup_killed_in_the_middle_leaves_nothing_under_its_name(glymph, url, tmp_path):
    glymph.add("precious")
    script = (
        "import os, signal, sys, pathlib\n"
        "from glymph import Glymph\n"
        "from glymph.store import portable\n"
        "portable._settle = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "Glymph.open(sys.argv[1]).backup(sys.argv[2])\n"
    )
    target = tmp_path / "copy.db"
    done = subprocess.run([sys.executable, "-c", script, url, str(target)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert not target.exists()
    glymph.backup(target)
    with Glymph.open(f"sqlite:///{target}", create=False) as copy:
        assert logical_image(copy._ctx.store, "default") == logical_image(
            glymph._ctx.store, "default"
        )


@pytest.mark.parametrize("path", ["no/such/folder", "notes.txt/copy"])
def test_a_place_where_nothing_can_be_written_is_named(glymph, tmp_path, path):
    (tmp_path / "notes.txt").write_text("mine")
    for attempt in (glymph.backup, glymph.export):
        with pytest.raises(errors.InvalidInput, match=f"path: cannot write .*{path}"):
            attempt(tmp_path / path)


# opening


def test_a_store_that_is_not_there_is_made_only_if_wanted(tmp_path):
    url = f"sqlite:///{tmp_path}/folder/absent.db"
    for attempt in (lambda: Glymph.open(url, create=False), lambda: spaces_at(url)):
        with pytest.raises(errors.StoreError, match=r"no store .*absent\.db"):
            attempt()
    assert list(tmp_path.iterdir()) == []
    Glymph.open(url).close()
    Glymph.open(url, create=False).close()
    assert [s.name for s in spaces_at(url)] == ["default"]


@pytest.mark.parametrize(
    ("rest", "hint"),
    [
        ("a#b.db", "%23"),
        ("a.db#", "%23"),
        ("a?b.db", "%3F"),
        ("%ff.db", "UTF-8"),
        ("a%00.db", "NUL"),
        ("a?mode=rw&mode=ro", "mode"),
    ],
)
def test_a_url_that_would_be_cut_short_is_refused(tmp_path, rest, hint):
    with pytest.raises(errors.InvalidInput, match=hint):
        Glymph.open(f"sqlite:///{tmp_path}/{rest}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["a#b.db", "50%.db", "%23.db", "what?.db", "ü ñ.db", "a+b&c=d;e.db"]
)
def test_the_url_of_a_store_leads_back_to_it(tmp_path, name):
    made = sqlite.SqliteDatabase(str(tmp_path / name), Settings())
    made.close()
    again = open_store(made.url, Settings(), create=False)
    again.close()
    assert (again.database.path, again.url) == (str(tmp_path / name), made.url)
    assert [p.name for p in tmp_path.iterdir()] == [name]
    reader = open_store(f"{made.url}?mode=ro", Settings())
    assert reader.url == f"{made.url}?mode=ro"
    assert not open_store(reader.url, Settings()).writable

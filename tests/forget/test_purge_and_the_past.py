"""What was purged stays out of every older copy that comes back, wherever it was said there."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from functools import partial

import apsw
import pytest

from glymph import errors
from glymph.config import Settings
from glymph.forget.purge import purge_certified
from glymph.stores import migrate, restore_backup
from glymph.testing import FrozenClock
from tests.grounds.purging import (
    ENGINES,
    KINDS,
    find_bytes,
    find_traces,
    make_stores,
    open_at,
    spell,
)
from tests.pace import NIGHTLY

ALL = [(engine, kind, seed) for engine in ENGINES for kind in KINDS for seed in range(10)]
NAMES = ("new_store", "kind", "seed")


def cases(*few):
    return pytest.mark.parametrize(NAMES, ALL if NIGHTLY else few, indirect=["new_store"])


@pytest.fixture
def new_store(request):
    yield from make_stores(request)


def say_everywhere(glymph, spell):
    """Says it in every place that can say something; each call of `spell` writes it anew."""
    told = glymph.add(f"Zoe can be reached under {spell()}")
    glymph.add(f"zoe CAN be reached under {spell()}")
    cleo = glymph.add(
        "Cleo paints on Sundays", title=f"On {spell()}", tags=[spell(), "fun"],
        entities=[spell()], attributes={"ref": spell(), spell(): "x"}, source=spell(),
    ).id  # fmt: skip
    glymph.update(cleo, tags=["fun"], title="Cleo", entities=[], attributes={}, source=None)
    erin = glymph.add("Erin noted something").id
    glymph.undo(glymph.update(erin, text=f"Erin noted {spell()}").operation_id)
    finn = glymph.add(f"Finn noted {spell()} down").operation_id
    glymph.undo(finn)
    glymph.clusters.create(f"Friends of {spell()}")
    glymph.clusters.add(glymph.clusters()[0].name, [told.id, cleo])
    glymph.clusters.create("Tagged", rule={"tag": spell()})
    glymph.undo(glymph.clusters.create(f"Undone {spell()}").operation_id)
    glymph.clusters.create(dropped := f"Dropped {spell()}")
    glymph.clusters.delete(dropped)
    glymph.archive(erin, reason=f"because of {spell()}")
    glymph.recall(f"who has {spell()}?")
    glymph.recall(spell())
    glymph.write(f"Buy milk. Ask about {spell()}. Buy bread.")
    glymph.write(f"Buy milk. Tell {spell()}. Buy bread.")
    glymph.analyze(0.0, 20, include_isolated=True)
    glymph.forget(spell(), mode="release")
    history = glymph.conversations("store")
    history.append("day", {"role": "user", "content": f"Call {spell()}. Thanks!"})
    history.append(f"about {spell()}", {"role": "user", "content": "Hello."})
    say_in_queues(glymph, spell, cleo, erin)


def say_in_queues(glymph, spell, older, newer):
    with glymph.context.store.writing("default", None) as writer:
        payload = json.dumps({"said": spell()})
        writer.enqueue({"id": "job", "job": "extract", "payload": payload, "at": 1})
        writer.set_schedule("dream", due_at=1, last_run_at=1, outcome=f"thought of {spell()}")
    for kept in (True, False):
        with glymph.context.operation("add") as op:
            row = {"reason": f"{spell()} or not", "raised_at": op.now, "expires_at": op.now + 1}
            question = {"id": glymph.context.new_id(op.now), "older": older, "newer": newer}
            op.writer.insert("conflicts", [{**question, **row}])
        if not kept:
            glymph.undo(op.intent.id)


def undo_everything(glymph):
    """Takes back whatever can be, undos included, newest first and then oldest first."""
    for order in (1, -1):
        for operation in glymph.operations(limit=200)[::order]:
            if operation.undoable:
                with suppress(errors.NotUndoable, errors.AlreadyUndone):
                    glymph.undo(operation.id)


def holds_nothing(glymph, same, moments):
    assert find_traces(glymph, same) == []
    undo_everything(glymph)
    assert find_traces(glymph, same) == []
    for moment in moments:
        shown = [memory.text for memory in glymph.list(limit=100, at=moment)]
        shown += [hit.memory.text for hit in glymph.search(same[0], at=moment)]
        assert not [one for one in same if one.casefold() in "\n".join(shown).casefold()]
    assert find_traces(glymph, same) == []
    assert glymph.verify().ok


def find_in_tables(file, same):
    """Returns the tables of an SQLite file that still hold it, also those no export has."""
    found = set()
    connection = apsw.Connection(str(file))
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    for (table,) in tables:
        for row in connection.execute(f"SELECT * FROM {table}"):
            said = " ".join(map(str, row)).casefold()
            if any(one.casefold() in said for one in same):
                found.add(table)
    connection.close()
    return found


def draw_identifier(kind, seed):
    """Returns spellings of an identifier, one that looks alike, and what chooses a spelling."""
    chooser = random.Random(f"{kind} {seed}")
    same, other = spell(kind, str(chooser.randrange(20_000_000, 99_999_999)))
    return same, other, partial(chooser.choice, same)


@cases(("sqlite", "mail", 0), ("postgresql", "phone", 0))
def test_no_older_copy_brings_it_back(new_store, kind, seed):
    same, other, choose = draw_identifier(kind, seed)
    folder, url = new_store()
    clock = FrozenClock()
    safe = folder / "safe"
    safe.mkdir()
    with open_at(url, clock) as glymph:
        say_everywhere(glymph, choose)
        kept = glymph.add(f"Gil can be reached under {other}").id
        moments = [clock.now]
        clock.advance(days=1)
        glymph.export(safe / "before.jsonl")
        glymph.backup(safe / "before.db")
        clock.advance(days=1)
        moments.append(clock.now)
        done = glymph.forget(same[0], mode="purge", apply=True)
        assert done.certificate.complete
        assert find_traces(glymph, same) == []
        glymph.export(safe / "after.jsonl")
        for number, options in enumerate([{}, {"tombstones": False}]):
            glymph.import_(safe / "before.jsonl", space=f"copy{number}", **options)
        with pytest.raises(errors.InvalidInput, match="nothing was moved"):
            migrate(f"sqlite:///{safe}/before.db", url)
        restore_backup(
            safe / "before.db", folder / "first.db", in_use=url, clock=clock,
            settings=Settings(embedder="none"),
        )  # fmt: skip
        glymph.context.store.settle(rewrite=True)
    # What comes from a restored copy is a copy like any other.
    with open_at(f"sqlite:///{folder}/first.db", clock) as first:
        first.import_(safe / "before.jsonl", space="again")
        first.context.store.settle(rewrite=True)
    assert find_bytes(folder, same) == {}
    assert find_in_tables(folder / "first.db", same) == set()
    restored = f"sqlite:///{folder}/first.db"
    for place, space in (
        (url, "default"), (url, "copy0"), (url, "copy1"), (restored, "default"),
        (restored, "again"),
    ):  # fmt: skip
        with open_at(place, clock, space=space) as later:
            assert later.get(kept).text.endswith(other)
            assert later.add(f"Hal wrote {same[-1]} down").refused
            holds_nothing(later, same, moments)
    assert find_bytes(folder, same) == {}


@cases(("sqlite", "phone", 0), ("postgresql", "code", 0))
def test_a_purge_also_finds_what_no_memory_says_any_more(new_store, kind, seed):
    same, _, choose = draw_identifier(kind, seed)
    _, url = new_store()
    clock = FrozenClock()
    with open_at(url, clock) as glymph:
        say_everywhere(glymph, choose)
        told = [one.id for one in glymph.list(limit=100) if one.text.lower().startswith("zoe can")]
        moments = [clock.now]
        clock.advance(days=1)
        for one in told:
            glymph.update(one, text="Zoe can be reached", reason=f"it was {same[1]}")
        shown = glymph.forget(same[0], mode="purge")
        assert not shown.actions
        done = glymph.forget(shown, apply=True)
        assert done.certificate.complete
        assert done.certificate.places
        holds_nothing(glymph, same, moments)
        assert glymph.add(f"Hal wrote {same[0]} down").id  # nobody has said it is to stay away
        glymph.context.store.settle(rewrite=True)


ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
WIDE = {code: code + 0xFEE0 for code in range(ord("!"), ord("~") + 1)}
FORMER = {
    "06 12 34 56 78": "06\u00a012\u00a034\u00a056\u00a078",
    "030-901820-44": "030\u2011901820\u201144",
    "DE89 3704 0044 0532 0130 00": "DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000",
    "+81 90-1234-5678": "+81 90-1234-5678".translate(WIDE),
    "+20 100 123 4567": "+20 100 123 4567".translate(ARABIC),
    "eve@acme.io": "eve [at] acme [dot] io",
    "kim@acme.io": "kim\uff20acme.io",
    "+44 20 7946 0958": "+44\t20\t7946\t0958",
}


@pytest.mark.parametrize("new_store", ENGINES, indirect=True)
def test_former_wordings_go_in_whatever_characters_they_were(new_store):
    _, url = new_store()
    on_server = not url.startswith("sqlite")  # where each purge takes a second
    cases = list(FORMER.items())[: 2 if on_server and not NIGHTLY else None]
    with open_at(url, FrozenClock()) as glymph:
        for at, (asked, former) in enumerate(cases):
            other = glymph.add(f"Zoé, Büro {at}: {former}", kind="note").id
            glymph.update(other, text=f"Büro {at} anrufen")
            glymph.add(f"Somebody has {asked}", kind="note")
        for asked, former in cases:
            done = glymph.forget(asked, mode="purge", apply=True)
            assert done.certificate.complete, asked
            assert find_traces(glymph, [asked, json.dumps(former)[1:-1], former]) == [], asked


HABITS = [
    "has a dog called Rufus", "plays the oboe", "was born in Trondheim", "works at the harbour",
    "drives a green Saab", "married Lars", "owes the bakery money", "takes lithium every night",
    "has a twin sister", "studied geology", "hates cilantro", "keeps bees on rooftops",
    "collects stamps from Mongolia", "snores terribly",
]  # fmt: skip


@pytest.mark.parametrize(
    ("new_store", "more"),
    [("sqlite", 0), ("sqlite", 40), ("postgresql", 40)],
    indirect=["new_store"],
)
def test_each_of_many_removed_statements_is_looked_for_in_former_wordings(new_store, more):
    _, url = new_store()
    habits = HABITS + [f"owns chicken {number}" for number in range(more)]
    with open_at(url, FrozenClock()) as glymph:
        others = [
            glymph.add(f"Diary: Zoe {habit}. Paper is out.", kind="note").id for habit in habits
        ]
        for at, other in enumerate(others):
            glymph.update(other, text=f"Paper is out, tray {at}.")
        told = [glymph.add(f"Zoe {habit}", kind="note").id for habit in habits]
        glymph.add("The harbour of Trondheim is green, and a dog, an oboe and a bakery are there")
        purged = purge_certified(glymph.context, told)
        left = " ".join(place.detail for place in purged.certificate.places)
        assert [other for other in others if other not in left] == []
        assert not purged.certificate.complete

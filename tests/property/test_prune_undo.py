"""Pruning and taking it back is doing nothing: random graphs, 100 in every run and 1,000 at night.

And a prune that fails or is killed in the middle has done nothing either.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

import apsw
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from glymph import Glymph, Settings
from glymph.errors import InvalidInput, NotUndoable, Refused, StoreError
from glymph.moments import MICROS_PER_DAY, micros
from glymph.prune.rules import REASONS
from glymph.store.writer import Writer
from glymph.testing import FrozenClock, logical_image, strategies
from glymph.testing.embedders import WordEmbedder

ROOT = Path(__file__).parents[2]
EXAMPLES = min(settings.default.max_examples, 1000)
QUERIES = ("berlin report", "btc Zürich 日本 lesson", "memory short o'brien lisbon")
PLAIN = Settings(compare="off", junk_gate="off")
VERBS = ("prune", "prune", "prune", "batch_prune", "execute_prune", "execute_prune", "merge")
WAYS = ("community", "community", "community", "tag", "cluster", "session", "similarity")
EVIDENCE = {"derived_from", "generalizes"}
RESTS_ON = {*EVIDENCE, "part_of"}
picks = st.integers(0, 16)


# random graphs

memories = st.fixed_dictionaries(
    {
        "text": strategies.few_words, "kind": strategies.kinds, "tags": strategies.tags,
        "session": st.sampled_from([None, "s1", "s2"]),
    }
)  # fmt: skip
graphs = st.fixed_dictionaries(
    {
        "older": st.lists(memories, min_size=2, max_size=8),
        "newer": st.lists(memories, max_size=5),
        "days": st.tuples(
            st.sampled_from([0, 1, 60]), st.sampled_from([120, 400, 30, 1])
        ),  # between, and since
        "links": st.lists(st.tuples(picks, picks, strategies.edge_types), max_size=12),
        "lessons": st.lists(st.lists(picks, min_size=1, max_size=2), min_size=1, max_size=4),
        "uses": st.lists(st.tuples(picks, st.integers(1, 30), st.integers(0, 30)), max_size=4),
        "superseded": st.lists(picks, max_size=1),
        "clustered": st.lists(picks, max_size=3),
        "pinned": st.lists(picks, max_size=1),
        "archived": st.lists(picks, max_size=1),
    }
)
requests = st.fixed_dictionaries(
    {
        "verb": st.sampled_from(VERBS),
        "which": st.lists(picks, min_size=2, max_size=8, unique=True),
        "action": st.sampled_from(["archive", "delete"]), "cascade": st.booleans(),
        "reason": st.sampled_from(REASONS),
        "choice": st.sampled_from(["all", "groups", "ids"]), "grouping": st.sampled_from(WAYS),
        "min_staleness": st.sampled_from([0.0, 0.0, 0.3]), "alone": st.sampled_from([True, True, False]),
    }
)  # fmt: skip


class Life:
    """A store with a graph in it, and a second handle that searches by text alone."""

    def __init__(self, folder, graph):
        self.clock = FrozenClock()
        url = f"sqlite:///{folder}/memory.db"
        options = {"clock": self.clock, "settings": PLAIN}
        self.glymph = Glymph.open(url, embedder=WordEmbedder(ms=0.0), **options)
        self.by_text = Glymph.open(url, embedder="none", **options)
        self.ids = []
        self.grow(graph)

    def close(self):
        self.by_text.close()
        self.glymph.close()

    def pick(self, number):
        return self.ids[number % len(self.ids)]

    def add(self, items):
        items = [
            {**item, "text": f"{item['text']} memory {at}"}
            for at, item in enumerate(items, len(self.ids))
        ]
        self.ids += [added.id for added in self.glymph.add_many(items)] if items else []

    def grow(self, graph):
        g = self.glymph
        self.add(graph["older"])
        self.clock.advance(days=graph["days"][0])
        self.add(graph["newer"])
        for evidence in graph["lessons"]:
            links = [
                (one, "derived_from")
                for one in dict.fromkeys(self.pick(number) for number in evidence)
            ]
            self.ids.append(g.add(f"lesson {len(self.ids)} berlin", kind="lesson", links=links).id)
        self.clock.advance(days=graph["days"][1])
        for a, b, kind in graph["links"]:
            if self.pick(a) != self.pick(b):
                g.link(self.pick(a), self.pick(b), kind)
        self.use(graph["uses"])
        g.clusters.create("some")
        for number in graph["clustered"]:
            g.clusters.add("some", self.pick(number))
        for number in graph["superseded"]:
            if g.get(self.pick(number)).superseded_by is None:
                self.ids.append(
                    g.supersede(self.pick(number), f"lisbon now {len(self.ids)}").succeeded[-1]
                )
        for number in graph["pinned"]:
            g.pin(self.pick(number))
        for number in graph["archived"]:
            g.archive(self.pick(number))

    def use(self, uses):
        with self.glymph._ctx.operation("report") as op:
            for number, times, days in uses:
                used = {
                    "access_count": times,
                    "last_used_at": micros(self.clock.now) - days * MICROS_PER_DAY,
                }
                op.writer.change(
                    "memories", {op.row(self.pick(number))["key"]: {**used, "stability": 90.0}}
                )

    def image(self):
        return logical_image(self.glymph._ctx.store, "default")

    def answers(self):
        """What searches find, by meaning and text and by text alone, with what score."""
        found = [
            handle.search(query, limit=100)
            for handle in (self.glymph, self.by_text)
            for query in QUERIES
        ]
        return [sorted((hit.memory.id, round(hit.score, 5)) for hit in hits) for hits in found]

    def act_of(self, request):
        """The request as a call that can be repeated: the plan is made once."""
        g = self.glymph
        wanted = list(dict.fromkeys(self.pick(number) for number in request["which"]))
        if request["verb"] == "merge":
            return lambda: g.merge([one for one in wanted if g.get(one).superseded_by is None])
        if request["verb"] == "batch_prune":
            return lambda: g.batch_prune(
                [*wanted, "nothing"], request["action"], confirm_large=True
            )
        if request["verb"] == "execute_prune":
            return lambda: (
                g.execute_prune(wanted, request["reason"], cascade=request["cascade"]).receipt
            )
        plan = g.analyze(
            request["min_staleness"], 20, request["alone"], grouping=request["grouping"]
        )
        groups = (
            sorted({number % len(plan.groups) + 1 for number in request["which"]})
            if plan.groups
            else []
        )
        shown = (
            [plan.node_ids[number % len(plan.node_ids)] for number in request["which"]]
            if groups
            else []
        )
        some = {"all": {}, "groups": {"groups": groups}, "ids": {"ids": [*shown, wanted[0]]}}[
            request["choice"]
        ]
        options = {
            "action": request["action"],
            "cascade": request["cascade"],
            "confirm_large": True,
        }
        return lambda: g.prune(plan.id, **some, **options)


def outcome(done):
    """What a receipt says, without what is new in each.

    New in each are the operation, and the memory that a merge makes.
    """
    went = done.succeeded[:-1] if done.verb == "merge" else done.succeeded
    return done.verb, went, done.skipped, done.failed, done.cascaded, done.recoverable_until


def rows(image, table):
    return {key: row for (name, key), row in image.items() if name == table}


def supports(image):
    """For each live memory that rests on others, whether one of them is live."""
    memory = rows(image, "memories")
    found = {}
    for edge in rows(image, "edges").values():
        needer = memory[edge["source"]]
        if (
            edge["type"] in EVIDENCE
            and needer["state"] == "LIVE"
            and needer["superseded_by"] is None
        ):
            found.setdefault(edge["source"], []).append(memory[edge["target"]]["state"] == "LIVE")
    return {key: any(alive) for key, alive in found.items()}


def check_guards(before, after, done):
    """Nothing pinned moved, nothing is left hanging in the air, and a cascade took only what did."""
    old, new = rows(before, "memories"), rows(after, "memories")
    moved = {key for key, row in old.items() if new[key]["state"] != row["state"]}
    assert {old[key]["id"] for key in moved} == {*done.succeeded, *done.cascaded}
    assert not any(old[key]["pinned"] or old[key]["protected"] for key in moved)
    stood, stands = supports(before), supports(after)
    assert not [key for key, alive in stands.items() if stood.get(key) and not alive], (
        "left without evidence"
    )
    alive = {key for key, row in new.items() if row["state"] == "LIVE"}
    carried = {key for key, row in new.items() if row["id"] in done.cascaded}
    for edge in rows(after, "edges").values():
        if edge["type"] in RESTS_ON and edge["source"] in carried:
            assert edge["target"] not in alive, "a cascade took what still rests on something"


@given(graphs, requests)
@settings(max_examples=EXAMPLES)
def test_prune_and_undo_is_the_identity_and_can_be_repeated(graph, request):
    folder = tempfile.mkdtemp(prefix="glymph-undo-")
    life = Life(folder, graph)
    try:
        act = life.act_of(request)
        before, answered = life.image(), life.answers()
        try:
            done = act()
        except (InvalidInput, Refused):
            event(f"{request['verb']}: refused")
            assert life.image() == before, "a refused call changed something"
            return
        after, answers = life.image(), life.answers()
        event(f"{request['verb']}: {'something' if after != before else 'nothing'} went")
        event(f"cascaded: {bool(done.cascaded)}")
        if request["verb"] != "merge":
            check_guards(before, after, done)
        if after == before:
            with pytest.raises(NotUndoable):
                life.glymph.undo(done.operation_id)
            return
        undone = life.glymph.undo(done.operation_id)
        assert undone.skipped == undone.failed == ()
        assert life.image() == before, "undo did not restore the image"
        assert life.answers() == answered, "search does not answer as it did before"
        redone = life.glymph.undo(undone.operation_id)
        assert (life.image(), life.answers()) == (after, answers), (
            "undo of undo did not bring it back"
        )
        life.glymph.undo(redone.operation_id)
        assert outcome(act()) == outcome(done), "the same plan has another outcome after an undo"
        if request["verb"] != "merge":  # which makes a memory of its own
            assert (life.image(), life.answers()) == (after, answers)
        assert life.glymph.verify().ok
    finally:
        life.close()
        shutil.rmtree(folder)


# cut short

MANY, OLD = 400, 200  # memories, days
STEPS = 50  # of SQLite's virtual machine between two looks


def opened(url, clock):
    return Glymph.open(url, embedder="none", reader="none", clock=clock, settings=PLAIN)


def filled(url, clock):
    """A store with many old memories, some of them linked, and their ids."""
    glymph = opened(url, clock)
    ids = [
        added.id
        for added in glymph.add_many([f"old berlin report {number}" for number in range(MANY)])
    ]
    for a, b in pairwise(ids[:40]):
        glymph.link(a, b)
    clock.advance(days=OLD)
    return glymph, ids


def standing(glymph):
    """Everything that a prune that was not may not have moved."""
    return logical_image(glymph._ctx.store, "default"), glymph.operations(limit=1000)


ACTS = {
    "prune": lambda g, ids: g.prune(g.analyze(0, 50, True).id, confirm_large=True, cascade=True),
    "batch_prune": lambda g, ids: g.batch_prune(ids, "delete", confirm_large=True),
    "execute_prune": lambda g, ids: g.execute_prune(ids, "staleness", cascade=True).receipt,
    "merge": lambda g, ids: g.merge(ids[:100]),
    "archive": lambda g, ids: g.archive(ids),
}


class Fuse:
    """Burns while an operation is open, and goes off after `length` looks."""

    def __init__(self, monkeypatch, goes_off, length=None):
        self.looks, self.length, self.goes_off = 0, length, goes_off
        opened = Writer.open

        def open_and_light(writer, intent):
            opened(writer, intent)
            writer._session.raw.set_progress_handler(self.look, STEPS)

        monkeypatch.setattr(Writer, "open", open_and_light)

    def look(self):
        self.looks += 1
        return self.length is not None and self.looks >= self.length and self.goes_off()


@pytest.mark.parametrize("verb", ACTS)
def test_a_prune_that_fails_anywhere_has_done_nothing(url, clock, monkeypatch, verb):
    glymph, ids = filled(url, clock)
    with glymph:
        fuse = Fuse(monkeypatch, lambda: True)
        done = ACTS[verb](glymph, ids)
        whole = fuse.looks
        assert done.succeeded
        assert whole > 20, "too short to be cut in the middle"
        glymph.undo(done.operation_id)
        before = standing(glymph)
        for share in (0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97):
            fuse.looks, fuse.length = 0, max(1, int(share * whole))
            with pytest.raises(StoreError) as raised:
                ACTS[verb](glymph, ids)
            assert isinstance(raised.value.__cause__, apsw.InterruptError)
            fuse.length = None
            assert standing(glymph) == before
        assert glymph.verify().ok
        assert len(ACTS[verb](glymph, ids).succeeded) == len(done.succeeded)


KILLED = """
import os, signal, sys
import pytest
from glymph.testing import FrozenClock
from tests.property.test_prune_undo import ACTS, OLD, Fuse, opened
clock = FrozenClock()
clock.advance(days=OLD)
glymph = opened(sys.argv[1], clock)
ids = sorted(memory.id for memory in glymph.list(limit=1000) if memory.kind != "self")
Fuse(pytest.MonkeyPatch(), lambda: os.kill(os.getpid(), signal.SIGKILL), int(sys.argv[3]))
ACTS[sys.argv[2]](glymph, ids)
"""


@pytest.mark.parametrize("verb", ["prune", "batch_prune", "merge"])
def test_a_prune_that_is_killed_anywhere_has_done_nothing(url, clock, monkeypatch, verb):
    glymph, ids = filled(url, clock)
    with glymph, monkeypatch.context() as patched:
        fuse = Fuse(patched, lambda: True)
        done = ACTS[verb](glymph, ids)
        whole = fuse.looks
        glymph.undo(done.operation_id)
    with opened(url, clock) as glymph:
        before = standing(glymph)
    for share in (0.1, 0.5, 0.9):
        command = [sys.executable, "-c", KILLED, url, verb, str(int(share * whole))]
        run = subprocess.run(command, cwd=ROOT, check=False)
        assert run.returncode == -signal.SIGKILL
        with opened(url, clock) as glymph:
            assert standing(glymph) == before
            assert glymph.verify().ok
    with opened(url, clock) as glymph:
        assert len(ACTS[verb](glymph, ids).succeeded) == len(done.succeeded)

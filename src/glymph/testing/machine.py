"""A state machine that lives with a store: random operations, undos, crashes and jumps in time.

After every step the invariants of the specification are checked against the journal itself: the
image of a space before the step must be what playing the step's journal entries backwards gives.
"""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from glymph.client import Glymph
from glymph.errors import AlreadyUndone, HistoryGone, InvalidInput, NotFound, NotUndoable
from glymph.prune.rules import REASONS
from glymph.store.contract import JOURNALLED
from glymph.store.journal import by_place, rewind
from glymph.store.mirror import Mirrors
from glymph.testing import strategies
from glymph.testing.clock import FrozenClock
from glymph.testing.embedders import WordEmbedder
from glymph.testing.images import Image, logical_image, mirror_image

SPACES = ("one", "two")
QUERIES = ("berlin report", "btc Zürich 日本", "short o'brien lisbon")
# What a caller may be told. Anything else, a constraint of the database above all, is a defect.
REFUSALS = (AlreadyUndone, HistoryGone, InvalidInput, NotFound, NotUndoable)
picks = st.integers(0, 10_000)
Answer = list[tuple[str, float]]


class GlymphMachine(RuleBasedStateMachine):
    """Two spaces of one store; each rule acts on one of them and the other must not move.

    The store is an SQLite file; another engine's machine has its own `url` and `cut_off`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="glymph-machine-"))
        self.clock = FrozenClock()
        self.lives = itertools.count()
        self.path = self.folder / "memory.db"
        self.counters: dict[str, int] = {}

    @initialize()
    def begin(self) -> None:
        self.open()
        self.images = {space: self.image(space) for space in SPACES}

    def open(self) -> None:
        self.handles = {space: self.open_space(space) for space in SPACES}
        self.watchers = {
            space: self.open_space(space) for space in SPACES
        }  # as another process would be

    def open_space(self, space: str) -> Glymph:
        embedder = WordEmbedder(256, ms=0.0)
        return Glymph.open(self.url, space=space, clock=self.clock, embedder=embedder)

    @property
    def url(self) -> str:
        return f"sqlite:///{self.path}"

    def cut_off(self) -> None:
        """Leaves what a crash leaves: the files as they lie. Handles are closed on the way."""
        survivor = self.folder / f"after-crash-{next(self.lives)}.db"
        for suffix in ("", "-wal"):
            if Path(f"{self.path}{suffix}").exists():
                shutil.copy(f"{self.path}{suffix}", f"{survivor}{suffix}")
        self.close()
        self.path = survivor

    def close(self) -> None:
        for handle in (*self.handles.values(), *self.watchers.values()):
            handle.close()

    def teardown(self) -> None:
        try:
            verdict = self.handles["one"].verify()
            assert verdict.ok, verdict.problems
        finally:
            self.close()
            shutil.rmtree(self.folder, ignore_errors=True)

    # looking at the store without the machine's own opinion

    def image(self, space: str) -> Image:
        return logical_image(self.handles[space]._ctx.store, space)

    def ids(self, space: str) -> list[str]:
        """Returns every memory that exists, the protected identity included."""
        return [
            row["id"]
            for (table, _), row in sorted(self.images[space].items())
            if table == "memories"
        ]

    def replaceable(self, space: str) -> list[str]:
        """Returns every memory that another may take the place of."""
        rows = [
            row for (table, _), row in sorted(self.images[space].items()) if table == "memories"
        ]
        current = [row for row in rows if row["state"] == "LIVE" and row["superseded_by"] is None]
        return [row["id"] for row in current if not (row["pinned"] or row["protected"])]

    def pick(self, space: str, number: int) -> str:
        known = self.ids(space)
        return known[number % len(known)]

    def last_operation(self, space: str) -> int:
        with self.handles[space]._ctx.reading() as reader:
            return int(reader.operations(limit=1)[0]["key"])

    def answers(
        self, space: str, queries: Sequence[str] = QUERIES, *, of: Glymph | None = None
    ) -> list[Answer]:
        """Returns what searches find, with what score, up to the rounding of the arithmetic."""
        g = of or self.handles[space]
        found = [g.search(query, limit=1000) for query in queries]
        return [sorted((hit.memory.id, round(hit.score, 5)) for hit in hits) for hits in found]

    def check_recall(self, space: str) -> None:
        """Checks what searches show; an old mirror shows what a new one does."""
        handle, watcher = self.handles[space], self.watchers[space]
        handle._ctx.embedding.mirrors = Mirrors()  # made anew
        assert self.mirror(handle) == self.mirror(watcher), (
            "a mirror that was kept up differs from a new one"
        )
        query = QUERIES[next(self.lives) % len(QUERIES)]
        for hit in watcher.search(query, limit=1000):
            memory = hit.memory
            assert memory.space == space, "a search shows another space"
            assert (memory.state, memory.superseded_by) == ("LIVE", None), (
                "a search shows what is hidden"
            )
            assert memory.expires_at is None or memory.expires_at > self.clock.now, (
                "a search shows what expired"
            )
        assert self.answers(space, [query]) == self.answers(space, [query], of=watcher)

    def mirror(self, handle: Glymph) -> dict[int, dict[str, Any]]:
        place = handle._ctx
        with place.reading() as reader:
            return mirror_image(place.embedding.mirrors.view(reader, place.embedding.model))

    # one step

    def step(self, space: str, act: Callable[[Glymph], Any]) -> Any:
        """Acts, then checks that the journal explains every difference and nothing else moved."""
        before, cut = self.images[space], self.last_operation(space)
        result = act(self.handles[space])
        self.settle(space)
        after = self.image(space)
        self.check_journal(space, before, after, cut)
        self.check_guarded(before, after)
        other = SPACES[1 - SPACES.index(space)]
        assert self.image(other) == self.images[other], "another space was changed"
        self.images[space] = after
        self.check_recall(space)
        return result

    def settle(self, space: str) -> None:
        """Waits until what changed has its vectors."""
        background = self.handles[space]._background
        while (thread := background._thread) is not None:
            thread.join()
        assert background.failure is None, background.failure

    def check_journal(self, space: str, before: Image, after: Image, cut: int) -> None:
        with self.handles[space]._ctx.reading() as reader:
            entries = [entry for table in JOURNALLED for entry in reader.entries_since(table, cut)]
        changed = by_place(entries)
        for place, its in changed.items():
            assert rewind(after.get(place), its) == before.get(place), (
                f"the journal does not explain {place}"
            )
            assert after.get(place) != before.get(place) or len(its) > 1, (
                f"journalled without a change: {place}"
            )
        for place in before.keys() | after.keys():
            if place[0] == "vectors":
                told = before.get(place) == after.get(place)
                owner = (before.get(place) or after[place])["memory"]
                assert told or ("memories", owner) in changed, (
                    f"a vector came or went by itself: {place}"
                )
            elif place not in changed:
                assert before.get(place) == after.get(place), (
                    f"changed without a journal entry: {place}"
                )

    def check_guarded(self, before: Image, after: Image) -> None:
        for place, row in before.items():
            if place[0] != "memories":
                continue
            now = after.get(place)
            if row["protected"]:
                assert now is not None
                assert (now["state"], now["protected"], now["kind"]) == ("LIVE", 1, "self")
            elif row["pinned"] and now is not None and now["pinned"]:
                assert now["state"] in (row["state"], "LIVE"), "a pinned memory was moved"

    def attempt(self, space: str, act: Callable[[Glymph], Any], back: bool = False) -> None:
        """Takes a step that may be refused and then must change nothing.

        With `back`, it is undone and redone at once.
        """

        def guard(g: Glymph) -> Any:
            try:
                return act(g)
            except REFUSALS as error:
                return error

        before, answered = self.images[space], self.answers(space) if back else []
        done = self.step(space, guard)
        if isinstance(done, REFUSALS):
            assert self.images[space] == before
        elif back and getattr(done, "operation_id", None):
            self.undo_and_redo(space, done.operation_id, before, answered)

    def undo_and_redo(
        self, space: str, operation: str, before: Image, answered: list[Answer]
    ) -> None:
        after, answers = self.images[space], self.answers(space)
        try:
            undone = self.step(space, lambda g: g.undo(operation))
        except NotUndoable:
            assert after == before
            return
        assert not undone.skipped, undone
        assert self.images[space] == before, "undo did not restore the image"
        assert self.answers(space) == answered, "search does not answer as it did before"
        redone = self.step(space, lambda g: g.undo(undone.operation_id))
        assert not redone.skipped, redone
        assert self.images[space] == after, "undo of undo did not bring the image back"
        assert self.answers(space) == answers, "search answers differently"

    # rules

    @rule(
        space=st.sampled_from(SPACES),
        fields=strategies.additions(),
        to=picks,
        linked=st.booleans(),
        back=st.booleans(),
    )
    def add(self, space: str, fields: dict[str, Any], to: int, linked: bool, back: bool) -> None:
        links = [(self.pick(space, to), "related_to")] if linked else []
        self.attempt(space, lambda g: g.add(**fields, links=links), back)

    @rule(
        space=st.sampled_from(SPACES),
        items=st.lists(strategies.additions(), min_size=1, max_size=6),
    )
    def add_many(self, space: str, items: list[dict[str, Any]]) -> None:
        self.attempt(space, lambda g: g.add_many(items))

    @rule(
        space=st.sampled_from(SPACES),
        which=picks,
        text=strategies.texts,
        kind=strategies.kinds,
        back=st.booleans(),
    )
    def update(self, space: str, which: int, text: str, kind: str, back: bool) -> None:
        self.attempt(space, lambda g: g.update(self.pick(space, which), text=text, kind=kind), back)

    @rule(
        space=st.sampled_from(SPACES), verb=st.sampled_from(["archive", "delete", "restore"]),
        which=st.lists(picks, min_size=1, max_size=4), back=st.booleans(),
    )  # fmt: skip
    def move(self, space: str, verb: str, which: list[int], back: bool) -> None:
        ids = [self.pick(space, number) for number in which]
        self.attempt(space, lambda g: getattr(g, verb)(ids), back)

    @rule(
        space=st.sampled_from(SPACES), group=picks, action=st.sampled_from(["archive", "delete"]),
        cascade=st.booleans(), back=st.booleans(),
    )  # fmt: skip
    def analyze_and_prune(
        self, space: str, group: int, action: str, cascade: bool, back: bool
    ) -> None:
        plan = self.handles[space].analyze(0.0, include_isolated=True)
        chosen = [group % len(plan.groups) + 1] if plan.groups else None

        def act(g: Glymph) -> Any:
            return g.prune(plan, groups=chosen, action=action, cascade=cascade, confirm_large=True)

        self.attempt(space, act, back)

    @rule(
        space=st.sampled_from(SPACES), reason=st.sampled_from(REASONS), cascade=st.booleans(),
        which=st.lists(picks, min_size=1, max_size=6), back=st.booleans(),
    )  # fmt: skip
    def execute_prune(
        self, space: str, reason: str, cascade: bool, which: list[int], back: bool
    ) -> None:
        ids = [self.pick(space, number) for number in which]
        self.attempt(space, lambda g: g.execute_prune(ids, reason, cascade=cascade), back)

    @rule(
        space=st.sampled_from(SPACES),
        which=st.lists(picks, min_size=2, max_size=4),
        back=st.booleans(),
    )
    def merge(self, space: str, which: list[int], back: bool) -> None:
        known = self.replaceable(space)
        if len(known) > 1:
            self.attempt(
                space, lambda g: g.merge([known[number % len(known)] for number in which]), back
            )

    @rule(space=st.sampled_from(SPACES), which=picks, text=strategies.texts, back=st.booleans())
    def say_anew(self, space: str, which: int, text: str, back: bool) -> None:
        if known := self.replaceable(space):
            self.attempt(space, lambda g: g.supersede(known[which % len(known)], text), back)

    @rule(
        space=st.sampled_from(SPACES),
        verb=st.sampled_from(["pin", "unpin"]),
        which=picks,
        back=st.booleans(),
    )
    def pin(self, space: str, verb: str, which: int, back: bool) -> None:
        self.attempt(space, lambda g: getattr(g, verb)(self.pick(space, which)), back)

    @rule(
        space=st.sampled_from(SPACES), a=picks, b=picks, kind=strategies.edge_types,
        verb=st.sampled_from(["link", "link", "unlink"]), back=st.booleans(),
    )  # fmt: skip
    def link(self, space: str, a: int, b: int, kind: str, verb: str, back: bool) -> None:
        self.attempt(
            space, lambda g: getattr(g, verb)(self.pick(space, a), self.pick(space, b), kind), back
        )

    @rule(
        space=st.sampled_from(SPACES),
        which=picks,
        hours=st.integers(1, 2000) | st.none(),
        back=st.booleans(),
    )
    def expire(self, space: str, which: int, hours: int | None, back: bool) -> None:
        end = None if hours is None else self.clock.now + timedelta(hours=hours)
        self.attempt(space, lambda g: g.update(self.pick(space, which), expires_at=end), back)

    @rule(space=st.sampled_from(SPACES), old=picks, new=picks)
    def supersede(self, space: str, old: int, new: int) -> None:
        known = {
            row["id"]: row for (table, _), row in self.images[space].items() if table == "memories"
        }
        one, other = self.pick(space, old), self.pick(space, new)
        if one == other or known[one]["pinned"] or known[one]["protected"]:
            return

        def act(g: Glymph) -> None:
            with g._ctx.operation("supersede") as op:
                op.writer.change("memories", {op.row(one)["key"]: {"superseded_by": other}})

        self.step(space, act)

    @rule(a=picks, b=picks)
    def link_across_spaces(self, a: int, b: int) -> None:
        ours, theirs = self.pick("one", a), self.pick("two", b)
        before = self.images["one"]
        self.attempt("one", lambda g: g.link(ours, theirs))
        assert self.images["one"] == before

    @rule(
        space=st.sampled_from(SPACES), query=strategies.texts, reinforce=st.booleans(),
        outcome=st.sampled_from(["used", "confirmed", "contradicted"]), back=st.booleans(),
    )  # fmt: skip
    def recall(self, space: str, query: str, reinforce: bool, outcome: str, back: bool) -> None:
        def act(g: Glymph) -> Any:
            found = g.recall(query, reinforce=reinforce)
            assert all(hit.memory.state == "LIVE" and hit.memory.space == space for hit in found)
            return (
                None
                if reinforce
                else g.report(found.id or "", **{outcome: [h.memory.id for h in found]})
            )

        self.attempt(space, act, back)

    @rule(
        space=st.sampled_from(SPACES), name=st.sampled_from(["x", "y"]), which=picks,
        back=st.booleans(),
        verb=st.sampled_from(["create", "delete", "add", "remove"]),
    )  # fmt: skip
    def cluster(self, space: str, name: str, which: int, verb: str, back: bool) -> None:
        by_name = verb in ("create", "delete")
        arguments = (name,) if by_name else (name, self.pick(space, which))
        self.attempt(space, lambda g: getattr(g.clusters, verb)(*arguments), back)

    @rule(
        space=st.sampled_from(SPACES),
        text=strategies.texts,
        mode=st.sampled_from(["replace", "append"]),
    )
    def write(self, space: str, text: str, mode: str) -> None:
        self.attempt(space, lambda g: g.write(text, mode), True)

    @rule(space=st.sampled_from(SPACES))
    def undo_newest(self, space: str) -> None:
        self.attempt(space, lambda g: g.undo())

    @rule(space=st.sampled_from(SPACES), which=picks)
    def undo_any(self, space: str, which: int) -> None:
        """Whatever was changed since is left alone and named; the journal check does the rest."""
        known = self.handles[space].operations(limit=1000)
        target = known[which % len(known)]
        self.attempt(space, lambda g: g.undo(target.id))

    @rule(space=st.sampled_from(SPACES), query=strategies.texts, which=picks)
    def look(self, space: str, query: str, which: int) -> None:
        """Looking changes nothing, in any way of looking."""
        before = self.images[space]

        def act(g: Glymph) -> None:
            g.search(query)
            assert {hit.memory.space for hit in g.search(query, spaces=SPACES)} <= set(SPACES)
            g.list(states=["LIVE", "ARCHIVED", "TRASHED"], include_superseded=True)
            memory = g.get(self.pick(space, which))
            g.history(memory.id)
            g.edges(memory.id)
            g.graph(), g.health(), g.clusters(), g.operations()
            g.recall(query)
            g.export(self.folder / f"look-{next(self.lives)}.jsonl")

        self.step(space, act)
        assert self.images[space] == before

    @rule(space=st.sampled_from(SPACES), query=strategies.texts)
    def ask_for_what_is_not_there(self, space: str, query: str) -> None:
        """A refused call leaves the handle, and what it may see, as they were."""
        g = self.handles[space]
        for attempt in (
            lambda: g.get("nothing"),
            lambda: g.search(query, kinds=["nosuchkind"], spaces=SPACES[::-1]),
        ):
            try:
                attempt()
            except REFUSALS:
                continue
            raise AssertionError("it should have been refused")
        assert {memory.id for memory in g.list(limit=1000)} <= set(self.ids(space))

    @rule(space=st.sampled_from(SPACES), hours=st.floats(-30.0, 5000.0))
    def time_passes(self, space: str, hours: float) -> None:
        """Decay is only ever computed: time alone moves nothing."""
        self.clock.advance(hours=hours)
        assert self.image(space) == self.images[space]

    @rule(space=st.sampled_from(SPACES))
    def time_travel(self, space: str) -> None:
        """Now, seen through `at`, is what is there now."""
        g = self.handles[space]
        states = ["LIVE", "ARCHIVED", "TRASHED"]
        newest = max(op.at for op in g.operations(limit=1000))
        moment = max(newest, self.clock.now)
        past = g.list(limit=1000, states=states, include_superseded=True, at=moment)
        now = g.list(limit=1000, states=states, include_superseded=True)
        assert [(m.id, m.text, m.state, m.version) for m in past] == [
            (m.id, m.text, m.state, m.version) for m in now
        ]

    @rule(
        space=st.sampled_from(SPACES),
        name=st.sampled_from(["sessions", "watermark"]),
        value=st.integers(0, 99),
    )
    def count(self, space: str, name: str, value: int) -> None:
        with self.handles[space]._ctx.store.writing(space, None) as writer:
            writer.set_counter(name, value)
        self.counters[f"{space}.{name}"] = value

    @rule(crash=st.booleans())
    def reopen(self, crash: bool) -> None:
        """Closed properly, or cut off."""
        if crash:
            self.cut_off()
        else:
            self.close()
        self.open()
        for space in SPACES:
            assert self.image(space) == self.images[space], "an acknowledged change was lost"
            with self.handles[space]._ctx.reading() as reader:
                for name in ("sessions", "watermark"):
                    assert reader.counter(name) == self.counters.get(f"{space}.{name}")

    @rule()
    def verify(self) -> None:
        verdict = self.handles["two"].verify()
        assert verdict.ok, verdict.problems

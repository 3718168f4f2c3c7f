"""The ground of the state machine: two spaces of one store, steps, and the checks after each."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize

from glymph.client import Glymph
from glymph.errors import (
    AlreadyUndone,
    HistoryGone,
    InvalidInput,
    NotFound,
    NotUndoable,
    Pinned,
    Protected,
)  # fmt: skip
from glymph.store.contract import JOURNALLED
from glymph.store.journal import by_place, rewind
from glymph.store.mirror import Mirrors
from glymph.testing.clock import FrozenClock
from glymph.testing.embedders import WordEmbedder
from glymph.testing.images import Image, logical_image, mirror_image

SPACES = ("one", "two")
QUERIES = ("berlin report", "btc Zürich 日本", "short o'brien lisbon")
# What a caller may be told. Anything else, a constraint of the database above all, is a defect.
REFUSALS = (
    AlreadyUndone, HistoryGone, InvalidInput, NotFound, NotUndoable, Pinned, Protected,
)  # fmt: skip
picks = st.integers(0, 10_000)
Answer = list[tuple[str, float]]


class MachineGround(RuleBasedStateMachine):
    """Two spaces of one store; each step acts on one of them and the other must not move.

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

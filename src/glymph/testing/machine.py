"""A state machine that lives with a store: random operations, undos, crashes and jumps in time.

After every step the invariants of the specification are checked against the journal itself: the
image of a space before the step must be what playing the step's journal entries backwards gives.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from glymph.client import Glymph
from glymph.prune.rules import REASONS
from glymph.testing import strategies
from glymph.testing.machine_ground import REFUSALS, SPACES, MachineGround, picks


class GlymphMachine(MachineGround):
    """The rules by which random operations follow one another."""

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

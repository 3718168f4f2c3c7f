"""Nothing of a conversation is lost, whatever is said and however long.

That holds whenever a model fails or the machine stops.

Every message carries a mark of its own. The scripted model notes the marks it was shown, so the
summary itself tells which messages it stands for.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import tempfile
import uuid
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glymph import Glymph
from glymph.errors import ModelFailed
from glymph.history.disk import Disk
from glymph.history.history import History
from glymph.history.messages import find_boundaries, read_message
from glymph.history.policy import TOO_LARGE
from glymph.testing import FrozenClock, ScriptedModel

MARK = re.compile(r"mark\d+(?:r\d)?x")
lives_begun = itertools.count(1)


class Stopped(BaseException):
    """The machine stops here."""


class FailingDisk(Disk):
    """Stops before a given step; an append it stops at may have written a part."""

    def __init__(self):
        super().__init__(durable=True, watch=self._watched)
        self.left: int | None = None
        self.tears = False

    def _watched(self, step):
        if self.left is None:
            return
        self.left -= 1
        if self.left < 0 and not (step == "append" and self.tears):
            raise Stopped(step)

    def _flush(self, descriptor):
        self.watch("flush")  # the system itself does not stop here, and a real flush takes long

    def _settle(self, folder):
        self.watch("settle")

    def _write(self, descriptor, body):
        if self.left is not None and self.left < 0:
            os.write(descriptor, body[: len(body) // 2])
            raise Stopped("torn")
        super()._write(descriptor, body)


def failing(store, disk):
    """Lets transactions of a store that write stop like the disk.

    They stop before they begin, unfinished, or just ended.
    """
    usual = type(store).writing

    @contextmanager
    def writing(*given, **more):
        disk.watch("begin")
        with usual(store, *given, **more) as writer:
            yield writer
            disk.watch("commit")
        disk.watch("committed")

    store.writing = writing


# what is said


@st.composite
def exchanges(draw):
    """What one exchange is made of, as kinds of messages; marks and ids are given when it is said."""
    shape = draw(st.sampled_from(["openai", "anthropic"]))
    steps = [("user", shape, draw(st.integers(0, 60)), draw(st.booleans()))]
    for _ in range(draw(st.integers(0, 2))):
        calls = draw(st.integers(1, 3))
        steps.append(("calls", shape, calls, draw(st.booleans())))
        steps.append(("results", shape, calls, draw(st.booleans())))
    if draw(st.booleans()) or len(steps) == 1:
        steps.append(("answer", shape, draw(st.integers(0, 60)), False))
    return steps


def said(step, number):
    """The messages of a step, with the marks they carry."""
    kind, shape, size, flag = step
    mark = f"mark{number}x"
    words = f"{mark} " + "word " * size
    if kind == "user":
        image = (
            {"type": "image_url", "image_url": {"url": "data:,"}}
            if shape == "openai"
            else {"type": "image"}
        )
        return [
            {"role": "user", "content": [{"type": "text", "text": words}, image] if flag else words}
        ]
    if kind == "answer":
        content = words if shape == "openai" else [{"type": "text", "text": words}]
        return [{"role": "assistant", "content": content}]
    if kind == "calls":
        ids = [f"call{number}-{at}" for at in range(size)]
        if shape == "openai":
            calls = [
                {"id": one, "type": "function", "function": {"name": "look", "arguments": "{}"}}
                for one in ids
            ]
            return [{"role": "assistant", "content": mark, "tool_calls": calls}]
        uses = [{"type": "tool_use", "id": one, "name": "look", "input": {}} for one in ids]
        return [{"role": "assistant", "content": [{"type": "text", "text": mark}, *uses]}]
    ids = [f"call{number - 1}-{at}" for at in range(size)]
    if shape == "openai":
        return [
            {
                "role": "tool",
                "tool_call_id": one,
                "content": f"mark{number}r{at}x " + "result " * 40,
            }
            for at, one in enumerate(ids)
        ]
    results = [
        {"type": "tool_result", "tool_use_id": one, "content": f"{mark} found"} for one in ids
    ]
    return [{"role": "user", "content": results}]


def marks_of(message):
    return set(MARK.findall(json.dumps(message)))


# the world


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """One store for all lives, each in a session of its own: opening one takes longer than a life."""
    folder = tmp_path_factory.mktemp("store")
    with Glymph.open(
        f"sqlite:///{folder}/m.db",
        clock=FrozenClock(),
        embedder="none",
        reader="none",
        settings={"durability": "normal"},
    ) as glymph:
        yield glymph


@dataclass
class World:
    """A history, what it was told, and what it must hold. Without a store there is no model."""

    folder: Path | None  # None: it is kept in the store
    settings: dict
    glymph: Glymph | None = None
    offers: bool = True
    fails: list[bool] = field(default_factory=list)
    session: str = field(default_factory=lambda: uuid.uuid4().hex)
    disk: FailingDisk = field(default_factory=FailingDisk)
    known: list[dict] = field(default_factory=list)  # messages that were acknowledged
    number: int = field(
        default_factory=lambda: 1000 * next(lives_begun)
    )  # marks are never used twice
    built: list[tuple[int, bool]] = field(
        default_factory=list
    )  # count and notice of each turn's last build
    attempted: bool = False  # since the last notice

    def __post_init__(self):
        self.model = ScriptedModel(self._answer) if self.glymph else None
        if self.folder is None:
            failing(self.glymph.context.store, self.disk)
        self.reopen()

    def reopen(self):
        if self.folder is None:
            self.glymph.context.clock.advance(
                minutes=11
            )  # who was stopped while shortening has it no more
        self.history = History(
            self.folder, self.glymph, settings=self.settings, tools=["memory_write"] if self.offers else [],
            disk=self.disk, summary_model=self.model, clock=FrozenClock(),
        )  # fmt: skip

    def _answer(self, messages, schema):
        if self.fails and self.fails.pop(0):
            return ModelFailed("scripted", "it says so", "Ask again.")
        data = messages[-1].content.partition("<data-")[2]
        shown = [json.loads(line) for line in data.splitlines()[1:] if line.startswith("{")]
        found = [
            mark for one in shown if "noted" not in one for mark in MARK.findall(json.dumps(one))
        ]
        return {"notes": ["Seen: " + " ".join(dict.fromkeys(found))]}

    def say(self, step, stop):
        self.number += 1
        messages = said(step, self.number)
        try:
            self._armed(stop, lambda: self.history.append(self.session, *messages))
            self.known += messages
        except Stopped:
            self.reopen()
            found = self.history.messages(self.session)
            assert found[: len(self.known)] == self.known
            new = found[len(self.known) :]
            assert new == messages[: len(new)]
            # What was not acknowledged is said again by whoever said it.
            self.history.append(self.session, *messages[len(new) :])
            self.known += messages

    def build(self, stop):
        for at in (stop, None):
            try:
                built = self._armed(at, lambda: self.history.build(self.session))
                break
            except Stopped:
                self.reopen()
        self._check(built)
        return built

    def _armed(self, stop, call):
        self.disk.left, self.disk.tears = stop if stop is not None else (None, False)
        try:
            return call()
        finally:
            self.disk.left = None

    # what must hold

    def _check(self, built):
        assert self.history.messages(self.session) == self.known
        gone, kept = self.known[: built.summarised], self.known[built.summarised :]
        assert len(built.messages) == len(kept)
        for sent, message in zip(built.messages, kept, strict=True):
            assert read_message(sent).text == read_message(message).text
        if self.known:
            assert kept
        self._check_boundary(gone, kept, built)
        if self.glymph:
            self._check_summary(gone, kept)

    def _check_boundary(self, gone, kept, built):
        views = [read_message(message) for message in kept]
        answered = {result.id for view in views for result in view.results}
        assert answered <= {call.id for view in views for call in view.calls}
        if gone:
            assert not views[0].results
            assert len(gone) in find_boundaries([read_message(message) for message in self.known])

    def _check_summary(self, gone, kept):
        noted = Counter(MARK.findall(self.history.summary(self.session)))
        # A mark may stand in several parts of one message, and is noted once for each stretch.
        assert set(noted) == {mark for message in gone for mark in marks_of(message)}
        assert all(count == 1 for count in noted.values())
        assert not set(noted) & {mark for message in kept for mark in marks_of(message)}

    def check_notice(self, built):
        """The notice comes one turn before a consolidation is tried, and once."""
        count = len(self.known)
        tried = built.shortened is not None
        announces = self.offers and self.glymph
        if not announces:
            assert not built.notice
        elif tried and not self.attempted:
            assert self.built, "it was not announced"
            before, notice = self.built[-1]
            assert notice, "it was not announced in the turn before"
            assert before < count
            self.attempted = True
        if tried and built.shortened.problem is None:
            self.attempted = False
            since = [notice for _, notice in self.built]
            assert since.count(True) == (1 if announces else 0)
            self.built.clear()
        self.built.append((count, built.notice))
        assert [notice for _, notice in self.built].count(True) <= 1


STOPS = st.one_of(st.none(), st.tuples(st.integers(0, 12), st.booleans()))


def chosen(draw):
    unit = draw(st.sampled_from(["messages", "tokens"]))
    threshold = draw(st.integers(1, 14)) if unit == "messages" else draw(st.integers(1, 900))
    ratio = draw(st.floats(0.001, 0.999))
    return {"unit": unit, "consolidation_threshold": threshold, "keep_recent_ratio": ratio}


@st.composite
def lives(draw):
    """Settings, and a list of exchanges with where the machine stops while they are said and built."""
    spoken = draw(st.lists(exchanges(), min_size=1, max_size=9))
    steps = [step for exchange in spoken for step in exchange]
    stops = draw(st.lists(st.tuples(STOPS, STOPS), min_size=len(steps), max_size=len(steps)))
    builds = draw(st.lists(st.booleans(), min_size=len(steps), max_size=len(steps)))
    return chosen(draw), list(zip(steps, stops, builds, strict=True))


few = settings(max_examples=max(25, settings.default.max_examples // 4))


@few
@given(
    life=lives(),
    offers=st.booleans(),
    fails=st.lists(st.booleans(), max_size=8),
    stored=st.booleans(),
)
def test_nothing_is_lost_doubled_or_left_out_by_a_model_that_fails_and_a_machine_that_stops(
    store, life, offers, fails, stored
):
    chosen, steps = life
    with tempfile.TemporaryDirectory() as folder:
        world = World(None if stored else Path(folder), chosen, store, offers, fails)
        for step, (while_saying, while_building), builds in steps:
            world.say(step, while_saying)
            if builds:
                world.build(while_building)
        world.fails.clear()
        world.build(None)
        assert world.history.session(world.session).load()[0].waiting == ()
        noted = Counter(
            mark
            for memory in store.list(limit=1000, session=world.session)
            for mark in set(MARK.findall(memory.text))
        )
        assert set(noted) == set(MARK.findall(world.history.summary(world.session)))
        assert set(noted.values()) <= {1}


@few
@given(life=lives())
def test_without_a_model_every_message_is_shown_or_before_the_cursor_and_none_both(life):
    chosen, steps = life
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder), chosen)
        for step, (while_saying, while_building), builds in steps:
            world.say(step, while_saying)
            if builds:
                built = world.build(while_building)
                assert not built.notice
                assert built.shortened is None or built.shortened.messages > 0


@few
@given(life=lives(), fails=st.lists(st.booleans(), max_size=6), stored=st.booleans())
def test_the_notice_comes_one_turn_before_every_consolidation_and_once(store, life, fails, stored):
    chosen, steps = life
    with tempfile.TemporaryDirectory() as folder:
        world = World(None if stored else Path(folder), chosen, store, True, fails)
        for step, _, builds in steps:
            world.say(step, None)
            if builds:
                world.check_notice(world.build(None))


@pytest.mark.parametrize("offers", [False, True])
def test_steady_turns_are_announced_in_the_turn_before_the_threshold_is_passed(
    tmp_path, store, offers
):
    world = World(tmp_path, {"unit": "messages", "consolidation_threshold": 10}, store, offers)
    told = []
    for _ in range(12):
        built = world.build(None)
        told.append((built.size, built.notice, built.shortened is not None))
        world.say(("user", "openai", 1, False), None)
        world.say(("answer", "openai", 1, False), None)
    assert told[:7] == [
        *((size, False, False) for size in range(0, 10, 2)),
        (10, offers, False),
        (2, False, True),
    ]


def test_a_turn_that_is_built_again_is_announced_again_and_one_that_cannot_be_sent_is_not_waited_for(
    tmp_path, store
):
    world = World(tmp_path, {"unit": "messages", "consolidation_threshold": 4}, store)
    for _ in range(2):
        world.say(("user", "openai", 1, False), None)
        world.say(("answer", "openai", 1, False), None)
    assert [world.build(None).notice for _ in range(3)] == [True, True, True]
    world.say(("user", "openai", 1, False), None)
    assert world.build(None).shortened.messages > 0
    for _ in range(5 * TOO_LARGE):
        world.say(("user", "openai", 1, False), None)
    assert world.build(None).notice
    assert world.build(None).shortened.messages > 0  # the same turn, far too large

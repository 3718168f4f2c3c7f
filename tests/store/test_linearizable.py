"""What several writers and readers see at once could have happened one after the other."""

from __future__ import annotations

import random
import threading
import time
from contextlib import ExitStack
from typing import NamedTuple

import pytest

from glymph import Glymph
from tests.grounds.serving import serving

WORKERS, CALLS, KEYS = 3, 7, 2
ROUNDS = {"sqlite": 3, "postgresql": 1, "http": 2}


class Call(NamedTuple):
    """One call on one memory: when it was made, when it came back, and with what."""

    began: int
    ended: int
    verb: str
    said: str
    answer: object


def follow(state, call):
    """The state after a call that answered as it did; None if it cannot have, in this state."""
    standing, text = state
    if call.verb == "read":
        return state if call.answer == state else None
    if call.verb == "update":
        return (standing, call.said) if call.answer else None
    goal, source = ("TRASHED", "LIVE") if call.verb == "delete" else ("LIVE", "TRASHED")
    return ((goal, text) if call.answer else state) if call.answer == (standing == source) else None


def has_an_order(calls, state):
    """Tells whether an order exists that keeps to the clock and explains every answer.

    It is the search of Wing and Gong: the next one must have begun before any other ended.
    """
    seen = set()

    def search(left, state):
        if not left:
            return True
        if (left, state) in seen:
            return False
        seen.add((left, state))
        first_end = min(calls[at].ended for at in left)
        for at in left:
            if calls[at].began <= first_end:
                after = follow(state, calls[at])
                if after is not None and search(left - {at}, after):
                    return True
        return False

    return search(frozenset(range(len(calls))), state)


def make(glymph, memory_id, verb, said):
    if verb == "read":
        found = glymph.get(memory_id)
        return str(found.state), found.text
    if verb == "update":
        return bool(glymph.update(memory_id, text=said).succeeded)
    call = glymph.delete if verb == "delete" else glymph.restore
    return memory_id in call([memory_id]).succeeded


def live(url, ids, seed, told, gate):
    draw = random.Random(seed)
    with open_handle(url) as glymph:
        gate.wait()
        for number in range(CALLS):
            key = draw.choice(ids)
            verb = draw.choice(["read", "read", "update", "delete", "restore"])
            said = f"said by {seed} as number {number}"
            began = time.monotonic_ns()
            answer = make(glymph, key, verb, said)
            told.append((key, Call(began, time.monotonic_ns(), verb, said, answer)))


@pytest.fixture
def where(request, tmp_path):
    """A way to an empty store: an engine, or a server that every worker asks."""
    if request.param == "postgresql":
        yield request.param, request.getfixturevalue("empty_postgres_store")
        return
    url = f"sqlite:///{tmp_path}/memory.db"
    with ExitStack() as stack:
        if request.param == "http":
            here = stack.enter_context(Glymph.open(url, embedder="none", reader="none"))
            url = stack.enter_context(serving(here)).url
        yield request.param, url


def open_handle(url):
    """Over the wire, embedder and reader are the server's."""
    own = {} if url.startswith("http:") else {"embedder": "none", "reader": "none"}
    return Glymph.open(url, **own)


@pytest.mark.parametrize("where", ["sqlite", "postgresql", "http"], indirect=True)
def test_concurrent_histories_have_an_order(where):
    engine, url = where
    for turn in range(ROUNDS[engine]):
        with open_handle(url) as glymph:
            texts = [f"key {turn} {number} at the beginning" for number in range(KEYS)]
            ids = [glymph.add(text).id for text in texts]
        told, gate = [], threading.Barrier(WORKERS)
        workers = [
            threading.Thread(target=live, args=(url, ids, 10 * turn + n, told, gate))
            for n in range(WORKERS)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert len(told) == WORKERS * CALLS
        for memory_id, text in zip(ids, texts, strict=True):
            calls = [call for key, call in told if key == memory_id]
            assert has_an_order(calls, ("LIVE", text)), sorted(calls)


def test_the_search_finds_what_no_order_explains():
    stale = [
        Call(1, 2, "update", "new", True),
        Call(3, 4, "read", "", ("LIVE", "old")),
    ]
    assert not has_an_order(stale, ("LIVE", "old"))
    overlapping = [Call(1, 4, "update", "new", True), Call(2, 3, "read", "", ("LIVE", "old"))]
    assert has_an_order(overlapping, ("LIVE", "old"))
    twice = [Call(1, 4, "delete", "", True), Call(2, 3, "delete", "", True)]
    assert not has_an_order(twice, ("LIVE", "old"))


def test_a_trashed_memory_can_be_edited_as_the_model_says(tmp_path):
    with Glymph.open(f"sqlite:///{tmp_path}/memory.db", embedder="none", reader="none") as glymph:
        one = glymph.add("a memory to be edited in the trash").id
        glymph.delete([one])
        assert make(glymph, one, "update", "edited there")
        assert make(glymph, one, "read", "") == ("TRASHED", "edited there")
        assert not make(glymph, one, "delete", "")

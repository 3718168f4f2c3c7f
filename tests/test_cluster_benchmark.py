"""The clients of the cluster benchmark meet servers that vanish.

And its judge notices what it looks for.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

pytest.importorskip("mcp")

from benchmarks import cluster
from benchmarks.harness.cluster_clients import Caller, Refused, Unanswered
from benchmarks.harness.cluster_judge import Promised, Verdict
from benchmarks.harness.cluster_load import _operation, foreign, read
from glymph import Glymph

GLYMPH = str(Path(sys.executable).with_name("glymph"))
TOKEN = "a-secret-that-is-long-enough-0123456789"
ENOUGH = 60.0  # seconds


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return f"sqlite:///{tmp_path_factory.mktemp('store')}/memory.db"


@pytest.fixture(scope="module")
def port(store, tmp_path_factory):
    """A real server, and where it listens."""
    environment = {
        "HOME": str(tmp_path_factory.mktemp("home")), "PATH": os.defpath, "GLYMPH_EMBEDDER": "none",
        "GLYMPH_TOKEN": TOKEN,
    }  # fmt: skip
    command = [GLYMPH, "mcp", "--http", "127.0.0.1:0", "--any-space", "--url", store,
               "--profile", "full", "--answers", "data"]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        yield next(
            int(found[1]) for line in process.stderr if (found := re.search(r":(\d+)/mcp", line))
        )
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


class Relay:
    """Stands before a server and, once told so, keeps something back and hangs up.

    It keeps back an answer, or the request itself.
    """

    def __init__(self, port):
        self._port, self.keeps, self.met = port, None, 0

    async def serve(self, client):
        async with client, await anyio.connect_tcp("127.0.0.1", self._port) as server:

            async def forward(source, target, kind):
                try:
                    while True:
                        sent = await source.receive()
                        if self.keeps == kind:
                            self.met += 1
                            break
                        await target.send(sent)
                except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
                    pass
                group.cancel_scope.cancel()

            async with anyio.create_task_group() as group:
                group.start_soon(forward, client, server, "request")
                group.start_soon(forward, server, client, "answer")


@asynccontextmanager
async def relayed(port):
    """A relay before the server and its address."""
    relay = Relay(port)
    async with (
        await anyio.create_tcp_listener(local_host="127.0.0.1") as listener,
        anyio.create_task_group() as group,
    ):
        group.start_soon(listener.serve, relay.serve)
        address = listener.extra(anyio.abc.SocketAttribute.local_port)
        yield relay, f"http://127.0.0.1:{address}/mcp"
        group.cancel_scope.cancel()


@asynccontextmanager
async def calling(*addresses):
    with anyio.fail_after(ENOUGH):
        async with anyio.create_task_group() as sessions:
            caller = Caller(addresses, TOKEN, group=sessions, seed=1)
            yield caller
            await caller.close()


def texts(store, space):
    with Glymph.open(store, space=space, embedder="none") as glymph:
        return Counter(memory.text for memory in glymph.list(limit=100).items)


@pytest.mark.parametrize(("keeps", "times"), [("answer", 1), ("request", 0)])
def test_an_add_whose_answer_is_lost_is_not_repeated_and_found_at_most_once(
    port, store, keeps, times
):
    space = f"adds-{keeps}"

    async def run():
        async with relayed(port) as (relay, address), calling(address) as caller:
            await caller.ask(space, "memory_add", {"text": "The heron nests by the mill."})
            relay.keeps = keeps
            with pytest.raises(Unanswered):
                await caller.ask(space, "memory_add", {"text": "The wren sings in the hedge."})
            relay.keeps = None
            assert relay.met == 1
            await caller.ask(space, "memory_add", {"text": "The goose honks at night."})

    anyio.run(run)
    assert texts(store, space)["The wren sings in the hedge."] == times
    assert texts(store, space).total() == 2 + times


def test_what_is_safe_is_asked_again_elsewhere(port):
    async def run():
        async with (
            relayed(port) as (relay, address),
            calling(address, f"http://127.0.0.1:{port}/mcp") as caller,
        ):
            await caller.open_all()
            await caller.ask("safe", "memory_add", {"text": "A heron stands in the pond."})
            relay.keeps = "answer"
            answers = [
                await caller.ask("safe", "memory_search", {"query": "heron"}) for _ in range(10)
            ]
            assert relay.met > 0
            assert {answer.server for answer in answers} == {1}
            assert max(answer.tries for answer in answers) > 1

    anyio.run(run)


def test_what_was_not_sent_is_sent_elsewhere_though_it_may_not_be_repeated(port, store):
    async def run():
        listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
        nobody = listener.extra(anyio.abc.SocketAttribute.local_port)
        await listener.aclose()
        async with calling(
            f"http://127.0.0.1:{nobody}/mcp", f"http://127.0.0.1:{port}/mcp"
        ) as caller:
            answers = [
                await caller.ask("unsent", "memory_add", {"text": f"Bird {n} sings."})
                for n in range(6)
            ]
            assert {answer.server for answer in answers} == {1}
            assert max(answer.tries for answer in answers) > 1
            with pytest.raises(Refused, match="text: is missing"):
                await caller.ask("unsent", "memory_add", {})

    anyio.run(run)
    assert texts(store, "unsent") == Counter({f"Bird {n} sings.": 1 for n in range(6)})


def test_calls_of_one_session_reach_the_spaces_they_name(port, store):
    said = [
        ("apart-0", "A finch."),
        ("apart-1", "A heron."),
        ("apart-0", "Two mills."),
        ("apart-2", "Rain."),
    ]

    async def run():
        async with calling(f"http://127.0.0.1:{port}/mcp") as caller:
            for space, text in said:
                await caller.ask(space, "memory_add", {"text": text})
            assert (await caller.trifle("apart-0")).found == {}

    anyio.run(run)
    for space in ("apart-0", "apart-1", "apart-2"):
        assert texts(store, space) == Counter(text for where, text in said if where == space)


# the judge


def test_marks_of_other_spaces_are_counted():
    assert foreign(7, ["a mark0007 b", "a mark0008 b", "in tenant-0009", "nothing"]) == 2
    assert read(
        7,
        [
            {"text": "mark0007", "space": "tenant-0007"},
            {"text": "mark0007", "space": "tenant-0001"},
        ],
    ) == {
        "foreign": 1,
        "read": 2,
    }


def test_a_receipt_may_leave_something_out_only_when_the_call_was_repeated():
    done = {
        "verb": "link",
        "operation_id": "o",
        "succeeded": ["m"],
        "skipped": [],
        "failed": [],
        "again": False,
    }
    assert _operation(done) == {"op": "o"}
    known = done | {"succeeded": [], "skipped": [{"id": "m", "reason": "it says that already"}]}
    assert _operation(known | {"again": True}) == {}
    for wrong in (known, done | {"failed": [{"id": "m"}], "again": True}, done | {"succeeded": []}):
        with pytest.raises(Refused, match="left something out"):
            _operation(wrong)


def judged(lines, **found):
    promised, verdict = Promised(), Verdict()
    for line in lines:
        promised.hear(line)
    promised.held_against(Promised(**found), verdict)
    return verdict


def test_an_unacknowledged_add_may_be_there_or_not_but_not_twice():
    lines = [{"kind": "add", "end": end, "text": end} for end in ("unknown", "away")]
    once = judged(lines, texts=Counter({"unknown": 1, "other": 1}))
    assert (once.unclear, once.unclear_kept, once.twice, once.lost) == (2, 1, 0, 0)
    assert judged(lines, texts=Counter({"unknown": 2})).twice == 1


def test_what_was_acknowledged_must_be_there_as_it_was_told():
    lines = [
        {"kind": "add", "end": "ok", "op": "o", "after": {"m": ["LIVE", "old"]}},
        {"kind": "update", "begun": {"m": ["LIVE", "new"]}},
    ]
    for text, lost in (("old", 0), ("new", 0), ("third", 1)):
        assert judged(lines, operations={"o"}, values={"m": [["LIVE", text]]}).lost == lost
    heard = [*lines, {"kind": "update", "end": "ok", "op": "p", "after": {"m": ["LIVE", "new"]}}]
    assert judged(heard, operations={"o", "p"}, values={"m": [["LIVE", "old"]]}).lost == 1
    assert judged(heard, operations={"o"}, values={"m": [["LIVE", "new"]]}).lost == 1


def test_a_call_counts_as_touched_by_an_outage_if_it_was_under_way_in_it():
    outages = {"server": (10.0, 12.0)}
    for at, ms, touched in (
        (8.0, 1000, False),
        (8.0, 3000, True),
        (11.0, 10, True),
        (12.5, 10, False),
    ):
        assert cluster._touched({"at": at, "ms": ms}, outages) is touched

"""A program killed while it reconciles loses no memory, and each is reconciled exactly once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

import glymph.write.reconcile
from glymph import Glymph
from glymph.testing import FrozenClock
from tests.grounds.reading import ScriptedReader

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills processes with SIGKILL")

BERLIN, CELLO = "I live in Berlin", "I play the cello in Berlin"
LISBON, LESSONS = "I moved to Lisbon", "I teach the cello now"
PORTO, AGAIN = "I left for Porto", "Porto is where I live"
TEXTS = (BERLIN, CELLO, LISBON, LESSONS, PORTO, AGAIN)
JUDGED = {
    "replaces": [(LISBON, BERLIN), (PORTO, LISBON)],
    "part": [(LESSONS, CELLO), (PORTO, CELLO)],
    "perhaps": [(PORTO, LESSONS)],
    "same": [(AGAIN, PORTO)],
}
EFFECTIVE = (LISBON, LESSONS, PORTO, AGAIN)  # the others come upon nothing older

CHILD = """
import json, os, signal, sys, threading
from contextlib import contextmanager
import glymph.write.reconcile as reconcile
from glymph import Glymph
from glymph.context import Context
from glymph.testing import FrozenClock
from tests.grounds.reading import ScriptedReader

signal.alarm(60)  # should nobody kill it
url, texts, judged, plan = json.loads(sys.argv[1])
added, asked = threading.Event(), threading.Event()

def tell(**said):
    print(json.dumps(said), flush=True)

class PatientReader(ScriptedReader):
    def relate(self, newer, older):
        asked.set()
        if plan["waits"] == "for ever":
            threading.Event().wait()
        if plan["waits"] == "for all":
            added.wait()
        return super().relate(newer, older)

def count_down():
    plan["calls"] -= 1
    if plan["calls"] == 0:
        os.kill(os.getpid(), signal.SIGKILL)

def die_before(real):
    def mortal(*args):
        count_down()
        return real(*args)
    return mortal

def die_after(real):
    def mortal(*args):
        result = real(*args)
        count_down()
        return result
    return mortal

def die_after_commit(real):
    @contextmanager
    def mortal(ctx, verb, **options):
        with real(ctx, verb, **options) as op:
            yield op
        if verb == "reconcile":
            count_down()
    return mortal

if plan.get("dies") == "before carrying out":
    reconcile.carry_out = die_before(reconcile.carry_out)
elif plan.get("dies") == "after a verdict":
    reconcile._act = die_after(reconcile._act)
elif plan.get("dies") == "before a commit":
    reconcile.carry_out = die_after(reconcile.carry_out)
elif plan.get("dies") == "after a commit":
    Context.operation = die_after_commit(Context.operation)
handle = Glymph.open(
    url, clock=FrozenClock(), embedder="none", reader=PatientReader(**judged),
    settings={"compare": "on"},
)
tell(module=reconcile.__file__)
for text in texts:
    tell(id=handle.add(text, kind="fact").id)
added.set()
if plan["waits"] == "for ever":
    asked.wait()
    tell(ready=True)
else:
    handle.settle()
    tell(settled=True)
threading.Event().wait()
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    """An empty store of each engine; where no server can be had, the second is skipped."""
    if request.param == "postgresql":
        return request.getfixturevalue("empty_postgres_store")
    return f"sqlite:///{tmp_path}/memory.db"


def opened(url):
    return Glymph.open(
        url, clock=FrozenClock(), embedder="none", reader=ScriptedReader(**JUDGED),
        settings={"compare": "on"},
    )  # fmt: skip


def killed(url, *, until=None, **plan):
    """Lets a program add the texts until it is killed; returns the ids that it was given.

    It ends by its own hand, or by ours after the line that `until` picks.
    """
    arguments = json.dumps([url, TEXTS, JUDGED, plan])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", CHILD, arguments]
    said = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as child:
        try:
            for line in child.stdout:
                said.append(json.loads(line))
                if until is not None and until(said):
                    break
                assert "settled" not in said[-1], "it was to die before"
        finally:
            child.kill()
    assert child.returncode == -signal.SIGKILL, said
    assert said[0]["module"] == glymph.write.reconcile.__file__, "it runs another Glymph"
    return [line["id"] for line in said if "id" in line]


def outcome(handle):
    """What became of each text, without what is new in each store."""
    texts = {one.id: one.text for one in handle.list(include_superseded=True)}
    memories = {
        one.text: (texts.get(one.superseded_by), one.access_count, one.version)
        for one in handle.list(include_superseded=True)
    }
    edges = sorted(
        {
            (texts[edge.source], edge.type, texts[edge.target])
            for one in texts
            for edge in handle.edges(one)
        }
    )
    asked = [(texts[one.older], texts[one.newer], one.kind) for one in handle.questions()]
    return memories, edges, sorted(asked)


def reconciled(handle):
    """The text of the memory that each reconciling was about, oldest first."""
    with handle.context.reading() as reader:
        found = [reader.operation(one.id)["key"] for one in handle.operations(verb="reconcile")]
        newest = [
            max(entry.key for entry in reader.entries([key]) if entry.table == "memories")
            for key in sorted(found)
        ]
        rows = reader.rows([("memories", key) for key in newest])
        return [rows["memories", key]["text"] for key in newest]


@pytest.fixture(scope="module")
def in_peace(tmp_path_factory):
    """The outcome of a program that nobody killed."""
    with opened(f"sqlite:///{tmp_path_factory.mktemp('peace')}/memory.db") as handle:
        handle.add_many([{"text": text, "kind": "fact"} for text in TEXTS], wait=True)
        return outcome(handle)


def check_settled_once(handle, in_peace, waited):
    """Settling does what waited, everything stands as in peace, and nothing is left to do."""
    done = handle.settle()
    texts = {one.id: one.text for one in handle.list(include_superseded=True)}
    assert {texts[key] for key, effects in done.items() if effects.why} == set(waited)
    assert outcome(handle) == in_peace
    assert reconciled(handle) == list(EFFECTIVE)
    assert handle.settle() == {}
    assert (outcome(handle), reconciled(handle)) == (in_peace, list(EFFECTIVE))
    assert handle.verify().ok


def test_what_a_killed_program_has_added_is_kept_and_reconciled_later(url, in_peace):
    ids = killed(url, waits="for ever", until=lambda said: "ready" in said[-1])
    with opened(url) as handle:
        assert [handle.get(one).text for one in ids] == list(TEXTS)
        assert handle.operations(verb="reconcile").items == ()
        check_settled_once(handle, in_peace, EFFECTIVE)


@pytest.mark.parametrize(
    ("dies", "calls", "stands"),
    [
        ("before carrying out", 1, 0),
        ("after a verdict", 3, 2),  # the first of three about one memory
        ("before a commit", 4, 3),
        ("after a commit", 2, 2),
        ("after a commit", 4, 4),
    ],
)
def test_a_program_killed_while_it_carries_out_has_done_each_memory_wholly_or_not(
    url, in_peace, dies, calls, stands
):
    ids = killed(url, waits="for all", dies=dies, calls=calls)
    with opened(url) as handle:
        assert [handle.get(one).text for one in ids] == list(TEXTS)
        assert reconciled(handle) == list(EFFECTIVE[:stands])
        check_settled_once(handle, in_peace, EFFECTIVE[stands:])


@pytest.mark.parametrize("count", [3, 5])
def test_a_program_killed_between_two_adds_loses_none_that_was_acknowledged(url, in_peace, count):
    ids = killed(url, waits="for nothing", until=lambda said: len(said) == count + 1)
    with opened(url) as handle:
        assert [handle.get(one).text for one in ids] == list(TEXTS[:count])
        kept = {one.text for one in handle.list(include_superseded=True)}
        before = reconciled(handle)
        handle.settle()
        assert reconciled(handle) == [text for text in EFFECTIVE if text in kept]
        assert reconciled(handle)[: len(before)] == before
        assert handle.settle() == {}
        for text in TEXTS:
            if text not in kept:
                handle.add(text, kind="fact", wait=True)
        check_settled_once(handle, in_peace, ())

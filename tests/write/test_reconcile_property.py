"""Reconciling and taking it back is doing nothing: random statements, judged at random."""

from __future__ import annotations

import tempfile
from collections import Counter
from contextlib import contextmanager
from datetime import timedelta

from hypothesis import event, given, settings
from hypothesis import strategies as st

from glymph import Glymph
from glymph.testing import FrozenClock
from glymph.testing.embedders import WordEmbedder
from tests.grounds.pruning import image
from tests.grounds.reading import SHARES, ScriptedReader

EXAMPLES = max(1, settings.default.max_examples // 5)
TEXTS = (
    "I live in Berlin",
    "I moved to Lisbon",
    "Berlin is where I live",
    "I play the cello in Berlin",
    "Tom does not eat fish",
    "Tom eats fish in Lisbon",
)
PAIRS = [(newer, older) for newer in TEXTS for older in TEXTS]
kinds = st.sampled_from(["none", *(kind for kind in SHARES if kind != "none")])
scripts = st.lists(kinds, min_size=len(PAIRS), max_size=len(PAIRS))
fields = st.fixed_dictionaries(
    {
        "text": st.sampled_from(TEXTS),
        "kind": st.sampled_from(["fact", "fact", "preference", "event"]),
        "pinned": st.sampled_from([False, False, False, True]),
        "happened": st.sampled_from([None, None, 10, 900]),  # days before it was said
        "later": st.sampled_from([0, 1, 60]),  # days since the one before
    }
)
statements = st.lists(fields, min_size=2, max_size=6)
different_statements = st.lists(
    fields, min_size=2, max_size=len(TEXTS), unique_by=lambda one: one["text"]
)


@contextmanager
def opened(script, *, by_meaning):
    """Two handles of one new store, one that only adds and one that reconciles, and their clock."""
    clock = FrozenClock()
    judged = {}
    for pair, kind in zip(PAIRS, script, strict=True):
        judged.setdefault(kind, []).append(pair)
    embedder = WordEmbedder(ms=0.0) if by_meaning else "none"
    options = {"clock": clock, "embedder": embedder}
    with tempfile.TemporaryDirectory(prefix="glymph-reconcile-") as folder:
        url = f"sqlite:///{folder}/memory.db"
        with (
            Glymph.open(url, reader="none", settings={"compare": "off"}, **options) as adding,
            Glymph.open(
                url, reader=ScriptedReader(**judged), settings={"compare": "on"}, **options
            ) as settling,
        ):
            yield adding, settling, clock


def say(handle, clock, statement):
    told = dict(statement)
    clock.advance(days=told.pop("later"))
    days = told.pop("happened")
    event_at = None if days is None else clock() - timedelta(days=days)
    return handle.add(told.pop("text"), event_at=event_at, **told)


def undo_all(handle, verb):
    """Takes back what was done under a verb, newest first; returns the ids of the undos."""
    undos = []
    for operation in handle.operations(verb=verb, limit=100):
        receipt = handle.undo(operation.id)
        assert (receipt.skipped, receipt.failed) == ((), ())
        undos.append(receipt.operation_id)
    return undos


def tell(done):
    """Notes for the statistics of hypothesis what reconciling came upon."""
    names = ("superseded", "repeated", "flagged", "questions", "connected")
    found = Counter(name for effects in done.values() for name in names if getattr(effects, name))
    for name in names:
        event(f"{name}: {bool(found[name])}")


@given(statements, scripts, st.booleans())
@settings(max_examples=EXAMPLES)
def test_undoing_what_was_reconciled_gives_back_the_store_from_before(said, script, by_meaning):
    with opened(script, by_meaning=by_meaning) as (adding, settling, clock):
        empty = image(settling)
        for statement in said:
            say(adding, clock, statement)
        before = image(settling)
        done = settling.settle()
        after = image(settling)
        tell(done)
        assert settling.settle() == {}, "what was reconciled is reconciled again"
        assert image(settling) == after
        assert settling.verify().ok
        changed = [effects for effects in done.values() if effects.why or effects.questions]
        assert len(settling.operations(verb="reconcile", limit=100)) == len(changed)
        undos = undo_all(settling, "reconcile")
        assert image(settling) == before, "undo did not restore the image"
        assert settling.settle() == {}, "what was taken back is done again"
        assert settling.verify().ok
        for undo in reversed(undos):
            settling.undo(undo)
        assert image(settling) == after, "undo of undo did not bring it back"
        undo_all(settling, "reconcile")
        undo_all(settling, "add")
        assert image(settling) == empty
        assert settling.verify().ok


@given(different_statements, scripts, st.booleans(), st.booleans())
@settings(max_examples=EXAMPLES)
def test_undoing_every_add_leaves_an_empty_store(said, script, by_meaning, each):
    with opened(script, by_meaning=by_meaning) as (adding, settling, clock):
        empty = image(settling)
        for statement in said:
            say(adding, clock, statement)
            if each:
                settling.settle()
        settling.settle()
        after = image(settling)
        undos = undo_all(settling, "add")
        assert image(settling) == empty
        assert settling.questions() == []
        assert settling.settle() == {}
        assert settling.verify().ok
        redone = [settling.undo(undo).operation_id for undo in reversed(undos)]
        assert image(settling) == after, "undo of undo did not bring it back"
        for redo in reversed(redone):
            settling.undo(redo)
        assert image(settling) == empty

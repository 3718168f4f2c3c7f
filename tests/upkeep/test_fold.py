"""The journal has an end: what is folded is gone for good, and what is told of the past stays true."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glymph import Glymph, errors
from glymph.config import Settings
from glymph.jobs.builtin import journal
from glymph.jobs.job import SKIPPED, Trigger
from glymph.testing import FrozenClock
from glymph.testing.embedders import WordEmbedder
from glymph.upkeep import fold
from tests.grounds.pruning import image, remembered

SHORT = {"compare": "off", "junk_gate": "off", "journal_days": 100, "use_days": 40}


@pytest.fixture
def short(url, clock):
    """A handle with a journal of a hundred days."""
    with Glymph.open(url, clock=clock, settings=Settings.parse(SHORT)) as handle:
        yield handle


def count(glymph, table):
    with glymph._ctx.store.snapshot(glymph.space) as shot:
        return shot.counts()[table]


def test_what_was_changed_long_ago_is_folded_and_nothing_of_today_changes(short, clock):
    kept, gone = remembered(short, 2)
    for day in range(60):
        clock.advance(days=1)
        short.update(kept, text=f"It is day {day} of the voyage")
    short.archive([gone])
    clock.advance(days=90)
    short.pin(kept)
    before, entries = image(short), count(short, "journal")
    done = fold.fold(short._ctx)
    assert image(short) == before
    assert count(short, "journal") == entries - done.entries <= 15
    assert done.operations >= 49
    assert short.verify().ok
    first, *later = short.history(kept)
    assert (first.action, first.verb) == ("insert", "add")
    assert first.folded >= 50
    assert all(change.folded == 0 for change in later)
    assert short.operations(verb="fold")[0].undoable is False


def test_the_past_before_the_horizon_is_an_error_even_if_the_journal_is_to_be_kept_longer(
    short, url, clock
):
    (memory,) = remembered(short, 1)
    early = clock.advance(days=1)
    changed = short.update(memory, text="Changed on the second day")
    clock.advance(days=120)
    late = clock.now
    short.update(memory, text="Changed late")
    clock.advance(days=1)
    short.pin(memory)
    fold.fold(short._ctx)
    with Glymph.open(url, clock=clock, settings=Settings.parse(SHORT | {"journal_days": 999})) as g:
        for ask in (g.get, lambda _, at: g.list(at=at), lambda _, at: g.search("second", at=at)):
            with pytest.raises(errors.HistoryGone, match="reaches back to 2026-01-06"):
                ask(memory, at=early - timedelta(hours=1))
        assert g.get(memory, at=late - timedelta(hours=1)).text == "Changed on the second day"
        with pytest.raises(errors.HistoryGone):
            g.undo(changed.operation_id)
        assert not [o for o in g.operations() if o.id == changed.operation_id and o.undoable]
        g.undo()
        assert g.get(memory).pinned is False
        g.undo()
        assert g.get(memory).text == "Changed on the second day"


def test_uses_are_folded_first_and_the_past_says_where_figures_leave_some_out(short, clock):
    (memory,) = remembered(short, 1)
    moments = []
    for _ in range(20):
        moments.append((clock.advance(days=2), short.get(memory).access_count))
        short.reinforce([memory])
    edited = short.update(memory, text="Something else is said now")
    clock.advance(days=50)
    short.pin(memory)
    used = short.get(memory).access_count
    operations = count(short, "operations")
    done = fold.fold(short._ctx)
    assert done.entries == done.operations + 1 - 1 == 19
    assert count(short, "operations") == operations - 19 + 1
    assert short.get(memory).access_count == used == 20
    assert [change.folded for change in short.history(memory)] == [0, 19, 0, 0]
    for at, figure in moments:
        then = short.get(memory, at=at - timedelta(hours=1))
        assert then.uses_folded or then.access_count == figure
    assert not short.get(memory, at=clock.now - timedelta(hours=1)).uses_folded
    short.undo(edited.operation_id)
    assert short.get(memory).access_count == 20
    assert short.verify().ok


def test_a_memory_that_went_leaves_no_vector_and_no_operation(url, clock):
    settings = Settings.parse(SHORT)
    with Glymph.open(url, clock=clock, settings=settings, embedder=WordEmbedder(64, ms=0.0)) as g:
        slip, stays = g.add("A slip of the tongue"), g.add("The wording of the first day")
        g.update(stays.id, text="The wording of the second day")
        g.embed()
        g.undo(slip.operation_id)
        vectors = count(g, "vectors")
        clock.advance(days=150)
        g.add("Said later")
        g.embed()
        fold.fold(g._ctx)
        assert count(g, "vectors") == vectors + 1 - 2
        with pytest.raises(errors.MemoryNotFound):
            g.history(slip.id)
        assert g.verify().ok


def test_a_purge_after_a_fold_and_a_fold_after_a_purge_leave_a_sound_store(short, clock):
    first, second, third = remembered(short, 3)
    for memory in (first, second, third):
        short.update(memory, title="An older title")
        short.update(memory, title="A newer title")
    clock.advance(days=120)
    short.forget(f"memory {first}", mode="purge", apply=True)
    short.delete([second])
    short.trash.empty(all=True)
    fold.fold(short._ctx)
    assert short.verify().ok
    short.delete([third])
    short.trash.empty(all=True)
    assert short.verify().ok
    clock.advance(days=120)
    short.add("Said later")
    fold.fold(short._ctx)
    assert short.verify().ok
    assert count(short, "journal") <= 4


def test_a_fold_goes_in_steps_and_goes_on_where_it_was_stopped(short, clock, monkeypatch):
    monkeypatch.setattr(fold, "AT_ONCE", 10)
    ids = remembered(short, 5)
    for turn in range(6):
        clock.advance(days=1)
        for memory in ids:
            short.update(memory, text=f"Turn {turn} of {memory}")
    clock.advance(days=150)
    short.add("Said later")
    before, stop = image(short), threading.Event()
    stop.set()
    assert not fold.fold(short._ctx, stop)
    assert fold.fold(short._ctx)
    assert short.operations(limit=99, verb="fold")[3:]
    assert image(short) == before
    assert not fold.fold(short._ctx).entries
    assert short.verify().ok


def test_an_export_of_a_folded_space_is_imported_with_its_horizon(short, clock, tmp_path):
    (memory,) = remembered(short, 1)
    early = clock.advance(days=1)
    short.update(memory, text="Changed on the second day")
    clock.advance(days=150)
    late = clock.now
    short.update(memory, text="Changed late")
    clock.advance(days=1)
    fold.fold(short._ctx)
    short.export(tmp_path / "all.jsonl")
    plain = Settings.parse(SHORT | {"journal_days": 999})
    url = f"sqlite:///{tmp_path}/copy.db"
    with Glymph.open(url, clock=clock, settings=plain, space="other") as other:
        remembered(other, 30)
        other.import_(tmp_path / "all.jsonl", space="copied")
    with Glymph.open(url, clock=clock, settings=plain, space="copied") as copy:
        with pytest.raises(errors.HistoryGone):
            copy.get(memory, at=early - timedelta(hours=1))
        assert copy.get(memory, at=late - timedelta(hours=1)).text == "Changed on the second day"
        assert copy.verify().ok


def test_upkeep_folds_but_not_by_a_clock_that_has_just_leapt(short, clock):
    (memory,) = remembered(short, 1)
    for _ in range(5):
        clock.advance(days=1)
        short.update(memory, text=f"Changed at {clock.now}")
    assert journal.run(short._ctx, Trigger())["entries_folded"] == 0
    clock.advance(days=150)
    short.pin(memory)
    assert SKIPPED in journal.run(short._ctx, Trigger())
    clock.advance(days=1)
    assert journal.run(short._ctx, Trigger())["entries_folded"] == 5


def test_operations_dated_ahead_neither_stop_a_fold_nor_are_folded_early(short, clock):
    (memory,) = remembered(short, 1)
    day = clock.now
    clock.set(datetime(2031, 1, 1, tzinfo=day.tzinfo))
    short.update(memory, text="Changed under a wrong clock")
    clock.set(day + timedelta(days=1))
    short.update(memory, text="Changed when it was right again")
    clock.advance(days=90)
    short.pin(memory)
    assert not fold.fold(short._ctx)
    clock.advance(days=30)
    short.unpin(memory)
    assert fold.fold(short._ctx).entries == 2


def test_nobody_but_a_fold_removes_journal_rows_and_it_changes_no_record(short):
    remembered(short, 1)
    store = short._ctx.store
    for verb, sql in (
        ("purge", "DELETE FROM journal"),
        ("prune", "DELETE FROM operations"),
        ("fold", "UPDATE operations SET actor = 'nobody'"),
        ("fold", "UPDATE operations SET changes = changes + 1"),
        ("fold", "UPDATE journal SET image = '{}'"),
        ("fold", "UPDATE journal SET operation = operation + 1"),
    ):
        with pytest.raises(errors.Refused), short._ctx.operation(verb) as op:
            op.writer._session.execute(sql, {})
    assert short.verify().ok
    assert store.size() > 0
    assert store.recent_size() == store.size()


@pytest.mark.sqlite
def test_a_handle_that_slept_through_a_fold_finds_what_changed_before_it(url, clock):
    plain = Settings.parse(SHORT)
    embedder = WordEmbedder(64, ms=0.0)
    with (
        Glymph.open(url, clock=clock, settings=plain, embedder=embedder) as sleeper,
        Glymph.open(url, clock=clock, settings=plain, embedder=embedder) as other,
    ):
        away = sleeper.add("The tulips bloom in April").id
        other.archive([away])
        sleeper.embed()
        assert sleeper.search("tulips") == []
        other.restore([away])
        clock.advance(days=150)
        other.add("Said much later")
        clock.advance(days=150)
        other.add("Said at last")
        fold.fold(other._ctx)
        assert [hit.memory.id for hit in sleeper.search("tulips", limit=1)] == [away]
        assert "semantic" in sleeper.search("tulips", limit=1)[0].parts


# compaction


def test_compact_says_what_it_gained(short, clock):
    ids = remembered(short, 10)
    for turn in range(12):
        clock.advance(days=1)
        for memory in ids:
            short.update(memory, text=f"Turn {turn}: " + "all of it is said again " * 60)
    clock.advance(days=150)
    short.add("Said later")
    done = short.compact()
    assert done.folded.entries == 120
    assert done.bytes_after < done.bytes_before
    assert done.certificates == ()
    again = short.compact()
    assert not again.folded.entries
    assert again.bytes_after <= done.bytes_before


# the property

ACTIONS = ("add", "update", "use", "archive", "restore", "link", "pin", "undo", "delete", "empty")
STEPS = st.lists(
    st.tuples(st.sampled_from(ACTIONS), st.integers(0, 4), st.integers(1, 25)),
    min_size=6, max_size=25,
)  # fmt: skip
USE_FIGURES = {
    "last_used_at": None, "access_count": 0, "stability": 1.0, "difficulty": 1.0, "review": None,
    "retrievability": 1.0, "lifecycle": None, "uses_folded": False,
}  # fmt: skip


def act(glymph, action, ids, which):
    """One random step; what cannot be done is left."""
    try:
        if action == "add" or not ids:
            ids.append(glymph.add(f"Thing {len(ids)} was told").id)
            return
        one, other = ids[which % len(ids)], ids[(which + 1) % len(ids)]
        {
            "update": lambda: glymph.update(one, text=f"Thing {one} as of {glymph._ctx.now()}"),
            "use": lambda: glymph.reinforce([one]),
            "archive": lambda: glymph.archive([one]),
            "restore": lambda: glymph.restore([one]),
            "link": lambda: glymph.link(one, other),
            "pin": lambda: (glymph.unpin if glymph.get(one).pinned else glymph.pin)(one),
            "undo": glymph.undo,
            "delete": lambda: glymph.delete([one]),
            "empty": lambda: glymph.trash.empty(all=True),
        }[action]()
    except errors.GlymphError:
        return


def answer(ask):
    """What is answered, or the name of the error."""
    try:
        return ask()
    except errors.GlymphError as error:
        return type(error).__name__


def tell_past(glymph, ids, moments):
    """Everything a space says of its past, by what was asked."""
    told = {}
    for at in moments:
        told["list", at] = answer(lambda at=at: list(glymph.list(at=at)))
        for one in ids:
            told["get", one, at] = answer(lambda one=one, at=at: [glymph.get(one, at=at)])
    return told


def same_or_said(before, after):
    if after == "HistoryGone" or before == after:
        return True
    if isinstance(before, str) or isinstance(after, str) or len(before) != len(after):
        return False
    return all(
        old == new
        or (new.uses_folded and replace(old, **USE_FIGURES) == replace(new, **USE_FIGURES))
        for old, new in zip(before, after, strict=True)
    )


def undo_each(glymph, operations):
    """What each undo would come to: the space's image after it, every one taken back again."""
    for operation in operations:
        receipt = answer(lambda operation=operation: glymph.undo(operation.id))
        if isinstance(receipt, str):
            yield operation.id, receipt
            continue
        yield operation.id, (image(glymph), receipt.succeeded, receipt.skipped)
        answer(lambda receipt=receipt: glymph.undo(receipt.operation_id))


@settings(max_examples=settings().max_examples // 10)
@given(steps=STEPS)
def test_after_a_fold_the_past_is_told_as_before_or_said_to_be_gone(steps, tmp_path_factory):
    folder: Path = tmp_path_factory.mktemp("fold")
    clock = FrozenClock()
    url = f"sqlite:///{folder}/memory.db"
    with Glymph.open(url, clock=clock, settings=Settings.parse(SHORT)) as glymph:
        ids, moments = [], []
        for action, which, days in steps:
            moments.append(clock.now + timedelta(hours=1))
            clock.advance(days=days)
            act(glymph, action, ids, which)
        glymph.backup(folder / "before.db")
        present, past = image(glymph), tell_past(glymph, ids, moments)
        changes = {one: answer(lambda one=one: glymph.history(one)) for one in ids}
        operations = glymph.operations(limit=200)
        fold.fold(glymph._ctx)
        assert glymph.verify().problems == ()
        assert image(glymph) == present
        for asked, told in tell_past(glymph, ids, moments).items():
            assert same_or_said(past[asked], told), (asked, past[asked], told)
        for one in ids:
            check_history(changes[one], answer(lambda one=one: glymph.history(one)))
        undone = dict(undo_each(glymph, operations))
    with Glymph.open(f"sqlite:///{folder}/before.db", clock=clock, settings=glymph.settings) as old:
        for operation, outcome in undo_each(old, operations):
            if undone[operation] not in ("HistoryGone", "OperationNotFound"):
                assert undone[operation] == outcome


def check_history(before, after):
    """Every change that is told was told before, and those that are not are counted."""
    if after == before or after == "MemoryNotFound":
        return
    total = sum(1 + change.folded for change in after)
    assert total <= len(before)
    told = [replace(change, folded=0) for change in after if not change.folded]
    assert [change for change in before if change in told] == told
    if all(change.action != "delete" for change in before):
        assert total == len(before)

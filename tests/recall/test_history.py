"""History, operations, and how things stood at a moment."""

from __future__ import annotations

from datetime import datetime

import pytest

from glymph import Glymph, errors
from glymph.store.reader import Reader


def test_history_tells_every_change_with_what_was_before(glymph, clock):
    a = glymph.add("I live in Berlin")
    clock.advance(days=1)
    glymph.update(a.id, text="I live in Lisbon", reason="moved")
    glymph.archive(a.id)
    story = glymph.history(a.id)
    assert [(c.verb, c.action) for c in story] == [
        ("add", "insert"),
        ("update", "update"),
        ("archive", "update"),
    ]
    assert story[1].before["text"] == "I live in Berlin"
    assert (story[1].reason, story[1].actor, story[1].at) == ("moved", "user", clock.now)
    assert story[2].before["state"] == "LIVE"


def test_get_and_list_with_at_show_the_past_exactly(glymph, clock):
    t0 = clock.now
    clock.advance(days=1)
    a = glymph.add("first wording", tags=["x"])
    t1 = clock.now
    clock.advance(days=1)
    glymph.update(a.id, text="second wording")
    b = glymph.add("other")
    t2 = clock.now
    clock.advance(days=1)
    glymph.archive(a.id)
    glymph.undo(b.operation_id)

    def texts(at, **filters):
        return [m.text for m in glymph.list(at=at, **filters)]

    assert texts(t0) == []
    assert texts(t1) == ["first wording"]
    assert texts(t2) == ["other", "second wording"]
    assert texts(clock.now) == []
    assert texts(t1, tags=["x"]) == ["first wording"]
    assert texts(t1, tags=["y"]) == []
    assert texts(t1, states=["ARCHIVED"]) == []
    assert len(texts(t1, kinds=["self"])) == 1
    past = glymph.get(a.id, at=t1)
    assert (past.text, past.state, past.version, past.retrievability) == (
        "first wording",
        "LIVE",
        1,
        1.0,
    )
    assert glymph.get(b.id, at=t2).text == "other"
    for missing, at in ((a.id, t0), (b.id, clock.now), (b.id, t1)):
        with pytest.raises(errors.MemoryNotFound):
            glymph.get(missing, at=at)


def test_the_past_comes_in_pages_too(glymph, clock):
    glymph.add_many([f"memory {n}" for n in range(7)])
    then = clock.now
    clock.advance(days=1)
    glymph.archive([m.id for m in glymph.list()])
    seen, cursor = [], None
    while True:
        page = glymph.list(at=then, limit=3, cursor=cursor)
        seen += [m.text for m in page]
        cursor = page.cursor
        if cursor is None:
            break
    assert seen == [f"memory {n}" for n in reversed(range(7))]


def test_pages_of_the_past_are_what_was_listed_then(glymph, clock):
    """One listing with untouched, changed, hidden, shown and undone rows.

    It is held against what list() said at the time.
    """
    ids = [
        a.id
        for a in glymph.add_many([{"text": f"m {n}", "tags": [f"t{n % 2}"]} for n in range(12)])
    ]
    glymph.archive(ids[5])
    gone = glymph.add("short-lived", kind="passing")
    cases = [
        {},
        {"tags": ["t1"]},
        {"states": ["LIVE", "ARCHIVED"]},
        {"kinds": ["self"]},
        {"kinds": ["passing"]},
    ]
    at, listed = clock.now, [[m.id for m in glymph.list(**case)] for case in cases]
    clock.advance(days=1)
    glymph.archive(ids[:3])
    glymph.restore(ids[5])
    glymph.update(ids[7], tags=["other"], kind="fact")
    glymph.undo(gone.operation_id)
    glymph.add("new since")
    glymph.update(glymph.list(kinds=["self"])[0].id, text="I am somebody else.")
    for limit in (1, 2, 5, 100):
        for case, expected in zip(cases, listed, strict=True):
            seen, cursor = [], None
            while True:
                page = glymph.list(at=at, limit=limit, cursor=cursor, **case)
                seen += [m.id for m in page]
                cursor = page.cursor
                if cursor is None:
                    break
            assert seen == expected, (limit, case)
    assert len(glymph.list(at=at, kinds=["no_such_kind"])) == 0


def test_a_page_of_the_past_reads_no_more_than_it_shows(glymph, clock, monkeypatch):
    glymph.add_many([f"memory {n}" for n in range(50)])
    then = clock.now
    clock.advance(days=1)
    glymph.archive([m.id for m in glymph.list(limit=2)])
    limits = []
    page = Reader.page
    monkeypatch.setattr(
        Reader, "page", lambda self, *a, **k: limits.append(k["limit"]) or page(self, *a, **k)
    )
    assert len(glymph.list(at=then, limit=5)) == 5
    assert sum(limits) <= 12


def test_an_undone_addition_keeps_its_story(glymph, clock, url):
    a = glymph.add("a slip")
    then = clock.now
    clock.advance(days=1)
    glymph.update(a.id, text="a slip of the pen")
    glymph.undo()
    glymph.undo(a.operation_id)
    assert [(c.verb, c.action) for c in glymph.history(a.id)] == [
        ("add", "insert"), ("update", "update"), ("undo", "update"), ("undo", "delete"),
    ]  # fmt: skip
    assert glymph.get(a.id, at=then).text == "a slip"
    with Glymph.open(url, space="other", clock=clock) as other:
        for attempt in (
            lambda: glymph.history("x"),
            lambda: other.history(a.id),
            lambda: other.get(a.id, at=then),
        ):
            with pytest.raises(errors.MemoryNotFound):
                attempt()
    glymph.undo(glymph.operations(limit=1)[0].id)
    assert glymph.history(a.id)[-1].action == "insert"
    assert glymph.get(a.id).text == "a slip"


def test_a_past_the_journal_does_not_reach_is_a_typed_error(glymph, clock):
    a = glymph.add("here")
    clock.advance(days=500)
    for attempt in (lambda at: glymph.get(a.id, at=at), lambda at: glymph.list(at=at)):
        with pytest.raises(errors.HistoryGone):
            attempt(clock.now.replace(year=2026, month=1, day=6))
        with pytest.raises(errors.InvalidInput, match="time zone"):
            attempt(datetime(2026, 1, 6))  # noqa: DTZ001  naive on purpose


def test_listing_pages_lose_and_repeat_nothing(glymph):
    glymph.add_many([f"memory {n}" for n in range(25)])
    seen, cursor = [], None
    while True:
        page = glymph.list(limit=10, cursor=cursor)
        seen += [m.id for m in page]
        cursor = page.cursor
        if cursor is None:
            break
        glymph.add(f"meanwhile {cursor}")
    assert len(seen) == len(set(seen)) == 25
    with pytest.raises(errors.InvalidInput, match="cursor"):
        glymph.list(cursor="💥")


def test_operations_tell_who_did_what_and_what_became_of_it(glymph):
    a = glymph.add("one", session="s1")
    glymph.archive([a.id, "nonsense"], reason="tidy")
    glymph.undo()
    newest, archived, added = glymph.operations(limit=3)
    assert (newest.verb, newest.undoes, newest.reason) == ("undo", archived.id, "undo archive")
    assert (archived.undone_by, archived.undoable, archived.reason) == (newest.id, False, "tidy")
    assert archived.details["failed"] == [["nonsense", "no such memory in this space"]]
    assert (added.session, added.actor, added.edits, len(added.hash)) == ("s1", "user", 1, 64)
    assert [op.id for op in glymph.operations(session="s1")] == [added.id]
    first = glymph.operations(limit=2)
    assert [op.id for op in glymph.operations(cursor=first.cursor, limit=1)] == [added.id]
    assert glymph.operations(verb="pin").items == ()


def test_a_clock_that_runs_backwards_keeps_the_order_of_operations(glymph, clock):
    a = glymph.add("first")
    clock.advance(days=-3)
    glymph.update(a.id, text="second")
    assert [op.verb for op in glymph.operations(limit=2)] == ["update", "add"]
    glymph.undo()
    assert glymph.get(a.id).text == "first"
    assert glymph.verify().ok


def test_a_cursor_tells_nothing_of_other_spaces(glymph, url):
    other = Glymph.open(url, space="other")
    for n in range(3):
        glymph.add(f"Shelf {n} holds the blue folders.")
    before = glymph.list(limit=2).cursor
    other.add("The neighbours have moved to Porto.")
    newest = glymph.add("Shelf 9 holds the red folders.")
    after = glymph.list(limit=1).cursor
    assert before == glymph.list(limit=3).cursor  # the same place
    assert len(before) == len(after)
    assert newest.id not in after
    assert before[:8] != after[:8]  # nor can two places be told to be near each other
    for read in (other.list, other.operations, glymph.operations):
        with pytest.raises(errors.InvalidInput, match="begin anew"):
            read(cursor=before)
    other.close()


def test_a_page_goes_on_where_it_ended_though_that_memory_was_purged(glymph):
    ids = [glymph.add(f"Shelf {n} holds the blue folders.").id for n in range(4)]
    page = glymph.list(limit=2)
    assert page.items[-1].id == ids[2]
    glymph.forget("Shelf 2 holds the blue folders.", mode="purge", apply=True)
    assert [one.id for one in glymph.list(cursor=page.cursor)] == [ids[1], ids[0]]


def test_operations_are_read_page_by_page(glymph):
    for n in range(7):
        glymph.add(f"Shelf {n} holds the blue folders.")
    whole, seen, page = glymph.operations().items, [], glymph.operations(limit=3)
    assert glymph.operations().cursor is None
    while seen.extend(page) or page.cursor is not None:
        glymph.add("Somebody adds meanwhile.")
        page = glymph.operations(limit=3, cursor=page.cursor)
    assert seen == list(whole)


def test_a_cursor_holds_for_every_handle_on_its_store_and_on_no_other(glymph, url, tmp_path):
    for n in range(3):
        glymph.add(f"Shelf {n} holds the blue folders.")
    cursor = glymph.list(limit=1).cursor
    with Glymph.open(url) as again:
        assert len(again.list(cursor=cursor)) == 2
    with Glymph.open(f"sqlite:///{tmp_path}/elsewhere.db") as elsewhere:
        for n in range(3):
            elsewhere.add(f"Shelf {n} holds the blue folders.")
        with pytest.raises(errors.InvalidInput, match="cursor"):  # each store has its own key
            elsewhere.list(cursor=cursor)

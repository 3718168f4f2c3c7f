"""search(at=): what would have been found at a moment of the past."""

from __future__ import annotations

import hashlib
import itertools
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glymph import Glymph, errors
from glymph.recall import past
from glymph.testing import FrozenClock, logical_image, strategies
from glymph.testing.embedders import WordEmbedder

WIDE = 1024


@pytest.fixture(params=["text only", "hybrid"])
def store(request, url, clock):
    embedder = "none" if request.param == "text only" else WordEmbedder(WIDE, ms=0.0)
    with Glymph.open(url, clock=clock, embedder=embedder) as handle:
        yield handle


def ids(hits):
    return [hit.memory.id for hit in hits]


def tomorrow(clock):
    """The moment that was; a day goes by."""
    moment = clock.now
    clock.advance(days=1)
    return moment


def test_the_old_wording_is_found_and_the_new_one_is_not(store, clock):
    moved = store.add("I live in Berlin").id
    then = tomorrow(clock)
    store.update(moved, text="I live in Lisbon")
    store.embed()  # both wordings have a vector now
    hits = store.search("Berlin", at=then)
    assert [(hit.memory.id, hit.memory.text) for hit in hits] == [(moved, "I live in Berlin")]
    assert "says something else now" in hits[0].why
    assert store.search("Lisbon", at=then) == []
    assert store.search("Berlin") == []
    assert ids(store.search("Lisbon", at=clock.now)) == [moved]
    assert ("semantic" in hits[0].parts) == (store._ctx.embedding.embedder is not None)


def test_each_wording_is_compared_by_its_own_vector(url, clock):
    with Glymph.open(url, clock=clock, embedder=WordEmbedder(WIDE, ms=0.0)) as g:
        added = [g.add(f"early{n} {n}early").id for n in range(8)]
        then = tomorrow(clock)
        for n, memory_id in enumerate(added):
            g.update(memory_id, text=f"late{n} {n}late")
        g.embed()
        for n, memory_id in enumerate(added):
            assert g.search(f"late{n}", at=then) == []
            (hit,) = g.search(f"early{n}", at=then)
            assert (hit.memory.id, "semantic" in hit.parts) == (memory_id, True)


def test_what_came_later_is_absent_and_what_went_since_is_there(store, clock):
    kept, trashed, archived, undone = (
        store.add(f"tulip {word}") for word in ("red", "blue", "white", "black")
    )
    then = tomorrow(clock)
    later = store.add("tulip yellow")
    store.delete(trashed.id)
    store.archive(archived.id)
    store.undo(undone.operation_id)
    assert set(ids(store.search("tulip"))) == {kept.id, later.id}
    hits = store.search("tulip", at=then)
    assert set(ids(hits)) == {kept.id, trashed.id, archived.id, undone.id}
    assert {hit.memory.state for hit in hits} == {"LIVE"}
    assert [
        hit.why.startswith("it says so to this day") for hit in hits if hit.memory.id == kept.id
    ] == [True]


def test_what_was_archived_then_is_shown_only_when_asked_for(store, clock):
    archived = store.add("tulip white").id
    store.archive(archived)
    then = tomorrow(clock)
    store.restore(archived)
    assert store.search("tulip", at=then) == []
    assert ids(store.search("tulip", at=then, states=["ARCHIVED"])) == [archived]
    assert store.search("tulip", states=["ARCHIVED"]) == []


def test_expiry_is_judged_by_the_moment_asked_about(store, clock):
    brief = store.add("tulip for a day", expires_at=clock.now + timedelta(days=1)).id
    then = tomorrow(clock)
    clock.advance(days=3)
    assert store.search("tulip") == []
    assert ids(store.search("tulip", at=then)) == [brief]
    assert store.search("tulip", at=then + timedelta(days=2)) == []


def test_filters_speak_of_what_was_then(store, clock):
    changed = store.add("tulip", tags=["red"], event_at=datetime(2023, 5, 8, tzinfo=UTC)).id
    then = tomorrow(clock)
    store.update(changed, tags=["blue"], kind="lesson", event_at=datetime(2024, 6, 9, tzinfo=UTC))
    assert ids(store.search("tulip", at=then, tags=["red"], kinds=["note"])) == [changed]
    assert store.search("tulip", at=then, tags=["blue"]) == []
    assert store.search("tulip", at=then, kinds=["lesson"]) == []
    assert ids(store.search("8 May 2023", at=then)) == [changed]
    assert store.search("June", at=then) == []
    assert ids(store.search("June", at=clock.now)) == [changed]


def test_names_and_pins_count_as_they_stood(store, clock):
    mine, other = (
        store.add(f"the {word} puppy", entities=[who]).id
        for word, who in (("a", "Nate"), ("b", "Joe"))
    )
    store.add("somebody", entities=["Nate"], trust=0.3)
    then = tomorrow(clock)
    store.update(mine, entities=["Joe"])
    store.update(other, entities=["Nate"])
    assert ids(store.search("Nate's puppy", at=then))[0] == mine
    assert ids(store.search("Nate's puppy"))[0] == other
    pinned = store.add("the pinned puppy", trust=0.1, pinned=True).id
    (hit,) = [hit for hit in store.search("puppy", at=clock.now) if hit.memory.id == pinned]
    assert hit.parts["standing"] == 1.0


def test_a_wording_without_a_kept_vector_is_found_by_its_words(url, clock):
    with Glymph.open(url, clock=clock, embedder="none") as plain:
        moved = plain.add("I live in Berlin").id
        then = tomorrow(clock)
        plain.update(moved, text="I live in Lisbon")
    with Glymph.open(url, clock=clock, embedder=WordEmbedder(WIDE, ms=0.0)) as hybrid:
        hybrid.embed()
        (hit,) = hybrid.search("Berlin", at=then)
        assert (hit.memory.id, "semantic" in hit.parts) == (moved, False)
        (hit,) = hybrid.search("Lisbon", at=clock.now)
        assert (hit.memory.id, "semantic" in hit.parts) == (moved, True)


def test_a_budget_a_limit_and_several_spaces_hold_for_the_past(url, clock):
    with (
        Glymph.open(url, space="one", clock=clock) as one,
        Glymph.open(url, space="two", clock=clock) as two,
    ):
        own = [one.add(f"tulip {n}").id for n in range(5)]
        theirs = two.add("tulip of two").id
        then = tomorrow(clock)
        one.archive(own[0])
        two.update(theirs, text="rose of two")
        assert set(ids(one.search("tulip", at=then))) == set(own)
        assert set(ids(one.search("tulip", at=then, spaces=["one", "two"]))) == {*own, theirs}
        assert len(one.search("tulip", at=then, limit=2)) == 2
        assert one.search("tulip", at=then, budget_tokens=1) == []
        with pytest.raises(errors.SpaceNotFound):
            one.search("tulip", at=then, spaces=["three"])


def test_before_the_journal_begins_nothing_is_known(store, clock):
    store.add("tulip")
    first = tomorrow(clock)
    clock.advance(days=store.settings.journal_days)
    with pytest.raises(errors.HistoryGone, match="journal_days"):
        store.search("tulip", at=first - timedelta(days=1))
    with pytest.raises(errors.InvalidInput, match="at"):
        store.search("tulip", at=datetime(2026, 1, 5))  # noqa: DTZ001  that is the point


def test_too_much_history_asks_for_filters(store, clock, monkeypatch):
    monkeypatch.setattr(past, "MOST_CHANGED", 5)
    many = [store.add(f"tulip {n}", tags=["rare"] if n == 3 else []).id for n in range(8)]
    then = tomorrow(clock)
    for some in (many[:4], many[4:]):
        store.archive(some)
    with pytest.raises(errors.TooMuchHistory, match="narrow"):
        store.search("tulip", at=then)
    assert ids(store.search("tulip", at=then, tags=["rare"])) == [many[3]]


def test_looking_back_leaves_no_trace(store, url, clock):
    changed = store.add("I live in Berlin").id
    then = tomorrow(clock)
    store.update(changed, text="I live in Lisbon")
    store.close()
    path = Path(url.removeprefix("sqlite:///"))
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    for suffix in ("", "?mode=ro"):
        with Glymph.open(
            f"{url}{suffix}", clock=clock, embedder=WordEmbedder(WIDE, ms=0.0)
        ) as again:
            image, count = logical_image(again._ctx.store, "default"), len(again.operations())
            assert ids(again.search("Berlin", at=then)) == [changed]
            assert (logical_image(again._ctx.store, "default"), len(again.operations())) == (
                image,
                count,
            )
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before


def test_a_space_never_shows_anothers_past(url, clock):
    with (
        Glymph.open(url, space="one", clock=clock) as one,
        Glymph.open(url, space="two", clock=clock) as two,
    ):
        secret = two.add("the secret of two").id
        then = tomorrow(clock)
        two.update(secret, text="something else")
        two.delete(secret)
        assert one.search("secret", at=then) == []
        assert one.search("secret", at=clock.now) == []
        assert ids(two.search("secret", at=then)) == [secret]


@pytest.fixture(scope="module")
def lives(tmp_path_factory):
    return f"sqlite:///{tmp_path_factory.mktemp('lives')}/memory.db", itertools.count()


@settings(max_examples=15)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["add", "update", "archive", "delete", "restore", "undo"]), st.integers(0, 99)),
        min_size=4, max_size=12,
    ),
    words=st.lists(strategies.few_words, min_size=12, max_size=12),
)  # fmt: skip
def test_the_past_answers_as_the_present_did(lives, steps, words):
    """Whatever happens afterwards, `at` finds what a search found then."""
    clock = FrozenClock()
    url, numbers = lives
    with Glymph.open(
        url, space=f"s{next(numbers)}", clock=clock, embedder=WordEmbedder(WIDE, ms=0.0)
    ) as g:
        known, told = [], []
        for (verb, number), text in zip(steps, words, strict=False):
            if verb == "add" or not known:
                known.append(g.add(f"{text} {number}").id)
            elif verb == "undo":
                with suppress(errors.OperationNotFound):  # all of it was undone
                    g.undo()
            elif any(memory.id == known[number % len(known)] for memory in everything(g)):
                target = known[number % len(known)]
                g.update(target, text=f"{text} again") if verb == "update" else getattr(g, verb)(
                    target
                )
            told.append(
                (
                    clock.now,
                    {query: set(ids(g.search(query, limit=50))) for query in ("berlin", "btc eth")},
                )
            )
            clock.advance(hours=1)
        for moment, answers in told:
            for query, found in answers.items():
                assert set(ids(g.search(query, limit=50, at=moment))) == found


def everything(handle):
    return handle.list(limit=1000, states=["LIVE", "ARCHIVED", "TRASHED"])

"""The law of purge: after it nothing holds the identifier, nor brings it back, however it is spelt.

Not a row, not a byte, not a search, not the past, not an undo, not an older export or backup.
"""

from __future__ import annotations

import shutil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from glymph import errors
from glymph.config import Settings
from glymph.forget.certificate import HOLDS_IT, certify
from glymph.forget.lookup import SMALL
from glymph.forget.purge import erase_wordings, remove_for_good
from glymph.stores import restore_backup
from glymph.testing import FrozenClock
from tests.grounds.purging import (
    ENGINES,
    find_bytes,
    find_traces,
    identifier,
    make_stores,
    open_at,
)

BESIDE = ("Ben waters the plants", "Cleo paints on Sundays", "Dan sings in a choir")
COMMIT = "9f3c1ae77b20d4486ae0f1d2b93c65a7481ed0c9"
SAYING = ("Zoe can be reached under {}", "The file of Zoe says {}", "{} belongs to Zoe")


@pytest.fixture(params=ENGINES)
def new_store(request):
    yield from make_stores(request)


def find_by_search(glymph, spellings, **when):
    texts = [hit.memory.text for one in spellings for hit in glymph.search(one, **when)]
    texts += [memory.text for memory in glymph.list(limit=100, **when)]
    return [text for text in texts if any(one.casefold() in text.casefold() for one in spellings)]


def live_a_little(glymph, clock, draw, same):
    """Says it in every way there is to say something."""
    writing = st.sampled_from(same)
    for pattern in draw(st.lists(st.sampled_from(SAYING), min_size=1, max_size=3, unique=True)):
        told = glymph.add(pattern.format(draw(writing)))
    glymph.add_many(draw(st.lists(st.sampled_from(BESIDE), unique=True)))
    lesson = f"People under {draw(writing)} are hard to reach. Write early."
    glymph.add(lesson, kind="lesson", links=[(told.id, "derived_from")])
    once = glymph.add(f"Erin noted {draw(writing)} down")
    taken = glymph.add(f"Finn noted {draw(writing)} down")
    glymph.undo(taken.operation_id)
    clock.advance(days=1)
    glymph.update(once.id, text="Erin noted something down", reason=f"it said {draw(writing)}")
    glymph.recall(f"who has {draw(writing)}?")
    glymph.write(f"Buy milk. Ask about {draw(writing)}. Buy bread.")
    glymph.conversations("store").append(
        "day", {"role": "user", "content": f"Call {draw(writing)}. Thanks!"}
    )


@settings(
    max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(found=identifier(), data=st.data())
def test_nothing_holds_it_and_nothing_brings_it_back(new_store, found, data):
    same, other = found
    folder, url = new_store()
    clock = FrozenClock()
    with open_at(url, clock) as glymph:
        live_a_little(glymph, clock, data.draw, same)
        kept = glymph.add(f"Gil can be reached under {other}")
        then = clock.now
        glymph.export(folder / "before.jsonl")
        shutil.copy(folder / "before.jsonl", folder / "elsewhere.jsonl")
        (folder / "safe").mkdir()
        glymph.backup(folder / "safe" / "backup.db")
        clock.advance(days=1)
        done = glymph.forget(same[0], mode="purge", apply=True)
        assert done.succeeded
        assert find_traces(glymph, same) == find_by_search(glymph, same) == []
        assert glymph.page().startswith("Buy milk.")
        assert glymph.get(kept.id).text.endswith(other)
        refuses_every_spelling(glymph, same)
        comes_not_back_by_undo(glymph, then, same)
        glymph.import_(folder / "before.jsonl", space="copy")
        restored = folder / "restored.db"
        restore_backup(
            folder / "safe" / "backup.db", restored, in_use=url, clock=clock,
            settings=Settings(embedder="none"),
        )  # fmt: skip
        glymph._ctx.store.settle(rewrite=True)
    assert find_bytes(folder, same) == {}
    for place, space in ((url, "copy"), (f"sqlite:///{restored}", "default")):
        with open_at(place, clock, space=space) as later:
            assert find_traces(later, same) == find_by_search(later, same) == []
            assert later.get(kept.id).text.endswith(other)
            refuses_every_spelling(later, same)
            comes_not_back_by_undo(later, then, same)


def refuses_every_spelling(glymph, same):
    texts = [f"Hal wrote that {one} is new here" for one in same]
    assert [glymph.add(text).refused is not None for text in texts] == [True] * len(same)
    assert all(one.refused for one in glymph.add_many(texts))
    assert glymph.add("Hal is new here", tags=[same[0]]).refused
    assert find_traces(glymph, same) == []
    assert glymph.add("Zoe is new here, too").id


def comes_not_back_by_undo(glymph, then, same):
    for operation in glymph.operations(limit=100):
        if operation.undoable and operation.verb not in ("undo", "add"):
            glymph.undo(operation.id)
    assert find_traces(glymph, same) == find_by_search(glymph, same, at=then) == []
    assert glymph.verify().ok


# single laws


@pytest.fixture
def glymph(new_store, clock):
    _, url = new_store()
    with open_at(url, clock) as handle:
        yield handle


def test_undo_without_an_id_says_that_a_purge_cannot_be_undone(glymph):
    glymph.add("Ben waters the plants")
    glymph.add("TCK-4471 is late.")
    glymph.forget("TCK-4471", mode="purge", apply=True)
    before = list(glymph._ctx.store.dump(glymph.space))
    with pytest.raises(errors.NotUndoable, match="gone for good"):
        glymph.undo()
    assert list(glymph._ctx.store.dump(glymph.space)) == before


def test_a_rewording_that_still_holds_it_is_never_a_result(glymph):
    kept = glymph.add("The ticket is TCK-4471 and Ann skis.").id
    before = list(glymph._ctx.store.dump(glymph.space))
    with pytest.raises(errors.IdentifierLeft, match="nothing was changed"):
        reword_badly(glymph, kept)
    assert list(glymph._ctx.store.dump(glymph.space)) == before


def reword_badly(glymph, kept):
    with glymph._ctx.operation("purge") as op:
        op.writer.change("memories", {op.row(kept)["key"]: {"text": "Ann skis (tck 4471)."}})
        erase_wordings(op, glymph._ctx, [kept], tombstone=True, also=["TCK-4471"])


def test_a_lesson_is_cut_and_what_may_not_be_changed_is_listed(glymph):
    gone = glymph.add("TCK-4471 is late.").id
    text = "Tickets such as tck 4471 are late. Call early."
    fields = {"title": "On TCK-4471", "tags": ["TCK4471", "late"]}
    lesson = glymph.add(text, links=[(gone, "derived_from")], **fields).id
    pinned = glymph.add("Ann waits for TCK-4471", pinned=True).id
    tagged = glymph.add("Nina skis in Bergen.", attributes={"of": "TCK-4471"}).id
    other = glymph.add("Ben waits for TCK-44710").id
    with glymph._ctx.operation("purge") as op:
        removal = remove_for_good(op, glymph._ctx, [gone], tombstone=True, also=["TCK-4471"])
    listed = {one.id: one.why for one in removal.derived}
    assert listed == {lesson: "rests on it", pinned: HOLDS_IT, tagged: HOLDS_IT}
    assert removal.edited == (lesson,)
    now = glymph.get(lesson)
    assert now.text == "(removed by a purge) Call early."
    assert ("4471" in now.title, now.tags) == (False, ("late",))
    assert "4471" not in str(glymph.history(lesson))
    assert glymph.get(other).text.endswith("TCK-44710")
    places = {one.name: one for one in certify(glymph._ctx, op.intent.id, removal).places}
    assert places["derived memories"].status == "pending"
    assert pinned in places["derived memories"].detail
    assert glymph.verify().ok


def test_the_id_of_a_memory_is_no_identifier_to_be_looked_for(glymph):
    old = glymph.add("Ana lives in Bern.").id
    glymph.update(old, text="Ana lives in Basel.")
    new = glymph.add("Ana lives in Oslo.", links=[(old, "supersedes")]).id
    glymph.forget(new, mode="purge", apply=True)
    assert any("Bern" in str(change) for change in glymph.history(old))
    assert glymph.add("Ana lives in Rome.").id


def test_a_purge_that_finds_nothing_leaves_its_request_nowhere(glymph):
    glymph.add("Library card: 20046-8813.")
    shown = glymph.forget("Erase the number 20046-8318.", mode="purge")
    assert not shown.actions
    glymph.forget(shown, apply=True)
    assert not find_traces(glymph, ["20046-8318"])


def test_a_purge_finds_it_within_words_of_a_large_space(glymph):
    glymph.add_many([f"第{number}号记录：今天天气不错。" for number in range(SMALL + 1)])
    near, *meant = ("有事打13805712297。", "有事打13805712296。", f"commit {COMMIT} broke it")
    glymph.add_many([near, *meant])
    glymph.forget("13805712296", mode="purge", apply=True)
    glymph.forget(f"commit {COMMIT[:9]}…", mode="purge", apply=True)
    left = {one.text for one in glymph.list(limit=1000).items}
    assert near in left
    assert left.isdisjoint(meant)


def test_a_purge_asks_about_what_holds_it_beside_its_text_in_a_large_space(glymph):
    glymph.add_many([f"Note {number} of the year." for number in range(SMALL + 1)])
    beside = glymph.add("Zoe called.", attributes={"ticket": "OPS-48213"}).id
    shown = glymph.forget("OPS-48213", mode="purge")
    assert [action.id for action in shown.candidates] == [beside]


BESIDE_FIGURES = (
    "Desk 0049-703-97-028 12 is free.", "Of 12 0049 703 97028 was called.",
    "Take 0703 97028 5 times.", "Try 703 97028 12 again.",
)  # fmt: skip


@pytest.mark.parametrize("text", BESIDE_FIGURES)
def test_a_number_beside_other_figures_is_found(glymph, text):
    gone = glymph.add("Zoe can be reached under +49 703 97028.").id
    said = glymph.add(text).id
    lesson = glymph.add(f"{text} Call early.", links=[(gone, "derived_from")], kind="lesson").id
    other = glymph.add("Ben can be reached under +41 703 97028 12.").id
    plan = glymph.forget("+49 703 97028", mode="purge")
    assert said in {one.id for one in (*plan.actions, *plan.candidates)}
    assert other not in {one.id for one in (*plan.actions, *plan.candidates)}
    with glymph._ctx.operation("purge") as op:
        removal = remove_for_good(op, glymph._ctx, [gone], tombstone=True, also=["+49 703 97028"])
    assert {one.id: one.why for one in removal.derived} == {lesson: "rests on it", said: HOLDS_IT}
    assert glymph.get(lesson).text == "(removed by a purge) Call early."
    places = {one.name: one for one in certify(glymph._ctx, op.intent.id, removal).places}
    assert places["derived memories"].status == "pending"
    assert said in places["derived memories"].detail

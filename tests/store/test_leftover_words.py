"""Words that nobody says any more stay in pages of SQLite's text index, until a purge asks for them.

Looked for in the pages themselves, without the file being written anew, as in a large store.
"""

from __future__ import annotations

import random

import apsw
import pytest

from glymph import Glymph
from glymph.forget import certificate
from glymph.forget.purge import erase_wordings, purge_certified
from glymph.store.backends.sqlite import migrations

WORD = b"zanzibar"
SAID, THEN = "the zanzibar-secret is safe", "the secret is told"
DAYS = 24 * 3_600_000_000


@pytest.fixture(autouse=True)
def _large(monkeypatch):
    monkeypatch.setattr(certificate, "REWRITTEN_AT_ONCE", 0)


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path / 'memory.db'}"


@pytest.fixture
def glymph(url, clock):
    with Glymph.open(url, clock=clock, embedder="none", settings={"compare": "off"}) as handle:
        handle.add_many(f"tale {n} of the zany giraffe" for n in range(60))
        yield handle


def raw(glymph):
    return glymph._ctx.store.database._pool._idle[0].raw


def in_index(glymph, word=WORD):
    # A page says of a word only what differs from the word before.
    blocks = raw(glymph).execute("SELECT block FROM memory_text_data").fetchall()
    return any(word[2:] in block for (block,) in blocks)


def noted(glymph):
    return raw(glymph).execute("SELECT count(*) FROM leftover_words").get


def reworded(glymph):
    added = glymph.add(SAID)
    glymph.update(added.id, text=THEN)
    assert in_index(glymph)
    assert noted(glymph) == 1
    assert not glymph._ctx.store.database.check()
    return added


def test_a_purge_takes_out_what_a_change_left(glymph):
    added = reworded(glymph)
    purge_certified(glymph._ctx, added.id)
    assert not in_index(glymph)
    assert noted(glymph) == 0
    assert glymph.verify().ok


def test_a_purge_of_another_memory_does_not_pay_for_it(glymph):
    reworded(glymph)
    other = glymph.add("about a quagga")
    purge_certified(glymph._ctx, other.id)
    assert not in_index(glymph, b"quagga")
    assert noted(glymph) == 1


def test_so_does_an_erasure_of_former_wordings(glymph):
    added = reworded(glymph)
    with glymph._ctx.operation("purge") as op:
        erase_wordings(op, glymph._ctx, [added.id])
    assert not in_index(glymph)
    assert glymph.get(added.id).text == THEN
    assert [hit.memory.id for hit in glymph.search("secret told")][:1] == [added.id]


@pytest.mark.parametrize("many", [1, 80])
def test_a_purge_takes_out_what_an_undo_left(glymph, many):
    added = glymph.add_many(f"{SAID} {n}" for n in range(many))
    glymph.undo(added[0].operation_id)
    assert in_index(glymph)
    assert noted(glymph) == many
    purge_certified(glymph._ctx, [one.id for one in added])
    assert not in_index(glymph)
    assert glymph.verify().ok


@pytest.mark.parametrize("change", [{"tags": ["zanzibar"]}, {"title": "zanzibar"}])
def test_whatever_column_it_was_in(glymph, change):
    added = glymph.add("plain")
    done = glymph.update(added.id, **change)
    glymph.undo(done.operation_id)
    assert in_index(glymph)
    purge_certified(glymph._ctx, added.id)
    assert not in_index(glymph)


def test_what_a_purge_rewords_itself_leaves_nothing(glymph):
    added = glymph.add(SAID)
    with glymph._ctx.operation("purge") as op:
        op.writer.change("memories", {op.row(added.id)["key"]: {"title": THEN, "text": THEN}})
        assert raw_of(op).execute("SELECT count(*) FROM leftover_words").get == 0
        erase_wordings(op, glymph._ctx, [added.id])
    assert not in_index(glymph)


def raw_of(op):
    return op.writer._session.raw


def test_folding_the_journal_takes_it_out_as_well(glymph, clock):
    reworded(glymph)
    clock.advance(days=500)
    glymph.add("much later")
    with glymph._ctx.operation("fold") as op:
        assert op.writer.fold(op.writer.operation_key - 2)
    assert not in_index(glymph)


def test_a_deleted_space_leaves_nothing(glymph, url):
    with Glymph.open(url, space="apart", embedder="none", settings={"compare": "off"}) as apart:
        reworded(apart)
        assert in_index(apart)
    for _ in glymph._ctx.store.delete_space("apart"):
        pass
    assert not in_index(glymph)


def test_compacting_takes_it_out(glymph):
    reworded(glymph)
    glymph._ctx.store.database.compact()
    assert noted(glymph) == 0
    assert not in_index(glymph)


def test_a_refused_change_leaves_the_index_as_careful_as_before(glymph):
    added = glymph.add(SAID)
    with glymph._ctx.operation("update") as op:
        key = op.row(added.id)["key"]
        with pytest.raises(apsw.ConstraintError):
            op.writer.change("memories", {key: {"text": ""}})
    found = raw(glymph).execute("SELECT v FROM memory_text_config WHERE k = 'secure-delete'").get
    assert found == 1
    assert glymph.verify().ok


def test_an_older_store_is_cleaned_when_it_is_opened(glymph, url):
    reworded(glymph)
    connection = raw(glymph)
    for step in (
        "DROP TRIGGER text_leaves_before_update", "DROP TRIGGER text_leaves_before_delete",
        "DROP TABLE leftover_words", "DELETE FROM migrations WHERE version >= 13",
        "PRAGMA user_version = 12",
    ):  # fmt: skip
        connection.execute(step)
    glymph.close()
    with Glymph.open(url, embedder="none") as again:
        again.add("something")
        assert raw(again).pragma("user_version") == migrations.NEWEST
        assert not in_index(again)
        assert again.verify().ok


def test_careless_and_careful_removals_mix(glymph):
    """A word left by the one must not come back when the other takes its memory away."""
    chooser = random.Random(7)
    words = [f"mot{n}" for n in range(12)]
    says = {}
    for step in range(120):
        what = chooser.random()
        if what < 0.4 or len(says) < 3:
            text = " ".join(chooser.choices(words, k=5)) + f" step{step}"
            says[glymph.add(text).id] = text
        elif what < 0.7:
            one = chooser.choice(list(says))
            says[one] = " ".join(chooser.choices(words, k=5)) + f" step{step}"
            glymph.update(one, text=says[one])
        elif what < 0.8:
            one = chooser.choice(list(says))
            done = glymph.update(one, text=f"for a moment step{step}")
            glymph.undo(done.operation_id)
        else:
            one = chooser.choice(list(says))
            purge_certified(glymph._ctx, one)
            del says[one]
    match = "SELECT count(*) FROM memory_text WHERE memory_text MATCH ?"
    for word in words:
        found = raw(glymph).execute(match, (word,)).get
        assert found == sum(word in text.split() for text in says.values())
    assert glymph.verify().ok


def test_words_left_behind_go_before_a_space_is_deleted(glymph, url):
    with Glymph.open(url, space="other", embedder="none", settings={"compare": "off"}) as other:
        reworded(other)
    glymph.delete_space("other")
    assert not in_index(glymph)
    assert glymph.verify().ok


def test_a_purge_of_what_left_words_takes_nothing_out_by_halves(glymph):
    """FTS5 takes out the newest it holds of a row for good; below that an older one comes back.

    In a long run of changes, undos and purges the index disagreed with the memories in the end.
    """
    added = reworded(glymph)
    with glymph._ctx.operation("purge") as op:
        op.writer.change("memories", {op.row(added.id)["key"]: {"text": "nothing is told"}})
        assert raw_of(op).execute("SELECT count(*) FROM leftover_words").get == 1
        erase_wordings(op, glymph._ctx, [added.id])
    assert not in_index(glymph)
    assert not glymph._ctx.store.database.check()


def test_no_older_word_comes_back_from_below_in_a_large_index(glymph):
    chooser = random.Random(1)
    words = [f"mot{n}" for n in range(800)] + ["common", "garden"] * 100

    def say(step):
        return " ".join(chooser.choices(words, k=chooser.choice([5, 30, 200]))) + f" step{step}"

    says = [one.id for one in glymph.add_many(say(n) for n in range(300))]
    for step in range(30):
        for one in chooser.sample(says, 10):
            glymph.update(one, text=say(f"{step}x"))
        added = glymph.add_many(say(f"{step}y{n}") for n in range(4))
        back = glymph.undo(added[0].operation_id)
        if step % 2:
            glymph.undo(back.operation_id)
            says += [one.id for one in added]
        for one in chooser.sample(says, 2):
            purge_certified(glymph._ctx, one)
            says.remove(one)
    assert glymph.verify().problems == ()


def test_a_purge_of_many_at_once_leaves_nothing(glymph):
    added = glymph.add_many(f"{SAID} {n}" for n in range(80))
    purge_certified(glymph._ctx, [one.id for one in added])
    assert not in_index(glymph)
    assert noted(glymph) == 0

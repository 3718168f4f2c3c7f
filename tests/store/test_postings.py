"""Words weighed by a mirror: as FTS5 weighs them where there is one space, and by one space alone."""

import random
import tracemalloc

import pytest

from glymph import Glymph
from glymph.store import postings
from glymph.store.contract import Filter
from glymph.text.query import Words

NOUNS = (
    "harbour ledger violin glacier kettle bridge orchard signal café don't COVID-19 naïve".split()
)
FILLER = "the a of old new small very and with near over under".split()


def make_text(chance, length):
    return " ".join(
        chance.choice(NOUNS if chance.random() < 0.4 else FILLER) for _ in range(length)
    )


def scores_of(handle, words):
    with handle.context.reading() as reader:
        view = handle.context.embedding.mirrors.view(reader, None)
        scores = view.postings.score(reader, view, words)
        found = scores > 0
        return dict(zip(view["key"][found].tolist(), scores[found].tolist(), strict=True))


def fts5_scores(handle, words):
    everything = Filter(states=("LIVE", "ARCHIVED", "TRASHED"), include_superseded=True)
    with handle.context.reading() as reader:
        return dict(reader.match(words, everything, limit=10_000))


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/memory.db"


@pytest.fixture
def handle(url):
    with Glymph.open(url, embedder="none", reader="none") as opened:
        yield opened


def test_what_is_kept_of_a_rare_word_does_not_keep_a_common_one(handle):
    chance = random.Random(4)
    handle.add_many([f"{make_text(chance, 30)} rarity{number}" for number in range(200)])
    scores_of(handle, Words(("harbour", "ledger", "rarity7")))
    with handle.context.reading() as reader:
        kept = handle.context.embedding.mirrors.view(reader, None).postings._standing
    assert len(kept["harbour"].marks) > 100
    for one in kept.values():
        assert (one.marks.base, one.slots.base, one.times.base) == (None, None, None)


ASKED = [
    Words(("harbour",)),
    Words(("harbours", "ledger", "violin")),
    Words(("café", "naïve")),
    Words(("don't",)),
    Words(("COVID-19", "bridge")),
    Words(("absent", "kettle")),
    Words(("—",)),
    Words(("orchard", "signal"), (("orchard", "signal"),)),
]


@pytest.mark.parametrize("words", ASKED, ids=lambda words: " ".join(words.words))
def test_the_same_texts_are_found_as_by_the_index_and_alike_weighed(handle, words):
    chance = random.Random(3)
    handle.add_many([make_text(chance, 12) + f" no{n}" for n in range(120)])
    here, there = scores_of(handle, words), fts5_scores(handle, words)
    assert here.keys() == there.keys()
    for key, score in here.items():  # lengths are told in bytes here and in words there
        assert score == pytest.approx(there[key], rel=0.3)


def test_texts_of_one_length_are_weighed_as_the_index_weighs_them(handle):
    handle.add_many(
        [f"{word} {word} filler{n:03}" for n, word in enumerate(["harbour", "ledgers"] * 20)]
    )
    handle.add_many([f"violins harbour filler{n:03}" for n in range(40, 45)])
    words = Words(("harbour", "violins"))
    here, there = scores_of(handle, words), fts5_scores(handle, words)
    for key, score in here.items():
        assert score == pytest.approx(there[key], rel=0.05)


@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside another space"])
def test_what_changed_since_is_found_as_it_is_now(url, handle, beside):
    if beside:
        with Glymph.open(url, space="other", embedder="none", reader="none") as other:
            other.add("a glacier elsewhere")
    chance = random.Random(5)
    ids = [one.id for one in handle.add_many([make_text(chance, 8) + f" no{n}" for n in range(60)])]
    words = Words(("glacier", "harbour", "kettle", "no7"), (("glacier", "harbour"),))
    for step in range(25):
        assert scores_of(handle, words).keys() == fts5_scores(handle, words).keys()
        what = chance.choice(["add", "update", "delete", "undo", "tag"])
        if what == "add":
            ids.append(handle.add(make_text(chance, 8) + f" step{step}").id)
        elif what == "update":
            handle.update(chance.choice(ids), text=make_text(chance, 8) + f" new{step}")
        elif what == "tag":
            handle.update(chance.choice(ids), tags=[chance.choice(NOUNS[:8])])
        elif what == "delete" and len(ids) > 20:
            handle.delete([ids.pop(chance.randrange(len(ids)))])
        elif what == "undo":
            handle.undo()
    fresh = Glymph.open(url, embedder="none", reader="none")
    with fresh:
        assert scores_of(handle, words) == pytest.approx(scores_of(fresh, words))


def test_what_changes_before_the_first_question_hides_nothing_else(url):
    """In a small space beside another, whose memories are all split by the first question."""
    with Glymph.open(url, embedder="none", reader="none") as other:
        other.add("an orchard elsewhere")
    with Glymph.open(url, space="small", embedder="none", reader="none") as small:
        ids = [one.id for one in small.add_many([f"harbour number {n}" for n in range(9)])]
    with Glymph.open(url, space="small", embedder="none", reader="none") as small:
        with small.context.reading() as reader:  # its mirror is there before anybody asks
            small.context.embedding.mirrors.view(reader, None)
        small.pin(ids[3])
        small.update(ids[5], text="now a bridge")
        with small.context.reading() as reader:
            small.context.embedding.mirrors.view(reader, None)
        found = {hit.memory.id for hit in small.search("harbour", limit=50)}
        assert found == {*ids} - {ids[5]}


def test_many_changes_are_read_anew(handle, monkeypatch):
    monkeypatch.setattr(postings, "MANY_CHANGED", 10)
    handle.add_many([f"harbour {n}" for n in range(5)])
    words = Words(("harbour",))
    assert len(scores_of(handle, words)) == 5
    handle.add_many([f"harbour wall {n}" for n in range(30)])
    assert len(scores_of(handle, words)) == 35


def test_few_marks_are_kept_and_words_that_went_are_read_again(handle, monkeypatch):
    monkeypatch.setattr(postings, "MOST_MARKS", 10)
    handle.add_many([f"harbour ledger violin {n}" for n in range(8)])
    for word in ("harbour", "ledger", "violin", "harbour"):
        assert len(scores_of(handle, Words((word,)))) == 8


def test_other_spaces_change_neither_scores_nor_hits(url, handle):
    chance = random.Random(7)
    texts = [make_text(chance, 10) + f" no{n}" for n in range(40)]
    handle.add_many(texts)
    asked = "harbour with a violin near the glacier"
    before = [(hit.memory.id, hit.score) for hit in handle.search(asked)]
    with Glymph.open(url, space="other", embedder="none", reader="none") as other:
        other.add_many([f"harbour violin glacier {n}" for n in range(600)])
    with Glymph.open(url, embedder="none", reader="none") as again:
        after = [(hit.memory.id, hit.score) for hit in again.search(asked)]
    assert [memory for memory, _ in after] == [memory for memory, _ in before]
    assert [score for _, score in after] == pytest.approx([score for _, score in before], rel=1e-3)


def test_what_changed_memories_say_takes_few_bytes_a_word(handle):
    chance, words = random.Random(5), Words(("harbour",))
    handle.add("The harbour opens in May.")
    scores_of(handle, words)  # from here on what changes is split
    handle.add_many([make_text(chance, 60) + f" no{n}" for n in range(150)])
    tracemalloc.start()
    try:
        scores_of(handle, words)
        kept = tracemalloc.take_snapshot().filter_traces(
            [tracemalloc.Filter(True, postings.__file__)]
        )
    finally:
        tracemalloc.stop()
    assert sum(one.size for one in kept.traces) < 30 * 150 * 60


def test_words_that_nobody_says_any_more_are_not_kept(url, handle):
    told = handle.add("harbour").id
    with Glymph.open(url, space="beside", embedder="none", reader="none") as beside:
        beside.add("another space, so that this one is split as a whole")
    scores_of(handle, Words(("harbour",)))
    for number in range(30):
        handle.update(told, text=f"harbour {number:x}fresh {number:x}spare")
        assert len(scores_of(handle, Words(("harbour",)))) == 1
    with handle.context.reading() as reader:
        kept = handle.context.embedding.mirrors.view(reader, None).postings
    assert len(scores_of(handle, Words(("1dfresh", "1dspare")))) == 1
    assert scores_of(handle, Words(("1cfresh",))) == {}
    assert {word for word in kept._said if word.endswith(("fresh", "spare"))} == {"1dfresh", "1dspare"}  # fmt: skip


def test_words_that_stand_nowhere_are_forgotten_too(handle, monkeypatch):
    monkeypatch.setattr(postings, "MOST_WORDS", 10)
    handle.add("harbour and ledger")
    for number in range(40):
        assert scores_of(handle, Words((f"absent{number}",))) == {}
    with handle.context.reading() as reader:
        kept = handle.context.embedding.mirrors.view(reader, None).postings
    assert len(kept._standing) <= 10
    assert len(scores_of(handle, Words(("harbour",)))) == 1

"""Vectors are made at once or later, and never in the way.

They are kept up with what is said, and never compared across models.
"""

from __future__ import annotations

import json
import os
import threading
import warnings

import numpy as np
import pytest

from glymph import Glymph, errors
from glymph.errors import EmbedderFailed
from glymph.testing import logical_image
from glymph.testing.embedders import WordEmbedder
from glymph.write import backfill, background

WIDE = 1024


class Gated(WordEmbedder):
    """Waits, in the process that made it, until somebody opens the gate."""

    def __init__(self) -> None:
        super().__init__(WIDE, ms=50.0)
        self.gate, self.reached, self.process = threading.Event(), threading.Event(), os.getpid()

    def embed(self, texts):
        if os.getpid() == self.process:
            self.reached.set()
            assert self.gate.wait(30)
        return super().embed(texts)


class Failing(WordEmbedder):
    """Out of reach while `down`; with `lasts`, after so many texts."""

    def __init__(self, *, lasts: int | None = None, ms: float | None = 0.0) -> None:
        super().__init__(WIDE, ms=ms)
        self.lasts, self.down = lasts, lasts is None

    def embed(self, texts):
        self.down = self.down or (
            self.lasts is not None and sum(map(len, self.calls)) + len(texts) > self.lasts
        )
        if self.down:
            raise EmbedderFailed(self.name, "no route to host", "Start it.")
        return super().embed(texts)


@pytest.fixture
def opened(url, clock):
    """Opens handles on one store and closes them in the end."""
    handles = []

    def open_handle(embedder="none", **options):
        handles.append(Glymph.open(url, clock=clock, embedder=embedder, **options))
        return handles[-1]

    yield open_handle
    for handle in handles:
        handle.close()


def settled(handle):
    """The handle, once its background has done what it was asked for."""
    while (thread := handle._background._thread) is not None:
        thread.join()
    return handle


def vectors(handle):
    """The texts that have a vector of the handle's model for what they say now."""
    model = handle._ctx.embedding.model
    with handle._ctx.reading() as reader:
        key = reader.model_key(*model)
        rows = {
            row["key"]: row for row in reader.memories(m.id for m in everything(handle)).values()
        }
        kept = (
            set()
            if key is None
            else {(memory, word) for memory, word, _ in reader.vectors_of(key, list(rows))}
        )
        return {
            row["text"]
            for row in rows.values()
            if (row["key"], bytes.fromhex(row["content_hash"][:16])) in kept
        }


def everything(handle):
    return handle.list(limit=1000, states=["LIVE", "ARCHIVED", "TRASHED"], include_superseded=True)


# at once, or later


def test_a_quick_embedder_is_asked_while_adding(opened):
    embedder = WordEmbedder(WIDE, ms=5.0)
    g = opened(embedder)
    g.add("lighthouse keeper")
    g.add_many(["one thing", "another thing"])
    assert vectors(g) == {"lighthouse keeper", "one thing", "another thing"}
    assert embedder.calls == [["lighthouse keeper"], ["one thing", "another thing"]]
    assert "semantic" in g.search("lighthouse")[0].parts


def test_a_slow_embedder_is_asked_in_the_background_and_closing_waits_for_it(opened, url):
    embedder = Gated()
    g = opened(embedder)
    added = [g.add(f"lighthouse {n}").id for n in range(20)]
    assert vectors(g) == set()
    assert embedder.calls == []
    assert len(g.search("lighthouse", limit=30)) == 20  # by their words
    embedder.gate.set()
    g.close()
    with Glymph.open(url, embedder=WordEmbedder(WIDE, ms=0.0)) as again:
        assert len(vectors(again)) == len(added)
        assert backfill.count_waiting(again._ctx) == 0


def test_the_next_handle_goes_on_with_what_was_left(opened):
    first = opened(Failing(ms=50.0))
    first.add_many([f"lighthouse {n}" for n in range(40)])
    settled(first).close()
    for embedder in (WordEmbedder(WIDE, ms=50.0), WordEmbedder(WIDE, name="quick", ms=0.0)):
        g = opened(embedder)
        assert vectors(g) == set()
        g.add(f"one more for {embedder.name}")
        assert backfill.count_waiting(settled(g)._ctx) == 0
        assert {f"lighthouse {n}" for n in range(40)} < vectors(g)
        g.close()


def test_an_open_handle_reembeds_what_it_could_not_when_the_model_is_back(opened):
    embedder = Failing(ms=50.0)
    g = opened(embedder)
    embedder.down = False
    g.add("first of three")
    assert vectors(settled(g)) == {"first of three"}
    embedder.down = True
    g.add("second of three")
    assert isinstance(settled(g)._background.failure, EmbedderFailed)
    embedder.down = False
    g.add("third of three")
    assert vectors(settled(g)) == {"first of three", "second of three", "third of three"}
    assert g._background.failure is None


@pytest.mark.parametrize("ms", [0.0, 50.0, None])
def test_a_failing_embedder_breaks_neither_adding_nor_changing_nor_finding(opened, ms):
    g = opened(Failing(ms=ms))
    added = g.add("the lighthouse keeper")
    assert added.created
    assert all(item.created for item in g.add_many(["one thing", "another thing"]))
    g.update(added.id, text="the lighthouse keeper retired")
    assert [hit.memory.id for hit in g.search("lighthouse")] == [added.id]
    g.archive(added.id)
    assert g.search("lighthouse") == []
    assert isinstance(settled(g)._background.failure, EmbedderFailed)
    assert backfill.count_waiting(g._ctx) == 2
    with pytest.raises(EmbedderFailed, match="Start it"):
        g.embed()


def test_a_query_that_cannot_be_embedded_is_answered_by_words_and_says_so(
    opened, clock, monkeypatch
):
    embedder = Failing(lasts=1000)
    g = opened(embedder)
    added = g.add("the lighthouse keeper retired").id
    before = g.search("lighthouse keeper")
    assert "semantic" in before[0].parts
    embedder.down = True
    for hits in (g.search("lighthouse keepers"), g.search("keeper of a lighthouse", at=clock.now)):
        assert [hit.memory.id for hit in hits] == [added]
        assert "by words only" in hits[0].why
        assert "no route to host" in hits[0].why
        assert "semantic" not in hits[0].parts
    found = g.recall("keepers of lighthouses")
    assert found.id is not None
    assert found.notice.startswith(
        "by words only: The embedder words failed: no route to host. Start it."
    )
    assert g.recall("nothing of that sort").notice
    assert "by words only" not in g.search("lighthouse keeper")[0].why  # it was asked before
    embedder.down = False
    assert (
        g.recall("keepers of lighthouses").notice is not None
    )  # a model that failed is left alone for a while
    monkeypatch.setattr("glymph.embed.embedding.PATIENCE", 0.0)
    assert g.recall("keepers of lighthouses").notice is None


def test_a_model_that_cannot_even_tell_its_dimension_does_not_hide_memories(opened, clock):
    class Unknown(Failing):
        @property
        def dimension(self):
            raise EmbedderFailed(self.name, "no route to host", "Start it.")

        @dimension.setter
        def dimension(self, value):
            pass

    g = opened(Unknown(ms=None))
    added = g.add("the lighthouse keeper").id
    for hits in (
        g.search("lighthouse"),
        g.search("lighthouse", at=clock.now),
        g.recall("lighthouse"),
    ):
        assert [hit.memory.id for hit in hits] == [added]
        assert "by words only" in hits[0].why
    assert "no route to host" in str(settled(g)._background.failure)


def test_a_vector_of_the_wrong_size_is_the_embedders_failure(opened):
    class Odd(WordEmbedder):
        def embed(self, texts):
            return super().embed(texts)[:, :-1]

    g = opened(Odd(WIDE, ms=0.0))
    added = g.add("the lighthouse keeper").id
    assert "shape" in str(settled(g)._background.failure)
    assert [hit.memory.id for hit in g.search("lighthouse")] == [added]
    with pytest.raises(EmbedderFailed, match="shape"):
        g.embed()


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 1e6])
def test_a_number_that_cannot_be_stored_is_the_embedders_failure(opened, number):
    class Wild(WordEmbedder):
        def embed(self, texts):
            return np.full_like(super().embed(texts), number)

    g = opened(Wild(WIDE, ms=0.0))
    added = g.add("the lighthouse keeper").id
    assert "65,504" in str(settled(g)._background.failure)
    assert [hit.memory.id for hit in g.search("lighthouse")] == [added]
    with pytest.raises(EmbedderFailed, match="not finite"):
        g.embed()


def test_a_query_is_embedded_once_and_not_at_all_where_there_are_no_vectors(opened):
    embedder = WordEmbedder(WIDE, ms=0.0)
    g = opened(embedder)
    g.search("lighthouse")
    assert embedder.calls == []
    g.add("the lighthouse keeper")
    for _ in range(3):
        g.search("lighthouse")
    assert embedder.calls == [["the lighthouse keeper"], ["lighthouse"]]


def test_texts_that_say_nothing_to_a_model_do_no_harm(opened):
    g = opened(WordEmbedder(WIDE, ms=0.0))
    g.add("🙂 🙂 🙂")
    added = g.add("the lighthouse keeper").id
    assert g.search("🙂") == []
    assert [hit.memory.id for hit in g.search("lighthouse")] == [added]
    assert all(np.isfinite(hit.score) for hit in g.search("🙂 lighthouse"))


# what memories say now


def test_a_vector_follows_the_wording_and_comes_back_with_an_undo(opened):
    embedder = WordEmbedder(WIDE, ms=0.0)
    g = opened(embedder)
    added = g.add("the lighthouse keeper").id
    before = logical_image(g._ctx.store, "default")
    assert any(table == "vectors" for table, _ in before)
    changed = g.update(added, text="a tomato plant")
    assert vectors(settled(g)) == {"a tomato plant"}
    assert g.search("lighthouse") == []
    assert "semantic" in g.search("tomato")[0].parts
    asked = len(embedder.calls)
    undone = g.undo(changed.operation_id)
    assert logical_image(g._ctx.store, "default") == before
    assert g.search("tomato") == []
    assert "semantic" in g.search("lighthouse")[0].parts
    g.undo(undone.operation_id)
    assert "semantic" in g.search("tomato")[0].parts
    assert embedder.calls[asked:] == []  # nothing had to be embedded again, not even the queries


def test_a_vector_of_an_earlier_wording_is_never_taken_for_the_present_one(opened):
    slow = Gated()
    slow.gate.set()
    g = opened(slow)
    added = g.add("the lighthouse keeper").id
    g.search("lighthouse") if vectors(settled(g)) else None
    slow.gate.clear()
    g.update(added, text="a tomato plant")
    slow.reached.clear()
    assert all(
        "semantic" not in hit.parts
        for hit in opened(WordEmbedder(WIDE, ms=0.0)).search("lighthouse tomato")
    )
    slow.gate.set()
    assert vectors(settled(g)) == {"a tomato plant"}


def test_an_undone_and_redone_memory_has_its_vector_again(opened):
    g = opened(WordEmbedder(WIDE, ms=0.0))
    added = g.add("the lighthouse keeper")
    assert "semantic" in g.search("lighthouse")[0].parts
    undone = g.undo(added.operation_id)
    assert g.search("lighthouse") == []
    g.undo(undone.operation_id)
    assert "semantic" in g.search("lighthouse")[0].parts
    assert g.verify().ok


# re-embedding


def test_reembedding_takes_live_memories_first_the_newest_before_the_older(opened):
    plain = opened()
    old, archived, trashed, new = (
        plain.add(f"thing {word}").id for word in ("old", "arc", "tra", "new")
    )
    plain.archive(archived)
    plain.delete(trashed)
    embedder = WordEmbedder(WIDE, ms=0.0)
    g = opened(embedder)
    assert backfill.count_waiting(g._ctx) == 2
    assert g.embed() == 3
    assert embedder.calls == [["thing new", "thing old"], ["thing arc"]]
    assert g.embed() == 0
    assert {old, new} == {hit.memory.id for hit in g.search("thing")}


def test_reembedding_cut_short_goes_on_where_it_stopped(opened):
    opened().add_many([f"thing {n}" for n in range(50)])
    g = opened(Failing(lasts=35))
    seen = []
    with pytest.raises(EmbedderFailed):
        g.embed(progress=seen.append)
    assert seen == [16, 32]
    assert len(vectors(g)) == 32
    embedder = WordEmbedder(WIDE, ms=0.0)
    again = opened(embedder)
    assert again.embed() == 18
    assert sum(map(len, embedder.calls)) == 18
    assert len(vectors(again)) == 50


def test_two_models_are_never_compared(opened):
    a, b, c = (
        opened(WordEmbedder(dimension, name=name, ms=0.0))
        for name, dimension in (("a", 512), ("b", 512), ("a", 256))
    )
    for handle in (a, b, c):
        handle._background.finish(5)  # nobody embeds for another
    ours = {handle: handle.add(f"lighthouse {n}").id for n, handle in enumerate((a, b, c))}
    for handle, own in ours.items():
        hits = handle.search("lighthouse")
        assert len(hits) == 3
        assert [hit.memory.id for hit in hits if "semantic" in hit.parts] == [own]
    with a._ctx.reading() as reader:
        found = [(row["name"], row["dimension"], row["vectors"]) for row in reader.models()]
    assert found == [("a", 512, 1), ("b", 512, 1), ("a", 256, 1)]
    assert b.embed() == 2
    assert all("semantic" in hit.parts for hit in b.search("lighthouse"))
    assert [hit.memory.id for hit in a.search("lighthouse") if "semantic" in hit.parts] == [ours[a]]
    assert a.verify().ok


def test_another_model_takes_over_in_the_background_and_tidying_removes_the_old_one(opened):
    old = opened(WordEmbedder(512, name="old", ms=0.0))
    old.add_many([f"lighthouse {n}" for n in range(10)])
    assert all("semantic" in hit.parts for hit in old.search("lighthouse"))
    old._background.finish(5)  # it embeds nothing more for others
    new = opened(WordEmbedder(256, name="new", ms=0.0), settings={"bulk_chunk": 7})
    new.add("one more lighthouse")
    assert backfill.count_waiting(settled(new)._ctx) == 0
    opened().embed(tidy=True)  # without a model there is no other one
    with new._ctx.reading() as reader:
        assert [row["vectors"] for row in reader.models()] == [10, 11]
    new.embed(tidy=True)
    with new._ctx.reading() as reader:
        assert [(row["name"], row["vectors"]) for row in reader.models()] == [("new", 11)]
    assert all("semantic" not in hit.parts for hit in old.search("lighthouse"))
    back = old.add("the last lighthouse").id  # the model is there again, under another key
    old._background.finish(0)
    assert back in [
        hit.memory.id for hit in old.search("last lighthouse") if "semantic" in hit.parts
    ]
    assert new.verify().ok


# forks


def test_a_child_searches_and_adds_although_the_parent_was_embedding(opened):
    embedder = Gated()
    g = opened(embedder)
    with Glymph.open(g.url, embedder=WordEmbedder(WIDE, ms=0.0)) as other:
        other.add("a vector to compare with")
    g.add("the lighthouse keeper")
    assert embedder.reached.wait(60)  # the background holds what a query would need
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        code = 1
        try:
            threading.Timer(20, os._exit, [2]).start()
            found = g.search("lighthouse compare")
            code = 0 if len(found) == 2 and g.add("from the child").created else 1
            settled(g)
            code = code or (0 if "from the child" in vectors(g) else 3)
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    embedder.gate.set()
    assert vectors(settled(g)) == {
        "a vector to compare with",
        "the lighthouse keeper",
        "from the child",
    }


# elsewhere


@pytest.fixture
def exported(opened, tmp_path):
    g = opened(WordEmbedder(32, ms=0.0))
    g.add("alpha beta")
    changed = g.add("gamma delta").id
    g.update(changed, text="epsilon zeta")
    settled(g).recall("alpha")
    g.export(tmp_path / "export.jsonl")
    return g, [json.loads(line) for line in (tmp_path / "export.jsonl").read_text().splitlines()]


def write(path, lines):
    lines[-1] = {"rows": len(lines) - 2}
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n")
    return path


def test_vectors_travel_bit_for_bit(exported, tmp_path, clock):
    g, _ = exported
    assert g.import_(tmp_path / "export.jsonl", space="copy").rows > 0
    assert list(g._ctx.store.dump("copy")) == list(g._ctx.store.dump("default"))
    with Glymph.open(g.url, space="copy", clock=clock, embedder=WordEmbedder(32, ms=0.0)) as copy:
        calls = copy._ctx.embedding.embedder.calls
        assert vectors(copy) == {"alpha beta", "epsilon zeta"}
        assert [hit.score for hit in copy.search("alpha")] == [
            hit.score for hit in g.search("alpha")
        ]
        assert "semantic" in copy.search("alpha")[0].parts
        assert calls == [["alpha"]]


def test_an_export_from_before_vectors_is_taken_in(exported, tmp_path):
    g, lines = exported
    older = [
        line for line in lines if isinstance(line, dict) or line[0] not in ("models", "vectors")
    ]
    for line in older:
        if isinstance(line, list) and line[0] == "recalls":
            del line[1]["figures"]
    g.import_(write(tmp_path / "older.jsonl", older), space="older")
    with Glymph.open(g.url, space="older", embedder=WordEmbedder(32, ms=0.0)) as old:
        assert vectors(old) == set()
        assert old.embed() == 2
        assert old.search("alpha")
        assert old.verify().ok


@pytest.mark.parametrize("damage", ["not base64!", "AAA", 7, None])
@pytest.mark.parametrize("column", ["vector", "wording"])
def test_a_damaged_vector_is_refused_with_its_line(exported, tmp_path, damage, column):
    g, lines = exported
    number = next(
        n for n, line in enumerate(lines) if isinstance(line, list) and line[0] == "vectors"
    )
    lines[number][1][column] = damage
    with pytest.raises(errors.InvalidInput, match=f"line {number + 1} .*{column}"):
        g.import_(write(tmp_path / "damaged.jsonl", lines), space="damaged")
    assert [space.name for space in g.spaces()] == ["default"]


@pytest.mark.parametrize(
    ("column", "value"), [("vector", "AAAA"), ("wording", "AAAA"), ("memory", 999), ("model", 9)]
)
def test_a_vector_that_fits_nothing_is_refused(exported, tmp_path, column, value):
    g, lines = exported
    next(line for line in lines if isinstance(line, list) and line[0] == "vectors")[1][column] = (
        value
    )
    with pytest.raises(errors.InvalidInput, match="path"):
        g.import_(write(tmp_path / "odd.jsonl", lines), space="odd")
    assert [space.name for space in g.spaces()] == ["default"]


def test_verify_names_a_vector_of_the_wrong_size(opened):
    g = opened(WordEmbedder(32, ms=0.0))
    added = g.add("alpha beta", wait=True).id
    with g._ctx.store.writing("default", None) as writer:
        key = (writer.memory(added) or {})["key"]
        row = {
            "model": writer.models()[0]["key"],
            "memory": key,
            "wording": b"12345678",
            "vector": b"\0\0",
        }
        writer.insert("vectors", [row])
    verdict = g.verify()
    assert [problem.check for problem in verdict.problems] == ["vectors"]
    assert "2 bytes" in verdict.problems[0].detail


def test_a_handle_that_is_closed_while_its_thread_is_about_to_start_waits_for_it(
    opened, monkeypatch
):
    glymph = opened(WordEmbedder(WIDE, ms=50.0))
    about_to, closing, start = threading.Event(), threading.Event(), threading.Thread.start

    def late(thread):
        if thread.name == "glymph-embed":
            about_to.set()
            closing.wait(0.2)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", late)
    adding = threading.Thread(target=lambda: glymph.add("The harbour is busy at dawn."))
    adding.start()
    assert about_to.wait(30)
    glymph._background.finish(5)
    closing.set()
    adding.join()


def test_a_program_that_ends_waits_for_a_model_that_is_just_reading(opened, monkeypatch):
    """A thread cut off inside the model's library aborts the program: seen on a busy machine."""
    monkeypatch.setattr(background, "LAST_BATCH", 0.0)
    embedder = Gated()
    glymph = opened(embedder)
    glymph.add("The harbour is busy at dawn.")
    assert embedder.reached.wait(30)
    thread = glymph._background._thread
    glymph.close()
    assert thread.is_alive()  # closing does not wait for long
    threading.Timer(0.2, embedder.gate.set).start()
    background._stop_all()
    assert not thread.is_alive()

"""The columnar mirror: kept up by the change sequence, it shows what one made anew would show."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest

from glymph import Glymph
from glymph.recall.channels import gather
from glymph.recall.filters import check_filters
from glymph.recall.search import rank_pools
from glymph.store import chunks, mirror, vector_column, vector_reader, view
from glymph.store.scan import sign_bits
from glymph.testing.embedders import WordEmbedder
from glymph.testing.images import mirror_image

WIDE = 256


@pytest.fixture
def opened(url, clock):
    handles = []

    def open_handle(**options):
        handles.append(
            Glymph.open(url, clock=clock, **{"embedder": WordEmbedder(WIDE, ms=0.0), **options})
        )
        return handles[-1]

    yield open_handle
    for handle in handles:
        handle.close()


def seen(handle):
    """The view a search of this handle would use now."""
    place = handle._ctx
    with place.reading() as reader:
        return place.embedding.mirrors.view(reader, place.embedding.model)


def only_mirror(handle):
    (found,) = handle._ctx.embedding.mirrors._mirrors.values()
    return found


def settled(handle):
    while (thread := handle._background._thread) is not None:
        thread.join()
    return handle


def answers(handle, **filters):
    queries = ("tulip", "rose garden", "about Nate", "8 May 2023")
    found = [handle.search(query, limit=100, **filters) for query in queries]
    return [
        [(hit.memory.id, round(hit.score, 5), sorted(hit.parts)) for hit in hits] for hits in found
    ]


@pytest.fixture
def agree(opened):
    """Checks that an old handle sees what a fresh one sees; gives back the old one's mirror."""

    def check(old, **options):
        fresh = opened(**options)
        assert mirror_image(seen(old)) == mirror_image(seen(fresh))
        assert answers(old) == answers(fresh)
        assert answers(old, tags=["t"], kinds=["note", "lesson"]) == answers(
            fresh, tags=["t"], kinds=["note", "lesson"]
        )
        fresh.close()
        return only_mirror(old)

    return check


def supersede(handle, old, new):
    with handle._ctx.operation("supersede") as op:
        op.writer.change("memories", {op.row(old)["key"]: {"superseded_by": new}})


def test_a_mirror_follows_everything_that_another_handle_does(opened, agree, clock):
    old, writer = opened(), opened()
    writer.add_many([f"tulip number {n}" for n in range(25)])
    before = agree(old)
    a = writer.add("tulip of Nate", tags=["t"], entities=["Nate"], session="s")
    b = writer.add("rose garden", kind="lesson", tags=["t", "u"], entities=["Joe", "Nate"])
    c = writer.add("rose of Joe", entities=["Nobody else"])
    steps = [
        lambda: writer.update(a.id, text="rose of Nate", tags=["u"]),
        lambda: writer.update(
            a.id, entities=["Joe"], kind="event", expires_at=clock.now + timedelta(days=9)
        ),
        lambda: writer.archive(b.id),
        lambda: writer.restore(b.id),
        lambda: writer.delete([a.id, b.id]),
        lambda: writer.undo(),
        lambda: writer.pin(a.id),
        lambda: writer.unpin(a.id),
        lambda: supersede(writer, a.id, b.id),
        lambda: writer.undo(c.operation_id),
        lambda: writer.undo(writer.operations(limit=1)[0].id),
        lambda: writer.report(writer.recall("rose").id, used=[b.id]),
        lambda: writer.link(a.id, b.id),
        lambda: writer.add_many([{"text": f"tulip again {n}", "tags": ["t"]} for n in range(40)]),
        lambda: clock.advance(days=10),
    ]
    for step in steps:
        step()
        settled(writer)
        assert agree(old) is before  # brought up, not made anew


def test_a_row_that_comes_back_unseen_is_taken_in(opened, agree):
    old, writer = opened(), opened()
    added = writer.add("tulip one")
    undone = writer.undo(added.operation_id)
    writer.add("tulip two")
    agree(old)
    writer.undo(undone.operation_id)  # its key lies before one that the mirror knows
    agree(old)
    assert added.id in [hit.memory.id for hit in old.search("tulip")]


def test_a_row_that_goes_and_comes_back_with_another_wording_has_the_right_vector(opened, agree):
    old, writer = opened(), opened()
    added = writer.add("tulip one")
    changed = writer.update(added.id, text="rose one")
    agree(settled(writer) and old)
    back = writer.undo(changed.operation_id)
    gone = writer.undo(added.operation_id)
    agree(old)
    writer.undo(gone.operation_id)
    agree(old)
    writer.undo(back.operation_id)
    agree(old)
    assert [hit.memory.text for hit in old.search("rose") if "semantic" in hit.parts] == [
        "rose one"
    ]


def test_many_changes_are_read_anew(opened, agree, monkeypatch):
    monkeypatch.setattr(chunks, "MANY_CHANGES", 2)
    old, writer = opened(), opened()
    writer.add("tulip one")
    before = agree(old)
    writer.add_many([f"tulip {n}" for n in range(9)])
    assert agree(old) is not before


def test_a_mirror_of_memories_that_are_no_more_is_made_anew(opened, agree, monkeypatch):
    monkeypatch.setattr(mirror, "MOST_EMPTY", 5)
    g = opened()
    added = [g.add(f"tulip number {number} stands in row {number}").id for number in range(12)]
    before, full = seen(g), only_mirror(g)
    for gone in added[:6]:
        g.forget(gone, mode="purge", apply=True)
    seen(g)
    assert only_mirror(g) is full  # half of it is still there
    for gone in added[6:9]:
        g.forget(gone, mode="purge", apply=True)
    assert seen(g).size < before.size - 6
    assert agree(g) is not full


def test_a_space_that_was_removed_and_made_again_is_another_one(opened, tmp_path):
    old, writer = opened(space="s"), opened(space="other")
    old.add("tulip one")
    old.export(tmp_path / "s.jsonl")
    assert len(old.search("tulip")) == 1
    writer.delete_space("s")
    again = opened(space="s")
    assert old.search("tulip") == again.search("tulip") == []
    writer.import_(tmp_path / "s.jsonl", space="s")  # it is untouched
    assert [hit.memory.text for hit in old.search("tulip")] == ["tulip one"]
    assert "semantic" in old.search("tulip")[0].parts


def test_vectors_are_read_in_pages_that_may_cut_a_memorys_wordings_apart(
    opened, agree, monkeypatch
):
    old, writer = opened(), opened()
    for n in range(4):
        added = writer.add(f"tulip {n}")
        for word in ("rose", "lily")[: n % 3]:
            writer.update(added.id, text=f"{word} {n}")
            settled(writer)
    whole = mirror_image(seen(old))
    monkeypatch.setattr(mirror, "PAGE", 4)
    assert mirror_image(seen(opened())) == whole


def test_a_reader_of_an_earlier_moment_is_shown_nothing_of_a_later_one(opened, clock):
    g, writer = opened(), opened()
    kept, changed = g.add("tulip one"), g.add("tulip two")
    place, matching = g._ctx, check_filters({})
    with place.reading() as early:
        assert early.newest_change() > 0
        later = writer.add("tulip three")
        writer.archive(changed.id)
        assert {hit.memory.id for hit in g.search("tulip")} == {kept.id, later.id}
        hits = rank_pools(
            [gather(place, early, "tulip", matching)],
            matching,
            limit=9,
            now=clock.now,
            weights=place.weights,
        )
        assert kept.id in {hit.memory.id for hit in hits} <= {kept.id, changed.id}
    assert {hit.memory.id for hit in g.search("tulip")} == {kept.id, later.id}


# many


@pytest.fixture
def small(monkeypatch):
    """Forty vectors count as many, eighty as very many."""
    for module in (mirror, vector_column):
        monkeypatch.setattr(module, "EXACT_UP_TO", 40)
        monkeypatch.setattr(module, "KEPT_UP_TO", 80)


def texts(count, seed=1):
    random = np.random.default_rng(seed)
    words = ["tulip", "rose", "lily", "iris", "fern", "moss", "oak", "elm", "ash", "yew"]
    return [" ".join(random.choice(words, 5)) + f" number {n}" for n in range(count)]


def brute(handle, query, passing):
    """The keys let through by their true cosines, best first, and these cosines."""
    model = handle._ctx.embedding.model
    with handle._ctx.reading() as reader:
        rows = reader.vectors_after(reader.model_key(*model), 0, limit=10_000)
    allowed = set(passing)
    found = [
        (float(np.frombuffer(vector, dtype="<f2").astype(np.float32) @ query), key)
        for key, _, vector in rows
        if key in allowed
    ]
    return sorted(found, key=lambda pair: (-round(pair[0], 5), pair[1]))


def check_nearest(handle, **filters):
    place = handle._ctx
    query = place.embedding.embedder.embed(["tulip rose oak"])[0]
    with place.reading() as reader:
        shown = place.embedding.mirrors.view(reader, place.embedding.model)
        passing = shown.mask(check_filters(filters))
        slots, cosines = shown.nearest(query, passing, limit=10, reader=reader)
        truth = brute(handle, query, shown["key"][passing].tolist())[:10]
    assert cosines.tolist() == pytest.approx([cosine for cosine, _ in truth], abs=1e-3)
    assert set(shown["key"][slots[cosines > truth[-1][0] + 1e-3]].tolist()) <= {
        key for _, key in truth
    }
    return shown


def test_growing_beyond_the_exact_scan_keeps_the_answers(opened, small):
    g, writer = opened(), opened()
    whole = texts(120)
    writer.add_many(
        [{"text": text, "tags": ["t"] if n % 4 == 0 else []} for n, text in enumerate(whole[:30])]
    )
    assert check_nearest(g).vectors.matrix is not None
    kept = []
    for at in range(30, 120, 30):
        writer.add_many(
            [
                {"text": text, "tags": ["t"] if n % 4 == 0 else []}
                for n, text in enumerate(whole[at : at + 30])
            ]
        )
        shown = check_nearest(g)
        check_nearest(g, tags=["t"])
        kept.append(shown.vectors.codes is not None)
    assert kept == [True, False, False]
    assert shown.vectors.matrix is None
    assert check_nearest(opened()).vectors.matrix is None  # made at once
    exact, signs = g.search("tulip rose oak"), opened().search("tulip rose oak")
    assert [hit.memory.id for hit in exact] == [hit.memory.id for hit in signs]


def test_vectors_in_bytes_give_the_order_of_comparing_everything(opened, small, monkeypatch):
    g = opened()
    g.add_many([{"text": text, "session": f"s{n // 7}"} for n, text in enumerate(texts(70))])
    asked = ["tulip rose oak", "fern moss", "yew elm ash number", "lily number 12"]
    found = [[(hit.memory.id, hit.score) for hit in g.search(one)] for one in asked]
    assert seen(g).vectors.codes is not None
    for module in (mirror, vector_column):
        monkeypatch.setattr(module, "EXACT_UP_TO", 1_000)
    exact = opened()
    whole = [[(hit.memory.id, hit.score) for hit in exact.search(one)] for one in asked]
    assert seen(exact).vectors.matrix is not None
    for some, others in zip(found, whole, strict=True):
        assert [score for _, score in some] == pytest.approx([s for _, s in others], abs=1e-3)
        assert [memory for memory, _ in some[:5]] == [memory for memory, _ in others[:5]]


def test_a_mirror_read_page_by_page_shows_what_one_read_at_once_shows(opened, monkeypatch):
    g = opened()
    added = g.add_many(texts(25))
    g.delete(added[3].id)
    whole = mirror_image(seen(opened()))
    monkeypatch.setattr(vector_reader, "MIRRORED_AT_ONCE", 4)
    assert mirror_image(seen(opened())) == whole


def test_what_changes_beyond_the_exact_scan_is_followed(opened, small):
    g, writer = opened(), opened()
    added = writer.add_many(texts(60))
    check_nearest(g)
    writer.update(added[0].id, text="tulip rose oak")
    settled(writer)
    assert g.search("tulip rose oak")[0].memory.id == added[0].id
    writer.archive(added[0].id)
    check_nearest(g)
    assert added[0].id not in [hit.memory.id for hit in g.search("tulip rose oak")]
    writer.undo()
    assert g.search("tulip rose oak")[0].memory.id == added[0].id


def test_vectors_that_vanish_from_the_store_do_no_harm(opened, small):
    g = opened()
    g.add_many(texts(60))
    assert "semantic" in g.search("tulip rose oak")[0].parts
    settled(g)
    with g._ctx.store.writing("default", None) as writer:
        writer.forget_model(
            writer.models()[0]["key"], limit=60
        )  # the model stays until the last of them is gone
    assert g.search("tulip rose oak")[0].parts.keys() >= {"keyword"}
    assert g.search("fern", kinds=["note"])
    other = opened(embedder=WordEmbedder(WIDE, name="other", ms=0.0))
    other.embed(tidy=True)
    assert all("semantic" not in hit.parts for hit in g.search("tulip rose oak"))


def test_a_scan_of_signs_compares_as_many_as_it_is_told(opened, small, monkeypatch):
    monkeypatch.setattr(view, "SCAN_DEPTH", 60)
    g = opened()
    g.add_many(texts(60))
    check_nearest(g)


def test_signs_of_whole_vectors_tell_which_to_compare(opened, monkeypatch):
    monkeypatch.setattr(vector_column, "SIGNED_FROM", 30)
    monkeypatch.setattr(view, "WHOLE_DEPTH", 40)
    g = opened()
    g.add_many(texts(60))
    before = [[hit.memory.id for hit in g.search(text)] for text in texts(8, seed=3)]
    g.add_many(texts(20, seed=2))
    with g._ctx.reading() as reader:
        seen = g._ctx.embedding.mirrors.view(reader, g._ctx.embedding.model)
    assert seen.vectors.matrix is not None
    assert seen.vectors.bits is not None
    filled = seen["embedded"]
    signs = sign_bits(seen.vectors.matrix[filled], seen.vectors.pivot)
    assert (seen.vectors.bits[:, filled] == signs).all()  # of those that came later, too
    check_nearest(g)
    assert all(before)

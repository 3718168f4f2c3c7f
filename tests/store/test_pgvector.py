"""The nearest found by the server are the same as in a mirror that holds every vector.

The server finds them without loading them.
"""

from __future__ import annotations

import json
from contextlib import closing, contextmanager
from datetime import timedelta

import numpy as np
import psycopg
import pytest

from glymph import Glymph
from glymph.config import Settings
from glymph.recall.filters import check_filters
from glymph.store import mirror, open_store
from glymph.store.backends.postgresql.nearest import LONGEST, halves
from glymph.store.contract import Filter
from glymph.store.reader import Reader
from glymph.testing.embedders import WordEmbedder

WIDE = 256
QUERIES = ("tulip rose oak", "fern", "moss ash number 7", "elm yew iris lily")
FILTERS = (
    {}, {"tags": ["t"]}, {"kinds": ["lesson"]}, {"states": ["LIVE", "ARCHIVED"]}, {"include_superseded": True},
    {"tags": ["t"], "states": ["ARCHIVED"]}, {"session": "s"}, {"tags": ["nobody has it"]},
)  # fmt: skip


@pytest.fixture
def url(empty_postgres_store):
    return empty_postgres_store


@pytest.fixture
def opened(url, clock):
    handles = []
    usual = {"embedder": WordEmbedder(WIDE, ms=0.0), "settings": {"compare": "off"}}

    def open_handle(**options):
        handles.append(Glymph.open(url, clock=clock, **{**usual, **options}))
        return handles[-1]

    yield open_handle
    for handle in handles:
        handle.close()


@pytest.fixture
def distant(monkeypatch):
    """Vectors stay in the store, however few they are and however often they are asked for."""
    monkeypatch.setattr(mirror, "DISTANT_FROM", 1)
    monkeypatch.setattr(mirror, "WHOLE_AFTER", 10**9)


@contextmanager
def raw(url):
    with closing(
        psycopg.connect(url, autocommit=True, options="-csearch_path=glymph,public")
    ) as connection:
        yield connection


def settled(handle):
    while (thread := handle._background._thread) is not None:
        thread.join()
    return handle


def texts(count, seed=1):
    random = np.random.default_rng(seed)
    words = ["tulip", "rose", "lily", "iris", "fern", "moss", "oak", "elm", "ash", "yew"]
    return [" ".join(random.choice(words, 5)) + f" number {n}" for n in range(count)]


def populate(handle, clock, seed=1):
    """Memories in every state a search has to tell apart.

    Some have had other wordings, some vectors are gone.
    """
    added = handle.add_many(
        [
            {
                "text": text, "tags": ["t"] if n % 3 == 0 else [], "kind": "lesson" if n % 5 == 0 else "note",
                "session": "s" if n % 7 == 0 else None,
                "expires_at": clock.now + timedelta(days=1) if n % 11 == 0 else None,
            }
            for n, text in enumerate(texts(80, seed))
        ]
    )  # fmt: skip
    for n in range(0, 40, 9):
        handle.update(added[n].id, text=f"reworded {texts(80, seed + 9)[n]}")
    handle.archive([added[n].id for n in range(1, 30, 6)])
    handle.delete([added[n].id for n in range(2, 30, 12)])
    with handle._ctx.operation("supersede") as op:
        for n in (3, 4, 5):
            op.writer.change(
                "memories", {op.row(added[n].id)["key"]: {"superseded_by": added[n + 10].id}}
            )
    handle.forget("number 33", apply=True, mode="purge")
    clock.advance(days=2)
    settled(handle)
    return added


def shown(handle, *, whole=False):
    place = handle._ctx
    with place.reading() as reader:
        return place.embedding.mirrors.view(reader, place.embedding.model, whole=whole)


def found(handle, query, filters, limit):
    """Keys and cosines of the nearest, as a search of this handle gets them."""
    place = handle._ctx
    vector = place.embedding.embedder.embed([query])[0]
    with place.reading() as reader:
        view = place.embedding.mirrors.view(reader, place.embedding.model)
        slots, cosines = view.nearest(
            vector, view.mask(check_filters(filters)), limit=limit, reader=reader
        )
        exact = view.cosines(vector, slots, reader=reader)
    np.testing.assert_allclose(cosines, exact, atol=1e-5)
    return view["key"][slots].tolist(), cosines


def agree(near, far, limit=10):
    """Both find the same, but for what is as near as the last of them."""
    for query in QUERIES:
        for filters in FILTERS:
            here, there = found(near, query, filters, limit), found(far, query, filters, limit)
            np.testing.assert_allclose(here[1], there[1], atol=1e-5, err_msg=f"{query} {filters}")
            if len(here[0]):
                sure = here[1] > here[1][-1] + 1e-4
                sure |= len(here[0]) < limit
                assert set(np.asarray(here[0])[sure]) <= set(there[0]), (query, filters)


def answers(handle, **filters):
    hits = [handle.search(query, limit=50, **filters) for query in QUERIES]
    return [{hit.memory.id: hit for hit in some} for some in hits]


# the same


def test_the_server_finds_what_a_mirror_finds(opened, clock, monkeypatch):
    near = opened()
    populate(near, clock)
    populate(opened(space="other"), clock, seed=2)
    near.embed()
    opened(embedder=WordEmbedder(WIDE, name="another", ms=0.0)).embed()
    assert shown(near).vectors.matrix is not None
    monkeypatch.setattr(mirror, "DISTANT_FROM", 1)
    monkeypatch.setattr(mirror, "WHOLE_AFTER", 10**9)
    far = opened()
    assert shown(far).vectors.matrix is None
    for limit in (1, 10, 200):
        agree(near, far, limit)
    for filters in ({}, {"tags": ["t"]}, {"include_superseded": True}):
        for here, there in zip(answers(near, **filters), answers(far, **filters), strict=True):
            assert here.keys() == there.keys()
            for key, hit in here.items():
                assert hit.score == pytest.approx(there[key].score, abs=1e-3)
                assert hit.parts.keys() == there[key].parts.keys()
    assert shown(far).vectors.matrix is None


def test_a_mirror_without_vectors_follows_what_others_do(opened, clock, monkeypatch):
    near, writer = opened(), opened()
    writer.add_many([{"text": text, "tags": ["t"]} for text in texts(30)])
    shown(near)
    monkeypatch.setattr(mirror, "DISTANT_FROM", 1)
    monkeypatch.setattr(mirror, "WHOLE_AFTER", 10**9)
    far = opened()
    agree(near, far)
    a = writer.add("tulip rose oak", tags=["t"])
    steps = [
        lambda: writer.update(a.id, text="fern fern fern"),
        lambda: writer.undo(),
        lambda: writer.archive(a.id),
        lambda: writer.undo(),
        lambda: writer.undo(a.operation_id),
        lambda: writer.undo(),
        lambda: writer.add_many(
            [{"text": f"{text} again", "kind": "lesson"} for text in texts(40, 2)]
        ),
        lambda: writer.forget("again", apply=True, mode="purge"),
    ]
    for step in steps:
        step()
        settled(writer)
        agree(near, far)
        fresh = opened()
        np.testing.assert_array_equal(shown(far)["embedded"], shown(near)["embedded"])
        kept = [shown(one) for one in (far, fresh)]
        there = [dict(zip(v["key"].tolist(), v["embedded"].tolist(), strict=True)) for v in kept]
        assert {k for k, e in there[0].items() if e} == {k for k, e in there[1].items() if e}
        fresh.close()
    assert shown(far).vectors.matrix is None


def test_a_space_whose_only_vector_goes_and_comes_back_is_searched_all_the_same(opened, distant):
    g, writer = opened(), opened()
    added = writer.add("tulip one")
    changed = writer.update(added.id, text="rose one")
    settled(writer)
    assert "semantic" in g.search("rose")[0].parts
    undone = writer.undo(changed.operation_id)
    gone = writer.undo(added.operation_id)
    assert g.search("rose") == []
    writer.undo(gone.operation_id)
    assert [hit.memory.text for hit in g.search("tulip") if "semantic" in hit.parts] == [
        "tulip one"
    ]
    writer.undo(undone.operation_id)
    assert [hit.memory.text for hit in g.search("rose") if "semantic" in hit.parts] == ["rose one"]
    assert shown(g).vectors.matrix is None


def test_few_that_pass_are_named_and_too_few_among_the_nearest_widen_the_search(
    opened, distant, monkeypatch
):
    g = opened()
    g.add_many([{"text": f"tulip rose oak {n}", "tags": []} for n in range(40)])
    g.add_many([{"text": f"fern {n}", "tags": ["t"]} for n in range(60)])
    g.add("tulip moss", tags=["one"])
    asked = []
    real = Reader.nearest

    def noted(self, *given, **options):
        asked.append(options)
        return real(self, *given, **options)

    monkeypatch.setattr(Reader, "nearest", noted)
    monkeypatch.setattr("glymph.store.view.SPARE", 0)
    keys, _ = found(
        g, "tulip rose oak", {"tags": ["t"]}, 20
    )  # sixty of a hundred, and all of them far away
    assert len(keys) == 20
    assert [options["limit"] for options in asked] == sorted(
        {options["limit"] for options in asked}
    )
    assert len(asked) > 1
    assert all(options["among"] is None for options in asked)
    asked.clear()
    keys, _ = found(g, "tulip rose oak", {"tags": ["one"]}, 20)
    assert [options["among"] for options in asked] == [keys]
    assert len(keys) == 1


# what is loaded, and when


def forbid(monkeypatch, *names):
    for name in names:
        monkeypatch.setattr(
            Reader, name, lambda *_, name=name, **__: pytest.fail(f"{name} was called")
        )


def test_a_first_search_loads_no_vectors_but_a_sample_and_those_it_shows(opened, monkeypatch):
    opened().add_many(texts(60))
    monkeypatch.setattr(mirror, "DISTANT_FROM", 60)
    forbid(monkeypatch, "vectors_between", "vectors_after")
    hits = opened().search("tulip rose oak", limit=60)
    assert sum("semantic" in hit.parts for hit in hits) > 10


def test_few_vectors_are_loaded_at_once(opened, monkeypatch):
    opened().add_many(texts(59))
    monkeypatch.setattr(mirror, "DISTANT_FROM", 60)
    forbid(monkeypatch, "nearest")
    assert "semantic" in opened().search("tulip rose oak")[0].parts


def test_who_asks_often_gets_all_vectors(opened, monkeypatch):
    monkeypatch.setattr(mirror, "DISTANT_FROM", 1)
    monkeypatch.setattr(mirror, "WHOLE_AFTER", 3)
    opened().add_many(texts(60))
    g = opened()
    first = [found(g, query, {}, 10) for query in QUERIES]
    assert shown(g).vectors.matrix is not None
    forbid(monkeypatch, "nearest")
    for query, before in zip(QUERIES, first, strict=True):
        np.testing.assert_allclose(found(g, query, {}, 10)[1], before[1], atol=1e-5)


def test_one_view_that_is_asked_often_gets_all_vectors(opened, monkeypatch):
    monkeypatch.setattr(mirror, "DISTANT_FROM", 1)
    monkeypatch.setattr(mirror, "WHOLE_AFTER", 3)
    g = opened()
    g.add_many(texts(60))
    place = g._ctx
    vector = place.embedding.embedder.embed(["tulip"])[0]
    with place.reading() as reader:
        view = place.embedding.mirrors.view(reader, place.embedding.model)
        passing = view.mask(check_filters({}))
        before = [view.nearest(vector, passing, limit=5, reader=reader) for _ in range(3)]
        forbid(monkeypatch, "nearest")
        _, cosines = view.nearest(vector, passing, limit=5, reader=reader)
    np.testing.assert_allclose(cosines, before[0][1], atol=1e-5)


def test_vectors_fetched_for_a_reader_of_an_earlier_moment_do_not_lack_later_ones_for_good(
    opened, monkeypatch
):
    monkeypatch.setattr(mirror, "DISTANT_FROM", 1)
    monkeypatch.setattr(mirror, "WHOLE_AFTER", 1)
    g, writer = opened(), opened()
    g.add_many(texts(30))
    place = g._ctx
    vector = place.embedding.embedder.embed(["tulip rose oak"])[0]
    with place.reading() as early:
        view = place.embedding.mirrors.view(early, place.embedding.model)
        passing = view.mask(check_filters({}))
        view.nearest(vector, passing, limit=5, reader=early)
        later = writer.add("tulip rose oak")
        settled(writer)
        assert shown(g)["embedded"].sum() == 31
        view.nearest(vector, passing, limit=5, reader=early)  # fetches what the early reader sees
    assert g.search("tulip rose oak")[0].memory.id == later.id
    assert "semantic" in g.search("tulip rose oak")[0].parts
    assert shown(g).vectors.matrix is not None


def test_who_needs_whole_vectors_says_so(opened, distant):
    g = opened()
    g.add_many(texts(30))
    assert shown(g).vectors.matrix is None
    assert shown(g, whole=True).vectors.matrix is not None
    assert shown(g).vectors.matrix is not None


def test_duplicates_are_found_without_a_mirror_of_vectors(opened, distant):
    g = opened(settings={"compare": "off"})
    g.add_many([*texts(30), "tulip rose oak number one", "tulip rose oak number one!"])
    near = g.find_duplicates()
    assert near.examined == 32
    assert shown(g).vectors.matrix is None


# the reader


def brute(handle, model, vector, wanted_):
    with handle._ctx.reading() as reader:
        rows = reader.by_key(shown(handle)["key"].tolist(), wanted_)
        vectors = reader.vectors_of(model, list(rows))
    current = [
        (float(np.frombuffer(kept, dtype="<f2").astype(np.float32) @ vector), key)
        for key, wording, kept in vectors
        if rows[key]["content_hash"].startswith(wording.hex())
    ]
    return sorted(current, key=lambda pair: -pair[0])


@pytest.mark.parametrize("filters", FILTERS)
def test_a_reader_finds_the_nearest_that_pass_a_filter(opened, clock, filters):
    g = opened()
    populate(g, clock)
    populate(opened(space="other"), clock)  # the same texts
    matching = check_filters(filters)
    vector = g._ctx.embedding.embedder.embed(["tulip rose oak"])[0]
    with g._ctx.reading() as reader:
        model = reader.model_key(*g._ctx.embedding.model)
        rows = reader.nearest(model, vector, matching, limit=500)
    truth = brute(g, model, vector, matching)
    assert {row[0] for row in rows} == {key for _, key in truth}
    assert [row[2] for row in rows] == pytest.approx([cosine for cosine, _ in truth], abs=1e-5)


def test_former_wordings_are_found_only_without_a_filter(opened):
    g = opened()
    a = g.add("tulip one")
    g.update(a.id, text="fern two")
    settled(g)
    vector = g._ctx.embedding.embedder.embed(["tulip one"])[0]
    with g._ctx.reading() as reader:
        model = reader.model_key(*g._ctx.embedding.model)
        (key,) = {row[0] for row in reader.nearest(model, vector, None, limit=9)}
        assert len(reader.nearest(model, vector, None, limit=9)) == 2
        assert [row[2] < 0.9 for row in reader.nearest(model, vector, Filter(), limit=9)] == [True]
        assert reader.nearest(model, vector, None, limit=9, among=[key + 1]) == []
        assert reader.nearest(model + 1, vector, None, limit=9) == []


def test_an_embedded_engine_leaves_it_to_the_mirror(tmp_path, clock):
    with Glymph.open(f"sqlite:///{tmp_path}/m.db", clock=clock) as g, g._ctx.reading() as reader:
        assert reader.nearest(1, np.ones(1, "f4"), None, limit=1) is None
        assert reader.embedded_keys(1) is None


def test_only_rows_of_the_space_are_read(url, opened):
    g = opened()
    g.add("tulip")
    with raw(url) as connection:
        connection.execute(
            "INSERT INTO meanings SELECT s, 1, n, int8send(n), array_fill(n::real, ARRAY[8])::halfvec "
            "FROM generate_series(1000, 1049) s, generate_series(1, 200) n"
        )
        connection.execute("ANALYZE meanings")
    with g._ctx.reading() as reader:
        session, plans = reader._session, []
        session.show(1007)
        real = session.tuples

        def explained(sql, parameters):
            plans.append(real(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", parameters)[0][0])
            return real(sql, parameters)

        session.tuples = explained
        query = np.ones(8, dtype=np.float32)
        assert len(reader.nearest(1, query, None, limit=500)) == 200
        assert len(reader.nearest(1, query, None, limit=500, among=[3, 4])) == 2
        assert reader.nearest(1, query, Filter(), limit=500) == []
    for plan in plans:
        told = json.dumps(plan)
        assert "Seq Scan" not in told
        assert "meanings_pkey" in told
        assert "space_id" in told


# what is kept


def test_halves_are_what_the_server_reads(url):
    vector = np.asarray([1.5, -2.0, 0.0, 6e-8], dtype="<f2")
    strange = [
        b"",
        b"abc",
        np.asarray([np.nan], "<f2").tobytes(),
        np.asarray([1, np.inf], "<f2").tobytes(),
    ]
    (first, *others) = halves([vector.tobytes(), *strange, bytes(2 * LONGEST + 2)])
    assert others == [None] * 5
    with raw(url) as connection:
        (told,) = connection.execute("SELECT CAST(%s AS halfvec)::real[]", (first,)).fetchone()
    assert told == pytest.approx(vector.astype(float).tolist(), abs=1e-9)


def test_bytes_that_are_no_vector_are_kept_and_never_found(url, opened, clock):
    g = opened()
    ids = [g.add(f"tulip {n}").id for n in range(5)]
    store = g._ctx.store
    strange = [
        np.full(WIDE, np.nan, "<f2"), np.full(WIDE, np.inf, "<f2"), np.ones(WIDE - 1, "<f2"),
        np.ones(2 * WIDE, "<f2"), np.ones(WIDE, "<f2"),
    ]  # fmt: skip
    with store.writing("default", None) as writer:
        model = writer.add_model("strange", WIDE, at=1)
        rows = writer.memories(ids)
        given = [
            (rows[one]["key"], bytes.fromhex(rows[one]["content_hash"][:16]), vector.tobytes())
            for one, vector in zip(ids, strange, strict=True)
        ]
        writer.add_vectors(
            model, [*given, (*given[4][:2], strange[0].tobytes())]
        )  # a second of the same wording
        writer.add_vectors(
            model, [(*given[0][:2], strange[4].tobytes())]
        )  # one that is there stays
    query = np.ones(WIDE, np.float32)
    with store.reading("default") as reader:
        assert sorted(reader.vectors_of(model, [row[0] for row in given])) == sorted(given)
        assert [row[0] for row in reader.nearest(model, query, None, limit=9)] == [given[4][0]]
        assert reader.nearest(model, query * np.nan, None, limit=9) == []


def test_a_dump_holds_vectors_once_and_a_load_makes_them_findable(url, opened, clock, tmp_path):
    g = opened()
    populate(g, clock)
    assert not any(
        table == "meanings" or "meaning" in row for table, row in g._ctx.store.dump("default")
    )
    g.export(tmp_path / "s.jsonl")
    opened(space="there").import_(tmp_path / "s.jsonl", space="copy")
    there = opened(space="copy")
    for query in QUERIES:
        vector = g._ctx.embedding.embedder.embed([query])[0]
        ids = []
        for handle in (g, there):
            with handle._ctx.reading() as reader:
                model = reader.model_key(*handle._ctx.embedding.model)
                rows = reader.nearest(model, vector, Filter(), limit=500)
                named = reader.by_key([row[0] for row in rows], Filter())
                ids.append({named[row[0]]["id"]: row[1:] for row in rows})
        assert ids[0] == ids[1]
        assert len(ids[0]) > 40


def test_what_follows_from_a_vector_goes_with_it(url, opened):
    g = opened()
    g.add_many(texts(20))
    g.add("The code is swordfish-77.")
    other = opened(space="other")
    other.add_many(texts(5))
    settled(g), settled(other)

    def counted(connection):
        both = "SELECT (SELECT count(*) FROM vectors), (SELECT count(*) FROM meanings)"
        return connection.execute(both).fetchone()

    with raw(url) as connection:
        assert counted(connection) == (26, 26)
        g.forget("swordfish-77", apply=True, mode="purge")
        assert counted(connection) == (25, 25)
        g.delete_space("other")
        assert counted(connection) == (20, 20)
        with g._ctx.store.writing("default", None) as writer:
            writer.forget_model(writer.models()[0]["key"], limit=8)
        assert counted(connection) == (12, 12)
        assert g._ctx.store.check() == []
        connection.execute("ALTER TABLE vectors DISABLE TRIGGER USER")
        connection.execute("DELETE FROM vectors WHERE key = (SELECT min(key) FROM vectors)")
        connection.execute("ALTER TABLE vectors ENABLE TRIGGER USER")
        assert "references" in {problem.check for problem in g._ctx.store.check()}


def test_long_vectors_fit(url, clock):
    store = open_store(url, Settings())
    with closing(store), Glymph.open(url, clock=clock) as g:
        row = g._ctx.store
        added = g.add("tulip")
        for dimension in (1536, 4096, 12_000):
            vector = np.random.default_rng(1).standard_normal(dimension).astype("<f2").tobytes()
            with row.writing("default", None) as writer:
                model = writer.add_model("long", dimension, at=1)
                memory = writer.memory(added.id)
                writer.add_vectors(
                    model, [(memory["key"], bytes.fromhex(memory["content_hash"][:16]), vector)]
                )
                assert (
                    len(writer.nearest(model, np.ones(dimension, np.float32), None, limit=3)) == 1
                )
                assert writer.vectors_of(model, [memory["key"]])[0][2] == vector

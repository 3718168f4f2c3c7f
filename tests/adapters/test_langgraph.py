"""LangGraph's store: its contract, kept by its own InMemoryStore and by ours; and a real graph."""

from __future__ import annotations

import asyncio
from typing import Annotated, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from glymph import Glymph
from glymph.adapters.langgraph import GlymphStore
from glymph.errors import InvalidInput, Refused
from glymph.testing import FrozenClock

ADA = ("users", "ada")


@pytest.fixture
def clock():
    return FrozenClock()


@pytest.fixture
def memory(url, clock):
    with Glymph.open(url, clock=clock, actor="agent:graph") as glymph:
        yield glymph


@pytest.fixture(params=["theirs", "ours"])
def store(request, url):
    if request.param == "theirs":
        yield InMemoryStore()
        return
    with Glymph.open(url) as glymph:
        yield GlymphStore(glymph)


# The contract of BaseStore, which both keep.


def test_what_is_put_is_got(store):
    store.put(ADA, "food", {"text": "Ada likes figs.", "count": 3, "nested": {"a": [1, None]}})
    item = store.get(ADA, "food")
    assert item.value == {"text": "Ada likes figs.", "count": 3, "nested": {"a": [1, None]}}
    assert (item.namespace, item.key) == (ADA, "food")
    assert item.created_at.tzinfo is not None
    assert item.created_at <= item.updated_at
    assert store.get(ADA, "drink") is None
    assert store.get(("users",), "food") is None
    assert store.get((*ADA, "food"), "food") is None


def test_a_key_that_is_put_again_has_the_new_value(store):
    store.put(ADA, "food", {"text": "Ada likes figs."})
    store.put(ADA, "food", {"text": "Ada likes plums."})
    assert store.get(ADA, "food").value == {"text": "Ada likes plums."}
    assert len(store.search(ADA)) == 1


def test_the_same_value_under_two_keys_is_two_items(store):
    for namespace, key in ((ADA, "a"), (ADA, "A"), (ADA, "b"), (("users", "eve"), "a")):
        store.put(namespace, key, {"text": "Likes figs."})
    assert len(store.search(("users",))) == 4
    store.delete(ADA, "a")
    assert store.get(ADA, "a") is None
    assert store.get(ADA, "A") is not None
    assert len(store.search(("users",))) == 3


@pytest.mark.parametrize("value", [{}, {"n": 1}, {"text": ""}, {"text": "ok"}, {"x": [True, None]}])
def test_no_value_is_too_little_to_be_kept(store, value):
    store.put(ADA, "small", value)
    assert store.get(ADA, "small").value == value


def test_what_is_deleted_is_gone_and_deleting_nothing_is_no_error(store):
    store.put(ADA, "food", {"text": "Ada likes figs."})
    store.delete(ADA, "food")
    store.delete(ADA, "food")
    assert store.get(ADA, "food") is None
    assert store.search(ADA) == []
    store.put(ADA, "food", {"text": "Ada likes figs."})
    assert store.get(ADA, "food").value == {"text": "Ada likes figs."}


def test_keys_of_any_shape(store):
    keys = ["with space", "a/b", "#1", "emoji 🍋", "k" * 300, "k" * 301, "1.2"]
    for number, key in enumerate(keys):
        store.put(ADA, key, {"number": number})
    assert [store.get(ADA, key).value["number"] for key in keys] == list(range(7))


def test_searching_by_prefix_filter_and_page(store):
    for number in range(10):
        namespace = ("docs", "even" if number % 2 == 0 else "odd")
        store.put(
            namespace, f"d{number}", {"number": number, "kind": "report", "by": {"name": "Ada"}}
        )
    store.put(("docs2",), "d", {"number": 1})

    def numbers(**options):
        return sorted(one.value["number"] for one in store.search(("docs",), **options))

    assert numbers(limit=20) == list(range(10))
    assert len(store.search(("docs",))) == 10
    assert len(store.search(("docs", "even"), limit=3)) == 3
    assert len(store.search(("docs", "even"), limit=3, offset=3)) == 2
    assert {one.key for one in store.search((), limit=50)} == {*(f"d{n}" for n in range(10)), "d"}
    assert numbers(filter={"number": 4}) == [4]
    assert numbers(filter={"number": {"$eq": 4}}) == [4]
    assert numbers(filter={"number": {"$gte": 4, "$lt": 6}}) == [4, 5]
    assert numbers(filter={"number": {"$gt": 7}, "kind": "report"}) == [8, 9]
    assert numbers(filter={"number": {"$lte": 1}}) == [0, 1]
    assert numbers(filter={"kind": {"$ne": "report"}}) == []
    assert numbers(filter={"by": {"name": "Ada"}, "number": {"$ne": 0}}) == list(range(1, 10))
    assert numbers(filter={"missing": 1}) == []


def test_a_query_orders_what_is_there_and_hides_nothing(store):
    for number in range(6):
        store.put(ADA, f"k{number}", {"text": "Ada likes figs." if number == 3 else "A pebble."})
    assert len(store.search(ADA, query="figs")) == 6
    assert len(store.search(ADA, query="volcanoes", limit=4)) == 4
    assert len(store.search(ADA, query="figs", filter={"text": "A pebble."})) == 5


def test_namespaces_are_listed_by_prefix_suffix_and_depth(store):
    for namespace in (
        ("a", "b", "c"), ("a", "b", "d", "e"), ("a", "b", "d", "i"), ("a", "b", "f"), ("a", "c", "f"),
        ("b", "a", "f"), ("users", "123"),
    ):  # fmt: skip
        store.put(namespace, "x", {"n": 1})
    assert store.list_namespaces(prefix=("a", "b"), max_depth=3) == [
        ("a", "b", "c"), ("a", "b", "d"), ("a", "b", "f"),
    ]  # fmt: skip
    assert store.list_namespaces(suffix=("f",)) == [
        ("a", "b", "f"),
        ("a", "c", "f"),
        ("b", "a", "f"),
    ]
    assert store.list_namespaces(prefix=("a", "*", "f")) == [("a", "b", "f"), ("a", "c", "f")]
    assert store.list_namespaces(prefix=("a",), suffix=("f",)) == [("a", "b", "f"), ("a", "c", "f")]
    assert len(store.list_namespaces(limit=2)) == 2
    assert store.list_namespaces(limit=2, offset=6) == [("users", "123")]


def test_a_batch_answers_in_order_and_sees_what_was_there_before(store):
    store.put(ADA, "old", {"text": "An old one."})
    answers = store.batch([
        GetOp(ADA, "old"),
        PutOp(ADA, "new", {"text": "A new one."}),
        PutOp(ADA, "new", {"text": "A newer one."}),
        SearchOp(("users",)),
        GetOp(ADA, "new"),
        PutOp(ADA, "old", None),
        ListNamespacesOp(match_conditions=(MatchCondition("prefix", ("users",)),)),
    ])  # fmt: skip
    assert answers[0].value == {"text": "An old one."}
    assert (answers[1], answers[2], answers[4], answers[5]) == (None, None, None, None)
    assert [one.key for one in answers[3]] == ["old"]
    assert answers[6] == [ADA]
    assert store.get(ADA, "new").value == {"text": "A newer one."}
    assert store.get(ADA, "old") is None


@pytest.mark.parametrize("namespace", [(), ("",), ("a.b",), ("langgraph", "x"), ("a", 1)])
def test_a_namespace_that_langgraph_refuses_is_refused(store, namespace):
    with pytest.raises(InvalidNamespaceError):
        store.put(namespace, "k", {"n": 1})


def test_awaiting_does_the_same(store):
    async def use():
        await store.aput(ADA, "food", {"text": "Ada likes figs."})
        assert (await store.aget(ADA, "food")).value == {"text": "Ada likes figs."}
        assert [one.key for one in await store.asearch(("users",))] == ["food"]
        assert await store.alist_namespaces() == [ADA]
        await asyncio.gather(*(store.aput(ADA, f"k{n}", {"n": n}) for n in range(10)))
        assert len(await store.asearch(ADA, limit=20)) == 11
        await store.adelete(ADA, "food")
        assert await store.aget(ADA, "food") is None

    asyncio.run(use())


# What is ours.


def test_a_query_finds_by_words_within_a_namespace(memory):
    store = GlymphStore(memory)
    store.put(ADA, "food", {"text": "Ada likes figs with honey.", "stars": 5})
    store.put(ADA, "work", {"text": "Ada builds bridges.", "stars": 4})
    store.put(("users", "eve"), "food", {"text": "Eve likes figs.", "stars": 3})
    memory.add("Figs grow on trees; no framework wrote this.")
    hit, other = store.search(ADA, query="figs")
    assert (hit.key, hit.namespace) == ("food", ADA)
    assert 0 < hit.score <= 1
    assert (other.key, other.score) == ("work", 0)
    figs = store.search(("users",), query="figs", limit=2)
    assert {one.namespace[1] for one in figs} == {"ada", "eve"}
    (hit,) = store.search(("users",), query="figs", filter={"stars": {"$lt": 4}})
    assert hit.namespace == ("users", "eve")


def test_a_store_can_leave_out_what_does_not_answer(memory):
    store = GlymphStore(memory, only_relevant=True)
    store.put(ADA, "food", {"text": "Ada likes figs with honey."})
    store.put(ADA, "work", {"text": "Ada builds bridges."})
    assert [one.key for one in store.search(ADA, query="figs")] == ["food"]
    assert store.search(ADA, query="volcanoes") == []
    assert len(store.search(ADA)) == 2


def test_every_item_that_fits_a_filter_is_returned_and_what_answers_stands_first(memory):
    store = GlymphStore(memory)
    for number in range(40):
        kind = "fruit" if number % 4 == 0 else "stone"
        store.put(ADA, f"n{number}", {"text": f"Number {number} is a pebble.", "kind": kind})
    store.put(ADA, "fig", {"text": "A fig.", "kind": "fruit"})
    fruit = store.search(ADA, query="fig", filter={"kind": "fruit"}, limit=20)
    assert (fruit[0].key, len(fruit)) == ("fig", 11)
    pages = [store.search(ADA, query="fig", limit=15, offset=at) for at in (0, 15, 30)]
    assert len({one.key for page in pages for one in page}) == 41


def test_filters_know_texts_lists_and_what_lies_deeper(memory):
    store = GlymphStore(memory)
    store.put(ADA, "a", {"day": "2025-03-01", "by": {"name": "Ada"}, "pair": [1, {"x": 2}]})
    store.put(ADA, "b", {"day": "2025-04-01", "by": {"name": "Bo"}, "by.name": "Cy"})

    def keys(wanted):
        return [one.key for one in store.search(ADA, filter=wanted)]

    assert keys({"day": {"$gte": "2025-03-15"}}) == ["b"]
    assert keys({"day": {"$gte": "2025-01-01", "$lt": "2025-03-15"}}) == ["a"]
    assert keys({"day": {"$gt": 3}}) == []
    assert keys({"by.name": "Ada"}) == ["a"]
    assert keys({"by.name": "Cy"}) == ["b"]  # a name with a dot of its own
    assert keys({"by.name.first": "Ada"}) == []
    assert keys({"pair": (1, {"x": {"$gt": 1}})}) == ["a"]
    assert keys({"pair": [1]}) == []


def test_namespaces_may_be_lists(memory):
    store = GlymphStore(memory)
    store.put(list(ADA), "food", {"text": "Ada likes figs."})
    store.put(ADA, "food", {"text": "Ada likes plums."})
    assert [one.value["text"] for one in store.search(["users"])] == ["Ada likes plums."]
    assert store.get(list(ADA), "food").namespace == ADA
    assert store.list_namespaces(prefix=["users"]) == [ADA]


@pytest.mark.parametrize("query", ["   ", "figs " * 10_000])
def test_a_blank_query_and_a_whole_document_as_one_are_answered(memory, query):
    store = GlymphStore(memory)
    store.put(ADA, "food", {"text": "Ada likes figs."})
    assert [one.key for one in store.search(ADA, query=query)] == ["food"]


def test_an_item_is_updated_when_it_is_put_not_when_it_is_read(memory, clock):
    store = GlymphStore(memory)
    store.put(ADA, "food", {"text": "Ada likes figs."}, ttl=60)
    first = store.get(ADA, "food")
    assert first.created_at == first.updated_at == clock()
    clock.advance(minutes=30)
    read = store.get(ADA, "food", refresh_ttl=True)
    assert read.updated_at == first.updated_at
    clock.advance(minutes=40)
    store.put(ADA, "food", {"text": "Ada likes figs."}, ttl=60)
    again = store.get(ADA, "food")
    assert (again.created_at, again.updated_at) == (first.created_at, clock())


def test_which_fields_are_searched_can_be_said(memory):
    store = GlymphStore(memory, fields=["text", "notes[*].said"])
    store.put(
        ADA, "a", {"text": "Ada likes figs.", "secret": "plums", "notes": [{"said": "honey"}]}
    )
    store.put(ADA, "b", {"text": "Ada likes pears.", "secret": "plums"}, index=["secret"])
    store.put(ADA, "c", {"text": "Ada likes quinces."}, index=False)

    def found(query):
        return [one.key for one in store.search(ADA, query=query) if one.score]

    assert found("honey") == ["a"]
    assert found("plums") == ["b"]
    assert found("quinces") == []
    assert "c" not in found("c in users ada")
    assert {one.key: one.score for one in store.search(ADA, query="honey")}["c"] is None
    assert len(store.search(ADA)) == 3


def test_a_put_is_one_operation_of_its_actor_and_undo_takes_it_back(memory):
    store = GlymphStore(memory)
    store.put(ADA, "food", {"text": "Ada likes figs."})
    store.put(ADA, "food", {"text": "Ada likes plums."})
    newest = memory.operations(limit=1)[0]
    assert (newest.verb, newest.actor) == ("update", "agent:graph")
    memory.undo(newest.id)
    assert store.get(ADA, "food").value == {"text": "Ada likes figs."}
    store.delete(ADA, "food")
    assert [one.title for one in memory.trash()] == ["users/ada/food"]
    memory.undo()
    assert store.get(ADA, "food").value == {"text": "Ada likes figs."}
    assert memory.verify().ok


def test_other_ways_in_find_what_the_graph_put(memory):
    GlymphStore(memory).put(ADA, "food", {"text": "Ada likes figs."})
    (hit,) = memory.search("figs", tags=["users.ada"])
    assert (hit.memory.title, hit.memory.source) == ("users/ada/food", "langgraph")


def test_what_upkeep_archived_is_got_by_its_key_and_comes_back_when_put(memory):
    store = GlymphStore(memory)
    store.put(ADA, "food", {"text": "Ada likes figs."})
    (one,) = memory.list()
    memory.archive(one.id)
    assert store.get(ADA, "food").value == {"text": "Ada likes figs."}
    assert store.search(ADA) == []
    store.put(ADA, "food", {"text": "Ada likes figs."})
    assert len(store.search(ADA)) == 1


def test_an_item_ends_after_its_time_and_reading_puts_that_off(memory, clock):
    store = GlymphStore(memory, ttl={"default_ttl": 60, "refresh_on_read": True})
    store.put(ADA, "a", {"text": "Read now and then."})
    store.put(ADA, "b", {"text": "Never read again."})
    store.put(ADA, "c", {"text": "Without an end."}, ttl=None)
    clock.advance(minutes=40)
    assert store.get(ADA, "a") is not None
    assert store.get(ADA, "b", refresh_ttl=False) is not None
    clock.advance(minutes=40)
    assert store.get(ADA, "a") is not None
    assert store.get(ADA, "b") is None
    assert {one.key for one in store.search(ADA)} == {"a", "c"}
    store.put(ADA, "b", {"text": "It is back."})
    assert store.get(ADA, "b").value == {"text": "It is back."}


def test_what_a_person_pinned_is_not_deleted_silently(memory):
    store = GlymphStore(memory)
    store.put(ADA, "food", {"text": "Ada likes figs."})
    memory.pin(memory.list()[0].id)
    with pytest.raises(Refused, match=r"users/ada/food stays: it is pinned"):
        store.delete(ADA, "food")


def test_what_was_purged_does_not_come_back_by_a_put(memory):
    store = GlymphStore(memory)
    store.put(ADA, "mail", {"text": "Write to ada.lovelace@example.org."})
    memory.forget("ada.lovelace@example.org", mode="purge", apply=True)
    assert store.get(ADA, "mail") is None or "ada.lovelace" not in str(store.get(ADA, "mail").value)
    with pytest.raises(Refused):
        store.put(ADA, "again", {"text": "Write to ada.lovelace@example.org."})


def test_an_unknown_operator_is_named(memory):
    store = GlymphStore(memory)
    store.put(ADA, "a", {"n": 1})
    with pytest.raises(InvalidInput, match=r"\$near"):
        store.search(ADA, filter={"n": {"$near": 1}})


def test_memories_of_the_same_source_without_an_address_are_left_alone(memory):
    memory.add("This was imported from elsewhere.", source="langgraph", tags=["users.ada", "#food"])
    store = GlymphStore(memory)
    assert store.search(()) == []
    assert store.get(ADA, "food") is None


# A graph that uses it.


class State(TypedDict):
    said: str
    answer: Annotated[str, lambda old, new: new]


def build(store, *, awaited):
    def remember(state: State, *, store: BaseStore) -> State:
        store.put(ADA, "food", {"text": state["said"]})
        return {"said": state["said"], "answer": ""}

    def answer(state: State, *, store: BaseStore) -> State:
        (found,) = store.search(ADA, query="figs", limit=1)
        return {"said": state["said"], "answer": found.value["text"]}

    async def aremember(state: State, *, store: BaseStore) -> State:
        await store.aput(ADA, "food", {"text": state["said"]})
        return {"said": state["said"], "answer": ""}

    async def aanswer(state: State, *, store: BaseStore) -> State:
        (found,) = await store.asearch(ADA, query="figs", limit=1)
        return {"said": state["said"], "answer": found.value["text"]}

    builder = StateGraph(State)
    builder.add_node("remember", aremember if awaited else remember)
    builder.add_node("answer", aanswer if awaited else answer)
    builder.add_edge(START, "remember")
    builder.add_edge("remember", "answer")
    builder.add_edge("answer", END)
    return builder.compile(store=store, checkpointer=InMemorySaver())


@pytest.mark.parametrize("awaited", [False, True])
def test_a_compiled_graph_remembers_under_its_thread(memory, awaited):
    graph = build(GlymphStore(memory), awaited=awaited)
    config = {"configurable": {"thread_id": "thread-7"}}
    given = {"said": "Ada likes figs with honey.", "answer": ""}
    done = asyncio.run(graph.ainvoke(given, config)) if awaited else graph.invoke(given, config)
    assert done["answer"] == "Ada likes figs with honey."
    (operation,) = memory.operations(verb="add")
    assert (operation.session, operation.actor) == ("thread-7", "agent:graph")
    assert memory.list()[0].session == "thread-7"

"""What a caller may get wrong is answered with the field and the next step.

That happens before anything is written.
"""

from __future__ import annotations

import base64

import pytest

from benchmarks.harness import mutations
from glymph import Glymph, Settings, errors
from glymph.testing import logical_image

HUGE = base64.urlsafe_b64encode(b"9" * 30).decode()
NESTED = mutations.nested(3000)
NEGATIVE = base64.urlsafe_b64encode(b"-3").decode()

REFUSED = [
    ("links", lambda g: g.add("x", links=[("id", "part_of", 0.5)])),
    ("links", lambda g: g.add("x", links=[5])),
    ("links", lambda g: g.add("x", links=[(5, "part_of")])),
    ("links", lambda g: g.add("x", links="id")),
    ("links", lambda g: g.add("x", links=5)),
    ("tags", lambda g: g.add("x", tags=5)),
    ("tags", lambda g: g.add("x", tags={"a": 1})),
    ("attributes", lambda g: g.add("x", attributes=[])),
    ("salience", lambda g: g.add("x", salience=10**400)),
    ("items", lambda g: g.add_many("abc")),
    ("items", lambda g: g.add_many({"text": "abc"})),
    ("items", lambda g: g.add_many(None)),
    ("items[0]", lambda g: g.add_many([None])),
    ("items[1]", lambda g: g.add_many(["fine", 5])),
    ("items[0]", lambda g: g.add_many([{"text": "x", "colour": "red"}])),
    ("colour", lambda g: g.add("The barn is red.", colour="red")),
    ("colour", lambda g: g.search("barn", colour="red")),
    ("items[0]", lambda g: g.add_many([{"text": "x", "settings": None}])),
    ("items[0]", lambda g: g.add_many([{"text": "x", 5: 6}])),
    ("items[0].text", lambda g: g.add_many([{"kind": "note"}])),
    ("items[0].tags", lambda g: g.add_many([{"text": "x", "tags": "one"}])),
    ("cursor", lambda g: g.list(cursor=5)),
    ("cursor", lambda g: g.list(cursor=HUGE)),
    ("cursor", lambda g: g.list(cursor=NEGATIVE)),
    ("cursor", lambda g: g.list(cursor="")),
    ("cursor", lambda g: g.list(cursor="x" * 20_000)),
    ("cursor", lambda g: g.operations(cursor=5)),
    ("actor", lambda g: g.operations(actor=["user"])),
    ("verb", lambda g: g.operations(verb=5)),
    ("limit", lambda g: g.list(limit=0)),
    ("tags", lambda g: g.list(tags=[["a"]])),
    ("tags", lambda g: g.list(tags=5)),
    ("tags", lambda g: g.list(tags="a")),
    ("kinds", lambda g: g.list(kinds=[["note"]])),
    ("kinds", lambda g: g.list(kinds=["zebra"])),
    ("states", lambda g: g.list(states=[["LIVE"]])),
    ("sections", lambda g: g.list(sections=5)),
    ("session", lambda g: g.list(session=["s"])),
    ("kinds", lambda g: g.list(kinds=[])),
    ("tags", lambda g: g.search("x", tags=[])),
    ("states", lambda g: g.search("x", states=[])),
    ("sections", lambda g: g.search("x", sections=())),
    ("spaces", lambda g: g.search("x", spaces="default")),
    ("spaces", lambda g: g.search("x", spaces=[])),
    ("space", lambda g: g.search("x", spaces=[["default"]])),
    ("query", lambda g: g.search(" ")),
    ("query", lambda g: g.recall(None)),
    ("id", lambda g: g.get(5)),
    ("id", lambda g: g.get(["x"])),
    ("id", lambda g: g.pin(None)),
    ("id", lambda g: g.unpin(5)),
    ("id", lambda g: g.update(5, text="x")),
    ("id", lambda g: g.history(5)),
    ("id", lambda g: g.link(5, "x")),
    ("id", lambda g: g.link("x", ["y"])),
    ("id", lambda g: g.unlink("x", None)),
    ("id", lambda g: g.edges({})),
    ("ids", lambda g: g.archive(None)),
    ("ids", lambda g: g.archive([["x"]])),
    ("ids", lambda g: g.delete([])),
    ("recall_id", lambda g: g.report(5)),
    ("used", lambda g: g.report("x", used=5)),
    ("used", lambda g: g.report("x", used=[["y"]])),
    ("name", lambda g: g.clusters.delete(5)),
    ("name", lambda g: g.clusters.add(5, "x")),
    ("ids", lambda g: g.clusters.remove("c", [5])),
    ("rule", lambda g: g.clusters.create("c", rule=5)),
    ("choice", lambda g: g.answer("x", ["keep_both"])),
    ("action", lambda g: g.batch_prune(["x"], ["archive"])),
    ("kind", lambda g: g.add("x", kind=NESTED)),
    ("kind", lambda g: g.update("x", kind=NESTED)),
    ("type", lambda g: g.link("x", "y", NESTED)),
    ("type", lambda g: g.unlink("x", "y", NESTED)),
    ("mode", lambda g: g.write("x", NESTED)),
    ("mode", lambda g: g.forget("x", mode=NESTED)),
    ("plan_id", lambda g: g.forget_plan(NESTED)),
    ("days", lambda g: g.costs(days=NESTED)),
    ("limit", lambda g: g.match_playbooks("x", limit=NESTED)),
    ("attributes", lambda g: g.match_playbooks("x", attributes=5)),
    ("attributes", lambda g: g.match_playbooks("x", attributes=[1])),
    ("attributes", lambda g: g.match_playbooks("x", attributes={1: 2})),
    ("budget_tokens", lambda g: g.surface(NESTED)),
    ("id", lambda g: g.nearest(["x"])),
    ("id", lambda g: g.nearest(10**30)),
    ("operation_id", lambda g: g.undo(["x"])),
    ("operation_id", lambda g: g.undo(10**30)),
    ("numbers", lambda g: g.tombstones.lift(10**30)),
    ("folder", lambda g: g.conversations(5)),
    ("folder", lambda g: g.conversations("a\0b")),
    ("session", lambda g: g.conversations.with_session(NESTED)),
    ("space", lambda g: g.conversations.folders(NESTED)),
    ("transcript", lambda g: g.conversations.carry_over(5)),
    ("settings", lambda g: Settings.parse([1])),
    ("settings.max_page", lambda g: Settings.parse({"max_page": 10**400})),
    ("settings.5", lambda g: Settings.parse({5: 1})),
]


@pytest.mark.parametrize(
    ("field", "attempt"), REFUSED, ids=[f"{n}-{field}" for n, (field, _) in enumerate(REFUSED)]
)
def test_a_wrong_value_is_refused_by_name_and_changes_nothing(glymph, field, attempt):
    before = logical_image(glymph._ctx.store, "default")
    with pytest.raises(errors.InvalidInput) as caught:
        attempt(glymph)
    assert caught.value.field == field
    said, _, step = str(caught.value).removesuffix(".").removesuffix("?").rpartition(". ")
    assert said.startswith(f"{field}: "), "no sentence before the next step"
    assert step, "no next step"
    assert logical_image(glymph._ctx.store, "default") == before


def test_nothing_given_is_the_same_as_an_empty_list(glymph):
    added = glymph.add("plum", tags=None, entities=None, links=None, attributes=None)
    memory = glymph.get(added.id)
    assert (memory.tags, memory.entities, memory.attributes, glymph.edges(added.id)) == (
        (),
        (),
        {},
        [],
    )
    found = glymph.recall("plum", kinds=None, tags=None, states=None, sections=None, spaces=None)
    receipt = glymph.report(found.id, used=None, confirmed=[added.id], contradicted=None)
    assert receipt.succeeded == (added.id,)


def test_an_unknown_field_is_answered_with_the_known_ones(glymph):
    with pytest.raises(errors.InvalidInput) as caught:
        glymph.add_many([{"text": "x", "colour": "red"}])
    assert "'colour'" in str(caught.value)
    assert "text, title, kind" in str(caught.value)
    assert "draft()" not in str(caught.value)


def test_backslashes_in_attributes_are_plain_characters_all_the_way(glymph):
    odd = {r"\u0000": [r"\u0000", r"\\u0000", "\\", "\n"]}
    one = glymph.add("one", attributes=odd).id
    two, _ = (a.id for a in glymph.add_many([{"text": "two", "attributes": odd}, "three"]))
    glymph.update(one, attributes={})
    glymph.undo()
    assert glymph.get(one).attributes == glymph.get(two).attributes == odd
    for hidden in ({"x": "\0"}, {"x": "\\\0"}, {"\0": 1}, {"x": [{"y": "a\0"}]}):
        with pytest.raises(errors.InvalidInput, match="NUL"):
            glymph.add("four", attributes=hidden)


def test_a_decomposed_query_finds_the_composed_word_and_the_other_way_round(glymph):
    composed, decomposed = (
        glymph.add("my r\u00e9sum\u00e9 is old"),
        glymph.add("a re\u0301sume\u0301 of yours"),
    )
    for query in ("r\u00e9sum\u00e9", "re\u0301sume\u0301"):
        assert {hit.memory.id for hit in glymph.search(query)} == {composed.id, decomposed.id}


def test_a_read_only_recall_says_that_nothing_was_reinforced(glymph, url, clock):
    memory_id = glymph.add("kestrel").id
    with Glymph.open(f"{url}?mode=ro", clock=clock) as reader:
        assert (
            reader.recall("kestrel").notice == "The store is read-only: this recall was not logged."
        )
        assert "nothing was reinforced" in reader.recall("kestrel", reinforce=True).notice
    assert glymph.get(memory_id).access_count == 0


def test_a_verdict_is_true_when_all_is_well(glymph):
    verdict = glymph.verify()
    assert bool(verdict) is verdict.ok is True

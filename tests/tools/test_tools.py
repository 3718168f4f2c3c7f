"""Every tool keeps the contract of a tool; each does what its sentence says."""

from __future__ import annotations

import importlib
import json
import pkgutil
from dataclasses import dataclass
from datetime import timedelta

import jsonschema
import pytest
from pydantic import ValidationError

from glymph import Glymph, errors
from glymph.cli.output import print_blocks
from glymph.history.policy import KEPT_CHARACTERS, worth_keeping
from glymph.testing import FrozenClock, logical_image
from glymph.tools import all_tools, builtin, index, tools_for
from tests.grounds.reading import put_in_question

CORE = {
    "memory_recall", "memory_report", "memory_add", "memory_supersede", "memory_get",
    "forget_concept", "analyze_memory", "batch_prune", "undo_operation", "answer_question",
}  # fmt: skip
NOBODY = "01900000-0000-7000-8000-000000000000"


@dataclass(frozen=True)
class Names:
    """Ids of what a store holds; by default ids that nothing has."""

    lesson: str = NOBODY
    preference: str = NOBODY[:-1] + "1"
    archived: str = NOBODY
    recall: str = NOBODY
    operation: str = NOBODY
    question: str = NOBODY
    hash: str = NOBODY


# Arguments with which each tool has something to do in a populated store.
PLAUSIBLE = {
    "analyze_memory": lambda n: {"min_staleness": 0.0, "include_isolated": True},
    "answer_question": lambda n: {"id": n.question, "choice": "keep_both"},
    "batch_prune": lambda n: {"node_ids": [n.lesson], "action": "archive"},
    "execute_prune": lambda n: {"node_ids": [n.lesson], "reason": "staleness"},
    "forget_concept": lambda n: {"request": "the nightly import"},
    "get_autonomous_status": lambda n: {},
    "get_costs": lambda n: {"days": 7},
    "get_memetic_status": lambda n: {},
    "get_memory_health": lambda n: {},
    "get_pruning_candidates": lambda n: {"limit": 5, "min_staleness_days": 1},
    "get_operations": lambda n: {"limit": 5, "verb": "add"},
    "match_playbooks": lambda n: {"situation": "the import is late", "attributes": {"load": 0.9}},
    "manage_clusters": lambda n: {"action": "add", "name": "weekdays", "ids": [n.preference]},
    "manage_conflicts": lambda n: {
        "action": "resolve",
        "ids": [n.question],
        "resolution": "new_is_current",
    },
    "memory_add": lambda n: {
        "text": "Invoices are due on the 3rd.",
        "kind": "fact",
        "links": [n.lesson],
    },
    "memory_delete": lambda n: {"ids": [n.lesson], "reason": "no longer true"},
    "memory_get": lambda n: {"id": n.lesson, "history": True},
    "memory_link": lambda n: {"source": n.lesson, "target": n.preference, "type": "related_to"},
    "memory_recall": lambda n: {"query": "why does the import fail?"},
    "memory_report": lambda n: {"recall_id": n.recall, "used": [n.lesson]},
    "memory_search": lambda n: {
        "query": "why does the import fail?",
        "states": ["LIVE", "ARCHIVED"],
    },
    "memory_supersede": lambda n: {"old": n.lesson, "new_text": "The import fails on Fridays."},
    "memory_update": lambda n: {
        "id": n.lesson,
        "text": "The import fails on Tuesdays.",
        "reason": "corrected",
    },
    "memory_write": lambda n: {"text": "I check the import on Mondays."},
    "merge_memories": lambda n: {"ids": [n.lesson, n.preference]},
    "pin_memory": lambda n: {"id": n.lesson},
    "restore_from_hash": lambda n: {"hash": n.hash},
    "restore_memory": lambda n: {"ids": [n.archived]},
    "trigger_consolidation": lambda n: {"grouping": ["symbol", "tag"]},
    "search_history": lambda n: {"query": "the import", "session": "standup", "limit": 5},
    "undo_operation": lambda n: {"operation_id": n.operation},
}

every_tool = pytest.mark.parametrize("tool", all_tools().values(), ids=list(all_tools()))


def populate(glymph):
    """A lesson and a preference recalled together, an archived memory and more.

    The rest is a cluster, a page and a question.
    """
    lesson = glymph.add(
        "The nightly import fails on Mondays.", kind="lesson", tags=["ops"], pinned=False
    ).id
    preference = glymph.add("Anna prefers short answers about the import.", kind="preference").id
    archived = glymph.add("The old import ran at noon.", kind="fact").id
    put_away = glymph.archive(archived)
    glymph.clusters.create("weekdays")
    glymph.clusters.add("weekdays", lesson)
    glymph.write("I am careful.")
    glymph.conversations().append(
        "standup", {"role": "user", "content": "The import ran for 40 minutes."}
    )
    recalled = glymph.recall("import")
    changed = glymph.update(lesson, title="Monday imports")
    gate = glymph.add("The gate code is 1234.", kind="fact", pinned=True).id
    newer = glymph.add("The gate code is now 4321.", kind="fact").id
    question = put_in_question(glymph, gate, newer)
    glymph.unpin(gate)
    glymph._ctx.clock.advance(days=4)  # what is very young is not pruned
    return Names(
        lesson, preference, archived, recalled.id, changed.operation_id, question, put_away.hash
    )


@pytest.fixture
def names(glymph):
    return populate(glymph)


def call(glymph, tool_name, /, **arguments):
    """A tool called the way an interface calls it; the answer as its JSON says it."""
    tool = all_tools()[tool_name]
    return json.loads(json.dumps(tool.run(glymph, tool.arguments.model_validate(arguments))))


def image(glymph):
    return logical_image(glymph._ctx.store, glymph.space)


def everything(glymph):
    """Every row of the space, operations and logs included."""
    return list(glymph._ctx.store.dump(glymph.space))


def but_plans(glymph):
    """Every row, except plans, which say what would be done."""
    return [(table, row) for table, row in everything(glymph) if table != "plans"]


# The contract


def test_every_file_holds_one_tool_of_its_own_name_and_command():
    modules = {m.name for m in pkgutil.iter_modules(builtin.__path__)}
    found = {name: importlib.import_module(f"glymph.tools.builtin.{name}").TOOL for name in modules}
    assert {name: tool.name for name, tool in found.items()} == {name: name for name in modules}
    assert len({tool.command for tool in found.values()}) == len(modules)
    assert found == all_tools()


def test_every_tool_has_plausible_arguments_in_this_file():
    assert set(PLAUSIBLE) == set(all_tools()), "add arguments for the new tool to PLAUSIBLE"


def test_old_results_are_worth_what_the_history_keeps_of_them():
    told = {name: tool.keep_chars for name, tool in all_tools().items()}
    known = {name: worth_keeping(name) for name in told}
    assert told == known
    assert {name for name in KEPT_CHARACTERS if name not in told} <= {"explore_memory"}


def test_what_was_said_in_a_conversation_is_found_by_its_name(glymph):
    glymph.conversations().append(
        "standup", {"role": "user", "content": "The import ran for 40 minutes."}
    )
    (turn,) = call(
        glymph, "search_history", query="how long did the import run", session="standup"
    )["turns"]
    assert turn["text"] == "The import ran for 40 minutes."
    assert (turn["number"], turn["role"], turn["summarised"]) == (1, "user", False)
    for name in ("../standup", "/etc/passwd", "another", "standup/../standup"):
        with pytest.raises(
            errors.InvalidInput, match=r"there is no conversation .* Known: 'standup'"
        ):
            call(glymph, "search_history", query="import", session=name)
    with pytest.raises(errors.InvalidInput, match=r"name the conversation .*Known: 'standup'"):
        call(glymph, "search_history", query="import")


def test_a_conversation_is_found_wherever_it_lies_and_the_usual_place_comes_first(glymph, tmp_path):
    def say(where, session, text):
        glymph.conversations(where).append(session, {"role": "user", "content": text})

    say("store", "stored", "The import ran in the store.")
    say(tmp_path / "else", "elsewhere", "The import ran elsewhere.")
    say("store", "both", "The import ran in the store.")
    say(None, "both", "The import ran in the usual folder.")
    said = {
        name: call(glymph, "search_history", query="import", session=name)["turns"][0]["text"]
        for name in ("stored", "elsewhere", "both")
    }
    assert said == {
        "stored": "The import ran in the store.",
        "elsewhere": "The import ran elsewhere.",
        "both": "The import ran in the usual folder.",
    }


def test_an_unknown_conversation_is_answered_with_some_that_there_are(glymph):
    with pytest.raises(errors.InvalidInput, match="There is none yet"):
        call(glymph, "search_history", query="import", session="standup")
    for number in range(12):
        glymph.conversations("store").append(
            f"talk {number}", {"role": "user", "content": "Hello."}
        )
    with pytest.raises(errors.InvalidInput) as raised:
        call(glymph, "search_history", query="import", session="standup")
    assert str(raised.value).count("'talk ") == 10
    assert "and 2 more" in str(raised.value)


@every_tool
def test_a_description_is_one_short_line_that_reads_as_a_sentence(tool):
    assert "\n" not in tool.description
    assert len(tool.description) <= 120
    assert tool.description[0].isupper()
    assert tool.description.endswith(".")


def test_the_index_reads_the_same_from_the_files_as_python_does():
    assert index.commands() == {t.command: (t.name, t.description) for t in all_tools().values()}


@every_tool
def test_a_schema_is_valid_closed_and_described(tool):
    schema = json.loads(json.dumps(tool.schema))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    for name, field in schema["properties"].items():
        assert field.get("description"), f"{name} has no description"
        assert not {"title", "positional"} & set(field), f"{name} shows what is not for the model"


@every_tool
def test_plausible_arguments_pass_the_schema_and_unknown_ones_do_not(tool):
    arguments = PLAUSIBLE[tool.name](Names())
    jsonschema.validate(arguments, tool.schema)
    tool.arguments.model_validate(arguments)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**arguments, "colour": "red"}, tool.schema)
    with pytest.raises(ValidationError, match="colour"):
        tool.arguments.model_validate({**arguments, "colour": "red"})


@every_tool
def test_one_text_where_a_list_is_wanted_means_a_list_of_one_or_the_list_it_spells(tool):
    arguments = PLAUSIBLE[tool.name](Names())
    for name, field in tool.schema["properties"].items():
        kinds = [field.get("type"), *(option.get("type") for option in field.get("anyOf", ()))]
        if "array" not in kinds:
            continue
        texts = (("one", ["one"]), ('["one", "two"]', ["one", "two"]), ("[one", ["[one"]))
        numbers = ((1, [1]), ("1", [1]), ("[1, 2]", [1, 2]))
        of_numbers = '"integer"' in json.dumps(field)
        for given, meant in numbers if of_numbers else texts:
            assert getattr(tool.arguments.model_validate({**arguments, name: given}), name) == meant


@every_tool
def test_a_result_is_plain_json(tool, glymph, names):
    result = tool.run(glymph, tool.arguments.model_validate(PLAUSIBLE[tool.name](names)))
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert 100 <= tool.keep_chars <= 1000


@every_tool
def test_a_result_and_a_preview_are_rendered_for_people(tool, glymph, names, capsys):
    arguments = tool.arguments.model_validate(PLAUSIBLE[tool.name](names))
    rendered = [tool.render(tool.run(glymph, arguments))]
    if tool.preview:
        rendered.append(tool.render_preview(tool.preview(glymph, arguments)))
    for one in rendered:
        print_blocks(one)
        said = capsys.readouterr().out
        assert said.strip()
        assert "{" not in said


@every_tool
def test_only_a_tool_that_is_not_read_only_changes_anything(tool, glymph, names):
    before = everything(glymph)
    call(glymph, tool.name, **PLAUSIBLE[tool.name](names))
    assert (everything(glymph) == before) is tool.read_only


@pytest.mark.parametrize("name", [tool.name for tool in all_tools().values() if tool.idempotent])
def test_an_idempotent_tool_does_nothing_more_the_second_time(name, glymph, names):
    call(glymph, name, **PLAUSIBLE[name](names))
    once = image(glymph)
    call(glymph, name, **PLAUSIBLE[name](names))
    assert image(glymph) == once


@every_tool
def test_a_preview_belongs_to_a_destructive_tool_and_changes_nothing(tool, glymph, names):
    assert tool.preview is None or tool.destructive
    assert not (tool.destructive and tool.read_only)
    if tool.preview:
        before = but_plans(glymph)
        shown = tool.preview(glymph, tool.arguments.model_validate(PLAUSIBLE[tool.name](names)))
        assert but_plans(glymph) == before
        assert json.loads(json.dumps(shown)) == shown


@every_tool
def test_what_a_tool_changed_can_be_undone_by_the_operation_it_names(tool, glymph, names):
    before = image(glymph)
    done = call(glymph, tool.name, **PLAUSIBLE[tool.name](names))
    if "operation_id" in done:
        assert image(glymph) != before
        call(glymph, "undo_operation", operation_id=done["operation_id"])
    assert image(glymph) == before


@every_tool
def test_on_an_empty_store_a_tool_answers_or_raises_a_typed_error(tool, glymph):
    before = image(glymph)
    typed = errors.InvalidInput if tool.name == "search_history" else errors.NotFound
    try:
        done = call(glymph, tool.name, **PLAUSIBLE[tool.name](Names()))
    except typed:
        assert image(glymph) == before
    else:
        assert NOBODY[:-1] not in json.dumps([done.get("succeeded"), done.get("hits")])


def test_profiles_grow_from_core_to_full_and_undo_is_always_there():
    core, curator, full = (set(tools_for(profile)) for profile in ("core", "curator", "full"))
    assert core == CORE
    assert core < curator < full
    assert full == set(all_tools())
    assert {"restore_memory", "pin_memory", "manage_clusters"} <= curator
    assert not {"get_memory_health", "get_operations"} & curator


# memory_add


def test_add_says_what_was_created_known_and_linked(glymph):
    first = call(glymph, "memory_add", text="Tea is at four.", tags="ritual")
    again = call(glymph, "memory_add", text="tea is  at FOUR.")
    linked = call(glymph, "memory_add", text="Cake is at five.", links=first["id"])
    assert first["created"] is True
    assert first["duplicate_of"] is None
    assert (again["created"], again["duplicate_of"]) == (False, first["id"])
    assert linked["connected_to"] == [first["id"]]
    assert glymph.get(first["id"]).tags == ("ritual",)
    assert glymph.get(first["id"]).access_count == 1


def test_add_keeps_every_field_it_is_given(glymph):
    done = call(
        glymph, "memory_add", text="We sold the boat.", title="Boat", kind="decision", entities=["boat"],
        attributes={"price": 900, "nested": {"a": [1, None]}}, event_at="2026-01-02T10:00:00+02:00", salience=1,
        source="mail", session="s1", trust=0.5, pinned=True, expires_at="2027-01-01T00:00:00Z",
    )  # fmt: skip
    shown = call(glymph, "memory_get", id=done["id"])["memory"]
    assert (shown["title"], shown["kind"], shown["section"]) == ("Boat", "decision", "KNOWLEDGE")
    assert shown["attributes"] == {"price": 900, "nested": {"a": [1, None]}}
    assert shown["event_at"] == "2026-01-02T08:00:00+00:00"
    assert (shown["salience"], shown["trust"], shown["source"], shown["session"]) == (
        1.0,
        0.5,
        "mail",
        "s1",
    )
    assert (shown["pinned"], shown["entities"]) == (True, ["boat"])


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"text": "   "}, "text"),
        ({"text": "a\0b"}, "text"),
        ({"text": "x" * 100_001}, "text"),
        ({"text": "fine", "kind": "Not A Kind"}, "kind"),
        ({"text": "fine", "kind": "self"}, "kind"),
        ({"text": "fine", "section": "NOWHERE", "kind": "mine"}, "section"),
        ({"text": "fine", "tags": [f"t{n}" for n in range(51)]}, "tags"),
        ({"text": "fine", "attributes": {"x": "y" * 30_000}}, "attributes"),
        ({"text": "fine", "attributes": {"a": "\0"}}, "attributes"),
        ({"text": "fine", "attributes": {"a": float("inf")}}, "attributes"),
    ],
)
def test_add_refuses_what_cannot_be_kept_and_names_the_field(glymph, arguments, field):
    with pytest.raises(errors.InvalidInput) as caught:
        call(glymph, "memory_add", **arguments)
    assert caught.value.field == field
    assert glymph.health().live == 0


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "text"),
        ({"text": 5}, "text"),
        ({"text": None}, "text"),
        ({"text": "fine", "salience": 1.5}, "salience"),
        ({"text": "fine", "trust": "much"}, "trust"),
        ({"text": "fine", "event_at": "2026-01-01T00:00:00"}, "event_at"),
        ({"text": "fine", "event_at": "yesterday"}, "event_at"),
        ({"text": "fine", "tags": [1, 2]}, "tags"),
        ({"text": "fine", "attributes": ["a"]}, "attributes"),
    ],
)
def test_add_refuses_arguments_of_the_wrong_type_and_names_the_field(glymph, arguments, field):
    with pytest.raises(ValidationError) as caught:
        call(glymph, "memory_add", **arguments)
    assert caught.value.errors()[0]["loc"][0] == field


def test_add_with_a_link_to_nothing_stores_nothing(glymph):
    with pytest.raises(errors.MemoryNotFound):
        call(glymph, "memory_add", text="A note on air.", links=[NOBODY])
    assert glymph.health().live == 0


# memory_search, memory_recall, memory_report


def test_search_finds_by_words_and_shows_enough_to_act_on(glymph, names):
    hits = call(glymph, "memory_search", query="Why does the IMPORT fail?", kinds="lesson")["hits"]
    assert [hit["id"] for hit in hits] == [names.lesson]
    assert {"title", "text", "kind", "state", "lifecycle", "retrievability"} <= set(hits[0])
    assert {"score", "parts", "why"} <= set(hits[0])
    assert hits[0]["tags"] == ["ops"]
    assert "space" not in hits[0]


def test_search_names_the_space_when_it_is_not_the_usual_one(url, clock):
    with Glymph.open(url, space="work", clock=clock) as work:
        work.add("The kettle is blue.")
        assert call(work, "memory_search", query="kettle")["hits"][0]["space"] == "work"


def test_search_filters_by_state_tag_time_and_budget(glymph, names, clock):
    def ids(**filters):
        return {
            hit["id"] for hit in call(glymph, "memory_search", query="import", **filters)["hits"]
        }

    assert ids() == {names.lesson, names.preference}
    assert ids(states="archived") == {names.archived}
    assert ids(tags=["ops"]) == {names.lesson}
    assert ids(sections=["PROCEDURAL"]) == set()
    assert ids(until=(clock() - timedelta(days=5)).isoformat()) == set()
    assert ids(since=(clock() - timedelta(days=4)).isoformat()) == {names.lesson, names.preference}
    assert len(ids(limit=1)) == 1
    assert ids(budget_tokens=1) == set()


@pytest.mark.parametrize(
    ("filters", "field"),
    [
        ({"states": "GONE"}, "states"),
        ({"sections": "NOWHERE"}, "sections"),
        ({"kinds": "lessen"}, "kinds"),
    ],
)
def test_a_filter_that_can_match_nothing_is_an_error_not_an_empty_answer(
    glymph, names, filters, field
):
    with pytest.raises(errors.InvalidInput) as caught:
        call(glymph, "memory_search", query="import", **filters)
    assert caught.value.field == field


@pytest.mark.parametrize(
    "arguments",
    [
        {"limit": 0},
        {"limit": 1001},
        {"limit": "many"},
        {"budget_tokens": 0},
        {"since": "2026-01-01"},
        {"query": 7},
    ],
)
def test_search_refuses_arguments_out_of_range(glymph, arguments):
    with pytest.raises(ValidationError):
        call(glymph, "memory_search", **{"query": "import", **arguments})


def test_recall_reinforces_only_what_is_reported(glymph, names, clock):
    clock.advance(days=30)
    recalled = call(glymph, "memory_recall", query="import")
    assert {hit["id"] for hit in recalled["hits"]} == {names.lesson, names.preference}
    assert glymph.get(names.lesson).access_count == 0
    told = call(glymph, "memory_report", recall_id=recalled["recall_id"], confirmed=names.lesson)
    assert told["succeeded"] == [names.lesson]
    assert glymph.get(names.lesson).access_count == 1
    assert glymph.get(names.lesson).stability > 90
    assert glymph.get(names.preference).access_count == 0


def test_recall_can_count_its_hits_as_used_at_once(glymph, names):
    call(glymph, "memory_recall", query="import", reinforce=True)
    assert glymph.get(names.lesson).access_count == glymph.get(names.preference).access_count == 1


def test_report_fails_what_the_recall_did_not_show_and_skips_what_went_since(glymph, names):
    recall = call(glymph, "memory_recall", query="import")["recall_id"]
    glymph.delete(names.preference)
    done = call(
        glymph,
        "memory_report",
        recall_id=recall,
        used=[names.lesson, names.archived, NOBODY, names.preference],
    )
    assert done["succeeded"] == [names.lesson]
    assert [refusal["id"] for refusal in done["failed"]] == [names.archived, NOBODY]
    assert [refusal["id"] for refusal in done["skipped"]] == [names.preference]
    with pytest.raises(errors.RecallNotFound):
        call(glymph, "memory_report", recall_id=NOBODY, used=[names.lesson])


def test_a_recall_on_a_read_only_store_says_that_it_was_not_logged(url, glymph, names):
    glymph.close()
    with Glymph.open(f"{url}?mode=ro", clock=FrozenClock()) as reader:
        recalled = call(reader, "memory_recall", query="import")
        assert recalled["recall_id"] is None
        assert "read-only" in recalled["notice"]
        assert len(recalled["hits"]) == 2
        with pytest.raises(errors.ReadOnlyStore):
            call(reader, "memory_add", text="One more thing.")


# memory_get, memory_update, memory_link, memory_write


def test_get_shows_links_and_history_and_the_past(glymph, names, clock):
    born = clock.now
    clock.advance(days=1)
    call(glymph, "memory_link", source=names.lesson, target=names.preference)
    call(glymph, "memory_update", id=names.lesson, text="The import fails on Tuesdays.")
    now = call(glymph, "memory_get", id=names.lesson, history=True)
    then = call(glymph, "memory_get", id=names.lesson, at=born.isoformat())
    assert now["memory"]["text"] == "The import fails on Tuesdays."
    assert [link["target"] for link in now["links"]] == [names.preference]
    assert [change["verb"] for change in now["history"]] == [
        "add",
        "cluster",
        "update",
        "link",
        "update",
    ]
    assert now["history"][-1]["before"]["text"] == "The nightly import fails on Mondays."
    assert then["memory"]["text"] == "The nightly import fails on Mondays."
    assert "links" not in then


def test_get_knows_no_ids_of_other_spaces_and_no_time_before_the_journal(url, glymph, names, clock):
    with (
        Glymph.open(url, space="other", clock=clock) as other,
        pytest.raises(errors.MemoryNotFound, match=names.lesson),
    ):
        call(other, "memory_get", id=names.lesson)
    with pytest.raises(errors.HistoryGone):
        call(glymph, "memory_get", id=names.lesson, at="2020-01-01T00:00:00Z")
    with pytest.raises(ValidationError):
        call(glymph, "memory_get", id=names.lesson, at="last week")


def test_update_changes_every_field_it_offers_and_only_those_given(glymph, names):
    fields = {
        "text": "New text.", "title": "New title", "kind": "fact", "tags": ["new"], "entities": ["Anna"],
        "attributes": {"a": 1}, "event_at": "2026-01-01T00:00:00+00:00", "expires_at": "2027-01-01T00:00:00+00:00",
        "salience": 0.9, "trust": 0.2, "source": "phone",
    }  # fmt: skip
    assert {*fields, "id", "reason"} == set(all_tools()["memory_update"].schema["properties"])
    for name, value in fields.items():
        before = call(glymph, "memory_get", id=names.lesson)["memory"]
        assert call(glymph, "memory_update", id=names.lesson, **{name: value})["succeeded"] == [
            names.lesson
        ]
        after = call(glymph, "memory_get", id=names.lesson)["memory"]
        assert after[name] == value
        unasked = {
            "text",
            "kind",
            "tags",
            "entities",
            "attributes",
            "source",
            "trust",
            "event_at",
        } - {name}
        assert {key: after[key] for key in unasked} == {key: before[key] for key in unasked}


def test_update_needs_a_known_id_and_something_to_change(glymph, names):
    with pytest.raises(errors.InvalidInput, match="nothing to change"):
        call(glymph, "memory_update", id=names.lesson)
    with pytest.raises(errors.MemoryNotFound):
        call(glymph, "memory_update", id=NOBODY, text="Anything.")
    same = call(glymph, "memory_update", id=names.lesson, title="Monday imports")
    assert (same["succeeded"], same["skipped"][0]["reason"]) == ([], "it says that already")


def test_link_makes_strengthens_and_removes(glymph, names):
    ends = {"source": names.lesson, "target": names.preference, "type": "caused_by"}
    call(glymph, "memory_link", **ends)
    assert [(e.type, e.weight) for e in glymph.edges(names.lesson)] == [("caused_by", 0.8)]
    call(glymph, "memory_link", **ends, weight=0.95)
    assert [e.weight for e in glymph.edges(names.lesson)] == [0.95]
    call(glymph, "memory_link", **ends, remove=True)
    assert glymph.edges(names.lesson) == []
    assert call(glymph, "memory_link", **ends, remove=True)["skipped"]


def test_link_refuses_itself_strange_types_and_strange_ids(glymph, names):
    with pytest.raises(errors.InvalidInput, match=r"target: .*itself"):
        call(glymph, "memory_link", source=names.lesson, target=names.lesson)
    with pytest.raises(errors.InvalidInput, match="Did you mean 'caused_by'"):
        call(glymph, "memory_link", source=names.lesson, target=names.preference, type="caused")
    with pytest.raises(errors.MemoryNotFound):
        call(glymph, "memory_link", source=names.lesson, target=NOBODY)
    for weight in (0, 1.1):
        with pytest.raises(ValidationError):
            call(glymph, "memory_link", source=names.lesson, target=names.preference, weight=weight)


def test_write_replaces_or_extends_the_page_within_its_length(glymph):
    assert call(glymph, "memory_write", text="I am careful.")["page"] == "I am careful."
    assert (
        call(glymph, "memory_write", text="And kind.", mode="append")["page"]
        == "I am careful.\nAnd kind."
    )
    assert call(glymph, "memory_write", text="I am bold.")["page"] == "I am bold."
    with pytest.raises(errors.InvalidInput, match="600"):
        call(glymph, "memory_write", text="word " * 600, mode="append")
    with pytest.raises(ValidationError, match="mode"):
        call(glymph, "memory_write", text="Something.", mode="prepend")
    assert glymph.page() == "I am bold."


# memory_delete, restore_memory, undo_operation, pin_memory


def test_delete_trashes_archives_and_says_until_when_it_can_come_back(glymph, names, clock):
    trashed = call(glymph, "memory_delete", ids=names.lesson)
    archived = call(
        glymph, "memory_delete", ids=[names.preference], action="archive", reason="done with"
    )
    assert trashed["recoverable_until"] == (clock() + timedelta(days=30)).isoformat()
    assert archived["recoverable_until"] is None
    assert (glymph.get(names.lesson).state, glymph.get(names.preference).state) == (
        "TRASHED",
        "ARCHIVED",
    )
    assert glymph.operations(limit=1)[0].reason == "done with"


def test_delete_takes_one_to_five_ids(glymph):
    for ids in ([], [NOBODY] * 6):
        with pytest.raises(ValidationError, match="ids"):
            call(glymph, "memory_delete", ids=ids)
    assert [r["id"] for r in call(glymph, "memory_delete", ids=[NOBODY, "x"])["failed"]] == [
        NOBODY,
        "x",
    ]


@pytest.mark.parametrize("action", ["archive", "delete"])
def test_a_preview_of_delete_says_of_each_id_what_a_run_then_does(glymph, names, action):
    pinned = glymph.add("Never delete me.", pinned=True).id
    trashed = glymph.add("Already gone.").id
    glymph.delete(trashed)
    identity = glymph.spaces()[0].identity_id
    tool = all_tools()["memory_delete"]
    for ids in (
        [names.lesson, names.archived, pinned, trashed, identity],
        [names.preference, NOBODY, NOBODY],
    ):
        arguments = tool.arguments(ids=ids, action=action)
        shown, done = (
            tool.preview(glymph, arguments),
            call(glymph, "memory_delete", ids=ids, action=action),
        )
        assert shown["would"] == action
        assert [memory["id"] for memory in shown["memories"]] == done["succeeded"]
        assert shown["skipped"] == done["skipped"]
        assert shown["failed"] == done["failed"]


def test_restore_brings_archived_and_trashed_memories_back(glymph, names):
    glymph.delete(names.lesson)
    done = call(
        glymph, "restore_memory", ids=[names.lesson, names.archived, names.preference, NOBODY]
    )
    assert done["succeeded"] == [names.lesson, names.archived]
    assert done["skipped"] == [{"id": names.preference, "reason": "it is LIVE already"}]
    assert [refusal["id"] for refusal in done["failed"]] == [NOBODY]
    with pytest.raises(ValidationError):
        call(glymph, "restore_memory", ids=[])


def test_undo_takes_back_the_newest_operation_and_the_undo_of_it(glymph, names):
    deleted = call(glymph, "memory_delete", ids=[names.lesson])
    undone = call(glymph, "undo_operation", reason="too hasty")
    assert glymph.get(names.lesson).state == "LIVE"
    with pytest.raises(errors.AlreadyUndone, match=undone["operation_id"]):
        call(glymph, "undo_operation", operation_id=deleted["operation_id"])
    call(glymph, "undo_operation", operation_id=undone["operation_id"])
    assert glymph.get(names.lesson).state == "TRASHED"


def test_undo_leaves_alone_what_was_changed_since_and_names_it(glymph, names):
    deleted = call(glymph, "memory_delete", ids=[names.lesson, names.preference])
    glymph.restore(names.lesson)
    undone = call(glymph, "undo_operation", operation_id=deleted["operation_id"])
    assert undone["succeeded"] == [names.preference]
    assert [refusal["id"] for refusal in undone["skipped"]] == [names.lesson]


def test_undo_of_nothing_or_of_birth_is_a_typed_error(glymph):
    with pytest.raises(errors.OperationNotFound):
        call(glymph, "undo_operation")
    with pytest.raises(errors.OperationNotFound, match=NOBODY):
        call(glymph, "undo_operation", operation_id=NOBODY)
    with pytest.raises(errors.NotUndoable):
        call(glymph, "undo_operation", operation_id=glymph.operations()[0].id)


def test_a_pin_protects_until_it_is_taken_off(glymph, names):
    call(glymph, "pin_memory", id=names.lesson, reason="matters")
    assert call(glymph, "memory_delete", ids=names.lesson)["skipped"]
    call(glymph, "pin_memory", id=names.lesson, unpin=True)
    assert call(glymph, "memory_delete", ids=names.lesson)["succeeded"] == [names.lesson]
    with pytest.raises(errors.MemoryNotFound):
        call(glymph, "pin_memory", id=NOBODY)


# manage_clusters, get_memory_health, get_operations


def test_clusters_are_filled_by_hand_or_by_rule(glymph, names):
    call(glymph, "manage_clusters", action="create", name="likes", kind="preference")
    call(glymph, "manage_clusters", action="add", name="weekdays", ids=names.preference)
    call(glymph, "manage_clusters", action="remove", name="weekdays", ids=names.lesson)
    found = {cluster["name"]: cluster for cluster in call(glymph, "manage_clusters")["clusters"]}
    assert found["weekdays"]["members"] == [names.preference]
    assert found["likes"]["members"] == [names.preference]
    assert (found["likes"]["rule"], found["likes"]["active"]) == ({"kind": "preference"}, 1)
    call(glymph, "manage_clusters", action="delete", name="weekdays")
    assert [cluster["name"] for cluster in call(glymph, "manage_clusters")["clusters"]] == ["likes"]


def test_clusters_say_what_is_missing_or_wrong(glymph, names):
    call(glymph, "manage_clusters", action="create", name="ops", tag="ops")
    with pytest.raises(errors.InvalidInput, match="needs a name"):
        call(glymph, "manage_clusters", action="create")
    with pytest.raises(errors.InvalidInput, match="exists already"):
        call(glymph, "manage_clusters", action="create", name="ops")
    with pytest.raises(errors.InvalidInput, match="ids"):
        call(glymph, "manage_clusters", action="add", name="weekdays")
    with pytest.raises(errors.InvalidInput, match="rule"):
        call(glymph, "manage_clusters", action="add", name="ops", ids=names.lesson)
    with pytest.raises(errors.ClusterNotFound):
        call(glymph, "manage_clusters", action="delete", name="nothing")
    with pytest.raises(ValidationError, match="action"):
        call(glymph, "manage_clusters", action="burn")


def test_health_counts_what_is_there_and_what_fades(glymph, names, clock):
    fresh = call(glymph, "get_memory_health")
    assert (fresh["live"], fresh["archived"], fresh["trashed"]) == (4, 1, 0)
    assert fresh["by_kind"] == {"lesson": 1, "preference": 1, "fact": 2}
    clock.advance(days=3000)
    later = call(glymph, "get_memory_health")
    assert (later["live"], later["dormant"]) == (0, 4)


def test_operations_tell_who_did_what_in_one_conversation(glymph, names, url, clock):
    with Glymph.open(url, actor="robot", session="talk-1", clock=clock) as robot:
        call(robot, "memory_add", text="The door squeaks.")
        call(robot, "memory_delete", ids=[names.lesson, NOBODY])
        call(robot, "undo_operation")
    told = call(glymph, "get_operations", session="talk-1")
    assert [operation["verb"] for operation in told["operations"]] == ["undo", "delete", "add"]
    assert {operation["actor"] for operation in told["operations"]} == {"robot"}
    assert told["summary"].startswith("3 operations by robot: ")
    assert told["summary"].endswith("1 undone since; 1 id skipped or failed.")


def test_operations_go_on_from_a_cursor_and_say_when_there_are_none(glymph, names):
    _, *older = call(glymph, "get_operations", limit=3)["operations"]
    behind = call(glymph, "get_operations", limit=1)["next_cursor"]
    assert call(glymph, "get_operations", limit=2, cursor=behind)["operations"] == older
    assert call(glymph, "get_operations", actor="nobody") == {
        "summary": "No operation fits that.",
        "operations": [],
    }
    with pytest.raises(errors.InvalidInput, match="next_cursor"):
        call(glymph, "get_operations", cursor=NOBODY)
    with pytest.raises(ValidationError):
        call(glymph, "get_operations", limit=0)

"""The tools as a model meets them before the first call: few, short, and still complete."""

from __future__ import annotations

import json

import jsonschema
import pytest

from glymph.mcp.server import answer_call, describe
from glymph.tools import all_tools, tools_for
from tests.tools.encoding import counter
from tests.tools.test_tools import PLAUSIBLE, Names

MOST_TOOLS, MOST_TOKENS, MOST_CHARACTERS = 10, 1_500, 6_300


def definitions(profile):
    """What a host puts before a model: name, description and input schema of each tool."""
    listed = [describe(tool, profile) for tool in tools_for(profile).values()]
    shown = [tool.model_dump(by_alias=True, exclude_none=True) for tool in listed]
    wanted = ("name", "description", "inputSchema")
    return json.dumps([{name: one[name] for name in wanted} for one in shown], ensure_ascii=False)


def test_the_core_is_few_tools_in_few_words():
    assert len(tools_for("core")) <= MOST_TOOLS
    assert len(definitions("core")) <= MOST_CHARACTERS


def test_the_core_costs_few_tokens():
    assert counter()(definitions("core")) <= MOST_TOKENS


def test_the_core_can_do_what_the_skill_teaches():
    assert {"memory_supersede", "forget_concept", "answer_question"} <= set(tools_for("core"))


@pytest.mark.parametrize("profile", ["core", "curator", "full"])
def test_a_definition_has_nothing_that_says_nothing(profile):
    written = definitions(profile)
    for noise in ("$defs", "$ref", '"null"', '"title": "', '"default": null', "positional"):
        assert noise not in written


@pytest.mark.parametrize("tool", tools_for("core").values(), ids=list(tools_for("core")))
def test_the_short_schema_of_the_core_is_a_part_of_the_whole_one(tool):
    short, whole = tool.schema_for("core"), tool.schema
    jsonschema.Draft202012Validator.check_schema(short)
    assert short["properties"].items() <= whole["properties"].items()
    assert set(short.get("required", ())) == set(whole.get("required", ()))
    jsonschema.validate(PLAUSIBLE[tool.name](Names()), short)


def test_what_the_core_does_not_show_may_be_given_nevertheless(glymph):
    given = {"text": "Tea is at four.", "salience": 0.9, "title": "Tea"}
    answer = answer_call(lambda _: glymph, tools_for("core"), "memory_add", given)
    assert not answer.is_error
    assert "salience" not in tools_for("core")["memory_add"].schema_for("core")["properties"]
    assert glymph.list()[0].salience == 0.9


@pytest.mark.parametrize(
    ("tool", "field", "words"),
    [
        ("batch_prune", "action", {"archive", "delete"}),
        ("forget_concept", "mode", {"release", "purge"}),
        ("execute_prune", "reason", {"staleness", "low_alignment", "redundancy", "orphan"}),
        ("memory_recall", "states", {"LIVE", "ARCHIVED", "TRASHED"}),
        ("memory_link", "type", {"caused_by", "supersedes", "user_linked"}),
    ],
)
def test_words_that_a_field_may_be_are_listed(tool, field, words):
    schema = all_tools()[tool].schema["properties"][field]
    assert words <= set(schema.get("enum") or schema["items"]["enum"])

"""Messages that reach an agent name tools, never Python calls."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import glymph as package
from glymph.mcp.server import answer_call
from glymph.tools import all_tools, tools_for, tree
from glymph.tools.wording import CALLS, name_tools, name_tools_in

SOURCE = Path(package.__file__).parent
# Rooms whose messages no tool passes on: they are for people at a terminal, or are no words.
APART = (
    "cli", "hooks", "plugin", "testing", "transfer", "mcp", "environment", "adapters", "wire",
    "async_client", "service", "dashboard",
)  # fmt: skip
CALL = re.compile(r"(?<![\w.])(?:[A-Za-z]+\.)?([a-z_]+)\((?:|id|[^()]*=[^()]*)\)")
NO_WORDS = re.compile(
    r"[;{}\\]|SELECT|INSERT|UPDATE|PRAGMA|::|coalesce|IF |TABLE|json|space_id|writing_"
)
NOBODY = "01900000-0000-7000-8000-000000000000"


def messages():
    """Every text in the source that names a Python call, as it would be raised."""
    for path in sorted(SOURCE.rglob("*.py")):
        where = path.relative_to(SOURCE).with_suffix("").parts
        if where[0] in APART:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        documented = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                parts = (one.value if isinstance(one, ast.Constant) else "X" for one in node.values)
                said = "".join(parts)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                said = "" if id(node) in documented else node.value
            else:
                continue
            if " " in said and CALL.search(said) and not NO_WORDS.search(said):
                yield f"{'.'.join(where)}:{node.lineno}", said


FOUND = dict(messages())


def test_there_are_messages_to_translate():
    assert len(FOUND) > 10


@pytest.mark.parametrize("profile", ["core", "curator", "full"])
@pytest.mark.parametrize("where", FOUND)
def test_no_message_names_a_python_call_to_an_agent(where, profile):
    told = name_tools(FOUND[where], tools_for(profile))
    left = [call for call in CALL.findall(told) if call not in ("tombstones",)]
    assert not left, told
    assert not re.search(r"\w=(?:True|False|None)\b", told), told


@pytest.mark.parametrize("method", CALLS)
def test_every_tool_that_is_named_exists(method):
    assert set(CALLS[method]) <= set(all_tools())
    assert hasattr(package.Glymph, method)


@pytest.mark.parametrize("method", CALLS)
def test_every_command_that_is_named_to_an_agent_is_where_people_find_it(method):
    told = name_tools(f"See {method}().", ())
    place = tuple(re.fullmatch(r"See a person with `glymph ([a-z -]+)`\.", told)[1].split())
    assert place in tree.PLACES.values()


def test_a_command_in_a_group_becomes_the_tool_behind_it():
    told = name_tools("`glymph memory restore ID` or `glymph status upkeep`", all_tools())
    assert told == "restore_memory or get_autonomous_status"


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("Use update() on it.", "Use memory_supersede on it."),
        ("add(…, revive=True) takes it in", "memory_add with revive true takes it in"),
        ("name it: operations() or `glymph store operations` lists them; then undo(id).",
         "name it: A person with `glymph store operations` lists them; then undo_operation with "
         "its id."),
        ("`glymph config get x` and `glymph store restore FILE`",
         "`glymph config get x` and `glymph store restore FILE`"),
        ("`glymph memory restore ID`", "`glymph memory restore ID`"),
        ("pass confirm_large=True.", "pass confirm_large true."),
        ("`glymph memory recall` and `glymph config set x on`",
         "memory_recall and `glymph config set x on`"),
        ("`glymph recall`", "memory_recall"),
        ("a list (of two) stays", "a list (of two) stays"),
    ],
)  # fmt: skip
def test_a_call_becomes_the_tool_that_the_client_sees(message, told):
    assert name_tools(message, tools_for("core")) == told


def test_what_memories_say_is_left_alone():
    answer = {"text": "Call list() first.", "failed": [{"id": "x", "reason": "see list()"}]}
    told = name_tools_in(answer, tools_for("core"))
    assert told["text"] == "Call list() first."
    assert told["failed"][0]["reason"] == "see memory_recall"


WRONG = {str: [5, None, ["a"], "x" * 200_000, "a\0b", NOBODY], int: ["many", 10**30, -1, 2.5]}


@pytest.mark.parametrize("profile", ["core", "full"])
@pytest.mark.parametrize("name", all_tools())
def test_whatever_is_given_wrong_is_told_in_words_that_name_a_tool(glymph, name, profile):
    """Wrong types, huge values and unknown ids, field by field; the handle works afterwards."""
    tools = tools_for(profile)
    if name not in tools:
        pytest.skip(f"the profile {profile} does not have it")
    properties = tools[name].schema["properties"]
    required = dict.fromkeys(tools[name].schema.get("required", ()), NOBODY)
    for field, schema in properties.items():
        for value in WRONG[int] if schema.get("type") in ("integer", "number") else WRONG[str]:
            answer = answer_call(lambda _: glymph, tools, name, {**required, field: value})
            text = answer.content[0].text
            assert "InternalError" not in text, (field, text)
            if answer.is_error:
                assert any(tool in text for tool in tools), text
                assert not CALL.search(text.replace(str(value), "")), text
                assert len(text) <= 2_000
    assert not answer_call(lambda _: glymph, tools, "memory_recall", {"query": "tea"}).is_error

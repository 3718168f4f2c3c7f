"""Tools as data: real tools of pydantic-ai and smolagents made of it; and missing frameworks."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
import warnings

import pytest

from glymph import Glymph
from glymph.adapters.schema import call_tool, tool_schemas
from glymph.errors import ExtraMissing, InvalidInput


@pytest.fixture
def memory(url):
    with Glymph.open(url, actor="agent:any") as glymph:
        yield glymph


def test_the_three_shapes_name_the_same_tools():
    openai, anthropic, plain = (tool_schemas(one) for one in ("openai", "anthropic", "json"))
    assert {one["type"] for one in openai} == {"function"}
    names = [one["name"] for one in plain]
    assert (
        [one["function"]["name"] for one in openai] == [one["name"] for one in anthropic] == names
    )
    assert {"memory_add", "memory_search", "undo_operation"} <= set(names)
    assert "merge_memories" not in names
    add = next(one for one in anthropic if one["name"] == "memory_add")
    assert add["input_schema"]["required"] == ["text"]
    search = next(one for one in plain if one["name"] == "memory_search")
    assert (search["read_only"], search["destructive"]) == (True, False)
    assert "merge_memories" in [one["name"] for one in tool_schemas("json", "full")]


@pytest.mark.parametrize("wrong", [{"format": "xml"}, {"profile": "all"}])
def test_an_unknown_format_or_profile_is_refused(wrong):
    with pytest.raises(InvalidInput, match="is not known"):
        tool_schemas(**wrong)


def test_a_call_is_answered_whatever_the_model_sent(memory):
    assert json.loads(call_tool(memory, "memory_add", {"text": "Figs are ripe in May."}))["created"]
    assert json.loads(call_tool(memory, "memory_search", '{"query": "figs"}'))["hits"]
    for name, arguments in (
        ("memory_add", {}), ("memory_add", "{"), ("memory_add", "[1]"), ("memory_add", {"text": 1, "x": 2}),
        ("unknown", {}), ("merge_memories", {}), ("memory_get", {"id": "unknown"}), ("memory_add", None),
    ):  # fmt: skip
        told = json.loads(call_tool(memory, name, arguments))
        assert told["error"], (name, arguments)
        assert told["message"]


def test_the_command_prints_what_the_function_returns(capsys):
    from glymph.cli.main import app

    app(["tools", "schema", "--format", "anthropic", "--profile", "full"], standalone_mode=False)
    assert json.loads(capsys.readouterr().out) == tool_schemas("anthropic", "full")
    with pytest.raises(InvalidInput, match="openai, anthropic, json"):
        app(["tools", "schema", "--format", "xml"], standalone_mode=False)


def test_pydantic_ai_calls_tools_made_of_the_schema(memory):
    from pydantic_ai import Agent, ModelResponse, TextPart, Tool, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    def make(one):
        def call(**arguments):
            return call_tool(memory, one["name"], arguments)

        return Tool.from_schema(call, one["name"], one["description"], one["parameters"])

    replies = iter([
        ModelResponse([ToolCallPart("memory_add", {"text": "Figs are ripe in May."})]),
        ModelResponse([ToolCallPart("memory_search", {"query": "figs"})]),
        ModelResponse([TextPart("In May.")]),
    ])  # fmt: skip
    seen = []

    def model(messages, info):
        seen.append((messages, [one.name for one in info.function_tools]))
        return next(replies)

    agent = Agent(FunctionModel(model), tools=[make(one) for one in tool_schemas("json")])
    assert asyncio.run(agent.run("When are figs ripe?")).output == "In May."
    assert "memory_add" in seen[0][1]
    assert "Figs are ripe in May." in str(seen[2][0][-1])
    assert [one.text for one in memory.list()] == ["Figs are ripe in May."]


def test_smolagents_calls_tools_made_of_the_schema(memory):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from smolagents import Tool

    def make(one):
        required = one["parameters"].get("required", [])
        fields = {
            name: {
                "type": field.get("type", "any"),
                "description": field["description"],
                **({} if name in required else {"nullable": True}),
            }
            for name, field in one["parameters"]["properties"].items()
        }

        class Made(Tool):
            name, description, output_type = one["name"], one["description"], "string"
            inputs = fields
            skip_forward_signature_validation = True

            def forward(self, *args, **arguments):
                return call_tool(
                    memory, self.name, {**dict(zip(self.inputs, args, strict=False)), **arguments}
                )

        return Made()

    tools = {tool.name: tool for tool in map(make, tool_schemas("json"))}
    assert json.loads(tools["memory_add"](text="Figs are ripe in May."))["created"]
    assert "Figs are ripe" in tools["memory_search"](query="figs")
    assert tools["memory_add"].to_tool_calling_prompt()


@pytest.mark.parametrize(
    ("adapter", "package", "extra"),
    [
        ("langgraph", "langgraph", "langgraph"),
        ("anthropic", "anthropic", "anthropic"),
        ("openai_agents", "agents", "openai-agents"),
        ("langchain", "langchain_core", "langchain"),
        ("llamaindex", "llama_index", "llamaindex"),
    ],
)
def test_a_missing_framework_is_an_error_that_names_the_extra(monkeypatch, adapter, package, extra):
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"glymph.adapters.{adapter}", raising=False)
    with pytest.raises(ExtraMissing, match=rf"pip install 'glymph\[{extra}\]'") as caught:
        importlib.import_module(f"glymph.adapters.{adapter}")
    assert isinstance(caught.value, ImportError)
    assert caught.value.extra == extra
    assert f"glymph.adapters.{adapter}" not in sys.modules

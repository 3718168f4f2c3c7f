"""`glymph mcp --compat server-memory`: nine tools of another server, on our store."""

from __future__ import annotations

import json

import anyio
import jsonschema
import pytest
from mcp import Client

from glymph.mcp.server import compat_server_for
from tests.importers import peers
from tests.mcp.test_server import ERAS, agent_on, portal  # noqa: F401 - a fixture

ANNA = {"name": "Anna", "entityType": "person", "observations": ["likes tea", "lives in Bern"]}
BOB = {"name": "Bob", "entityType": "person", "observations": ["likes tea"]}
ACME = {"name": "Acme", "entityType": "company", "observations": []}
WORKS = {"from": "Anna", "to": "Acme", "relationType": "works at"}
KNOWS = {"from": "Bob", "to": "Anna", "relationType": "knows"}
NINE = [
    "create_entities", "create_relations", "add_observations", "delete_entities",
    "delete_observations", "delete_relations", "read_graph", "search_nodes", "open_nodes",
]  # fmt: skip


@pytest.fixture(params=ERAS)
def ask(glymph, request):
    """Calls a tool of a server in this process; the answer's text and its structure."""

    def call(name, **arguments):
        async def run():
            server = compat_server_for(lambda *_: glymph)
            async with Client(server, mode=request.param) as client:
                return await client.call_tool(name, arguments)

        answer = anyio.run(run)
        text = answer.content[0].text
        return text if answer.is_error else (text, answer.structured_content)

    return call


@pytest.fixture
def filled(ask):
    ask("create_entities", entities=[ANNA, BOB, ACME])
    ask("create_relations", relations=[WORKS, KNOWS])
    return ask


def test_there_are_nine_tools_with_the_arguments_of_the_other_server(glymph):
    async def run():
        async with Client(compat_server_for(lambda *_: glymph)) as client:
            return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in anyio.run(run)}
    assert list(tools) == NINE
    for given, name in (
        ({"entities": [ANNA]}, "create_entities"),
        ({"relations": [WORKS]}, "create_relations"),
        ({"observations": [{"entityName": "Anna", "contents": ["x"]}]}, "add_observations"),
        ({"entityNames": ["Anna"]}, "delete_entities"),
        ({"deletions": [{"entityName": "Anna", "observations": ["x"]}]}, "delete_observations"),
        ({"relations": [WORKS]}, "delete_relations"),
        ({}, "read_graph"),
        ({"query": "x"}, "search_nodes"),
        ({"names": ["x"]}, "open_nodes"),
    ):
        schema = tools[name].input_schema
        jsonschema.validate(given, schema)
        assert "$ref" not in json.dumps(schema)
        if given:
            with pytest.raises(jsonschema.ValidationError):
                jsonschema.validate({}, schema)


def test_what_is_created_is_answered_and_read_back(ask):
    text, told = ask("create_entities", entities=[ANNA, ACME, ANNA])
    assert told == {"entities": [ANNA, ACME]}
    assert json.loads(text) == [ANNA, ACME]
    assert ask("create_entities", entities=[ANNA, BOB])[1] == {"entities": [BOB]}
    text, told = ask("create_relations", relations=[WORKS, WORKS])
    assert (json.loads(text), told) == ([WORKS], {"relations": [WORKS]})
    assert ask("create_relations", relations=[WORKS])[1] == {"relations": []}
    text, graph = ask("read_graph")
    assert json.loads(text) == graph
    assert graph == {"entities": [ANNA, ACME, BOB], "relations": [WORKS]}


def test_observations_come_and_go(filled):
    asked = [{"entityName": "Bob", "contents": ["likes tea", "plays chess"]}]
    assert filled("add_observations", observations=asked)[1] == {
        "results": [{"entityName": "Bob", "addedObservations": ["plays chess"]}]
    }
    gone = [{"entityName": "Anna", "observations": ["likes tea"]}]
    text, told = filled("delete_observations", deletions=gone)
    assert told == {"success": True, "message": text}
    assert text == "Observations deleted successfully"
    entities = {one["name"]: one["observations"] for one in filled("read_graph")[1]["entities"]}
    assert entities == {"Anna": ["lives in Bern"], "Bob": ["likes tea", "plays chess"], "Acme": []}
    assert filled("delete_observations", deletions=gone)[0].startswith("Deleted 0 of 1")


def test_nodes_are_found_by_a_part_of_what_they_say_and_opened_by_name(filled):
    assert filled("search_nodes", query="BERN")[1] == {
        "entities": [ANNA],
        "relations": [WORKS, KNOWS],
    }
    assert filled("search_nodes", query="nobody")[1] == {"entities": [], "relations": []}
    assert filled("open_nodes", names=["Acme", "Nobody"])[1] == {
        "entities": [ACME],
        "relations": [WORKS],
    }


def test_an_entity_goes_with_its_observations_and_relations_and_comes_back_by_undo(glymph, filled):
    assert filled("delete_entities", entityNames=["Anna"])[0] == "Entities deleted successfully"
    assert filled("read_graph")[1] == {"entities": [BOB, ACME], "relations": []}
    assert "Not found: Anna" in filled("delete_entities", entityNames=["Anna", "Bob"])[0]
    glymph.undo()
    glymph.undo(next(one.id for one in glymph.operations() if one.verb == "delete"
                     and one.undone_by is None))  # fmt: skip
    assert filled("read_graph")[1]["relations"] == [WORKS, KNOWS]
    assert filled("delete_relations", relations=[WORKS])[0] == "Relations deleted successfully"
    assert filled("read_graph")[1]["relations"] == [KNOWS]


def test_what_is_told_is_recalled_like_any_memory(glymph, filled):
    assert glymph.search("where does Anna live?")[0].memory.text == "Anna: lives in Bern"
    assert glymph.search("who works at Acme?")[0].memory.entities == ("Anna", "Acme")


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("add_observations", {"observations": [{"entityName": "Zoe", "contents": ["x"]}]},
         "Entity with name Zoe not found"),
        ("create_relations", {"relations": [{**WORKS, "to": "Zoe"}]}, "Entity with name Zoe"),
        ("create_entities", {"entities": [{"name": "Zoe"}]}, "entityType"),
        ("create_entities", {"entities": "Zoe"}, "entities"),
        ("search_nodes", {"query": "x" * 3000}, "query"),
        ("burn_graph", {}, "read_graph"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_told_and_nothing_is_changed(filled, name, arguments, words):
    before = filled("read_graph")
    told = filled(name, **arguments)
    assert isinstance(told, str)
    assert words in told
    assert filled("read_graph") == before


def test_the_command_serves_them(portal, tmp_path):  # noqa: F811
    url = f"sqlite:///{tmp_path}/memory.db"
    with agent_on(portal, url, tmp_path, "--compat", "server-memory") as agent:
        assert [tool.name for tool in agent.tools()] == NINE
        agent.ask("create_entities", entities=[ANNA])
        assert agent.ask("read_graph")["entities"] == [ANNA]


SCRIPT = [
    ("create_entities", {"entities": [ANNA, BOB, ACME]}),
    ("create_entities", {"entities": [BOB]}),
    ("create_relations", {"relations": [WORKS, KNOWS]}),
    ("create_relations", {"relations": [WORKS]}),
    ("add_observations", {"observations": [
        {"entityName": "Bob", "contents": ["likes tea", "plays chess"]},
        {"entityName": "Acme", "contents": ["makes doors"]},
    ]}),
    ("read_graph", {}),
    ("search_nodes", {"query": "TEA"}),
    ("search_nodes", {"query": "company"}),
    ("search_nodes", {"query": "nobody"}),
    ("open_nodes", {"names": ["Acme", "Nobody"]}),
    ("delete_observations", {"deletions": [{"entityName": "Anna", "observations": ["likes tea"]}]}),
    ("delete_relations", {"relations": [KNOWS]}),
    ("read_graph", {}),
    ("delete_entities", {"entityNames": ["Anna"]}),
    ("read_graph", {}),
]  # fmt: skip


def test_the_real_server_answers_the_same(ask, tmp_path):
    with peers.run_server_memory(tmp_path / "memory.jsonl") as real:
        for tool, arguments in SCRIPT:
            theirs = real(tool, arguments)
            text, told = ask(tool, **arguments)
            assert told == theirs["structuredContent"], (tool, arguments)
            (said,) = theirs["content"]
            assert _parse(text) == _parse(said["text"]), (tool, arguments)


def _parse(text):
    """What a text says: its data, however laid out, or its words."""
    try:
        return json.loads(text)
    except ValueError:
        return text

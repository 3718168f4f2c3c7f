"""The service as programs meet it: tokens, spaces that stay apart, retries, limits, one truth."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import threading
from datetime import timedelta

import pytest
from mcp import types
from pydantic import ValidationError
from typer.testing import CliRunner

from glymph import AsyncGlymph, Glymph
from glymph.cli.main import app as command_line
from glymph.errors import (
    Forbidden,
    GlymphError,
    InvalidInput,
    NotOverTheWire,
    ServerAway,
    Unauthorized,
)
from glymph.mcp.server import answer_call
from glymph.service import events, tokens
from glymph.service.access import Role, role_for
from glymph.service.app import make_app
from glymph.service.limits import Limits
from glymph.service.routes.examples import BODIES
from glymph.service.serving import Service
from glymph.tools import all_tools
from glymph.wire.methods import METHODS
from tests.grounds.serving import SECRET, make_token, open_gate, serving, token_gate

NOBODY = "01900000-0000-7000-8000-000000000000"
TOOLS = all_tools()


@pytest.fixture(scope="module")
def _place(tmp_path_factory):
    return f"sqlite:///{tmp_path_factory.mktemp('served')}/memory.db"


@pytest.fixture(scope="module")
def here(_place):
    with Glymph.open(_place) as handle:
        yield handle


@pytest.fixture(scope="module")
def served(here):
    """One service with tokens; tests use spaces and words of their own."""
    with serving(here, token_gate(here, remembered_s=0.0)) as running:
        yield running


@pytest.fixture(scope="module")
def operator(served):
    with served.client(SECRET) as client:
        yield client


# Tokens


@pytest.mark.parametrize("shown", [None, "ß" * 600])
def test_without_a_known_token_nothing_but_health_answers(served, shown):
    headers = {} if shown is None else {"Authorization": b"Bearer " + shown.encode()}
    with served.client() as client:
        for path, methods in make_paths(served).items():
            for method in methods:
                answer = client.request(method, path, headers=headers, json={})
                expected = 200 if path in ("/health", "/ready") else 401
                assert answer.status_code == expected, (method, path, answer.text)
        assert client.post("/mcp", headers=headers, json={}).status_code == 401


def make_paths(served):
    document = make_app(served.service).openapi()
    return {path: [m.upper() for m in ways] for path, ways in document["paths"].items()}


def test_a_token_is_kept_as_a_hash_and_ends_when_it_is_told_to(served, here, clock):
    secret = make_token(here, "short", role="read", days=1)
    store = here.context.store
    kept = next(one for one in tokens.list_all(store) if one.name == "short")
    with store.database.reading() as session:
        assert secret not in str(session.rows("SELECT * FROM tokens", {}))
    with served.client(secret) as client:
        me = client.get("/v1/me").json()
        assert (me["role"], me["spaces"], me["actor"]) == ("read", ["default"], "agent:short")
        tokens.revoke(store, kept.id, now=here.context.now())
        assert client.get("/v1/me").status_code == 401
    assert not kept.counts(kept.expires_at)
    assert kept.counts(kept.expires_at - timedelta(seconds=1))


@pytest.mark.parametrize("role", [role.label for role in Role])
def test_each_tool_needs_its_role(served, here, role):
    secret = make_token(here, f"only-{role}", role=role)
    with served.client(secret) as client:
        for tool in TOOLS.values():
            refused = client.post(f"/v1/tools/{tool.name}", json={"no such": 1}).status_code == 403
            assert refused == (role_for(tool) > Role[role.upper()]), tool.name


@pytest.mark.parametrize("role", [role.label for role in Role])
def test_a_method_needs_the_role_of_the_route_that_tells_the_same(served, here, role):
    document = make_app(served.service).openapi()["paths"]
    told = {path.removeprefix("/v1/") for path, does in document.items() if "get" in does}
    names = sorted(told & METHODS.keys())
    assert {"certificates", "clusters", "spaces", "trash"} <= set(names)
    with served.client(make_token(here, f"looks-as-{role}", role=role)) as client:
        for name in names:
            by_route = client.get(f"/v1/{name}").status_code == 403
            assert by_route == (client.post(f"/v1/call/{name}", json={}).status_code == 403), name


def test_a_plan_of_a_purge_is_never_carried_out_as_anything_else(here, operator):
    object.__setattr__(here.context.settings, "tools_may_purge", "on")
    here.add("Write to dipper@brook.example about the nest.")
    asked = {"request": "dipper@brook.example", "mode": "purge"}
    plan = operator.post("/v1/forget", json=asked).json()["plan_id"]
    answer = operator.post("/v1/forget", json={"plan": plan, "mode": "release"})
    assert answer.status_code == 422
    assert f"plan {plan} is a purge, for good" in answer.json()["detail"]
    assert any("dipper" in one.text for one in here.list(limit=100))


def test_nobody_but_an_admin_removes_for_good_by_any_way(served, here):
    """Emptying the trash has no way back, so it needs what a purge needs; so does a purge's plan."""
    object.__setattr__(here.context.settings, "tools_may_purge", "on")
    kept = here.add("Write to plover@shore.example about the nest.").id
    here.delete([kept])
    with served.client(make_token(here, "gardener", role="curate")) as client:

        def call(path, **body):
            answer = client.post(path, json=body)
            return answer.status_code, answer.json()

        assert call("/v1/trash/empty", all=True)[0] == 403
        assert call("/v1/call/trash.empty", arguments={"all": True})[0] == 403
        status, plan = call("/v1/forget", request="plover@shore.example", mode="purge")
        assert status == 200  # looking is free
        for path, body in (
            ("/v1/forget", {"plan": plan["plan_id"], "mode": "purge"}),
            ("/v1/tools/forget_concept", {"plan": plan["plan_id"], "mode": "purge"}),
            ("/v1/call/forget", {"arguments": {
                "request": {"$plan": plan["plan_id"]}, "mode": "purge", "apply": True}}),
        ):  # fmt: skip
            status, told = call(path, **body)
            assert (status, told["title"]) == (403, "Forbidden"), path
            assert "admin" in told["detail"]
        spoken = client.post(
            "/mcp", headers={"Accept": "application/json, text/event-stream"},
            json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                "name": "forget_concept", "arguments": {"plan": plan["plan_id"], "mode": "purge"}}},
        )  # fmt: skip
        assert "admin" in spoken.text
        assert call("/v1/jobs/trash")[0] == 202  # what is past its time goes by itself anyway
    assert [one.id for one in here.trash()].count(kept) == 1
    with served.client(SECRET) as client:
        emptied = client.post("/v1/trash/empty", json={"all": True})
        assert kept in emptied.json()["succeeded"], emptied.text


def test_tokens_are_made_listed_and_revoked_on_the_command_line(tmp_path):
    url = f"sqlite:///{tmp_path}/memory.db"
    Glymph.open(url).close()

    def run(*words):
        result = CliRunner().invoke(command_line, [*words, "--url", url, "--json"])
        return json.loads(result.output) if result.exit_code == 0 else result.exception

    made = run("token", "create", "bot", "--role", "curate", "--days", "30")
    assert made["token"].startswith("glymph_")
    assert "default" in str(run("token", "create", "bot", "--space", "nowhere"))
    [listed] = run("token", "list")["tokens"]
    assert "token" not in listed
    assert listed["counts"]
    assert not run("token", "revoke", made["id"])["revoked"]
    assert run("token", "list")["tokens"][0]["counts"]
    assert "no token" in str(run("token", "revoke", made["id"][:5], "--apply"))  # is no beginning
    assert run("token", "revoke", made["id"][:6], "--apply")["revoked"]  # only one begins so
    assert not run("token", "list")["tokens"][0]["counts"]


# Spaces


@pytest.fixture(scope="module")
def two_spaces(served, here):
    """What lies in space B, and a client with a token for space A alone."""
    for space in ("A", "B"):
        here_too = served.service.handles.open(space, create=True)
        made = here_too.add(f"The {space} heron nests by the mill.", tags=["heron"])
        here_too.clusters.create(f"birds-{space}")
        here_too.analyze(0.0)
    other = served.service.handles.open("B")
    operation = other.operations(limit=1)[0].id
    recalled = other.recall("heron").id
    secret = make_token(here, "of-A", "A", role="admin")
    cursor = other.list(limit=1, kinds=["self", "note"]).cursor
    with served.client(secret) as client:
        yield client, other, {
            "memory": made.id, "operation": operation, "recall": recalled, "cursor": cursor,
        }  # fmt: skip


def everything(handle):
    return list(handle.context.store.dump(handle.space))


def fill(schema, document, known):
    """Values for a schema that name what lies in the other space wherever they can."""
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    if "anyOf" in schema:
        schema = schema["anyOf"][0]
    kind = schema.get("type")
    if "enum" in schema:
        return schema["enum"][-1]
    if kind == "object":
        fields = schema.get("properties", {})
        return {name: fill_named(name, one, document, known) for name, one in fields.items()}
    if kind == "array":
        return [fill(schema.get("items", {}), document, known)]
    return {"integer": 3, "number": 0.5, "boolean": False}.get(kind, known["memory"])


def fill_named(name, schema, document, known):
    given = {
        "operation_id": known["operation"], "recall_id": known["recall"], "query": "heron",
        "text": "heron", "situation": "heron", "request": "heron", "name": "birds-B", "cursor": known["cursor"],
        "event_at": None, "expires_at": None, "since": None, "until": None, "at": None,
        "section": None, "attributes": {}, "type": "user_linked", "plan": None, "groups": None,
        "states": None, "sections": None, "kinds": None, "tags": None, "revive": False,
        "budget_tokens": None, "min_score": None, "session": None, "mode": "purge",
        "action": "delete", "kind": "note", "rule": None, "grouping": [], "ids": [known["memory"]],
        "reason": None, "spaces": ["B"],
    }  # fmt: skip
    return given[name] if name in given else fill(schema, document, known)


def fill_query(way, document, known):
    """Values for the parameters in the address, of those that a value can be made up for."""
    given = {
        one["name"]: fill_named(one["name"], one["schema"], document, known)
        for one in way.get("parameters", ())
        if one["in"] == "query"
    }
    return {name: value for name, value in given.items() if value is not None}


def test_a_cursor_of_another_space_leads_nowhere(served, two_spaces):
    client, other, known = two_spaces
    query = {"kinds": ["self", "note"], "cursor": known["cursor"]}
    refused = client.get("/v1/memories", params=query)
    assert (refused.status_code, refused.json()["title"]) == (422, "InvalidInput")
    with served.client(make_token(other, "of-B", "B")) as theirs:
        assert theirs.get("/v1/memories", params=query).json()["items"]


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_a_token_of_one_space_meets_nothing_of_another_by_any_tool_over_mcp(
    served, here, two_spaces, name
):
    _, other, known = two_spaces
    served.service.handles.open("C", create=True)  # what is sent stays there
    document = {
        "components": {"schemas": TOOLS[name].arguments.model_json_schema().get("$defs", {})}
    }
    before = everything(other)
    asked = fill(TOOLS[name].arguments.model_json_schema(), document, known)
    call = {
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": name, "arguments": {k: v for k, v in asked.items() if v is not None}},
    }  # fmt: skip
    accept = {"Accept": "application/json, text/event-stream"}
    with served.client(make_token(here, f"of-C-{name}", "C", role="admin")) as client:
        for header in ({}, {"Glymph-Space": "B"}):
            answer = client.post("/mcp", json=call, headers={**accept, **header})
            assert answer.status_code < 500, answer.text
            assert "The B heron" not in answer.text
    assert everything(other) == before


def test_answers_are_compressed_for_who_takes_that(operator, here):
    for number in range(40):
        here.add(f"The lighthouse was painted for the {number}th time.")
    plain, small = (
        operator.get("/v1/graph", headers={"Accept-Encoding": how}) for how in ("identity", "gzip")
    )
    assert small.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain.headers
    assert int(small.headers["Content-Length"]) < int(plain.headers["Content-Length"]) / 3
    assert len(small.json()["nodes"]) == len(plain.json()["nodes"]) >= 40


def test_a_token_of_one_space_meets_nothing_of_another_by_any_route(served, two_spaces):
    """Every route and tool of the document is called, with ids of the other space in each place."""
    client, other, known = two_spaces
    document = make_app(served.service).openapi()
    before = everything(other)
    ids = {known["memory"]} | {one.identity_id for one in other.spaces() if one.name == "B"}
    # Looking first: what is sent later may be quoted by the audit of who sent it.
    for looks in (True, False):
        for path, method, way in (
            (path, method, way)
            for path, ways in document["paths"].items()
            for method, way in ways.items()
            if (method == "get") == looks and path != "/v1/events"
        ):
            content = way.get("requestBody", {}).get("content", {}).get("application/json", {})
            body = fill(content["schema"], document, known) if content else None
            place = path.replace("{name}", "birds-B").replace("{method}", "search")
            asked = fill_query(way, document, known)
            for one in (known["memory"], known["operation"]):
                for header, query in ((None, {}), (None, asked), ("B", {})):
                    headers = {"Glymph-Space": header} if header else {}
                    answer = client.request(
                        method, place.replace("{id}", one), json=body, headers=headers, params=query
                    )
                    where = (method, path, header, answer.status_code, answer.text[:300])
                    assert answer.status_code < 500, where
                    assert "The B heron" not in answer.text, where
                    if header and path.startswith("/v1/") and path not in ("/v1/me",):
                        assert answer.status_code in (404, 422), where
                        continue
                    # An id that was sent may be quoted, in an error or among what was skipped.
                    if answer.status_code < 300 and method == "get":
                        assert not any(one in answer.text for one in ids), where
    assert everything(other) == before


def test_every_method_of_a_handle_stays_in_its_space(served, two_spaces):
    client, other, known = two_spaces
    before = everything(other)
    for arguments in ({"spaces": ["A", "B"]}, {"spaces": ["B"]}, {"spaces": {"B": 1}}):
        for method in ("search", "recall"):
            answer = client.post(
                f"/v1/call/{method}", json={"arguments": {"query": "heron", **arguments}}
            )
            assert answer.status_code in (404, 422)
    names = [one["name"] for one in client.get("/v1/spaces").json()["spaces"]]
    assert names == ["A"]
    called = client.post("/v1/call/spaces", json={}).json()["result"]
    assert [one["name"] for one in called] == ["A"]
    assert client.post("/v1/call/verify", json={}).status_code == 404  # the whole store's
    undone = client.post("/v1/call/undo", json={"arguments": {"operation_id": known["operation"]}})
    assert undone.status_code == 404
    assert everything(other) == before


def test_a_token_says_itself_whether_it_opens_all_spaces(served, here):
    with served.client(make_token(here, "all", "*", role="read")) as client:
        assert client.get("/v1/memory-health", headers={"Glymph-Space": "default"}).is_success
    with pytest.raises(InvalidInput):
        make_token(here, "both", "*", "A")


# Once


def test_a_request_with_a_key_is_applied_once(operator, here):
    note = {"text": "The ferry leaves at nine."}
    first = operator.post("/v1/memories", json=note, headers={"Idempotency-Key": "ferry-1"})
    again = operator.post("/v1/memories", json=note, headers={"Idempotency-Key": "ferry-1"})
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.json()["id"] == first.json()["id"]
    assert here.get(first.json()["id"]).access_count == 0  # not even reinforced
    other = operator.post(
        "/v1/memories", json={"text": "Another."}, headers={"Idempotency-Key": "ferry-1"}
    )
    assert (other.status_code, other.json()["title"]) == (409, "KeyReused")


def test_the_same_key_at_once_is_applied_once(served, here):
    answers = []

    def send():
        with served.client(SECRET, Idempotency_Key="at-once") as client:
            answers.append(client.post("/v1/memories", json={"text": "Owls hunt at dusk."}))

    threads = [threading.Thread(target=send) for _ in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert {one.status_code for one in answers} == {201}
    assert len({one.json()["id"] for one in answers}) == 1
    assert sum("Idempotency-Replayed" not in one.headers for one in answers) == 1


def test_a_change_is_made_only_to_the_version_that_was_looked_at(operator):
    made = operator.post("/v1/memories", json={"text": "The gate is green."}).json()["id"]
    etag = operator.get(f"/v1/memories/{made}").headers["ETag"]
    known = operator.get(f"/v1/memories/{made}", headers={"If-None-Match": etag})
    assert known.status_code == 304
    path, headers = f"/v1/memories/{made}", {"If-Match": etag}
    assert operator.patch(path, json={"title": "Gate"}, headers=headers).status_code == 200
    late = operator.patch(path, json={"title": "Gate 2"}, headers=headers)
    assert (late.status_code, late.json()["title"]) == (412, "VersionChanged")
    assert operator.delete(path, headers=headers).status_code == 412
    assert operator.get(path).json()["memory"]["title"] == "Gate"


# Limits


def test_requests_that_are_too_much_are_refused(here):
    limits = Limits(bytes=20_000, depth=8, per_second=2)
    with serving(here, open_gate(), limits=limits) as running, running.client() as client:
        large = client.post("/v1/memories", json={"text": "x" * 30_000})
        assert (large.status_code, large.json()["title"]) == (413, "TooLarge")
        deep = client.post("/v1/memories", content=b'{"text": ' + b"[" * 50 + b"]" * 50 + b"}")
        assert (deep.status_code, deep.json()["title"]) == (400, "TooDeep")
        statuses = [client.get("/v1/me").status_code for _ in range(8)]
        assert statuses[0] == 200
        assert statuses[-1] == 429
        assert client.get("/v1/me").headers["Retry-After"]
        for name, value in (("Host", "evil.example"), ("Origin", "http://evil.example")):
            assert client.get("/health", headers={name: value}).status_code in (403, 421)


@pytest.mark.parametrize("path", ["/v1/memories", "/v1/tools/memory_add"])
@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded"])
def test_a_body_that_is_not_called_json_is_told_which_header_is_missing(operator, path, kind):
    headers = {"Content-Type": kind} if kind else {}
    answer = operator.post(path, content=b'{"text": "Rooks nest high."}', headers=headers)
    assert (answer.status_code, answer.json()["title"]) == (415, "UnsupportedMediaType")
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert "`Content-Type: application/json`" in answer.json()["detail"]
    assert (kind or "missing") in answer.json()["detail"]
    missing = operator.post(path, headers=headers)  # nothing was sent: that is another problem
    assert missing.status_code == 422


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "application/merge+json"])
def test_json_by_other_names_is_read_as_before(operator, kind):
    sent = b'{"text": "Rooks nest high in the elms."}'
    answer = operator.post("/v1/memories", content=sent, headers={"Content-Type": kind})
    assert answer.status_code == 201
    wrong = operator.post("/v1/memories", content=b'{"text": 7}', headers={"Content-Type": kind})
    assert (wrong.status_code, wrong.json()["title"]) == (422, "InvalidInput")


# One truth by every way


CALLS = {
    "memory_add": {"text": "The crane stands in the harbour.", "tags": ["harbour"]},
    "memory_search": {"query": "crane harbour"},
    "memory_get": {"id": "{id}", "history": True},
    "memory_update": {"id": "{id}", "title": "Crane"},
    "memory_link": {"source": "{id}", "target": "{other}"},
    "memory_recall": {"query": "crane"},
    "memory_delete": {"ids": ["{id}"]},
    "restore_memory": {"ids": ["{id}"]},
    "pin_memory": {"id": "{id}"},
    "forget_concept": {"request": "the crane in the harbour"},
    "memory_supersede": {"old": "{id}", "new_text": "The crane stands in the yard."},
    "memory_write": {"text": "I look after a harbour."},
    "merge_memories": {"ids": ["{id}", "{other}"]},
    "match_playbooks": {"situation": "a storm"},
    "batch_prune": {"node_ids": ["{id}"]},
    "execute_prune": {"node_ids": ["{id}"], "reason": "staleness"},
    "search_history": {"query": "crane"},
    "memory_report": {"recall_id": NOBODY},
    "restore_from_hash": {"hash": "0" * 64},
    "answer_question": {},
    "manage_clusters": {"action": "list"},
    "manage_conflicts": {"action": "list"},
}  # fmt: skip
CHANGING = {"hash", "content_hash", "text"}
MADE = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32}|\d{4}-\d\d-\d\d[T ][\d:.]+(\+00:00)?")


def settled(value):
    """Data without what every call makes anew: ids, hashes and moments."""
    if isinstance(value, dict):
        kept = {k: v for k, v in value.items() if k not in CHANGING and not k.endswith("_ms")}
        return [[settled(k), settled(v)] for k, v in kept.items()]
    if isinstance(value, list):
        return [settled(one) for one in value]
    if isinstance(value, float):
        return round(value, 2)
    return MADE.sub("", value) if isinstance(value, str) else value


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_library_command_mcp_and_http_give_the_same(name, tmp_path, shared_app):
    tool, found = TOOLS[name], {}
    for way in WAYS:
        with Glymph.open(f"sqlite:///{tmp_path}/{way}.db") as glymph:
            ids = {
                "id": glymph.add("The crane was painted red.").id,
                "other": glymph.add("The quay has nine bollards.").id,
            }
            given = json.loads(
                json.dumps(CALLS.get(name, {})).replace("{id}", ids["id"]).replace("{other}", ids["other"])
            )  # fmt: skip
            found[way] = settled(WAYS[way](glymph, tool, given, shared_app))
    # The command may tell more, such as what a request to forget meets in conversations.
    assert found["command"][: len(found["library"])] == found["library"]
    assert found["mcp"] == found["library"]
    assert found["http"] == found["library"]


def by_library(glymph, tool, given, _):
    try:
        return json.loads(json.dumps(tool.run(glymph, tool.arguments(**given))))
    except (GlymphError, ValidationError) as error:
        return {"error": type(error).__name__}


def by_command(glymph, tool, given, _):
    asks_first = tool.preview and tool.name != "forget_concept"  # which has a plan of its own
    words = [tool.command, "--url", glymph.url, "--json", *(["--apply"] if asks_first else [])]
    for name, value in given.items():
        extra = tool.arguments.model_fields[name].json_schema_extra or {}
        option = f"--{name.replace('_', '-')}"
        for one in value if isinstance(value, list) else [value]:
            if extra.get("positional"):
                words.append(str(one))
            else:
                words += [option] if one is True else [option, str(one)]
    ended = CliRunner().invoke(command_line, words)
    if ended.exit_code not in (0, 3) and ended.exception is not None:
        return {"error": type(ended.exception).__name__}
    data = json.loads(ended.output)
    if tool.name == "forget_concept":
        del data["dry_run"]
    return data


def by_mcp(glymph, tool, given, _):
    answer = answer_call(lambda _: glymph, TOOLS, tool.name, given, "data")
    assert isinstance(answer, types.CallToolResult)
    if answer.is_error:
        return {"error": answer.content[0].text.partition(":")[0].partition(" ")[0]}
    return answer.structured_content


def by_http(glymph, tool, given, served):
    served.service.handles.__init__(glymph)
    with served.client() as client:
        answer = client.post(f"/v1/tools/{tool.name}", json=given)
    data = answer.json()
    return data if answer.is_success else {"error": data["title"]}


WAYS = {"library": by_library, "command": by_command, "mcp": by_mcp, "http": by_http}


@pytest.fixture(scope="module")
def shared_app(here):
    with serving(here, open_gate()) as running:
        yield running


# A handle over the wire


def test_errors_over_the_wire_are_those_of_the_library(served, here):
    with pytest.raises(Unauthorized):
        Glymph.open(served.url, token="glymph_unknown")
    with pytest.raises(ServerAway):
        Glymph.open("http://127.0.0.1:9")
    with pytest.raises(InvalidInput, match="https"):
        Glymph.open("http://memory.example", token="secret")
    with pytest.raises(NotOverTheWire):
        Glymph.open(served.url, token=SECRET, embedder="none")
    with pytest.raises(InvalidInput, match="server"):
        Glymph.open(here.url, token="secret")
    secret = make_token(here, "reader", role="read")
    with Glymph.open(served.url, token=secret) as glymph:
        assert glymph.actor == "agent:reader"
        with pytest.raises(Forbidden, match="write"):
            glymph.add("No.")


# Events and figures


def test_events_tell_what_happens(served, here):
    with (
        served.client(SECRET) as client,
        client.stream("GET", "/v1/events", headers={"Glymph-Space": "default"}) as stream,
    ):
        lines = stream.iter_lines()
        assert next(lines).startswith("retry")
        made = here.add("A kingfisher passed.")
        assert next(lines).startswith("id: ")  # where it goes on if it is cut off now
        assert f"id: {made.operation_id}" in itertools.islice(lines, 3)
        assert next(lines) == "event: add"


def test_a_stream_ends_so_that_its_token_is_looked_at_again(served, monkeypatch):
    monkeypatch.setattr(events, "LASTS", 0.0)
    with served.client(SECRET) as client:
        answer = client.get("/v1/events", headers={"Glymph-Space": "default"})
    assert answer.text.startswith("retry: 2000\nid: ")


def test_events_in_a_burst_are_told_one_and_all(served, monkeypatch):
    monkeypatch.setattr(events, "PAGE", 3)
    there = served.service.handles.open("burst", create=True)
    first = there.add("Swifts came back to tower 0.").operation_id
    after = [there.add(f"Swifts came back to tower {at}.").operation_id for at in range(1, 9)]
    told = [one.id for one in events._find_since(there, first)]
    assert [one for one in told if one in after] == after
    assert first not in told


def test_the_document_says_what_to_send_and_which_token(served):
    document = make_app(served.service).openapi()
    assert document["components"]["securitySchemes"]["HTTPBearer"]["scheme"] == "bearer"
    for path, ways in document["paths"].items():
        for method, way in ways.items():
            assert bool(way.get("security")) == (path not in ("/health", "/ready")), path
            if "requestBody" in way:
                schema = way["requestBody"]["content"]["application/json"]["schema"]
                assert has_example(schema, document), (method, path)
    for name, body in BODIES.items():
        TOOLS[name].arguments.model_validate(body)
    assert BODIES.keys() == {name for name in TOOLS if f"/v1/tools/{name}" in document["paths"]}


def has_example(schema, document):
    if "$ref" in schema and "examples" not in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    return "examples" in schema or any(
        "examples" in one for one in schema.get("properties", {}).values()
    )


def test_an_async_handle_goes_over_the_wire_too(served):
    async def use():
        async with AsyncGlymph.open(served.url, token=SECRET, space="burst") as memory:
            made = await memory.add("Swifts sleep on the wing.")
            return made, await memory.search("swifts wing")

    made, hits = asyncio.run(use())
    assert hits[0].memory.id == made.id


def test_figures_count_requests_and_name_no_space(operator):
    operator.get("/v1/me")
    text = operator.get("/metrics").text
    assert 'glymph_requests_total{method="GET",route="/v1/me",status="200"}' in text
    assert "heron" not in text
    assert "glymph_request_seconds_count" in text


def test_the_service_is_a_value_with_few_threads(served):
    service = served.service
    assert isinstance(service, Service)
    assert service.limiter.total_tokens + service.large.total_tokens <= 8

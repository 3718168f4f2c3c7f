"""Stores as other programs write them: by those programs themselves where they are installed."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from tests import programs

# Each runs in a process of its own: the programs warn, patch and phone home at import.
MEM0 = """
    import os, sys, warnings
    warnings.simplefilter("ignore")
    base, vectors = sys.argv[1:]
    os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": base, "OPENAI_API_KEY": "none"}
    import mem0.memory.main as main
    from mem0.embeddings.mock import MockEmbeddings
    main.EmbedderFactory.create = classmethod(lambda cls, *a, **k: MockEmbeddings())
    config = {"path": f"{base}/{vectors}", "collection_name": "mem0"}
    if vectors == "qdrant":
        config |= {"on_disk": True, "embedding_model_dims": 10}
    memory = main.Memory.from_config({
        "vector_store": {"provider": vectors, "config": config},
        "history_db_path": f"{base}/history.db",
        "llm": {"provider": "openai", "config": {"api_key": "none"}},
        "embedder": {"provider": "openai", "config": {"api_key": "none"}},
    })
    def add(text, **more):
        return memory.add(text, user_id="anna", infer=False, **more)["results"][0]["id"]
    nuts = add("Anna is allergic to nuts")
    add("Anna lives in Lisbon", run_id="trip", metadata={"topic": "home"})
    memory.update(nuts, "Anna is allergic to peanuts")
    memory.delete(add("Anna owns a boat"))
    memory.close()
    if vectors == "qdrant":
        memory.vector_store.client.close()
"""
CHROMA = """
    import sys, warnings
    warnings.simplefilter("ignore")
    import chromadb
    from chromadb.config import Settings
    client = chromadb.PersistentClient(sys.argv[1], settings=Settings(anonymized_telemetry=False))
    notes = client.create_collection("notes", embedding_function=None)
    notes.add(
        ids=["a", "b", "c"], documents=["Anna likes tea", "Bob lives in Rome", "Carl left"],
        embeddings=[[0.1, 0.2], [0.3, 0.1], [0.0, 1.0]],
        metadatas=[{"user": "anna", "created_at": "2024-03-01T10:00:00+00:00", "tags": "drink, home"},
                   {"user": "bob", "sure": True}, {"user": "carl"}],
    )
    notes.update(ids=["b"], documents=["Bob lives in Milan"], embeddings=[[0.3, 0.2]])
    notes.delete(ids=["c"])
"""
LANGGRAPH = """
    import sys, warnings
    warnings.simplefilter("ignore")
    from langgraph.store.sqlite import SqliteStore
    with SqliteStore.from_conn_string(sys.argv[1]) as store:
        store.setup()
        store.put(("memories", "anna"), "k1", {"text": "Anna likes tea", "kind": "preference"})
        store.put(("memories", "anna"), "k2", {"kind": "Memory", "content": {"content": "Anna sails"}})
        store.put(("memories", "bob"), "k3", {"score": 3})
"""
MCP_MEMORY_SERVICE = """
    import asyncio, logging, os, sys, warnings
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    file = sys.argv[1]
    os.environ["MCP_MEMORY_BASE_DIR"] = os.path.dirname(file)
    from mcp_memory_service.models import Memory
    from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage
    from mcp_memory_service.utils import generate_content_hash as name
    async def main():
        storage = SqliteVecMemoryStorage(file)
        await storage.initialize()
        for text, tags, kind in (
            ("The API runs on port 8080", ["api", "ops"], "reference"),
            ("The wiki moved to another host", [], "note"),
            ("Deleted note", [], "note"),
        ):
            one = Memory(content=text, content_hash=name(text), tags=tags, memory_type=kind,
                         metadata={"project": "shop"})
            stored, why = await storage.store(one)
            assert stored, why
        await storage.delete(name("Deleted note"))
        await storage.retrieve("The API runs on port 8080", n_results=1)
        await storage.close()
    asyncio.run(main())
"""
SERVICE = ("mcp-memory-service==12.4.0", "sqlite-vec==0.1.9", "numpy==2.4.6")
SERVER_MEMORY = "@modelcontextprotocol/server-memory@2026.8.31"


def run(program, *arguments, python=sys.executable):
    """Runs a program of another package to its end."""
    done = subprocess.run(
        [python, "-c", textwrap.dedent(program), *map(str, arguments)],
        capture_output=True, text=True, check=False, timeout=120,
        env=None if python == sys.executable else os.environ | {"PYTHONPATH": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]


def write_mem0(folder, vectors="qdrant"):
    folder.mkdir()
    run(MEM0, folder, vectors)
    return folder


def write_chroma(folder):
    run(CHROMA, folder)
    return folder


def write_langgraph(file):
    run(LANGGRAPH, file)
    return file


def write_server_memory(file):
    """Lets the MCP reference server for memory write its graph, called over MCP."""
    about = [
        {"name": "Anna_Weber", "entityType": "person",
         "observations": ["Speaks Portuguese", "Is allergic to nuts"]},
        {"name": "Lindenhof", "entityType": "company", "observations": ["Makes garden furniture"]},
    ]  # fmt: skip
    more = [{"entityName": "Anna_Weber", "contents": ["Prefers tea"]}]
    works = [{"from": "Anna_Weber", "to": "Lindenhof", "relationType": "works_at"}]
    calls = [
        ("create_entities", {"entities": about}),
        ("add_observations", {"observations": more}),
        ("create_relations", {"relations": works}),
    ]  # fmt: skip
    with run_server_memory(file) as call:
        for tool, arguments in calls:
            answer = call(tool, arguments)
            assert not answer.get("isError"), answer
    return file


@contextmanager
def run_server_memory(file):
    """Runs the MCP reference server for memory; yields what calls a tool of it. Needs node."""
    program = programs.find_npm_program("server-memory", SERVER_MEMORY, "mcp-server-memory")
    with subprocess.Popen(
        [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, env=os.environ | {"MEMORY_FILE_PATH": str(file)},
    ) as server:  # fmt: skip
        numbers = count()

        def send(message):
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            server.stdin.flush()

        def ask(method, params):
            number = next(numbers)
            send({"id": number, "method": method, "params": params})
            while (answer := json.loads(server.stdout.readline())).get("id") != number:
                pass
            return answer.get("result") or answer

        client = {"name": "tests", "version": "1"}
        ask("initialize", {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client,
        })  # fmt: skip
        send({"method": "notifications/initialized"})
        yield lambda tool, arguments: ask("tools/call", {"name": tool, "arguments": arguments})
        server.stdin.close()


def write_mcp_memory_service(folder):
    """Lets mcp-memory-service write its database, with vectors of the words' hashes."""
    python = programs.find_python_with("mcp-memory-service", *SERVICE)
    folder.mkdir(exist_ok=True)
    run(MCP_MEMORY_SERVICE, folder / "sqlite_vec.db", python=python)
    return folder / "sqlite_vec.db"


def imitate_mcp_memory_service(file):
    """The table in which mcp-memory-service keeps memories, with what is rare in it."""
    with sqlite3.connect(file) as database:
        database.executescript("""
            PRAGMA journal_mode = WAL;
            CREATE TABLE memories (
                id INTEGER PRIMARY KEY AUTOINCREMENT, content_hash TEXT UNIQUE NOT NULL,
                content TEXT NOT NULL, tags TEXT, memory_type TEXT, metadata TEXT,
                created_at REAL, updated_at REAL, created_at_iso TEXT, updated_at_iso TEXT,
                deleted_at REAL DEFAULT NULL, parent_id TEXT, version INTEGER DEFAULT 1,
                confidence REAL DEFAULT 1.0, last_accessed INTEGER, superseded_by TEXT
            );
        """)
        rows = [
            ("h1", "The API runs on port 8080", "api,ops", "reference",
             '{"access_count": 4, "last_accessed_at": 1718000000}', 1.71e9, 1.71e9, None, None),
            ("h2", "Deleted note", "", "note", "{}", 1.71e9, 1.71e9, 1.72e9, None),
            ("h3", "Older version", "", "note", "{}", 1.71e9, 1.71e9, None, "h1"),
        ]  # fmt: skip
        database.executemany(
            "INSERT INTO memories (content_hash, content, tags, memory_type, metadata, created_at, "
            "updated_at, deleted_at, superseded_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )
    database.close()
    return file


def write_chatgpt(file):
    """A data export of ChatGPT with one answer that was made anew."""

    def node(name, parent, role, text, at):  # fmt: skip
        content = {"content_type": "text", "parts": [text]}
        message = {"author": {"role": role}, "content": content, "create_time": at}
        return {"id": name, "parent": parent, "children": [], "message": message}

    talk = {
        "title": "Plans", "conversation_id": "c-1", "create_time": 1.72e9, "current_node": "4",
        "mapping": {
            "1": {"id": "1", "parent": None, "children": ["2"], "message": None},
            "2": node("2", "1", "user", "Remember that our office is in Rostock.", 1.72e9),
            "3": node("3", "2", "assistant", "I prefer answers nobody chose.", 1.72e9),
            "4": node("4", "2", "user", "I am allergic to peanuts. How are you?", 1.72e9 + 60),
        },
    }  # fmt: skip
    file.write_text(json.dumps([talk]))
    return file


def write_claude_export(folder):
    """A data export of Claude with what it remembers."""
    folder.mkdir(exist_ok=True)
    message = {
        "uuid": "m-1", "sender": "human", "created_at": "2025-02-03T08:00:00Z", "text": "",
        "content": [{"type": "text", "text": "Remember that we deploy on Tuesdays."}],
    }  # fmt: skip
    talk = {
        "uuid": "t-1",
        "name": "Deploys",
        "created_at": "2025-02-03T08:00:00Z",
        "chat_messages": [message],
    }
    (folder / "conversations.json").write_text(json.dumps([talk]))
    kept = {
        "conversations_memory": "**Work context**\n\nAnna leads the search team.",
        "account_uuid": "x",
    }
    (folder / "memories.json").write_text(json.dumps([kept]))
    return folder


def write_claude_memory(folder):
    """CLAUDE.md and a folder of memory files."""
    (folder / "memory").mkdir(parents=True)
    (folder / "CLAUDE.md").write_text(
        "# Project\n\n@docs/rules.md\n\n## Testing\n- Run `make test` before each commit\n"
        "- Never push to main\n\nThe API is in `src/api`.\n"
    )
    (folder / "memory" / "MEMORY.md").write_text(
        "- [Tea](tea.md) Anna's drink\n- Anna sails on Sundays\n"
    )
    (folder / "memory" / "tea.md").write_text(
        "---\nname: tea\ndescription: What Anna drinks\nmetadata:\n  type: user\n---\n\nAnna drinks green tea.\n"
    )
    return folder


def write_plain(folder):
    """Markdown, JSON Lines, a JSON list and a table that say the same things."""
    folder.mkdir(exist_ok=True)
    (folder / "notes.md").write_text(
        "# Home\n\n- Anna likes tea\n- Bob lives\n  in Rome\n\nThe key is under the mat.\n"
    )
    (folder / "notes.jsonl").write_text(
        '{"id": 7, "memory": "Anna likes tea", "created_at": "2024-01-02"}\n"Bob lives in Rome"\n'
    )
    (folder / "notes.json").write_text(
        json.dumps({"results": [{"id": "x", "memory": "Anna likes tea"}]})
    )
    (folder / "notes.csv").write_text(
        "id;text;created_at;tags\n1;Anna likes tea;2024-01-02;drink,home\n2;Bob lives in Rome;;\n"
    )
    return folder


def picture(path: Path):
    """Everything about a file or folder that an import must leave as it is."""
    files = [path] if path.is_file() else sorted(path.rglob("*"))
    beside = sorted(one.name for one in path.parent.iterdir())
    return beside, {
        str(one): (one.stat().st_mtime_ns, one.read_bytes() if one.is_file() else sorted(p.name for p in one.iterdir()))
        for one in files
    }  # fmt: skip

"""Memories for agents that Glymph is measured beside: mem0, two servers of MCP, mnemosyne."""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import os
import re
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.harness.clocks import running_cpu
from benchmarks.harness.peer_contract import DIMENSION, FOUND, InProcess, Vectors, new_keys


class Mem0(InProcess):
    """`add(infer=False)`: with True it asks a language model, which nobody has here."""

    def __init__(self, folder: Path, vectors: Vectors, *, cleaning: bool) -> None:
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder), "OPENAI_API_KEY": "none"}
        from mem0.embeddings.base import EmbeddingBase
        from mem0.memory import main

        class Given(EmbeddingBase):  # type: ignore[misc]
            def embed(self, text: str, memory_action: str | None = None) -> list[float]:
                return list(vectors[text])

        main.EmbedderFactory.create = classmethod(lambda cls, *a, **k: Given())
        place = {"path": str(folder / "qdrant"), "collection_name": "memories", "on_disk": True}
        unused = {"provider": "openai", "config": {"api_key": "none"}}
        self._memory = main.Memory.from_config({
            "vector_store": {
                "provider": "qdrant", "config": place | {"embedding_model_dims": DIMENSION}
            },
            "history_db_path": str(folder / "history.db"), "llm": unused, "embedder": unused,
        })  # fmt: skip

    def add(self, text: str) -> str:
        return self.add_many([text])[0]

    def add_many(self, texts: Sequence[str]) -> list[str]:
        messages = [{"role": "user", "content": text} for text in texts]
        done = self._memory.add(messages, user_id="ada", infer=False)
        return [one["id"] for one in done["results"]]

    def search(self, query: str) -> list[str]:
        mine = {"user_id": "ada"}
        found = self._memory.search(query, filters=mine, top_k=FOUND, threshold=0.0)
        return [one["id"] for one in found["results"]]

    def update(self, id: str, text: str) -> None:
        self._memory.update(id, text)

    def delete(self, id: str) -> None:
        self._memory.delete(id)

    def texts(self) -> dict[str, str]:
        found = self._memory.get_all(filters={"user_id": "ada"}, top_k=1_000_000)
        return {one["id"]: one["memory"] for one in found["results"]}

    def close(self) -> None:
        self._memory.close()
        self._memory.vector_store.client.close()


class ServerMemory:
    """The reference server of MCP, over standard input and output. It finds words, not meaning."""

    def __init__(self, folder: Path, vectors: Vectors, *, cleaning: bool) -> None:
        self._server = subprocess.Popen(
            ["node", os.environ["GLYMPH_PEER_SERVER"]],
            env=os.environ | {"MEMORY_FILE_PATH": str(folder / "memory.jsonl")},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        self._numbers = itertools.count(1)
        self._keys = new_keys()
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "glymph-benchmark", "version": "1"},
        }
        self._ask("initialize", hello)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def add(self, text: str) -> str:
        return self.add_many([text])[0]

    def add_many(self, texts: Sequence[str]) -> list[str]:
        keys = [next(self._keys) for _ in texts]
        entities = [
            {"name": key, "entityType": "memory", "observations": [text]}
            for key, text in zip(keys, texts, strict=True)
        ]
        self._call("create_entities", entities=entities)
        return keys

    def search(self, query: str) -> list[str]:
        """Asks for the longest word: the server looks for the query as it stands, inside texts."""
        word = max(re.findall(r"\w+", query), key=len)
        return [one["name"] for one in self._call("search_nodes", query=word)["entities"]][:FOUND]

    def update(self, id: str, text: str) -> None:
        (old,) = self._call("open_nodes", names=[id])["entities"][0]["observations"]
        self._call("delete_observations", deletions=[{"entityName": id, "observations": [old]}])
        self._call("add_observations", observations=[{"entityName": id, "contents": [text]}])

    def delete(self, id: str) -> None:
        self._call("delete_entities", entityNames=[id])

    def bring_back(self, id: str) -> bool:
        return False

    def texts(self) -> dict[str, str]:
        return {
            one["name"]: " ".join(one["observations"])
            for one in self._call("read_graph")["entities"]
        }

    def finish(self) -> None:
        return

    def acknowledged_cpu(self) -> float:
        return time.process_time() + self.other_cpu()

    def other_cpu(self) -> float:
        return running_cpu(self._server.pid)

    def other_mb(self) -> float:
        pages = Path(f"/proc/{self._server.pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6

    def close(self) -> None:
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._server.wait(30)

    def _call(self, tool: str, **arguments: object) -> Any:
        answer = self._ask("tools/call", {"name": tool, "arguments": arguments})
        if answer.get("isError"):
            raise RuntimeError(f"{tool}: {answer['content'][0]['text'][:200]}")
        return answer.get("structuredContent") or json.loads(answer["content"][0]["text"])

    def _ask(self, method: str, params: Mapping[str, object]) -> Any:
        number = next(self._numbers)
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        assert self._server.stdout is not None
        for line in self._server.stdout:
            message = json.loads(line)
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
        raise EOFError("the server ended without an answer")

    def _send(self, message: Mapping[str, object]) -> None:
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps(message) + "\n")
        self._server.stdin.flush()


class McpMemory(InProcess):
    """mcp-memory-service by the storage that its server opens: sqlite-vec.

    It turns away what is nearly the same as something of the last day; that counts as stored.
    """

    def __init__(self, folder: Path, vectors: Vectors, *, cleaning: bool) -> None:
        os.environ |= {"MCP_MEMORY_BASE_DIR": str(folder), "MCP_MEMORY_USE_ONNX": "0"}
        logging.disable(logging.CRITICAL)
        from mcp_memory_service.models import Memory
        from mcp_memory_service.storage import sqlite_vec
        from mcp_memory_service.storage.mixins import embeddings
        from mcp_memory_service.utils import generate_content_hash

        # In place of a model that it would load by this name.
        embeddings._MODEL_CACHE["all-MiniLM-L6-v2"] = GivenModel(vectors)
        embeddings._DIMENSION_CACHE["all-MiniLM-L6-v2"] = DIMENSION
        embeddings.SENTENCE_TRANSFORMERS_AVAILABLE = True
        self._make, self._hash = Memory, generate_content_hash
        self._loop = asyncio.new_event_loop()
        self._storage = sqlite_vec.SqliteVecMemoryStorage(str(folder / "sqlite_vec.db"))
        self._wait(self._storage.initialize())

    def add(self, text: str) -> str:
        memory = self._memory(text)
        return self._key(memory, *self._wait(self._storage.store(memory)))

    def add_many(self, texts: Sequence[str]) -> list[str]:
        memories = [self._memory(text) for text in texts]
        done = self._wait(self._storage.store_batch(memories))
        return [self._key(one, *said) for one, said in zip(memories, done, strict=True)]

    def search(self, query: str) -> list[str]:
        found = self._wait(self._storage.retrieve(query, n_results=FOUND))
        return [one.memory.content_hash for one in found]

    def update(self, id: str, text: str) -> None:
        done, why, _ = self._wait(self._storage.update_memory_versioned(id, text))
        if not done:
            raise RuntimeError(why)

    def delete(self, id: str) -> None:
        self._wait(self._storage.delete(id))

    def texts(self) -> dict[str, str]:
        found = self._wait(self._storage.get_all_memories())
        return {one.content_hash: one.content for one in found}

    def close(self) -> None:
        self._wait(self._storage.close())
        self._loop.close()

    def _memory(self, text: str) -> Any:
        return self._make(content=text, content_hash=self._hash(text))

    def _key(self, memory: Any, done: bool, said: str) -> str:
        """The hash of what is stored: its own, or of the one it was held to repeat."""
        if not done and "Duplicate" not in said:
            raise RuntimeError(said)
        other = re.search(r"similar to (\w+)", said)
        return other[1] if other and not done else memory.content_hash

    def _wait(self, work: Any) -> Any:
        return self._loop.run_until_complete(work)


class Mnemosyne(InProcess):
    """mnemosyne-memory. It keeps the newest 10,000 of a session, here more."""

    def __init__(self, folder: Path, vectors: Vectors, *, cleaning: bool) -> None:
        os.environ |= {
            "HERMES_HOME": str(folder), "MNEMOSYNE_DATA_DIR": str(folder),
            "MNEMOSYNE_EMBEDDING_MODEL": "sentence-transformers/all-MiniLM-L6-v2",
            "MNEMOSYNE_WM_MAX_ITEMS": "1000000",
        }  # fmt: skip
        logging.disable(logging.CRITICAL)
        from mnemosyne import Mnemosyne as Memory
        from mnemosyne.core import embeddings

        # In place of the model that its optional part `embeddings` would load.
        embeddings._embedding_model = GivenModel(vectors)
        embeddings.TextEmbedding, embeddings._FASTEMBED_AVAILABLE = GivenModel, True
        self._memory: Any = Memory(db_path=folder / "mnemosyne.db")

    def add(self, text: str) -> str:
        return str(self._memory.remember(text) or "")

    def add_many(self, texts: Sequence[str]) -> list[str]:
        return list(self._memory.beam.remember_batch([{"content": text} for text in texts]))

    def search(self, query: str) -> list[str]:
        return [one["id"] for one in self._memory.recall(query, top_k=FOUND)]

    def update(self, id: str, text: str) -> None:
        self._memory.update(id, content=text)

    def delete(self, id: str) -> None:
        self._memory.forget(id)

    def texts(self) -> dict[str, str]:
        return {one["id"]: one["content"] for one in self._memory.get_all_memories()}

    def close(self) -> None:
        return


class GivenModel:
    """A model for stores that load one themselves; it looks vectors up."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def embed(self, texts: Sequence[str]) -> Any:
        import numpy as np

        return np.array([self._vectors[text] for text in texts], dtype=np.float32)

    def encode(self, texts: Sequence[str], **options: object) -> Any:
        return self.embed(texts)

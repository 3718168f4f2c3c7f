"""One face for Glymph and for the stores it is measured beside.

Each is used as its own documentation shows, with its defaults, the vectors given. Nothing but the
standard library is imported before a store is opened: the worker runs in the peer's environment.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

from benchmarks.harness.clocks import running_cpu

DIMENSION = 384
BATCH = 1_000  # of a bulk add; chromadb takes at most some thousand at once
FOUND = 10

Vectors = Mapping[str, Sequence[float]]


class Store(Protocol):
    """What is done with every store; ids are the store's own."""

    def add(self, text: str) -> str: ...
    def add_many(self, texts: Sequence[str]) -> list[str]: ...
    def search(self, query: str) -> list[str]: ...
    def update(self, id: str, text: str) -> None: ...
    def delete(self, id: str) -> None: ...
    def bring_back(self, id: str) -> bool:
        """Whether a call of the store brought back what was deleted."""
        ...

    def texts(self) -> dict[str, str]:
        """Every text that is there, by id."""
        ...

    def finish(self) -> None:
        """Waits for what the store does in the background: it is part of what a write costs."""
        ...

    def other_cpu(self) -> float:
        """CPU seconds of processes the store runs beside this one."""
        ...

    def other_mb(self) -> float: ...
    def close(self) -> None: ...


class InProcess:
    """What stores have in common that run in the process that uses them."""

    def finish(self) -> None:
        return

    def other_cpu(self) -> float:
        return 0.0

    def other_mb(self) -> float:
        return 0.0

    def bring_back(self, id: str) -> bool:
        return False


class GlymphStore(InProcess):
    """Its defaults; the reader only where the small set is cleaned: no model is timed."""

    def __init__(self, folder: Path, vectors: Vectors, *, cleaning: bool) -> None:
        from glymph import Glymph

        embedder = GivenVectors(vectors)
        self._glymph = Glymph.open(
            f"sqlite:///{folder / 'memory.db'}", embedder=embedder,
            reader="auto" if cleaning else "none",
        )  # fmt: skip
        self._cleaning = cleaning

    def add(self, text: str) -> str:
        return self._glymph.add(text, wait=self._cleaning).id

    def add_many(self, texts: Sequence[str]) -> list[str]:
        return [added.id for added in self._glymph.add_many(texts)]

    def search(self, query: str) -> list[str]:
        return [hit.memory.id for hit in self._glymph.search(query, limit=FOUND)]

    def update(self, id: str, text: str) -> None:
        self._glymph.update(id, text=text)

    def delete(self, id: str) -> None:
        self._glymph.delete(id)

    def bring_back(self, id: str) -> bool:
        self._glymph.undo()
        return self._glymph.get(id).state == "LIVE"

    def texts(self) -> dict[str, str]:
        found: dict[str, str] = {}
        cursor = None
        while True:
            page = self._glymph.list(limit=500, cursor=cursor)
            found |= {memory.id: memory.text for memory in page.items}
            cursor = page.cursor
            if cursor is None:
                return found

    def finish(self) -> None:
        self._glymph.settle()

    def close(self) -> None:
        self._glymph.close()


class GivenVectors:
    """An embedder for Glymph that looks vectors up."""

    name, dimension, ms_per_text = "given", DIMENSION, 0.0

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def embed(self, texts: Sequence[str]) -> Any:
        import numpy as np

        return np.array([self._vectors[text] for text in texts], dtype=np.float32)


class LangGraph(InProcess):
    def __init__(self, folder: Path, vectors: Vectors, *, cleaning: bool) -> None:
        from langgraph.store.sqlite import SqliteStore

        def embed(texts: Sequence[str]) -> list[list[float]]:
            return [list(vectors[text]) for text in texts]

        # Not `fields`: the store reads only this name, whatever its type says.
        index: Any = {"dims": DIMENSION, "embed": embed, "text_fields": ["text"]}
        self._stack = ExitStack()
        self._store = self._stack.enter_context(
            SqliteStore.from_conn_string(
                str(folder / "store.db"),
                index=index,
            )
        )
        self._store.setup()
        self._keys = _new_keys()

    def add(self, text: str) -> str:
        return self.add_many([text])[0]

    def add_many(self, texts: Sequence[str]) -> list[str]:
        from langgraph.store.base import PutOp

        keys = [next(self._keys) for _ in texts]
        puts = zip(keys, texts, strict=True)
        self._store.batch([PutOp(("memories",), key, {"text": text}) for key, text in puts])
        return keys

    def search(self, query: str) -> list[str]:
        return [item.key for item in self._store.search(("memories",), query=query, limit=FOUND)]

    def update(self, id: str, text: str) -> None:
        self._store.put(("memories",), id, {"text": text})

    def delete(self, id: str) -> None:
        self._store.delete(("memories",), id)

    def texts(self) -> dict[str, str]:
        return {
            item.key: item.value["text"]
            for item in self._store.search(("memories",), limit=1_000_000)
        }

    def close(self) -> None:
        self._stack.close()


class Chroma(InProcess):
    def __init__(self, folder: Path, vectors: Vectors, *, cleaning: bool) -> None:
        import chromadb
        from chromadb.config import Settings

        self._vectors = vectors
        self._client: Any = chromadb.PersistentClient(
            str(folder / "chroma"), settings=Settings(anonymized_telemetry=False)
        )
        self._all = self._client.get_or_create_collection(
            "memories", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )
        self._keys = _new_keys()

    def add(self, text: str) -> str:
        return self.add_many([text])[0]

    def add_many(self, texts: Sequence[str]) -> list[str]:
        keys = [next(self._keys) for _ in texts]
        vectors = [self._vectors[text] for text in texts]
        self._all.add(ids=keys, documents=list(texts), embeddings=vectors)
        return keys

    def search(self, query: str) -> list[str]:
        found = self._all.query(query_embeddings=[self._vectors[query]], n_results=FOUND)
        return list(found["ids"][0])

    def update(self, id: str, text: str) -> None:
        self._all.update(ids=[id], documents=[text], embeddings=[self._vectors[text]])

    def delete(self, id: str) -> None:
        self._all.delete(ids=[id])

    def texts(self) -> dict[str, str]:
        found: Any = self._all.get()
        return dict(zip(found["ids"], found["documents"], strict=True))

    def close(self) -> None:
        self._client.close()


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
        self._keys = _new_keys()
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


def _new_keys() -> Iterator[str]:
    """Ids that no other process makes."""
    return (f"m{os.getpid()}-{number}" for number in itertools.count())


OPEN: Mapping[str, Callable[..., Store]] = {
    "glymph": GlymphStore,
    "langgraph": LangGraph,
    "chroma": Chroma,
    "mem0": Mem0,
    "server_memory": ServerMemory,
}

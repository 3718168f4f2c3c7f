"""One face for Glymph and for the stores it is measured beside.

Each is used as its own documentation shows, with its defaults, the vectors given. Nothing but the
standard library is imported before a store is opened: the worker runs in the peer's environment.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.harness.peer_agents import McpMemory, Mem0, Mnemosyne, ServerMemory
from benchmarks.harness.peer_contract import DIMENSION, FOUND, InProcess, Store, Vectors, new_keys


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

    def add_fields(self, items: Sequence[Mapping[str, Any]]) -> list[str]:
        """Adds texts with what else is known of them, moments written out."""
        read = [
            {**item, "event_at": item["event_at"] and datetime.fromisoformat(item["event_at"])}
            for item in items
        ]
        return [added.id for added in self._glymph.add_many(read)]

    def finish(self) -> None:
        self._glymph.settle()

    def acknowledged_cpu(self) -> float:
        return time.thread_time()  # comparing goes on in a thread of its own

    def close(self) -> None:
        self._glymph.close()


class GivenVectors:
    """An embedder for Glymph that looks vectors up.

    A question that Glymph words anew before it asks is embedded by the model the others came from.
    """

    name, dimension, ms_per_text = "given", DIMENSION, 0.0

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors
        self._model: Any = None

    def embed(self, texts: Sequence[str]) -> Any:
        import numpy as np

        missing = [text for text in texts if text not in self._vectors]
        if missing and self._model is None:
            from glymph.embed.providers.local import LocalEmbedder

            self._model = LocalEmbedder()
        made = dict(zip(missing, self._model.embed(missing), strict=True)) if missing else {}
        known = [made[text] if text in made else self._vectors[text] for text in texts]
        return np.array(known, dtype=np.float32)


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
        self._keys = new_keys()

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
        self._keys = new_keys()

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


OPEN: Mapping[str, Callable[..., Store]] = {
    "glymph": GlymphStore,
    "langgraph": LangGraph,
    "chroma": Chroma,
    "mem0": Mem0,
    "mcp_memory": McpMemory,
    "mnemosyne": Mnemosyne,
    "server_memory": ServerMemory,
}

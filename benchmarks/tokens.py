"""What a model reads of Glymph over MCP, in tokens.

The definitions of the tools of each profile, as JSON of name, description and input schema, and the
answers to ten typical calls on a store of a few hundred memories. Tokens are those of `o200k_base`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.harness.contract import Fact, Figure, Figures, Options, Unavailable
from benchmarks.harness.prose import sentences

QUESTION = "How many tokens do the tools and their answers cost a model over MCP?"

PROFILES = ("core", "curator", "full")
MEMORIES = 300
MOST_CORE, MOST_ANALYSIS = 1_500, 4_000
ENCODING = "o200k_base"
# The tokenizer's file is fetched from its maker's server, which not every machine may reach. A
# wheel on PyPI carries it under the name by which tiktoken looks for it in its cache.
CARRIER, FILE = "litellm", "fb374d419588a4632f3f557e76b4b70aebbca790"
CACHE = Path(__file__).parents[1] / ".cache" / "tiktoken"


def run(options: Options) -> Figures:
    """Tokens of definitions and of answers, by profile and by call."""
    encoding = find_encoding() or _fetch_encoding()

    def count(text: str) -> int:
        return len(encoding.encode(text))

    figures: dict[str, Figure | Fact] = {"tokenizer": Fact(ENCODING, "whose tokens are counted")}
    for profile in PROFILES:
        number, cost = count_definitions(profile, count)
        most = MOST_CORE if profile == "core" else None
        figures[f"{profile}_tools"] = Figure(number, f"tools of the profile {profile}")
        figures[f"{profile}_tokens"] = Figure(cost, "tokens of their definitions", at_most=most)
    with tempfile.TemporaryDirectory(prefix="glymph-tokens-") as folder:
        said = 0
        for name, text, floor in _answers(Path(folder), options.count(MEMORIES, least=20)):
            most = MOST_ANALYSIS if name == "analyze" else None
            meaning = f"tokens of the answer; limit: of the texts in it ({len(text):,} characters)"
            figures[f"answer_{name}"] = Figure(
                count(text), meaning, at_most=most, limit=count(floor)
            )
            said += count(text)
    figures["answers_tokens"] = Figure(said, "tokens of the ten answers together")
    return figures


def find_encoding() -> Any:
    """The tokenizer, if its file is on this machine; else None."""
    import tiktoken

    if (CACHE / FILE).exists():
        os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(CACHE))
    folder = os.environ.get("TIKTOKEN_CACHE_DIR")
    if folder is None or not (Path(folder) / FILE).exists():
        return None
    return tiktoken.get_encoding(ENCODING)


def _fetch_encoding() -> Any:
    with tempfile.TemporaryDirectory(prefix="glymph-tokens-") as folder:
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--no-deps",
            "-q",
            "-d",
            folder,
            CARRIER,
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        wheels = list(Path(folder).glob("*.whl"))
        if done.returncode or not wheels:
            raise Unavailable(
                f"needs the tokenizer in the wheel of {CARRIER}: {done.stderr[-200:]}"
            )
        with zipfile.ZipFile(wheels[0]) as wheel:
            inside = [name for name in wheel.namelist() if name.endswith(f"/{FILE}")]
            if not inside:
                raise Unavailable(f"the wheel of {CARRIER} no longer carries {FILE}.")
            CACHE.mkdir(parents=True, exist_ok=True)
            (CACHE / FILE).write_bytes(wheel.read(inside[0]))
    return find_encoding()


def count_definitions(profile: Any, count: Callable[[str], int]) -> tuple[int, int]:
    """How many tools a profile has, and the tokens of their definitions."""
    from glymph.mcp import server
    from glymph.tools import tools_for

    listed = [server.describe(tool, profile) for tool in tools_for(profile).values()]
    shown = [tool.model_dump(by_alias=True, exclude_none=True) for tool in listed]
    defined = [
        {name: one[name] for name in ("name", "description", "inputSchema")} for one in shown
    ]
    written = json.dumps(defined, separators=(",", ":"), ensure_ascii=False)
    return len(listed), count(written)


def _answers(folder: Path, memories: int) -> Iterator[tuple[str, str, str]]:
    """The ten calls: a name, the answer, and what of it memories say."""
    from glymph import Glymph
    from glymph.mcp.server import answer_call
    from glymph.tools import tools_for

    now = [datetime(2026, 1, 5, 9, tzinfo=UTC)]
    tools = tools_for("full")
    with Glymph.open(
        f"sqlite:///{folder / 'memory.db'}", clock=lambda: now[0], embedder="none", reader="none"
    ) as glymph:
        ids = _fill(glymph, now, memories)

        def call(name: str, **arguments: Any) -> str:
            answer = answer_call(lambda _: glymph, tools, name, arguments)
            text = "".join(getattr(part, "text", "") for part in answer.content)
            if answer.is_error:
                raise AssertionError(f"{name} failed: {text}")
            return text

        def texts(*chosen: str) -> str:
            return "\n".join(glymph.get(one).text for one in chosen)

        recalled = glymph.recall("what do files and objects return?", limit=10)
        found = [hit.memory.id for hit in recalled]
        yield (
            "recall",
            call("memory_recall", query="what do files and objects return?"),
            texts(*found),
        )
        told = {"recall_id": recalled.id, "used": found[:3]}
        yield "report", call("memory_report", **told), ""
        said = "The parser of the invoices returns amounts in cents."
        yield "add", call("memory_add", text=said, kind="fact"), ""
        old = {"old": ids[0], "new_text": "The depot opens at eight."}
        yield "supersede", call("memory_supersede", **old), ""
        yield "get", call("memory_get", id=ids[1], history=True), texts(ids[1])
        now[0] += timedelta(days=200)
        yield "analyze", call("analyze_memory", include_isolated=True), ""
        yield "prune", call("batch_prune", node_ids=ids[2:7]), texts(*ids[2:7])
        yield "undo", call("undo_operation"), ""
        yield "forget", call("forget_concept", request="OPS-48213"), ""
        yield "questions", call("answer_question"), ""


def _fill(glymph: Any, now: list[datetime], memories: int) -> list[str]:
    """Adds sentences over some days, every tenth linked to the one before; their ids."""
    ids: list[str] = []
    for number, text in enumerate(sentences(memories)):
        now[0] += timedelta(minutes=7)
        tags = ["library"] if number % 3 else []
        links = ids[-1:] if number % 10 else []
        added = glymph.add(text, kind="fact", tags=tags, links=links, wait=False)
        if added.id:
            ids.append(added.id)
    glymph.add("OPS-48213 is the ticket about the depot's door.", kind="fact")
    return ids

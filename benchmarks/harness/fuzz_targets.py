"""What is fuzzed: each way in, with a maker of inputs and what takes them.

A target answers whether an input was accepted. A refusal is a typed error: `GlymphError`, or what
the contract of that way in names; any other error is a crash.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw
from pydantic import ValidationError

from benchmarks.harness import mutations
from benchmarks.harness.mutations import change_bytes, change_lines, change_text, change_value
from glymph import Glymph, environment
from glymph.config import Settings
from glymph.errors import GlymphError
from glymph.forget.request import read_checked, read_request
from glymph.hooks import command
from glymph.learn import transcript
from glymph.llm.answers import strict_json
from glymph.mcp.server import answer_call
from glymph.moments import parse_iso
from glymph.prune.retention import parse_retention
from glymph.store import open_store
from glymph.store.portable import BIRTH_ORDER
from glymph.stores import restore_backup
from glymph.text import (
    attributes,
    clauses,
    dates,
    identifiers,
    injection,
    lists,
    normal,
    numbers,
    query,
    quotes,
    secrets,
    sentences,
    similarity,
    tickers,
    values,
)  # fmt: skip
from glymph.text.identifiers.asked import asked_identifiers
from glymph.text.identifiers.spellings import find_spellings
from glymph.text.scripts import flat
from glymph.tools import all_tools
from glymph.transfer.gathered import Gathered
from glymph.transfer.verify import find_problems
from glymph.write.junk import find_junk

NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)
AFTER = 300  # inputs, a store is made anew


class Crash(Exception):
    """A target answered what it must never answer."""


# Keys that were reserved, and into how many segments the index of words is cut: an import that is
# written, found unsound and taken out again may change both, and nothing that anybody stored.
BOOKKEEPING = ("sqlite_sequence", "_data", "_idx")


@dataclass(slots=True)
class Target:
    """One way in."""

    name: str
    share: int  # inputs at full size
    make: Callable[[random.Random], Any]
    take: Callable[[Any], bool | None]  # False: refused without an error
    refusals: tuple[type[Exception], ...] = (GlymphError,)
    image: Callable[[], object] | None = None  # of what a refused input must leave alone
    moved: Callable[[], object] = lambda: None  # changes whenever the image may have changed
    renew: Callable[[int], None] = field(default=lambda _: None)  # called before each input


# Texts and settings: no store


def _find_spellings(text: str) -> object:
    """Look for every identifier of a text in that text and another one."""
    found = []
    for body in (flat(text)[0], flat(mutations.TEXTS[5])[0]):
        there = identifiers.identifiers(body)
        for wanted in asked_identifiers(text)[:20]:
            found += [*find_spellings(wanted, body, there)]
    return found


PARSERS: dict[str, Callable[[str], object]] = {
    "dates": lambda text: [
        *dates.find_dates(text), *dates.find_times(text), *dates.find_named_times(text)
    ],
    "values": values.values,
    "figures": lambda text: [
        *numbers.find_quantities(text), *numbers.find_figures(text), *numbers.find_number_words(text)
    ],
    "identifiers": identifiers.identifiers,
    "fingerprints": identifiers.fingerprint_forms,
    "spellings": _find_spellings,
    "numbers": identifiers.numbers,
    "clauses": clauses.read_clauses,
    "requests": read_request,
    "sentences": lambda text: [
        sentences.split_sentences(text, rule)
        for rule in (sentences.NOTES, sentences.SPOKEN, sentences.TYPED, sentences.STATEMENTS,
                     sentences.LESSON, sentences.PIECES)
    ],
    "query": lambda text: query.read_query(text, {"anna": ["anna berg"]}, lambda _: 0.5),
    "secrets": secrets.mask_secrets,
    "injection": injection.find_order,
    "junk": find_junk,
    "symbols": tickers.find_symbol,
    "attributes": lambda text: attributes.find_values(*reversed(attributes.open_body(text))),
    "lists": lambda text: [
        without(text, lambda item: "e" in item)
        for without in (lists.without_item, lists.without_name, lists.without_phrase)
    ],
    "quotes": lambda text: quotes.Quotes((text,)),
    "similarity": lambda text: similarity.differences(text, mutations.TEXTS[0]),
    "titles": lambda text: normal.content_hash(normal.derive_title(text), "note", None),
}  # fmt: skip
RAW: dict[str, Callable[[str], object]] = {
    "moments": lambda text: parse_iso(text, "at"),
    "retention": parse_retention,
    "replies": strict_json,
    "checked_requests": read_checked,
}
SEEDS = {
    "moments": ("2024-05-01T12:30:00+02:00", "2024-05-01", "20240501T123000Z"),
    "retention": ("note=30, event=14", "signal=2"),
    "replies": ('{"archive": [{"id": "m1", "reason": "redundant"}]}', '```json\n{"a": [1, 2.5]}\n```'),
    "checked_requests": mutations.TEXTS,
}  # fmt: skip


def texts() -> Iterator[Target]:
    """Yield the parsers of texts."""

    def make(draw: random.Random) -> tuple[str, str]:
        # What parsers get was checked: no NUL, no half of a pair.
        return draw.choice([*PARSERS]), normal.storable(change_text(draw)) or "x"

    def make_raw(draw: random.Random) -> tuple[str, str]:
        name = draw.choice([*RAW])
        return name, change_text(draw, draw.choice(SEEDS[name]))

    yield Target("parsers", 24_000, make, lambda one: _done(PARSERS[one[0]](one[1])))
    yield Target("raw_parsers", 6_000, make_raw, lambda one: _done(RAW[one[0]](one[1])))
    yield Target("settings", 4_000, _make_settings, lambda one: _done(Settings.parse(one)))
    yield Target("transcripts", 2_000, _make_transcript, _take_transcript)


def _done(_: object) -> bool:
    return True


def _make_settings(draw: random.Random) -> Any:
    valid = {"trash_days": 60, "rerank_ms": 12.5, "retention": "note=30", "compare": "on"}
    return change_value(draw, valid | {draw.choice([*valid]): draw.choice(mutations.VALUES)})


TURNS = (
    {"role": "user", "content": "Two trucks for Bergen, please.", "timestamp": "2024-05-01T10:00:00Z"},
    {"type": "assistant", "sessionId": "s1",
     "message": {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}},
    {"role": "tool", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}], "at": 12},
)  # fmt: skip


def _make_transcript(draw: random.Random) -> bytes:
    return change_lines(draw, [json.dumps(turn) for turn in TURNS])


def _take_transcript(data: bytes) -> bool:
    transcript.turns(data.splitlines())
    for line in data.decode("utf-8", "replace").splitlines():
        with contextlib.suppress(ValueError, RecursionError):
            transcript.turns([json.loads(line)])
    return True


# A store


IDENTITY = "The owner of this space is called Vera."


def fill(url: str) -> None:
    """Make a small store with something of everything."""
    clock = iter(NOW - timedelta(days=40) + timedelta(hours=n) for n in range(100_000))
    with Glymph.open(url, embedder="none", reader="none", clock=lambda: next(clock)) as glymph:
        kinds = ("note", "fact", "event", "lesson", "signal", "goal", "preference")
        ids = [
            glymph.add(
                text, kind=kinds[n % len(kinds)], tags=["work"] if n % 2 else [], session=f"s{n % 3}",
                entities=["Anna Berg"] if n % 4 == 0 else [], attributes={"symbol": "BTC", "pnl": n},
            ).id
            for n, text in enumerate(mutations.TEXTS[:12])
        ]  # fmt: skip
        known = [one for one in ids if one]
        glymph.settle()
        glymph.link(known[0], known[1], "related_to")
        glymph.clusters.create("papers", rule={"tag": "work"})
        glymph.archive(known[2:3])
        glymph.delete(known[3:4])
        glymph.recall("invoice")
        glymph.analyze(include_isolated=True)
        glymph.forget("everything about Anna")


class Ground:
    """A store that is made anew every few hundred inputs, and what can be seen of it outside."""

    def __init__(self, folder: Path) -> None:
        self._template = folder / "template.db"
        fill(f"sqlite:///{self._template}")
        self._folder, self._made = folder, 0
        self.glymph: Glymph = None  # type: ignore[assignment]
        self.known: dict[str, list[str]] = {}
        self._look: apsw.Connection = None  # type: ignore[assignment]
        self._version: apsw.Cursor
        self.renew(0)

    @property
    def home(self) -> Path:
        return self._folder / "store"

    @property
    def url(self) -> str:
        return f"sqlite:///{self.home / 'memory.db'}"

    def renew(self, number: int) -> None:
        """Put a new copy in the place of the store, if it has served long enough."""
        if number % AFTER:
            return
        self.close()
        shutil.rmtree(self.home, ignore_errors=True)
        self.home.mkdir()
        for path in self._folder.glob("template.db*"):
            target = self.home / path.name.replace("template", "memory")
            (shutil.copytree if path.is_dir() else shutil.copy)(path, target)
        self.glymph = Glymph.open(self.url, embedder="none", reader="none", clock=lambda: NOW)
        self._look = apsw.Connection(str(self.home / "memory.db"))
        memories = [*self.glymph.list(limit=100, states=["LIVE", "ARCHIVED", "TRASHED"])]
        operations = self.glymph.operations(limit=100)
        self.known = {
            "id": [one.id for one in memories],
            "operation": [one.id for one in operations],
            "hash": [one.content_hash for one in memories],
            "plan": [self.glymph.analyze(include_isolated=True).id],
            "text": [one.text for one in memories],
        }

    def close(self) -> None:
        if self.glymph is not None:
            self.glymph.close()
            self._look.close()

    def version(self) -> object:
        """Return a number that changes whenever somebody commits."""
        return self._look.execute("PRAGMA data_version").fetchall()

    def image(self) -> object:
        """Return how many rows each table has, and which files there are."""
        self.glymph.settle()
        named = (
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
        )
        tables = [row[0] for row in self._look.execute(named)]
        counts = {
            one: self._look.execute(f'SELECT count(*) FROM "{one}"').fetchall()
            for one in tables
            if not one.endswith(BOOKKEEPING)
        }
        files = sorted(str(path.relative_to(self.home)) for path in self.home.rglob("*"))
        return counts, [name for name in files if not name.endswith(("-wal", "-shm"))]

    def target(
        self, name: str, share: int, make: Any, take: Any, *refusals: type[Exception]
    ) -> Target:
        return Target(
            name, share, make, take, (GlymphError, *refusals), self.image, self.version, self.renew
        )


FILTERS: dict[str, Any] = {
    "kinds": ["note"], "sections": ["KNOWLEDGE"], "tags": ["work"], "states": ["LIVE", "ARCHIVED"],
    "since": NOW - timedelta(days=90), "until": NOW, "session": "s1", "source": "consolidation",
    "include_superseded": True, "limit": 5,
}  # fmt: skip
SEARCH: dict[str, Any] = {
    "budget_tokens": 200, "min_score": 0.1, "at": NOW - timedelta(days=20), "spaces": ["default"],
}  # fmt: skip


def filters(ground: Ground) -> Target:
    """Return the searches and listings with filters."""

    def make(draw: random.Random) -> tuple[str, str, dict[str, Any]]:
        call = draw.choice(("search", "list", "recall"))
        offered = FILTERS | (SEARCH if call != "list" else {"cursor": "x", "at": NOW})
        chosen = {name: offered[name] for name in draw.sample([*offered], draw.randrange(4))}
        for name in [*chosen]:
            if draw.random() < 0.5:
                chosen[name] = change_value(draw, chosen[name])
        asked = draw.choice(mutations.VALUES) if draw.random() < 0.1 else change_text(draw)
        return call, asked, chosen

    def take(one: tuple[str, str, dict[str, Any]]) -> bool:
        call, asked, chosen = one
        if call == "list":
            return _done(ground.glymph.list(**chosen))
        return _done(getattr(ground.glymph, call)(asked, **chosen))

    return ground.target("filters", 5_000, make, take)


def tool_bodies(ground: Ground) -> Target:
    """Return the tools, called as the MCP server calls them."""
    tools = all_tools()
    schemas = {name: tool.schema["properties"] for name, tool in tools.items()}

    def make(draw: random.Random) -> tuple[str, Any]:
        name = draw.choice([*tools])
        body = make_body(draw, schemas[name], ground.known)
        return name, change_value(draw, body) if draw.random() < 0.6 else body

    def take(one: tuple[str, Any]) -> bool:
        name, body = one
        body = body if isinstance(body, dict) else {}
        answer = answer_call(lambda _: ground.glymph, tools, name, body)
        answer.model_dump_json(by_alias=True)  # it must be possible to send it
        text = getattr(answer.content[0], "text", "")
        if "InternalError" in text[:40]:
            raise Crash(text)
        return not answer.is_error

    return ground.target("tools", 6_000, make, take, ValidationError)


def make_body(
    draw: random.Random, properties: dict[str, Any], known: dict[str, list[str]]
) -> dict[str, Any]:
    """Return arguments that fit a schema, with ids and texts that the store has."""
    kept = [name for name in properties if draw.random() < (0.9 if len(properties) < 4 else 0.4)]
    return {name: _make_value(draw, name, properties[name], known) for name in kept}


def _make_value(draw: random.Random, name: str, schema: Any, known: dict[str, list[str]]) -> Any:
    schema = draw.choice(schema["anyOf"]) if "anyOf" in schema else schema
    if "enum" in schema:
        return draw.choice(schema["enum"])
    match schema.get("type"):
        case "array":
            return [
                _make_value(draw, name, schema.get("items", {}), known)
                for _ in range(draw.randrange(4))
            ]
        case "integer":
            return draw.choice((schema.get("minimum", 1), 3, 10, schema.get("maximum", 50)))
        case "number":
            return draw.choice((0, 0.3, 1, schema.get("maximum", 30)))
        case "boolean":
            return draw.random() < 0.5
        case "object":
            return {"symbol": "BTC", "pnl": 4}
    if schema.get("format") == "date-time":
        return draw.choice(("2024-05-20T10:00:00Z", "2024-05-02T00:00:00+02:00"))
    for word in ("operation", "plan", "hash"):
        if word in name:
            return draw.choice(known[word])
    if name in ("text", "query", "request", "new_text", "situation"):
        return change_text(draw)
    if name in ("id", "ids", "links", "old", "source", "target", "node_ids", "used", "confirmed"):
        return draw.choice(known["id"])
    return draw.choice(
        (*known["id"][:3], "note", "work", "papers", "lesson", "s1", change_text(draw))
    )


# Files


def imports(ground: Ground, folder: Path) -> Target:
    """Return the import of exports, and of their keys."""
    url = f"sqlite:///{folder / 'small.db'}"
    with Glymph.open(url, embedder="none", reader="none", clock=lambda: NOW) as small:
        ids = [small.add(text).id for text in mutations.TEXTS[:3]]
        small.delete([str(ids[0])])
        small.forget(mutations.TEXTS[1], mode="purge", apply=True)
        small.export(folder / "small.jsonl")
    lines = (folder / "small.jsonl").read_text(encoding="utf-8").splitlines()
    key = (folder / "small.jsonl.key").read_bytes()
    path, beside = folder / "fuzzed.jsonl", folder / "fuzzed.jsonl.key"

    def make(draw: random.Random) -> tuple[bytes, bytes | None, str | None]:
        data = (
            change_lines(draw, lines) if draw.random() < 0.9 else "\n".join([*lines, ""]).encode()
        )
        told = draw.choice((key, key, change_bytes(draw, key), None))
        space = draw.choice((f"fuzz-{draw.getrandbits(60)}", None, change_text(draw, "fuzz")))
        return data, told, space

    def take(one: tuple[bytes, bytes | None, str | None]) -> bool:
        data, told, space = one
        path.write_bytes(data)
        beside.unlink(missing_ok=True)
        if told is not None:
            beside.write_bytes(told)
        ground.glymph.import_(path, space=space)
        return True

    return ground.target("imports", 2_500, make, take)


def backups(ground: Ground, folder: Path) -> Target:
    """Return the restore of backups whose bytes were changed."""
    source, target = folder / "backup.db", folder / "restored.db"
    ground.glymph.backup(folder / "whole.db")
    whole = (folder / "whole.db").read_bytes()

    def take(data: bytes) -> bool:
        for path in folder.glob("restored.db*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for path in folder.glob("backup.db?*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        source.write_bytes(data)
        restore_backup(source, target, in_use=ground.url, clock=lambda: NOW)
        return True

    def make(draw: random.Random) -> bytes:
        change = change_bytes if draw.random() < 0.2 else mutations.overwrite_bytes
        return change(draw, whole)

    return ground.target("backups", 300, make, take)


def soundness(ground: Ground) -> Target:
    """Return the check of a store in which one value of one row was damaged."""
    tables: dict[str, list[Mapping[str, Any]]] = {table: [] for table in BIRTH_ORDER}
    for table, row in ground.glymph.context.store.dump("default"):
        tables[table].append(dict(row))
    filled = [table for table in tables if tables[table]]

    def make(draw: random.Random) -> tuple[str, int, str, Any]:
        table = draw.choice(("memories", "journal", "operations", draw.choice(filled)))
        at = draw.randrange(len(tables[table]))
        column = draw.choice([*tables[table][at]])
        return table, at, column, damage(draw, tables[table][at][column])

    def take(one: tuple[str, int, str, Any]) -> bool:
        table, at, column, value = one
        rows = [*tables[table]]
        rows[at] = {**rows[at], column: value}
        return not [*find_problems(Gathered(tables | {table: rows}))]

    return Target("damaged_rows", 1_500, make, take)


def damage(draw: random.Random, old: Any) -> Any:
    """Return another value of the same kind: a store keeps the kinds apart."""
    if isinstance(old, str):
        return "[" * 3000 if draw.random() < 0.05 else normal.storable(change_text(draw, old))
    if isinstance(old, bytes) and old:
        return mutations.overwrite_bytes(draw, old)
    return draw.choice((-1, 0, 7, 2**40)) if isinstance(old, int) else old


CONFIG = 'trash_days = 60\nretention = "note=30"\nsummaries = "on"\nrerank_ms = 12.5\n'


def files(folder: Path) -> Iterator[Target]:
    """Yield the file of settings, and the map of a store in parts."""
    config, shards = environment.config_path(), folder / "map.json"
    config.parent.mkdir(parents=True, exist_ok=True)
    parts = {name: f"sqlite:///{folder / name}.db" for name in ("east", "west")}
    told = {"parts": parts, "spaces": {"acme": "west", "team-*": "east"}}

    def make_config(draw: random.Random) -> bytes:
        data = change_text(draw, CONFIG).encode("utf-8", "surrogatepass")
        data = b"deep = " + b"[" * 3000 + b"]" * 3000 if draw.random() < 0.01 else data
        return change_bytes(draw, data) if draw.random() < 0.2 else data

    def take_config(data: bytes) -> bool:
        config.write_bytes(data)
        try:
            return _done(environment.effective_settings())
        finally:
            config.unlink()

    def make_map(draw: random.Random) -> bytes:
        data = mutations.write_json(change_value(draw, told)).encode("utf-8", "surrogatepass")
        return change_bytes(draw, data) if draw.random() < 0.3 else data

    def take_map(data: bytes) -> bool:
        shards.write_bytes(data)
        open_store(f"shards:///{shards}", Settings(), create=False).close()
        return True

    yield Target("config", 3_000, make_config, take_config)
    yield Target("maps", 1_000, make_map, take_map)


def conversations(ground: Ground) -> Target:
    """Return files of conversations: one that is read, one that is learnt from."""
    lines = [json.dumps(turn) for turn in TURNS]

    def make(draw: random.Random) -> bytes:
        return change_lines(draw, lines)

    def take(data: bytes) -> bool:
        path = ground.home / "talk.jsonl"
        path.write_bytes(data)
        with contextlib.closing(io.BytesIO(data)):
            ground.glymph.extract(path, dry_run=True)
        return True

    return ground.target("conversation_files", 1_000, make, take)


def hooks(ground: Ground, folder: Path) -> Target:
    """Return hooks with what a host writes to their standard input."""
    sent = {
        "session_id": "s1", "transcript_path": str(folder / "none.jsonl"), "cwd": str(folder),
        "hook_event_name": "UserPromptSubmit", "prompt": "When is the invoice due?", "source": "startup",
        "reason": "exit", "trigger": "auto",
    }  # fmt: skip

    def make(draw: random.Random) -> tuple[str, bytes]:
        value = sent | {"prompt": change_text(draw), "source": draw.choice(("startup", "compact"))}
        data = mutations.write_json(
            change_value(draw, value) if draw.random() < 0.8 else value
        ).encode()
        event = draw.choice(("prompt-submit", "prompt-submit", "session-start", *command.LEAVING))
        return event, change_bytes(draw, data) if draw.random() < 0.3 else data

    def take(one: tuple[str, bytes]) -> bool:
        event, data = one
        path = folder / "stdin.json"
        path.write_bytes(data)
        status = run_hook(path, [event, "--url", ground.url, "--space", "default"])
        if status not in (0, 1):
            raise Crash(f"the hook {event} ended with {status}")
        return status == 0

    target = ground.target("hooks", 1_500, make, take)
    target.image = None  # a hook whose host sent nonsense may still log what it showed
    return target


def run_hook(stdin: Path, arguments: list[str]) -> int:
    """Return the exit status of a hook that reads a file, and whose worker does nothing."""
    usual, program = sys.stdin, sys.executable
    with (
        stdin.open(encoding="utf-8") as sys.stdin,
        contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), encoding="utf-8")),
        contextlib.redirect_stderr(io.TextIOWrapper(io.BytesIO(), encoding="utf-8")),
    ):
        sys.executable = shutil.which("true") or program
        try:
            return command.main(arguments)
        finally:
            sys.stdin, sys.executable = usual, program
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    continue
            shutil.rmtree(environment.home() / environment.SPOOL, ignore_errors=True)


def every(folder: Path) -> Iterator[Target]:
    """Yield every target but the HTTP server."""
    yield from texts()
    yield from files(folder)
    ground = Ground(folder)
    try:
        yield filters(ground)
        yield tool_bodies(ground)
        yield imports(ground, folder)
        yield backups(ground, folder)
        yield soundness(ground)
        yield conversations(ground)
        yield hooks(ground, folder)
    finally:
        ground.close()

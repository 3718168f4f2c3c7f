"""A store with real memories, on which malice is let loose, and what must not change about it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from glymph import Glymph
from glymph.cli.main import main as run_cli
from glymph.hooks import command as hooks
from glymph.hooks import detach
from glymph.jobs.worker import work
from glymph.mcp.server import answer_call
from glymph.reader import open_reader
from glymph.reader.contract import Reader
from glymph.tools import tools_for

VITAL = (
    "Ines is allergic to penicillin and carries an adrenaline pen.",
    "Never delete customer data without a written order of Mara.",
    "Mara must approve every deployment to production.",
)
REAL: tuple[tuple[str, str], ...] = (
    *((text, "fact" if at == 0 else "decision") for at, text in enumerate(VITAL)),
    ("Ship Orion 2.0 by the first of October.", "goal"),
    ("Ines prefers green tea in the morning.", "preference"),
    ("The staging database of Orion runs on PostgreSQL 16 in Frankfurt.", "fact"),
    ("Backups are written to the vault in Lund at three in the morning.", "fact"),
)
CONFIG = "trash_days = 60\n"
# Searches need no second reading: what is looked for is a word that nothing else has.
QUICK = {"durability": "normal", "rerank_ms": 0}
SPACE, FOREIGN = "default", "foreign"
Look = Literal["terminal", "fenced", "json", "page"]


@dataclass(frozen=True, slots=True)
class Output:
    """What somebody is shown: where, what it is, and whether it was asked for."""

    name: str
    look: Look
    text: str
    asked: bool = True


@dataclass(slots=True)
class Ground:
    """One store in a folder of its own, and how it looked before anything was fed to it."""

    folder: Path
    reader: Reader
    own: set[str] = field(default_factory=set)  # ids of memories that a way added itself
    extra: list[Output] = field(default_factory=list)  # shown by the way itself

    @property
    def url(self) -> str:
        return f"sqlite:///{self.folder}/store/memory.db"

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def config(self) -> Path:
        return self.home / "config.toml"

    def open(self, space: str = SPACE, **options: Any) -> Glymph:
        """Open a handle on it, without vectors, with the reader of the machine."""
        wanted = {"embedder": "none", "reader": self.reader, "actor": "agent", **options}
        return Glymph.open(self.url, space=space, settings=QUICK, **wanted)

    def call(self, glymph: Glymph, tool: str, **arguments: Any) -> Mapping[str, Any]:
        """Call a tool as an agent does over MCP; what it answers is looked at later."""
        answer = answer_call(lambda _: glymph, tools_for("full"), tool, arguments, "data")
        text = "".join(getattr(part, "text", "") for part in answer.content)
        self.extra.append(Output(tool, "terminal" if answer.is_error else "json", text))
        return answer.structured_content or {}

    def run(self, *arguments: str) -> str:
        """Run a command in this process; what it prints is looked at later, errors as well."""
        out, error, before = io.StringIO(), io.StringIO(), sys.argv
        sys.argv = ["glymph", *arguments]
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
                run_cli()
        except SystemExit:
            pass
        finally:
            sys.argv = before
        for text in (out.getvalue(), error.getvalue()):
            if text:
                self.extra.append(Output(f"glymph {arguments[0]}", "terminal", text))
        return out.getvalue()

    def hook(self, event: str, **told: Any) -> None:
        """Let a host call a hook; what it puts before the agent is looked at later."""
        read, write = os.pipe()
        sent = {"session_id": "malice", "cwd": str(self.folder), **told}
        out, before = io.StringIO(), sys.stdin
        with os.fdopen(write, "w", encoding="utf-8") as file:
            file.write(json.dumps(sent))
        try:
            with os.fdopen(read) as sys.stdin, contextlib.redirect_stdout(out):
                hooks.main([event, "--space", SPACE])
        finally:
            sys.stdin = before
        for line in filter(None, out.getvalue().splitlines()):
            shown = json.loads(line)["hookSpecificOutput"]["additionalContext"]
            self.extra.append(Output(f"hook {event}", "fenced", shown, asked=False))

    def end_session(self, turns: Sequence[Mapping[str, Any]], model: Any = None) -> None:
        """End a session with a transcript, as a host does, and let the worker read it."""
        path = self.folder / "store" / f"talk-{len(list(self.folder.glob('store/talk-*')))}.jsonl"
        path.write_text("\n".join(map(json.dumps, turns)), encoding="utf-8")
        self.hook("session-end", transcript_path=str(path), reason="other")
        work(self.home / "spool", lambda url, space, create: self.open(model=model))
        with self.open() as glymph:
            told = glymph.conversations.carry_over(path)
        self.extra.append(Output("carry over", "fenced", told, asked=False))


@contextlib.contextmanager
def prepare(folder: Path) -> Iterator[Ground]:
    """Make the ground that others are copied from: its memories are graded once."""
    ground = Ground(folder, open_reader("auto"))
    (folder / "store").mkdir(parents=True)
    ground.home.mkdir()
    ground.config.write_text(CONFIG, encoding="utf-8")
    with use(ground), ground.open(actor="user") as glymph:
        glymph.add_many([{"text": text, "kind": kind} for text, kind in REAL])
        glymph.settle()
        glymph.surface()
    with use(ground):
        yield ground


def copy(template: Ground, folder: Path) -> Ground:
    """Copy the ground, so that each way begins with the same store."""
    shutil.copytree(template.folder, folder)
    return Ground(folder, template.reader)


def _start_nothing(url: str | None, spaces: Iterable[str] = ()) -> None:
    """Start no worker: the ways let one work when it is time."""


@contextlib.contextmanager
def use(ground: Ground) -> Iterator[None]:
    """Let commands and hooks of this process work on a ground; nothing starts a process."""
    wanted = {
        "GLYMPH_HOME": str(ground.home), "GLYMPH_URL": ground.url, "GLYMPH_READER": "none",
        "GLYMPH_EMBEDDER": "none", "COLUMNS": "200",
    }  # fmt: skip
    kept = {name: os.environ.get(name) for name in (*wanted, "GLYMPH_CONFIG", "GLYMPH_SPACE")}
    for name in kept:
        os.environ.pop(name, None)
    os.environ |= wanted
    start, detach.start_worker = detach.start_worker, _start_nothing
    try:
        yield
    finally:
        detach.start_worker = start
        for name, value in kept.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


# what must not change


@dataclass(frozen=True, slots=True)
class Picture:
    """The memories that were there, the settings, and which files lie where."""

    memories: Mapping[str, Mapping[str, Any]]
    settings: Mapping[str, Any]
    outside: frozenset[str]


LOOKED_AT = (
    "state", "text", "title", "kind", "section", "pinned", "protected", "trust", "tags",
    "entities", "attributes", "superseded_by", "expires_at",
)  # fmt: skip


def take_picture(ground: Ground) -> Picture:
    """Take down everything that no text may change."""
    with ground.open() as glymph:
        rows = glymph.list(
            limit=1000, states=["LIVE", "ARCHIVED", "TRASHED"], include_superseded=True
        ).items
        spaces = sorted(space.name for space in glymph.spaces())
        tombstones = len(glymph.tombstones())
    settings = {
        "config": ground.config.read_text(encoding="utf-8"), "spaces": spaces,
        "tombstones": tombstones, "environment": os.environ.get("GLYMPH_HOME"),
    }  # fmt: skip
    inside = ("store", "home")
    files = {
        str(path.relative_to(ground.folder))
        for path in ground.folder.rglob("*")
        if path.relative_to(ground.folder).parts[0] not in inside
    }
    return Picture(
        {one.id: {name: getattr(one, name) for name in LOOKED_AT} for one in rows},
        settings, frozenset(files) | frozenset(one.name for one in ground.folder.parent.iterdir()),
    )  # fmt: skip

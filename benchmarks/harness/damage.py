"""Damage to the bytes of a store, and what is heard of it.

A store of one file is damaged byte by byte, as a tired disk does it. Every way in is tried on the
damaged copy in a child process, for a death must be counted, too.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import apsw
import typer

from benchmarks.harness import processes
from benchmarks.harness.full_store import ASKED
from glymph import Glymph
from glymph.cli.doctor import doctor
from glymph.errors import GlymphError

BIT, ZEROED, GARBLED, NONE = "bit", "zeroed page", "garbled page", "none"
PATIENCE_S = 120.0  # for one damaged store: what takes longer hangs
CRASHED, NOTICED, UNNOTICED, HARMLESS = "crashed", "noticed", "unnoticed", "harmless"
SILENCE = {"GLYMPH_EMBEDDER": "none", "GLYMPH_READER": "none"}  # models have no part in it
# Of SQLite's own and of the text index, which is asked instead of read.
_UNREAD = ("sqlite_", "memory_text")

Table = dict[str, list[tuple[Any, ...]]]


@dataclass(frozen=True, slots=True)
class Damage:
    """One change of a file's bytes; `owner` is the table or index whose page it hits."""

    kind: str
    at: int  # the byte
    owner: str
    bit: int = 0

    def apply(self, whole: bytes, page_size: int) -> bytes:
        damaged = bytearray(whole)
        if self.kind == NONE:
            return whole
        if self.kind == BIT:
            damaged[self.at] ^= 1 << self.bit
        else:
            page = bytes(page_size)
            if self.kind == GARBLED:
                page = random.Random(self.at).randbytes(page_size)
            damaged[self.at : self.at + page_size] = page
        return bytes(damaged)


@dataclass(frozen=True, slots=True)
class Heard:
    """What became of a damaged store: what was noticed, by what, or how it crashed."""

    damage: Damage
    outcome: str
    by_doctor: bool = False
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Sound:
    """The undamaged store: its bytes, the owner of each page, and everything it says."""

    whole: bytes
    page_size: int
    owners: Sequence[str]
    content: Table


def read_sound(path: Path) -> Sound:
    """Read an undamaged store that nobody has open."""
    raw = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        size = int(raw.pragma("page_size"))
        owners = ["free"] * (path.stat().st_size // size)
        for name, page in raw.execute("SELECT name, pageno FROM dbstat"):
            owners[page - 1] = name
    finally:
        raw.close()
    return Sound(path.read_bytes(), size, owners, _read_content(path))


def draw_bits(sound: Sound, count: int, draw: random.Random) -> list[Damage]:
    """Choose bits: half of them anywhere, half of them in written bytes of each table in turn."""
    pages: dict[str, list[int]] = {}
    for page, owner in enumerate(sound.owners):
        pages.setdefault(owner, []).append(page)
    names = sorted(pages)
    chosen = []
    for number in range(count):
        if number % 2:
            page = draw.choice(pages[names[number // 2 % len(names)]])
            first = page * sound.page_size
            written = [at for at in range(first, first + sound.page_size) if sound.whole[at]] or [
                first
            ]
            at = draw.choice(written)
        else:
            at = draw.randrange(len(sound.whole))
        owner = sound.owners[at // sound.page_size]
        chosen.append(Damage(BIT, at, owner, draw.randrange(8)))
    return chosen


def draw_pages(sound: Sound, kind: str, count: int, draw: random.Random) -> list[Damage]:
    pages = range(len(sound.owners))
    chosen = draw.sample(pages, count) if count <= len(pages) else draw.choices(pages, k=count)
    return [Damage(kind, page * sound.page_size, sound.owners[page]) for page in chosen]


def examine(sound: Sound, damages: Sequence[Damage], folder: Path) -> Iterator[Heard]:
    """Try every way in on each damaged copy; a child that dies or hangs is one that crashed."""
    first = 0
    while first < len(damages):
        child, receiver = processes.start(_examine_each, sound, damages[first:], folder)
        try:
            while first < len(damages):
                if not receiver.poll(PATIENCE_S):
                    yield Heard(damages[first], CRASHED, detail="hangs")
                    break
                yield receiver.recv()
                first += 1
        except (EOFError, OSError):
            yield Heard(damages[first], CRASHED, detail="the process died")
        finally:
            child.kill()
            child.join()
            receiver.close()
        first += 1  # after the last one, or after the one that ended the child


# the child


def _examine_each(
    sender: Connection, sound: Sound, damages: Sequence[Damage], folder: Path
) -> None:
    os.environ.update(SILENCE, GLYMPH_HOME=str(folder / "home"))
    for damage in damages:
        sender.send(examine_one(sound, damage, folder / "memory.db"))


def examine_one(sound: Sound, damage: Damage, path: Path) -> Heard:
    """Tell what is heard of one damaged copy, which is written to `path`."""
    whole = damage.apply(sound.whole, sound.page_size)
    _put(path, whole)
    try:
        noticed = {name: found for name, found in _try_all(f"sqlite:///{path}") if found}
    except Exception:  # noqa: BLE001  what no caller could have expected is what is looked for
        return Heard(damage, CRASHED, detail=traceback.format_exc(limit=-6))
    if noticed:
        told = "; ".join(f"{name}: {text}" for name, text in noticed.items())
        return Heard(damage, NOTICED, by_doctor="doctor" in noticed, detail=told)
    _put(path, whole)
    try:
        differing = _differing(sound.content, _read_content(path))
    except (apsw.Error, UnicodeDecodeError) as error:
        differing = f"unreadable ({error})"
    return Heard(damage, UNNOTICED if differing else HARMLESS, detail=differing)


def _put(path: Path, whole: bytes) -> None:
    for end in ("-wal", "-shm"):
        Path(f"{path}{end}").unlink(missing_ok=True)
    path.write_bytes(whole)


def _try_all(url: str) -> Iterator[tuple[str, str]]:
    """Yield what each way in says of the damage, by its name; empty if it says nothing."""
    yield "doctor", _run_doctor(url)
    try:
        with Glymph.open(url, embedder="none", reader="none", create=False) as glymph:
            for name, act in ACTS.items():
                try:
                    act(glymph)
                except GlymphError as error:
                    yield name, str(error)
    except GlymphError as error:
        yield "open", str(error)


def _run_doctor(url: str) -> str:
    """Return what `glymph doctor`, which verifies, finds wrong; empty if nothing."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            doctor(url=url, as_json=True)
    except typer.Exit:
        facts = json.loads(said.getvalue())
        return "; ".join(f"{one['check']}: {one['detail']}" for one in facts["problems"]) or "away"
    except GlymphError as error:
        return str(error)
    return ""


def _read_memories(glymph: Glymph) -> None:
    page = glymph.list(limit=1000, states=("LIVE", "ARCHIVED", "TRASHED"))
    for memory in page.items[:3]:
        glymph.history(memory.id)
        glymph.edges(memory.id)


def _read_conversations(glymph: Glymph) -> None:
    history = glymph.conversations("store")
    for one in history.sessions():
        history.messages(one.session)


ACTS: Mapping[str, Callable[[Glymph], object]] = {
    "list": _read_memories,
    "operations": lambda glymph: glymph.operations(limit=1000),
    "questions": lambda glymph: glymph.questions(),
    "plans": lambda glymph: glymph.plans(),
    "clusters": lambda glymph: glymph.clusters(),
    "page": lambda glymph: glymph.page(),
    "spaces": lambda glymph: glymph.spaces(),
    "trash": lambda glymph: glymph.trash(),
    "graph": lambda glymph: glymph.graph(),
    "health": lambda glymph: glymph.health(),
    "tombstones": lambda glymph: glymph.tombstones(),
    "certificates": lambda glymph: glymph.certificates(),
    "costs": lambda glymph: glymph.costs(),
    "surface": lambda glymph: glymph.surface(),
    "status": lambda glymph: glymph.autonomous_status(),
    "conversations": _read_conversations,
    "search": lambda glymph: glymph.search(ASKED),
    "recall": lambda glymph: glymph.recall(ASKED),
    "analyze": lambda glymph: glymph.analyze(),
    "garden": lambda glymph: glymph.garden(dry_run=True),
    "undo": lambda glymph: glymph.undo(),
}


def _read_content(path: Path) -> Table:
    """Return every row of the tables as they lie in the file, past Glymph."""
    raw = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        names = [
            name for (name,) in raw.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        ]
        return {
            name: raw.execute(f'SELECT * FROM "{name}" NOT INDEXED').fetchall()
            for name in sorted(names)
            if not name.startswith(_UNREAD)
        }
    finally:
        raw.close()


def _differing(before: Table, after: Table) -> str:
    """Name the tables whose rows differ."""
    return ", ".join(
        name for name in sorted({*before, *after}) if before.get(name) != after.get(name)
    )

"""Operations that a fault is let loose on: how the store is prepared, and the calls to make."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from glymph import Glymph
from glymph.config import Settings
from glymph.errors import StoreMissing
from glymph.reader.contract import Judgement
from glymph.reader.no_reader import NoReader
from glymph.store import open_store
from glymph.store.contract import JOURNALLED
from glymph.store.store import Store
from glymph.stores import restore_backup
from glymph.testing import FrozenClock, logical_image
from glymph.testing.clock import START
from glymph.testing.embedders import WordEmbedder

OLDEST_SCHEMA = Path(__file__).parents[2] / "tests" / "store" / "schemas" / "v1.db.gz"
SECRET = "ZX-4471-KILO"  # what a purge must remove
SPACE = "default"
SETTINGS = {"compare": "on"}
WITNESS = "The witness came afterwards and saw it all."
ACTED_AT = START + timedelta(days=200)
MASKED = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{16,}")

Notes = dict[str, Any]
Image = tuple[str, ...]


class NewerWins(NoReader):
    """Holds a statement about the same city's office to replace the older one."""

    name = "newer wins"

    def relate(self, newer: str, older: Sequence[str]) -> list[Judgement]:
        def judge(text: str) -> Judgement:
            same = newer.split()[:4] == text.split()[:4]
            return (
                Judgement("replaces", 1.0, (0.02, 0.0, 0.98, 0.0))
                if same
                else Judgement("none", 1.0, (1.0, 0.0, 0.0, 0.0))
            )

        return [judge(text) for text in older]


@dataclass(slots=True)
class Stage:
    """A store in a folder or behind a URL, opened when it is first used."""

    folder: Path
    url: str
    notes: Notes
    meaning: bool = False
    handle: Glymph | None = None
    clock: FrozenClock = field(default_factory=lambda: FrozenClock(ACTED_AT))

    @property
    def glymph(self) -> Glymph:
        if self.handle is None:
            self.handle = open_at(self.url, self.clock, meaning=self.meaning)
        return self.handle

    def close(self) -> None:
        if self.handle is not None:
            self.handle.close()
            self.handle = None


def open_at(url: str, clock: FrozenClock, *, meaning: bool = False) -> Glymph:
    """A handle; with `meaning` one that has an embedder and a reader, of the same answers always.

    Such a one also works in the background, so that two runs of it may differ.
    """
    return Glymph.open(
        url, clock=clock, settings=SETTINGS,
        embedder=WordEmbedder(32) if meaning else "none", reader=NewerWins() if meaning else "none",
    )  # fmt: skip


Step = Callable[[Stage], object]


@dataclass(frozen=True, slots=True)
class Scene:
    """An operation, what is there before it, and whether undo takes it back."""

    name: str
    prepare: Callable[[Glymph, FrozenClock], Notes]
    act: Step
    undoable: bool = True
    opens_first: bool = True  # the store is open before anything can fail
    meaning: bool = False
    in_parts: bool = False  # it has several transactions under one operation
    file: str = "memory.db"  # whose content the operation changes

    def steps(self) -> tuple[Step, Step]:
        """The operation, and one after it whose fault must not take the first one back."""
        return self.act, _witness


def _witness(stage: Stage) -> object:
    if not stage.meaning:
        return stage.glymph.add(WITNESS, title="witness")
    with open_at(stage.url, stage.clock) as plain:  # nothing happens in its background
        return plain.add(WITNESS, title="witness")


# preparing


def _basic(glymph: Glymph, clock: FrozenClock) -> Notes:
    """A dozen memories with links, some of them put away, in a few operations."""
    texts = [f"Note {n}: the {n}th crate of lemons went to harbour {n % 3}." for n in range(12)]
    added = glymph.add_many([{"text": t, "title": f"n{at}"} for at, t in enumerate(texts)])
    ids = [one.id for one in added if one.id]
    for one, other in pairwise(ids[:4]):
        glymph.link(one, other)
    clock.advance(days=1)
    glymph.archive(ids[8:10])
    glymph.delete(ids[10:12])
    return {"ids": ids}


def _stale(glymph: Glymph, clock: FrozenClock) -> Notes:
    notes = _basic(glymph, clock)
    clock.set(ACTED_AT)
    plan = glymph.analyze(min_staleness=0.1, include_isolated=True)
    return notes | {"plan": plan.id}


def _undoable(glymph: Glymph, clock: FrozenClock) -> Notes:
    notes = _basic(glymph, clock)
    done = glymph.merge(notes["ids"][:3], "Three crates of lemons went to the harbours.")
    return notes | {"operation": done.operation_id}


def _secret(glymph: Glymph, clock: FrozenClock) -> Notes:
    notes = _basic(glymph, clock)
    told = glymph.add(f"The code of the boat house is {SECRET}.", title="boat house")
    glymph.update(str(told.id), text=f"The boat house opens with {SECRET}, not with a key.")
    return notes | {"secret": told.id}


def _episodes(glymph: Glymph, clock: FrozenClock) -> Notes:
    notes = _basic(glymph, clock)
    clock.set(ACTED_AT - timedelta(days=3))
    for number in range(1, 41):
        clock.advance(hours=1)
        symbol, high = ("BTC", "ETH")[number % 2], number % 4 < 2
        glymph.add(
            f"Closed {symbol} short number {number}: the price turned within {number} hours",
            title=f"{symbol} short close #{number}", kind="trade_close",
            attributes={"symbol": symbol, "pnl_pct": 2.5 if high else -1.5,
                        "regime": "calm" if high else "wild"},
        )  # fmt: skip
    return notes


def _waiting(glymph: Glymph, clock: FrozenClock) -> Notes:
    notes = _basic(glymph, clock)
    for text in (
        "The office in Berlin is open daily",
        "The office in Porto is large",
        "The office in Berlin is closed on Mondays",
        "The office in Porto is small now",
    ):
        clock.advance(hours=1)
        glymph.add(text, kind="fact")  # fmt: skip
    return notes


def _backed_up(glymph: Glymph, clock: FrozenClock) -> Notes:
    notes = _basic(glymph, clock)
    folder = Path(glymph.context.store.url.removeprefix("sqlite:///")).parent
    glymph.backup(folder / "backup.db")
    return notes


def _old_schema(glymph: Glymph, clock: FrozenClock) -> Notes:
    path = Path(glymph.context.store.url.removeprefix("sqlite:///"))
    glymph.close()
    path.write_bytes(gzip.decompress(OLDEST_SCHEMA.read_bytes()))
    return {}


def _restore_backup(stage: Stage) -> object:
    source, target = stage.folder / "backup.db", stage.folder / "restored.db"
    return restore_backup(source, target, in_use=stage.url, clock=stage.clock)


SCENES: Mapping[str, Scene] = {
    scene.name: scene
    for scene in (
        Scene("add", _basic, lambda s: s.glymph.add(
            "A new harbour opens in May.", title="new", links=s.notes["ids"][:2])),
        Scene("update", _basic, lambda s: s.glymph.update(
            s.notes["ids"][0], text="Note 0 was wrong: these were limes.", tags=["fruit"])),
        Scene("prune", _stale, lambda s: s.glymph.prune(s.notes["plan"], confirm_large=True)),
        Scene("merge", _basic, lambda s: s.glymph.merge(
            s.notes["ids"][:3], "Three crates of lemons went to the harbours.")),
        Scene("consolidate", _episodes, lambda s: s.glymph.consolidate(), in_parts=True),
        Scene("undo", _undoable, lambda s: s.glymph.undo(s.notes["operation"])),
        Scene("purge", _secret, lambda s: s.glymph.forget(
            s.notes["secret"], mode="purge", apply=True), undoable=False),
        Scene("migrate", _old_schema, lambda s: s.glymph, undoable=False, opens_first=False),
        Scene("reconcile", _waiting, lambda s: s.glymph.settle(), meaning=True),
        Scene("restore", _basic, lambda s: s.glymph.restore(s.notes["ids"][8:12])),
        Scene("restore_backup", _backed_up, _restore_backup, undoable=False, file="restored.db"),
    )
}  # fmt: skip


def prepare(scene: Scene, folder: Path, url: str | None = None) -> Notes:
    """Makes the store that the scene begins with; gives back what its calls need to know."""
    folder.mkdir(parents=True, exist_ok=True)
    url = url or url_in(folder)
    clock = FrozenClock()
    glymph = open_at(url, clock)
    notes = scene.prepare(glymph, clock)
    glymph.close()
    (folder / "notes.json").write_text(json.dumps(notes), encoding="utf-8")
    return notes


def url_in(folder: Path, file: str = "memory.db") -> str:
    return f"sqlite:///{folder / file}"


# reading


def read_image(url: str, *, whole: bool = True) -> Image:
    """The image of the store at a URL; empty if there is none."""
    try:
        store = open_store(url, Settings(), create=False)
    except StoreMissing:
        return ()
    with closing(store):
        return image_of(store, whole=whole)


def image_of(store: Store, *, whole: bool = True) -> Image:
    """Every row of the space, with ids and hashes by the order in which they appear.

    So two stores in which the same was done look the same. Of bytes only their number is told.
    Without `whole` the journal and its operations are left out: they tell how often it was tried.
    """
    seen: dict[str, str] = {}

    def mask(found: re.Match[str]) -> str:
        return seen.setdefault(found[0], f"#{len(seen)}")

    return tuple(
        MASKED.sub(mask, f"{table} {_plain(row)}")
        for table, row in store.dump(SPACE)
        if whole or table not in ("operations", "journal")
    )


def undo_all(glymph: Glymph, known: Collection[str]) -> None:
    """Takes back every operation but those known before, the newest first."""
    for operation in glymph.operations(limit=1000):
        if operation.id not in known and operation.parent is None and operation.undoable:
            glymph.undo(operation.id)


def journalled(store: Store) -> dict[tuple[str, int], dict[str, Any]]:
    """What undo must bring back: the rows of memories, links and clusters."""
    found = logical_image(store, SPACE)
    return {place: row for place, row in found.items() if place[0] in JOURNALLED}


def _plain(row: Mapping[str, Any]) -> str:
    told = {
        name: f"{len(value)} bytes" if isinstance(value, bytes) else value
        for name, value in row.items()
    }
    return json.dumps(told, sort_keys=True, ensure_ascii=False)

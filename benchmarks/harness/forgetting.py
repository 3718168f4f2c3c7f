"""A dialogue in a real store, searched before and after some of it is archived."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness.dialogues import Asked, Dialogue
from glymph import Glymph
from glymph.embed.contract import Embedder
from glymph.model import State
from glymph.testing import FrozenClock

Floats = NDArray[np.float64]

OLD_ENOUGH = 4  # days: younger memories are kept from being pruned in batches
FACT = "fact"  # a kind whose memories replace older ones; events only add up


@dataclass(frozen=True, slots=True)
class Shelved:
    """An open store that holds a dialogue, and the id of each item."""

    glymph: Glymph
    ids: Sequence[str]

    def found(self, query: str, limit: int) -> list[frozenset[int]]:
        """The first hits, each as the places of the items it stands for.

        What says the same is stored once.
        """
        hits = self.glymph.search(query, limit=limit)
        return [
            frozenset(p for p, known in enumerate(self.ids) if known == hit.memory.id)
            for hit in hits
        ]

    def recall(self, question: Asked, limit: int, origin: Sequence[int] | None = None) -> float:
        """The share of the question's evidence among the first hits, in per cent.

        A copy stands for its origin.
        """
        places = {place for hit in self.found(question.text, limit) for place in hit}
        if origin is not None:
            places = {origin[place] for place in places}
        return 100 * len(question.evidence & places) / question.whole

    def forget(self, places: Collection[int]) -> float:
        """Archives these items and gives back the share of all that went, in per cent.

        None is archived that is stored as one with an item that stays.
        """
        staying = {self.ids[place] for place in range(len(self.ids)) if place not in places}
        going = sorted({self.ids[place] for place in places} - staying - {""})
        if going:
            self.glymph.archive(going)
        live = [one for one in going if self.glymph.get(one).state is State.LIVE]
        if live:
            raise RuntimeError(
                f"{len(live)} of {len(going)} memories were to be archived and are still live"
            )
        return 100 * len(going) / len(set(self.ids) - {""})

    def prune_least(self, replaced: Collection[tuple[int, int]], share: int) -> frozenset[int]:
        """Prunes what a plan of everything holds worth least, so many per cent of it.

        Before that, the store is told which items replace which. Gives back the places of what
        went.
        """
        for newer, older in replaced:
            self.glymph.link(self.ids[newer], self.ids[older], "supersedes")
        plan = self.glymph.analyze(min_staleness=0.0, max_groups=1000, include_isolated=True)
        nodes = sorted(
            (node for group in plan.groups for node in group.nodes), key=lambda node: node.worth
        )
        least = [node.id for node in nodes[: len(nodes) * share // 100]]
        if not least:
            return frozenset()
        gone = set(self.glymph.prune(plan, ids=least, confirm_large=True).succeeded)
        return frozenset(place for place, known in enumerate(self.ids) if known in gone)


@contextmanager
def shelved(
    path: Path, dialogue: Dialogue, model: Embedder, *, kind: str | None = None
) -> Iterator[Shelved]:
    """Stores a dialogue, as memories of one kind if it is given; then the clock stands still."""
    clock = FrozenClock()
    with Glymph.open(f"sqlite:///{path}", embedder=model, reader="none", clock=clock) as glymph:
        items = [item if kind is None else {**item, "kind": kind} for item in dialogue.items]
        ids = [added.id or "" for added in glymph.add_many(items)]
        glymph.embed()
        clock.advance(days=OLD_ENOUGH)
        yield Shelved(glymph, ids)


@dataclass(frozen=True, slots=True)
class Compared:
    """How far each item was superseded by a later one, and which ones did so.

    1 is in whole and 0.5 in part.
    """

    superseded: Floats
    successor: Floats


def compared(path: Path, dialogue: Dialogue, model: Embedder) -> Compared:
    """What became of the items when they are told one by one and compared.

    Each is told later than the one before.
    """
    settings, clock = {"compare": "on"}, FrozenClock()
    clock.set(dialogue.items[0].get("event_at") or clock())
    ids: list[str] = []
    replaced, successor = set(), np.zeros(len(dialogue.items))
    with Glymph.open(
        f"sqlite:///{path}", embedder=model, reader="none", clock=clock, settings=settings
    ) as glymph:
        for place, item in enumerate(dialogue.items):
            clock.set(max(clock.advance(minutes=1), item.get("event_at") or clock()))
            added = glymph.add(**{**item, "kind": FACT})
            ids.append(added.id or "")
            replaced |= set(added.superseded)
            successor[place] = bool(added.superseded)
        whole = {one: glymph.get(one).superseded_by is not None for one in replaced}
    shares = [(1.0 if whole[one] else 0.5) if one in whole else 0.0 for one in ids]
    return Compared(np.array(shares), successor)

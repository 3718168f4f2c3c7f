"""Folds the old part of the journal: what rows were at a horizon, and not how they came to it.

Of each row that was there then one entry is left, by which it came into being; of the others, and
of operations that nothing is left of, none. Operations that lost entries are sealed anew over the
rest. Everything happens in the transaction of an operation "fold", which moves the horizon along:
there is no moment at which a past is told that is half folded.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from glymph.store.erase import ErasureWriter, write_json
from glymph.store.journal import (
    PURGED,
    USE_COLUMNS,
    Folding,
    Place,
    WholeEntry,
    fold_life,
    fold_uses,
)
from glymph.store.journal_reader import FOLDED_UPTO, USES_FOLDED_UPTO
from glymph.store.seals import is_edit, local_head, seal

WORDING = 16  # hexadecimal digits of a content hash by which vectors know a wording


@dataclass(frozen=True, slots=True)
class Folded:
    """What was folded: entries that went, entries that took others in, and operations that went."""

    entries: int = 0
    rewritten: int = 0
    operations: int = 0

    def __bool__(self) -> bool:
        return bool(self.entries or self.rewritten or self.operations)

    def __add__(self, other: Folded) -> Folded:
        names = [one.name for one in fields(self)]
        return Folded(*(getattr(self, name) + getattr(other, name) for name in names))


class FoldWriter(ErasureWriter):
    """The part of a writer for operations "fold"."""

    def fold(self, upto: int) -> Folded:
        """Folds what operations up to this one did, from where the last fold ended."""
        after = self.folded_upto()
        lives = self._read_lives(self._tuples("rows_between", after=after, upto=upto), 0, upto)
        blank = any(PURGED in entry.image for life in lives.values() for entry in life)
        purges = set(self._column("purges_after", operation=upto)) if blank else set()
        foldings = {place: fold_life(life, purges) for place, life in lives.items()}
        touched = self._apply(foldings.values(), lives)
        self._forget_vectors(lives, foldings)
        # What the journal knows no longer no purge would look for.
        self._session.clear_words(
            self.space_key,
            [key for (table, key), one in foldings.items() if table == "memories" and one.gone],
        )
        candidates = {*self._column("operations_between", after=after - 1, upto=upto), *touched}
        dropped = self._drop_operations(candidates, upto)
        self._reseal(touched, dropped)
        self._run("drop_chunks_before", operation=upto)
        self._set_horizon(FOLDED_UPTO, upto)
        self._set_horizon(USES_FOLDED_UPTO, upto)
        return _sum_up(foldings.values(), len(dropped))

    def fold_uses(self, upto: int) -> Folded:
        """Folds the uses that operations up to this one reported; other changes stay."""
        after, horizon = self.uses_folded_upto(), self.folded_upto()
        places = [
            place
            for place in self._tuples("rows_between", after=after, upto=upto)
            if place[0] in USE_COLUMNS
        ]
        lives = self._read_lives(places, horizon, upto)
        operations = {entry.operation for life in lives.values() for entry in life}
        foldable = set(self._column("operations_of_use", keys=sorted(operations)))
        foldings = {place: fold_uses(life, foldable) for place, life in lives.items()}
        touched = self._apply(foldings.values(), lives)
        dropped = self._drop_operations(touched, upto)
        self._reseal(touched, dropped)
        self._set_horizon(USES_FOLDED_UPTO, upto)
        return _sum_up(foldings.values(), len(dropped))

    def _read_lives(
        self, places: Iterable[Place], after: int, upto: int
    ) -> dict[Place, list[WholeEntry]]:
        """Returns the entries of rows, oldest first."""
        keys: dict[str, list[int]] = defaultdict(list)
        for table, key in places:
            keys[table].append(key)
        lives: dict[Place, list[WholeEntry]] = defaultdict(list)
        for table, some in keys.items():
            found = self._tuples("entries_to_fold", tbl=table, keys=some, after=after, upto=upto)
            for *head, image, told in sorted(found):
                entry = WholeEntry._make((*head, json.loads(image), json.loads(told)))
                lives[table, entry.key].append(entry)
        return lives

    def _apply(
        self, foldings: Iterable[Folding], lives: Mapping[Place, Sequence[WholeEntry]]
    ) -> set[int]:
        """Writes what stays and removes the rest; returns the operations that are not as sealed."""
        kept = {entry: images for one in foldings for entry, images in one.kept.items()}
        gone = {entry for one in foldings for entry in one.gone}
        self._repeat(
            "set_images",
            [
                {"id": entry, "image": write_json(image), "after": write_json(after)}
                for entry, (image, after) in kept.items()
            ],
        )
        self._run("drop_entries", ids=sorted(gone))
        return {
            entry.operation
            for life in lives.values()
            for entry in life
            if entry.id in kept or entry.id in gone
        }

    def _forget_vectors(
        self, lives: Mapping[Place, Sequence[WholeEntry]], foldings: Mapping[Place, Folding]
    ) -> None:
        """Removes vectors of wordings that no memory has and no entry knows any more."""
        lost: dict[int, set[str]] = defaultdict(set)
        for place, folding in foldings.items():
            table, key = place
            if table != "memories" or not folding.gone:
                continue
            for entry in lives[place]:
                for images in (entry.image, entry.after):
                    if images.get("content_hash"):
                        lost[key].add(images["content_hash"][:WORDING])
        for key, wording in self._tuples("wordings_in_journal", keys=sorted(lost)) if lost else ():
            lost[key].discard(wording[:WORDING])
        for key, wordings in lost.items():
            if wordings:
                self._run("forget_wordings", memory=key, wordings=sorted(wordings))

    def _drop_operations(self, candidates: set[int], upto: int) -> dict[int, tuple[Any, ...]]:
        """Removes operations of which nothing is left; returns what they pointed at, by key.

        The one at the horizon stays: by its date the past is told to begin there.
        """
        dropped: dict[int, tuple[Any, ...]] = {}
        waiting = set(candidates)
        while waiting:
            families = {
                key: (parent, undone)
                for key, parent, undone in self._tuples("families_of", keys=sorted(waiting))
            }
            gone = self._column("drop_operations", keys=sorted(waiting), upto=upto)
            dropped |= {key: families[key] for key in gone}
            waiting = {one for key in gone for one in families[key] if one is not None}
        return dropped

    def _reseal(self, touched: set[int], dropped: Mapping[int, tuple[Any, ...]]) -> None:
        """Counts and seals operations over what is left of them, then their parents over them."""
        left = self._rows("sealed_operations", keys=sorted(touched - dropped.keys()))
        parents = {row["parent"] for row in left} | {parent for parent, _ in dropped.values()}
        above = sorted(key for key in parents if key is not None and key not in dropped)
        below = [row for row in left if row["key"] not in parents]
        for row in (*below, *self._rows("sealed_operations", keys=above)):
            found = sorted(self._tuples("entries_to_seal", operation=row["key"]))
            entries = [entry[1:] for entry in found]
            children = self._rows("children", key=row["key"])
            hashes = [child["hash"] for child in children]
            anew = seal(local_head(row, self._offsets), entries, self._offsets, hashes)
            edits = sum(is_edit(table, action, image) for table, _, action, image, _ in entries)
            self._run(
                "seal_folded",
                key=row["key"],
                hash=anew,
                changes=len(entries) + sum(child["changes"] for child in children),
                edits=edits + sum(child["edits"] for child in children),
            )

    def _set_horizon(self, name: str, upto: int) -> None:
        self._run("set_counter", name=name, value=max(upto, self._value("counter", name=name) or 0))


def _sum_up(foldings: Iterable[Folding], operations: int) -> Folded:
    gone = kept = 0
    for one in foldings:
        gone, kept = gone + len(one.gone), kept + len(one.kept)
    return Folded(gone, kept, operations)

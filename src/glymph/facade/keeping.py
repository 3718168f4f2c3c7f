"""What a handle does with clusters, spaces, exports and backups."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from glymph import services
from glymph.core.model import (
    Cluster,
    Receipt,
    Space,
    Verdict,
)  # fmt: skip
from glymph.facade.handle import LAST_EMBEDDINGS, Handle, exhaust

if TYPE_CHECKING:  # what services take and give; each service is loaded when it is first called
    from glymph.services.exchange import Imported


class Keeping(Handle):
    """What a handle does with clusters, spaces, exports and backups."""

    def clusters(self) -> list[Cluster]:
        """Every cluster with its live members and their health."""
        return services.clusters.clusters(self._place)

    def create_cluster(self, name: str, *, rule: Mapping[str, str] | None = None) -> Receipt:
        return services.clusters.create(self._place, name, rule=rule)

    def delete_cluster(self, name: str) -> Receipt:
        return services.clusters.drop(self._place, name)

    def add_to_cluster(self, name: str, ids: str | Iterable[str]) -> Receipt:
        return services.clusters.put(self._place, name, ids)

    def remove_from_cluster(self, name: str, ids: str | Iterable[str]) -> Receipt:
        return services.clusters.take_out(self._place, name, ids)

    def spaces(self) -> list[Space]:
        return services.spaces.spaces(self._place.store)

    def rename_space(self, old: str, new: str) -> None:
        """Gives a space another name; a handle on it goes on under the new one."""
        services.spaces.rename_space(self._place.store, old, new)
        if old == self.space:
            self._background.finish(LAST_EMBEDDINGS)
            self._move_into(replace(self._place, space=new))

    def delete_space(self, name: str, *, progress: Callable[[int], None] | None = None) -> int:
        """Removes a space for good, with its identity memory and conversations; gives back the rows removed."""
        from glymph.services.conversation import places

        if self._place.store.writable and self._place.store.has_space(name):
            places.remove(self._place, name)  # first: another space of that name must not find them
        return exhaust(services.spaces.delete_space(self._place.store, name), progress)

    def export(self, path: str | Path) -> int:
        """Writes the whole space, journal included, as JSON Lines into a new file; gives back the rows."""
        return services.exchange.export(self._place, path)

    def import_(
        self, path: str | Path, *, space: str | None = None, tombstones: bool = True,
        progress: Callable[[int], None] | None = None,
    ) -> Imported:  # fmt: skip
        """Loads an export into a space that is new or untouched, without what was removed for good in this store.

        `tombstones=False` gives up the export's own, whose key may be lost.
        """
        return _told(services.exchange.import_(self._place, path, space=space, tombstones=tombstones), progress)

    def backup(self, path: str | Path) -> Path:
        """A consistent copy of the whole store in a new file."""
        return services.exchange.backup(self._place, path)

    def verify(self) -> Verdict:
        """Checks every invariant of the store and names what is wrong."""
        return services.verify.verify(self._place)


def _told(counts: Generator[int, None, Imported], progress: Callable[[int], None] | None) -> Imported:
    """What an import says at its end, its progress told meanwhile."""
    while True:
        try:
            done = next(counts)
        except StopIteration as end:
            outcome: Imported = end.value
            return outcome
        if progress is not None:
            progress(done)

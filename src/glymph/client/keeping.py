"""What a handle does with clusters, spaces, exports and backups."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from glymph import transfer, write
from glymph.client.handle import LAST_EMBEDDINGS, Handle, exhaust
from glymph.model import Cluster, Receipt, Space, Verdict

if TYPE_CHECKING:  # what services take and give; each service is loaded when it is first called
    from glymph.transfer.export import Imported


class Keeping(Handle):
    """What a handle does with clusters, spaces, exports and backups."""

    def clusters(self) -> list[Cluster]:
        """Every cluster with its live members and their health."""
        return write.clusters.clusters(self._ctx)

    def create_cluster(self, name: str, *, rule: Mapping[str, str] | None = None) -> Receipt:
        return write.clusters.create(self._ctx, name, rule=rule)

    def delete_cluster(self, name: str) -> Receipt:
        return write.clusters.drop(self._ctx, name)

    def add_to_cluster(self, name: str, ids: str | Iterable[str]) -> Receipt:
        return write.clusters.put(self._ctx, name, ids)

    def remove_from_cluster(self, name: str, ids: str | Iterable[str]) -> Receipt:
        return write.clusters.take_out(self._ctx, name, ids)

    def spaces(self) -> list[Space]:
        return write.spaces.spaces(self._ctx.store)

    def rename_space(self, old: str, new: str) -> None:
        """Gives a space another name; a handle on it goes on under the new one."""
        write.spaces.rename_space(self._ctx.store, old, new)
        if old == self.space:
            self._background.finish(LAST_EMBEDDINGS)
            self._move_into(replace(self._ctx, space=new))

    def delete_space(self, name: str, *, progress: Callable[[int], None] | None = None) -> int:
        """Removes a space for good, with its identity memory and conversations; gives back the rows
        removed.
        """
        from glymph.history import places

        if self._ctx.store.writable and self._ctx.store.has_space(name):
            places.remove_folders(
                self._ctx, name
            )  # first: another space of that name must not find them
        return exhaust(write.spaces.delete_space(self._ctx.store, name), progress)

    def export(self, path: str | Path) -> int:
        """Writes the whole space, journal included, as JSON Lines into a new file; gives back the
        rows.
        """
        return transfer.export.export(self._ctx, path)

    def import_(
        self, path: str | Path, *, space: str | None = None, tombstones: bool = True,
        progress: Callable[[int], None] | None = None,
    ) -> Imported:  # fmt: skip
        """Loads an export into a space that is new or untouched, without what was removed for good
        in this store.

        `tombstones=False` gives up the export's own, whose key may be lost.
        """
        return _told(
            transfer.export.import_(self._ctx, path, space=space, tombstones=tombstones), progress
        )

    def backup(self, path: str | Path) -> Path:
        """A consistent copy of the whole store in a new file."""
        return transfer.export.backup(self._ctx, path)

    def verify(self) -> Verdict:
        """Checks every invariant of the store and names what is wrong."""
        return transfer.verify.verify(self._ctx)


def _told(
    counts: Generator[int, None, Imported], progress: Callable[[int], None] | None
) -> Imported:
    """What an import says at its end, its progress told meanwhile."""
    while True:
        try:
            done = next(counts)
        except StopIteration as end:
            outcome: Imported = end.value
            return outcome
        if progress is not None:
            progress(done)

"""Groups of rarely used methods: `memory.conversations`, `.clusters`, `.tombstones`, `.trash`.

Each group is called for its list, as in `memory.trash()`; the rest are its methods, as in
`memory.trash.empty()`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from glymph import forget, history, write
from glymph.checks import checked_text, optional_text
from glymph.context import Context, Handle
from glymph.errors import InvalidInput
from glymph.model import Cluster, Receipt, Tombstone, Trashed
from glymph.text.quotes import Quotes

if TYPE_CHECKING:
    from glymph.history.erase import Erasure
    from glymph.history.history import History
    from glymph.history.places import Kept
    from glymph.history.policy import HistorySettings

Group = TypeVar("Group", bound="MethodGroup")


class MethodGroup:
    """Methods on one subject, of one handle."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    @property
    def _ctx(self) -> Context:
        return self._handle.context


class Accessor(Generic[Group]):
    """Puts a group on a handle; asked of the handle's class, it is the class of the group."""

    def __init__(self, group: type[Group]) -> None:
        self._group = group
        self.__doc__ = group.__doc__

    @overload
    def __get__(self, handle: None, owner: type[Any]) -> type[Group]: ...
    @overload
    def __get__(self, handle: Handle, owner: type[Any]) -> Group: ...
    def __get__(self, handle: Handle | None, owner: type[Any]) -> Group | type[Group]:
        return self._group if handle is None else self._group(handle)


class OlderName:
    """A name from before a method went into a group; it answers as the method does."""

    def __init__(self, path: str) -> None:
        self._find = attrgetter(path)

    def __get__(self, handle: Handle | None, owner: type[Any]) -> Callable[..., Any]:
        method: Callable[..., Any] = self._find(owner if handle is None else handle)
        return method


class Conversations(MethodGroup):
    """The conversations of the space; called, a `History` of those in one place."""

    def __call__(
        self, folder: str | Path | None = None, *,
        settings: HistorySettings | Mapping[str, Any] | None = None, **more: Any,
    ) -> History:  # fmt: skip
        """Returns the conversations in the usual place, in a folder, or with "store" in the store.

        The usual place is what the setting `history_folder` names, or a folder beside the file of
        the store, or on a server the store. `more` are the other arguments of `History`.
        """
        chosen = history.places.choose_folder(self._ctx, folder)
        return history.history.History(chosen, self._handle, settings=settings, **more)

    def every(self) -> list[Kept]:
        """Returns the conversations in all places, the most recent first."""
        places = history.places
        return places.sort_newest_first([
            places.Kept(one.session, one.messages, one.summarised, one.newest_at, name)
            for name in map(places.name_place, places.list_roots(self._ctx))
            for one in self(name).sessions()
        ])  # fmt: skip

    def with_session(
        self, session: str | None, *, settings: HistorySettings | Mapping[str, Any] | None = None
    ) -> History:
        """Returns the conversations a session is among; the usual place is looked at first.

        Raises InvalidInput, which names some that there are, if it is nowhere.
        """
        places = history.places
        optional_text("session", session)
        for root in [] if session is None else places.list_roots(self._ctx):
            found = self(places.name_place(root), settings=settings)
            if found.exists(str(session)):
                return found
        known = dict.fromkeys(one.session for one in self.every())
        raise InvalidInput("session", places.explain_unknown(session, list(known)))

    def folders(self, *spaces: str) -> list[Path]:
        """Returns the folders with conversations of some spaces, or of this one.

        Exports and backups do not hold what lies there.
        """
        names = spaces or (self._ctx.space,)
        found = (history.places.list_folders(self._ctx, space) for space in names)
        return list(dict.fromkeys(folder for folders in found for folder in folders))

    def memories_saying(self, text: str) -> list[str]:
        """Returns the ids of memories that repeat a text whole, such as notes on a conversation."""
        checked_text("text", text, self._ctx.settings.max_text_chars)
        return history.find.find_memories_repeating(self._ctx, text)

    def carry_over(self, transcript: str | Path) -> str:
        """Returns the gist of a session that its host has compacted, without what was purged."""
        return history.build.carry_over(
            history.places.checked_path("transcript", transcript), ctx=self._ctx
        )

    def erase(self, *texts: str, apply: bool = False) -> Erasure:
        """Cuts texts out of every conversation for good; without `apply`, only counts the files."""
        for text in texts:
            checked_text("text", text, self._ctx.settings.max_text_chars)
        return history.erase.erase(self._ctx, Quotes(texts), dry_run=not apply)


class Clusters(MethodGroup):
    """Named sets of memories; called, all of them."""

    def __call__(self) -> list[Cluster]:
        """Returns every cluster with its live members and their health."""
        return write.clusters.clusters(self._ctx)

    def create(self, name: str, *, rule: Mapping[str, str] | None = None) -> Receipt:
        """Makes a cluster; `rule` fills it by kind, tag and the like instead of by hand."""
        return write.clusters.create(self._ctx, name, rule=rule)

    def delete(self, name: str) -> Receipt:
        """Removes a cluster; its memories stay."""
        return write.clusters.drop(self._ctx, name)

    def add(self, name: str, ids: str | Iterable[str]) -> Receipt:
        """Puts memories into a cluster."""
        return write.clusters.put(self._ctx, name, ids)

    def remove(self, name: str, ids: str | Iterable[str]) -> Receipt:
        """Takes memories out of a cluster."""
        return write.clusters.take_out(self._ctx, name, ids)


class Tombstones(MethodGroup):
    """The tombstones, which keep purged facts from being learnt again; called, it returns them."""

    def __call__(self, *, text: str | None = None) -> tuple[Tombstone, ...]:
        """Returns the tombstones; with `text`, just those that keep it out."""
        return forget.tombstones.tombstones(self._ctx, text=text)

    def lift(
        self, numbers: int | Iterable[int] = (), *, text: str | None = None, all: bool = False,
        reason: str | None = None,
    ) -> Receipt:  # fmt: skip
        """Lets facts be learnt again: those of these tombstones, this text, or all.

        What was removed stays removed.
        """
        return forget.tombstones.lift(self._ctx, numbers, text=text, all=all, reason=reason)


class Trash(MethodGroup):
    """The trash; called, what is in it."""

    def __call__(self) -> list[Trashed]:
        """Returns what is in the trash, the next to expire first."""
        return forget.trash.trash(self._ctx)

    def empty(self, *, all: bool = False) -> Receipt:
        """Removes for good what has been in the trash for its time, or everything. No undo."""
        return forget.trash.empty(self._ctx, all=all)

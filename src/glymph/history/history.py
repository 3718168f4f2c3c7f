"""History: the conversations of an agent, each short enough to be sent and none of it lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glymph.checks import checked_text
from glymph.context import Context, Handle
from glymph.errors import InvalidInput, SpaceNotFound
from glymph.history import build, find, places, shorten
from glymph.history.conversation import LONGEST_NAME, Conversation, Listed, Page, Shelf, describe
from glymph.history.disk import Disk
from glymph.history.memory_file import write_page
from glymph.history.messages import Raw
from glymph.history.policy import KEPT_CHARACTERS, Backoff, Built, HistorySettings, Shortened
from glymph.history.shelves import (
    FilePage,
    FileShelf,
    StorePage,
    StoreShelf,
    folder_of,
    read_conversations,
    session_names,
)
from glymph.history.transcript import messages_of
from glymph.llm.choose import choose_model
from glymph.llm.contract import Model
from glymph.reader import open_reader

if TYPE_CHECKING:
    from glymph.history.find import OldTurn

TOOL = "memory_write"


def _now() -> datetime:
    return datetime.now(UTC)


class History:
    """The conversations of one agent, in a folder or, without one, in the store of a Glymph handle.

    With a Glymph handle, summaries go to its graph, its page is the agent's part of memory.md, and
    its model (or `summary_model`) makes the summaries. Without a model, a reader chooses what they
    keep, or rules do; without a handle, all is kept in files.
    """

    def __init__(
        self, folder: str | Path | None, glymph: Handle | None = None, *,
        settings: HistorySettings | Mapping[str, Any] | None = None,
        summary_model: str | Model | None = None, system: str = "", tools: Sequence[str] = (),
        keep_chars: Mapping[str, int] = KEPT_CHARACTERS, surface: bool = False,
        clock: Callable[[], datetime] | None = None, disk: Disk | None = None,
    ) -> None:  # fmt: skip
        """`system` is the agent's prompt and `tools` the names of the tools it is offered.

        `surface` adds the digest of what is remembered; `keep_chars` says how many characters of a
        tool's old results are worth keeping.
        """
        if not isinstance(settings, HistorySettings):
            settings = HistorySettings.parse(settings or {})
        self.settings = settings
        self._system, self._tools = system, tuple(tools)
        self._keep = {**KEPT_CHARACTERS, **keep_chars}
        self._glymph = glymph if surface else None
        self._ctx = None if glymph is None else _with_model(glymph.context, summary_model)
        if glymph is None and summary_model is not None:
            raise InvalidInput(
                "summary_model",
                "what it costs stands in a store's ledger. Pass a Glymph handle, too.",
            )
        self._reader = open_reader("auto") if self._ctx is None else self._ctx.reader
        self._clock = clock or (_now if self._ctx is None else self._ctx.clock)
        self._disk = disk or Disk(
            durable=self._ctx is None or self._ctx.settings.durability == "full"
        )
        self.folder = None if folder is None else Path(folder).expanduser()
        self._noted = self._ctx is None or self.folder is None
        self._space_folder: Path | None = None
        self._backoffs: dict[str, Backoff] = {}
        self._page = self._choose_page()

    def _choose_page(self) -> Page:
        if self._ctx is not None:
            return StorePage(self._ctx)
        if self.folder is None:
            raise InvalidInput(
                "folder", "without a folder they are kept in a store. Pass a Glymph handle, too."
            )
        return FilePage(self.folder, self._disk, self._clock)

    def session(self, session: str) -> Conversation:
        """Returns one conversation, as the modules of this room take it."""
        return Conversation(
            session, self._shelf(session), self.settings, self._page, self._clock, self._ctx,
            self._keep, self._backoffs.setdefault(session, Backoff()), self._reader,
        )  # fmt: skip

    def session_folder(self, session: str) -> Path | None:
        """Returns the folder of a session; None if it is in the store."""
        checked_text("session", session, LONGEST_NAME)
        own = self._own_folder()
        return None if own is None else folder_of(own, session)

    def _own_folder(self) -> Path | None:
        if self.folder is None or self._ctx is None:
            return self.folder
        if self._space_folder is None:
            self._space_folder = places.space_folder(self._ctx, self.folder)
        return self._space_folder

    def _shelf(self, session: str) -> Shelf:
        folder = self.session_folder(session)
        if folder is None and self._ctx is not None:
            return StoreShelf(self._ctx, session)
        return FileShelf(folder or Path(), self._disk, session)

    def append(self, session: str, *messages: Raw) -> None:
        """Adds messages to a transcript, durably, in the shape of OpenAI or of Anthropic."""
        if self._ctx is not None and not self._ctx.store.has_space(self._ctx.space):
            raise SpaceNotFound(self._ctx.space)
        self._note_folder()
        self.session(session).transcript.append(messages, self._clock())

    def _note_folder(self) -> None:
        """Tells the store where conversations are, so that a purge finds them."""
        if not self._noted and self._ctx is not None and self.folder is not None:
            places.note_folder(self._ctx, self.folder)
            self._noted = True

    def build(
        self, session: str, *, extra_system: str = "", tools: Sequence[str] | None = None
    ) -> Built:
        """Returns what to send now, the prompt apart from the messages, and what was shortened."""
        self._note_folder()
        offered = self._tools if tools is None else tuple(tools)
        surface = "" if self._glymph is None else _surface(self._glymph)
        return build.build(
            self.session(session), system=self._system, extra_system=extra_system, surface=surface,
            offers_memory_write=any(name.rsplit("__", 1)[-1] == TOOL for name in offered),
        )  # fmt: skip

    def build_messages(
        self, session: str, user_message: str | Raw | None = None, *, extra_system: str = "",
        tools: Sequence[str] | None = None,
    ) -> list[Raw]:  # fmt: skip
        """Returns one list to send: the prompt with what is remembered, the messages, the new one.

        The new message is not added to the transcript: append it with what the agent answers.
        """
        if isinstance(user_message, str):
            user_message = {"role": "user", "content": user_message}
        built = self.build(session, extra_system=extra_system, tools=tools)
        return built.with_system(user_message)

    def consolidate(self, session: str) -> Shortened:
        """Makes notes of all but the newest messages now, whether that is due or not."""
        return shorten.shorten_now(self.session(session))

    def would_consolidate(self, session: str) -> tuple[int, int]:
        """Returns how many messages `consolidate` would make notes of, and how many would stay."""
        cut, count = shorten.would_cut(self.session(session))
        return cut, count - cut

    def sessions(self) -> list[Listed]:
        """Returns all conversations, the most recent first."""
        own = self._own_folder()
        if own is not None:
            names = session_names(own)
        else:
            rows = iter(()) if self._ctx is None else read_conversations(self._ctx)
            names = (row["name"] for row in rows)
        found = [describe(self.session(name)) for name in names]
        return sorted(
            found, key=lambda one: (one.newest_at is not None, one.newest_at), reverse=True
        )

    def exists(self, session: str) -> bool:
        """Tells whether anything was ever said in a session."""
        return next(self.session(session).transcript.read_all(), None) is not None

    def remove(self, session: str) -> int:
        """Removes a conversation for good and returns how many messages it had.

        What was learnt from it stays in the graph.
        """
        conversation = self.session(session)
        count, _ = conversation.transcript.extent()
        if count:
            conversation.shelf.remove()
        return count

    def search(self, session: str, query: str, *, limit: int = 10) -> list[OldTurn]:
        """Returns old turns that say what is asked for, also those that are only summarised now."""
        return find.find(self.session(session), query, limit=limit)

    def messages(self, session: str) -> list[Raw]:
        """Returns every message there ever was, in order."""
        lines = messages_of(list(self.session(session).transcript.read_all()))
        return [line.message for line in lines if line.message is not None]

    def summary(self, session: str) -> str:
        """Returns the machine's part of memory.md."""
        return self.session(session).load()[0].standing.summary

    def page(self) -> str:
        """Returns the agent's part of memory.md."""
        return self._page.read()

    def write_memory(self, text: str, mode: str = "replace", *, session: str | None = None) -> None:
        """Writes the agent's part of memory.md, and shows it in the file of a session."""
        self._note_folder()
        if session is None:
            self._page.write(text, mode)
        else:
            write_page(self.session(session), text, mode)


def _with_model(ctx: Context, model: str | Model | None) -> Context:
    return ctx if model is None else replace(ctx, model=choose_model(ctx.settings, model))


def _surface(glymph: Handle) -> str:
    from glymph.learn.surface import surface

    return surface(glymph.context)

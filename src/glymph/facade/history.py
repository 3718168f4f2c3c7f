"""History: the conversations of an agent, each short enough to be sent and none of it lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glymph.core.history import KEPT_CHARACTERS, Built, HistorySettings, Shortened
from glymph.core.messages import Raw
from glymph.errors import InvalidInput
from glymph.llm import open_model
from glymph.llm.contract import Model
from glymph.llm.own import checked
from glymph.services.conversation import build, find, places, shorten
from glymph.services.conversation.disk import Disk
from glymph.services.conversation.page import FilePage, StorePage
from glymph.services.conversation.sessions import Conversation, folder_of, write
from glymph.services.conversation.transcript import JsonTranscript, messages_of
from glymph.services.workplace import Workplace

if TYPE_CHECKING:
    from glymph.facade.handle import Handle
    from glymph.services.conversation.find import OldTurn

TOOL = "memory_write"


def _now() -> datetime:
    return datetime.now(UTC)


class History:
    """The conversations of one agent in a folder.

    With a Glymph handle, summaries go to its graph, its page is the agent's part of memory.md, and its model (or
    `summary_model`) makes the summaries; without one, rules make them and all is kept in files.
    """

    def __init__(
        self, folder: str | Path, glymph: Handle | None = None, *,
        settings: HistorySettings | Mapping[str, Any] | None = None, summary_model: str | Model | None = None,
        system: str = "", tools: Sequence[str] = (), keep_chars: Mapping[str, int] = KEPT_CHARACTERS,
        surface: bool = False, clock: Callable[[], datetime] | None = None, disk: Disk | None = None,
    ) -> None:  # fmt: skip
        """`system` is the agent's prompt and `tools` the names of the tools it is offered.

        `surface` adds the digest of what is remembered; `keep_chars` tells how many characters of a tool's old
        results are worth keeping.
        """
        self.settings = (
            settings if isinstance(settings, HistorySettings) else HistorySettings.parse(settings or {})
        )
        self._system, self._keep, self._tools = system, {**KEPT_CHARACTERS, **keep_chars}, tuple(tools)
        self._glymph = glymph if surface else None
        self._place = None if glymph is None else _with_model(glymph.workplace, summary_model)
        if glymph is None and summary_model is not None:
            raise InvalidInput(
                "summary_model", "what it costs stands in a store's ledger. Pass a Glymph handle, too."
            )
        self._clock = clock or (_now if self._place is None else self._place.clock)
        self._disk = disk or Disk(durable=self._place is None or self._place.settings.durability == "full")
        root = Path(folder).expanduser()
        self.folder, self._noted = root, self._place is None
        self._root = root if self._place is None else folder_of(root, self._place.space)
        page = FilePage(self._root, self._disk, self._clock) if self._place is None else StorePage(self._place)
        self._page = page

    def session(self, session: str) -> Conversation:
        """What services work with."""
        folder = folder_of(self._root, session)
        return Conversation(
            session, folder, self.settings, JsonTranscript(folder, self._disk), self._page, self._disk,
            self._clock, self._place, self._keep,
        )  # fmt: skip

    def append(self, session: str, *messages: Raw) -> None:
        """Adds messages to a transcript, durably and for good, in the shape of OpenAI or of Anthropic."""
        if not self._noted and self._place is not None:
            places.note(self._place, self.folder, self._disk)  # a purge has to find them
            self._noted = True
        self.session(session).transcript.append(messages, self._clock())

    def build(self, session: str, *, extra_system: str = "", tools: Sequence[str] | None = None) -> Built:
        """What to send now, the prompt and the messages apart as Anthropic takes them, and what happened."""
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
        """All of it as one list: the prompt with what is remembered, the messages that are kept, the new one.

        The new message is not added to the transcript: append it with what the agent answers.
        """
        new = {"role": "user", "content": user_message} if isinstance(user_message, str) else user_message
        return self.build(session, extra_system=extra_system, tools=tools).with_system(new)

    def consolidate(self, session: str) -> Shortened:
        """Makes notes of all but the newest messages now, whether that is due or not."""
        return shorten.shorten_now(self.session(session))

    def would_consolidate(self, session: str) -> tuple[int, int]:
        """How many messages `consolidate` would make notes of, and how many would stay as they are."""
        cut, count = shorten.would_cut(self.session(session))
        return cut, count - cut

    def exists(self, session: str) -> bool:
        """Whether anything was ever said in a session."""
        return next(self.session(session).transcript.every(), None) is not None

    def search(self, session: str, query: str, *, limit: int = 10) -> list[OldTurn]:
        """Old turns that say what is asked for, also those that only a summary stands for."""
        return find.find(self.session(session), query, limit=limit)

    def messages(self, session: str) -> list[Raw]:
        """Every message there ever was, in order."""
        lines = messages_of(list(self.session(session).transcript.every()))
        return [line.message for line in lines if line.message is not None]

    def summary(self, session: str) -> str:
        """The machine's part of memory.md."""
        return self.session(session).load()[0].standing.summary

    def page(self) -> str:
        """The agent's part of memory.md."""
        return self._page.read()

    def write_memory(self, text: str, mode: str = "replace", *, session: str | None = None) -> None:
        """Writes the agent's part of memory.md, and shows it in the file of a session."""
        if session is None:
            self._page.write(text, mode)
        else:
            write(self.session(session), text, mode)


def _with_model(place: Workplace, model: str | Model | None) -> Workplace:
    if model is None:
        return place
    given = {
        "url": place.settings.model_url, "key": place.settings.model_key, "prices": place.settings.model_prices,
    }  # fmt: skip
    return replace(place, model=open_model(model, **given) if isinstance(model, str) else checked(model))


def _surface(glymph: Handle) -> str:
    from glymph.services.surface import surface

    return surface(glymph.workplace)

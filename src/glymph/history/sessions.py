"""One conversation: its state and memory.md, read, kept and brought together."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from glymph.checks import checked_text
from glymph.context import Context
from glymph.errors import GlymphError
from glymph.history import memory_file
from glymph.history.memory_file import AGENT, MACHINE, Parts
from glymph.history.page import Page
from glymph.history.policy import KEPT_CHARACTERS, HistorySettings
from glymph.history.rest import Rest
from glymph.history.shelf import Shelf
from glymph.history.state import State
from glymph.history.transcript import Transcript

LONGEST_NAME = 200  # characters of a session's name
UNTAKEN = (
    "What somebody wrote into memory.md could not be taken over ({problem}). It is kept as {aside}."
)
UNMARKED = "the marks between its parts are gone"
AROUND = "some of it stands outside the two parts"
TOO_OLD = "the conversation was summarised many times since"
MEANWHILE = "the agent has changed its page since"

_UNSAFE = re.compile(r"[^A-Za-z0-9]+")


def folder_of(root: Path, name: str) -> Path:
    """The folder of a session or space: readable, and never one outside or somebody else's,
    whatever the name.
    """
    checked_text("session", name, LONGEST_NAME)
    readable = _UNSAFE.sub("-", name).strip("-")[:40]
    return (
        root
        / f"{readable}-{hashlib.sha256(name.encode(errors='surrogatepass')).hexdigest()[:12]}".lstrip(
            "-"
        )
    )


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation: where it lies, its settings, the agent's page, and the space whose graph it
    feeds.

    Without a space there is no model either: what a model costs stands in a space's ledger.
    """

    session: str
    shelf: Shelf
    settings: HistorySettings
    page: Page
    clock: Callable[[], datetime]
    ctx: Context | None = None
    keep: Mapping[str, int] = field(default_factory=lambda: KEPT_CHARACTERS)
    rest: Rest = field(default_factory=Rest)

    @property
    def transcript(self) -> Transcript:
        return self.shelf.transcript

    @property
    def has_model(self) -> bool:
        return self.ctx is not None and self.ctx.model is not None

    @property
    def writable(self) -> bool:
        return self.ctx is None or self.ctx.store.writable

    def load(self) -> tuple[State, list[str]]:
        """Where it stands, and what is wrong."""
        found, problem = self.shelf.load()
        return found, [] if problem is None else [problem]

    def change(self, changed: Callable[[State], State | None], *, claimed: bool = False) -> State:
        """Keeps what becomes of the state, nobody coming between; None leaves it as it is."""
        return self.shelf.change(changed, claimed=claimed)


@dataclass(frozen=True, slots=True)
class Listed:
    """A conversation in a list: how many messages it has, how many of them only its notes stand
    for.
    """

    session: str
    messages: int
    summarised: int
    newest_at: datetime | None


def listed(conversation: Conversation) -> Listed:
    count, newest = conversation.transcript.extent()
    found, _ = conversation.load()
    return Listed(conversation.session, count, found.standing.cursor.count, newest)


def noted(conversation: Conversation, found: State) -> tuple[State, list[str]]:
    """The state with what a person changed in memory.md, which the agent's page takes over at once."""
    file = conversation.shelf.memory_file
    text = None if file is None else file.read()
    if file is None or text is None:
        return found, []
    problems: list[str] = []
    parts = memory_file.read(text)
    if parts is None:
        return found, [UNTAKEN.format(problem=UNMARKED, aside=file.set_aside(text))]
    if parts.around:
        problems.append(UNTAKEN.format(problem=AROUND, aside=file.set_aside(text)))
    page, marks = conversation.page.read(), found.shown.get(AGENT, ())
    if memory_file.changed(parts.agent, page, marks):
        if page.strip() and memory_file.fingerprint(page) not in marks:
            problems.append(UNTAKEN.format(problem=MEANWHILE, aside=file.set_aside(text)))
        else:
            try:
                conversation.page.write(parts.agent)
                found = replace(found)  # so that the marks are made anew
            except GlymphError as error:
                problems.append(UNTAKEN.format(problem=error, aside=file.set_aside(text)))
    standing = found.standing
    if memory_file.changed(parts.machine, standing.summary, found.shown.get(MACHINE, ())):
        summary = memory_file.taken_over(
            parts, added=standing.newest, revision=standing.consolidations
        )
        if summary is None:
            problems.append(UNTAKEN.format(problem=TOO_OLD, aside=file.set_aside(text)))
        else:
            found = replace(found, standing=replace(standing, summary=summary))
    return found, problems


def is_outdated(conversation: Conversation, found: State) -> bool:
    """Whether there is a memory.md that shows something else than it should."""
    file = conversation.shelf.memory_file
    text = None if file is None else file.read()
    if text is None:
        return False
    truth = Parts(found.standing.summary, conversation.page.read(), found.standing.consolidations)
    return text != memory_file.rendered(truth)


def marked(conversation: Conversation, found: State) -> State:
    """The state that knows how memory.md looks and will look, to be kept before the file is
    written.

    What stands in the file now was taken over, so it is nobody's change if a crash leaves it there.
    """
    file = conversation.shelf.memory_file
    if file is None:
        return found
    parts = memory_file.read(file.read() or "")
    now = {} if parts is None else {MACHINE: parts.machine, AGENT: parts.agent}
    truth = {MACHINE: found.standing.summary, AGENT: conversation.page.read()}
    texts = {part: [text, *([now[part]] if part in now else [])] for part, text in truth.items()}
    return replace(
        found, shown={part: tuple(map(memory_file.fingerprint, own)) for part, own in texts.items()}
    )


def write(conversation: Conversation, text: str, mode: str = "replace") -> None:
    """Writes the agent's page and shows it in memory.md, after what a person changed there was
    taken over.
    """
    conversation.change(lambda current: marked(conversation, noted(conversation, current)[0]))
    conversation.page.write(text, mode)
    show(conversation, conversation.change(lambda current: marked(conversation, current)))


def show(conversation: Conversation, found: State) -> None:
    """Writes memory.md as the state says, where there is one."""
    if (file := conversation.shelf.memory_file) is not None:
        parts = Parts(
            found.standing.summary, conversation.page.read(), found.standing.consolidations
        )
        file.write(memory_file.rendered(parts))

"""memory.md: shows a conversation's summary and the agent's page, for people to read and edit.

Both parts live elsewhere; the file only shows them. An edit by a person is taken over: a part was
edited if it is neither what was written there last nor what it should say by now.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from glymph.errors import GlymphError
from glymph.history.conversation import Conversation, MemoryFile, State
from glymph.text.controls import remove_controls

MACHINE, AGENT = "machine", "agent"
FILE = "memory.md"

TITLE = "# Memory"
NOT_TAKEN_OVER = (
    "What somebody wrote into memory.md could not be taken over ({problem}). It is kept as {aside}."
)
UNMARKED = "the marks between its parts are gone"
AROUND = "some of it stands outside the two parts"
TOO_OLD = "the conversation was summarised many times since"
MEANWHILE = "the agent has changed its page since"

_TEMPLATE = (
    f"{TITLE}\n"
    + """
<!-- glymph machine {revision}: summaries of this conversation -->
{machine}
<!-- glymph end -->

<!-- glymph agent: what the agent wrote down with memory_write -->
{agent}
<!-- glymph end -->
"""
)
_PART = re.compile(
    r"^<!-- glymph (?P<name>machine|agent)(?: (?P<revision>\d+))?:[^\n]*-->\n"
    r"(?P<text>.*?)^<!-- glymph end -->$",
    re.DOTALL | re.MULTILINE,
)
_MARK = re.compile(r"^(?=<!-- glymph )", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Parts:
    """The two parts, and the number of consolidations when the machine's part was written."""

    machine: str = ""
    agent: str = ""
    revision: int = 0
    around: bool = False  # somebody wrote something that belongs to neither


# the text


def render(parts: Parts) -> str:
    """Returns the text of the file.

    A line of a part that looks like one of the marks is moved off the line's beginning, and what
    would steer a terminal is replaced.
    """
    machine, agent = map(_make_harmless, (parts.machine, parts.agent))
    return _TEMPLATE.format(revision=parts.revision, machine=machine, agent=agent)


def _make_harmless(text: str) -> str:
    return _MARK.sub(" ", remove_controls(text.strip()))


def parse(text: str) -> Parts | None:
    """Returns the parts in a file's text; None if the marks between them are gone."""
    text = text.replace("\r\n", "\n")
    found = {match["name"]: match for match in _PART.finditer(text)}
    if len(found) != len((MACHINE, AGENT)):
        return None
    revision = int(found[MACHINE]["revision"] or 0)
    around = _PART.sub("", text).split() != TITLE.split()
    return Parts(found[MACHINE]["text"].strip(), found[AGENT]["text"].strip(), revision, around)


def fingerprint(text: str) -> str:
    """Returns a short hash by which a part is known again."""
    plain = _make_harmless(text.replace("\r\n", "\n"))
    return hashlib.sha256(plain.encode(errors="surrogatepass")).hexdigest()[:16]


def is_edited(shown: str, truth: str, marks: tuple[str, ...]) -> bool:
    """Tells whether somebody edited a part: it is neither the truth nor anything written lately.

    Where nothing is known to be written, words in the file are somebody's: the state may be lost
    and they are not.
    """
    return bool(shown or marks) and fingerprint(shown) not in (fingerprint(truth), *marks)


def merge_edit(shown: Parts, *, added: Sequence[str], revision: int) -> str | None:
    """Returns the machine's part as a person edited it, with the notes made since they opened it.

    `added` is what each of the last consolidations added; None if the file is older than these.
    """
    missing = max(0, revision - shown.revision)
    if missing > len(added):
        return None
    since = (
        notes
        for notes in added[len(added) - missing :]
        if notes and _make_harmless(notes) not in shown.machine
    )
    return "\n".join([shown.machine, *since]).strip()


# the file of a conversation


def take_over_edits(conversation: Conversation, state: State) -> tuple[State, list[str]]:
    """Returns the state with what a person edited in memory.md, and what could not be taken over.

    The agent's page takes its edit over at once.
    """
    file = conversation.shelf.memory_file
    text = None if file is None else file.read()
    if file is None or text is None:
        return state, []
    parts = parse(text)
    if parts is None:
        return state, [_set_aside(file, text, UNMARKED)]
    problems = [_set_aside(file, text, AROUND)] if parts.around else []
    page, marks = conversation.page.read(), state.shown.get(AGENT, ())
    if is_edited(parts.agent, page, marks):
        if page.strip() and fingerprint(page) not in marks:
            problems.append(_set_aside(file, text, MEANWHILE))
        else:
            try:
                conversation.page.write(parts.agent)
                state = replace(state)  # another object, so that the caller makes new marks
            except GlymphError as error:
                problems.append(_set_aside(file, text, error))
    standing = state.standing
    if is_edited(parts.machine, standing.summary, state.shown.get(MACHINE, ())):
        summary = merge_edit(parts, added=standing.newest, revision=standing.consolidations)
        if summary is None:
            problems.append(_set_aside(file, text, TOO_OLD))
        else:
            state = replace(state, standing=replace(standing, summary=summary))
    return state, problems


def _set_aside(file: MemoryFile, text: str, problem: object) -> str:
    return NOT_TAKEN_OVER.format(problem=problem, aside=file.set_aside(text))


def is_outdated(conversation: Conversation, state: State) -> bool:
    """Tells whether there is a memory.md that shows something else than it should."""
    file = conversation.shelf.memory_file
    text = None if file is None else file.read()
    return text is not None and text != render(_true_parts(conversation, state))


def mark(conversation: Conversation, state: State) -> State:
    """Returns the state with fingerprints of memory.md, to be saved before the file is written.

    They cover how it looks now and how it will look. What it says now was taken over, so that it
    is nobody's edit if a crash leaves it there.
    """
    file = conversation.shelf.memory_file
    if file is None:
        return state
    now, truth = parse(file.read() or ""), _true_parts(conversation, state)
    shown = [truth] if now is None else [truth, now]
    marks = {
        MACHINE: tuple(fingerprint(parts.machine) for parts in shown),
        AGENT: tuple(fingerprint(parts.agent) for parts in shown),
    }
    return replace(state, shown=marks)


def show(conversation: Conversation, state: State) -> None:
    """Writes memory.md as the state says, where there is one."""
    if (file := conversation.shelf.memory_file) is not None:
        file.write(render(_true_parts(conversation, state)))


def write_page(conversation: Conversation, text: str, mode: str = "replace") -> None:
    """Writes the agent's page and shows it in memory.md, after taking over a person's edits."""
    conversation.change(lambda now: mark(conversation, take_over_edits(conversation, now)[0]))
    conversation.page.write(text, mode)
    show(conversation, conversation.change(lambda now: mark(conversation, now)))


def _true_parts(conversation: Conversation, state: State) -> Parts:
    standing = state.standing
    return Parts(standing.summary, conversation.page.read(), standing.consolidations)

"""memory.md: what a conversation's summary and the agent's page say, for people to read and to
edit.

Both parts live elsewhere; the file shows them. What a person changes in the file is taken over: a
part that is neither what was written there last nor what it should say by now was changed by
somebody else.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

MACHINE, AGENT = "machine", "agent"
FILE = "memory.md"

TITLE = "# Memory"

_PAGE = (
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
    r"^<!-- glymph (?P<name>machine|agent)(?: (?P<revision>\d+))?:[^\n]*-->\n(?P<text>.*?)^<!-- glymph end -->$",
    re.DOTALL | re.MULTILINE,
)
_MARK = re.compile(r"^(?=<!-- glymph )", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Parts:
    """The two parts, and how many consolidations the machine's part had seen when it was written."""

    machine: str = ""
    agent: str = ""
    revision: int = 0
    around: bool = False  # somebody wrote something that belongs to neither


def rendered(parts: Parts) -> str:
    """The file. A line of a part that looks like one of its marks is moved off the line's
    beginning.
    """
    machine, agent = (_MARK.sub(" ", text.strip()) for text in (parts.machine, parts.agent))
    return _PAGE.format(revision=parts.revision, machine=machine, agent=agent)


def read(text: str) -> Parts | None:
    """The parts that a file shows; None if its marks are gone, so that nobody can tell them apart."""
    found = {match["name"]: match for match in _PART.finditer(text.replace("\r\n", "\n"))}
    if len(found) != len((MACHINE, AGENT)):
        return None
    revision = int(found[MACHINE]["revision"] or 0)
    around = _PART.sub("", text.replace("\r\n", "\n")).split() != TITLE.split()
    return Parts(found[MACHINE]["text"].strip(), found[AGENT]["text"].strip(), revision, around)


def fingerprint(text: str) -> str:
    plain = _MARK.sub(" ", text.replace("\r\n", "\n").strip())
    return hashlib.sha256(plain.encode(errors="surrogatepass")).hexdigest()[:16]


def changed(shown: str, truth: str, marks: tuple[str, ...]) -> bool:
    """Whether somebody changed a part of the file: it is neither the truth nor anything written
    there lately.

    Where nothing is known to be written, words in the file are somebody's: the state may be lost
    and they are not.
    """
    return bool(shown or marks) and fingerprint(shown) not in (fingerprint(truth), *marks)


def taken_over(shown: Parts, *, added: Sequence[str], revision: int) -> str | None:
    """The machine's part as a person changed it, with what was summarised since they opened the
    file.

    `added` is what each of the last consolidations added; None if the file is older than they
    reach.
    """
    missing = max(0, revision - shown.revision)
    if missing > len(added):
        return None
    since = (
        notes for notes in added[len(added) - missing :] if notes and notes not in shown.machine
    )
    return "\n".join([shown.machine, *since]).strip()

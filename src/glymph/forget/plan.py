"""A plan to forget, as it is shown, kept and acted on."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from difflib import SequenceMatcher
from typing import Literal

from glymph.errors import InvalidInput
from glymph.forget.planner import Action
from glymph.model import Receipt, Refusal
from glymph.store.certificate import Certificate

Mode = Literal["release", "purge"]
_GROUPS = {
    "remove": "Goes",
    "rewrite": "Is reworded",
    "refuse": "Stays",
    "ask": "May be meant, and stays until somebody says so",
}
SHORT_ID = 6  # characters of an id by which a person tells memories apart
_WORDS = re.compile(r"\s*[^\s]+")
_LEFT = (
    "      keeps the identifier in its {}: the purge will be refused. "
    "Change that with update(), or purge the whole memory by its id, first."
)


@dataclass(frozen=True, slots=True)
class ForgetPlan:
    """The effects that forgetting would have on memories as they are now.

    A memory that changes first is skipped.
    """

    id: str
    space: str
    request: str
    mode: Mode
    created_at: datetime
    expires_at: datetime
    actions: tuple[Action, ...] = ()
    why: str = ""  # why nothing is certain, or there is nothing to do
    derived: tuple[str, ...] = ()  # memories that rest on what goes, and stay
    # The fields in which a memory holds the identifier even reworded, by id: a purge is refused.
    identifier_left: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    kind: Literal["forget"] = field(default="forget")

    @property
    def removed(self) -> tuple[Action, ...]:
        return tuple(action for action in self.actions if action.kind == "remove")

    @property
    def rewritten(self) -> tuple[Action, ...]:
        return tuple(action for action in self.actions if action.kind == "rewrite")

    @property
    def refused(self) -> tuple[Action, ...]:
        return tuple(action for action in self.actions if action.kind == "refuse")

    @property
    def candidates(self) -> tuple[Action, ...]:
        """The memories that may be meant, and are left alone until somebody says so."""
        return tuple(action for action in self.actions if action.kind == "ask")

    @property
    def text(self) -> str:
        """Describes the plan for a reader."""
        return self.describe()

    def describe(self, longest: int | None = None) -> str:
        """Describes the plan, each memory in one line of at most so many characters."""
        return "\n".join(_lines(self, longest))


@dataclass(frozen=True, slots=True)
class Reachable:
    """A memory that was to be forgotten and is still found, and by what."""

    id: str
    by: str


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The outcome of forgetting: the receipt, what was reworded, and what is still reachable."""

    receipt: Receipt
    plan: ForgetPlan
    edited: tuple[str, ...] = ()
    reachable: tuple[Reachable, ...] = ()
    candidates: tuple[Action, ...] = ()
    certificate: Certificate | None = field(default=None)

    @property
    def operation_id(self) -> str:
        return self.receipt.operation_id

    @property
    def verb(self) -> str:
        return self.receipt.verb

    @property
    def succeeded(self) -> tuple[str, ...]:
        return self.receipt.succeeded

    @property
    def skipped(self) -> tuple[Refusal, ...]:
        return self.receipt.skipped

    @property
    def failed(self) -> tuple[Refusal, ...]:
        return self.receipt.failed

    @property
    def recoverable_until(self) -> datetime | None:
        return self.receipt.recoverable_until

    @property
    def hash(self) -> str:
        return self.receipt.hash


def forget_plan_id(space: str, request: str, mode: Mode, actions: Sequence[Action]) -> str:
    """Returns the hash of what a plan does, and to which versions."""
    does = [[action.kind, action.id, action.version, action.new] for action in actions]
    body = json.dumps(["forget", space, request, mode, does], sort_keys=True)
    return hashlib.sha256(body.encode()).hexdigest()[:32]


def _lines(plan: ForgetPlan, longest: int | None) -> Iterator[str]:
    for_good = plan.mode == "purge"
    how = (
        "for good, with no way back"
        if for_good
        else "into the trash; undo brings it back until that is emptied"
    )
    yield f"To forget {_shorten(plan.request, longest)!r} ({how}):"
    for kind, heading in _GROUPS.items():
        group = [action for action in plan.actions if action.kind == kind]
        if group:
            yield f"  {heading} ({len(group)}):"
        for action in group:
            yield from _describe(plan, action, longest)
    if plan.derived:
        yield f"  Rest on what goes, and stay: {', '.join(plan.derived)}"
    if not (plan.removed or plan.rewritten):
        yield f"  Nothing would be done: {plan.why or 'nothing here is meant by it'}."
    elif plan.why:
        yield f"  Note: {plan.why.rstrip('.')}."
    yield f"Plan {plan.id}, valid until {plan.expires_at:%Y-%m-%d %H:%M} UTC."


def _describe(plan: ForgetPlan, action: Action, longest: int | None) -> Iterator[str]:
    """Yields the lines of one action; what somebody may have to name has its whole id."""
    told = strike_through(action.old, action.new) if action.kind == "rewrite" else action.old
    name = action.id if action.kind in ("ask", "refuse") else f"…{action.id[-SHORT_ID:]}"
    yield f"    - {_shorten(told, longest)} [{name}]"
    yield f"      {action.reason}; {action.by}, {action.confidence:.2f}"
    if action.kind == "rewrite":
        yield f"      becomes: {_shorten(action.new, longest)}"
    if fields := plan.identifier_left.get(action.id):
        yield _LEFT.format(", ".join(fields))


def _shorten(text: str, longest: int | None) -> str:
    """Returns a text in one line, cut where it is too long; what was struck through ends there."""
    if longest is None:
        return text
    folded = " ".join(text.split())
    if len(folded) <= longest:
        return folded
    cut = folded[: longest - 1]
    return f"{cut}…{'~~' if cut.count('~~') % 2 else ''}"


def strike_through(old: str, new: str) -> str:
    """Returns a text with what is not in the new one struck through, as Markdown writes it."""
    words, kept = _WORDS.findall(old), _WORDS.findall(new)
    told: list[str] = []
    for what, start, end, *_ in SequenceMatcher(None, words, kept, autojunk=False).get_opcodes():
        piece = "".join(words[start:end])
        gone = what in ("delete", "replace") and piece.strip()
        told.append(f" ~~{piece.strip()}~~" if gone else piece)
    return "".join(told).strip()


def check_same_mode(shown: ForgetPlan, said: str | None) -> None:
    """Raises where a plan was made for another mode than the one that is said."""
    if said in (None, shown.mode):
        return
    way = "for good" if shown.mode == "purge" else "into the trash"
    raise InvalidInput(
        "mode",
        f"plan {shown.id} is a {shown.mode}, {way}, and you said {said}. Nothing was changed. "
        f"Do it with mode={shown.mode!r}, or make a new plan.",
    )

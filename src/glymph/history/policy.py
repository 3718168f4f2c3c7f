"""Decides when a conversation is shortened, where it is cut, and what is said one turn before.

One mechanism only: once what lies after the cursor passes the threshold, its older part becomes a
summary and the cursor moves behind it. A turn is one exchange: what is added between two calls of
the agent's model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from difflib import get_close_matches
from itertools import accumulate
from typing import Any, Literal

from glymph.errors import InvalidInput
from glymph.history.messages import (
    Answers,
    MessageView,
    Raw,
    find_boundaries,
    followed_by,
    match_results,
    read_message,
    repair,
    shorten_results,
)

Unit = Literal["tokens", "messages"]

THRESHOLDS: Mapping[str, int] = {"tokens": 24_000, "messages": 100}
TURN_MESSAGES = 2  # a turn in the unit of messages: one of the user, one of the agent
TOO_LARGE = 2  # thresholds; so much is not sent twice
GOES_ON = "(The conversation goes on. What came before is in your notes.)"
ADDITIONS = 16  # consolidations whose notes are known apart, for whoever edits an older memory.md
TASK_CHARACTERS = 2_000  # of a request that is still shown when its message is summarised
MACHINE_WORDS = 600  # of the summaries in memory.md; beyond, they are made into one
PATIENCE = 3  # failures of a model in a row that cost nothing but time
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=30), timedelta(minutes=10)
PAUSED = "{problem} It has failed {failures} times and is asked again from {until:%H:%M:%S} UTC on."

# Characters of an old result that are worth keeping, by tool; every tool states its own.
KEPT_CHARACTERS: Mapping[str, int] = {
    "analyze_memory": 400, "answer_question": 300, "batch_prune": 300, "manage_conflicts": 300,
    "memory_recall": 600, "memory_search": 600, "search_history": 600,
    "memory_add": 150, "memory_update": 150, "memory_delete": 150,
    "explore_memory": 150, "manage_clusters": 150,
}  # fmt: skip
OTHER_CHARACTERS = 800

NOTICE = (
    "The older part of this conversation will be summarised after this turn. What must survive "
    "word for word, write down now with memory_write."
)


@dataclass(frozen=True, slots=True)
class HistorySettings:
    """When a history is shortened and how much of it stays.

    A threshold of None is the usual one of the unit. `extract_ratio` is the share of the older
    part's tokens that is kept for recall where no model shortens it, and `reader_seconds` how long
    a reader may judge then which sentences to keep; with 0, rules alone do.
    """

    consolidation_threshold: int | None = None
    keep_recent_ratio: float = 0.2
    unit: Unit = "tokens"
    extract_ratio: float = 0.1
    reader_seconds: float = 10.0

    def __post_init__(self) -> None:
        if self.unit not in THRESHOLDS:
            raise InvalidInput(
                "unit", f"{self.unit!r} is neither 'tokens' nor 'messages'. Use one of them."
            )
        limit = self.consolidation_threshold
        if limit is not None and (
            isinstance(limit, bool) or not isinstance(limit, int) or limit < 1
        ):
            raise InvalidInput(
                "consolidation_threshold",
                f"{limit!r} is not a whole number of at least 1. Write one such as "
                f"{THRESHOLDS[self.unit]}.",
            )
        for name in ("keep_recent_ratio", "extract_ratio"):
            ratio = getattr(self, name)
            if isinstance(ratio, bool) or not isinstance(ratio, int | float) or not 0 < ratio < 1:
                raise InvalidInput(
                    name, f"{ratio!r} is not strictly between 0 and 1. Write one such as 0.2."
                )
        seconds = self.reader_seconds
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds >= 0:
            raise InvalidInput(
                "reader_seconds", f"{seconds!r} is not a number from 0 up. Write one such as 10."
            )

    @classmethod
    def parse(cls, values: Mapping[str, Any]) -> HistorySettings:
        """Reads settings from a mapping; raises on a name that does not exist."""
        if not isinstance(values, Mapping):
            raise InvalidInput("settings", f"expected a mapping, got {type(values).__name__}.")
        known = [field.name for field in fields(cls)]
        for name in values:
            if name not in known:
                near = get_close_matches(str(name), known, n=1)
                hint = f"Did you mean {near[0]!r}?" if near else f"Known: {', '.join(known)}."
                raise InvalidInput(f"settings.{name}", f"no such setting. {hint}")
        return cls(**values)

    @property
    def threshold(self) -> int:
        limit = self.consolidation_threshold
        return THRESHOLDS[self.unit] if limit is None else limit

    @property
    def tail(self) -> int:
        """How much stays, in the same unit: at least 1."""
        return max(1, int(self.threshold * self.keep_recent_ratio))


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where what is shown begins: bytes and messages before it."""

    offset: int = 0
    count: int = 0


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a conversation is summarised, and the summary. Neither changes without the other."""

    cursor: Cursor = Cursor()
    summary: str = ""
    newest: tuple[str, ...] = ()  # what each of the last consolidations added to the summary
    consolidations: int = 0
    # Messages there were when the notice was given that no consolidation has followed.
    noticed: int | None = None
    # What was asked for in the turn that is under way, if its beginning is summarised.
    task: str = ""

    def advance(self, cursor: Cursor, summary: str, newest: str, task: str = "") -> Standing:
        """Returns the standing after a consolidation."""
        added = (*self.newest, newest)[-ADDITIONS:]
        return Standing(cursor, summary, added, self.consolidations + 1, task=task)

    def announce(self, count: int) -> Standing:
        """Returns the standing after a notice, when there were so many messages."""
        return replace(self, noticed=count)


@dataclass(frozen=True, slots=True)
class Tail:
    """The messages after the cursor: as they are sent, as they were, and the size of each."""

    messages: tuple[Raw, ...]
    views: tuple[MessageView, ...]
    sizes: tuple[int, ...]
    matched: Answers

    @property
    def size(self) -> int:
        return sum(self.sizes)


def build_tail(
    raw: Sequence[Raw], unit: Unit, *, keep: Mapping[str, int] = KEPT_CHARACTERS
) -> Tail:
    """Shortens old results of tools, and puts results that lost their call into words.

    The newest turn, from the last time somebody spoke, is never cut.
    """
    views = [read_message(message) for message in raw]
    matched = match_results(views)
    newest = max((place for place, view in enumerate(views) if view.opens), default=0)
    sent = list(raw)
    sizes = [1] * len(views) if unit == "messages" else [view.tokens for view in views]
    for place, view in enumerate(views[:newest]):
        if view.results:
            sent[place] = _short(raw[place], matched.names[place], keep)
            if unit == "tokens" and sent[place] is not raw[place]:
                sizes[place] = read_message(sent[place]).tokens
    return Tail(tuple(repair(sent, views, matched)), tuple(views), tuple(sizes), matched)


def _short(message: Raw, names: Mapping[str, str], keep: Mapping[str, int]) -> Raw:
    return shorten_results(message, names, lambda name: worth_keeping(name, keep))


def worth_keeping(tool: str, keep: Mapping[str, int] = KEPT_CHARACTERS) -> int:
    """Returns how many characters of a tool's old result stay.

    Hosts put the name of the server before a tool's.
    """
    return keep.get(tool, keep.get(tool.rsplit("__", 1)[-1], OTHER_CHARACTERS))


# deciding


@dataclass(frozen=True, slots=True)
class Due:
    """What this turn needs: a notice, a consolidation of the messages before `cut`, or neither."""

    notice: bool = False
    cut: int = 0


def decide_due(
    tail: Tail, settings: HistorySettings, *, standing: Standing, announces: bool
) -> Due:
    """Decides what is due now. `announces`: a notice would help, for the agent can act on it.

    What was announced happens in the next turn, and what can be announced never happens before it
    was. The notice stays for as long as its turn does; only a turn that is far too large to be sent
    is not waited for.
    """
    size, limit = tail.size, settings.threshold
    announced = standing.noticed is not None
    if not announced and size + (last_turn(tail, settings.unit) if announces else 0) <= limit:
        return Due()
    cut = find_cut(tail, settings.tail)
    if cut == 0:
        return Due()  # nothing could be cut off
    if announced:
        count = standing.cursor.count + len(tail.messages)
        happens = count > (standing.noticed or 0) or size > TOO_LARGE * limit
    else:
        happens = not announces
    return Due(cut=cut) if happens else Due(notice=True)


def last_turn(tail: Tail, unit: Unit) -> int:
    """Returns the size of the last exchange.

    It is what the agent said last and what that answered, or what answered it.
    """
    if unit == "messages":
        return TURN_MESSAGES
    size, changes = 0, 0
    for place in range(len(tail.views) - 1, -1, -1):
        speaks = tail.views[place].role == "assistant"
        changes += place + 1 < len(tail.views) and speaks != (
            tail.views[place + 1].role == "assistant"
        )
        if changes > 1:
            break
        size += tail.sizes[place]
    return size


def find_cut(tail: Tail, most: int) -> int:
    """Returns the message before which to cut so that at most `most` stays; 0 if nowhere.

    Best where somebody begins to speak; else wherever no call is separated from its result. If not
    even what begins at the last such place is small enough, that is kept all the same: at least one
    message stays.
    """
    places = find_boundaries(tail.views, tail.matched)
    if not places:
        return 0
    before = [0, *accumulate(tail.sizes)]
    fitting = [place for place in places if before[-1] - before[place] <= most]
    opening = [place for place in fitting if tail.views[place].opens]
    return (opening or fitting or places[-1:])[0]


def split_parts(tail: Tail, cut: int, most: int) -> list[int]:
    """Returns the ends of the parts to summarise one by one: legal places, within a size."""
    places = [place for place in find_boundaries(tail.views, tail.matched) if place < cut] + [cut]
    before = [0, *accumulate(view.tokens for view in tail.views)]
    ends: list[int] = []
    begins = 0
    for place, after in zip(places, [*places[1:], None], strict=True):
        if after is None or before[after] - before[begins] > most:
            ends.append(place)
            begins = place
    return ends


def find_task(tail: Tail, cut: int, before: str) -> str:
    """Returns what was asked for in the turn that a cut goes through; empty if there is none.

    `before` is what was asked for earlier, if that turn began before these messages.
    """
    if cut >= len(tail.views) or tail.views[cut].opens:
        return ""
    asked = next((view.text for view in reversed(tail.views[:cut]) if view.opens), before)
    return asked[:TASK_CHARACTERS]


# results


@dataclass(frozen=True, slots=True)
class Shortened:
    """The result of a consolidation. One that failed changes nothing, and `problem` says why."""

    by: Literal["model", "reader", "rules"]
    messages: int = 0  # that the summary now stands for
    notes: tuple[str, ...] = ()
    remembered: int = 0  # memories the graph has taken
    calls: int = 0
    cost_usd: float = 0.0
    problem: str | None = None


@dataclass(slots=True)
class Backoff:
    """Leaves a model alone that keeps failing: each question would keep the agent waiting."""

    failures: int = 0  # in a row
    problem: str = ""
    until: datetime | None = None

    def explain(self, now: datetime) -> str | None:
        """Says why the model is not asked now; None if it may be."""
        if self.until is None or now >= self.until:
            return None
        return PAUSED.format(problem=self.problem, failures=self.failures, until=self.until)

    def note(self, shortened: Shortened, now: datetime) -> None:
        """Counts a failure, or forgets all after a success."""
        if shortened.by != "model" or shortened.calls == 0:
            return
        if shortened.messages or shortened.problem is None:
            self.failures, self.problem, self.until = 0, "", None
            return
        self.failures, self.problem = self.failures + 1, shortened.problem
        if self.failures >= PATIENCE:
            pause = FIRST_PAUSE * 2 ** (self.failures - PATIENCE)
            self.until = now + min(LONGEST_PAUSE, pause)


@dataclass(frozen=True, slots=True)
class Built:
    """What to send to the agent's model: the system prompt and the messages that are kept.

    `notice` says that the prompt announces a consolidation, `shortened` what one did just now,
    `problems` what somebody should look at. `size` is measured after the cursor, in the unit of the
    settings.
    """

    system: str
    messages: tuple[Raw, ...]
    notice: bool = False
    shortened: Shortened | None = None
    problems: tuple[str, ...] = ()
    size: int = 0
    summarised: int = 0  # messages before the cursor

    def with_system(self, user_message: Raw | None = None) -> list[Raw]:
        """Returns all of it as one list, the prompt first, as OpenAI takes it."""
        first: list[Raw] = [{"role": "system", "content": self.system}] if self.system else []
        if user_message is None:
            return [*first, *self.messages]
        return [*first, *followed_by(self.messages, user_message)]

    def as_anthropic(self, user_message: Raw | None = None) -> tuple[str, list[Raw]]:
        """Returns prompt and messages apart, the user's first, as Anthropic takes them."""
        messages = (
            list(self.messages)
            if user_message is None
            else followed_by(self.messages, user_message)
        )
        if messages and read_message(messages[0]).role != "user":
            messages.insert(0, {"role": "user", "content": GOES_ON})
        return self.system, messages

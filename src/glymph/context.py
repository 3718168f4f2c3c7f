"""The context every service works with: the store, the space, who is asking, and the clock."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Protocol

from glymph import telemetry
from glymph.checks import optional_text
from glymph.config import Settings
from glymph.decay.sections import SECTION_WEIGHTS, Weights
from glymph.embed.embedding import Embedding
from glymph.errors import KeyMissing, MemoryNotFound, TooManyToday
from glymph.ids import is_uuid7, uuid7
from glymph.llm.contract import Model
from glymph.model import Receipt, Refusal
from glymph.moments import AHEAD, EVER, MICROS_PER_DAY, iso, micros, moment, shift
from glymph.reader.contract import Reader as TextReader
from glymph.reader.no_reader import NoReader
from glymph.store import foresight, guards, once
from glymph.store.certificate import PlaceStatus
from glymph.store.contract import Ask, Filter, Intent, Row
from glymph.store.reader import Reader
from glymph.store.store import Store
from glymph.store.writer import Writer
from glymph.text.quotes import GONE, Quotes

NAMED = 10  # memories of which a receipt says the title

_PLAIN = re.compile(r"[^\W\d_]+(?:[:_-][^\W\d_]+)*\Z")


def is_plain_name(name: str) -> bool:
    """Tells whether a name is one of plain words, such as "agent:night", which no purge names."""
    return _PLAIN.match(name) is not None


def _say(text: str, gone: Collection[str]) -> str:
    return GONE if text in gone else text


def _say_refused(refused: Refusal, gone: Collection[str]) -> list[str]:
    """Returns a refusal as a record tells it; its reason may quote what was given as an id."""
    if refused.id in gone:
        return [GONE, refused.reason.replace(refused.id, GONE)]
    return [refused.id, refused.reason]


def _list_telling(texts: Iterable[str | None]) -> list[str]:
    """Returns those of the texts that may tell something purged, each once."""
    return [text for text in dict.fromkeys(texts) if text and not is_plain_name(text)]


def _told_before(intent: Intent, day: tuple[int, int]) -> int:
    """Returns the moment before which what is reworded counts: what an undo rewords came so."""
    return -EVER if intent.verb == "undo" else day[0]


@dataclass(slots=True)
class OpenOperation:
    """An operation being carried out. Its receipt is complete when the context has ended."""

    writer: Writer
    intent: Intent
    now: int
    succeeded: list[str] = field(default_factory=list)
    skipped: list[Refusal] = field(default_factory=list)
    failed: list[Refusal] = field(default_factory=list)
    cascaded: list[str] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)  # of single memories, by id
    recoverable_until: datetime | None = None
    puts_away: bool = False  # it is known to, before anybody counts
    # Of the first that succeeded, by id; who has them at hand notes them, the rest are read.
    titles: dict[str, str] = field(default_factory=dict)
    answer: dict[str, Any] = field(default_factory=dict)  # by ids, for a request that is repeated

    def skip(self, memory_id: str, reason: str) -> None:
        self.skipped.append(Refusal(memory_id, reason))

    def fail(self, memory_id: str, reason: str) -> None:
        self.failed.append(Refusal(memory_id, reason))

    def figures(self) -> dict[str, int]:
        """Returns how many memories it was done to, and how many were left."""
        return {name: len(getattr(self, name)) for name in ("succeeded", "skipped", "failed")}

    def details(self, gone: Collection[str] = ()) -> dict[str, Any]:
        """Returns what its record says besides its reason; `gone` are texts that it may not."""
        told: dict[str, Any] = {}
        if self.skipped or self.failed or self.cascaded:
            told["skipped"] = [_say_refused(r, gone) for r in self.skipped]
            told["failed"] = [_say_refused(r, gone) for r in self.failed]
        if self.cascaded:
            told["cascaded"] = self.cascaded
        if self.reasons:
            told["reasons"] = {key: _say(why, gone) for key, why in self.reasons.items()}
        return told

    def list_told(self) -> list[str]:
        """Returns what somebody has worded of the details: single reasons, and what is no id."""
        named = (refusal.id for refusal in (*self.skipped, *self.failed))
        return [*self.reasons.values(), *(one for one in named if not is_uuid7(one))]

    def list_untitled(self, ids: Iterable[str]) -> list[str]:
        """Returns those of the memories whose titles nobody has noted."""
        return [one for one in ids if one not in self.titles]

    def outcome(self) -> dict[str, Any]:
        """Returns what a repeated request is told besides the operation's record, by ids."""
        if self.intent.verb == "purge":  # what it removed is named in its record alone
            return {}
        until = {"recoverable_until": iso(self.recoverable_until)} if self.recoverable_until else {}
        return {"succeeded": self.succeeded, **until, **self.answer}

    def row(self, memory_id: str) -> Row:
        """Returns the memory's row; raises MemoryNotFound if there is none."""
        found = self.writer.memory(memory_id)
        if found is None:
            raise MemoryNotFound(memory_id, self.writer.space)
        return found


class TextKeeper(Protocol):
    """A part above the store that keeps texts of its own and erases them when a purge asks for it.

    Its places in the store are declared in `store.erase_places` with `apart=True`.
    """

    @property
    def places(self) -> Sequence[str]:
        """The names under which certificates list what it keeps."""
        ...

    def erase(self, ctx: Context, quotes: Quotes, *, on_request: bool) -> list[PlaceStatus]:
        """Erases what repeats the removed texts, if that was asked for; returns the outcome."""
        ...

    def report_unchecked(self, ctx: Context) -> list[PlaceStatus]:
        """Reports a purge that was killed before `erase` ran: the removed texts are lost."""
        ...


@dataclass(frozen=True, slots=True)
class Context:
    store: Store
    space: str
    actor: str
    settings: Settings
    clock: Callable[[], datetime]
    # Required, so that no way of opening a store can leave texts out of a purge's reach.
    text_keepers: Callable[[], Sequence[TextKeeper]]
    # Tells which of some texts a tombstone keeps out of the space.
    match_tombstones: Callable[[Context, Reader, Sequence[str]], Sequence[bool]]
    session: str | None = None
    # Whose day it is that an agent uses up: it may sign with any name below this one.
    agents: str = guards.AGENT
    embedding: Embedding = field(default_factory=Embedding)
    weights: Weights = field(default_factory=lambda: SECTION_WEIGHTS)
    model: Model | None = None  # the language model for upkeep
    reader: TextReader = field(default_factory=NoReader)  # judges texts
    # Hands memories to the background: these lack vectors, and any new one waits to be reconciled.
    settle_soon: Callable[[Sequence[str]], None] = lambda ids: None
    settle_few: Callable[[], None] = lambda: None  # finishes what waits, if it is little

    def now(self) -> datetime:
        now = self.clock()
        micros(now, "clock")
        return now

    @property
    def shown_url(self) -> str:
        """The store's URL as it may be shown, without a password."""
        from glymph.text.secrets import mask_url  # its rules are for whoever writes

        return mask_url(self.store.url)

    @property
    def is_agent(self) -> bool:
        """Whether the actor is a program that decides by itself, as its name says."""
        return guards.is_agent(self.actor)

    def new_id(self, at: int) -> str:
        return uuid7(at, os.urandom(8))

    def reading(self, space: str | None = None) -> AbstractContextManager[Reader]:
        return self.store.reading(space or self.space)

    def sign(self, gone: Collection[str], session: str | None = None) -> tuple[str, str | None]:
        """Returns the actor and the session that are recorded, by names that nobody had purged.

        `gone` is what `find_purged` found among them. An actor goes on as one without a name, a
        session as none.
        """
        actor, session = self.actor, session or self.session
        signed = guards.unname(actor) if actor in gone else actor
        return signed, None if session in gone else session

    def find_purged(self, reader: Reader, texts: Iterable[str | None]) -> frozenset[str]:
        """Returns those of the texts that a tombstone keeps out: no record may hold them."""
        asked = _list_telling(texts)
        try:
            gone = self.match_tombstones(self, reader, asked) if asked else ()
        except KeyMissing:  # what cannot be told is not recorded
            gone = [True] * len(asked)
        return frozenset(text for text, hidden in zip(asked, gone, strict=True) if hidden)

    def foresee_signing(self, session: str | None = None, *texts: str | None) -> list[Ask]:
        """Returns what `find_purged` will ask for of who signs and of these texts."""
        asked = _list_telling([self.actor, session or self.session, *texts])
        return [foresight.has_tombstones()] if asked else []

    def intent(
        self,
        verb: str,
        *,
        reason: str | None = None,
        session: str | None = None,
        parent: int | None = None,
        undoes: int | None = None,
    ) -> Callable[[Callable[[int], int]], Intent]:
        """Returns an intent to be made when the write lock is held.

        Its moment is the clock's then, as far as the store takes it: see `Writer.stamp`.
        """
        optional_text("reason", reason, 2000)
        optional_text("session", session)

        def make(stamp: Callable[[int], int]) -> Intent:
            at = stamp(micros(self.now()))
            return Intent(
                id=self.new_id(at), actor=self.actor, verb=verb, at=at, reason=reason,
                session=session or self.session, parent=parent, undoes=undoes,
            )  # fmt: skip

        return make

    @contextmanager
    def operation(
        self, verb: str, *, reason: str | None = None, session: str | None = None,
        parent: int | None = None, undoes: int | None = None, ahead: Sequence[Ask] = (),
    ) -> Iterator[OpenOperation]:  # fmt: skip
        """One operation in one transaction. Everything that changes a memory goes through here.

        So does the cap on what an agent hides or deletes in a day, by whatever verb. `ahead` is
        what it will ask first; see `store.foresight`.
        """
        intent = self.intent(verb, reason=reason, session=session, parent=parent, undoes=undoes)
        with (
            telemetry.observe(telemetry.OPERATION, operation=verb) as seen,
            self.store.writing(
                self.space, intent, ahead=[*ahead, *self.foresee_signing(session, reason)]
            ) as writer,
        ):
            gone = self.find_purged(writer, [self.actor, session or self.session, reason])
            writer.sign(*self.sign(gone, session))
            if reason in gone:
                writer.amend(reason=GONE, undoes=undoes)
            operating = OpenOperation(writer, writer.intent, micros(self.now()))
            request = once.claim(writer)
            yield operating
            named, day = operating.succeeded[:NAMED], self._day()
            self._foresee_end(operating, named, day)
            if self.is_agent and writer.may_put_away:
                self._check_day(writer, day)
            gone = self.find_purged(writer, operating.list_told())
            if details := operating.details(gone):
                writer.describe(details)
            if request is not None:
                once.note_applied(writer, request, operating.outcome())
            read = writer.titles(operating.list_untitled(named))
            known = operating.titles | read
            operating.titles = {one: known[one] for one in named if one in known}
            seen.note(**operating.figures())
        if request is not None:
            request.operation = operating.intent.id

    def _foresee_end(self, op: OpenOperation, named: Sequence[str], day: tuple[int, int]) -> None:
        """Says what the end of an operation asks for, and what its seal does, in one round trip.

        Where nothing is asked the store may seal it without another.
        """
        asks: list[Ask] = []
        if _list_telling(op.list_told()):
            asks.append(foresight.has_tombstones())
        if untitled := op.list_untitled(named):
            asks.append(foresight.titles(untitled))
        if self.is_agent and op.writer.may_put_away:
            asks.append(
                foresight.put_away_in(op.writer.operation_key, _told_before(op.intent, day))
            )
            if op.puts_away:
                asks.append(foresight.put_away_by(self.agents, *day))
        if asks:
            op.writer.foresee_close()
            op.writer.foresee(*asks)

    def _day(self) -> tuple[int, int]:
        """Returns the moments between which an agent's day counts."""
        now = micros(self.now())
        return now - MICROS_PER_DAY, now + AHEAD

    def count_left_today(self, reader: Reader) -> int:
        """Returns how many memories may still be hidden or removed today: an agent's day ends."""
        if not self.is_agent:
            return sys.maxsize
        since, upto = self._day()
        return max(0, self.settings.agent_daily - reader.put_away_by(self.agents, since, upto=upto))

    def _check_day(self, writer: Writer, day: tuple[int, int]) -> None:
        """Refuses what goes beyond an agent's day, in however small steps it came to that.

        An agent chooses its name; so all of them share a day, unless a token tells them apart.
        """
        count = writer.put_away_in(writer.operation_key, _told_before(writer.intent, day))
        if not count:
            return
        gone = writer.put_away_by(self.agents, day[0], upto=day[1])
        most = self.settings.agent_daily
        if gone + count > most:
            raise TooManyToday(count, gone, most)

    @contextmanager
    def bulk(self, verb: str, *, reason: str | None = None) -> Iterator[int]:
        """A parent operation for work in several transactions; yields its key for the children.

        It is closed even if the work is cut short by an error, so that what was done undoes as one.
        """
        key = self.open_parent(verb, reason=reason)
        try:
            yield key
        finally:
            self.store.close_parent(self.space, key)

    def open_parent(self, verb: str, *, reason: str | None = None) -> int:
        """Opens an operation for children in transactions of their own; returns its key."""
        own = self
        if self.foresee_signing(None, reason):
            with self.reading() as reader:
                gone = self.find_purged(reader, [self.actor, self.session, reason])
            actor, session = self.sign(gone)
            own = replace(self, actor=actor, session=session)
            reason = GONE if reason in gone else reason
        return self.store.open_parent(self.space, own.intent(verb, reason=reason))

    def receipt(self, done: OpenOperation) -> Receipt:
        """Returns the receipt of an operation whose context has ended."""
        return Receipt(
            operation_id=done.intent.id,
            verb=done.intent.verb,
            succeeded=tuple(done.succeeded),
            skipped=tuple(done.skipped),
            failed=tuple(done.failed),
            cascaded=tuple(done.cascaded),
            recoverable_until=done.recoverable_until if done.succeeded else None,
            hash=done.writer.seal,
            titles=done.titles,
        )

    def journal_begins(self) -> datetime:
        """Returns the moment before which undo and `at` no longer reach."""
        return shift(self.now(), days=-self.settings.journal_days)

    def trash_ends(self, since: int) -> datetime:
        return shift(moment(since), days=self.settings.trash_days)


class Handle(Protocol):
    """Whatever holds a context, such as a Glymph handle."""

    @property
    def context(self) -> Context: ...


def every_row(reader: Reader, wanted: Filter, chunk: int) -> Iterator[Row]:
    """Yields all memory rows that pass a filter, newest first, read page by page."""
    before: int | None = None
    while batch := reader.page(wanted, before=before, limit=chunk):
        yield from batch
        before = batch[-1]["key"]

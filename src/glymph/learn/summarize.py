"""Summarises everyday memory: several statements about one subject become one summary beside them.

The statements stay as they are. A summary is linked to those it was drawn from, is written anew
when one of them changes or new ones come, and goes when they are gone. With a language model it is
worded by the model, and every line is held against the statements it names; without one, and when
the budget is spent, it is made of their own sentences.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from glymph.context import Context, OpenOperation, every_row
from glymph.decay.sections import IDENTITY_KIND, KINDS, SUMMARY_KIND, Section
from glymph.errors import BudgetSpent, InvalidInput, MalformedReply, ModelFailed, Refused
from glymph.learn import keep_lessons, summary_prompt
from glymph.learn.consolidate_result import Summarised, Written
from glymph.learn.doubts import find_doubted
from glymph.learn.episodes import Episode, Group, group_episodes, read_episode
from glymph.learn.source_check import find_undenied, find_ungrounded
from glymph.learn.summary import Line, Statement, choose_lines, write_text
from glymph.llm.ledger import Run
from glymph.model import State
from glymph.moments import moment
from glymph.prune.groupings import Item
from glymph.prune.material import load_beside, read_item
from glymph.recall.summaries import DRAWN_FROM, EVER, find_outdated, note_sources, read_sources
from glymph.store import records
from glymph.store.contract import Filter, Row
from glymph.store.reader import Reader
from glymph.text.injection import find_order
from glymph.text.secrets import mask_secrets
from glymph.text.tokens import tokens
from glymph.write.add import embed_drafts
from glymph.write.draft import Draft, draft
from glymph.write.edit import consequences
from glymph.write.grading import NOISE, NOT_READ, find_grades, is_vital

WAYS = ("entity", "tag", "community")  # of grouping, tried in turn
LEAST, LEAST_TOKENS = 5, 80  # memories of a subject that are worth a summary, and their tokens
MOST = 40  # of one summary: what is more is told month by month
LOOKED_AT = 10_000  # memories, the newest
MOST_ASKED, MOST_WRITTEN = 5, 50  # summaries of one run, by a model and without one
SHOWN = 60  # statements that a model is shown, the newest
TRUSTED = 0.3
WORDS_A_TOKEN = 0.75
CHUNK = 2_000
LOOKED = "summarised_upto"  # the newest memory up to which everything is summarised
LEFT_OUT = ("lesson", "playbook", "goal", IDENTITY_KIND, SUMMARY_KIND)
# What is known, and what was told without an outcome to count.
KINDS_READ = (
    *(
        kind
        for kind, one in KINDS.items()
        if one.section is Section.KNOWLEDGE and kind not in LEFT_OUT
    ),
    "event",
    "turn_summary",
    "session_summary",
)


# What is held of each memory while subjects are looked for: whole rows of ten thousand take eleven
# megabytes more, and a server keeps some of them.
HELD = (
    "key", "id", "content_hash", "event_at", "created_at", "updated_at", "state_at",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Subject:
    """Memories about one subject, and the summary there is of them, if any.

    Only the `HELD` fields of the memories are known until one is written.
    """

    key: str
    label: str
    rows: tuple[Row, ...]  # oldest first
    summary: Row | None = None

    @property
    def newest(self) -> int:
        """When something of it was last told, changed or brought back; 0 of nothing."""
        return max((max(row["updated_at"], row["state_at"]) for row in self.rows), default=0)

    @property
    def mark(self) -> str:
        """The name of the counter that says how far it was summarised."""
        return f"summarised:{hashlib.sha256(self.key.encode()).hexdigest()[:16]}"


@dataclass(frozen=True, slots=True)
class Due:
    """What is to be written anew, and which summaries have lost their subject."""

    subjects: tuple[Subject, ...] = ()
    lost: tuple[Row, ...] = ()
    newest: int = 0  # the key of the newest memory when it was found out


def find_due(
    ctx: Context, reader: Reader, *, now: int, ended: Container[str] = (),
    ways: Sequence[str] | None = None,
) -> Due:  # fmt: skip
    """Returns the subjects about which something was told, changed or removed since last time.

    `ended` are ids of episodes that are known to have an outcome.
    """
    if ctx.settings.summaries == "off":
        return Due()
    written = _read_written(reader, now) if reader.counter(EVER) else {}
    outdated = find_outdated(reader, written.values())
    newest = reader.highest_key()
    if not outdated and not _is_anything_new(reader, now, ended):
        return Due(newest=newest)
    found = [
        _add_archived(reader, one, written[one.key]) if one.key in written else one
        for one in _list_subjects(ctx, reader, ways or WAYS, now)
    ]
    due = [
        one
        for one in found
        if (reader.counter(one.mark) or 0) < one.newest
        or (one.summary is not None and one.summary["key"] in outdated)
    ]
    known = {one.key for one in found}
    lost = [row for key, row in written.items() if key not in known and row["key"] in outdated]
    return Due(tuple(due), tuple(lost), newest)


def _add_archived(reader: Reader, subject: Subject, summary: Row) -> Subject:
    """Returns a subject with its summary, and with what faded since but is still told by it."""
    sources = reader.memories(read_sources(summary)).values()
    faded = [
        row for row in sources if row["state"] == State.ARCHIVED and row["superseded_by"] is None
    ]
    rows = sorted([*map(_hold, faded), *subject.rows], key=_order)
    return replace(subject, rows=tuple(rows), summary=summary)


def _read_written(reader: Reader, now: int) -> dict[str, Row]:
    """Returns the summaries that nobody has edited, by the key of their subject."""
    rows = every_row(reader, Filter(kinds=[SUMMARY_KIND], live_at=now), CHUNK)
    return {
        str(records.attributes(row).get("group")): row
        for row in rows
        if keep_lessons.is_untouched(row)
    }


def _is_anything_new(reader: Reader, now: int, ended: Container[str]) -> bool:
    """Tells whether something was told since the last run that a summary may be drawn from."""
    wanted, seen = Filter(kinds=KINDS_READ, live_at=now), reader.counter(LOOKED) or 0
    while rows := reader.page_after(wanted, after=seen, limit=CHUNK):
        if any(row["id"] not in ended and read_episode(row).outcome is None for row in rows):
            return True
        seen = rows[-1]["key"]
    return False


def list_waiting(due: Due) -> tuple[Summarised, ...]:
    """Returns what a run would write."""
    return tuple(Summarised(one.label, len(one.rows), "waiting") for one in due.subjects)


def _list_subjects(
    ctx: Context, reader: Reader, ways: Sequence[str], now: int
) -> Iterator[Subject]:
    """Yields the subjects with enough to say about them, the largest first."""
    held: dict[int, Row] = {}
    read: list[tuple[Episode, Item]] = []
    wanted = Filter(kinds=KINDS_READ, live_at=now)
    for row in islice(every_row(reader, wanted, CHUNK), LOOKED_AT):
        if _may_be_told(row):
            held[row["key"]] = _hold(row)
            read.append((Episode(row["id"], row["kind"], _at(row), row["title"]), read_item(row)))
    if len(held) < LEAST:
        return
    doubted = find_doubted(reader, held, now)
    pairs = zip(held.values(), read, strict=True)
    sure = [(row, *one) for row, one in pairs if row["key"] not in doubted]
    if not sure:
        return
    rows, episodes, items = zip(*sure, strict=True)
    material = load_beside(ctx, reader, rows, items, ways)
    by_id = {row["id"]: row for row in rows}
    for group in group_episodes(episodes, ways, material=material):
        if ":" in group.key:  # the general one has no subject
            yield from _divide(group, by_id)


def _may_be_told(row: Row) -> bool:
    """Tells whether a summary may be drawn from a memory."""
    return (
        row["trust"] >= TRUSTED
        and row["expires_at"] is None
        and find_order(row["text"]) is None
        and read_episode(row).outcome is None
    )


def _hold(row: Row) -> Row:
    """Returns what is held of a memory while subjects are looked for."""
    return {name: row[name] for name in HELD} | {"tokens": tokens(row["text"])}


def _divide(group: Group, rows: Mapping[str, Row]) -> Iterator[Subject]:
    """Yields a group as one subject, or one for each month if it is large."""
    own = sorted((rows[one.id] for one in group.episodes), key=_order)
    parts: dict[str, list[Row]] = {}
    for row in own:
        month = f", {moment(_at(row)):%Y-%m}" if len(own) > MOST else ""
        parts.setdefault(month, []).append(row)
    for month, several in parts.items():
        if len(several) >= LEAST and sum(row["tokens"] for row in several) >= LEAST_TOKENS:
            yield Subject(group.key + month, group.label + month, tuple(several))


def _order(row: Row) -> tuple[int, int]:
    return _at(row), int(row["key"])


def _at(row: Row) -> int:
    return int(row["event_at"] or row["created_at"])


@dataclass(slots=True)
class Summarizer:
    """Writes summaries, each in a transaction of its own under one operation."""

    ctx: Context
    asked: Run
    parent: Callable[[], int]
    poor: str = ""  # why no model is asked any more
    calls_left: int = MOST_ASKED
    told: list[Summarised] = field(default_factory=list)

    def write_all(self, due: Due) -> list[Summarised]:
        """Writes what is due, as far as one run goes, and says what became of each."""
        for row in due.lost:
            self._remove(row)
        for subject in due.subjects:
            if why := self._why_not_now():
                self.told.append(Summarised(subject.label, len(subject.rows), "waiting", why=why))
            else:
                self.told.append(self._write(subject))
        if all(one.ending not in ("waiting", "failed") for one in self.told):
            with self.ctx.store.writing(self.ctx.space, None) as writer:
                writer.set_counter(LOOKED, due.newest)
        return self.told

    def _why_not_now(self) -> str:
        """Returns why no more is written in this run; empty if more is."""
        if self.asked.cancel.is_set():
            return "it was stopped"
        if len(self.told) >= MOST_WRITTEN or (self._asks and not self.calls_left):
            return "enough for one run"
        return ""

    @property
    def _asks(self) -> bool:
        return self.ctx.model is not None and not self.poor

    def _write(self, subject: Subject) -> Summarised:
        subject = self._read_whole(subject)
        size = len(subject.rows)
        statements = self._read_statements(subject)
        dropped: list[str] = []
        lines: list[Line] = []
        try:
            if self._asks:
                lines = self._ask(subject, statements, dropped)
        except BudgetSpent as error:
            self.poor = str(error)
        except (ModelFailed, MalformedReply) as error:
            return Summarised(subject.label, size, "failed", "model", why=str(error))
        done = Summarised(subject.label, size, "created", "model", dropped=tuple(dropped))
        if not lines:
            lines = choose_lines(statements, self.ctx.settings.summary_share)
            done = replace(done, by="extracts")
        try:
            return self._keep(subject, lines, done)
        except (InvalidInput, Refused) as error:
            self._note_seen(subject)
            return replace(done, ending="refused", why=str(error))

    def _read_whole(self, subject: Subject) -> Subject:
        """Returns a subject with all that is known of its memories, without those that are gone."""
        with self.ctx.reading() as reader:
            rows = reader.memories(row["id"] for row in subject.rows)
        there = [rows[row["id"]] for row in subject.rows if row["id"] in rows]
        return replace(subject, rows=tuple(row for row in there if row["state"] != State.TRASHED))

    def _read_statements(self, subject: Subject) -> list[Statement]:
        """Returns what the memories say, with the grades that are known of them."""
        with self.ctx.reading() as reader:
            grades = find_grades(self.ctx, reader, subject.rows)
        return [
            Statement(
                row["id"], _at(row), row["text"],
                worth=1.0 - grades.get(row["key"], NOT_READ)[NOISE],
                vital=is_vital(grades.get(row["key"])),
            )
            for row in subject.rows
        ]  # fmt: skip

    def _ask(
        self, subject: Subject, statements: Sequence[Statement], dropped: list[str]
    ) -> list[Line]:
        """Returns a model's summary without the lines that its statements do not bear out."""
        self.calls_left -= 1
        shown = statements[-SHOWN:]
        size = sum(tokens(one.text) for one in shown) * self.ctx.settings.summary_share
        asked = summary_prompt.question(
            subject.label,
            shown,
            nonce=os.urandom(6).hex(),
            words=max(30, int(WORDS_A_TOKEN * size)),
        )
        said = {one.id: f"{one.text}\n{moment(one.at):%Y-%m-%d %d %B %Y}" for one in shown}
        kept: list[Line] = []
        for line in self.asked.ask(asked):
            source = "\n".join([subject.label, *(said[one] for one in line.sources)])
            strange = find_ungrounded(line.text, source) or find_undenied(line.text, source)
            if wants := find_order(line.text):
                strange = f"it tries {wants}"
            if strange is None:
                kept.append(replace(line, text=mask_secrets(line.text)[0]))
            else:
                dropped.append(f"{line.text} ({strange})")
        return sorted(kept, key=lambda line: line.at)

    # keeping

    def _keep(self, subject: Subject, lines: Sequence[Line], done: Summarised) -> Summarised:
        wanted = {one for line in lines for one in line.sources}
        sources = [row for row in subject.rows if row["id"] in wanted]
        if not sources:
            self._note_seen(subject)
            return replace(done, ending="refused", why="nothing of it tells anything")
        new = _draft(self.ctx, subject, lines, sources)
        meant = embed_drafts(self.ctx, [new])
        reason = f"{len(subject.rows)} memories about {subject.label}"[:2000]
        ending: Written = "created"
        with self.ctx.operation("consolidate", reason=reason, parent=self.parent()) as op:
            old = None if subject.summary is None else op.writer.memory(subject.summary["id"])
            if old is not None and old["state"] == State.LIVE and keep_lessons.is_untouched(old):
                _rewrite(op, old, new, sources)
                row, ending = old, "rewritten"
            else:
                row = keep_lessons.create(self.ctx, op, new, meant, wanted)
            op.succeeded.append(row["id"])
            op.writer.set_counter(subject.mark, subject.newest)
            op.writer.set_counter(EVER, 1)
        if ending == "rewritten" or not meant:
            self.ctx.settle_soon([row["id"]])
        return replace(done, ending=ending, summary=row["id"], lines=len(lines))

    def _note_seen(self, subject: Subject) -> None:
        with self.ctx.store.writing(self.ctx.space, None) as writer:
            writer.set_counter(subject.mark, subject.newest)

    def _remove(self, row: Row) -> None:
        """Puts a summary into the trash whose memories are no longer there."""
        if row["pinned"] or row["protected"]:
            return
        why = "too little is left of what it was drawn from"
        with self.ctx.operation("consolidate", reason=why, parent=self.parent()) as op:
            by = self.ctx.actor
            op.writer.set_state([row["key"]], state=State.TRASHED, at=op.now, by=by)
            op.succeeded.append(row["id"])
        told = Summarised(row["title"], 0, "removed", summary=row["id"], why=why)
        self.told.append(told)


def _draft(ctx: Context, subject: Subject, lines: Sequence[Line], sources: Sequence[Row]) -> Draft:
    way = subject.key.partition(":")[0]
    text = write_text(lines)
    names = [subject.label] if "," not in subject.label else [subject.label.rpartition(",")[0]]
    attributes = {
        "group": subject.key,
        DRAWN_FROM: note_sources(sources),
        "memories": len(subject.rows),
    }
    new = draft(
        text, ctx.settings, title=subject.label, kind=SUMMARY_KIND,
        entities=names if way == "entity" else [], tags=names if way == "tag" else [],
        attributes=attributes, source=keep_lessons.SOURCE,
        trust=min(row["trust"] for row in sources),
    )  # fmt: skip
    kept = {**json.loads(new.attributes), "wrote": keep_lessons.sign_words(new.title, new.text)}
    return new._replace(attributes=json.dumps(kept, ensure_ascii=False))


def _rewrite(op: OpenOperation, old: Row, new: Draft, sources: Sequence[Row]) -> None:
    """Lets a summary say what it is drawn from now, and links it to that and nothing else."""
    changes = {"title": new.title, "text": new.text, "trust": new.trust}
    changes |= {"attributes": new.attributes} | consequences(old, changes)
    stamp = {"updated_at": op.now, "version": old["version"] + 1}
    op.writer.change("memories", {old["key"]: {**changes, **stamp}})
    now = {row["key"] for row in sources}
    before = {
        target: op.writer.edge(old["key"], target, keep_lessons.RESTS_ON)
        for source, target, kind, *_ in op.writer.edges_touching([old["key"]])
        if (source, kind) == (old["key"], keep_lessons.RESTS_ON)
    }
    op.writer.remove(
        "edges", [edge["key"] for to, edge in before.items() if edge is not None and to not in now]
    )
    keep_lessons.link(op, old, [row["id"] for row in sources if row["key"] not in before])

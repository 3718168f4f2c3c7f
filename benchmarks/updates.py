"""What `add` makes of news, and its restraint.

The news is BEAM's updates and contradictions, and HaluMem's changed preferences.

Messages are added one by one in the order of their time, as facts, and reconciled. A pair counts as
superseded when the newer message hid the stale one or flagged it as out of date, or a part of it.
HaluMem's events are each judged against all of a user's old points, and undone: no event disturbs
another.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

from benchmarks.harness import changes, dialogues
from benchmarks.harness.changes import Chat, Event, Places, Update
from benchmarks.harness.contract import Fact, Figure, Figures, Options
from benchmarks.harness.keeping import KeptVectors, local_model
from glymph import Glymph
from glymph.embed.contract import Embedder
from glymph.reader import open_reader
from glymph.reader.contract import Reader
from glymph.testing import FrozenClock

QUESTION = "Does a newer statement take the place of the stale one, and of nothing else?"

FIRST = 10  # hits looked at
EVERY = 5  # of LoCoMo's conversations one is told, both ways: reconciling it all takes a while
UNANSWERABLE = "cat5"
KIND = "fact"
COMPARING = {"compare": "on", "junk_gate": "off"}
ALONE = {"compare": "off", "junk_gate": "off"}


@dataclass(slots=True)
class Told:
    """What became of the messages of a chat."""

    chat: Chat
    ids: list[str] = field(default_factory=list)
    superseded: dict[int, set[str]] = field(
        default_factory=dict
    )  # by the message at that place, in whole or part
    disputed: dict[int, set[str]] = field(default_factory=dict)  # by questions that message raised
    raised: int = 0
    hidden: set[int] = field(default_factory=set)  # messages out of recall in the end
    answers: list[list[str]] = field(default_factory=list)  # to the questions about updates
    recall: list[tuple[str, float]] = field(
        default_factory=list
    )  # ability and R@10, of every question

    def at(self, places: Places) -> set[str]:
        return {self.ids[place] for place in places}

    def met(self, newer: Places, older: Places, *, by: Mapping[int, set[str]]) -> bool:
        """Whether one of the newer messages met one of the older ones."""
        return any(by.get(place, set()) & self.at(older) for place in newer)


def run(
    options: Options, embedder: Embedder | None = None, reader: Reader | None = None
) -> Figures:
    """Both error directions on BEAM, contradictions and their price, and HaluMem's events."""
    chats, users = changes.beam(options), changes.halumem(options)
    chats = chats[: options.count(len(chats))]
    users = dict(list(users.items())[: options.count(len(users))])
    model, judge = embedder or local_model("updates"), reader or open_reader("auto")
    with tempfile.TemporaryDirectory(prefix="glymph-updates-") as folder:
        told = [
            _told(Path(folder) / f"{at}.db", chat, model, judge, COMPARING)
            for at, chat in enumerate(chats)
        ]
        plain = [
            _told(Path(folder) / f"{at}-plain.db", chat, model, judge, ALONE)
            for at, chat in enumerate(chats)
        ]
        spoken = [
            Chat(replace(one, questions=[q for q in one.questions if q.group != UNANSWERABLE]))
            for one in dialogues.locomo(options)[::EVERY]
        ]
        both = [
            [
                _told(Path(folder) / f"spoken-{at}-{way['compare']}.db", chat, model, judge, way)
                for at, chat in enumerate(spoken[: options.count(len(spoken))])
            ]
            for way in (COMPARING, ALONE)
        ]
        judged = {
            user: _judged(Path(folder) / f"user-{user}.db", events, model, judge)
            for user, events in users.items()
        }
    if isinstance(model, KeptVectors):
        model.keep()
    figures: dict[str, Figure | Fact] = {
        "model": Fact(model.name, "made the vectors"),
        "reader": Fact(judge.name, "judged"),
    }
    figures |= _pairs(told, plain)
    figures |= _restraint(told)
    figures |= _contradictions(told)
    figures |= _recall("beam", told, plain) | _recall("locomo", *both)
    figures |= _events([outcome for outcomes in judged.values() for outcome in outcomes])
    return figures


# telling


def _told(
    path: Path, chat: Chat, model: Embedder, judge: Reader, settings: Mapping[str, str]
) -> Told:
    """Adds the messages of a chat in order, each later than the one before, and asks its questions."""
    told, clock = Told(chat), FrozenClock()
    with Glymph.open(
        f"sqlite:///{path}", embedder=model, reader=judge, clock=clock, settings=dict(settings)
    ) as glymph:
        for place, item in enumerate(chat.dialogue.items):
            clock.now = max(clock.now + timedelta(minutes=1), item["event_at"] or clock.now) if place else (
                item["event_at"] or clock.now
            )  # fmt: skip
            added = glymph.add(**{**item, "kind": KIND}, wait=True)
            told.ids.append(added.id or "")
            told.superseded[place] = set(added.superseded)
            if added.questions:
                told.raised += len(added.questions)
                told.disputed[place] = {
                    one.older for one in glymph.questions() if one.id in added.questions
                }
        told.hidden = {
            at for at, i in enumerate(told.ids) if i and glymph.get(i).superseded_by is not None
        }
        told.answers = [_asked(glymph, update.text) for update in chat.updates]
        for question in chat.dialogue.questions:
            evidence = told.at(question.evidence)
            hits = evidence & set(_asked(glymph, question.text))
            told.recall.append((question.group, 100 * len(hits) / len(evidence)))
    return told


def _asked(glymph: Glymph, query: str) -> list[str]:
    return [hit.memory.id for hit in glymph.search(query, limit=FIRST)]


# counting


def _pairs(told: Sequence[Told], plain: Sequence[Told]) -> dict[str, Figure]:
    asked = [
        (one, update, hits)
        for one in told
        for update, hits in zip(one.chat.updates, one.answers, strict=True)
    ]
    before = [
        (one, update, hits)
        for one in plain
        for update, hits in zip(one.chat.updates, one.answers, strict=True)
    ]
    above = sum(_newer_first(*each) for each in asked)
    least, most = wilson(above, len(asked))
    found = [each for each in asked if set(each[2]) & each[0].at(each[1].newer)]
    leaked = [each for each in found if set(each[2]) & each[0].at(each[1].stale)]
    flagged = [
        each for each in leaked if each[0].met(each[1].newer, each[1].stale, by=each[0].superseded)
    ]
    superseded = sum(
        one.met(update.newer, update.stale, by=one.superseded) for one, update, _ in asked
    )
    part_least, part_most = wilson(superseded, len(asked))
    return {
        "pairs": Figure(len(asked), "questions whose answer changed, both sides stored"),
        "newer_above_stale": Figure(
            _percent(above, len(asked)), f"of these the newer comes first, {least:.0f}–{most:.0f} with 95 %",
            at_least=100 * 16 / 18,
        ),
        "newer_above_stale_count": Figure(above, "as a count"),
        "newer_above_stale_low": Figure(least, "Wilson's interval of 95 %, from"),
        "newer_above_stale_high": Figure(most, "to"),
        "newer_above_stale_alone": Figure(
            _percent(sum(_newer_first(*each) for each in before), len(before)), "without comparing"
        ),
        "superseded": Figure(
            superseded, f"stale messages flagged, wholly or in part, when the newer was added, of {len(asked)} "
            f"({part_least:.0f}–{part_most:.0f} %)", at_least=11 * len(asked) / 18,
        ),
        "newer_found": Figure(_percent(len(found), len(asked)), f"the newer is among the first {FIRST}"),
        "stale_leak": Figure(_percent(len(leaked), len(found)), "of these a stale one is, too, known so or not"),
        "stale_leak_unknown": Figure(_percent(len(leaked) - len(flagged), len(found)), "and nothing says so"),
    }  # fmt: skip


def _newer_first(told: Told, update: Update, hits: Sequence[str]) -> bool:
    """Whether a newer message is among the hits, and no stale one above it."""
    first = next((hit for hit in hits if hit in told.at(update.newer | update.stale)), None)
    return first in told.at(update.newer)


def _restraint(told: Sequence[Told]) -> dict[str, Figure]:
    needed = sum(len(one.chat.needed) for one in told)
    lost = sum(len(one.chat.needed & one.hidden) for one in told)
    others = [set(range(len(one.ids))) - one.chat.stale for one in told]
    hidden = sum(len(places & one.hidden) for one, places in zip(told, others, strict=True))
    marked = [set().union(*one.superseded.values()) for one in told]
    flagged = sum(
        sum(one.ids[place] in ids for place in one.chat.needed - one.chat.stale)
        for one, ids in zip(told, marked, strict=True)
    )
    merged = sum(len(one.ids) - len(set(one.ids)) for one in told)
    count = sum(map(len, others))
    return {
        "needed": Figure(needed, "messages that answer a question other than as what is stale"),
        "wrongly_superseded": Figure(
            _percent(lost, needed), "of these lost their place", at_most=0.5
        ),
        "wrongly_superseded_all": Figure(
            _percent(hidden, count),
            f"of all {count} messages that no question knows as stale did",
            at_most=0.5,
        ),
        "partly_superseded": Figure(
            _percent(flagged, needed),
            "of the needed ones were linked as updated, whether they stayed or not",
        ),
        "merged": Figure(merged, "messages taken for a repetition of an earlier one"),
    }


def _contradictions(told: Sequence[Told]) -> dict[str, Figure]:
    asked = [(one, first, second) for one in told for first, second in one.chat.contradictions]
    hits = sum(
        any(
            one.met(*sides, by=by)
            for sides in ((a, b), (b, a))
            for by in (one.superseded, one.disputed)
        )
        for one, a, b in asked
    )
    messages = sum(len(one.ids) for one in told)
    raised, superseded = (
        sum(one.raised for one in told),
        sum(len(ids) for one in told for ids in one.superseded.values()),
    )
    return {
        "contradictions": Figure(len(asked), "pairs of statements that clash"),
        "contradiction_hits": Figure(hits, "of them noticed, as a question or an update"),
        "questions_per_1000": Figure(
            1000 * raised / messages, "questions raised per 1,000 messages"
        ),
        "superseded_per_1000": Figure(
            1000 * superseded / messages,
            "flagged as updated, wholly or in part, per 1,000 messages",
        ),
    }


def _recall(data: str, told: Sequence[Told], plain: Sequence[Told]) -> dict[str, Figure]:
    figures: dict[str, Figure] = {}
    by = {
        "": [each for one in told for each in one.recall],
        "_alone": [each for one in plain for each in one.recall],
    }
    for group in ("", *sorted({group for group, _ in by[""]})):
        for suffix, scores in by.items():
            own = [score for ability, score in scores if group in ("", ability)]
            note = "without comparing" if suffix else "with comparing"
            name = f"{data}_r10{'_' + group if group else ''}{suffix}"
            figures[name] = Figure(
                sum(own) / len(own), f"R@10 of {group or 'all'}, {len(own)} questions, {note}"
            )
    return figures


# HaluMem


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an event did: how many memories it acted on, and whether its own was among them."""

    direction: str
    acted: int
    right: bool
    repeated: bool


def _judged(path: Path, events: Sequence[Event], model: Embedder, judge: Reader) -> list[Outcome]:
    """Each event against all old points of its user.

    Superseding is what both a change and an end amount to.
    """
    url, clock = f"sqlite:///{path}", FrozenClock()
    with Glymph.open(url, embedder=model, reader="none", clock=clock, settings=ALONE) as glymph:
        ids = [
            added.id or ""
            for added in glymph.add_many([{"text": e.old, "kind": KIND} for e in events])
        ]
    clock.advance(days=1)
    outcomes = []
    with Glymph.open(url, embedder=model, reader=judge, clock=clock, settings=COMPARING) as glymph:
        for event, target in zip(events, ids, strict=True):
            added = glymph.add(event.said, kind=KIND, wait=True)
            right = target in added.superseded
            outcomes.append(
                Outcome(event.direction, len(added.superseded), right, not added.created)
            )
            glymph.undo(added.operation_id)
    return outcomes


def _events(outcomes: Sequence[Outcome]) -> dict[str, Figure]:
    figures = {"halumem_events": Figure(len(outcomes), "changes of preferences")}
    for direction in ("", "modify", "delete"):
        own = [one for one in outcomes if direction in ("", one.direction)]
        right, acted = sum(one.right for one in own), sum(one.acted for one in own)
        end, note = (f"_{direction}", f"of {direction}") if direction else ("", "of all")
        figures[f"halumem_precision{end}"] = Figure(
            _percent(right, acted), f"{acted} replaced {note}, the right one"
        )
        figures[f"halumem_recall{end}"] = Figure(
            _percent(right, len(own)), f"{len(own)} events {note}, the right one"
        )
    fresh = [one for one in outcomes if not one.repeated]
    figures["halumem_repeated"] = Figure(
        len(outcomes) - len(fresh), "events whose news was stored already, as another's old point"
    )
    figures["halumem_recall_fresh"] = Figure(
        _percent(sum(one.right for one in fresh), len(fresh)), "of all others, the right one"
    )
    return figures


def wilson(hits: int, count: int) -> tuple[float, float]:
    """Wilson's interval of 95 % for a share, in per cent."""
    if not count:
        return 0.0, 100.0
    z, share = 1.96, hits / count
    middle = share + z * z / (2 * count)
    spread = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    whole = 1 + z * z / count
    return 100 * (middle - spread) / whole, 100 * (middle + spread) / whole


def _percent(part: float, whole: float) -> float:
    return 100 * part / whole if whole else 0.0

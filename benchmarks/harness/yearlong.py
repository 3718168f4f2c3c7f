"""A year with an agent: sessions, upkeep after each, and a person who steps in.

The sessions tell, recall and report.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

from benchmarks.harness.watch import DAY, Rows, Watch
from benchmarks.harness.year_texts import Item, Texts
from glymph import Glymph
from glymph.config import Settings
from glymph.errors import GlymphError
from glymph.learn.consolidate import consolidate
from glymph.llm.dialogue import Message, Schema
from glymph.moments import micros
from glymph.prune.lifecycle import lifecycle
from glymph.testing import FrozenClock
from glymph.testing.scripted_model import ScriptedModel

UPKEEP = "hook"  # in whose name memory is looked after when a session ends
HOURS = (9, 13, 18)  # of the sessions
RECALLS = 2  # a session
BACKLOG = 15  # sessions' worth of memories there are at the start
FRESH = 80  # of the newest memories, what recalls mostly ask for
POPULAR = 40  # memories that are asked for again and again
PERSON_EVERY = 4  # days
PURGE_EVERY = (
    30 * DAY
)  # instead of one: a purge proves that nothing is left anywhere, which takes seconds here
NONSENSE = 0.1  # of the model's answers name a memory that was never shown
TIMES_TOLD = 0.06  # of the items, what was told before in the same words

RECALLED = 90 * DAY  # within which a subject is alive
# Told once, at some time of the year, and never asked for.
VITAL = (
    "Mira is allergic to penicillin.", "I have epilepsy.", "My daughter can't hear.",
    "Jonas has type 1 diabetes and needs his insulin at seven.", "Never call my ex-husband.",
    "Our landlord must not learn about the dog.", "Father has a pacemaker.",
    "Tell nobody where the shelter is.", "I am in recovery and do not drink.",
    "The baby is lactose intolerant.", "Peanuts could kill Ben.", "Mum is deaf in her left ear.",
)  # fmt: skip

DURABLE = ("fact", "preference", "decision", "lesson", "playbook", "thesis", "goal")


@dataclass(slots=True)
class Life:
    """The store, what the agent remembers of it, and the watch over it."""

    handle: Glymph
    person: Glymph
    clock: FrozenClock
    texts: Texts
    watch: Watch
    random: Random
    model: ScriptedModel | None
    told: list[tuple[str, str, str]] = field(
        default_factory=list
    )  # id, text and kind of everything, in order
    popular: list[tuple[str, str, str]] = field(default_factory=list)
    open_trades: list[tuple[datetime, str, Item]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    vital: list[str] = field(default_factory=list)  # ids
    current: set[str] = field(default_factory=set)  # of statements that replaced another
    shown_at: dict[str, int] = field(default_factory=dict)  # when a recall showed it last

    def live(self, days: int) -> None:
        """Lets the days pass."""
        self._add([item for _ in range(BACKLOG) for item in self._items()])
        self.watch.note(self.watch.rows(), self._now())
        start = self.clock()
        for day in range(days):
            for hour in HOURS:
                self.clock.set(start.replace(hour=hour) + timedelta(days=day))
                self._session()
            if day % PERSON_EVERY == 1:
                self._steps_in()
                self._replace_one()
            if day % max(1, days // len(VITAL)) == 0 and len(self.vital) < len(VITAL):
                self._tell_vital()
            self._consolidate()

    def _now(self) -> int:
        return micros(self.clock())

    def _session(self) -> None:
        self._add(self._items())
        for _ in range(RECALLS):
            self._recall()
        before = self.watch.rows()
        self.watch.note(before, self._now())
        self._upkeep()
        after = self.watch.rows()
        self.watch.compare(before, after, self._now())
        self._look_for_lost(before, after)
        self.watch.note(after, self._now())

    # the agent

    def _items(self) -> list[Item]:
        now = self.clock()
        items = self.texts.session(now)
        due = [trade for trade in self.open_trades if trade[0] <= now]
        self.open_trades = [trade for trade in self.open_trades if trade[0] > now]
        for _, entry_id, entry in due:
            items.append({**self.texts.closing(entry, now), "links": [(entry_id, "caused_by")]})
        if self.told and self.random.random() < TIMES_TOLD * len(items):
            _, text, kind = self.random.choice(self.told[-400:])
            items.append({"text": text, "kind": kind})
        return items

    def _add(self, items: list[Item]) -> None:
        for item, added in zip(items, self.handle.add_many(items), strict=True):
            if added.id is None:
                self.counts["refused"] += 1
                continue
            self.counts["added" if added.duplicate_of is None else "repeated"] += 1
            self.counts["superseded"] += len(added.superseded)
            known = (added.id, item["text"], item["kind"])
            if added.duplicate_of is None:
                self.told.append(known)
                if item["kind"] in DURABLE and len(self.popular) < POPULAR:
                    self.popular.append(known)
            if item["kind"] == "trade_entry" and "attributes" in item:
                held = timedelta(hours=self.random.randint(6, 90))
                self.open_trades.append((self.clock() + held, added.id, item))

    def _recall(self) -> None:
        wanted = self._wanted()
        found = self.handle.recall(wanted[1], limit=5)
        shown = [hit.memory.id for hit in found]
        self.shown_at.update(dict.fromkeys(shown, self._now()))
        if not shown or found.id is None:
            return
        used = [wanted[0]] if wanted[0] in shown else shown[:1]
        chance = self.random.random()
        how = "confirmed" if chance < 0.1 else "contradicted" if chance < 0.13 else "used"
        self.handle.report(found.id, **{how: used})
        self.counts["reported"] += 1

    def _wanted(self) -> tuple[str, str, str]:
        chance = self.random.random()
        if chance < 0.6 or not self.popular:
            return self.random.choice(self.told[-FRESH:])
        if chance < 0.9:
            place = min(int(self.random.paretovariate(0.8)) - 1, len(self.popular) - 1)
            return self.popular[place]
        return self.random.choice(self.told)

    # upkeep

    def _upkeep(self) -> None:
        place = replace(self.handle._ctx, actor=UPKEEP)
        run = lifecycle(place, if_needed=True)
        self.counts["lifecycle_runs"] += run.ran
        self.counts["held_back"] += bool(run.held_back or run.trash_held_back)
        if self.model is not None:
            from glymph.prune.ai_prune import ai_prune, record_session

            own = replace(place, model=self.model)
            record_session(own)
            self.counts["ai_prune_runs"] += ai_prune(own, if_needed=True).ran

    def _consolidate(self) -> None:
        """Learns from the day, by counting: the night's run."""
        done = consolidate(replace(self.handle._ctx, actor=UPKEEP), if_needed=True)
        self.counts["consolidations"] += done.ran
        self.counts["learnt"] += done.patterns_created + len(done.summaries)

    def _look_for_lost(self, before: Rows, after: Rows) -> None:
        """Counts what upkeep took though it matters: vital, or current and still asked for."""
        live = {one for one, row in before.items() if row.state == "LIVE"}
        gone = {one for one in live if one not in after or after[one].state != "LIVE"}
        self.watch.lost["vital_lost"] += len(gone.intersection(self.vital))
        for one in gone & self.current:
            asked = self._now() - self.shown_at.get(one, 0) < RECALLED
            self.watch.lost["current_lost"] += asked

    def _tell_vital(self) -> None:
        told = self.handle.add(VITAL[len(self.vital)], kind="fact")
        if told.id is not None:
            self.vital.append(told.id)

    def _replace_one(self) -> None:
        """Lets a newer statement take a fact's place, as an agent does that was told better."""
        rows = self.watch.rows()
        facts = [
            (one, text)
            for one, text, kind in self.told
            if kind == "fact" and one in rows and rows[one].state == "LIVE" and not rows[one].pinned
        ]
        if not facts:
            return
        one, text = self.random.choice(facts)
        newer = f"{text.rstrip('.')}, as of {self.clock():%d %B %Y}."
        done = self.handle.supersede(one, newer)
        found = [each for each in done.succeeded if each not in rows]
        self.current -= set(done.succeeded)  # what had replaced it before is replaced itself
        self.current.update(found)
        self.told += ((each, newer, "fact") for each in found)
        self.counts["replaced"] += len(found)

    # the person

    def _steps_in(self) -> None:
        rows = self.watch.rows()
        live = [
            one
            for one, row in rows.items()
            if row.state == "LIVE" and not row.protected and not row.pinned
        ]
        away = [
            one
            for one, row in rows.items()
            if row.state == "ARCHIVED" and row.state_by != "archive"
        ]
        binned = [one for one, row in rows.items() if row.state == "TRASHED"]
        pinned = [one for one, row in rows.items() if row.pinned]
        self._do("pin", self._some(live))
        self._do("archive", self._some(live))
        self._do("delete", self._some(live))
        self._do("restore", self._some(away))
        if self.random.random() < 0.3:
            self._do("restore", self._some(binned))
        if len(pinned) > 40:
            self._do("unpin", pinned[:1])
        self.watch.note(self.watch.rows(), self._now())

    def _some(self, ids: Sequence[str]) -> list[str]:
        return [self.random.choice(ids)] if ids else []

    def _do(self, verb: str, ids: list[str]) -> None:
        if not ids:
            return
        argument: Any = ids[0] if verb in ("pin", "unpin") else ids
        with suppress(GlymphError):  # such as one that was named twice: the person shrugs
            done = getattr(self.person, verb)(argument)
            self.counts[f"person_{verb}"] += len(done.succeeded)
            if verb == "restore" and not done.succeeded:
                self.watch.lost["purged_by_surprise"] += 1
                self.watch.told.append(f"restore failed: {done}")


def nominations(random: Random) -> Any:
    """A script for a model that wants reminders and repetitions gone.

    Now and then it makes an id up.
    """

    def answer(messages: Sequence[Message], schema: Schema | None) -> Any:
        shown = [
            json.loads(line) for line in messages[-1].content.splitlines() if line.startswith("{")
        ]
        newest: dict[tuple[str, str], int] = {}
        for one in shown:
            newest[_topic(one)] = min(one["age"], newest.get(_topic(one), one["age"]))
        found = []
        for one in shown:
            if one["kind"] == "note" and one["title"].startswith("Reminder") and one["age"] > 20:
                found.append(
                    {"id": one["id"], "criterion": "one-time", "reason": "a reminder that is over"}
                )
            elif one["kind"] in ("fact", "preference") and one["age"] > newest[_topic(one)]:
                found.append(
                    {
                        "id": one["id"],
                        "criterion": "superseded",
                        "reason": "a newer one here says otherwise",
                    }
                )
        if random.random() < NONSENSE:
            found = [
                *found[:-1],
                {"id": "m99999", "criterion": "generic", "reason": "it means nothing"},
            ]
        return {"archive": found}

    return answer


def _topic(shown: Any) -> tuple[str, str]:
    """What a statement is about: its first words, without the value at its end."""
    words = f"{shown['title']} {shown.get('text', '')}".split()
    return shown["kind"], " ".join(words[:-1] if shown["kind"] == "fact" else words[:3]).lower()


def lived(folder: Path, days: int, seed: int, reader: str = "none") -> Life:
    """A year, or as many days."""
    clock = FrozenClock()
    url = f"sqlite:///{folder}/year.db"
    # Comparing every statement with its nearest takes a second each; what replaces is said.
    settings = Settings.parse({"durability": "normal", "compare": "off"})
    has_model = find_spec("glymph.prune.ai_prune") is not None
    with (
        Glymph.open(
            url, clock=clock, settings=settings, embedder="none", reader=reader, actor="agent"
        ) as handle,
        Glymph.open(
            url, clock=clock, settings=settings, embedder="none", reader=reader, actor="person"
        ) as person,
    ):
        model = ScriptedModel(nominations(Random(seed + 2))) if has_model else None
        life = Life(
            handle, person, clock, Texts(seed), Watch(folder / "year.db"), Random(seed + 1), model
        )
        with mock.patch("glymph.prune.lifecycle.PURGE_EVERY", PURGE_EVERY):
            life.live(days)
        life.watch.close()
        return life

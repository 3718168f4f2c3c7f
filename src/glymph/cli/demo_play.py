"""Plays the story of `glymph demo` into a fresh store, and returns what really happened there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

from glymph import Glymph, History, HistorySettings
from glymph.cli import demo_story as story
from glymph.config import Settings
from glymph.errors import InvalidInput
from glymph.model import Memory
from glymph.reader.no_reader import NoReader
from glymph.stores import spaces_at
from glymph.text.secrets import mask_url
from glymph.text.tokens import tokens

SPACE = "demo"
TALK = "with-mira"  # the conversation
ANSWERS = 0.2  # the least score of what is shown as an answer
DEFAULTS = Settings()
LONGEST = 1_500  # tokens of a conversation before it is shortened

Facts = dict[str, Any]


def play(url: str | None, settings: Settings = DEFAULTS) -> Iterator[tuple[str, Facts]]:
    """Plays the half-year and yields each chapter's name and what happened in it.

    Without a URL the store is a temporary file that is gone afterwards. The user's own settings
    are not read, so that everybody sees the same; no language model is asked.
    """
    if url is not None:
        refuse_existing(url)
        yield from _live(url, settings)
        return
    with TemporaryDirectory(prefix="glymph-demo-", ignore_cleanup_errors=True) as folder:
        store = f"sqlite:///{Path(folder, 'demo.db').as_posix()}"
        yield from _live(store, replace(settings, durability="normal"))


def refuse_existing(url: str) -> None:
    """Raises InvalidInput if the store has a space `demo` already."""
    if any(space.name == SPACE for space in spaces_at(url, create=True)):
        shown = mask_url(url)
        raise InvalidInput(
            "url",
            f"{shown} has a space {SPACE!r} already, and the demo never mixes into one. "
            "Name another store, or remove it with "
            f"`glymph store space delete {SPACE} --url {shown}`.",
        )


def _live(url: str, settings: Settings) -> Iterator[tuple[str, Facts]]:
    now = [story.START]  # the story moves it
    with Glymph.open(
        url, space=SPACE, actor="assistant", settings=settings, clock=lambda: now[0]
    ) as memory:
        life = Life(memory, now)
        for chapter in (begin, move, doubt, forget, prune, learn, fade, shorten, end):
            yield chapter.__name__, chapter(life)


@dataclass
class Life:
    """A store, its clock, and the ids of what was remembered, by text."""

    memory: Glymph
    now: list[datetime]
    ids: dict[str, str] = field(default_factory=dict)

    def wait_until(self, day: int) -> str:
        """Moves the clock to the morning of a day, and returns its date."""
        self.now[0] = story.day(day)
        return f"{self.now[0].day} {self.now[0]:%b}"

    def remember(self, kind: str, text: str, **fields: Any) -> None:
        if (new := self.memory.add(text, kind=kind, **fields).id) is not None:
            self.ids[text] = new

    def ask(self, question: str, limit: int = 1, **options: Any) -> list[str]:
        """Returns the texts that are found, the best first; with a reader, those that answer."""
        options = {"min_score": ANSWERS, **options} if self.is_read else options
        return [hit.memory.text for hit in self.memory.search(question, limit=limit, **options)]

    @property
    def is_read(self) -> bool:
        """Tells whether a reader judges what texts mean."""
        return not isinstance(self.memory.context.reader, NoReader)

    @property
    def talk(self) -> History:
        return self.memory.conversations(
            settings=HistorySettings(consolidation_threshold=LONGEST), system="You assist Mira."
        )


def begin(life: Life) -> Facts:
    """Remembers what is said until March. Without a reader the agent pins what is vital."""
    date, kitchen = life.wait_until(0), story.KITCHEN[0][2]
    for day, kind, text in sorted((*story.TOLD, *story.SMALL_TALK, *story.KITCHEN)):
        life.wait_until(day)
        belongs = kind == "project" and kitchen in life.ids
        life.remember(kind, text, links=[life.ids[kitchen]] if belongs else [])
    if not life.is_read:
        life.memory.pin(life.ids[story.ALLERGY], reason="health")
    for day, messages in story.tell_chats():
        life.wait_until(day)
        life.talk.append(TALK, *messages)
    life.memory.settle()
    return {
        "date": date, "memories": len(life.ids), "messages": len(life.talk.messages(TALK)),
        "reader": life.memory.context.reader.name, "embedder": life.memory.meaning().embedder,
    }  # fmt: skip


def move(life: Life) -> Facts:
    """Mira moves; what was true is hidden, comes back, is hidden again, and can be looked up."""
    date = life.wait_until(90)
    if life.is_read:
        told = story.MOVED
        added = life.memory.add(told, kind="fact", wait=True)
        operation = _find_hiding(life, added.superseded)
    else:
        told = story.MOVED_PLAINLY
        operation = life.memory.supersede(life.ids[story.HOME], told).operation_id
    home = life.memory.get(life.ids[story.HOME])
    facts: Facts = {
        "date": date, "told": told, "hidden": [home.text] if home.superseded_by else [],
        "by": "reader" if life.is_read else "agent",
    }  # fmt: skip
    facts["found"] = life.ask(story.LIVES)
    if operation is not None:
        undone = life.memory.undo(operation)
        facts["undone"] = life.ask(story.LIVES, 2)
        life.memory.undo(undone.operation_id)
        facts["redone"] = life.ask(story.LIVES)
    facts["then"] = life.ask(story.LIVES, at=story.day(30))  # 4 February
    return facts


def _find_hiding(life: Life, hidden: tuple[str, ...]) -> str | None:
    """Returns the operation that hid an older statement."""
    return next(
        (
            one.id
            for one in life.memory.operations()
            if one.verb == "reconcile" and {named.id for named in one.touched} & set(hidden)
        ),
        None,
    )


def doubt(life: Life) -> Facts:
    """The shift changes: nobody can tell whether all of the older statement is out of date."""
    date = life.wait_until(95)
    life.memory.add(story.CHANGED, kind="fact", wait=True)
    facts: Facts = {"date": date, "told": story.CHANGED, "questions": []}
    facts["found"] = life.ask(story.WORKS, 2)
    for question in life.memory.questions():
        life.memory.answer(question.id, "new_is_current")
        facts["questions"].append(
            {"asks": question.asks, "answered": question.choices["new_is_current"]}
        )
    facts["afterwards"] = life.ask(story.WORKS, 2)
    return facts


def forget(life: Life) -> Facts:
    """Jonas is forgotten for good: by his address, then by his name."""
    facts: Facts = {"date": life.wait_until(100), "requests": [], "refused": []}
    before = life.talk.messages(TALK)
    for request in (story.MAIL, "Jonas"):
        plan = life.memory.forget(request, mode="purge")
        done = life.memory.forget(plan, mode="purge", apply=True)
        kinds = [action.kind for action in plan.actions]
        places = done.certificate.places if done.certificate else ()
        facts["requests"].append({
            "request": request, "removed": kinds.count("remove"),
            "reworded": kinds.count("rewrite"), "left_for_a_person": kinds.count("ask"),
            "places": {one.name: one.status for one in places},
            "complete": done.certificate.complete if done.certificate else False,
        })  # fmt: skip
    for text in (story.DEBT, f"Ask {story.MAIL.upper()} for the money."):
        facts["refused"].append({"text": text, "why": life.memory.add(text).refused})
    after = life.talk.messages(TALK)
    facts["messages_cut"] = sum(old != new for old, new in zip(before, after, strict=True))
    facts["messages"] = len(after)
    return facts


def prune(life: Life) -> Facts:
    """The kitchen went stale as a whole: a plan, a prune, and the way back."""
    date, plan = life.wait_until(116), life.memory.analyze()
    kitchen = {life.ids[text] for _, _, text in story.KITCHEN}
    group = next((one for one in plan.groups if kitchen & set(one.node_ids)), None)
    facts: Facts = {
        "date": date, "groups": len(plan.groups), "before": life.ask(story.CUPBOARDS)
    }  # fmt: skip
    if group is None:
        return {**facts, "members": 0}
    facts |= {"label": group.label, "members": len(group.node_ids), "staleness": group.staleness}
    facts["idle_days"] = group.days_since_active
    done = life.memory.prune(plan, groups=[group.group])
    facts |= {"archived": len(done.succeeded), "after": life.ask(story.CUPBOARDS)}
    back = life.memory.undo(done.operation_id)
    return {**facts, "restored": len(back.succeeded), "again": life.ask(story.CUPBOARDS)}


def learn(life: Life) -> Facts:
    """Sixty nights become one lesson, in which every figure was counted."""
    for night, text, attributes in story.tell_nights():
        life.wait_until(117 + night)
        life.remember("event", text, attributes=attributes)
    date, learnt = life.wait_until(117 + story.NIGHTS), life.memory.consolidate()
    lessons = list(life.memory.list(kinds=["lesson"]))
    return {
        "date": date, "nights": story.NIGHTS, "count": len(lessons),
        "lessons": [one.text for one in lessons], "reviewed": learnt.episodes_reviewed,
        "evidence": [_find_evidence(life, one) for one in lessons], "calls": learnt.calls,
    }  # fmt: skip


def _find_evidence(life: Life, lesson: Memory) -> Facts:
    """Follows the links of a lesson to its nights, and counts them again from what was told."""
    to = {edge.target for edge in life.memory.edges(lesson.id) if edge.type == "generalizes"}
    nights = life.memory.list(kinds=["event"], limit=1000)
    linked = [one.text for one in nights if one.id in to]
    finding = lesson.attributes["finding"]
    told = [one.attributes for one in nights if finding["name"] in one.attributes]
    held = [one["success"] for one in told if one[finding["name"]] != finding["value"]]
    other = [one["success"] for one in told if one[finding["name"]] == finding["value"]]
    if finding["relation"] == "=":
        held, other = other, held
    return {
        "linked": len(linked), "such_as": linked[-1:], "verdict": lesson.attributes["evidence"],
        "recounted": [[sum(held), len(held)], [sum(other), len(other)]],
    }  # fmt: skip


def fade(life: Life) -> Facts:
    """Upkeep: what faded steps back, what is vital stays however long nobody asked for it."""
    date, run = life.wait_until(181), life.memory.lifecycle()
    gone = {one.id for one in run.archived}
    talk = [text for _, _, text in story.SMALL_TALK]
    allergy = life.memory.get(life.ids[story.ALLERGY])
    return {
        "date": date, "archived": len(gone), "vital": run.kept_as_vital,
        "small_talk": [text for text in talk if life.ids[text] in gone], "of": len(talk),
        "allergy": {
            "present": allergy.retrievability, "lifecycle": str(allergy.lifecycle),
            "pinned": allergy.pinned,
            "archived": allergy.id in gone, "days": (life.now[0] - allergy.created_at).days,
            "uses": allergy.access_count,
        },
        "found": life.ask(story.DOCTOR if life.is_read else story.DOCTOR_PLAINLY),
    }  # fmt: skip


def shorten(life: Life) -> Facts:
    """The conversation is sent short, and stays whole."""
    kept = life.talk.messages(TALK)
    sent = life.talk.build_messages(TALK, story.KEY)
    found = [one.text for one in life.talk.search(TALK, story.KEY, limit=1)]
    return {
        "messages": len(kept), "tokens": _count(kept), "sent": len(sent),
        "sent_tokens": _count(sent), "kept": len(life.talk.messages(TALK)), "found": found,
    }  # fmt: skip


def _count(messages: Sequence[Mapping[str, Any]]) -> int:
    return sum(tokens(str(message["content"])) for message in messages)


def end(life: Life) -> Facts:
    """Checks the store, and counts."""
    verdict, costs = life.memory.verify(), life.memory.costs(days=365)
    health = life.memory.health()
    return {
        "memories": health.live + health.dormant, "archived": health.archived,
        "operations": health.operations, "checks": len(verdict.checks),
        "problems": [str(problem) for problem in verdict.problems],
        "calls": costs.total.calls, "cost_usd": costs.total.cost_usd, "cpu_s": process_time(),
    }  # fmt: skip

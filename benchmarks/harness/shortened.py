"""A dialogue told to a history that shortens itself without a model.

And what is left of it to answer questions.

An evidence turn is reached by a text that comes from it: a message that is kept whole, a line of
memory.md, or one of the first ten memories that a search finds among those the shortening made. Raw
turns are in no store. Stricter, it is told if such texts hold at least half of what it tells, by
the rarity of its words in the dialogue.

The rules are the same for every corpus and mean different things where turns differ in length. A
turn of LoCoMo is a sentence or two; an answer in BEAM is a page. One sentence of that page reaches
it, whatever the sentence says; to tell it takes half of the page. The truth about long turns lies
between the two.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

from benchmarks.harness.dialogues import Asked, Dialogue
from glymph import Glymph, Memory
from glymph.embed.contract import Embedder
from glymph.history.disk import Disk
from glymph.history.history import History
from glymph.history.messages import read_message
from glymph.testing import FrozenClock
from glymph.text.information import rarities
from glymph.text.tokens import tokens
from glymph.text.words import drop_stop_words, split_words

TOP = 10  # memories recalled for a question
STRETCHES = 4  # times a dialogue is shortened, about
TAIL = 0.1  # of what is kept are whole messages
TRIED = (
    1.25,
    1.15,
    1.05,
    0.95,
    0.85,
    0.75,
)  # times the share, until all that is kept stays within it
ENOUGH = 0.5  # of what a turn tells
PAGE = 1000  # memories listed at once
SESSION = "s"
UNANSWERABLE = frozenset({"cat5", "abstention"})

_WORD = re.compile(r"\w+")
_STOP = frozenset(
    "a an the is are was were be been do does did what when where who which how why of in on at to for with and "
    "or i you he she it they my your his her their that this".split()
)

Held = Mapping[int, Sequence[str]]  # what there is of each turn, by its place
Points = Sequence[tuple[int, str]]  # places of turns, and what there is of each


@dataclass(slots=True)
class Reached:
    """Shares of the questions' evidence, a number per question."""

    reached: dict[str, list[float]] = field(
        default_factory=lambda: defaultdict(list)
    )  # by who answers
    told: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    spent: list[float] = field(
        default_factory=list
    )  # of the dialogue's tokens, a number per dialogue


def told(
    dialogue: Dialogue, share: float, folder: Path, model: Embedder | None, reached: Reached
) -> None:
    """Feeds one dialogue, shortens it to a share of its tokens, and asks its questions."""
    for times in TRIED:
        own = folder / str(times)
        own.mkdir()
        with Glymph.open(
            f"sqlite:///{own}/m.db", embedder="none" if model is None else model, reader="none", clock=FrozenClock(),
            settings={"durability": "normal"},
        ) as glymph:  # fmt: skip
            left = _left(dialogue, share, times, own, glymph)
            if left.spent <= share or times == TRIED[-1]:
                _ask(dialogue, share, left, glymph, reached)
                return


@dataclass(frozen=True, slots=True)
class _Made:
    """A memory that the shortening made, and what it has of which turns."""

    text: str
    points: Points


@dataclass(frozen=True, slots=True)
class _Left:
    """What is left of a dialogue: shown at once, kept at all, and the memories."""

    visible: Held
    kept: Held
    memories: Mapping[str, _Made]
    spent: float  # of the dialogue's tokens
    total: int


def _left(dialogue: Dialogue, share: float, times: float, folder: Path, glymph: Glymph) -> _Left:
    texts = [str(item["text"]) for item in dialogue.items]
    total = sum(read_message(_message(dialogue, place)).tokens for place in range(len(texts)))
    history, lines = _shortened(dialogue, share, times, total, folder, glymph)
    built = history.build(SESSION)
    visible: dict[int, list[str]] = {
        place: [texts[place]] for place in range(built.summarised, len(texts))
    }
    kept = {place: list(held) for place, held in visible.items()}
    memories: dict[str, _Made] = {}
    spent = built.size + sum(map(tokens, lines))
    for memory in _memories(glymph):
        points: list[tuple[int, str]] = []
        memories[memory.id] = _Made(memory.text, points)
        for place, (text, line) in zip(memory.attributes["messages"], _lines(memory), strict=True):
            points.append((place, text))
            kept.setdefault(place, []).append(text)
            if line in lines:
                visible.setdefault(place, []).append(text)
            else:
                spent += tokens(text)
    return _Left(visible, kept, memories, spent / total, total)


def _ask(dialogue: Dialogue, share: float, left: _Left, glymph: Glymph, reached: Reached) -> None:
    texts = [str(item["text"]) for item in dialogue.items]
    weigh = _Weight(texts)
    each = _Index(
        [(text, [(place, text)]) for place, held in sorted(left.kept.items()) for text in held]
    )
    grouped = _Index([(made.text, made.points) for made in left.memories.values()])
    newest = _newest(texts, int(share * left.total))
    glymph.embed()
    reached.spent.append(left.spent)
    for asked in dialogue.questions:
        if asked.group in UNANSWERABLE:
            continue
        hits = glymph.search(asked.text, limit=TOP, kinds=["session_summary"])
        answers = {
            "ours": _with(left.visible, [left.memories[hit.memory.id].points for hit in hits]),
            "kept": left.kept,
            "tail": newest,
            "fts5": _with({}, each.first(asked.text)),
            "fts5_memories": _with(left.visible, grouped.first(asked.text)),
        }
        for name, held in answers.items():
            reached.reached[name].append(weigh.share(asked, held))
            reached.told[name].append(weigh.share(asked, held, enough=ENOUGH))


def _shortened(
    dialogue: Dialogue, share: float, times: float, total: int, folder: Path, glymph: Glymph
) -> tuple[History, frozenset[str]]:
    """The history when all was said, and the lines of its memory.md."""
    threshold = total // STRETCHES
    settings = {
        "consolidation_threshold": threshold,
        "keep_recent_ratio": TAIL * share * total / threshold,
        "extract_ratio": (1 - TAIL) * share * times,
    }
    history = History(folder / "h", glymph, settings=settings, disk=Disk(durable=False))
    for place, item in enumerate(dialogue.items):
        message = _message(dialogue, place)
        history.session(SESSION).transcript.append([message], item["event_at"])
        if place % 10 == 0:
            history.build(SESSION)
    history.consolidate(SESSION)
    return history, frozenset(line for line in history.summary(SESSION).splitlines() if line)


def _message(dialogue: Dialogue, place: int) -> dict[str, Any]:
    """A turn as a message.

    Of two people, who began is the user, the other one answers, and both have names.
    """
    item = dialogue.items[place]
    if "role" in item:
        return {"role": item["role"], "content": item["text"]}
    speaker, first = item["entities"][0], dialogue.items[0]["entities"][0]
    return {
        "role": "user" if speaker == first else "assistant",
        "name": speaker,
        "content": item["text"],
    }


def _memories(glymph: Glymph) -> list[Memory]:
    """What the shortening made, in the order of what was said."""
    page = glymph.list(limit=PAGE, kinds=["session_summary"])
    found = list(page)
    while page.cursor is not None:
        page = glymph.list(limit=PAGE, cursor=page.cursor, kinds=["session_summary"])
        found += page
    return sorted(found, key=lambda memory: memory.attributes["messages"])


def _with(shown: Held, found: Iterable[Points]) -> Held:
    """What is shown, and what was found besides."""
    held = {place: list(texts) for place, texts in shown.items()}
    for place, text in (point for points in found for point in points):
        held.setdefault(place, []).append(text)
    return held


def _lines(memory: Memory) -> Iterator[tuple[str, str]]:
    """What a memory has of each message, and how memory.md would show it."""
    for said in memory.text.splitlines():
        yield said.partition(": ")[2], f"- {memory.event_at:%Y-%m-%d} {said}"


def _newest(texts: Sequence[str], budget: int) -> Held:
    """The newest turns that fit into a budget."""
    found: dict[int, list[str]] = {}
    for place in range(len(texts) - 1, -1, -1):
        budget -= tokens(texts[place]) + 4
        if budget < 0:
            break
        found[place] = [texts[place]]
    return found


class _Weight:
    """How much of what a turn tells some texts tell as well."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._terms = [drop_stop_words(split_words(text)) for text in texts]
        self._rarity = rarities(self._terms)

    def share(self, asked: Asked, held: Held, *, enough: float = 0.0) -> float:
        """The share of a question's evidence of which enough is held, in per cent."""
        reached = sum(
            self._told(place, held[place]) >= enough for place in asked.evidence if held.get(place)
        )
        return 100 * reached / asked.whole

    def _told(self, place: int, texts: Sequence[str]) -> float:
        own = self._terms[place]
        mass = sum(map(self._rarity, own))
        said = own & frozenset().union(*(drop_stop_words(split_words(text)) for text in texts))
        return sum(map(self._rarity, said)) / mass if mass else 1.0


class _Index:
    """Plain FTS5 over some texts, each with what it has of which turns: the floor."""

    def __init__(self, rows: Sequence[tuple[str, Points]]) -> None:
        self._points = [points for _, points in rows]
        self._store = apsw.Connection(":memory:")
        self._store.execute(
            "CREATE VIRTUAL TABLE kept USING fts5(text, tokenize='porter unicode61')"
        )
        self._store.executemany("INSERT INTO kept(text) VALUES (?)", [(text,) for text, _ in rows])

    def first(self, question: str) -> list[Points]:
        """What the first hits have of which turns."""
        asked = dict.fromkeys(word for word in _WORD.findall(question.lower()) if word not in _STOP)
        query = " OR ".join(f'"{word}"' for word in asked)
        rows = "SELECT rowid FROM kept WHERE kept MATCH ? ORDER BY bm25(kept), rowid LIMIT ?"
        found = self._store.execute(rows, (query, TOP)) if query else ()
        return [self._points[int(number) - 1] for (number,) in found]

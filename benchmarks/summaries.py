"""How much of what is asked about a conversation do its summaries still tell?

LoCoMo's conversations are consolidated without a language model, at a tenth of their tokens, and
the questions are put to the summaries alone. Beside them, at the same number of tokens: the end of
the conversation, and what plain FTS5 finds for each question. That one sees the question first,
which no summary does; it shows what looking up is worth.

A question counts as answered if every telling word of its answer stands in the text: a crude judge,
the same for all. `evidence` is the share of the turns that answer it of which something stands
there. The last rows show what a search in the whole store finds before and after consolidating.
"""

from __future__ import annotations

import json
import re
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.harness.contract import Figure, Figures, Options
from benchmarks.harness.dialogues import Asked, Dialogue, locomo
from glymph import Glymph
from glymph.moments import day_in_words, micros
from glymph.testing import FrozenClock
from glymph.text.tokens import tokens
from glymph.text.words import drop_stop_words, split_words

QUESTION = "What do summaries of a tenth of the tokens still answer, on LoCoMo?"

SHARE = 0.1
UNANSWERABLE = "cat5"
SETTINGS: dict[str, Any] = {"compare": "off", "junk_gate": "off", "summary_share": SHARE}
FIRST = 10  # hits of a search
_ENDING = re.compile(r"(?:ing|ed|es|s)\Z")
_DAY = re.compile(r"\A\d{4}-\d{2}-\d{2}: ")
_STOP = frozenset(
    "a an the is are was were be been do does did what when where who which how why of in on at to "
    "for with and or i you he she it they my your his her their that this".split()
)


@dataclass(frozen=True, slots=True)
class Told:
    """Some of what was said, and the places of the turns it is from."""

    text: str
    turns: frozenset[int]


@dataclass(slots=True)
class Score:
    """What some way of keeping a conversation in few tokens still tells."""

    answered: list[bool]
    evidence: list[float]
    tokens: int = 0

    @classmethod
    def begin(cls) -> Score:
        return cls([], [])


def run(options: Options) -> Figures:
    """Answered and evidence by summaries, by the end, by FTS5, and by all that was said."""
    talks = locomo(options)[: options.count(5)]
    answers = _read_answers(options)
    scores = {name: Score.begin() for name in ("summaries", "tail", "fts5", "everything")}
    found: dict[str, list[float]] = {"before": [], "after": []}
    whole = 0
    for talk in talks:
        said = [_tell(item) for item in talk.items]
        whole += sum(map(tokens, said))
        with tempfile.TemporaryDirectory() as folder:
            made = _summarise(Path(folder) / "talk.db", talk, found)
        budget = sum(tokens(one.text) for one in made)
        _judge(scores["summaries"], talk, answers, lambda _, made=made: made)
        tail = list(_take_tail(said, budget))
        _judge(scores["tail"], talk, answers, lambda _, tail=tail: tail)
        index = _Index(said)
        _judge(
            scores["fts5"],
            talk,
            answers,
            lambda asked, index=index, budget=budget: index.find(asked, budget),
        )
        everything = [Told(text, frozenset({place})) for place, text in enumerate(said)]
        _judge(scores["everything"], talk, answers, lambda _, everything=everything: everything)
        scores["summaries"].tokens += budget
    figures = {
        "summaries_tokens": Figure(100 * scores["summaries"].tokens / whole, "% of the tokens"),
        "questions": Figure(len(scores["tail"].answered), "with an answer"),
    }
    for name, score in scores.items():
        limit = None if name == "everything" else _share(scores["everything"].answered)
        figures |= {
            f"{name}_answered": Figure(
                _share(score.answered), "% with every telling word of the answer", limit=limit
            ),
            f"{name}_evidence": Figure(_share(score.evidence), "% of the turns that answer"),
        }
    for name, shares in found.items():
        figures[f"search_r10_{name}"] = Figure(
            _share(shares), f"R@{FIRST} by words alone, {name} consolidating"
        )
    return figures


def _share(values: Sequence[float]) -> float:
    return 100 * sum(values) / max(len(values), 1)


def _read_answers(options: Options) -> dict[str, str]:
    with options.dataset("locomo_questions.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return {row["question"]: str(row.get("answer", "")) for row in rows if row["category"] != 5}


def _tell(item: dict[str, Any]) -> str:
    """What was said, with who said it and the day, as every way of keeping it has them."""
    return f"{day_in_words(micros(item['event_at']))}: {item['entities'][0]}: {item['text']}"


def _summarise(path: Path, talk: Dialogue, found: dict[str, list[float]]) -> list[Told]:
    """The lines of all summaries that consolidation writes, with the turns they are from."""
    clock = FrozenClock()
    clock.set(max(item["event_at"] for item in talk.items))
    with Glymph.open(
        f"sqlite:///{path}", embedder="none", reader="none", clock=clock, settings=SETTINGS
    ) as glymph:
        added = glymph.add_many(talk.items)
        places = {one.id or one.duplicate_of or "": place for place, one in enumerate(added)}
        found["before"] += _search(glymph, talk, places)
        glymph.consolidate()
        found["after"] += _search(glymph, talk, places)
        made: list[Told] = []
        for memory in glymph.list(kinds=["summary"], limit=1000):
            own = [places[one] for one in memory.attributes["drawn_from"]]
            for line in memory.text.splitlines():
                text = _DAY.sub("", line)
                first = _drop_spaces(text.split(" … ")[0])
                turn = next(at for at in own if first in _drop_spaces(talk.items[at]["text"]))
                item = {**talk.items[turn], "text": text}
                made.append(Told(_tell(item), frozenset({turn})))
    return made


def _drop_spaces(text: str) -> str:
    """The text as summaries and turns have it alike: a summary puts spaces right."""
    return "".join(text.split())


def _search(glymph: Glymph, talk: Dialogue, places: dict[str, int]) -> Iterator[float]:
    for asked in _list_answerable(talk):
        hits = glymph.search(asked.text, limit=FIRST)
        reached = {places[hit.memory.id] for hit in hits if hit.memory.id in places}
        yield len(asked.evidence & reached) / asked.whole


def _take_tail(said: Sequence[str], budget: int) -> Iterator[Told]:
    for place in range(len(said) - 1, -1, -1):
        budget -= tokens(said[place])
        if budget < 0:
            return
        yield Told(said[place], frozenset({place}))


class _Index:
    """Plain FTS5 over the turns, as a floor: no field, no vector, no memory of what was used."""

    def __init__(self, said: Sequence[str]) -> None:
        self._said = said
        self._db = sqlite3.connect(":memory:")
        self._db.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter unicode61')")
        self._db.executemany("INSERT INTO t(rowid, x) VALUES (?, ?)", enumerate(said))

    def find(self, asked: str, budget: int) -> list[Told]:
        words = dict.fromkeys(
            word for word in re.findall(r"\w+", asked.lower()) if word not in _STOP
        )
        query = " OR ".join(f'"{word}"' for word in words)
        sql = "SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t), rowid"
        found = []
        for (place,) in self._db.execute(sql, (query,)) if query else ():
            budget -= tokens(self._said[place])
            if budget < 0:
                break
            found.append(Told(self._said[place], frozenset({place})))
        return found


def _list_answerable(talk: Dialogue) -> list[Asked]:
    return [asked for asked in talk.questions if asked.group != UNANSWERABLE]


def _judge(score: Score, talk: Dialogue, answers: dict[str, str], look: Any) -> None:
    for asked in _list_answerable(talk):
        told: Sequence[Told] = look(asked.text)
        turns = set().union(*(one.turns for one in told))
        score.evidence.append(len(asked.evidence & turns) / asked.whole)
        if wanted := _words([answers.get(asked.text, "")]):
            score.answered.append(wanted <= _words(one.text for one in told))


def _words(texts: Iterable[str]) -> set[str]:
    return {_ENDING.sub("", word) for text in texts for word in drop_stop_words(split_words(text))}

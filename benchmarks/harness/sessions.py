"""LoCoMo's sessions replaced by what consolidation made of them: how much evidence is still linked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.harness.contract import Fact, Figure, Options
from benchmarks.harness.dialogues import Dialogue, locomo
from glymph import Glymph
from glymph.learn import consolidate as service
from glymph.testing import FrozenClock
from glymph.text.tokens import tokens

FIRST = 10  # items retrieved
UNANSWERABLE = "cat5"
PLAIN = {"compare": "off", "junk_gate": "off"}
WHAT = {
    "observations": "reference, made by a model and checked by people",
    "summaries": "reference; each counts as linked to every turn of its session",
    "engine": "what this engine makes without a model",
}


@dataclass(frozen=True, slots=True)
class Made:
    """Something a session was replaced by, and the places of the turns it is linked to."""

    text: str
    turns: frozenset[int]


def figures(folder: Path, options: Options) -> dict[str, Figure | Fact]:
    """Evidence through provenance in per cent, for each kind of consolidation.

    With the items and tokens left.
    """
    talks = locomo(options)
    rows: dict[str, list[list[Made]]] = {"observations": [], "summaries": [], "engine": []}
    for talk in talks:
        rows["engine"].append(_of_engine(folder / f"{talk.name}.db", talk))
        for name, found in _references(options, talk).items():
            rows[name].append(found)
    told: dict[str, Figure | Fact] = {}
    for name, made in rows.items():
        told |= _row(folder, name, talks, made)
    return told


def _row(
    folder: Path, name: str, talks: Sequence[Dialogue], made: Sequence[Sequence[Made]]
) -> dict[str, Figure]:
    shares = [
        share
        for talk, items in zip(talks, made, strict=True)
        for share in _asked(folder / name, talk, items)
    ]
    turns = [item["text"] for talk in talks for item in talk.items]
    texts = [item.text for items in made for item in items]
    what = WHAT[name]
    return {
        f"locomo_{name}_evidence": Figure(
            100 * sum(shares) / max(len(shares), 1), f"% of the evidence linked from the first {FIRST}: {what}"
        ),
        f"locomo_{name}_items": Figure(100 * len(texts) / len(turns), "% of the items left"),
        f"locomo_{name}_tokens": Figure(100 * sum(map(tokens, texts)) / sum(map(tokens, turns)), "% of tokens"),
    }  # fmt: skip


def _asked(path: Path, talk: Dialogue, made: Sequence[Made]) -> Iterator[float]:
    """The share of evidence that the first items lead to, for each question.

    Only questions that can be answered count.
    """
    wanted = [question for question in talk.questions if question.group != UNANSWERABLE]
    if not made:
        yield from (0.0 for _ in wanted)
        return
    url = f"sqlite:///{path}-{talk.name}.db"
    with Glymph.open(
        url, embedder="none", reader="none", clock=FrozenClock(), settings=PLAIN
    ) as glymph:
        added = glymph.add_many([{"text": one.text, "kind": "note"} for one in made])
        turns: dict[str, set[int]] = {}
        for one, item in zip(added, made, strict=True):
            turns.setdefault(one.id or one.duplicate_of or "", set()).update(item.turns)
        for question in wanted:
            hits = glymph.search(question.text, limit=FIRST)
            reached = set().union(*(turns.get(hit.memory.id, set()) for hit in hits))
            yield len(question.evidence & reached) / question.whole


def _of_engine(path: Path, talk: Dialogue) -> list[Made]:
    """The lessons and summaries made of a conversation without a model, session by session.

    With the turns they rest on.
    """
    clock = FrozenClock()
    clock.set(max(item["event_at"] for item in talk.items))
    with Glymph.open(
        f"sqlite:///{path}", embedder="none", reader="none", clock=clock, settings=PLAIN
    ) as glymph:
        added = glymph.add_many(talk.items)
        places = {one.id or one.duplicate_of: place for place, one in enumerate(added)}
        service.consolidate(glymph._ctx, ways=["session"])
        return [
            Made(
                f"{memory.title} {memory.text}",
                frozenset(
                    places[edge.target] for edge in glymph.edges(memory.id) if edge.target in places
                ),
            )
            for memory in glymph.list(kinds=["lesson", "playbook", "summary"], limit=1000)
        ]


def _references(options: Options, talk: Dialogue) -> dict[str, list[Made]]:
    """What came with the data: observations and summaries.

    Observations come with the turns they name; summaries rest on their session.
    """
    found: dict[str, list[Made]] = {"observations": [], "summaries": []}
    for row in _lines(options.dataset("locomo_reference.jsonl")):
        if row["conv"] != talk.name:
            continue
        own = [
            place
            for number, place in talk.places.items()
            if str(number).startswith(f"D{row['session']}:")
        ]
        found["summaries"].append(Made(row["summary"], frozenset(own)))
        for speaker, text, turns in row["observations"]:
            places = frozenset(talk.places[turn] for turn in turns if turn in talk.places)
            found["observations"].append(Made(f"{speaker}: {text}", places))
    return found


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)

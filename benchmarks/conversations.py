"""What a memory makes of conversations: updates, repetitions, and what must stay.

Conversations of 20 to 80 statements, told one by one in the order of their days: diaries, chats,
work logs, agents' notes, in nine languages. Each statement says what it does to earlier ones. 60 are
for developing, 21 were run once (`_once`), and 21 more each time the weights were newer (`_later`,
`_latest`). Lines that share a label ("Note:", "TODO:") all stay true side by side: none of them may
be hidden.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from benchmarks.harness.contract import Fact, Figure, Figures, Options
from benchmarks.harness.digests import Digests, read_questions
from benchmarks.harness.keeping import KeptVectors, local_model
from glymph import Glymph
from glymph.embed.contract import Embedder
from glymph.llm import open_model
from glymph.reader import open_reader
from glymph.reader.contract import Reader
from glymph.testing import FrozenClock
from glymph.write.second_opinion import ask_model

QUESTION = "Does a memory notice what is out of date and what is said twice, and hide nothing else?"

CASES = Path(__file__).parent / "cases"
SETTINGS = {"junk_gate": "off"}
PARTS = {
    "dev": "",
    "once": "_once",
    "later": "_later",
    "latest": "_latest",
    "newest": "_newest",
}
FIRST = 10  # hits looked at
PATIENCE = 1_000  # questions without an answer after which no more is asked

Links = dict[tuple[str, str], str]  # what a newer statement does to an older one, by their ids


@dataclass(slots=True)
class Tally:
    """What became of the statements of several conversations."""

    statements: int = 0
    hidden: int = 0  # statements that were updated or repeated, and hidden
    updates: int = 0
    found: int = 0
    repetitions: int = 0
    recognised: int = 0
    wrong: list[str] = field(default_factory=list)  # texts that are hidden and still true
    questions: int = 0
    cpu_s: float = 0.0
    answered: Tally | None = None  # the same after a strong model was asked
    asked: int = 0  # pairs
    unanswered: int = 0  # questions of which nobody has recorded an answer
    digests: Digests = field(default_factory=Digests)


def run(
    options: Options, embedder: Embedder | None = None, reader: Reader | None = None
) -> Figures:
    """Shares of updates found and of statements wrongly hidden, for each part."""
    model = embedder or local_model("conversations")
    judge = reader or open_reader("auto")
    figures: dict[str, Figure | Fact] = {
        "model": Fact(model.name, "made the vectors"),
        "reader": Fact(judge.name, "judged"),
    }
    for part, ending in PARTS.items():
        if not (CASES / "conversations" / f"{part}.jsonl").exists():
            continue  # not run yet: it still lies there as `unseen`
        talks = _read(CASES / "conversations" / f"{part}.jsonl")
        tally, folder = Tally(), CASES / "conversations"
        asked = read_questions(folder / f"next_{part}.jsonl")
        for talk in talks[: options.count(len(talks))]:
            talk["next"] = asked.get(talk["id"], [])
            _tell(talk, tally, model, judge, folder / "answers" / part)
        figures |= _describe(tally, ending)
        groups = _read(CASES / "labelled" / f"{part}.jsonl")
        if groups:
            few = groups[: options.count(len(groups))]
            figures |= _describe_labelled(few, ending, model, judge)
    if isinstance(model, KeptVectors):
        model.keep()
    return figures


def _read(path: Path) -> list[dict[str, Any]]:
    """Reads the cases of a part; none where none were written for it."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


def _tell(
    talk: dict[str, Any], tally: Tally, model: Embedder, judge: Reader, answers: Path
) -> None:
    """Tells a conversation to a store of its own, and counts what became of it."""
    links: Links = {}
    texts: dict[str, str] = {}
    ids: dict[str, str] = {}
    clock = FrozenClock()
    with _open(model, judge, clock) as glymph:
        for statement in talk["statements"]:
            clock.now += timedelta(days=statement["days"], minutes=1)
            began = time.process_time()
            added = glymph.add(statement["text"], kind="fact", wait=True)
            tally.cpu_s += time.process_time() - began
            tally.statements += 1
            tally.questions += len(added.questions)
            own = ids[statement["label"]] = str(added.id)
            texts.setdefault(own, statement["text"])
            kind, _, targets = statement["expect"].partition(":")
            for target in filter(None, targets.split(",")):
                links[own, ids[target.strip()]] = kind
        _count(glymph, links, texts, tally)
        clock.advance(days=1)
        tally.digests.look(glymph, talk, talk["next"])
        if answers.exists():
            answered = _ask_again(glymph, links, texts, tally, answers)
            answered.digests.look(glymph, talk, talk["next"])


def _ask_again(
    glymph: Glymph, links: Links, texts: dict[str, str], tally: Tally, answers: Path
) -> Tally:
    """Lets a strong model, whose answers are recorded, judge what is in doubt; counts anew."""
    if tally.answered is None:
        tally.answered = Tally()
    asked = ask_model(
        replace(glymph.context, model=open_model(f"recorded:{answers}")), patience=PATIENCE
    )
    tally.asked += asked.pairs
    tally.unanswered += asked.unanswered
    _count(glymph, links, texts, tally.answered)
    return tally.answered


@contextmanager
def _open(model: Embedder, judge: Reader, clock: FrozenClock) -> Iterator[Glymph]:
    with (
        tempfile.TemporaryDirectory() as folder,
        Glymph.open(
            f"sqlite:///{folder}/memory.db", embedder=model, reader=judge, clock=clock,
            settings=SETTINGS,
        ) as glymph,
    ):  # fmt: skip
        yield glymph


def _count(glymph: Glymph, links: Links, texts: dict[str, str], tally: Tally) -> None:
    heirs = {memory_id: glymph.get(memory_id).superseded_by for memory_id in texts}
    meant = {older for _, older in links}
    for (newer, older), kind in links.items():
        if kind == "same":
            tally.repetitions += 1
            tally.recognised += (
                newer == older
                or heirs[older] is not None
                or _stands_below(glymph, texts, newer, older)
            )
        else:
            tally.updates += 1
            tally.found += heirs[older] is not None or _stands_below(glymph, texts, newer, older)
    for memory_id, heir in heirs.items():
        if heir is not None and memory_id in meant:
            tally.hidden += 1
        elif heir is not None:
            tally.wrong.append(texts[memory_id])


def _stands_below(glymph: Glymph, texts: dict[str, str], newer: str, older: str) -> bool:
    """Tells whether somebody who searches for the older statement is shown the newer one first."""
    hits = glymph.search(texts[older], limit=FIRST)
    places = {hit.memory.id: at for at, hit in enumerate(hits)}
    if older not in places or newer not in places or places[newer] > places[older]:
        return False
    return newer in hits[places[older]].maybe_outdated_by


def _describe(tally: Tally, ending: str) -> dict[str, Figure | Fact]:
    count = tally.statements
    figures: dict[str, Figure | Fact] = {
        f"statements{ending}": Figure(count, f"statements; {tally.updates} put older ones out of date"),
        f"updates_found{ending}": Figure(
            _share(tally.found, tally.updates), "% of updates hidden or below the newer", at_least=70
        ),
        f"same_found{ending}": Figure(
            _share(tally.recognised, tally.repetitions),
            f"% of {tally.repetitions} repetitions made one, or below the newer", at_least=60,
        ),
        f"wrongly_hidden{ending}": Figure(
            _share(len(tally.wrong), count), "% of statements hidden though still true", at_most=0.5
        ),
        f"questions_per_100{ending}": Figure(
            _share(tally.questions, count), "questions opened per 100 statements", at_most=5
        ),
        **tally.digests.describe(ending, ""),
        f"reconcile_cpu_ms{ending}": Figure(
            round(1000 * tally.cpu_s / max(1, count), 1), "CPU-ms to add and reconcile a statement"
        ),
    }  # fmt: skip
    if tally.answered is not None:
        figures |= _describe_answered(tally, tally.answered, ending)
    return figures


def _describe_answered(tally: Tally, answered: Tally, ending: str) -> dict[str, Figure | Fact]:
    """Describes what became of them after a strong model was asked, where answers are recorded."""
    return {
        f"updates_found_with_answers{ending}": Figure(
            _share(answered.found, answered.updates),
            f"% after a strong model was asked about {tally.asked} pairs; "
            f"{tally.unanswered} questions have no recorded answer", at_least=95,
        ),
        f"wrongly_hidden_with_answers{ending}": Figure(
            _share(len(answered.wrong), tally.statements), "% the same, after the model was asked"
        ),
        **answered.digests.describe(f"_with_answers{ending}", ", after the model was asked"),
    }  # fmt: skip


def _describe_labelled(
    groups: Sequence[dict[str, Any]], ending: str, model: Embedder, judge: Reader
) -> dict[str, Figure | Fact]:
    hidden = lines = 0
    for group in groups:
        with _open(model, judge, FrozenClock()) as glymph:
            ids = _add_in_order(glymph, group["lines"])
            hidden += sum(glymph.get(one).superseded_by is not None for one in set(ids))
            lines += len(ids)
    return {
        f"labelled_hidden{ending}": Figure(
            hidden, f"of {lines} lines that share a label are hidden", exactly=0
        )
    }


def _add_in_order(glymph: Glymph, lines: Iterable[str]) -> list[str]:
    return [str(glymph.add(line, kind="fact", wait=True).id) for line in lines]


def _share(part: int, whole: int) -> float:
    return round(100 * part / whole, 2) if whole else 0.0

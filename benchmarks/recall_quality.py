"""How much of the evidence a search finds, in LoCoMo's conversations and BEAM's chats.

R@k is the share of a question's evidence among the first k hits, averaged over questions, in per
cent. The headline figures are held out: for each conversation and chat the weights are chosen on
all the others. Those that end in `_shipped` are what users get without a reader, those in `_text`
what they get without an embedding model too, and those in `_reread` with a reader, as shipped.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import dialogues
from benchmarks.harness.clocks import timed
from benchmarks.harness.contract import Fact, Figure, Figures, Options
from benchmarks.harness.dialogues import Asked, Dialogue
from benchmarks.harness.keeping import KeptVectors, local_model
from glymph import Glymph
from glymph.config import Settings
from glymph.decay.sections import SECTION_WEIGHTS, Section, Weights
from glymph.embed.contract import Embedder
from glymph.embed.providers.local import LocalEmbedder
from glymph.model import Hit
from glymph.moments import micros
from glymph.reader.weights import explain_absence
from glymph.recall.channels import gather
from glymph.recall.filters import check_filters
from glymph.recall.search import rank_pools
from glymph.testing import FrozenClock

QUESTION = "How much of what answers a question do the first hits hold, on LoCoMo and BEAM?"

LIMIT = 50  # hits asked for
TRIED = 20  # hits looked at under each setting
COMPARED = 9  # every ninth question is asked both ways
SAMPLE = 100  # texts embedded anew to tell what that costs
UNANSWERABLE = "cat5"  # LoCoMo's trick questions, reported apart

# What plain FTS5 finds in these data; a search that finds less is broken.
FLOORS = {"locomo_r5": 53.3, "locomo_r10": 61.2, "beam_r10": 69.8}
NAMES = {
    "r5": "R@5", "r10": "R@10", "r20": "R@20", "hit10": "questions with any evidence among the first 10",
    "all10": "questions with all their evidence among the first 10", "mrr": "100 / rank of the first evidence",
    "r1": "R@1",
}  # fmt: skip
R5, R10 = 0, 1

Scores = NDArray[np.float64]  # a row per question, a column for each of NAMES


@dataclass(frozen=True, slots=True)
class Answered:
    """The questions of one dialogue and how well they were answered.

    As shipped, by text, and under each setting.
    """

    corpus: str
    groups: NDArray[np.str_]
    shipped: Scores
    text: Scores
    reread: Scores | None  # None without a reader
    tried: Sequence[Scores]


def run(options: Options, embedder: Embedder | None = None) -> Figures:
    """Held-out, shipped and text-only figures, by category and ability, and what embedding costs."""
    corpora = {"locomo": dialogues.locomo(options), "beam": dialogues.beam(options)}
    everything = [dialogue for found in corpora.values() for dialogue in found]
    for dialogue in everything:
        dialogue.questions = dialogue.questions[: options.count(len(dialogue.questions))]
    kept = local_model("dialogues") if embedder is None else None
    model = embedder or kept
    assert model is not None
    settings = list(_settings())
    with tempfile.TemporaryDirectory(prefix="glymph-recall-") as folder:
        answered = [
            _answered(Path(folder) / f"{corpus}-{number}.db", corpus, dialogue, model, settings)
            for corpus, found in corpora.items()
            for number, dialogue in enumerate(found)
        ]
    figures: dict[str, Figure | Fact] = {"model": Fact(model.name, "made the vectors")}
    for corpus in corpora:
        figures |= _corpus_figures(
            corpus, [one for one in answered if one.corpus == corpus], answered
        )
    if kept is not None:
        kept.keep()
        figures |= _embedding(
            kept, [item["text"] for found in corpora.values() for d in found for item in d.items]
        )
    return figures


def _settings() -> Iterator[Weights]:
    """The weights among which the held-out figures choose.

    Those of episodes, and a little more or less of each.
    """
    for semantic, graph, affinity in product(
        (0.175, 0.20, 0.225), (0.10, 0.15, 0.20), (0.05, 0.10, 0.15)
    ):
        changed = replace(
            SECTION_WEIGHTS[Section.EPISODIC],
            semantic=semantic, keyword=0.35 - semantic, graph=graph, affinity=affinity,
        )  # fmt: skip
        yield {**SECTION_WEIGHTS, Section.EPISODIC: changed}


# asking


def _answered(
    path: Path, corpus: str, dialogue: Dialogue, model: Embedder, settings: Sequence[Weights]
) -> Answered:
    """Stores a dialogue, asks its questions and scores the answers.

    The clock stands still: nothing fades.
    """
    url, clock = f"sqlite:///{path}", FrozenClock()
    with Glymph.open(url, embedder=model, reader="none", clock=clock) as glymph:
        ids = [added.id or "" for added in glymph.add_many(dialogue.items)]
        glymph.embed()
        glymph.settle()  # links that are made beside must not come between two searches
        shipped = [
            _ids(glymph.search(question.text, limit=LIMIT)) for question in dialogue.questions
        ]
        tried = [_tried(glymph, question.text, settings) for question in dialogue.questions]
        _compare(glymph, dialogue.questions, tried, settings)
    reread: list[list[str]] | None = None
    if not explain_absence():
        with Glymph.open(url, embedder=model, clock=clock, reader="local") as glymph:
            reread = [
                _ids(glymph.search(question.text, limit=LIMIT)) for question in dialogue.questions
            ]
    with Glymph.open(url, embedder="none", reader="none", clock=clock) as glymph:
        text = [_ids(glymph.search(question.text, limit=LIMIT)) for question in dialogue.questions]

    def scores(answers: Sequence[list[str]]) -> Scores:
        return np.array(
            [_score(q, ids, hits) for q, hits in zip(dialogue.questions, answers, strict=True)]
        )

    return Answered(
        corpus,
        np.array([question.group for question in dialogue.questions]),
        scores(shipped),
        scores(text),
        None if reread is None else scores(reread),
        [scores([by_setting[number] for by_setting in tried]) for number in range(len(settings))],
    )


def _ids(hits: Iterable[Hit]) -> list[str]:
    return [hit.memory.id for hit in hits]


def _tried(glymph: Glymph, query: str, settings: Sequence[Weights]) -> list[list[str]]:
    """The hits under each setting, from candidates that are gathered once.

    Candidates do not depend on weights.
    """
    place = glymph._ctx
    now = place.now()
    matching = replace(check_filters({}), live_at=micros(now))
    with place.reading() as reader:
        pool = gather(place, reader, query, matching)
        return [
            _ids(rank_pools([pool], matching, limit=TRIED, now=now, weights=weights))
            for weights in settings
        ]


def _compare(
    glymph: Glymph,
    questions: Sequence[Asked],
    tried: Sequence[list[list[str]]],
    settings: Sequence[Weights],
) -> None:
    """Makes sure, on a sample, that a whole search under a setting gives what `_tried` gave."""
    for number in range(0, len(questions), COMPARED):
        setting = number % len(settings)
        asked = Glymph(replace(glymph._ctx, weights=settings[setting]))
        whole = _ids(asked.search(questions[number].text, limit=LIMIT))
        if whole[:TRIED] != tried[number][setting]:
            raise RuntimeError(
                f"the search for {questions[number].text!r} differs from the one that was scored"
            )


def _score(question: Asked, ids: Sequence[str], hits: Sequence[str]) -> list[float]:
    """The figures of one answer, in per cent."""
    evidence = {ids[place] for place in question.evidence}
    ranks = [rank for rank, hit in enumerate(hits, 1) if hit in evidence]
    within = {depth: sum(rank <= depth for rank in ranks) for depth in (1, 5, 10, 20)}
    # Two pieces of evidence that say the same are one memory.
    whole = question.whole - (len(question.evidence) - len(evidence))
    shares = [within[depth] / whole for depth in (5, 10, 20)]
    first = 1 / ranks[0] if ranks else 0.0
    found = (*shares, within[10] > 0, within[10] == whole, first, within[1] / whole)
    return [100 * value for value in found]


# counting


def _corpus_figures(
    corpus: str, own: Sequence[Answered], everything: Sequence[Answered]
) -> dict[str, Figure]:
    groups = np.concatenate([one.groups for one in own])
    versions = {
        "": (
            "weights chosen on the other dialogues",
            np.concatenate([_held_out(one, everything) for one in own]),
        ),
        "_shipped": ("as shipped", np.concatenate([one.shipped for one in own])),
        "_text": ("without an embedding model", np.concatenate([one.text for one in own])),
    }
    reread = [one.reread for one in own if one.reread is not None]
    if reread:
        note = f"the best hits read again, for {Settings().rerank_ms:.0f} ms of CPU at most"
        versions["_reread"] = note, np.concatenate(reread)
    counted = groups != UNANSWERABLE
    figures = {
        f"{corpus}_n": Figure(
            int(counted.sum()), "questions; the figures are means over these, in per cent"
        )
    }
    for suffix, (note, scores) in versions.items():
        for column, (name, meaning) in enumerate(NAMES.items()):
            floor = FLOORS.get(f"{corpus}_{name}")
            value = float(scores[counted, column].mean())
            figures[f"{corpus}_{name}{suffix}"] = Figure(
                value, f"{meaning}; {note}", at_least=floor
            )
    for group in sorted(set(groups.tolist())):
        among = groups == group
        figures[f"{corpus}_n_{group}"] = Figure(int(among.sum()), f"questions of {corpus} {group}")
        for suffix, (note, scores) in versions.items():
            value = float(scores[among, R10].mean())
            figures[f"{corpus}_r10_{group}{suffix}"] = Figure(value, f"R@10 of these; {note}")
    return figures


def _held_out(one: Answered, everything: Sequence[Answered]) -> Scores:
    """The answers under the setting that is best for all other dialogues."""
    others = [other for other in everything if other is not one]
    return one.tried[int(np.argmax(_goodness(others)))]


def _goodness(answered: Sequence[Answered]) -> list[float]:
    """What each setting is chosen by: R@5 and R@10 of LoCoMo and R@10 of BEAM, added up."""
    columns = {"locomo": [R5, R10], "beam": [R10]}
    total = np.zeros(len(answered[0].tried))
    for corpus, chosen in columns.items():
        among = [one for one in answered if one.corpus == corpus]
        for number in range(len(total)):
            rows = [one.tried[number][one.groups != UNANSWERABLE][:, chosen] for one in among]
            total[number] += np.concatenate(rows).mean(axis=0).sum() if rows else 0.0
    return [float(value) for value in total]


def _embedding(kept: KeptVectors, texts: Sequence[str]) -> dict[str, Figure]:
    sample = list(texts[:: max(1, len(texts) // SAMPLE)])
    model = LocalEmbedder()
    model.embed(sample[:1])
    spent, _ = timed(lambda: model.embed(sample))
    return {
        "embed_per_cpu_s": Figure(
            len(sample) / spent, f"texts per CPU-second, on {len(sample)} of these texts"
        ),
        "embedded": Figure(
            kept.embedded, "texts this run had to embed; the rest was kept from earlier ones"
        ),
        "embed_cpu_s": Figure(kept.cpu_s, "CPU-seconds for those"),
    }

"""What is lost when memories are pruned without knowing the questions.

Measured in LoCoMo's conversations and BEAM's chats.

Kept is the share of a question's evidence that is still there, averaged over questions, in per
cent. Memories are ranked by worth, with the same weights on both sets; nothing was used yet, so
need plays no part. Figures with `held_out` use, for each dialogue, weights fitted to all the
others; which parts there are, and the lists of words behind them, were chosen with all of these
dialogues in sight.

`python -m benchmarks.prune_quality --data DIR --picture FILE` draws the curves.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.harness import changes, copies, dialogues, pruning
from benchmarks.harness.clocks import timed
from benchmarks.harness.contract import Fact, Figure, Figures, Options
from benchmarks.harness.forgetting import FACT, compared, shelved
from benchmarks.harness.keeping import local_grades, local_model
from benchmarks.harness.picture import Panel, curves
from benchmarks.harness.pruning import Floats, Ranked, margin
from glymph.embed.contract import Embedder
from glymph.prune.worth import redundancy, worth
from glymph.text.information import score_texts

QUESTION = "How much of what later questions need does pruning keep, on LoCoMo and BEAM?"

SHARES = (10, 20, 30, 40, 50, 60, 70)  # per cent pruned
AT = 30  # where the targets are
UNANSWERABLE = "cat5"
TARGETS = {"locomo": 94.0, "beam": 78.0}
RANKINGS = {
    "ours": "by worth", "random": "at random", "shortest": "shortest first", "idf": "lowest sum of IDF first",
}  # fmt: skip
TITLES = {"locomo": "LoCoMo: talks between friends", "beam": "BEAM: chats with an assistant"}
MAY_LOSE = {"locomo": 1.0}  # points of R@10
LOSS_RATE = 0.7  # of the share of evidence lost, what R@10 may lose
FIRST = 10  # hits among which nothing stale should be
REPEATED = 0.5  # redundancy from which on a text is a repetition
PER = 10_000  # texts, when costs are told

Corpora = Mapping[str, Sequence[Ranked]]


def run(options: Options, embedder: Embedder | None = None) -> Figures:
    """The curves, what search finds before and after, and whether forgetting helps where it should."""
    grades = local_grades("dialogues") if embedder is None else None
    corpora = _read(options, grades)
    figures: dict[str, Figure | Fact] = {}
    for corpus, several in corpora.items():
        figures |= _curve(corpus, several)
        figures |= _held_out(corpus, corpora)
    figures |= _cost(
        [
            item["text"]
            for several in corpora.values()
            for one in several
            for item in one.dialogue.items
        ]
    )
    local = local_model("dialogues") if embedder is None else None
    model = embedder or local
    assert model is not None
    figures["model"] = Fact(model.name, "made the vectors of the searches")
    figures["reader"] = Fact("none" if grades is None else grades.name, "says what is noise")
    with tempfile.TemporaryDirectory(prefix="glymph-prune-") as folder:
        for corpus, several in corpora.items():
            figures |= _searched(Path(folder), corpus, several, model)
        figures |= _stale(Path(folder), options, model, grades)
        figures |= _repeated(Path(folder), corpora["locomo"], options, model)
    for kept in (local, grades):
        if kept is not None:
            kept.keep()
    return figures


def _read(options: Options, grades: Embedder | None) -> Corpora:
    found = {"locomo": dialogues.locomo(options), "beam": dialogues.beam(options)}
    for dialogue in (one for several in found.values() for one in several):
        asked = [question for question in dialogue.questions if question.group != UNANSWERABLE]
        dialogue.questions = asked[: options.count(len(asked))]
    random = np.random.default_rng(options.seed)
    return {
        corpus: [pruning.ranked(one, random, grades) for one in several]
        for corpus, several in found.items()
    }


# what is kept


def _curve(corpus: str, several: Sequence[Ranked]) -> dict[str, Figure]:
    figures = {}
    for name, meaning in RANKINGS.items():
        for share in SHARES:
            target = TARGETS[corpus] if (name, share) == ("ours", AT) else None
            note = f"% of the evidence kept with {share} % pruned {meaning}"
            value = _mean([one.kept(name, share) for one in several])
            figures[f"{corpus}_kept_{share}{_suffix(name)}"] = Figure(value, note, at_least=target)
    values = np.concatenate([one.kept("ours", AT) for one in several])
    figures[f"{corpus}_kept_{AT}_margin"] = Figure(
        margin(values), "half of the 95 % interval, over questions"
    )
    whole = 100 * float((values >= 100).mean())
    figures[f"{corpus}_intact_{AT}"] = Figure(
        whole, f"% of the questions with all their evidence left at {AT} %"
    )
    return figures


def _suffix(name: str) -> str:
    return "" if name == "ours" else f"_{name}"


def _mean(values: Sequence[Floats]) -> float:
    return float(np.concatenate(values).mean())


def _held_out(corpus: str, corpora: Corpora) -> dict[str, Figure]:
    several = [pruning.held_out(one, list(corpora.values()), AT) for one in corpora[corpus]]
    values = np.concatenate(several)
    name = f"{corpus}_kept_{AT}_held_out"
    return {
        f"{name}_worst": Figure(
            min(float(one.mean()) for one in several), "the same, of the worst dialogue"
        ),
        name: Figure(float(values.mean()), "the same with weights fitted to the other dialogues"),
        f"{name}_margin": Figure(margin(values), "half of the 95 % interval, over questions"),
    }


def _cost(texts: Sequence[str]) -> dict[str, Figure]:
    telling, _ = timed(lambda: score_texts(texts))
    comparing, _ = timed(lambda: redundancy(texts))
    scale = PER / len(texts)
    return {
        "information_cpu_s_10k": Figure(
            telling * scale, f"CPU-seconds per {PER:,} texts, from {len(texts):,}"
        ),
        "redundancy_cpu_s_10k": Figure(comparing * scale, "the same for what is said elsewhere"),
    }


# what is found


def _searched(
    folder: Path, corpus: str, several: Sequence[Ranked], model: Embedder
) -> dict[str, Figure]:
    """R@10 before and after, with the evidence there was as denominator."""
    before, after, near, archived = [], [], [], []
    for number, one in enumerate(several):
        with shelved(folder / f"{corpus}-{number}.db", one.dialogue, model) as shelf:
            before.append(
                np.array([shelf.recall(question, 10) for question in one.dialogue.questions])
            )
            near.append(
                np.array([shelf.recall(question, 5) for question in one.dialogue.questions])
            )
            archived.append(shelf.forget(pruning.pruned(one.rankings["ours"][0], AT)))
            after.append(
                np.array([shelf.recall(question, 10) for question in one.dialogue.questions])
            )
    lost = 100 - _mean([one.kept("ours", AT) for one in several])
    allowed = MAY_LOSE.get(corpus, LOSS_RATE * lost)
    found, left = _mean(before), _mean(after)
    note = f"R@10 after {AT} % were pruned; it may lose {allowed:.1f}"
    return {
        f"{corpus}_r5_before": Figure(
            _mean(near), "R@5 of the whole store, as shipped, in per cent"
        ),
        f"{corpus}_r10_before": Figure(found, "R@10 of the whole store, as shipped, in per cent"),
        f"{corpus}_r10_after_{AT}": Figure(left, note, at_least=found - allowed),
        f"{corpus}_lost_{AT}": Figure(lost, "% of the evidence lost"),
        f"{corpus}_archived_{AT}": Figure(
            float(np.mean(archived)), "% of the memories archived, by dialogue"
        ),
    }


@dataclass(slots=True)
class Updates:
    """Of each update, whether something stale was among the first hits.

    Before and after, and what was pruned.
    """

    before: list[bool] = field(default_factory=list)
    after: list[bool] = field(default_factory=list)
    gone: list[float] = field(default_factory=list)
    stayed: list[bool] = field(default_factory=list)
    kept: list[float] = field(default_factory=list)
    superseded: int = 0
    current_gone: int = 0  # of updates that the store knew, while what they replaced stayed


def _stale(
    folder: Path, options: Options, model: Embedder, grades: Embedder | None
) -> dict[str, Figure]:
    """Whether stale statements are among the first hits.

    Before and after what was superseded went first.
    """
    seen = Updates()
    for number, chat in enumerate(changes.beam(options)):
        if chat.updates:
            _forget_stale(folder / f"stale-{number}", chat, model, grades, seen)
            _forget_known(folder / f"known-{number}.db", chat, model, seen)
    before = _share(seen.before)
    return {
        "stale_leak_before": Figure(before, f"% with a stale message among the first {FIRST}"),
        "stale_leak_after": Figure(_share(seen.after), f"the same, {AT} % pruned", at_most=before),
        "stale_pairs": Figure(len(seen.gone), "updates these are about"),
        "stale_pruned": Figure(_share(seen.gone), "% of the stale messages among what was pruned"),
        "newer_kept": Figure(_share(seen.stayed), "% of the updates with a newer message left"),
        "superseded": Figure(
            seen.superseded, "messages that comparing took for superseded, in whole or in part"
        ),
        "current_before_stale": Figure(
            seen.current_gone,
            f"messages pruned with the {AT} % a plan holds worth least while one stayed of which "
            "the store knew that they replaced it",
            exactly=0,
        ),
        "stale_kept": Figure(
            _share(seen.kept), "% of the evidence that is not stale kept in these chats"
        ),
    }


def _share(values: Sequence[float]) -> float:
    return 100 * float(np.mean(values)) if values else 0.0


def _forget_known(path: Path, chat: changes.Chat, model: Embedder, seen: Updates) -> None:
    """Prunes by a plan a chat of which the store knows what replaced what."""
    replaced = [
        (max(update.newer - chat.stale), older)
        for update in chat.updates
        for older in sorted(update.stale)
        if update.newer - chat.stale
    ]
    with shelved(path, chat.dialogue, model, kind=FACT) as shelf:
        gone = shelf.prune_least(replaced, AT)
    seen.current_gone += sum(newer in gone and older not in gone for newer, older in replaced)


def _forget_stale(
    path: Path, chat: changes.Chat, model: Embedder, grades: Embedder | None, seen: Updates
) -> None:
    """Prunes a chat by worth and looks for what is stale.

    Worth includes what comparing took for superseded.
    """
    dialogue = chat.dialogue
    texts = [item["text"] for item in dialogue.items]
    found = compared(path.with_suffix(".compared.db"), dialogue, model)
    seen.superseded += int((found.superseded > 0).sum())
    ranking = worth(
        score_texts(texts, lasting=pruning.find_lasting(texts, grades)),
        redundancy=redundancy(texts),
        noise=pruning.find_noise(texts, grades),
        superseded=found.superseded,
        successor=found.successor,
    ).total
    pruned = pruning.pruned(ranking, AT)
    with shelved(path.with_suffix(".db"), dialogue, model) as shelf:
        for leaks in (seen.before, seen.after):
            for update in chat.updates:
                first = {place for hit in shelf.found(update.text, FIRST) for place in hit}
                if first & update.newer:
                    leaks.append(bool(first & update.stale))
            if leaks is seen.before:
                shelf.forget(pruned)
    for update in chat.updates:
        seen.gone.append(len(update.stale & pruned) / len(update.stale))
        seen.stayed.append(bool(update.newer - pruned))
    for question in dialogue.questions:
        if current := question.evidence - chat.stale:
            seen.kept.append(len(current - pruned) / len(current))


def _repeated(
    folder: Path, several: Sequence[Ranked], options: Options, model: Embedder
) -> dict[str, Figure]:
    """R@5 in a store with planted copies, before and after what is redundant is pruned.

    A copy is as good.

    Without copies it would be `locomo_r5_before`.
    """
    before, after, planted, pruned, lost = [], [], 0, 0, 0
    for number, one in enumerate(several):
        made = copies.plant(one.dialogue, options.seed + number)
        dialogue, origin = made.dialogue, made.origin
        again = redundancy([item["text"] for item in dialogue.items], pruning.owners(dialogue))
        gone = frozenset(np.flatnonzero(again >= REPEATED).tolist())
        planted += len(origin) - len(set(origin))
        pruned += len(gone)
        lost += len(set(origin) - {place for at, place in enumerate(origin) if at not in gone})
        with shelved(folder / f"copies-{number}.db", dialogue, model) as shelf:
            before.append(
                np.array([shelf.recall(question, 5, origin) for question in dialogue.questions])
            )
            shelf.forget(gone)
            after.append(
                np.array([shelf.recall(question, 5, origin) for question in dialogue.questions])
            )
    found = _mean(before)
    return {
        "copies_r5_before": Figure(
            found, f"R@5 with {copies.SHARE:.0%} of the turns said {copies.TIMES} times more"
        ),
        "copies_r5_after": Figure(
            _mean(after), "the same after what is redundant was pruned", at_least=found
        ),
        "copies_planted": Figure(planted, "copies there were"),
        "copies_pruned": Figure(pruned, "texts pruned as redundant"),
        "copies_lost": Figure(lost, "turns of which neither the text nor a copy is left"),
    }


# the picture


def draw(options: Options, grades: Embedder | None = None) -> str:
    """The share of the evidence kept, by the share pruned, as SVG."""
    panels = [
        Panel(
            TITLES[corpus],
            {
                meaning: {
                    share: _mean([one.kept(name, share) for one in several]) for share in SHARES
                }
                for name, meaning in RANKINGS.items()
            },
        )
        for corpus, several in _read(options, grades).items()
    ]
    return curves(
        "What pruning keeps of what later questions need",
        "memories pruned, %",
        "evidence kept, %",
        panels,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.prune_quality", description="Draw the curves."
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of outside data sets")
    parser.add_argument("--picture", type=Path, required=True, help="SVG file to write")
    asked = parser.parse_args()
    drawn = draw(Options(data=asked.data), local_grades("dialogues"))
    asked.picture.parent.mkdir(parents=True, exist_ok=True)
    asked.picture.write_text(drawn, encoding="utf-8")

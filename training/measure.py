"""Measure judgements against the right answers: accuracy, calibration, spans, conversations."""

from __future__ import annotations

import string
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from glymph.reader.wording import RELATIONS, TARGETS, WORTHS
from training.cases import PART, REPLACES, Case, link_statements
from training.examples import IN_PART, Example

Figures = dict[str, Any]
EDGES = string.whitespace + string.punctuation + "，。、；：「」（）！？؛،।"
LEAST_PER_LANGUAGE = 20  # fewer examples give no figure


def percent(part: float, whole: float) -> float:
    """Give a share in per cent, to one decimal."""
    return round(100 * part / whole, 1) if whole else 0.0


def measure_classes(
    examples: Sequence[Example], shares: np.ndarray, words: Sequence[str]
) -> Figures:
    """Measure accuracy, per class and language, and the error of calibration."""
    labels = np.array([example.label for example in examples])
    chosen = shares.argmax(1)
    right = chosen == labels
    languages: dict[str, list[bool]] = defaultdict(list)
    for example, good in zip(examples, right, strict=True):
        languages[example.lang].append(bool(good))
    confusion = [
        [int(((labels == a) & (chosen == b)).sum()) for b in range(len(words))]
        for a in range(len(words))
    ]
    return {
        "count": len(examples),
        "accuracy": percent(right.sum(), len(right)),
        "calibration_error": measure_calibration(shares.max(1), right),
        "by_class": {
            word: percent(confusion[at][at], sum(confusion[at])) for at, word in enumerate(words)
        },
        "confusion": confusion,
        "by_language": {
            language: percent(sum(goods), len(goods))
            for language, goods in sorted(languages.items())
            if len(goods) >= LEAST_PER_LANGUAGE
        },
    }


def measure_calibration(sure: np.ndarray, right: np.ndarray, bins: int = 15) -> float:
    """Measure by how much confidence and accuracy differ, in points, averaged over bins."""
    places = np.minimum((sure * bins).astype(int), bins - 1)
    error = sum(
        (places == at).sum() * abs(sure[places == at].mean() - right[places == at].mean())
        for at in range(bins)
        if (places == at).any()
    )
    return round(100 * float(error) / max(1, len(sure)), 2)


def measure_scenes(labels: Sequence[Sequence[int]], shares: Sequence[np.ndarray]) -> Figures:
    """Measure how many scenes are judged right in every text, and at which harm by threshold.

    A scene does harm where a text that is to stay is held to be meant.
    """
    chosen = [one.argmax(1) for one in shares]
    pairs = list(zip(map(np.array, labels), chosen, strict=True))
    figures: Figures = {
        "count": len(labels),
        "texts": percent(sum(int((a == b).sum()) for a, b in pairs), sum(map(len, labels))),
        "right": percent(sum(bool((a == b).all()) for a, b in pairs), len(pairs)),
    }
    for least in (0.3, 0.5, 0.7, 0.9):
        meant = [1 - one[:, 0] >= least for one in shares]
        both = list(zip(map(np.array, labels), meant, strict=True))
        figures[f"at_{least}"] = {
            "right": percent(sum(bool(((a > 0) == b).all()) for a, b in both), len(both)),
            "harm": percent(sum(bool((b & (a == 0)).any()) for a, b in both), len(both)),
            "missed": percent(sum(bool((~b & (a > 0)).any()) for a, b in both), len(both)),
        }
    return figures


def measure_certain(examples: Sequence[Example], shares: np.ndarray, threshold: float) -> Figures:
    """Measure precision and coverage of what is called certain."""
    labels = np.array([example.label for example in examples])
    chosen, sure = shares.argmax(1), shares.max(1)
    certain = sure >= threshold
    acts = certain & (chosen > 0)  # what would hide or flag something
    return {
        "certain_precision": percent((chosen == labels)[certain].sum(), certain.sum()),
        "certain_coverage": percent(certain.sum(), len(labels)),
        "certain_act_precision": percent((chosen == labels)[acts].sum(), acts.sum()),
        "certain_act_coverage": percent(acts.sum(), (labels > 0).sum()),
    }


def trim(text: str) -> str:
    """Strip what a cut may take along or leave: blanks and punctuation at its ends."""
    return text.strip(EDGES)


def measure_spans(examples: Sequence[Example], spans: Sequence[Sequence[tuple[int, int]]]) -> float:
    """Measure how often exactly the words to cut were found, among texts to cut in part."""
    right = count = 0
    for example, found in zip(examples, spans, strict=True):
        if example.label == IN_PART and example.cuts is not None:
            text = example.pair.second
            count += 1
            wanted = {trim(cut) for cut in example.cuts}
            right += {trim(text[a:b]) for a, b in found} - {""} == wanted
    return percent(right, count)


Judge = Callable[[str, Sequence[str]], np.ndarray]


def measure_conversations(
    conversations: Sequence[Case], judge: Judge
) -> list[tuple[float, bool, str]]:
    """List every judged pair as its share for an update, whether it is one, and its language.

    `judge(statement, earlier)` gives for each earlier statement the shares of all relations.
    """
    found = []
    for conversation in conversations:
        links = link_statements(conversation)
        texts = [statement["text"] for statement in conversation["statements"]]
        for place in range(1, len(texts)):
            shares = judge(texts[place], texts[:place])
            for old, share in enumerate(shares):
                if (place, old) in links.open:
                    continue
                is_update = links.known.get((place, old)) in (REPLACES, PART)
                says = float(share[REPLACES] + share[PART])
                found.append((says, is_update, conversation["lang"]))
    return found


def weigh_flags(
    judged: Sequence[tuple[float, bool, str]], statements: int, most_false: float = 2.0
) -> Figures:
    """Find the most updates that can be flagged at no more than `most_false` per 100."""
    order = sorted(judged, key=lambda one: -one[0])
    updates = sum(is_update for _, is_update, _ in judged)
    right = wrong = 0
    best = {"updates_recall": 0.0, "false_per_100": 0.0, "threshold": 1.0, "updates": updates}
    for says, is_update, _ in order:
        right, wrong = right + is_update, wrong + (not is_update)
        if 100 * wrong / max(1, statements) > most_false:
            break
        best |= {
            "updates_recall": percent(right, updates),
            "false_per_100": round(100 * wrong / max(1, statements), 2),
            "threshold": round(says, 4),
        }
    return best


def count_flags(
    judged: Sequence[tuple[float, bool, str]], statements: int, threshold: float
) -> Figures:
    """Count what is flagged at a threshold chosen elsewhere."""
    flagged = [is_update for says, is_update, _ in judged if says >= threshold]
    updates = sum(is_update for _, is_update, _ in judged)
    return {
        "updates_recall": percent(sum(flagged), updates),
        "false_per_100": round(100 * (len(flagged) - sum(flagged)) / max(1, statements), 2),
        "updates": updates,
        "threshold": threshold,
    }


WORDS = {"relation": RELATIONS, "target": TARGETS, "worth": WORTHS}

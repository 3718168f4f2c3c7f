"""Turn small memories with a request into scenes: all their texts are read together.

What a request means often shows only beside the other texts: who the landlady is, which address is
the old one, whom a nickname stands for. A scene is one row; each text in it is marked, or is not.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from glymph.reader.wording import BETWEEN, Span, word_scene
from training.cases import Case, is_named
from training.examples import ALL, IN_PART, LEFT, Example, Near
from training.measure import trim

SCENE = "scene"  # the task; each text of it has a label of its own
DROPPED = 0.15  # the share of texts that stay which are left out, so that scenes differ by pass
STRANGERS = 2  # texts of elsewhere that stand in a scene, on average
CROWDED, CROWD = 0.5, (9, 16)  # the share of scenes filled up with such, and up to how many texts
EMPTIED = 0.12  # the share of scenes without what is meant, whose neighbours are all that is left
SHUFFLED = 0.4  # the share of scenes that are not in the order told


class Marked(NamedTuple):
    """A text, and where in it stands what a request means."""

    text: str
    meant: tuple[Span, ...]


def list_marked(case: Case) -> list[Marked]:
    """List the texts of a written request with what it means of each."""
    return [Marked(row["text"], _find_cuts(row["text"], row["cut"])) for row in case["rows"]]


def _find_cuts(text: str, cuts: str | Sequence[str]) -> tuple[Span, ...]:
    if cuts == "all":
        return ((0, len(text)),)
    found = [(text.find(bare), len(bare)) for bare in map(trim, cuts)]
    return tuple((start, start + length) for start, length in found if start >= 0 and length)


def make_scene(
    verb: str, request: str, new: str | None, texts: Sequence[Marked], lang: str = "en"
) -> Example:
    """Put texts together into one row, and tell where what is meant stands in it."""
    scene = word_scene(verb, request, new, [one.text for one in texts])
    meant = tuple(
        (at + start, at + end)
        for at, one in zip(scene.starts, texts, strict=True)
        for start, end in one.meant
    )
    return Example(SCENE, scene.pair, LEFT, lang=lang, starts=scene.starts, places=meant)


def label_rows(case: Case) -> list[int]:
    """Tell for each text of a written request whether it is meant: not, all of it, or in part."""
    cuts = [row["cut"] for row in case["rows"]]
    return [ALL if cut == "all" else IN_PART if cut else LEFT for cut in cuts]


def label_texts(example: Example) -> list[int]:
    """Tell for each text of a scene whether it is meant: not, all of it, or in part."""
    starts = example.starts or ()
    ends = [
        start - len(BETWEEN) for start in (*starts[1:], len(example.pair.second) + len(BETWEEN))
    ]
    return [
        ALL
        if (start, end) in example.places
        else IN_PART
        if any(start <= a < end for a, _ in example.places)
        else LEFT
        for start, end in zip(starts, ends, strict=True)
    ]


def draw_scene(case: Case, rng: random.Random, strangers: Sequence[str]) -> Example:
    """Draw a scene of a written request: some texts that stay left out, some others put in."""
    first, *others = list_marked(case)  # one always stays: a request may mean none of them
    texts = [first, *(one for one in others if one.meant or rng.random() >= DROPPED)]
    if rng.random() < EMPTIED and (left := [one for one in texts if not one.meant]):
        texts = left
    wanted = int(rng.expovariate(1 / STRANGERS))
    if rng.random() < CROWDED:
        wanted = max(0, rng.randint(*CROWD) - len(texts))
    for text in strangers[:wanted]:
        texts.insert(rng.randrange(len(texts) + 1), Marked(text, ()))
    if rng.random() < SHUFFLED:
        rng.shuffle(texts)
    request = case["request"]
    if rng.random() < 0.1:
        request = request.rstrip(".!?。") if rng.random() < 0.6 else request.lower()
    return make_scene(case["verb"], request, case.get("new"), texts, case.get("lang", "en"))


def draw_scenes(cases: dict[str, list[Case]], rng: random.Random, near: Near) -> Iterator[Example]:
    """Draw the scenes of one pass: two of each that was written as one."""
    memories: dict[str, list[list[str]]] = {}
    for case in cases["scenes"] + cases["requests"]:
        texts = [row["text"] for row in case["rows"]]
        memories.setdefault(case.get("lang", "en"), []).append(texts)
    for kind, times in (("scenes", 2), ("requests", 1)):
        for case in cases[kind]:
            for _ in range(times):
                strangers = _list_strangers(case, memories[case.get("lang", "en")], rng)
                yield draw_scene(case, rng, strangers)
    for frame in filter(is_named, cases["frames"]):
        yield from draw_frame_scene(frame, rng, near)


def _list_strangers(case: Case, memories: list[list[str]], rng: random.Random) -> list[str]:
    """List texts of a few other memories, those of one memory beside each other."""
    own = {row["text"] for row in case["rows"]}
    found = dict.fromkeys(text for texts in rng.choices(memories, k=4) for text in texts)
    return [text for text in found if text not in own]


def draw_frame_scene(frame: Case, rng: random.Random, near: Near) -> Iterator[Example]:
    """Draw a scene of a frame: a request that means one fact, or everything about its subject."""
    others = frame["other"]
    everything = bool(frame["about"]) and all(one["about"] is not None for one in others)
    everything = everything and rng.random() < 0.4
    asked = frame["about"] if everything else frame["names"]
    if not asked:
        return
    meant = rng.sample(frame["old"], rng.choice((1, 1, 2)))
    texts = [Marked(text, ((0, len(text)),)) for text in meant]
    for one in rng.sample(others, min(len(others), 5)):
        goes = everything and one["about"]
        texts.append(Marked(one["text"], ((0, len(one["text"])),) if goes else ()))
    if not everything and frame["compound"] and rng.random() < 0.3:
        part = rng.choice(frame["compound"])
        texts.append(Marked(part["text"], _find_cuts(part["text"], [part["cut"]])))
    strange = near(meant[0])[: rng.randrange(3)]
    subject = frame["subject"].casefold()
    texts += [Marked(text, ()) for text in strange if subject not in text.casefold()]
    rng.shuffle(texts)
    supersedes = not everything and rng.random() < 0.35
    verb = "supersede" if supersedes else rng.choice(("release", "purge"))
    new = rng.choice(frame["new"]) if supersedes else None
    yield make_scene(verb, rng.choice(asked), new, texts, frame["lang"])

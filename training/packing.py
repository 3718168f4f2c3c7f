"""Pack examples into arrays: cut texts into tokens, lay pairs out, fill batches up."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tokenizers import Tokenizer

from glymph.reader.layout import FILL, FILL_SIDE, Layout, Pieces, cut_to_pieces, fill_up, lay_out
from glymph.reader.wording import Span
from training import measure
from training.cases import Case, list_strings
from training.examples import IN_PART, NOT_SAME, Drawer, Example
from training.network import JUDGEMENTS
from training.scenes import SCENE, draw_scenes, label_texts

LONGEST, LONGEST_SCENE = 256, 512  # tokens of a row
BATCH = 384
CHUNK = 6000  # units that are sorted by length together
SHARES = 4  # parts of a pass that are drawn at once
TASKS = tuple(JUDGEMENTS)
TAUGHT = ("relation", "target", "worth")  # what a teacher judges beside us
TAUGHT_LANGUAGE = "en"  # what the teacher reads
Arrays = dict[str, np.ndarray]


class Reading:
    """Cuts texts into tokens, each only once."""

    def __init__(self, tokenizer: Path) -> None:
        self.tokenizer = Tokenizer.from_file(str(tokenizer))
        self.known: dict[str, Pieces] = {}

    def cut(self, text: str) -> Pieces:
        """Cut a text into tokens."""
        found = self.known.get(text)
        if found is None:
            found = self.known[text] = cut_to_pieces(self.tokenizer, text)
        return found

    def learn(self, cases: dict[str, list[Case]]) -> None:
        """Cut all texts of the cases ahead, on all cores."""
        texts = sorted(set(list_strings(cases)))
        for text, found in zip(
            texts, self.tokenizer.encode_batch(texts, add_special_tokens=False), strict=True
        ):
            self.known[text] = Pieces(found.ids, found.offsets)

    def cut_first(self, text: str) -> Pieces:
        """Cut a first text: the task, which is a word of its own, and the rest."""
        task, _, rest = text.partition(": ")
        before, after = self.cut(task + ":"), self.cut(rest)
        return Pieces(before.ids + after.ids, before.offsets + after.offsets)

    def lay(self, example: Example) -> Layout:
        """Lay an example out, the longer text shortened where both do not fit."""
        first, second = self.cut_first(example.pair.first), self.cut(example.pair.second)
        room = (LONGEST_SCENE if example.task == SCENE else LONGEST) - 4
        if len(first.ids) + len(second.ids) > room:
            left = max(room // 2, room - len(second.ids))
            first = Pieces(first.ids[:left], first.offsets[:left])
            left = room - len(first.ids)
            second = Pieces(second.ids[:left], second.offsets[:left])
        return lay_out(first, second)


class Row(NamedTuple):
    """An example as the network reads it, and as its teacher does, if that knows the language."""

    example: Example
    layout: Layout
    for_teacher: Layout | None


class Source(NamedTuple):
    """What examples are drawn from, and who cuts them into tokens."""

    cases: dict[str, list[Case]]
    near: dict[str, list[str]]
    reading: Reading
    teacher: Reading | None
    batch: int = BATCH
    cycles: Mapping[str, int] = {}  # kinds of which it takes several passes to see all

    def lay(self, example: Example) -> Row:
        """Lay an example out for those who read it."""
        taught = self.teacher and example.lang == TAUGHT_LANGUAGE and example.task in TAUGHT
        for_teacher = self.teacher.lay(example) if self.teacher and taught else None
        return Row(example, self.reading.lay(example), for_teacher)


def mark_tokens(example: Example, row: Layout) -> np.ndarray:
    """Mark the tokens of the second text that are to be cut, begin or end a cut."""
    marks = np.zeros((len(row.offsets), 3), np.float32)
    for start, end in _find_places(example):
        inside = [at for at, (a, b) in enumerate(row.offsets) if a < end and b > start]
        if inside:
            marks[inside, 0] = 1
            marks[inside[0], 1] = marks[inside[-1], 2] = 1
    return marks


def _find_places(example: Example) -> list[Span]:
    """Find where what is to be cut stands in the second text."""
    if example.task == SCENE:
        return list(example.places)
    found = [
        (example.pair.second.find(bare), bare) for bare in map(measure.trim, example.cuts or ())
    ]
    return [(start, start + len(bare)) for start, bare in found if bare and start >= 0]


def weigh_tokens(example: Example, row: Layout) -> np.ndarray:
    """Weigh the tokens of the second text: every text alike, those meant in part above all."""
    if example.task != SCENE:
        weight = 1.0 if example.label == IN_PART else 0.1
        return np.full(len(row.offsets), weight / len(row.offsets), np.float32)
    text = number_texts(example, row)
    weights = np.where(np.array(label_texts(example)) == IN_PART, 1.0, 0.1)
    return (weights[text] / np.bincount(text)[text]).astype(np.float32)


def number_texts(example: Example, row: Layout) -> np.ndarray:
    """Tell for each token of a scene in which of its texts it stands."""
    starts = np.array([start for start, _ in row.offsets])
    return np.searchsorted(np.array(example.starts), starts, "right") - 1


def pack_share(seed: int, number: int, source: Source) -> list[Arrays]:
    """Draw a share of a pass and pack it into batches of rows of about one length.

    Examples that are judged together stay together.
    """
    rng = random.Random(seed * 1000 + number)
    frames = [*source.cases["frames"], *source.cases["facts"]]
    drawer = Drawer(rng, frames, lambda text: source.near.get(text, []))
    mine = {}
    for kind, several in source.cases.items():
        shares = SHARES * source.cycles.get(kind, 1)
        mine[kind] = several[number % shares :: shares]
    units: dict[Any, list[Row]] = {}
    scenes = draw_scenes(mine, rng, drawer.near)
    for at, example in enumerate(chain(drawer.draw(mine), scenes)):
        key = example.group if example.group >= 0 else (at,)
        units.setdefault(key, []).append(source.lay(example))
    pending = list(units.values())
    rng.shuffle(pending)
    batches = [
        batch
        for start in range(0, len(pending), CHUNK)
        for batch in _fill_batches(pending[start : start + CHUNK], source.batch)
    ]
    rng.shuffle(batches)
    return [pack(batch) for batch in batches]


def _fill_batches(units: list[list[Row]], size: int) -> Iterator[list[Row]]:
    """Put units of about one length together."""
    batch: list[Row] = []
    for rows in sorted(units, key=lambda rows: max(len(row.layout.ids) for row in rows)):
        batch += rows
        if len(batch) >= size:
            yield batch
            batch = []
    if batch:
        yield batch


def _fill_round(layouts: Sequence[Layout]) -> tuple[np.ndarray, np.ndarray]:
    """Fill rows up to a length that is a multiple of eight, which kernels like."""
    ids, sides = fill_up(layouts)
    spare = ((0, 0), (0, -ids.shape[1] % 8))
    ids = np.pad(ids, spare, constant_values=FILL)
    sides = np.pad(sides, spare, constant_values=FILL_SIDE)
    return ids.astype(np.int32), sides.astype(np.int8)


def pack(batch: Sequence[Row]) -> Arrays:
    """Pack examples into arrays; which rows belong to which task is told by number."""
    ids, sides = _fill_round([row.layout for row in batch])
    packed = {"ids": ids, "sides": sides}
    taught = [at for at, row in enumerate(batch) if row.for_teacher]
    if taught:
        packed["teacher.rows"] = np.array(taught, np.int64)
        layouts = [row.for_teacher for row in batch if row.for_teacher]
        packed["teacher.ids"], packed["teacher.sides"] = _fill_round(layouts)
    for task in TASKS:
        rows = [at for at, row in enumerate(batch) if row.example.task == task]
        labels = np.array([batch[at].example.label for at in rows])
        known = labels != NOT_SAME
        packed[f"{task}.rows"] = np.array(rows, np.int64)[known]
        packed[f"{task}.labels"] = labels[known].astype(np.int64)
        packed[f"{task}.unlike"] = np.array(rows, np.int64)[~known]
        packed |= _number_groups(task, batch, rows)
    said = [row.example.odds for row in batch if row.example.task == "relevance"]
    packed["relevance.odds"] = np.array(
        [np.nan if odds is None else odds for odds in said], np.float32
    )
    return packed | _pack_cuts(batch, ids.shape[1]) | _pack_scenes(batch, ids.shape[1])


def _pack_cuts(batch: Sequence[Row], width: int) -> Arrays:
    """Mark the words to cut, in the rows that have some."""
    cut = [
        at
        for at, (example, row, _) in enumerate(batch)
        if row.offsets and (example.task == SCENE or example.cuts is not None)
    ]
    marks = np.zeros((len(cut), width, 3), np.float32)
    marked = np.zeros((len(cut), width), np.float32)
    for place, at in enumerate(cut):
        example, row, _ = batch[at]
        end = row.second_at + len(row.offsets)
        marks[place, row.second_at : end] = mark_tokens(example, row)
        marked[place, row.second_at : end] = weigh_tokens(example, row)
    return {"cut.rows": np.array(cut, np.int64), "marks": marks, "marked": marked}


def _pack_scenes(batch: Sequence[Row], width: int) -> Arrays:
    """Number the texts of all scenes, for each of their tokens, and tell what each is labelled.

    The last number stands for tokens of no text; a text that was cut off has no token and no say.
    """
    scenes = [at for at, row in enumerate(batch) if row.example.task == SCENE]
    labels: list[int] = []
    texts = np.full((len(scenes), width), -1, np.int64)
    for place, at in enumerate(scenes):
        example, row, _ = batch[at]
        numbers = number_texts(example, row)
        texts[place, row.second_at : row.second_at + len(numbers)] = numbers + len(labels)
        labels += label_texts(example)
    texts[texts < 0] = len(labels)
    return {
        "scene.rows": np.array(scenes, np.int64), "scene.texts": texts,
        "scene.labels": np.array(labels, np.int64),
    }  # fmt: skip


def _number_groups(task: str, batch: Sequence[Row], rows: Sequence[int]) -> Arrays:
    """Number the groups of a task within a batch, and tell which of their rows are meant."""
    grouped = [at for at in rows if batch[at].example.group >= 0]
    numbers = {batch[at].example.group: 0 for at in grouped}
    numbers = {group: number for number, group in enumerate(numbers)}
    meant = np.array([batch[at].example.label > 0 for at in grouped], bool)
    group = np.array([numbers[batch[at].example.group] for at in grouped], np.int64)
    has = np.zeros(len(numbers), bool)
    has[group[meant]] = True
    return {
        f"{task}.grouped": np.array(grouped, np.int64),
        f"{task}.group": group,
        f"{task}.meant": np.flatnonzero(meant),
        f"{task}.others": (~meant).astype(np.float32),
        f"{task}.empty": np.flatnonzero(~has),
    }


_SHARED: list[Source] = []


def _pack_shared(seed: int, number: int) -> list[Arrays]:
    return pack_share(seed, number, _SHARED[0])


def draw_shares(passes: int, seed: int, workers: int, source: Source) -> Iterator[list[Arrays]]:
    """Draw passes ahead, a share at a time, in processes of their own."""
    if not workers:
        yield from (pack_share(seed, number, source) for number in range(passes * SHARES))
        return
    _SHARED[:] = [source]
    with ProcessPoolExecutor(workers, mp_context=get_context("fork")) as pool:
        coming = [pool.submit(_pack_shared, seed, number) for number in range(passes * SHARES)]
        try:
            for future in coming:
                yield future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

"""Train the reader on one GPU, in minutes.

    python -m training.train BASE_FOLDER OUT_FOLDER [--passes 10] [--frames 1.0] [--seed 1]

Reads `training/data`, writes the weights in parts of at most 15 MB, and `report.json` with
figures on the dev part (and on the held-out part for the learning curve). Seeds are fixed.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import random
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor

from glymph.reader.layout import FILL, FILL_SIDE, Layout, Pieces, cut_to_pieces, fill_up, lay_out
from glymph.reader.spans import find_spans
from glymph.reader.wording import word_relation
from training import measure
from training.cases import DATA, Case, list_strings, list_texts, read_part
from training.examples import (
    IN_PART,
    NOT_SAME,
    Drawer,
    Example,
    list_relations,
    list_targets,
    list_worths,
)
from training.network import JUDGEMENTS, LAYERS, Network

LONGEST = 256
BATCH = 384
CHUNK = 6000  # units that are sorted by length together
TASKS = tuple(JUDGEMENTS)
WEIGHTS = {"relation": 1.0, "target": 1.0, "relevance": 1.0, "worth": 0.6}
TOGETHER = 0.3  # the weight of choosing among candidates
HEADS_FASTER, LOWER_SLOWER = 3.0, 0.93
SHARES = 4  # parts of a pass that are drawn at once
PART_BYTES = 15_000_000


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
        room = LONGEST - 4
        half = room // 2
        if len(first.ids) + len(second.ids) > room:
            left = max(half, room - len(second.ids))
            first = Pieces(first.ids[:left], first.offsets[:left])
            left = room - len(first.ids)
            second = Pieces(second.ids[:left], second.offsets[:left])
        return lay_out(first, second)


def mark_tokens(example: Example, row: Layout) -> np.ndarray:
    """Mark the tokens of the second text that are to be cut, begin or end a cut."""
    marks = np.zeros((len(row.offsets), 3), np.float32)
    text = example.pair.second
    for cut in example.cuts or ():
        bare = measure.trim(cut)
        start = text.find(bare)
        inside = [
            at for at, (a, b) in enumerate(row.offsets) if a < start + len(bare) and b > start
        ]
        if bare and inside:
            marks[inside, 0] = 1
            marks[inside[0], 1] = marks[inside[-1], 2] = 1
    return marks


def pack_share(
    seed: int,
    number: int,
    cases: dict[str, list[Case]],
    near: dict[str, list[str]],
    reading: Reading,
) -> list[dict[str, np.ndarray]]:
    """Draw a share of a pass and pack it into batches of rows of about one length.

    Examples that are judged together stay together.
    """
    rng = random.Random(seed * 1000 + number)
    drawer = Drawer(rng, cases["frames"], lambda text: near.get(text, []))
    mine = {kind: several[number % SHARES :: SHARES] for kind, several in cases.items()}
    units: dict[Any, list[tuple[Example, Layout]]] = {}
    for number, example in enumerate(drawer.draw(mine)):
        key = example.group if example.group >= 0 else (number,)
        units.setdefault(key, []).append((example, reading.lay(example)))
    pending = list(units.values())
    rng.shuffle(pending)
    batches: list[list[tuple[Example, Layout]]] = []
    chunk: list[list[tuple[Example, Layout]]] = []
    for at, unit in enumerate(pending):
        chunk.append(unit)
        if len(chunk) >= CHUNK or at == len(pending) - 1:
            chunk.sort(key=lambda several: max(len(row.ids) for _, row in several))
            batch: list[tuple[Example, Layout]] = []
            for several in chunk:
                batch += several
                if len(batch) >= BATCH:
                    batches.append(batch)
                    batch = []
            if batch:
                batches.append(batch)
            chunk = []
    rng.shuffle(batches)
    return [pack(batch) for batch in batches]


def pack(batch: Sequence[tuple[Example, Layout]]) -> dict[str, np.ndarray]:
    """Pack examples into arrays; which rows belong to which task is told by number."""
    ids, sides = fill_up([row for _, row in batch])
    spare = -ids.shape[1] % 8  # kernels like round sizes
    ids = np.pad(ids, ((0, 0), (0, spare)), constant_values=FILL)
    sides = np.pad(sides, ((0, 0), (0, spare)), constant_values=FILL_SIDE)
    packed = {"ids": ids.astype(np.int32), "sides": sides.astype(np.int8)}
    for task in TASKS:
        rows = [at for at, (example, _) in enumerate(batch) if example.task == task]
        labels = np.array([batch[at][0].label for at in rows])
        known = labels != NOT_SAME
        packed[f"{task}.rows"] = np.array(rows, np.int64)[known]
        packed[f"{task}.labels"] = labels[known].astype(np.int64)
        packed[f"{task}.unlike"] = np.array(rows, np.int64)[~known]
        packed |= _number_groups(task, batch, rows)
    packed["relevance.shares"] = np.array(
        [
            0.96 * example.label + 0.02 if example.share is None else example.share
            for example, _ in batch
            if example.task == "relevance"
        ],
        np.float32,
    )
    cut = [
        at
        for at, (example, row) in enumerate(batch)
        if example.task == "target" and example.cuts is not None and row.offsets
    ]
    marks = np.zeros((len(cut), ids.shape[1], 3), np.float32)
    marked = np.zeros((len(cut), ids.shape[1]), np.float32)
    for place, at in enumerate(cut):
        example, row = batch[at]
        end = row.second_at + len(row.offsets)
        marks[place, row.second_at : end] = mark_tokens(example, row)
        weight = 1.0 if example.label == IN_PART else 0.1
        marked[place, row.second_at : end] = weight / len(row.offsets)
    return packed | {"cut.rows": np.array(cut, np.int64), "marks": marks, "marked": marked}


def _number_groups(
    task: str, batch: Sequence[tuple[Example, Layout]], rows: Sequence[int]
) -> dict[str, np.ndarray]:
    """Number the groups of a task within a batch, and tell which of their rows are meant."""
    grouped = [at for at in rows if batch[at][0].group >= 0]
    numbers = {batch[at][0].group: 0 for at in grouped}
    numbers = {group: number for number, group in enumerate(numbers)}
    meant = np.array([batch[at][0].label > 0 for at in grouped], bool)
    group = np.array([numbers[batch[at][0].group] for at in grouped], np.int64)
    has = np.zeros(len(numbers), bool)
    has[group[meant]] = True
    return {
        f"{task}.grouped": np.array(grouped, np.int64),
        f"{task}.group": group,
        f"{task}.meant": np.flatnonzero(meant),
        f"{task}.others": (~meant).astype(np.float32),
        f"{task}.empty": np.flatnonzero(~has),
    }


def choose_among(odds: Tensor, batch: dict[str, Tensor], task: str) -> Tensor:
    """Punish candidates that are not meant for standing above those that are, or above none."""
    group, meant, empty = (batch[f"{task}.{name}"] for name in ("group", "meant", "empty"))
    count = len(empty) + len(group)  # no fewer than there are groups
    size = odds.exp().clamp(max=1e6) * batch[f"{task}.others"]
    others = torch.ones(count, device=odds.device).scatter_add(0, group, size).log()
    low = torch.logaddexp(odds[meant], others[group[meant]]) - odds[meant]
    return torch.cat([low, others[empty]]).mean()


def find_loss(says: tuple[Tensor, ...], batch: dict[str, Tensor]) -> Tensor:
    """Add up what each head got wrong."""
    *heads, spans = says
    total = torch.zeros((), device=spans.device)
    whole = len(batch["ids"])
    for at, task in enumerate(TASKS):
        head = heads[at].float()
        rows, labels, unlike = (batch[f"{task}.{name}"] for name in ("rows", "labels", "unlike"))
        if not len(rows) + len(unlike):
            continue
        loss = torch.zeros((), device=spans.device)
        if task == "relevance":
            odds = head[:, 0]
            loss = F.binary_cross_entropy_with_logits(odds[rows], batch["relevance.shares"])
        else:
            odds = head[:, 1:].logsumexp(-1) - head[:, 0]
            if len(rows):
                loss = F.cross_entropy(head[rows], labels, label_smoothing=0.03)
            if len(unlike):
                same = head[unlike].softmax(-1)[:, 1].clamp(max=0.999)
                loss = loss - torch.log1p(-same).mean() * len(unlike) / (len(rows) + len(unlike))
        if len(batch[f"{task}.grouped"]):
            loss = loss + TOGETHER * choose_among(odds[batch[f"{task}.grouped"]], batch, task)
        total = total + WEIGHTS[task] * loss * 2 * (len(rows) + len(unlike)) / whole
    if len(batch["cut.rows"]):
        told = spans[batch["cut.rows"]].float()
        wrong = F.binary_cross_entropy_with_logits(told, batch["marks"], reduction="none")
        total = total + 0.3 * (wrong.sum(-1) * batch["marked"]).sum() / batch["marked"].sum()
    return total


class Judging:
    """Judges examples with a network."""

    def __init__(self, network: Network, reading: Reading, device: str) -> None:
        self.network, self.reading, self.device = network.eval(), reading, device

    @torch.no_grad()
    def __call__(self, examples: Sequence[Example]) -> tuple[np.ndarray, list[np.ndarray]]:
        """Give the logits of the examples' task, and what is said of their tokens."""
        task = TASKS.index(examples[0].task)
        rows = [self.reading.lay(example) for example in examples]
        order = sorted(range(len(rows)), key=lambda at: len(rows[at].ids))
        logits = np.zeros((len(rows), JUDGEMENTS[examples[0].task]), np.float32)
        spans: list[np.ndarray] = [np.zeros((0, 3), np.float32)] * len(rows)
        for start in range(0, len(order), 512):
            part = order[start : start + 512]
            ids, sides = fill_up([rows[at] for at in part])
            with torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda"):
                *heads, tokens = self.network(
                    torch.from_numpy(ids).to(self.device), torch.from_numpy(sides).to(self.device)
                )
            logits[part] = heads[task].float().cpu().numpy()
            if task == TASKS.index("target"):
                told = tokens.float().cpu().numpy()
                for place, at in enumerate(part):
                    begin = rows[at].second_at
                    spans[at] = told[place, begin : begin + len(rows[at].offsets)]
        return logits, spans


def softmax(logits: np.ndarray) -> np.ndarray:
    """Turn logits into shares."""
    size = np.exp(logits - logits.max(-1, keepdims=True))
    return size / size.sum(-1, keepdims=True)


def report_on(judging: Judging, cases: dict[str, list[Case]]) -> dict[str, Any]:
    """Measure a network on a part."""
    found: dict[str, Any] = {}
    lists = {
        "relation": list_relations(cases["frames"]),
        "target": list_targets(cases["frames"], cases["requests"]),
        "worth": list_worths(cases),
    }
    for task, examples in lists.items():
        if examples:
            logits, spans = judging(examples)
            found[task] = measure.measure_classes(examples, softmax(logits), measure.WORDS[task])
            if task == "target":
                places = [
                    find_spans(told, judging.reading.lay(example).offsets)
                    for told, example in zip(spans, examples, strict=True)
                ]
                found[task]["span_exact"] = measure.measure_spans(examples, places)
    if cases["conversations"]:
        pairs = [
            Example("relation", word_relation(c["statements"][new]["text"], s["text"]), 0)
            for c in cases["conversations"]
            for new in range(1, len(c["statements"]))
            for s in c["statements"][:new]
        ]
        shares = iter(softmax(judging(pairs)[0]))
        judged = measure.measure_conversations(
            cases["conversations"], lambda _, older: np.array([next(shares) for _ in older])
        )
        statements = sum(len(c["statements"]) for c in cases["conversations"])
        found["conversations"] = measure.weigh_flags(judged, statements)
        english = [one for one in judged if one[2] == "en"]
        count = sum(len(c["statements"]) for c in cases["conversations"] if c["lang"] == "en")
        found["conversations_en"] = measure.weigh_flags(english, count)
    return found


@torch.no_grad()
def find_near(
    network: Network, reading: Reading, cases: dict[str, list[Case]], device: str
) -> dict[str, list[str]]:
    """Find for each text the nearest others, by the base's own sense of meaning."""

    def embed(texts: Sequence[str]) -> Tensor:
        vectors = torch.zeros(len(texts), 384, device=device)
        rows = [lay_out(reading.cut_first(f"query: {text}"), Pieces([], [])) for text in texts]
        order = sorted(range(len(rows)), key=lambda at: len(rows[at].ids))
        for start in range(0, len(order), 512):
            part = order[start : start + 512]
            ids, sides = (torch.from_numpy(x[:, :512]) for x in fill_up([rows[at] for at in part]))
            x = network.read(ids.to(device), sides.to(device))
            weight = (sides >= 0).to(device).float()[..., None]
            vectors[part] = F.normalize((x * weight).sum(1) / weight.sum(1), dim=-1)
        return vectors

    network.eval()
    near: dict[str, list[str]] = {}
    texts = sorted({text for frame in cases["frames"] for text in list_texts(frame)})
    vectors = embed(texts)
    for start in range(0, len(texts), 1024):
        best = (vectors[start : start + 1024] @ vectors.T).topk(min(40, len(texts))).indices
        for at, row in enumerate(best.cpu().tolist()):
            near[texts[start + at]] = [texts[other] for other in row if other != start + at]
    for conversation in cases["conversations"]:
        said = [statement["text"] for statement in conversation["statements"]]
        asked = [question["q"] for question in conversation.get("questions", ())]
        both = embed(said + asked)
        for text, row in zip(said + asked, (both @ both[: len(said)].T).cpu(), strict=True):
            near[text] = [said[at] for at in row.argsort(descending=True).tolist()]
    return near


_SHARED: dict[str, Any] = {}


def _pack_shared(seed: int, number: int) -> list[dict[str, np.ndarray]]:
    return pack_share(seed, number, **_SHARED)


def draw_shares(passes: int, seed: int, workers: int, **shared: Any) -> Iterator[list[Any]]:
    """Draw passes ahead, a share at a time, in processes of their own."""
    _SHARED.update(shared)
    if not workers:
        yield from (_pack_shared(seed, number) for number in range(passes * SHARES))
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("fork")) as pool:
        coming = [pool.submit(_pack_shared, seed, number) for number in range(passes * SHARES)]
        try:
            for future in coming:
                yield future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def list_rates(network: Network, rate: float) -> list[dict[str, Any]]:
    """List the parameters with their rates: heads learn faster, lower layers slower."""
    rates: dict[float, list[Tensor]] = {}
    for name, parameter in network.named_parameters():
        if name.startswith(("heads", "spans")):
            own = HEADS_FASTER * rate
        elif name.startswith("layers"):
            own = rate * LOWER_SLOWER ** (LAYERS - 1 - int(name.split(".")[1]))
        else:
            own = rate * LOWER_SLOWER**LAYERS
        rates.setdefault(own, []).append(parameter)
    return [{"params": several, "lr": own} for own, several in rates.items()]


def train(asked: argparse.Namespace) -> dict[str, Any]:
    """Train one network, and return what it reaches."""
    began = time.time()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(asked.seed)
    reading = Reading(asked.base / "tokenizer.json")
    network = Network(asked.base / "base.npz").to(device)
    cases = read_part("train", asked.data)
    if asked.limit:
        cases = {kind: several[: asked.limit] for kind, several in cases.items()}
    frames = sorted(cases["frames"], key=lambda frame: random.Random(frame["old"][0]).random())
    cases["frames"] = frames[: round(len(frames) * asked.frames)]
    reading.learn(cases)
    print(f"{time.time() - began:.0f} s: texts cut", flush=True)
    near = find_near(network, reading, cases, device)
    print(f"{time.time() - began:.0f} s: { ({k: len(v) for k, v in cases.items()}) }", flush=True)
    slow = copy.deepcopy(network).requires_grad_(False)
    optimiser = torch.optim.AdamW(
        list_rates(network, asked.rate), weight_decay=0.02, fused=device == "cuda"
    )
    shares = draw_shares(
        asked.passes, asked.seed, asked.workers, cases=cases, near=near, reading=reading
    )
    schedule = None
    step = 0
    for number, batches in enumerate(shares):
        if time.time() - began > asked.seconds:
            print(f"stopped after {number / SHARES} passes: the time is over", flush=True)
            break
        if schedule is None:
            steps = math.ceil(asked.passes * SHARES * len(batches) * 1.05) + 10
            rates = [group["lr"] for group in optimiser.param_groups]
            schedule = torch.optim.lr_scheduler.OneCycleLR(
                optimiser, rates, total_steps=steps, pct_start=0.08
            )
        network.train()
        lost = 0.0
        for arrays in batches:
            batch = {
                name: torch.from_numpy(x).to(device, non_blocking=True)
                for name, x in arrays.items()
            }
            with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                says = network(batch["ids"].long(), batch["sides"].long())
            loss = find_loss(says, batch)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            step += 1
            keep = min(0.999, (step + 1) / (step + 20))
            with torch.no_grad():
                torch._foreach_lerp_(list(slow.parameters()), list(network.parameters()), 1 - keep)
            lost += loss.item() if step % 20 == 0 else 0.0
        print(
            f"{time.time() - began:.0f} s: share {number + 1} of {asked.passes * SHARES}, "
            f"{len(batches)} batches, loss {lost * 20 / max(1, len(batches)):.3f}",
            flush=True,
        )
    judging = Judging(slow, reading, device)
    report = {"seed": asked.seed, "frames": len(cases["frames"]), "passes": asked.passes}
    for part in asked.measure.split(","):
        report[part] = report_on(judging, read_part(part, asked.data))
    report["seconds"] = round(time.time() - began)
    if asked.out:
        save(slow, asked.out)
        (asked.out / f"report{asked.name}.json").write_text(json.dumps(report, indent=1))
    return report


def save(network: Network, folder: Path) -> None:
    """Write the weights, as half floats, in parts that are small enough to be sent."""
    folder.mkdir(parents=True, exist_ok=True)
    parts: list[dict[str, np.ndarray]] = [{}]
    size = 0
    for name, tensor in network.state_dict().items():
        array = tensor.detach().cpu().numpy().astype(np.float16)
        if size + array.nbytes > PART_BYTES:
            parts.append({})
            size = 0
        parts[-1][name] = array
        size += array.nbytes
    for number, part in enumerate(parts):
        np.savez(folder / f"weights{number}.npz", **part)


def main() -> None:
    """Train as asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", type=Path)
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--passes", type=int, default=10)
    parser.add_argument("--frames", type=float, default=1.0, help="share of the frames to take")
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=14)
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop training after that")
    parser.add_argument("--measure", default="dev", help="parts to measure on, by commas")
    parser.add_argument("--name", default="")
    parser.add_argument("--limit", type=int, default=0, help="take only so many cases of each kind")
    report = train(parser.parse_args())
    for part, figures in report.items():
        if isinstance(figures, dict):
            for task, several in figures.items():
                print(part, task, {k: v for k, v in several.items() if k != "by_language"})
                print("   ", several.get("by_language"))


if __name__ == "__main__":
    main()

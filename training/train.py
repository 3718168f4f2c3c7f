"""Train the reader, or its English teacher, on one GPU, in minutes.

    python -m training.train BASE_FOLDER OUT_FOLDER [--passes 10] [--frames 1.0] [--seed 1]
        [--lang en] [--teacher BASE_FOLDER TRAINED_FOLDER] [--beside TRAINED_FOLDER]
        [--start TRAINED_FOLDER] [--focus duplicates] [--batch 384]

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
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from glymph.reader.layout import Pieces, fill_up, lay_out
from training.cases import DATA, Case, list_texts, read_part
from training.judging import Judging, report_on
from training.loss import Taught, find_loss
from training.network import JUDGEMENTS, LAYERS, Network, load_trained
from training.packing import BATCH, SHARES, Reading, Source, draw_shares

HEADS_FASTER, LOWER_SLOWER = 3.0, 0.93
WARM_UP = 0.08  # the share of the way on which the pace rises
PART_BYTES = 15_000_000
# The kernels of cuDNN plan anew for every shape of batch, which takes longer than the batch.
ATTENTION = {
    "cuda": [SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH],
    "cpu": [SDPBackend.MATH],
}


@torch.no_grad()
def find_near(
    network: Network, reading: Reading, cases: dict[str, list[Case]], device: str
) -> dict[str, list[str]]:
    """Find for each text the nearest others, by the base's own sense of meaning."""

    def embed(texts: Sequence[str]) -> Tensor:
        vectors = torch.zeros(len(texts), network.words.shape[1], device=device)
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
    frames = (*cases["frames"], *cases["facts"])
    texts = sorted({text for frame in frames for text in list_texts(frame)})
    vectors = embed(texts)
    for at, row in enumerate(list_nearest(vectors, 40)):
        near[texts[at]] = [texts[other] for other in row if other != at]
    told = (*cases["conversations"], *cases["chats"])
    talks = [([s["text"] for s in talk["statements"]], talk) for talk in told]
    for said, talk in talks + [(talk["turns"], talk) for talk in cases["dialogues"]]:
        asked = [question["q"] for question in talk.get("questions", ())]
        both = embed(said + asked)
        for text, row in zip(said + asked, (both @ both[: len(said)].T).cpu(), strict=True):
            near[text] = [said[at] for at in row.argsort(descending=True).tolist()]
    for kind, keys in (("duplicates", ("a", "b")), ("pairs", ("newer", "older"))):
        texts = [case[key] for case in cases[kind] for key in keys]
        for at, row in enumerate(list_nearest(embed(texts), 8)):
            near[texts[at]] = [texts[other] for other in row if other // 2 != at // 2]
    return near


def list_nearest(vectors: Tensor, most: int) -> Iterator[list[int]]:
    """Yield for each vector the places of the nearest ones, itself first."""
    for start in range(0, len(vectors), 1024):
        best = (vectors[start : start + 1024] @ vectors.T).topk(min(most, len(vectors)))
        yield from best.indices.cpu().tolist()


def freeze(network: Network, layers: int) -> None:
    """Keep the lower layers, and what is below them, as they are: keep.onnx builds upon six."""
    if layers:
        for part in (network.places, network.sides, network.eln, *network.layers[:layers]):
            part.requires_grad_(False)


def list_rates(network: Network, rate: float) -> list[dict[str, Any]]:
    """List the parameters with their rates: heads learn faster, lower layers slower."""
    rates: dict[float, list[Tensor]] = {}
    for name, parameter in network.named_parameters():
        if not parameter.requires_grad:
            continue
        if name.startswith(("heads", "spans")):
            own = HEADS_FASTER * rate
        elif name.startswith("layers"):
            own = rate * LOWER_SLOWER ** (LAYERS - 1 - int(name.split(".")[1]))
        else:
            own = rate * LOWER_SLOWER**LAYERS
        rates.setdefault(own, []).append(parameter)
    return [{"params": several, "lr": own} for own, several in rates.items()]


class Teachers:
    """Trained networks that tell how they would judge: an English one, and an earlier reader."""

    def __init__(self, asked: argparse.Namespace, device: str) -> None:
        self.reading: Reading | None = None
        self.english = self.earlier = None
        if asked.teacher:
            base, trained = asked.teacher
            self.reading = Reading(base / "tokenizer.json")
            self.english = load_trained(base, trained).to(device)
        if asked.beside:
            self.earlier = load_trained(asked.base, asked.beside).to(device)

    @torch.no_grad()
    def judge(self, batch: dict[str, Tensor]) -> Taught | None:
        """Judge the rows of a batch; where both read a row, take the mean."""
        taught = self.english is not None and "teacher.ids" in batch
        if not taught and not self.earlier:
            return None
        count, device = len(batch["ids"]), batch["ids"].device
        if self.earlier:
            read = torch.ones(count, device=device)
            shares = _share_out(self.earlier, batch)
        else:
            read = torch.zeros(count, device=device)
            shares = tuple(torch.ones(count, size, device=device) for size in JUDGEMENTS.values())
        if self.english and taught:
            rows, told = batch["teacher.rows"], _share_out(self.english, batch, "teacher.")
            for own, theirs in zip(shares, told, strict=True):
                own[rows] = (own[rows] + theirs) / 2 if self.earlier else theirs
            read[rows] = 1.0
        return Taught(read, shares)


def _share_out(network: Network, batch: dict[str, Tensor], whose: str = "") -> tuple[Tensor, ...]:
    *heads, _ = network(batch[f"{whose}ids"].long(), batch[f"{whose}sides"].long())
    return tuple(head.float().softmax(-1) for head in heads)


def read_cases(asked: argparse.Namespace, part: str) -> dict[str, list[Case]]:
    """Read the cases of a part, of all languages or of one."""
    cases = read_part(part, asked.data)
    if asked.lang:
        for kind, several in cases.items():
            cases[kind] = [case for case in several if case.get("lang", "en") == asked.lang]
    return cases


def choose_cases(asked: argparse.Namespace) -> dict[str, list[Case]]:
    """Choose what to train on: everything, or a share of the frames."""
    cases = read_cases(asked, "train")
    if asked.limit:
        cases = {kind: several[: asked.limit] for kind, several in cases.items()}
    for kind in ("frames", "facts"):
        order = sorted(cases[kind], key=lambda frame: random.Random(frame["old"][0]).random())
        cases[kind] = order[: round(len(order) * asked.frames)]
    return cases


def list_cycles(asked: argparse.Namespace, cases: dict[str, list[Case]]) -> dict[str, int]:
    """List in how many passes each kind is gone through: one, or more beside a focus."""
    if not asked.focus:
        return {}
    return {kind: round(1 / asked.others) for kind in cases.keys() - set(asked.focus.split(","))}


class Training:
    """One network on its way, and its slower average, which is what is kept."""

    def __init__(self, asked: argparse.Namespace, network: Network, device: str) -> None:
        self.asked, self.network, self.device = asked, network, device
        self.slow = copy.deepcopy(network).requires_grad_(False)
        self.teachers = Teachers(asked, device)
        self.optimiser = torch.optim.AdamW(
            list_rates(network, asked.rate), weight_decay=0.02, fused=device == "cuda"
        )
        self.rates = [group["lr"] for group in self.optimiser.param_groups]
        self.steps, self.began = 0, time.time()

    def set_pace(self, done: float) -> None:
        """Set how fast is learnt when a share of the way is done: up at first, then down."""
        done = min(1.0, max(done, (time.time() - self.began) / self.asked.seconds))
        pace = done / WARM_UP if done < WARM_UP else (1 + math.cos(math.pi * done)) / 2
        for group, rate in zip(self.optimiser.param_groups, self.rates, strict=True):
            group["lr"] = rate * pace

    def learn_share(self, batches: Sequence[dict[str, np.ndarray]], number: int) -> float:
        """Learn from the batches of a share, and return how much was wrong on average."""
        self.network.train()
        if self.device == "cpu":  # there, dropping out costs a third of the time
            for module in self.network.modules():
                if isinstance(module, nn.Dropout):
                    module.eval()
        lost = torch.zeros((), device=self.device)
        for at, arrays in enumerate(batches):
            self.set_pace((number + at / len(batches)) / (self.asked.passes * SHARES))
            lost += self._learn(
                {
                    name: torch.from_numpy(array).to(self.device, non_blocking=True)
                    for name, array in arrays.items()
                }
            )
        return lost.item() / max(1, len(batches))

    def _learn(self, batch: dict[str, Tensor]) -> Tensor:
        with sdpa_kernel(ATTENTION[self.device]), torch.autocast(self.device, torch.bfloat16):
            says = self.network(batch["ids"].long(), batch["sides"].long())
            taught = self.teachers.judge(batch)
        loss = find_loss(says, batch, taught)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimiser.step()
        self.steps += 1
        keep = min(0.999, (self.steps + 1) / (self.steps + 20))
        with torch.no_grad():
            slow, fast = list(self.slow.parameters()), list(self.network.parameters())
            torch._foreach_lerp_(slow, fast, 1 - keep)
        return loss.detach()


def train(asked: argparse.Namespace) -> dict[str, Any]:
    """Train one network, and return what it reaches."""
    began = time.time()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(asked.seed)
    reading = Reading(asked.base / "tokenizer.json")
    network = (
        load_trained(asked.base, asked.start) if asked.start else Network(asked.base / "base.npz")
    )
    freeze(network, asked.frozen)
    training = Training(asked, network.to(device), device)
    cases = choose_cases(asked)
    for one in (reading, training.teachers.reading):
        if one:
            one.learn(cases)
    print(f"{time.time() - began:.0f} s: texts cut", flush=True)
    near = find_near(training.network, reading, cases, device)
    print(f"{time.time() - began:.0f} s: { ({k: len(v) for k, v in cases.items()}) }", flush=True)
    cycles = list_cycles(asked, cases)
    source = Source(cases, near, reading, training.teachers.reading, asked.batch, cycles)
    training.began = time.time()
    shares = draw_shares(asked.passes, asked.seed, asked.workers, source)
    for number, batches in enumerate(shares):
        if time.time() - training.began > asked.seconds:
            print(f"stopped after {number / SHARES} passes: the time is over", flush=True)
            break
        lost = training.learn_share(batches, number)
        print(
            f"{time.time() - began:.0f} s: share {number + 1} of {asked.passes * SHARES}, "
            f"{len(batches)} batches, loss {lost:.3f}",
            flush=True,
        )
    judging = Judging(training.slow, reading, device)
    report = {"seed": asked.seed, "frames": len(cases["frames"]), "passes": asked.passes}
    for part in filter(None, asked.measure.split(",")):
        report[part] = report_on(judging, read_cases(asked, part))
    report["seconds"] = round(time.time() - began)
    if asked.out:
        save(training.slow, asked.out)
        (asked.out / f"report{asked.name}.json").write_text(json.dumps(report, indent=1))
    return report


def save(network: Network, folder: Path) -> None:
    """Write the weights of a network."""
    save_parts(network.state_dict(), folder)


def save_parts(state: Mapping[str, Tensor], folder: Path) -> None:
    """Write weights, as half floats, in parts that are small enough to be sent."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("weights*.npz"):
        old.unlink()
    parts: list[dict[str, np.ndarray]] = [{}]
    size = 0
    for name, tensor in state.items():
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
    parser.add_argument(
        "--focus", help="kinds of cases that each pass takes whole; of the others a share"
    )
    parser.add_argument("--others", type=float, default=0.03, help="the share, beside a focus")
    parser.add_argument("--lang", help="take only cases of this language")
    parser.add_argument("--teacher", type=Path, nargs=2, metavar=("BASE", "TRAINED"))
    parser.add_argument("--beside", type=Path, help="an earlier run of the same base to learn from")
    parser.add_argument("--start", type=Path, help="an earlier run to go on from")
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batch", type=int, default=BATCH, help="rows that are learnt at once")
    parser.add_argument("--workers", type=int, default=14)
    parser.add_argument(
        "--seconds", type=float, default=math.inf, help="end training by then, slower and slower"
    )
    parser.add_argument("--measure", default="dev", help="parts to measure on, by commas")
    parser.add_argument("--name", default="")
    parser.add_argument("--frozen", type=int, default=0, help="lower layers that stay as they are")
    parser.add_argument("--limit", type=int, default=0, help="take only so many cases of each kind")
    report = train(parser.parse_args())
    for part, figures in report.items():
        if isinstance(figures, dict):
            for task, several in figures.items():
                print(part, task, {k: v for k, v in several.items() if k != "by_language"})
                print("   ", several.get("by_language"))


if __name__ == "__main__":
    main()

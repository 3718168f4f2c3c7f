"""Train the upper half that says what of a conversation to keep, on one GPU, in two minutes.

    python -m training.fit_keeping BASE_FOLDER TRAINED_FOLDER KEEPING_FOLDER [SET_LEFT_OUT ...]

Writes the upper six layers and a head; the lower six stay those of the reader, so both halves read
the same text once. What the other judgements made of the upper layers says too little about what is
worth keeping (README.md has the figures). The mean of three seeds is kept. Sets of marked
transcripts that are left out can be weighed on (`training.fit_sifting`). Run
`training.export_keeping` afterwards.
"""

from __future__ import annotations

import copy
import random
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.attention import sdpa_kernel

from glymph.reader.layout import Layout, fill_up
from glymph.reader.wording import KEEPINGS
from training.cases import Case, read_part
from training.examples import Example, list_keepings
from training.marked import SETS, read_marked
from training.network import WIDTH, Network, load_trained
from training.packing import Reading
from training.train import ATTENTION, save_parts

LOWER = 6  # layers that are shared with the other judgements
INNER, DROPPED = 128, 0.1
PASSES, AT_ONCE, SEEDS = 4, 128, (1, 2, 3)
RATE, HEAD_RATE, WARM_UP = 1e-4, 5e-4, 0.08
SMOOTHED = 0.03  # of the labels: one person's word
ALONE = KEEPINGS.index("alone")
SOME = 0.25  # of the sentences that are not kept


class Keeping(nn.Module):
    """The encoder with upper layers of its own, and the head behind them."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network
        self.head = nn.Sequential(
            nn.Dropout(DROPPED),
            nn.Linear(3 * WIDTH, INNER),
            nn.ReLU(),
            nn.Dropout(DROPPED),
            nn.Linear(INNER, len(KEEPINGS)),
        )
        network.requires_grad_(False)
        network.layers[LOWER:].requires_grad_(True)

    def forward(self, ids: Tensor, sides: Tensor) -> Tensor:
        """Tell of each row how it is worth keeping, as logits."""
        return self.head(self.network.pool(self.network.read(ids, sides), sides))

    def learn(self) -> None:
        """Get ready to learn: nothing is left out where nothing is learnt."""
        self.train()
        self.network.drop.eval()
        self.network.layers[:LOWER].eval()


def fill_batches(rows: Sequence[Layout], rng: random.Random) -> list[list[int]]:
    """Put rows of about one length together, in another order every time."""
    order = sorted(range(len(rows)), key=lambda at: len(rows[at].ids) + 6 * rng.random())
    batches = [order[start : start + AT_ONCE] for start in range(0, len(order), AT_ONCE)]
    rng.shuffle(batches)
    return batches


def fit(network: Network, rows: Sequence[Layout], labels: Tensor, seed: int) -> Keeping:
    """Train one upper half."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(SEEDS[0])  # the heads begin alike, or their mean would say little
    keeping = Keeping(copy.deepcopy(network)).to(device)
    torch.manual_seed(seed)
    rng = random.Random(seed)
    learnt = [one for one in keeping.network.parameters() if one.requires_grad]
    optimiser = torch.optim.AdamW(
        [
            {"params": keeping.head.parameters(), "lr": HEAD_RATE, "weight_decay": 0.05},
            {"params": learnt, "lr": RATE, "weight_decay": 0.02},
        ]
    )
    rates = [group["lr"] for group in optimiser.param_groups]
    for number in range(PASSES):
        batches = fill_batches(rows, rng)
        keeping.learn()
        for at, part in enumerate(batches):
            done = (number + at / len(batches)) / PASSES
            for group, rate in zip(optimiser.param_groups, rates, strict=True):
                group["lr"] = rate * min(1.0, done / WARM_UP + 0.01) * (1 - done)
            ids, sides = (torch.from_numpy(x).to(device) for x in fill_up([rows[a] for a in part]))
            with sdpa_kernel(ATTENTION[device]), torch.autocast(device, torch.bfloat16):
                says = keeping(ids, sides)
            loss = F.cross_entropy(says.float(), labels[part].to(device), label_smoothing=SMOOTHED)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_([*learnt, *keeping.head.parameters()], 1.0)
            optimiser.step()
        print(f"seed {seed}, pass {number + 1} of {PASSES}: {loss.item():.3f}", flush=True)
    return keeping.eval().cpu()


def list_own(keeping: Keeping) -> dict[str, Tensor]:
    """List what a keeping has of its own: the head, and the upper layers."""
    own = {f"head.{name}": tensor for name, tensor in keeping.head.state_dict().items()}
    for number in range(LOWER, len(keeping.network.layers)):
        layer = keeping.network.layers[number].state_dict()
        own |= {f"layers.{number}.{name}": tensor for name, tensor in layer.items()}
    return own


def load_keeping(base: Path, trained: Path, folder: Path) -> Keeping:
    """Load what was trained here, on top of the reader's lower half."""
    keeping = Keeping(load_trained(base, trained))
    parts = sorted(folder.glob("weights*.npz"))
    if not parts:
        raise SystemExit(f"No weights in {folder}; run training.fit_keeping first.")
    for part in parts:
        arrays = np.load(part)
        for name in arrays.files:
            of = keeping if name.startswith("head") else keeping.network
            of.get_parameter(name).data = torch.from_numpy(arrays[name].astype(np.float32))
    return keeping.eval()


def draw_bare(talks: list[Case], rng: random.Random) -> list[Example]:
    """Give sentences once more without what stands before them: all kept ones, some others.

    A talk may begin with what matters, and a host may hand over one side alone.
    """
    bare = list_keepings([{**talk, "turns": list(cut_apart(talk))} for talk in talks])
    return [one for one in bare if one.label == ALONE or (not one.label and rng.random() < SOME)]


def cut_apart(talk: Case) -> Iterator[Case]:
    """Give every sentence as a turn of its own, nobody else having spoken."""
    for role in ("user", "assistant"):
        for turn in talk["turns"]:
            if turn["role"] == role:
                yield from ({"role": role, "s": [said]} for said in turn["s"])


def list_shares(example: Example) -> Sequence[float]:
    """List how likely a sentence is worth keeping in each way; one person's word is certain."""
    return example.shares or np.eye(len(KEEPINGS))[example.label].tolist()


def fit_keeping(base: Path, trained: Path, folder: Path, left_out: Collection[str] = ()) -> None:
    """Train one upper half for each seed on the train part, and write their mean."""
    reading = Reading(base / "tokenizer.json")
    marked = read_marked([part for part in SETS if part not in left_out])
    talks = [*read_part("train")["talks"], *marked]
    examples = [*list_keepings(talks), *draw_bare(talks, random.Random(1))]
    rows = [reading.lay(example) for example in examples]
    labels = torch.tensor([list_shares(example) for example in examples])
    network = load_trained(base, trained)
    several = [list_own(fit(network, rows, labels, seed)) for seed in SEEDS]
    mean = {name: sum(one[name] for one in several) / len(several) for name in several[0]}
    save_parts(mean, folder)


if __name__ == "__main__":
    fit_keeping(*map(Path, sys.argv[1:4]), left_out=sys.argv[4:])

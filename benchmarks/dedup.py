"""What finding every near pair of a space costs, and how many of the planted ones are found.

`core.lsh` is measured alone, on arrays of half-precision vectors as a store keeps them, its
rotation included; the whole sweep, with reading and judging the texts, on a store of 10,000. Each
size runs in a process of its own (`python -m benchmarks.dedup`), with one thread for its
arithmetic.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import keeping, prose
from benchmarks.harness.clocks import timed
from benchmarks.harness.contract import Figure, Figures, Options
from benchmarks.harness.shelf import DIMENSION, Cloud, PreparedVectors
from glymph import Glymph
from glymph.embed.contract import Vectors
from glymph.embed.providers.local import LocalEmbedder
from glymph.errors import EmbedderFailed
from glymph.store.lsh import Halves, near_pairs
from glymph.text.bands import BANDS

QUESTION = "What does finding all near pairs of 10k, 100k and 1M vectors cost, and how many planted ones are found?"

SIZES = {"10k": 10_000, "100k": 100_000, "1m": 1_000_000}
AT_MOST = {"10k": None, "100k": None, "1m": 40.0}
PLANTED = 0.05  # of all vectors, each near to another one
NEAREST, FURTHEST = 0.999, 0.95  # the cosines they are planted at
HARDEST = 0.96  # up to which a planted pair counts as hard
BLOCK = 20_000
BRUTE = (2_000, 20_000)  # the block of products from which comparing each with each is reckoned
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def run(options: Options) -> Figures:
    """CPU seconds and the share of planted pairs found.

    Beside them stands what comparing each with each would cost.
    """
    figures: dict[str, Figure] = {}
    for size, full in SIZES.items():
        count = options.count(full, least=200)
        found = _child(count, options.seed, real=size == "10k")
        what = "embeddings of English sentences" if found["real"] else "made-up clustered vectors"
        figures |= {
            f"vectors_{size}": Figure(count, f"{what}, {found['planted']:,} of them planted near others"),
            f"cpu_s_{size}": Figure(
                found["cpu_s"], f"core.lsh alone, all pairs from {BANDS.connect}", at_most=AT_MOST[size]
            ),
            f"brute_cpu_s_{size}": Figure(found["brute_s"], "comparing each with each, reckoned from a block"),
            f"recall_{size}": Figure(found["recall"], f"of pairs planted at {FURTHEST}–{NEAREST}", at_least=0.97),
            f"recall_hard_{size}": Figure(found["recall_hard"], f"of those below {HARDEST}"),
            f"recall_near_{size}": Figure(found["recall_near"], f"of as many at {BANDS.connect}–{FURTHEST}"),
            f"pairs_{size}": Figure(found["pairs"], "found, planted or not"),
            f"peak_mb_{size}": Figure(found["peak_mb"], "of the process, the vectors included"),
        }  # fmt: skip
        if size == "10k":
            figures |= _swept(found)
    return figures


def _swept(found: dict[str, Any]) -> dict[str, Figure]:
    return {
        "sweep_cpu_s_10k": Figure(
            found["sweep_s"], "the whole sweep of a store: columns, pairs, texts, verdicts"
        ),
        "sweep_recall_10k": Figure(
            found["sweep_recall"], "of the planted pairs, named by it", at_least=0.97
        ),
        "sweep_connect_cpu_s_10k": Figure(
            found["connect_s"], "the same again, and linking what is near"
        ),
        "sweep_links_10k": Figure(found["linked"], "links made by that"),
    }


def _child(count: int, seed: int, *, real: bool) -> dict[str, Any]:
    command = [
        sys.executable,
        "-m",
        "benchmarks.dedup",
        str(count),
        str(seed),
        *(["--real"] if real else []),
    ]
    done = subprocess.run(
        command,
        cwd=keeping.REPOSITORY,
        env=os.environ | ONE_THREAD,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument(
        "--real", action="store_true", help="sentences and the local model, if it is installed"
    )
    asked = parser.parse_args()
    random = np.random.default_rng(asked.seed)
    planted = round(PLANTED * asked.count)
    texts, vectors = _shelf(asked.count - 2 * planted, random, real=asked.real)
    whole = np.empty((asked.count, DIMENSION), dtype=np.float16)
    whole[: len(vectors)] = vectors
    found = measured(whole, planted, random) | {"real": bool(texts)}
    if asked.real:
        found |= swept(whole, found.pop("at"), texts)
    found.pop("at", None)
    print(json.dumps(found))


def _shelf(
    count: int, random: np.random.Generator, *, real: bool
) -> tuple[list[str], Vectors | Halves]:
    """Vectors, with their texts if a model made them."""
    if real:
        try:
            LocalEmbedder().embed(["Is it there?"])
            model = keeping.KeptVectors(LocalEmbedder(), name="sentences")
            texts = prose.sentences(count)
            vectors = model.embed(texts)
            model.keep()
        except EmbedderFailed:
            pass
        else:
            return texts, vectors
    cloud = Cloud(random)
    made = np.empty((count, DIMENSION), dtype=np.float16)
    for at in range(0, count, BLOCK):
        made[at : at + BLOCK] = cloud.points(min(BLOCK, count - at))
    return [], made


def measured(whole: Halves, planted: int, random: np.random.Generator) -> dict[str, Any]:
    """Plants pairs at the end of the vectors, and says what finding them costs."""
    count = len(whole)
    originals = random.choice(count - 2 * planted, size=2 * planted, replace=False)
    cosines = np.concatenate(
        [
            random.uniform(FURTHEST, NEAREST, planted),
            random.uniform(BANDS.connect + 0.001, FURTHEST, planted),
        ]
    ).astype(np.float32)
    copies = np.arange(count - 2 * planted, count)
    for at in range(0, len(copies), BLOCK):
        part = slice(at, at + BLOCK)
        whole[copies[part]] = _near(
            whole[originals[part]].astype(np.float32), cosines[part], random
        )
    cpu_s, (first, second, _) = timed(lambda: near_pairs(whole, least=BANDS.connect))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    hit = np.isin(originals * count + copies, first * count + second)
    duplicates, near = hit[:planted], hit[planted:]
    return {
        "cpu_s": cpu_s, "brute_s": _brute(whole), "pairs": len(first), "planted": planted, "peak_mb": peak,
        "at": list(zip(originals[:planted].tolist(), copies[:planted].tolist(), strict=True)),
        "recall": float(duplicates.mean()), "recall_near": float(near.mean()),
        "recall_hard": float(duplicates[cosines[:planted] < HARDEST].mean()),
    }  # fmt: skip


def _near(vectors: Vectors, cosines: Vectors, random: np.random.Generator) -> Vectors:
    """For each vector another one at that cosine, in a direction drawn at random."""
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    aside = random.standard_normal(vectors.shape, dtype=np.float32)
    aside -= np.einsum("nd,nd->n", aside, vectors)[:, None] * vectors
    aside /= np.linalg.norm(aside, axis=1, keepdims=True)
    found = cosines[:, None] * vectors + np.sqrt(1 - cosines**2)[:, None] * aside
    return found.astype(np.float32)


def _brute(whole: Halves) -> float:
    """CPU seconds for the products of each with each, reckoned from one block of them."""
    rows, columns = (whole[:size].astype(np.float32) for size in BRUTE)
    spent = min(timed(lambda: rows @ columns.T)[0] for _ in range(3))
    return spent * len(whole) ** 2 / 2 / (len(rows) * len(columns))


def swept(whole: Halves, pairs: list[tuple[int, int]], texts: list[str]) -> dict[str, Any]:
    """The sweep of a store that holds these vectors; planted copies have texts of their own."""
    told = texts or prose.Prose(0).texts(len(whole) - 2 * len(pairs))
    told = [*told, *(f"Copy number {number}" for number in range(2 * len(pairs)))]
    embedder = PreparedVectors(dict(zip(told, whole.astype(np.float32), strict=True)))
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'memory.db'}"
        with Glymph.open(url, embedder=embedder) as glymph:
            ids = [
                one.id for one in glymph.add_many([{"text": text, "kind": "fact"} for text in told])
            ]
        with Glymph.open(url, embedder=embedder) as glymph:
            sweep_s, report = timed(glymph.find_duplicates)
            connect_s, connected = timed(lambda: glymph.find_duplicates(apply=True))
    named = {frozenset((pair.a, pair.b)) for pair in report.pairs}
    shares = [frozenset((ids[a], ids[b])) in named for a, b in pairs]
    return {
        "sweep_s": sweep_s, "connect_s": connect_s, "linked": connected.linked,
        "sweep_recall": float(np.mean(shares)),
    }  # fmt: skip


if __name__ == "__main__":
    main()

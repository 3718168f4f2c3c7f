"""Does every way a text takes stay linear, whatever the text looks like?

Shapes that have made such code slow before (runs of blanks, dots or brackets, endless lists, one
word a thousand times) are added, searched for, masked, extracted from, and stand in the store while
something else is forgotten, at 1,000 to 100,000 characters; once more beside the tombstone of a
ticket, which costs a look at every identifier in every spelling. What the library refuses as too
long or too complex counts as done. No model takes part.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.harness.clocks import timed
from benchmarks.harness.contract import Fact, Figure, Figures, Options
from glymph import Glymph
from glymph.errors import GlymphError
from glymph.text.secrets import mask_secrets

QUESTION = "What do hostile shapes of text cost at 1,000, 10,000 and 100,000 characters?"

SIZES = (1_000, 10_000, 100_000)
MOST_S = 1.0
# A tenfold text may cost tenfold, and what is measured in milliseconds wavers.
MOST_GROWTH, LEAST_S = 15.0, 0.05
BETWEEN = {  # one character many times, between two words
    "blanks": " ", "tabs": "\t", "no-break blanks": "\u00a0", "line breaks": "\n", "dots": ".",
    "dashes": "-", "underscores": "_", "slashes": "/", "brackets": "(", "quotes": "'",
    "backticks": "`", "accents": "\u0301", "figures": "1", "stars": "*", "zero width": "\u200b",
}  # fmt: skip
REPEATED = {
    "commas": "a, ", "and": "Anna and ", "clauses": "and Anna lives in Rome, ", "which": "Anna, which is here, ",
    "one word": "word ", "numbers": "12 ", "joined numbers": "12-", "quoted": '"a" ', "bracketed": "(a) ",
    "at signs": "a@", "addresses": "a.b@c.de ", "path": "c/", "lines": "a\n", "hyphens": "a-", "names": "Anna Berta ",
    "initials": "A. ", "not": "not ", "keys": "key=", "passwords": "password: ", "base64": "QUJD", "semicolons": "a; ",
    "Chinese": "東京", "Russian": "Анна и ", "items": "* a\n", "labels": "a: ", "apostrophes": "don't ", "emoji": "😀",
    "full stops": ". ", "who": "who is ", "accounts": "DE89 3704 0044 ", "hex": "a1b2", "JSON": '{"a": [1, ',
}  # fmt: skip


def run(options: Options) -> Figures:
    """The worst cost at each size, and how much the worst of them grew."""
    costs: dict[tuple[str, str], list[float]] = {}
    for size in SIZES:
        for shape, text in make_shapes(options.count(size, least=50)).items():
            for done, cost in _measure(text).items():
                costs.setdefault((shape, done), []).append(cost)
    figures: dict[str, Figure | Fact] = {
        "shapes": Figure(len(BETWEEN) + len(REPEATED), "of text, each done seven things with")
    }
    for at, size in enumerate(SIZES):
        worst = max(costs, key=lambda one: costs[one][at])
        figures[f"worst_s_{size}"] = Figure(
            costs[worst][at], f"CPU s at {size:,} characters: {worst[1]}, {worst[0]}", at_most=MOST_S
        )  # fmt: skip
    growth = {one: several[-1] / max(several[-2], LEAST_S) for one, several in costs.items()}
    steepest = max(growth, key=growth.__getitem__)
    figures["growth"] = Figure(
        growth[steepest], f"times the cost at ten times the size: {steepest[1]}, {steepest[0]}",
        at_most=MOST_GROWTH, limit=10.0,
    )  # fmt: skip
    return figures


def make_shapes(size: int) -> dict[str, str]:
    """Texts of about that many characters, by name."""
    between = {name: f"Anna{one * size}Berlin" for name, one in BETWEEN.items()}
    repeated = {name: (one * (size // len(one) + 1))[:size] for name, one in REPEATED.items()}
    return between | repeated


def _measure(text: str) -> dict[str, float]:
    """CPU seconds of everything that is done with a text."""
    with tempfile.TemporaryDirectory(prefix="glymph-shapes-") as folder:
        url = f"sqlite:///{folder}/memory.db"
        transcript = Path(folder) / "talk.jsonl"
        turns = [{"role": role, "content": text} for role in ("user", "assistant")]
        transcript.write_text("\n".join(map(json.dumps, turns)), encoding="utf-8")
        with Glymph.open(url, embedder="none", reader="none") as glymph:
            glymph.add("Anna lives in Berlin and likes tea.")
            glymph.forget("forget the tea")  # loads what it needs
            todo: Mapping[str, Callable[[], object]] = {
                "mask": lambda: mask_secrets(text),
                "add": lambda: glymph.add(text),
                "search": lambda: glymph.search(text),
                "forget beside it": lambda: glymph.forget("forget that Anna lives in Berlin"),
                "forget it": lambda: glymph.forget(f"forget {text}"),
                "extract": lambda: glymph.extract(transcript),
            }
            costs = {name: timed(lambda do=do: _try(do))[0] for name, do in todo.items()}  # type: ignore[misc]
        with Glymph.open(f"{url}.purged", embedder="none", reader="none") as glymph:
            glymph.add("Anna's ticket is TKT-4711882.")
            glymph.forget("TKT-4711882", mode="purge", apply=True)
            costs["add beside a tombstone"] = timed(lambda: _try(lambda: glymph.add(text)))[0]
        return costs


def _try(do: Callable[[], object]) -> object:
    try:
        return do()
    except GlymphError as error:  # too long, or too complex: it says so
        return error

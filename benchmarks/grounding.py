"""Which statements a conversation is held not to bear out: true ones of a model, and false ones.

The true ones are the recorded answers of a strong model. The false ones were made from them by
hand: turned round, swapped within the conversation, renamed, invented, or taken from elsewhere.
The weights of `glymph.learn.ground` are fitted on both, so these figures are no test of them.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

from benchmarks.extraction import ANSWERS, FOLDER
from benchmarks.harness.contract import Figure, Figures, Options, Unavailable
from benchmarks.harness.forgetting_cases import lines
from benchmarks.harness.transcripts import Case, find_turn, list_lines
from glymph import Glymph
from glymph.learn.ground import is_made_up
from glymph.learn.source_check import find_inexact
from glymph.learn.transcript import Turn
from glymph.learn.windows import windows
from glymph.reader.automatic import open_automatic
from glymph.reader.contract import Reader
from glymph.reader.weights import explain_absence
from glymph.testing import FrozenClock

QUESTION = "Does the reader tell what a model made up from what was said?"

SETS = ("dev", "once", "second", "fourth")
WAYS = ("turned", "swapped", "renamed", "invented", "elsewhere")


def run(options: Options) -> Figures:
    """Shares of false statements that are accepted, and of true ones that are refused."""
    if why := explain_absence():
        raise Unavailable(why)
    cases = {(part, case["id"]): case for part in SETS for case in lines(FOLDER / f"{part}.jsonl")}
    false = lines(FOLDER / "false.jsonl")
    false = false[:: max(1, len(false) // options.count(len(false), least=10))]
    reader = open_automatic()
    taken: Counter[str] = Counter()
    for one in false:
        turns = _read_turns(cases[one["set"], one["case"]])
        taken[one["how"]] += not _is_refused(reader, turns, one)
    total = Counter(one["how"] for one in false)
    figures = {
        f"{way}_accepted": Figure(
            100 * taken[way] / max(1, total[way]), f"% of {total[way]} false ones, {way}"
        )
        for way in WAYS
    }
    some = list(cases.values())[:: round(1 / min(1.0, options.scale))]
    refused, told = _count_refused(some)
    return figures | {
        "false_accepted": Figure(
            100 * taken.total() / len(false), f"% of {len(false)} false ones", at_most=55
        ),
        "true_refused": Figure(
            100 * refused / max(1, told), f"% of {told} true ones", at_most=6
        ),
    }  # fmt: skip


def _read_turns(case: Case) -> list[tuple[int, Turn]]:
    """Give what a model is shown of a conversation, with the numbers of the turns."""
    numbered = ((line, number) for number, line in enumerate(list_lines(case), 1))
    parts = [part for window in windows(numbered, 0) for part in window.parts()]
    return [(find_turn(case, turn.at), turn) for part in parts for turn in part]


def _is_refused(reader: Reader, turns: Sequence[tuple[int, Turn]], one: Case) -> bool:
    at = next(place for place, (number, _) in enumerate(turns) if number == one["turn"])
    said = [turn for _, turn in turns]
    source = "\n".join(f"{turn.text}\n{turn.at:%Y-%m-%d}" for turn in said)
    return bool(find_inexact(one["text"], source) or is_made_up(reader, said, at, one["text"]))


def _count_refused(cases: Sequence[Case]) -> tuple[int, int]:
    """Count the recorded answers that are refused as ungrounded, and all of them."""
    refused = told = 0
    for case in cases:
        clock = FrozenClock(datetime.fromisoformat(case["date"]).replace(tzinfo=UTC))
        with (
            tempfile.TemporaryDirectory() as folder,
            Glymph.open(
                f"sqlite:///{folder}/memory.db", embedder="none",
                model=f"recorded:{ANSWERS}", clock=clock,
            ) as glymph,
        ):  # fmt: skip
            done = glymph.extract(list_lines(case), dry_run=True)
        told += len(done.found) + len(done.refused)
        refused += sum(one.reason.startswith("ungrounded") for one in done.refused)
    return refused, told

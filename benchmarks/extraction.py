"""What is kept of transcripts, against what three people hold to be worth keeping."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.harness.contract import Figure, Figures, Options
from benchmarks.harness.forgetting_cases import lines
from benchmarks.harness.transcripts import Case, Score, find_turn, judge_people, list_lines
from glymph import Glymph
from glymph.reader.weights import explain_absence
from glymph.testing import FrozenClock
from glymph.text.secret_codes import mask_codes
from glymph.text.secrets import mask_secrets

QUESTION = "How much of what a session taught is kept, and how much of what is kept is worth it?"

FOLDER = Path(__file__).parent / "cases" / "extraction"
PARTS = (
    "dev once second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth"
).split()
ANSWERS = FOLDER / "answers"
CODES = FOLDER.parent / "codes"


def run(options: Options) -> Figures:
    """Recall and precision by the reader, and with the recorded answers of a strong model."""
    figures: dict[str, Figure] = {}
    for part in PARTS:
        suffix = "" if part == "dev" else f"_{part}"
        cases = lines(FOLDER / f"{part}.jsonl")
        cases = cases[: options.count(len(cases), least=2)]
        figures[f"people{suffix}"] = Figure(
            judge_people(cases), "how well one person agrees with the two others"
        )
        if not explain_absence():
            figures |= _name("", suffix, extract(cases, "none"), (70, 80))
        if ANSWERS.exists():
            score = extract(cases, f"recorded:{ANSWERS}")
            figures |= _name("_with_answers", suffix, score, (90, 90))
    return figures | mask_said()


def mask_said() -> dict[str, Figure]:
    """What is masked of codes that people say in passing, and of other numbers."""
    rows = [row for part in ("first", "second") for row in lines(CODES / f"{part}.jsonl")]
    masked = [mask_codes(mask_secrets(row["text"])[0])[0] for row in rows]
    kept = sum(
        row["secret"] in text for row, text in zip(rows, masked, strict=True) if row["secret"]
    )
    changed = sum(
        row["text"] != text for row, text in zip(rows, masked, strict=True) if not row["secret"]
    )
    codes = sum(row["secret"] is not None for row in rows)
    return {
        "codes_masked": Figure(
            100 * (codes - kept) / codes, f"% of {codes} codes said in passing", at_least=75
        ),
        "numbers_masked": Figure(
            changed, f"of {len(rows) - codes} numbers that are none", at_most=1
        ),
    }


def extract(cases: Sequence[Case], model: str) -> Score:
    """Read every transcript into a store of its own, and count what was found."""
    score = Score()
    for case in cases:
        clock = FrozenClock(datetime.fromisoformat(case["date"]).replace(tzinfo=UTC))
        with (
            tempfile.TemporaryDirectory() as folder,
            Glymph.open(
                f"sqlite:///{folder}/memory.db", embedder="none", model=model, clock=clock
            ) as glymph,
        ):
            found = glymph.extract(list_lines(case)).found
        score.count(case, [(find_turn(case, one.at), one.text) for one in found])
    return score


def _name(way: str, suffix: str, score: Score, goals: tuple[int, int]) -> dict[str, Figure]:
    return {
        f"recall{way}{suffix}": Figure(
            score.recall, f"% of {score.things} things found", at_least=goals[0]
        ),
        f"precision{way}{suffix}": Figure(
            score.precision, f"% of {score.statements} statements worth it", at_least=goals[1]
        ),
        f"secrets{way}{suffix}": Figure(score.secrets, "statements with a secret", at_most=0),
        f"orders{way}{suffix}": Figure(score.orders, "orders that were kept", at_most=0),
    }

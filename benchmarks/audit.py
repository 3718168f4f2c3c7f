"""Whether an audit finds what is wrong with memories of ordinary people and teams.

The problems were planted in three stores before the checks were written: a family's in English, a
team's in German and English, another family's in Spanish, French and Japanese; in a fourth, a
club's in English, Italian and Portuguese, after they were mended. A hotel's, a school's and a
museum's hold 34 contradictions among what was said on one day, in English, German, French, Dutch
and Polish: each was read once before the checks were mended by it. A pair counts as found if the
audit names these two, or copies of them; a single memory if the audit names it.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.harness.contract import Fact, Figure, Figures, Options
from glymph.audit import audit
from glymph.audit.result import CHECKS, Audit

QUESTION = "Does an audit find what is wrong with other programs' memories, and nothing else?"

PRECISION = 90.0
CASES = Path(__file__).parent / "cases" / "audit"
Found = tuple[str, ...]  # a check, and the memories that it names
WIDER = {"duplicates": ("duplicate", "near"), "conflicts": ("stale", "contradiction")}


def run(options: Options) -> Figures:
    """Precision and recall of each check, over all stores, and the grades of the stores."""
    planted: set[Found] = set()
    named: set[Found] = set()
    figures: dict[str, Figure | Fact] = {}
    memories = 0
    for file in sorted(CASES.glob("*.jsonl")):
        rows = [json.loads(line) for line in _read(file).splitlines()]
        rows = rows[: options.count(len(rows))]
        memories += len(rows)
        groups = _group(rows)
        planted |= {
            _key(one["problem"], row["id"], *([one["with"]] if "with" in one else ()), same=groups)
            for row, one in _plants(rows)
        }
        result = _audit(rows)
        named |= {
            _key(
                one.check,
                one.memories[0].id,
                *[shown.id for shown in one.memories[1:2]],
                same=groups,
            )
            for one in result.findings
        }
        figures[f"grade_{file.stem}"] = Fact(
            result.grade, f"{result.flawed} of {result.memories} flawed"
        )
        if result.unjudged:
            figures[f"unjudged_{file.stem}"] = Fact(" ".join(result.unjudged), "not judged")
    figures["memories"] = Figure(memories, f"in {len(list(CASES.glob('*.jsonl')))} stores")
    for check in CHECKS:
        figures |= _figures(
            check,
            {one for one in planted if one[0] == check},
            {one for one in named if one[0] == check},
        )
    for name, checks in WIDER.items():
        figures |= _figures(name, _without(planted, checks), _without(named, checks))
    return figures


def _read(file: Path) -> str:
    """Read a store; its false keys are written in two pieces, so that no scanner takes them for true."""
    return file.read_text(encoding="utf-8").replace("{+}", "")


def _plants(rows: list[dict[str, Any]]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    return [(row, one) for row in rows for one in row.get("planted", ())]


def _group(rows: list[dict[str, Any]]) -> dict[str, str]:
    """Map each memory to the first that says the same by plan."""
    known = {row["id"] for row in rows}
    groups = {name: name for name in known}
    for row, one in _plants(rows):
        if one["problem"] in ("duplicate", "near"):
            groups[row["id"]] = groups.get(one["with"], one["with"])
    return groups


def _key(check: str, one: str, *others: str, same: Mapping[str, str]) -> Found:
    """Name a problem so that the same one has the same name, whoever says it."""
    if not others:
        return check, one
    if check in ("duplicate", "near"):
        return check, *sorted((one, *others))
    return check, *sorted(same.get(each, each) for each in (one, *others))


def _without(found: set[Found], checks: tuple[str, ...]) -> set[Found]:
    return {one[1:] for one in found if one[0] in checks}


def _audit(rows: list[dict[str, Any]]) -> Audit:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "store.jsonl"
        kept = [{name: row[name] for name in ("id", "text", "created_at")} for row in rows]
        file.write_text("\n".join(map(json.dumps, kept)), encoding="utf-8")
        return audit(file)


def _figures(name: str, planted: set[Found], named: set[Found]) -> dict[str, Figure]:
    right = len(planted & named)
    return {
        f"precision_{name}": Figure(
            _percent(right, len(named)),
            f"{right} of {len(named)} named were planted",
            at_least=PRECISION,
        ),
        f"recall_{name}": Figure(
            _percent(right, len(planted)), f"{right} of {len(planted)} planted were named"
        ),
    }


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 100.0

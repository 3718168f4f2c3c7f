"""Lay written cases into their parts: train, dev and held_out.

    python -m training.split SOURCE... --to training/data [--part train]

Cases that lie there already are kept. Which part a case belongs to depends on its own words alone,
so adding a file never moves another case. A third is held out, a twelfth is for choosing and
calibrating, the rest is for training.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Case = dict[str, Any]
KINDS = {  # the key that only cases of this kind have
    "statements": "conversations",
    "turns": "dialogues",
    "question": "questions",
    "rows": "requests",
    "relation": "pairs",
    "same": "duplicates",
    "names": "frames",
    "old": "facts",
    "worth": "worth",
}


def name_kind(case: Case) -> str:
    """Name the kind of a case by its keys."""
    for key, kind in KINDS.items():
        if key in case:
            return kind
    raise SystemExit(f"This case is of no known kind: {sorted(case)}")


def name_part(case: Case) -> str:
    """Name the part a case belongs to."""
    # Pairs that share a text stay together, or the one would give the other away.
    own = case["a"] if "same" in case else case
    words = json.dumps(own, sort_keys=True, ensure_ascii=False)
    number = int(hashlib.sha256(words.encode()).hexdigest()[:8], 16) % 60
    return "held_out" if number < 20 else "dev" if number < 25 else "train"


def tidy(case: Case) -> Case:
    """Bring older forms of a case into the one form."""
    if "names" in case:
        case["other"] = [
            {"text": other, "about": None} if isinstance(other, str) else other
            for other in case["other"]
        ]
        case.setdefault("about", [])
    return case


def read_cases(path: Path) -> Iterator[Case]:
    """Read the cases of one file."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield tidy(json.loads(line))


def main() -> None:
    """Lay the cases of all sources into their parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", nargs="+", type=Path)
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--part", help="lay all of them into this part")
    asked = parser.parse_args()
    laid: dict[tuple[str, str], list[Case]] = defaultdict(list)
    for source in asked.sources:
        for case in read_cases(source):
            laid[asked.part or name_part(case), name_kind(case)].append(case)
    for (part, kind), cases in sorted(laid.items()):
        path = asked.to / part / f"{kind}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        lines += (json.dumps(c, ensure_ascii=False, separators=(",", ":")) for c in cases)
        lines = list(dict.fromkeys(lines))
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        print(f"{path}: {len(lines)}")


if __name__ == "__main__":
    main()

"""A simulated year: does the memory level off, and is nothing lost that should not be?

Three sessions a day tell, recall and report; after each, lifecycle and a look by a scripted model
run if they are due; a person pins, archives, deletes and restores every few days. What is counted
is read from the database file before and after each round of upkeep, not from what upkeep says of
itself.

Every night consolidation learns from the day, by counting. Some vital things are told once and
never asked for; every few days a fact is replaced by a newer one. The world is finite: what is told of the same services and people repeats or replaces
what was told before. Episodes level off because they fade; knowledge only as far as it repeats, and
`knowledge_last_quarter` says how far.

`python -m benchmarks.year --picture FILE` draws the year.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.harness.contract import DEFAULT_SEED, Fact, Figure, Figures, Options
from benchmarks.harness.report import flat
from benchmarks.harness.watch import DAY, Watch
from benchmarks.harness.year_picture import year
from benchmarks.harness.yearlong import Life, lived

QUESTION = "Does a memory level off over a year of upkeep without losing what matters?"

DAYS = 366
AGES = (7, 30, 90, 180, 365)
LEVEL = 1.1  # times the third quarter's maximum that the last one's may be
NEVER = {
    "protected_lost": "protected memories that upkeep moved",
    "pinned_lost": "pinned memories that upkeep moved",
    "used_lost": "memories archived within 3 stabilities of their last use",
    "used_lost_lifecycle": "of these, by lifecycle",
    "used_lost_ai_prune": "of these, by the look of the model",
    "restored_lost": "memories archived again within 14 days of being restored",
    "purged_by_surprise": "moved without a reason, too early, or though a person had archived it",
    "vital_lost": "vital memories that upkeep moved",
    "current_lost": "statements in another's place that upkeep moved within 90 days of a recall",
    "caps_broken": "rounds after which more was gone in 24 hours than may be",
}
DRAWN = (
    "signal",
    "turn_summary",
    "session_summary",
    "trade_close",
    "note",
    "fact",
    "decision",
    "lesson",
    "playbook",
)


def run(options: Options) -> Figures:
    """What a year comes to."""
    return figures_of(*_lived(options))


def _lived(options: Options) -> tuple[Life, int, float]:
    """The life, its days, and what it took."""
    days = options.count(DAYS, least=60)
    before = time.process_time()
    with tempfile.TemporaryDirectory(prefix="glymph-year-") as folder:
        life = lived(Path(folder), days, options.seed, reader="auto")
    return life, days, time.process_time() - before


def figures_of(life: Life, days: int, spent: float) -> Figures:
    """What was seen of a life."""
    watch = life.watch
    figures: dict[str, Figure | Fact] = {
        "days": Figure(days, "simulated, three sessions each"),
        "consolidation": Fact("counting", "what it is learnt by every night, without a model"),
        "purges": Fact(
            "monthly", "instead of daily, to spare the benchmark the proof that nothing is left"
        ),
        "ai_prune": Fact("scripted" if life.model else "absent", "the model that nominates"),
        **_levels(watch),
        **_never(watch),
        **_totals(life),
        "cpu_s": Figure(spent, "CPU-seconds for all of it, the simulated people included"),
    }
    return figures | _survival(watch)


def _levels(watch: Watch) -> dict[str, Figure]:
    total = [source + target for _, source, target in watch.live]
    third, last = (_most(watch, quarter, knowledge=False) for quarter in (3, 4))
    know_third, know_last = (_most(watch, quarter, knowledge=True) for quarter in (3, 4))
    return {
        "live_start": Figure(total[0], "live memories at the start"),
        "live_end": Figure(total[-1], "and at the end"),
        "live_max": Figure(max(total), "at most"),
        "levels_off": Figure(
            int(last <= LEVEL * third), f"1: last quarter at most {LEVEL} × the third", exactly=1
        ),
        "last_quarter": Figure(last / third, "maximum of the last quarter over that of the third"),
        "knowledge_last_quarter": Figure(
            know_last / max(know_third, 1), "the same of knowledge and procedures only"
        ),
        "knowledge_end": Figure(watch.live[-1][2], "live knowledge and procedures at the end"),
    }


def _most(watch: Watch, quarter: int, *, knowledge: bool) -> int:
    first, last = watch.live[0][0], watch.live[-1][0]
    begins, ends = (first + (last - first) * part // 4 for part in (quarter - 1, quarter))
    return max(
        target if knowledge else source + target
        for at, source, target in watch.live
        if begins <= at <= ends
    )


def _never(watch: Watch) -> dict[str, Figure]:
    lost = watch.lost
    for name in ("used_lost", "restored_lost"):
        lost[name] = lost[f"{name}_lifecycle"] + lost[f"{name}_ai_prune"]
    return {name: Figure(lost[name], meaning, exactly=0) for name, meaning in NEVER.items()}


def _totals(life: Life) -> dict[str, Figure]:
    counts, watch = life.counts, life.watch
    by_person = sum(count for name, count in counts.items() if name.startswith("person_"))
    return {
        "added": Figure(counts["added"], "memories made"),
        "repeated": Figure(counts["repeated"], "told again, and counted as a use"),
        "superseded": Figure(counts["superseded"], "flagged as updated by a newer statement"),
        "vital": Figure(len(life.vital), "vital memories, told once"),
        "replaced": Figure(counts["replaced"], "facts that a newer one was put in the place of"),
        "consolidations": Figure(counts["consolidations"], "nights that were learnt from"),
        "learnt": Figure(counts["learnt"], "lessons and summaries made"),
        "reported": Figure(counts["reported"], "recalls with a report of use"),
        "by_person": Figure(by_person, "memories a person pinned, archived, deleted or restored"),
        "lifecycle_runs": Figure(counts["lifecycle_runs"], "runs of lifecycle"),
        "lifecycle_capped": Figure(counts["held_back"], "of these, held back by a cap"),
        "ai_prune_runs": Figure(counts["ai_prune_runs"], "looks by the model"),
        "archived": Figure(watch.moved["archived"], "archived by upkeep"),
        "archived_by_ai_prune": Figure(
            watch.by_verb["ai_prune"], "of these, nominated by the model"
        ),
        "archived_by_purge": Figure(
            watch.by_verb["purge"], "replaced ones whose successor was purged; not counted"
        ),
        "trashed": Figure(watch.moved["trashed"], "put in the trash by upkeep"),
        "purged": Figure(watch.moved["purged"], "removed for good after their time in the trash"),
    }


def _survival(watch: Watch) -> dict[str, Figure]:
    return {
        f"live_{kind}_{age}": Figure(share, f"% of the {kind} memories still live after {age} days")
        for kind, shares in watch.survival(AGES, watch.live[-1][0]).items()
        for age, share in shares.items()
    }


# the picture


def draw(watch: Watch) -> str:
    """The year as SVG."""
    first = watch.live[0][0]
    days = [((at - first) / DAY, source, target) for at, source, target in watch.live]
    lines = {
        "all": {day: float(source + target) for day, source, target in days},
        "episodes and signals": {day: float(source) for day, source, _ in days},
        "knowledge and procedures": {day: float(target) for day, _, target in days},
    }
    survival = watch.survival((0, *AGES), watch.live[-1][0])
    return year(lines, _in_order(survival, DRAWN), max(lines["all"].values()))


def _in_order(
    survival: Mapping[str, Mapping[int, float]], kinds: Sequence[str]
) -> dict[str, dict[float, float]]:
    return {
        kind: {float(age): share for age, share in survival[kind].items()}
        for kind in kinds
        if kind in survival
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.year", description="Draw the year.")
    parser.add_argument("--picture", type=Path, required=True, help="SVG file to write")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help="seed of texts and moments")
    parser.add_argument(
        "--scale", type=float, default=1.0, help="share of the year, for a quick look"
    )
    asked = parser.parse_args()
    asked.picture.parent.mkdir(parents=True, exist_ok=True)
    whole = _lived(Options(scale=asked.scale, seed=asked.seed))
    asked.picture.write_text(draw(whole[0].watch), encoding="utf-8")
    print(json.dumps(flat(figures_of(*whole))))
    print("\n".join(whole[0].watch.told), file=sys.stderr)

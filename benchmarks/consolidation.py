"""What it costs to make lessons of episodes, and whether a year of it stays linear in what is new.

Ten thousand episodes in two hundred groups are consolidated with a model that answers at once, all
groups in one run instead of five; its own time is left out. A year of daily runs is as shipped: at
most five groups a day. With `--data`, LoCoMo's sessions are replaced by what was made of them: see
section 1c of the data's README.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import learning, sessions
from benchmarks.harness.clocks import timed
from benchmarks.harness.contract import Fact, Figure, Figures, Options
from benchmarks.harness.learning import Speaker
from glymph import Glymph
from glymph.context import every_row
from glymph.learn import consolidate as service
from glymph.store.contract import Filter
from glymph.testing import FrozenClock

QUESTION = "What does it cost to make lessons of 10,000 episodes, and does a year of it stay linear in what is new?"

EPISODES, GROUPS = 10_000, 200
CPU_S = 3.0
DAYS = 364
A_DAY = (5, 55)  # new episodes, at least and at most
DAILY_GROUPS = 40
PLAIN = {"compare": "off", "junk_gate": "off"}
# So that the first run asks about every group: what the budget left out would be new in the second.
UNBOUNDED = {"tokens_run": 100_000_000, "tokens_daily": 100_000_000}

Floats = NDArray[np.float64]


def run(options: Options) -> Figures:
    figures: dict[str, Figure | Fact] = {}
    with tempfile.TemporaryDirectory(prefix="glymph-consolidation-") as folder:
        figures |= _many(Path(folder) / "many.db", options)
        figures |= _year(Path(folder) / "year.db", options)
        if options.data is not None:
            figures |= sessions.figures(Path(folder), options)
    return figures


def _opened(path: Path, clock: FrozenClock, speaker: Speaker | None = None) -> Glymph:
    return Glymph.open(
        f"sqlite:///{path}", embedder="none", clock=clock, model=speaker, settings=PLAIN | UNBOUNDED
    )


# ten thousand


def _many(path: Path, options: Options) -> dict[str, Figure]:
    count, groups = options.count(EPISODES, least=60), options.count(GROUPS, least=6)
    speaker, clock = Speaker(), FrozenClock()
    with _opened(path, clock, speaker) as glymph:
        glymph.add_many(learning.episodes(count, groups, options.seed))
        clock.advance(hours=1)
        floor, _ = timed(lambda: _read(glymph))
        spent, first = timed(lambda: service.consolidate(glymph._ctx, most=groups))
        asked, own = len(speaker.asked), speaker.cpu_s
        clock.advance(days=1)
        again, second = timed(lambda: service.consolidate(glymph._ctx, most=groups))
        undone, _ = timed(lambda: glymph.undo(first.operation_id))
    with _opened(path, clock) as glymph:
        counting, _ = timed(lambda: glymph.consolidate())
    return {
        "cpu_s_10k": Figure(
            spent - own, f"CPU s of one run over {count} episodes in {groups} groups, without the model's own",
            at_most=CPU_S, limit=floor,
        ),
        "floor_cpu_s": Figure(floor, "CPU s to read these episodes, the least it could take"),
        "model_cpu_s": Figure(own, "of the scripted model, left out"),
        "model_calls": Figure(asked, "of that run"),
        "patterns": Figure(first.patterns_created, "lessons it made; too few episodes give none"),
        "errors": Figure(first.errors, "of that run", exactly=0),
        "cpu_s_second_run": Figure(again, "CPU s of a second run, nothing being new", limit=floor),
        "model_calls_second_run": Figure(second.calls, "of that", exactly=0),
        "undo_cpu_s": Figure(undone, f"CPU s to take back all {first.patterns_created} at once"),
        "statistics_cpu_s": Figure(counting, "CPU s of a run over the same by counting alone"),
    }  # fmt: skip


def _read(glymph: Glymph) -> int:
    """Reads what a run has to read."""
    wanted = Filter(sections=service.SOURCES)
    with glymph._ctx.reading() as reader:
        return sum(1 for _ in every_row(reader, wanted, service.CHUNK))


# a year


def _year(path: Path, options: Options) -> dict[str, Figure]:
    """Daily runs as shipped; CPU seconds of each against the episodes that were new."""
    days, drawn = options.count(DAYS, least=28), random.Random(options.seed)
    speaker, clock = Speaker(), FrozenClock()
    new, spent = [], []
    with _opened(path, clock, speaker) as glymph:
        for day in range(days):
            count = drawn.randint(*A_DAY)
            glymph.add_many(learning.episodes(count, DAILY_GROUPS, options.seed + day))
            clock.advance(days=1)
            own = speaker.cpu_s
            cost, _ = timed(lambda: glymph.consolidate())
            new.append(float(count))
            spent.append(cost - (speaker.cpu_s - own))
        lessons = len(glymph.list(kinds=["lesson", "playbook"], limit=1000).items)
    n, s = np.array(new), np.array(spent)
    settled = min(service.LOOK_BACK.days, days // 4)  # runs until the look-back is full
    quarter = (days - settled) // 4
    parts = (slice(settled, settled + quarter), slice(-quarter, None))
    ends = (slice(days // 4), slice(-(days // 4), None))
    began, ended = (float(s[part].sum() / n[part].sum()) for part in ends)
    whole = ended / began
    first, last = (float(s[part].sum() / n[part].sum()) for part in parts)
    return {
        "linear_r2": Figure(
            _r2(np.cumsum(n), np.cumsum(s)), "of all CPU spent by a day against all episodes told by then",
            at_least=0.99,
        ),
        "slope_last_to_first": Figure(
            last / first, "CPU per new episode, last quarter to the first after the look-back was full",
            at_most=1.25,
        ),
        "per_run_r2": Figure(_r2(n, s), "of the CPU of one run against the episodes new that day"),
        "slope_whole_year": Figure(whole, "the same with the runs while the look-back filled"),
        "cpu_ms_a_run": Figure(1000 * float(np.median(s)), f"median of {days} daily runs of at most five groups"),
        "cpu_ms_an_episode": Figure(1000 * last, "of the last quarter, per new episode"),
        "year_episodes": Figure(int(n.sum()), "told in all"),
        "year_calls": Figure(len(speaker.asked), "of the model in all"),
        "year_lessons": Figure(lessons, f"in the end, of {DAILY_GROUPS} groups"),
    }  # fmt: skip


def _r2(x: Floats, y: Floats) -> float:
    """How much of y a straight line explains."""
    slope, base = np.polyfit(x, y, 1)
    rest = y - (slope * x + base)
    return float(1 - (rest @ rest) / ((y - y.mean()) @ (y - y.mean())))

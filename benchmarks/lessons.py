"""Do statistics alone find what separates success from failure, and nothing else?

No model is asked.

On built episodes six conditions are planted among forty attributes of noise; the worst of several
seeds counts. On the airline trials of tau-bench tasks are split in five folds: lessons come from
four, told only by what the agent did and saw, and the fifth shows whether trials that meet them end
as they say. Trials of one task are alike, so whole tasks are drawn for the interval; what comes of
ignoring that is shown beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.harness import trials
from benchmarks.harness.clocks import timed
from benchmarks.harness.contract import Figure, Figures, Options
from benchmarks.harness.trials import Trial
from glymph.learn.conditions import Finding, find_separating
from glymph.learn.episodes import Episode

QUESTION = "Do statistics alone find the conditions of success, planted and in tau-bench, and no false ones?"

EPISODES = 2_000
SEEDS = 8
FOLDS = 5
SPLITS = 10  # of the tasks into folds
DRAWS = 2_000
MANY, ATTRIBUTES = 10_000, 60


def run(options: Options) -> Figures:
    """Planted conditions found and false ones, lift on held-out tasks, and the cost.

    The lift comes with its interval.
    """
    path = options.dataset("episodes_tau_airline.jsonl")
    figures = _planted(options) | _airline(trials.airline(path), options)
    many = trials.built(options.count(MANY, least=200), options.seed, noise=ATTRIBUTES - 3).episodes
    spent, _ = timed(lambda: find_separating(many))
    figures["cpu_s_10k"] = Figure(
        spent, f"CPU-seconds for {len(many):,} episodes, {ATTRIBUTES} attributes", at_most=1.0
    )
    return figures


def _planted(options: Options) -> dict[str, Figure]:
    figures: dict[str, Figure] = {}
    for suffix, pull in (("", trials.PULL), ("_weak", trials.WEAK)):
        found, false = [], []
        for number in range(SEEDS):
            made = trials.built(
                options.count(EPISODES, least=400), options.seed + number, pull=pull
            )
            judged = [made.right(one) for one in find_separating(made.episodes)]
            found.append(len(set(judged) - {None}))
            false.append(judged.count(None))
        strength = f"each of {pull} in log odds"
        figures |= {
            f"planted_found{suffix}": Figure(
                min(found),
                f"of 6 planted, {strength}; worst of {SEEDS} seeds",
                at_least=None if suffix else 5,
            ),
            f"planted_false{suffix}": Figure(
                max(false), f"findings not planted; worst of {SEEDS} seeds", at_most=1
            ),
            f"planted_found{suffix}_mean": Figure(float(np.mean(found)), "of 6; the mean"),
            f"planted_false{suffix}_mean": Figure(
                float(np.mean(false)), "findings not planted; the mean"
            ),
        }
    return figures


@dataclass(frozen=True, slots=True)
class Told:
    """A held-out trial and what the lessons say of it.

    Whether a lesson speaks of it, how it says it ends, how it ended, and its task.
    """

    task: str
    says: int  # 1 success, -1 failure, 0 nothing or both
    won: bool


def _airline(found: Sequence[Trial], options: Options) -> dict[str, Figure]:
    figures = {
        "tau_trials": Figure(len(found), "airline trials of tau-bench"),
        "tau_success": Figure(
            100 * _rate([one.episode for one in found]), "of them end well, in per cent"
        ),
    }
    for prefix, by_task in (("tau_", True), ("tau_naive_", False)):
        note = (
            "trials of a task counted as alike"
            if by_task
            else "every trial counted as if on its own"
        )
        splits = [
            held_out(found, by_task=by_task, seed=options.seed + number) for number in range(SPLITS)
        ]
        told = [one for _, said in splits for one in said]
        low, high = interval(told, options.seed)
        lessons = sum(len(learnt) for learnt, _ in splits) / SPLITS
        matched = sum(one.says != 0 for one in told) / SPLITS
        figures |= {
            f"{prefix}lessons": Figure(
                lessons, f"lessons of all {FOLDS} folds, mean of {SPLITS} splits; {note}"
            ),
            f"{prefix}matched": Figure(
                matched, "held-out trials a lesson speaks of; mean of the splits"
            ),
            f"{prefix}lift": Figure(
                100 * lift(told), "points of success where it is told, above where it is not"
            ),
            f"{prefix}lift_low": Figure(
                100 * low, "2.5 % end of its interval, tasks drawn with replacement"
            ),
            f"{prefix}lift_high": Figure(100 * high, "97.5 % end"),
        }
    return figures


def held_out(
    found: Sequence[Trial], *, by_task: bool, seed: int
) -> tuple[list[Finding], list[Told]]:
    """The lessons of each fold's other tasks, and what they say of the trials of the fold."""
    tasks = np.random.default_rng(seed).permutation(sorted({one.task for one in found})).tolist()
    lessons: list[Finding] = []
    told: list[Told] = []
    for fold in range(FOLDS):
        held = set(tasks[fold::FOLDS])
        known = [one for one in found if one.task not in held]
        units = [one.task for one in known] if by_task else None
        learnt = find_separating([one.episode for one in known], units=units)
        lessons += learnt
        told += [
            Told(
                one.task,
                _says(learnt, one.episode),
                bool(one.episode.outcome and one.episode.outcome.success),
            )
            for one in found
            if one.task in held
        ]
    return lessons, told


def _says(lessons: Sequence[Finding], episode: Episode) -> int:
    """What most lessons say of an episode.

    A lesson whose condition holds counts as it is, one whose condition does not hold in reverse.
    """
    votes = 0
    for one in lessons:
        met = one.condition.holds(episode)
        votes += 0 if met is None else (1 if one.lift > 0 else -1) * (1 if met else -1)
    return int(np.sign(votes))


def lift(told: Sequence[Told]) -> float:
    """Success where it is told minus success where failure is told.

    0 if there is nothing to compare.
    """
    good = [one.won for one in told if one.says > 0]
    bad = [one.won for one in told if one.says < 0]
    return float(np.mean(good) - np.mean(bad)) if good and bad else 0.0


def interval(told: Sequence[Told], seed: int) -> tuple[float, float]:
    """The middle 95 % of the lift over draws of whole tasks.

    Draws with nothing to compare are left out.
    """
    tasks = sorted({one.task for one in told})
    place = {task: number for number, task in enumerate(tasks)}
    sums = np.zeros(
        (len(tasks), 4)
    )  # successes and trials where success is told, and where failure is
    for one in told:
        if one.says:
            sums[place[one.task], [0, 1] if one.says > 0 else [2, 3]] += (one.won, 1)
    random = np.random.default_rng(seed)
    drawn = sums[random.integers(0, len(tasks), (DRAWS, len(tasks)))].sum(axis=1)
    whole = drawn[(drawn[:, 1] > 0) & (drawn[:, 3] > 0)]
    if not len(whole):
        return 0.0, 0.0
    lifts = whole[:, 0] / whole[:, 1] - whole[:, 2] / whole[:, 3]
    return float(np.quantile(lifts, 0.025)), float(np.quantile(lifts, 0.975))


def _rate(episodes: Sequence[Episode]) -> float:
    return float(np.mean([bool(one.outcome and one.outcome.success) for one in episodes]))

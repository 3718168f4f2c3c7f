"""Conditions that separate success from failure, found by counting, guarded against chance.

Every attribute value, threshold, tag, entity, time band and preceding event that enough episodes
share is tried against the outcomes. Fisher's exact test gives each a p-value, Holm's correction
over all that were tried keeps the chance of even one false finding at 5 %, and a condition that
only repeats a stronger one is dropped.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from glymph.learn.episodes import Episode, facts, plain_kind
from glymph.learn.student import chance_beyond
from glymph.moments import moment
from glymph.prune.outcomes import tells_outcome
from glymph.text.attributes import Scalar, is_plain, open_body
from glymph.text.dates import WEEKDAYS
from glymph.text.normal import normalise

Relation = Literal["=", "!=", ">", ">=", "<", "<=", "contains"]
RESERVED = ("kind", "tag", "entity", "text", "hour", "weekday", "previous kind", "previous outcome")
ENDS = {"success": True, "failure": False}
BAND = 6  # hours
DAYS = tuple(map(str.capitalize, WEEKDAYS))
CUTS = 10  # equal parts between which a number is cut
MOST_VALUES = 50  # different words of an attribute that are tried
FEW_NUMBERS = 5  # different numbers up to which an attribute is a choice as well

Floats = NDArray[np.float64]
Ints = Sequence[int] | NDArray[np.int64]
Bools = NDArray[np.bool_]
Known = NDArray[np.int8]  # 1 holds, 0 does not, -1 is not known


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that holds of an episode or does not.

    The name is that of an attribute, or one of `RESERVED`.
    """

    name: str
    relation: Relation
    value: str | float | bool

    def holds(self, episode: Episode) -> bool | None:
        """Returns whether it holds; None if the episode does not tell.

        An episode never tells what came before it.
        """
        match self.name:
            case "tag" | "entity":
                carried = map(normalise, episode.tags if self.name == "tag" else episode.entities)
                return (normalise(str(self.value)) in carried) is not (self.relation == "!=")
            case "text":
                return normalise(str(self.value)) in normalise(
                    f"{episode.title} {open_body(episode.body)[0]}"
                )
            case "previous kind" | "previous outcome":
                return None
            case "outcome" if normalise(str(self.value)) in ENDS:
                ended = None if episode.outcome is None else episode.outcome.success
                told = None if ended is None else ENDS[normalise(str(self.value))] is ended
                return told if told is None or self.relation != "!=" else not told
            case "kind":
                return self.met_by(plain_kind(episode.kind))
            case "hour":
                return self.met_by(
                    band(episode.at) if isinstance(self.value, str) else moment(episode.at).hour
                )
            case "weekday":
                return self.met_by(DAYS[moment(episode.at).weekday()])
        value = value_of(self.name, episode)
        return None if value is None else self.met_by(value)

    def met_by(self, value: Scalar) -> bool | None:
        """Returns whether a value meets it; None if the two cannot be compared."""
        if self.relation in ("=", "!="):
            return same(value, self.value) is (self.relation == "=")
        if self.relation == "contains":
            return normalise(str(self.value)) in normalise(str(value))
        if not (isinstance(value, int | float) and isinstance(self.value, int | float)):
            return None
        return {">": value > self.value, ">=": value >= self.value, "<": value < self.value,
                "<=": value <= self.value}[self.relation]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Guard:
    """The least that a condition must show before it counts."""

    alpha: float = 0.05  # the chance of any false finding
    least: int = 8  # episodes for which it holds, and for which it does not
    effect: float = 0.1  # difference of the success rates
    implied: float = 0.01  # p-value it must have among episodes alike in a stronger condition


GUARD = Guard()


@dataclass(frozen=True, slots=True)
class Finding:
    """A condition with its counts where it holds and where it does not, and how sure it is."""

    condition: Condition
    successes: int
    n: int
    other_successes: int
    other_n: int
    p: float
    adjusted: float  # for all that were tried
    tried: int
    episodes: tuple[str, ...]  # for which it holds and whose outcome is known

    @property
    def rate(self) -> float:
        return self.successes / self.n

    @property
    def other_rate(self) -> float:
        return self.other_successes / self.other_n

    @property
    def lift(self) -> float:
        """By how much the success rate is higher where it holds; below zero if it is lower."""
        return self.rate - self.other_rate


@dataclass(frozen=True, slots=True)
class Candidate:
    """A condition and for which episodes it holds."""

    condition: Condition
    known: Known


def find_separating(
    episodes: Sequence[Episode],
    *,
    guard: Guard = GUARD,
    units: Sequence[Hashable] | None = None,
    skip: Callable[[str], bool] = tells_outcome,
) -> list[Finding]:
    """The conditions that separate success from failure, the surest first.

    `units` names what each episode is a trial of, where trials of one are alike (a task, a
    session): then as many episodes of one unit do not count as that many. Attributes that `skip`
    names tell the outcome itself.
    """
    told = [
        place
        for place, one in enumerate(episodes)
        if one.outcome and one.outcome.success is not None
    ]
    ended = [episodes[place] for place in told]
    won = np.array([bool(one.outcome and one.outcome.success) for one in ended], dtype=np.bool_)
    if len(ended) < 2 * guard.least or won.all() or not won.any():
        return []
    tried = list(_candidates(ended, guard.least, skip, episodes))
    if not tried:
        return []
    counts = np.array([_counts(one.known, won) for one in tried], dtype=np.int64)
    p = fisher(*counts.T)
    if units is not None:
        _, number = np.unique([str(units[place]) for place in told], return_inverse=True)
        p = np.maximum(p, [_clustered_p(one.known, won, number) for one in tried])
    adjusted = holm(p)
    strong = np.abs(counts[:, 0] / counts[:, 1] - counts[:, 2] / counts[:, 3]) >= guard.effect
    passing = np.flatnonzero((adjusted <= guard.alpha) & strong)
    kept: list[int] = []
    for at in sorted(passing.tolist(), key=lambda n: (p[n], -counts[n, 1], n)):
        alike = (tried[other] for other in kept)
        if not any(_is_implied(tried[at], other, won, guard.implied) for other in alike):
            kept.append(at)
    return [_make_finding(tried[n], counts[n], p[n], adjusted[n], len(tried), ended) for n in kept]


def _make_finding(
    candidate: Candidate, counts: NDArray[np.int64], p: float, adjusted: float, tried: int,
    ended: Sequence[Episode],
) -> Finding:  # fmt: skip
    members = tuple(ended[place].id for place in np.flatnonzero(candidate.known == 1).tolist())
    hits, n, others, rest = counts.tolist()
    return Finding(
        candidate.condition, hits, n, others, rest, float(p), float(adjusted), tried, members
    )


# what is tried


def _candidates(
    ended: Sequence[Episode], least: int, skip: Callable[[str], bool], everything: Sequence[Episode]
) -> Iterator[Candidate]:
    """Every condition that enough episodes meet and enough do not."""
    columns: dict[str, list[Any]] = {}
    for place, episode in enumerate(ended):
        for name, value in facts(episode).items():
            column = columns.get(name)
            if column is None:
                column = columns[name] = [None] * len(ended)
            column[place] = value
    for name, values in columns.items():
        if name not in RESERVED and not skip(name):
            yield from _of_column(name, values, least)
    yield from _of_column("kind", [plain_kind(one.kind) for one in ended], least)
    yield from _of_column("hour", [band(one.at) for one in ended], least)
    yield from _of_column("weekday", [DAYS[moment(one.at).weekday()] for one in ended], least)
    yield from _of_sets("tag", [one.tags for one in ended], least)
    yield from _of_sets("entity", [one.entities for one in ended], least)
    before = _before(everything)
    yield from _of_column("previous kind", [before[one.id][0] for one in ended], least)
    yield from _of_column("previous outcome", [before[one.id][1] for one in ended], least)


def _of_column(name: str, values: Sequence[Any], least: int) -> Iterator[Candidate]:
    kinds = set(map(type, values))
    if kinds & {int, float}:
        numeric = (
            values
            if kinds <= {int, float}
            else [v if type(v) in (int, float) else np.nan for v in values]
        )
        column = np.array(numeric, dtype=np.float64)
        column[~np.isfinite(column)] = np.nan
        yield from _of_numbers(name, column, least)
        if len(set(values)) > FEW_NUMBERS + 1 and kinds <= {int, float, type(None)}:
            return
    places: dict[Any, list[int]] = {}
    known = 0
    for place, value in enumerate(values):
        if value is not None:
            known += 1
            places.setdefault((type(value) is bool, value), []).append(place)
    blank = np.fromiter((-1 if value is None else 0 for value in values), np.int8, len(values))
    common = sorted(places.items(), key=lambda item: (-len(item[1]), str(item[0])))[:MOST_VALUES]
    for number, ((_, value), held) in enumerate(common):
        mirrored = len(places) == 2 and number == 1  # says the same as the first
        if min(len(held), known - len(held)) >= least and not mirrored:
            column_known = blank.copy()
            column_known[held] = 1
            yield Candidate(Condition(name, "=", value), column_known)


def _of_numbers(name: str, column: Floats, least: int) -> Iterator[Candidate]:
    there = ~np.isnan(column)
    values = np.sort(column[there])
    unlike = np.flatnonzero(np.diff(values)) + 1  # places at which a higher value begins
    wanted = np.arange(1, CUTS) * len(values) / CUTS
    if not len(unlike):
        return
    nearest = np.searchsorted(unlike, wanted).clip(max=len(unlike) - 1)
    cuts = unlike if len(unlike) <= CUTS else np.unique(unlike[nearest])
    for cut in cuts.tolist():
        if min(cut, len(values) - cut) >= least:
            threshold = between(float(values[cut - 1]), float(values[cut]))
            known = np.where(there, (column > threshold).astype(np.int8), np.int8(-1))
            yield Candidate(Condition(name, ">", threshold), known)


def _of_sets(name: str, carried: Sequence[Iterable[str]], least: int) -> Iterator[Candidate]:
    shared = Counter(one for names in carried for one in set(names))
    for value, count in sorted(shared.items(), key=lambda item: (-item[1], item[0])):
        if min(count, len(carried) - count) >= least:
            known = np.fromiter((value in names for names in carried), np.int8, len(carried))
            yield Candidate(Condition(name, "=", value), known)


def _before(everything: Sequence[Episode]) -> Mapping[str, tuple[str | None, str | None]]:
    """The kind of the episode before each, and how the last one that had ended by then ended."""
    found: dict[str, tuple[str | None, str | None]] = {}
    for earlier, one in pairwise([None, *sorted(everything, key=lambda e: (e.at, e.id))]):
        assert one is not None
        last = None if earlier is None else found[earlier.id][1]
        if earlier is not None and earlier.outcome and earlier.outcome.success is not None:
            last = "success" if earlier.outcome.success else "failure"
        found[one.id] = (None if earlier is None else plain_kind(earlier.kind), last)
    return found


def value_of(name: str, episode: Episode) -> Scalar | None:
    """Returns an attribute's value, else the first number the text gives right behind its name."""
    value: Scalar | None = episode.attributes.get(name)
    if not is_plain(value):
        value = facts(episode).get(name)
    if value is not None:
        return value
    stated = re.search(
        rf"(?<!\w){re.escape(name.replace('_', ' '))}(?!\w)[^\d.;!?\n]{{0,24}}?([+-]?\d+"
        r"(?:\.\d+)?)",
        f"{episode.title}\n{open_body(episode.body)[0]}",
        re.IGNORECASE,
    )
    return float(stated[1]) if stated else None


def band(at: int) -> str:
    """The hours of the day a moment lies in: "06-12"."""
    start = moment(at).hour // BAND * BAND
    return f"{start:02}-{start + BAND:02}"


def same(first: Scalar, second: Scalar) -> bool:
    """Returns whether two values are the same; case does not matter, yes and 1 are not the same."""
    if isinstance(first, bool) or isinstance(second, bool):
        return normalise(str(first)) == normalise(str(second))
    if isinstance(first, str) or isinstance(second, str):
        return normalise(str(first)) == normalise(str(second))
    return first == second


def between(low: float, high: float) -> float:
    """The shortest number from low up to, but not including, high."""
    for digits in range(1, 18):
        short = float(f"{(low + high) / 2:.{digits}g}")
        if low <= short < high:
            return short
    return low


# how sure it is


def _counts(known: Known, won: Bools) -> tuple[int, int, int, int]:
    """Successes and episodes where it holds, successes and episodes where it does not."""
    holds, fails = known == 1, known == 0
    return int((holds & won).sum()), int(holds.sum()), int((fails & won).sum()), int(fails.sum())


def fisher(hits: Ints, n: Ints, others: Ints, rest: Ints) -> Floats:
    """Returns the two-sided p-value of each table.

    It is twice the smaller tail of the hypergeometric distribution.
    """
    tables = np.array([hits, n, others, rest], dtype=np.int64)
    if not tables.size:
        return np.zeros(0)
    most = int((tables[1] + tables[3]).max())
    factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, most + 1)))])  # logarithms
    result = np.ones(tables.shape[1])
    for at, (x, size, y, left) in enumerate(tables.T.tolist()):
        good = x + y
        k = np.arange(max(0, good - left), min(size, good) + 1)
        logs = -(
            factorial[k] + factorial[size - k] + factorial[good - k] + factorial[left - good + k]
        )
        share = np.exp(logs - logs.max())
        place = x - int(k[0])
        result[at] = min(1.0, 2 * min(share[: place + 1].sum(), share[place:].sum()) / share.sum())
    return result


def holm(p: Floats) -> Floats:
    """Corrects p-values for the number of them (Holm).

    The chance of any false one among them stays below what is asked.
    """
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    result = np.empty(len(p))
    result[order] = np.minimum(stepped, 1.0)
    return result


def _clustered_p(known: Known, won: Bools, unit: NDArray[np.intp]) -> float:
    """Returns the p-value of the difference if only units are independent.

    It is a sandwich estimate with a t distribution. It is never below what as many coins as the
    smaller side has units could show: with few units, trials that agree within each look surer than
    they are.
    """
    holds, fails = known == 1, known == 0
    split = min(len(np.unique(unit[holds])), len(np.unique(unit[fails])))
    if split < 3:
        return 1.0
    # One success and one failure more on each side: otherwise a perfect split would have no
    # variance.
    with_it, without = ((won[side].sum() + 1) / (side.sum() + 2) for side in (holds, fails))
    pull = holds * (won - with_it) / holds.sum() - fails * (won - without) / fails.sum()
    sums = np.bincount(unit, weights=pull)
    variance = float((sums**2).sum()) * len(sums) / (len(sums) - 1)
    p = chance_beyond(float(abs(with_it - without) / np.sqrt(variance)), split - 1)
    return max(p, 2 * 0.5**split)


def _is_implied(weaker: Candidate, stronger: Candidate, won: Bools, least: float) -> bool:
    """Returns whether the weaker says nothing among episodes alike in the stronger.

    The test is that of Cochran, Mantel and Haenszel.
    """
    if weaker.condition.name == stronger.condition.name and weaker.condition.relation == ">":
        return True  # another threshold of the same number
    difference = variance = 0.0
    for stratum in (0, 1, -1):
        among = (stronger.known == stratum) & (weaker.known >= 0)
        total = int(among.sum())
        if total < 2:
            continue
        n, good = int((weaker.known[among] == 1).sum()), int(won[among].sum())
        hits = int(((weaker.known == 1) & among & won).sum())
        difference += hits - n * good / total
        variance += n * (total - n) * good * (total - good) / (total**2 * (total - 1))
    if variance <= 0:
        return True
    return math.erfc(max(0.0, abs(difference) - 0.5) / math.sqrt(2 * variance)) > least

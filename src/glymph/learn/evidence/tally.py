"""Counts a claim again over the episodes it speaks of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from glymph.learn.conditions import Condition, value_of
from glymph.learn.episodes import Episode
from glymph.learn.lesson import OUTCOME, Claim

LEAST_COMPARED = 3  # episodes with an outcome on the side a comparison speaks of


@dataclass(frozen=True, slots=True)
class Tally:
    """Some episodes: how many, how many of them ended well or badly."""

    episodes: tuple[Episode, ...]
    successes: int
    failures: int

    @property
    def judged(self) -> int:
        return self.successes + self.failures

    @property
    def rate(self) -> float | None:
        """Success in per cent; None if nothing ended."""
        return 100 * self.successes / self.judged if self.judged else None


def tally_episodes(episodes: Sequence[Episode], where: Sequence[Condition] = ()) -> Tally:
    """The episodes for which all conditions hold."""
    held = tuple(one for one in episodes if all(condition.holds(one) for condition in where))
    ends = [one.outcome.success for one in held if one.outcome is not None]
    return Tally(held, ends.count(True), ends.count(False))


def rest_of(episodes: Sequence[Episode], tally: Tally) -> Tally:
    """The other episodes."""
    held = {one.id for one in tally.episodes}
    return tally_episodes([one for one in episodes if one.id not in held])


def average(of: str, episodes: Sequence[Episode]) -> float | None:
    """Returns the mean of an attribute, or of how much came of the episodes.

    None if fewer than two of them tell.
    """
    if of == OUTCOME:
        found = [
            one.outcome.magnitude
            for one in episodes
            if one.outcome and one.outcome.magnitude is not None
        ]
    else:
        values = [value_of(of, one) for one in episodes]
        found = [float(v) for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    return sum(found) / len(found) if len(found) > 1 else None


def rounds_to(stated: float | Decimal, true: float | None) -> bool:
    """Returns whether the true number, rounded as the stated one is, is the stated one."""
    if true is None:
        return False
    exponent = Decimal(str(stated)).normalize().as_tuple().exponent
    places = max(0, -exponent) if isinstance(exponent, int) else 0
    return abs(float(stated) - true) <= 0.5 * 10.0**-places + 1e-9


def refute(claim: Claim, episodes: Sequence[Episode]) -> str | None:
    """Returns why a claim does not hold over all episodes that were shown; None if it does."""
    shown = {one.id for one in episodes}
    if strange := [cited for cited in claim.episodes if cited not in shown]:
        return f"it cites {strange[0][:40]}, which was not shown"
    if not claim.episodes:
        return "it cites no episode"
    tally = tally_episodes(episodes, claim.where)
    if not tally.episodes:
        return "no episode meets its condition"
    held = {one.id for one in tally.episodes}
    if outside := [cited for cited in claim.episodes if cited not in held]:
        return f"it cites {outside[0]}, for which its condition does not hold"
    return _recount(claim, tally, episodes)


def _recount(claim: Claim, tally: Tally, episodes: Sequence[Episode]) -> str | None:
    if claim.measure in ("higher", "lower"):
        return (
            None
            if claim.stated is None and compares(claim, tally, episodes)
            else f"it is not {claim.measure}"
        )
    if claim.stated is None:
        return "it states no number"
    match claim.measure:
        case "count":
            true, total = float(len(tally.episodes)), len(episodes)
        case "successes":
            true, total = float(tally.successes), tally.judged
        case "failures":
            true, total = float(tally.failures), tally.judged
        case "success_rate":
            if tally.rate is None:
                return "no outcome is known"
            return (
                None if rounds_to(claim.stated, tally.rate) else f"the rate is {tally.rate:.4g} %"
            )
        case _:
            mean = average(claim.of, tally.episodes)
            return None if rounds_to(claim.stated, mean) else f"the average is {_show(mean)}"
    if claim.measure != "count" and not total:
        return "no outcome is known"
    if claim.stated != true or (claim.out_of is not None and claim.out_of != total):
        return f"counted again it is {true:.0f} of {total}"
    return None


def compares(claim: Claim, tally: Tally, episodes: Sequence[Episode]) -> bool:
    """Returns whether a comparison is as the claim says.

    The episodes where its condition holds are compared with all others.
    """
    rest = rest_of(episodes, tally)
    if claim.of == OUTCOME:
        here, there = tally.rate, rest.rate
        if tally.judged < LEAST_COMPARED:
            return False
    else:
        here, there = average(claim.of, tally.episodes), average(claim.of, rest.episodes)
    if here is None or there is None:
        return False
    return here > there if claim.measure == "higher" else here < there


def _show(number: float | None) -> str:
    return "not known" if number is None else f"{number:.4g}"

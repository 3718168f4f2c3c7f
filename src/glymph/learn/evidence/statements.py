"""Checks a sentence: counts again what it counts, and looks up every other number.

The other numbers must stand in the episodes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from glymph.learn.conditions import Condition
from glymph.learn.episodes import MOST_BODY, Episode, facts
from glymph.learn.evidence.clauses import (
    BAD,
    BETTER,
    GOOD,
    WORSE,
    Clause,
    clauses,
    conditions,
    side,
    sides_named,
)
from glymph.learn.evidence.doubts import advises, doubtful, incomparable
from glymph.learn.evidence.numbers import PERCENT, PLAIN, Number, clear_span, counted_in
from glymph.learn.evidence.tally import Tally, average, compares, rest_of, rounds_to, tally_episodes
from glymph.learn.lesson import OUTCOME, Claim, Measure
from glymph.moments import moment
from glymph.prune.outcomes import tells_outcome
from glymph.text.attributes import open_body
from glymph.text.numbers import read_figure, with_digits

_AGAINST = re.compile(
    r"\b(?:skip|stop|refrain|stay away|instead of|rather than|not|no|never|weak\w*|poor\w*"
    r"|bad\w*)\b|n't\b",
    re.I,
)
_WHOLE = re.compile(
    r"\b(?:all|every|each|always)\b(?:\s+\w+){0,4}?\s+(?:trades?|episodes?|trials?|cases"
    r"|attempts?|times?|won|wins?|lost|loses?|fail\w*|succe\w*|profit\w*)\b",
    re.I,
)
_ALL = re.compile(
    r"\b(?:all|every|each|always|without exception|never|none|no|not (?:a single|one|a))\b", re.I
)
_MOST = re.compile(
    r"\b(?:most|mostly|usually|majority|generally|typically|rarely|seldom|hardly|scarcely)\b", re.I
)
_NOT_ALL = re.compile(r"(?:\bnot|n't)\s+(?=(?:all|every|each|always)\b)", re.I)
_PART = re.compile(
    r"\b(?P<n>\d+)\s*(?:/|out of|of)\s*(?:(?:the|my|all|these)\s+)*(?P<m>\d+)\s+"
    r"(?P<what>wins|winners|losses|losers|failures|successes)\b",
    re.I,
)
_IN_PERCENT = re.compile(r"pct|percent|rate|ratio|return|pnl|roi|yield|change|funding|share", re.I)
_RARELY = {
    "rarely": 0.75,
    "seldom": 0.75,
    "hardly": 0.9,
    "scarcely": 0.9,
}  # of them ended otherwise
_DATE = re.compile(r"\b(?:\d{4}-\d\d-\d\d|\d\d:\d\d)\b")
_LOW, _HIGH = (
    "low|lower|small|weak|falling|cheap",
    "high|higher|large|strong|rising|elevated|stretched",
)


@dataclass(slots=True)
class Checked:
    """The result of checking a sentence: why it falls, or the claims that were counted again."""

    fault: str | None = None
    claims: list[Claim] = field(default_factory=list)


def check_statement(
    sentence: str, episodes: Sequence[Episode], kept: Sequence[Claim] = ()
) -> Checked:
    """Checks whether everything a sentence states is so.

    Claims that were kept may speak for its numbers.
    """
    text = with_digits(sentence)
    result = Checked()
    named = [claim for claim in kept if _names(text, claim, episodes)]
    for clause in clauses(text, episodes):
        speaking = [claim for claim in named if _speaks_for(claim, clause, episodes)]
        result.fault = _clause_fault(clause, sentence, episodes, speaking, result)
        if result.fault is not None:
            return result
    return result


def _clause_fault(
    clause: Clause,
    sentence: str,
    episodes: Sequence[Episode],
    speaking: Sequence[Claim],
    result: Checked,
) -> str | None:
    text = clause.text
    counted = judged = False
    if (share := _read_share(clause, sentence, episodes)) is not None:
        if isinstance(share, str):
            return share
        result.claims.append(share[0])
        clause, counted, judged = replace(clause, text=share[1]), True, True
        text = clause.text
    for measured, number, span in counted_in(clause):
        text = clear_span(text, span)
        counted, judged = True, judged or measured in ("successes", "failures", "success_rate")
        if _spoken(measured, number, speaking):
            continue
        claim = _find_claim(measured, number, clause, sentence, episodes)
        if claim is None:
            return f"{clause.text[span[0] : span[1]].strip()!r} is not so, counted again"
        result.claims.append(claim)
    return (
        _strange(text, clause, episodes, speaking)
        or _check_comparison(clause, episodes, speaking, result)
        or doubtful(clause, text, episodes, counted=counted)
        or (None if judged else _check_quantity(clause, episodes))
        or (None if counted or _NOT_ALL.search(clause.text) else _check_side(clause, episodes))
    )


def _strange(
    text: str, clause: Clause, episodes: Sequence[Episode], speaking: Sequence[Claim]
) -> str | None:
    """Returns why a number that counts nothing is not from the episodes; None if it is.

    Their dates and values are from them, and so is a threshold that a condition names.
    """
    if not PLAIN.search(text):
        return None
    if _DATE.search(text):
        days = {
            moment(one.at).strftime(form)
            for one in episodes
            for form in ("%Y-%m-%d", "%H:%M", "%H:00")
        }
        text = _DATE.sub(lambda found: " " if found[0] in days else found[0], text)
    known = _numbers(episodes)
    known |= {abs(Decimal(str(one.value))) for one in clause.where if isinstance(one.value, float)}
    stated = [one for claim in speaking for one in claim.where]
    known |= {abs(Decimal(str(one.value))) for one in stated if type(one.value) in (int, float)}
    in_percent = _numbers(episodes, percent=True) | (known - _numbers(episodes))
    for found in PLAIN.finditer(text):
        percent = re.match(r"\s?(?:%|per ?cent)", text[found.end() :])
        if abs(read_figure(found[0])) not in (in_percent if percent else known):
            return f"{found[0]} stands in no episode"
    return None


# numbers


def _find_claim(
    measure: Measure, number: Number, clause: Clause, sentence: str, episodes: Sequence[Episode]
) -> Claim | None:
    """Returns the claim that a number makes, if it holds under the conditions the clause names."""
    stated, out_of = number
    for where in dict.fromkeys((clause.where, clause.where + clause.tied)):
        tally = tally_episodes(episodes, where)
        for of in _find_averaged(clause, episodes) if measure == "average" else (OUTCOME,):
            if _holds(measure, stated, out_of, of, tally, episodes, bool(where)):
                ids = tuple(one.id for one in tally.episodes)
                return Claim(sentence, measure, ids, of, where, float(stated), out_of)
    return None


def _holds(
    measure: Measure, stated: Decimal, out_of: int | None, of: str, tally: Tally,
    episodes: Sequence[Episode], narrowed: bool,
) -> bool:  # fmt: skip
    match measure:
        case "count":
            return stated == len(tally.episodes) and (
                out_of is None or (narrowed and out_of == len(episodes))
            )
        case "successes" | "failures":
            true = tally.successes if measure == "successes" else tally.failures
            return tally.judged > 0 and stated == true and out_of in (None, tally.judged)
        case "success_rate":
            return rounds_to(stated, tally.rate)
        case _:
            return rounds_to(stated, average(of, tally.episodes))


def _find_averaged(clause: Clause, episodes: Sequence[Episode]) -> list[str]:
    """Returns what an average may be of.

    That is the attributes the clause names, or what came of the episodes.
    """
    names = {
        name
        for one in episodes
        for name, value in facts(one).items()
        if not isinstance(value, str | bool)
    }
    said = clause.text.casefold()
    words = {
        name: [part for part in re.split(r"[_\W]+", name.casefold()) if len(part) > 2]
        for name in names
    }
    named = [
        name for name in sorted(names) if words[name] and all(part in said for part in words[name])
    ]
    return [*named, OUTCOME, *sorted(name for name in names if tells_outcome(name))]


def _numbers(episodes: Sequence[Episode], *, percent: bool = False) -> set[Decimal]:
    """Every number that stands in what was shown of the episodes, or those given in per cent."""
    found: set[Decimal] = set() if percent else {Decimal(len(episodes))}
    return found.union(*(_numbers_of(one, percent=percent) for one in episodes))


def _numbers_of(one: Episode, *, percent: bool) -> set[Decimal]:
    name = "percentages" if percent else "numbers"
    if name not in one.read:
        told = f"{one.title} {open_body(one.body)[0][:MOST_BODY]}"
        if percent:
            told = " ".join(number["n"] for number in PERCENT.finditer(told))
        given = [
            (name, str(value)) for name, value in facts(one).items() if not isinstance(value, bool)
        ]
        values = [
            value
            for name, value in given
            if not percent or _IN_PERCENT.search(name) or "%" in value
        ]
        plain = re.sub(r"(?<=\d)[-:](?=\d)", " ", " ".join([told, *values]))
        one.read[name] = {abs(read_figure(number[0])) for number in PLAIN.finditer(plain)}
    known: set[Decimal] = one.read[name]
    return known


def _read_share(
    clause: Clause, sentence: str, episodes: Sequence[Episode]
) -> tuple[Claim, str] | str | None:
    """Returns the claim of a share, such as "4 of the 5 losses were longs", and the clause's rest.

    Returns what is wrong if the share is not so, and None if the clause states no such share.
    """
    found = _PART.search(clause.text)
    if found is None or not clause.where:
        return None
    good = found["what"].lower().startswith(("win", "suc"))
    own, every = tally_episodes(episodes, clause.where), tally_episodes(episodes)
    true = (own.successes, every.successes) if good else (own.failures, every.failures)
    if true != (int(found["n"]), int(found["m"])):
        return f"{found[0]!r} is not so, counted again"
    ids = tuple(one.id for one in own.episodes)
    claim = Claim(
        sentence,
        "successes" if good else "failures",
        ids,
        where=clause.where,
        stated=float(true[0]),
    )
    return claim, clear_span(clause.text, found.span())


# claims that speak for a sentence


def _speaks_for(claim: Claim, clause: Clause, episodes: Sequence[Episode]) -> bool:
    """Returns whether a claim counts what the clause speaks of.

    It does if nothing the clause names is otherwise in the claim's episodes.
    """
    held = tally_episodes(episodes, claim.where).episodes
    return all(condition.holds(one) is not False for condition in clause.where for one in held)


def _names(text: str, claim: Claim, episodes: Sequence[Episode]) -> bool:
    """Returns whether a sentence says under which conditions a claim counts.

    For example, "5 of 5 won" does not say that it is of shorts.
    """
    said = text.casefold()
    for condition in claim.where:
        if all(condition.holds(one) for one in episodes):
            continue
        value = condition.value
        words = [str(value).casefold() if isinstance(value, str | bool) else f"{value:g}"]
        if condition.relation not in ("=", "contains") or isinstance(value, bool | int | float):
            words += re.split(r"[_\W]+", condition.name.casefold())
        if not any(len(word) > 1 and word.replace("_", " ") in said for word in words):
            return False
        name = re.escape(condition.name.casefold().split("_")[0])
        wrong = {">": _LOW, ">=": _LOW, "<": _HIGH, "<=": _HIGH}.get(condition.relation)
        if wrong and re.search(
            rf"\b(?:{wrong})\W+(?:\w+\W+)?{name}|{name}\W+(?:\w+\W+){{0,2}}(?:{wrong})\b", said
        ):
            return False
    return True


def find_unstated(claim: Claim, episodes: Sequence[Episode]) -> str | None:
    """Returns why the text of a claim does not say what the claim counts."""
    text = with_digits(claim.text)
    if claim.measure in ("higher", "lower"):
        other = (
            re.search(r"\b(?:\w{3,}er|more|less)\b", text, re.I) if claim.of != OUTCOME else None
        )
        return (
            None
            if BETTER.search(text) or WORSE.search(text) or other
            else "its text compares nothing"
        )
    if claim.measure == "count" and (GOOD.search(text) or BAD.search(text)):
        return "a count does not say how things ended"
    for clause in clauses(text, episodes):
        for measure, number, _ in counted_in(clause):
            rate = 100 * number[0] / number[1] if number[1] else None
            rate = 100 - rate if rate is not None and measure == "failures" else rate
            if (
                claim.measure == "success_rate"
                and rate is not None
                and rounds_to(claim.stated or 0, float(rate))
            ):
                return None
            if _spoken(measure, number, [claim]) or (
                measure == claim.measure and number[0] == claim.stated
            ):
                return None
    return "its text does not state the number it counts"


def _spoken(measure: Measure, number: Number, speaking: Sequence[Claim]) -> bool:
    stated, out_of = number
    for claim in speaking:
        same = (
            claim.measure == measure
            and claim.stated is not None
            and rounds_to(stated, claim.stated)
        )
        if (
            same
            and (out_of is None or claim.out_of in (None, out_of))
            and not (out_of and claim.out_of is None)
        ):
            return True
        if measure == "success_rate" and claim.out_of and claim.stated is not None:
            share = 100 * claim.stated / claim.out_of
            true = (
                share
                if claim.measure == "successes"
                else 100 - share
                if claim.measure == "failures"
                else None
            )
            if rounds_to(stated, true):
                return True
    return False


# words that compare or count


def _check_comparison(
    clause: Clause, episodes: Sequence[Episode], speaking: Sequence[Claim], result: Checked
) -> str | None:
    """Returns why better or worse is not so; None if it is.

    Episodes under the conditions the clause names are compared with the others.
    """
    up, down = BETTER.search(clause.text), WORSE.search(clause.text)
    found = up or down
    if found is None:
        return incomparable(clause)
    more = (up is not None) is not (_bad_more(clause, found))
    measure: Measure = "higher" if more else "lower"
    if any(one.measure == measure and one.of == OUTCOME for one in speaking):
        return None
    where = clause.where or clause.tied
    if (than := re.search(r"\bthan\b(?!\s+[+-]?\d)", clause.text[found.start() :])) is not None:
        own, tied = conditions(clause.text[: found.start() + than.start()], episodes)
        where = own or tied or where
    elif re.match(r"beat|outperf|underperf|trail", found[0], re.I):
        own, tied = conditions(clause.text[: found.start()], episodes)
        where = own or tied or where
    tally = tally_episodes(episodes, where)
    claim = Claim(
        clause.text.strip(), measure, tuple(one.id for one in tally.episodes), where=where
    )
    if not where or not compares(claim, tally, episodes):
        return f"{found[0]!r} is not so, or cannot be counted"
    result.claims.append(claim)
    return None


def _bad_more(clause: Clause, found: re.Match[str]) -> bool:
    """Returns whether it is failing that is more or less often."""
    often = (
        "often" in found[0].lower()
        or "likely" in found[0].lower()
        or "likelier" in found[0].lower()
    )
    return often and clause.good(found.start()) is False


def _check_quantity(clause: Clause, episodes: Sequence[Episode]) -> str | None:
    """Returns why all, most or none of them did not end as the clause says."""
    if partly := _NOT_ALL.search(clause.text):
        clause = replace(clause, text=_NOT_ALL.sub(" ", clause.text))
    every, most = _ALL.search(clause.text), _MOST.search(clause.text)
    found = most if most and (every is None or most.start() < every.start()) else every
    good = clause.good(found.start()) if found else None
    if found is None or good is None:
        return None
    if not (clause.where or _WHOLE.search(clause.text)):
        return None if advises(clause.text) else f"{found[0]!r} cannot be counted"
    tally = tally_episodes(episodes, clause.where)
    ended = tally.successes if good else tally.failures
    share = _RARELY.get(found[0].lower(), 0.5)
    so = ended == tally.judged if found is every else ended > share * tally.judged
    if tally.judged and so is not (partly is not None):
        return None
    return f"{found[0]!r} is not so, counted again"


def _check_side(clause: Clause, episodes: Sequence[Episode]) -> str | None:
    """Returns why the side a clause names is not the one the episodes speak for."""
    named = [str(one.value) for one in clause.where if str(one.value) in ("long", "short")]
    if not named:
        named = sides_named(clause.text)
    sides = [side(one) for one in episodes] if len(named) == 1 else []
    if not any(sides):
        return None
    if named[0] not in sides:
        return f"no episode is {named[0]}"
    own = tally_episodes([one for one, own in zip(episodes, sides, strict=True) if own == named[0]])
    other = rest_of(episodes, own)
    if own.rate is None:
        return None
    good = clause.good(clause.text.casefold().find(named[0]))
    against = (
        good is False
        or WORSE.search(clause.text)
        or (good is None and _AGAINST.search(clause.text))
    )
    favoured = own.rate > 50 or (other.rate is not None and own.rate > other.rate)
    opposed = own.rate < 50 or (other.rate is not None and own.rate < other.rate)
    return None if (opposed if against else favoured) else f"the episodes speak against {named[0]}"


def conditions_of(claims: Sequence[Claim]) -> tuple[Condition, ...]:
    """The conditions that claims of success rest on, each once."""
    wanted = [claim for claim in claims if claim.measure in ("successes", "success_rate", "higher")]
    return tuple(dict.fromkeys(condition for claim in wanted for condition in claim.where))

"""Checking a sentence: what it counts is counted again, and every other number must stand in the episodes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from glymph.core.conditions import Condition
from glymph.core.episodes import MOST_BODY, Episode, facts
from glymph.core.evidence.counting import Tally, average, compares, rest_of, rounds_to, tallied
from glymph.core.evidence.reading import (
    BAD,
    BETTER,
    GOOD,
    NUMBER,
    WORSE,
    Clause,
    clauses,
    conditions,
    side,
    sides_named,
    with_digits,
)
from glymph.core.lessons import OUTCOME, Claim, Measure
from glymph.core.outcomes import tells_outcome
from glymph.core.tickers import opened
from glymph.core.timing import moment

_RATIO = re.compile(
    r"\b(?P<n>\d+)(?:\s*(?:/|out of|of)\s*)(?:(?:the|my|all|last|these)\s+)*(?P<m>\d+)\b(?![.:]\d)", re.I
)
_PERCENT = re.compile(rf"(?<![\w.])(?P<n>{NUMBER})\s?(?:%|per ?cent\b)", re.I)
_COUNT = re.compile(
    r"(?<![\w.:])(?P<n>\d+)\s+(?:[a-z_-]+\s+){0,2}?(?P<what>wins?|winners?|successes|loss(?:es)?|losers?|failures?|"
    r"trades?|episodes?|trials?|cases|attempts?|times|positions?|setups?|entries|closes|runs?|occasions|instances|"
    r"longs|shorts)\b",
    re.I,
)
_WON = re.compile(
    r"\b(?:won|lost|failed|succeeded)\s+(?:only\s+|just\s+)?(?P<n>\d+)\b(?!\s*(?:%|per|[.,/:]\d|of|out))", re.I
)
_AGAINST = re.compile(
    r"\b(?:skip|stop|refrain|stay away|instead of|rather than|not|no|never|weak\w*|poor\w*|bad\w*)\b|n't\b", re.I
)
_TOTAL = re.compile(
    r"\b(?:across|over|in|of|among|from|all|these|those)\s+(?:all\s+)?(?:(?:my|the|these)\s+)?(?:last\s+)?\Z", re.I
)
_WHOLE = re.compile(
    r"\b(?:all|every|each|always)\b(?:\s+\w+){0,4}?\s+(?:trades?|episodes?|trials?|cases|attempts?|times?|won|wins?|lost|"
    r"loses?|fail\w*|succe\w*|profit\w*)\b",
    re.I,
)
_PLAIN = re.compile(rf"(?<![\w.]){NUMBER}")
_MEAN = re.compile(r"\b(?:averag\w*|mean|avg)\b", re.I)
_RATE = re.compile(
    r"\b(?:rate|of (?:the )?(?:time|trades?|episodes?|trials?|cases|attempts?|them|my|all))\b", re.I
)
_ENDED = re.compile(
    r"(?:won|w[io]ns?|succeeded|worked|profitable|lost|failed|fails?|loses?)\s+(?:in\s+|about\s+)?\Z", re.I
)
_ALL = re.compile(r"\b(?:all|every|each|always|without exception|never|none|no)\b", re.I)
_MOST = re.compile(r"\b(?:most|mostly|usually|majority|generally|typically)\b", re.I)
_DATE = re.compile(r"\b(?:\d{4}-\d\d-\d\d|\d\d:\d\d)\b")
_LOW, _HIGH = "low|lower|small|weak|falling|cheap", "high|higher|large|strong|rising|elevated|stretched"
_CLEAR = "\x00"


@dataclass(slots=True)
class Checked:
    """What came of checking a sentence: why it falls, or the claims that were counted again."""

    fault: str | None = None
    claims: list[Claim] = field(default_factory=list)


def checked(sentence: str, episodes: Sequence[Episode], kept: Sequence[Claim] = ()) -> Checked:
    """Whether everything a sentence states is so. Claims that were kept may speak for its numbers."""
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
    clause: Clause, sentence: str, episodes: Sequence[Episode], speaking: Sequence[Claim], result: Checked
) -> str | None:
    text = clause.text
    counted = judged = False
    for measured, number, span in _counted(clause):
        text = _cleared(text, span)
        counted, judged = True, judged or measured in ("successes", "failures", "success_rate")
        if _spoken(measured, number, speaking):
            continue
        claim = _found(measured, number, clause, sentence, episodes)
        if claim is None:
            return f"{clause.text[span[0] : span[1]].strip()!r} is not so, counted again"
        result.claims.append(claim)
    return (
        _strange(text, clause, episodes, speaking)
        or _compared(clause, episodes, speaking, result)
        or (None if judged else _quantified(clause, episodes))
        or (None if counted else _sided(clause, episodes))
    )


def _strange(text: str, clause: Clause, episodes: Sequence[Episode], speaking: Sequence[Claim]) -> str | None:
    """Why a number that counts nothing is not from the episodes: dates, values, thresholds are."""
    if not _PLAIN.search(text):
        return None
    if _DATE.search(text):
        days = {moment(one.at).strftime(form) for one in episodes for form in ("%Y-%m-%d", "%H:%M", "%H:00")}
        text = _DATE.sub(lambda found: " " if found[0] in days else found[0], text)
    known = _numbers(episodes)
    known |= {abs(Decimal(str(one.value))) for one in clause.where if isinstance(one.value, float)}
    stated = [one for claim in speaking for one in claim.where]
    known |= {abs(Decimal(str(one.value))) for one in stated if type(one.value) in (int, float)}
    for found in _PLAIN.finditer(text):
        if abs(Decimal(found[0].replace(",", ""))) not in known:
            return f"{found[0]} stands in no episode"
    return None


# numbers

Number = tuple[Decimal, int | None]  # what is stated, and of how many


def _counted(clause: Clause) -> Iterator[tuple[Measure, Number, tuple[int, int]]]:
    """The numbers of a clause that state a count, a rate or an average, and where they stand."""
    text = clause.text
    for found in _RATIO.finditer(text):
        good = clause.good(found.start())
        measure: Measure = "count" if good is None else "successes" if good else "failures"
        yield measure, (Decimal(found["n"]), int(found["m"])), found.span()
        text = _cleared(text, found.span())
    for found in _PERCENT.finditer(text):
        before, after = text[: found.start()], text[found.end() : found.end() + 30]
        number = Decimal(found["n"].replace(",", ""))
        mean = _MEAN.search(before[-40:]) or _MEAN.search(after)
        if _is_rate(clause, found, before, after, averaged=mean is not None):
            low = clause.good(found.start()) is False or re.match(r"\s*(?:failure|loss)\b", after)
            yield "success_rate", (100 - number if low else number, None), found.span()
        elif mean:
            yield "average", (-number if _lost(clause, found, before) else number, None), found.span()
        else:
            continue
        text = _cleared(text, found.span())
    for found in (*_COUNT.finditer(text), *_WON.finditer(text)):
        if text[found.start("n")] == _CLEAR:
            continue
        good = clause.good(found.start())
        total = _TOTAL.search(text[: found.start("n")]) and not GOOD.search(found[0]) and not BAD.search(found[0])
        what: Measure = "count" if total or good is None else "successes" if good else "failures"
        if _MEAN.search(text[max(0, found.start() - 40) : found.start()]):
            continue
        yield what, (Decimal(found["n"]), None), found.span("n")
        text = _cleared(text, found.span("n"))
    for found in _PLAIN.finditer(text):
        before = text[: found.start()]
        if _MEAN.search(before[-40:]):
            number = Decimal(found[0].replace(",", ""))
            yield "average", (-number if _lost(clause, found, before) else number, None), found.span()


def _is_rate(clause: Clause, found: re.Match[str], before: str, after: str, *, averaged: bool) -> bool:
    """Whether a percentage says how often things ended well or badly."""
    if _RATE.match(after.lstrip()) or re.match(r"\s*(?:success|win|hit|failure|loss)\b", after):
        return True
    share = re.match(r"\s*of\b", after) or re.search(r"\d\s*\(\Z", before)
    if share and clause.good(found.start()) is not None:
        return True
    beside = _CLEAR in before and before.rstrip().endswith(("(", "or", _CLEAR))
    return beside or (not averaged and bool(_RATE.search(before[-24:]) or _ENDED.search(before)))


def _lost(clause: Clause, found: re.Match[str], before: str) -> bool:
    """Whether an amount without a sign is called a loss."""
    return found[0][0] not in "+-" and BAD.search(before[-24:]) is not None


def _cleared(text: str, span: tuple[int, int]) -> str:
    return text[: span[0]] + _CLEAR * (span[1] - span[0]) + text[span[1] :]


def _found(
    measure: Measure, number: Number, clause: Clause, sentence: str, episodes: Sequence[Episode]
) -> Claim | None:
    """The claim that a number of a clause makes, if it holds under the conditions the clause names."""
    stated, out_of = number
    for where in dict.fromkeys((clause.where, clause.where + clause.tied)):
        tally = tallied(episodes, where)
        for of in _averaged(clause, episodes) if measure == "average" else (OUTCOME,):
            if _holds(measure, stated, out_of, of, tally, episodes, bool(where)):
                ids = tuple(one.id for one in tally.episodes)
                return Claim(sentence, measure, ids, of, where, float(stated), out_of)
    return None


def _holds(
    measure: Measure, stated: Decimal, out_of: int | None, of: str, tally: Tally, episodes: Sequence[Episode],
    narrowed: bool,
) -> bool:  # fmt: skip
    match measure:
        case "count":
            return stated == len(tally.episodes) and (out_of is None or (narrowed and out_of == len(episodes)))
        case "successes" | "failures":
            true = tally.successes if measure == "successes" else tally.failures
            return tally.judged > 0 and stated == true and out_of in (None, tally.judged)
        case "success_rate":
            return rounds_to(stated, tally.rate)
        case _:
            return rounds_to(stated, average(of, tally.episodes))


def _averaged(clause: Clause, episodes: Sequence[Episode]) -> list[str]:
    """What an average may be of: attributes the clause names, or what came of the episodes."""
    names = {name for one in episodes for name, value in facts(one).items() if not isinstance(value, str | bool)}
    said = clause.text.casefold()
    words = {name: [part for part in re.split(r"[_\W]+", name.casefold()) if len(part) > 2] for name in names}
    named = [name for name in sorted(names) if words[name] and all(part in said for part in words[name])]
    return [*named, OUTCOME, *sorted(name for name in names if tells_outcome(name))]


def _numbers(episodes: Sequence[Episode]) -> set[Decimal]:
    """Every number that stands in what was shown of the episodes."""
    found: set[Decimal] = {Decimal(len(episodes))}
    for one in episodes:
        told = f"{one.title} {opened(one.body)[0][:MOST_BODY]}"
        values = [str(value) for value in facts(one).values() if not isinstance(value, bool)]
        for number in _PLAIN.finditer(re.sub(r"(?<=\d)[-:](?=\d)", " ", " ".join([told, *values]))):
            found.add(abs(Decimal(number[0].replace(",", ""))))
    return found


# claims that speak for a sentence


def _speaks_for(claim: Claim, clause: Clause, episodes: Sequence[Episode]) -> bool:
    """Whether a claim counts what the clause speaks of: nothing the clause names is otherwise in its episodes."""
    held = tallied(episodes, claim.where).episodes
    return all(condition.holds(one) is not False for condition in clause.where for one in held)


def _names(text: str, claim: Claim, episodes: Sequence[Episode]) -> bool:
    """Whether a sentence says under which conditions a claim counts: "5 of 5 won" does not say that of shorts."""
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


def _spoken(measure: Measure, number: Number, speaking: Sequence[Claim]) -> bool:
    stated, out_of = number
    for claim in speaking:
        same = claim.measure == measure and claim.stated is not None and rounds_to(stated, claim.stated)
        if same and (out_of is None or claim.out_of in (None, out_of)) and not (out_of and claim.out_of is None):
            return True
        if measure == "success_rate" and claim.out_of and claim.stated is not None:
            share = 100 * claim.stated / claim.out_of
            true = share if claim.measure == "successes" else 100 - share if claim.measure == "failures" else None
            if rounds_to(stated, true):
                return True
    return False


# words that compare or count


def _compared(
    clause: Clause, episodes: Sequence[Episode], speaking: Sequence[Claim], result: Checked
) -> str | None:
    """Why better or worse is not so: against the other episodes, under the conditions the clause names."""
    up, down = BETTER.search(clause.text), WORSE.search(clause.text)
    found = up or down
    if found is None:
        return None
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
    tally = tallied(episodes, where)
    claim = Claim(clause.text.strip(), measure, tuple(one.id for one in tally.episodes), where=where)
    if not where or not compares(claim, tally, episodes):
        return f"{found[0]!r} is not so, or cannot be counted"
    result.claims.append(claim)
    return None


def _bad_more(clause: Clause, found: re.Match[str]) -> bool:
    """Whether it is failing that is more or less often."""
    often = "often" in found[0].lower() or "likely" in found[0].lower() or "likelier" in found[0].lower()
    return often and clause.good(found.start()) is False


def _quantified(clause: Clause, episodes: Sequence[Episode]) -> str | None:
    """Why all, most or none of them did not end as the clause says."""
    every, most = _ALL.search(clause.text), _MOST.search(clause.text)
    found = every or most
    good = clause.good(found.start()) if found else None
    if found is None or good is None or not (clause.where or _WHOLE.search(clause.text)):
        return None
    tally = tallied(episodes, clause.where)
    ended = tally.successes if good else tally.failures
    if tally.judged and (ended == tally.judged if every else 2 * ended > tally.judged):
        return None
    return f"{found[0]!r} is not so, counted again"


def _sided(clause: Clause, episodes: Sequence[Episode]) -> str | None:
    """Why the side a clause names is not the one the episodes speak for."""
    named = [str(one.value) for one in clause.where if str(one.value) in ("long", "short")]
    if not named:
        named = sides_named(clause.text)
    sides = [side(one) for one in episodes] if len(named) == 1 else []
    if not any(sides):
        return None
    if named[0] not in sides:
        return f"no episode is {named[0]}"
    own = tallied([one for one, own in zip(episodes, sides, strict=True) if own == named[0]])
    other = rest_of(episodes, own)
    if own.rate is None:
        return None
    against = any(words.search(clause.text) for words in (BAD, WORSE, _AGAINST))
    favoured = own.rate > 50 or (other.rate is not None and own.rate > other.rate)
    opposed = own.rate < 50 or (other.rate is not None and own.rate < other.rate)
    return None if (opposed if against else favoured) else f"the episodes speak against {named[0]}"


def conditions_of(claims: Sequence[Claim]) -> tuple[Condition, ...]:
    """The conditions that claims of success rest on, each once."""
    wanted = [claim for claim in claims if claim.measure in ("successes", "success_rate", "higher")]
    return tuple(dict.fromkeys(condition for claim in wanted for condition in claim.where))

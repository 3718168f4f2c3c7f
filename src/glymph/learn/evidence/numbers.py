"""The numbers of a sentence that count something: ratios, rates, counts and averages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from glymph.learn.evidence.clauses import BAD, GOOD, Clause
from glymph.learn.lesson import Measure
from glymph.text.numbers import SIGNED_FIGURE, read_figure

_RATIO = re.compile(
    r"\b(?P<n>\d+)(?:\s*(?:/|out of|of|in(?= (?:every )?\d{1,3}\b))\s*)"
    r"(?:(?:the|my|all|last|these|every)\s+)*(?P<m>\d+)\b(?![.:]\d)",
    re.I,
)
PERCENT = re.compile(rf"(?<![\w.])(?P<n>{SIGNED_FIGURE})\s?(?:%|per ?cent\b)", re.I)
_COUNT = re.compile(
    r"(?<![\w.:])(?P<n>\d+)\s+(?:[a-z_-]+\s+){0,2}?(?P<what>wins?|winners?|successes|loss(?:es)?"
    r"|losers?|failures?|trades?|episodes?|trials?|cases|attempts?|times|positions?|setups?"
    r"|entries|closes|runs?|occasions|instances|longs|shorts|won|lost|failed|succeeded|deploys"
    r"|deployments|tasks|tests)\b",
    re.I,
)
_WON = re.compile(
    r"\b(?:won|lost|failed|succeeded)\s+(?:only\s+|just\s+)?(?P<n>\d+)\b(?!\s*(?:%|per|[.,/:]\d|of"
    r"|out))",
    re.I,
)
_TOTAL = re.compile(
    r"\b(?:across|over|in|of|among|from|all|these|those)\s+(?:all\s+)?(?:(?:my|the"
    r"|these)\s+)?(?:last\s+)?\Z",
    re.I,
)
PLAIN = re.compile(rf"(?<![\w.]){SIGNED_FIGURE}")
_MEAN = re.compile(r"\b(?:averag\w*|mean|avg)\b", re.I)
_RATE = re.compile(
    r"\b(?:rate|of (?:the )?(?:time|trades?|episodes?|trials?|cases|attempts?|them|my|all))\b", re.I
)
_ENDED = re.compile(
    r"(?:won|w[io]ns?|succeeded|worked|profitable|lost|failed|fails?|loses?)\s+(?:in\s+"
    r"|about\s+)?\Z",
    re.I,
)
_CLEAR = "\x00"
Number = tuple[Decimal, int | None]  # what is stated, and of how many


def counted_in(clause: Clause) -> Iterator[tuple[Measure, Number, tuple[int, int]]]:
    """The numbers of a clause that state a count, a rate or an average, and where they stand."""
    text = clause.text
    for found in _RATIO.finditer(text):
        good = clause.good(found.start())
        measure: Measure = "count" if good is None else "successes" if good else "failures"
        yield measure, (Decimal(found["n"]), int(found["m"])), found.span()
        text = clear_span(text, found.span())
    for found in PERCENT.finditer(text):
        before, after = text[: found.start()], text[found.end() : found.end() + 30]
        number = read_figure(found["n"])
        mean = _MEAN.search(before[-40:]) or _MEAN.search(after)
        if _is_rate(clause, found, before, after, averaged=mean is not None):
            low = clause.good(found.start()) is False or re.match(r"\s*(?:failure|loss)\b", after)
            yield "success_rate", (100 - number if low else number, None), found.span()
        elif mean:
            yield (
                "average",
                (-number if _is_loss(clause, found, before) else number, None),
                found.span(),
            )
        else:
            continue
        text = clear_span(text, found.span())
    for found in (*_COUNT.finditer(text), *_WON.finditer(text)):
        if text[found.start("n")] == _CLEAR:
            continue
        good = clause.good(found.start())
        total = (
            _TOTAL.search(text[: found.start("n")])
            and not GOOD.search(found[0])
            and not BAD.search(found[0])
        )
        what: Measure = "count" if total or good is None else "successes" if good else "failures"
        if _MEAN.search(text[max(0, found.start() - 40) : found.start()]):
            continue
        yield what, (Decimal(found["n"]), None), found.span("n")
        text = clear_span(text, found.span("n"))
    for found in PLAIN.finditer(text):
        before = text[: found.start()]
        if _MEAN.search(before[-40:]) or re.search(
            r"\bon average\b", text[found.end() : found.end() + 24]
        ):
            number = read_figure(found[0])
            yield (
                "average",
                (-number if _is_loss(clause, found, before) else number, None),
                found.span(),
            )


def _is_rate(
    clause: Clause, found: re.Match[str], before: str, after: str, *, averaged: bool
) -> bool:
    """Returns whether a percentage says how often things ended well or badly."""
    if _RATE.match(after.lstrip()) or re.match(r"\s*(?:success|win|hit|failure|loss)\b", after):
        return True
    share = re.match(r"\s*of\b", after) or re.search(r"\d\s*\(\Z", before)
    if share and clause.good(found.start()) is not None:
        return True
    if clause.lead is not None and clause.good(0) is not None and not averaged:
        return True
    beside = _CLEAR in before and before.rstrip().endswith(("(", "or", _CLEAR))
    return beside or (not averaged and bool(_RATE.search(before[-24:]) or _ENDED.search(before)))


def _is_loss(clause: Clause, found: re.Match[str], before: str) -> bool:
    """Returns whether an amount without a sign is called a loss."""
    return found[0][0] not in "+-" and BAD.search(before[-24:]) is not None


def clear_span(text: str, span: tuple[int, int]) -> str:
    return text[: span[0]] + _CLEAR * (span[1] - span[0]) + text[span[1] :]

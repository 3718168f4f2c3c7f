"""Finds what a clause says about how things ended that nobody can count: it is not let through."""

from __future__ import annotations

import re
from collections.abc import Sequence

from glymph.learn.episodes import Episode
from glymph.learn.evidence.clauses import BAD, GOOD, Clause, conditions, sides_named
from glymph.learn.evidence.tally import tally_episodes

_ENDING = re.compile(
    r"\b(?:w[io]n|wins|los[est]|losses|lost|loses?|succeed(?:s|ed)?|fail(?:s|ed)?|profitable"
    r"|work(?:s|ed)|(?:win|success|hit|failure|loss) rate)\b",
    re.I,
)
_SURE = re.compile(
    r"\b(?:undefeated|unbeat(?:en|able)|not been beaten|flawless|guarantee\w*|sure[ -](?:thing"
    r"|fire)|surefire|risk[ -]free|foolproof|bulletproof|infallible|perfect (?:record|score"
    r"|streak|run|hit)|can(?:not|'t) lose|without fail|(?:doubl|tripl)ed (?:my|the) (?:account"
    r"|money|capital|stake|balance)|as (?:often|well|much) as|equally (?:often|well|likely)"
    r"|no difference|(?:the )?same (?:holds|goes|applies|is true|was true)|(?:twice|thrice|times"
    r"|x) as (?:often|many|much|likely))\b",
    re.I,
)
_VAGUE = re.compile(
    r"\b(?:rare|rarity|exceptions?|perfect|twice|thrice|hundreds?|dozens?|half|halves|thirds?"
    r"|quarters?|both|thousands?|couple|several|few|many|handful|not (?:the case|true)|over time"
    r"|went (?:up|down)|lately|recently|frequent|later|earlier|the (?:first|last)|streak|in a row"
    r"|consecutive|odds|likewise|ditto|median|typical|total|consistently|reliably|certain(?:ly)?"
    r"|inevitabl[ey]|mornings?|evenings?|nights?|midnight|afternoons?|weekends?|only)\b",
    re.I,
)
_SUMMED = re.compile(
    r"\b(?:median|typical|total|best|worst|biggest|largest|smallest|highest|lowest)\b", re.I
)
_SCORE = re.compile(r"(?<![\d.:-])[1-9]\d?\s?(?:[-–:]|to|for)\s?\d{1,2}(?![\d:-]|\.\d)", re.I)
_SCORED = re.compile(r"\b(?:record|went|go|score|odds|ratio)\b", re.I)
_THAN = re.compile(
    r"\b(?!(?:rath|oth)er\b)(?:\w{2,}er|more|less)\b[^,;]*?\bthan\b(?!\s+[+-]?\d)", re.I
)
_ALWAYS = re.compile(
    r"\b(?:always|never|invariably)\s+(?:above|below|over|under|at |exceed|higher|lower)", re.I
)
_ADVICE = re.compile(
    r"\bI (?:(?:should|will|must|now|only|need to|want to|also) )*(?:not |never |always |only )?"
    r"(?:keep|wait|take|trade|size|enter|exit|use|check|prefer|skip|avoid|look|review|stop|cut"
    r"|reduce|hold|follow|deploy|run|test|write|add|open|close|chase|average|increase"
    r"|buy|sell|move|let|leave|risk|go)\b",
    re.I,
)
_EVERY = re.compile(r"\b(?:all|every)\b(.*?)\b(?:was|were|are|is)\b(.*)", re.I)
_QUALIFIED = re.compile(
    r"\b(?P<how>when(?:ever)?|if|given|provided|that I|with(?:out)?|on|at"
    r"|during|after|before|because(?: of)?|by|in|under|until|since)"
    r"\b\s+(?P<what>[^,;:()]*?)"
    r"(?=[,;:()]|\b(?:when(?:ever)?|if|with(?:out)?|on|during|after|before|because|by|in)\b|\Z)",
    re.I,
)
_OTHER = re.compile(r"\bnon-\w+|\b(?:long|short|fast|slow|larg|small|old|new)er than\b", re.I)
_NEUTRAL = frozenset(
    "a an the this that these those my all of group groups episode episodes trade trades case "
    "cases total average time times trial trials attempt attempts row sum mean contrast general it "
    "them each such least most profit loss gain return returns plan success rate win wins losses "
    "setup setups deploy deploys run runs only just about out both probability particular short "
    "order record whole far so which me i was were is are won lost failed succeeded worked be been "
    "we us past last history tries try sample comparison entry exit".split()
)  # fmt: skip


def doubtful(
    clause: Clause, left: str, episodes: Sequence[Episode], *, counted: bool
) -> str | None:
    """Returns why a clause cannot be vouched for; None if it can.

    `left` is its text without the numbers that were counted again.
    """
    text = clause.text
    if found := _SURE.search(text):
        return f"{found[0]!r} cannot be counted"
    if (found := _ALWAYS.search(text)) and not _throughout(clause, episodes):
        return f"{found[0]!r} is not so"
    ends = bool(GOOD.search(text) or BAD.search(text)) and (counted or not _ADVICE.search(text))
    if not ends and not _shared_by_all(text, episodes):
        return "it is not so of all of them"
    if (found := _SCORE.search(left)) and (ends or _SCORED.search(left)):
        return f"{found[0]!r} cannot be counted"
    if (
        (found := _SUMMED.search(text))
        and re.search(r"\d", left)
        and not _extreme(left, clause, episodes)
    ):
        return f"{found[0]!r} cannot be counted"
    if ends and not counted and (found := _VAGUE.search(text)):
        return f"{found[0]!r} cannot be counted"
    if (ends and counted) or (_ENDING.search(text) and ends):
        return unread(text, episodes)
    return None


def incomparable(clause: Clause) -> str | None:
    """Returns why a comparison that is not one of outcomes cannot be counted."""
    found = _THAN.search(clause.text)
    told = (
        clause.where
        or sides_named(clause.text)
        or GOOD.search(clause.text)
        or BAD.search(clause.text)
    )
    return (
        f"{found[0]!r} cannot be counted"
        if found and told and not _ADVICE.search(clause.text)
        else None
    )


def advises(text: str) -> bool:
    """Returns whether a text says what to do, not what was."""
    return _ADVICE.search(text) is not None


def unread(text: str, episodes: Sequence[Episode]) -> str | None:
    """The circumstance a text names that is no condition of the episodes."""
    for found in _QUALIFIED.finditer(text):
        near = found["how"].lower() in ("on", "at", "in", "by", "during")
        what = re.split(r"(?<=\w)\s+\d", found["what"])[0] if near else found["what"]
        said = [word for word in re.findall(r"[^\W\d]+", what.casefold()) if word not in _NEUTRAL]
        # "on rainy days shorts won" names no days
        named = " ".join(said[:2]) if near and not re.search(r"\d", what[:12]) else found[0]
        if said and not any(conditions(named, episodes)) and not sides_named(named):
            return f"{found[0].strip()!r} cannot be told from the episodes"
    other = _OTHER.search(text)
    if other and not any(conditions(other[0], episodes)):
        return f"{other[0]!r} cannot be told from the episodes"
    return None


def _shared_by_all(text: str, episodes: Sequence[Episode]) -> bool:
    """Returns whether "every A was B" is so, as far as both are read."""
    found = _EVERY.search(text)
    alike = conditions(found[2], episodes)[0] if found else ()
    held = tally_episodes(episodes, conditions(found[1], episodes)[0]).episodes if found else ()
    return all(condition.holds(one) is not False for condition in alike for one in held)


def _throughout(clause: Clause, episodes: Sequence[Episode]) -> bool:
    """Returns whether the threshold of a clause is met by all episodes it speaks of."""
    limits = [one for one in clause.where if one.relation in ("<", "<=", ">", ">=")]
    held = tally_episodes(episodes, [one for one in clause.where if one not in limits]).episodes
    return bool(limits and held) and all(limit.holds(one) for limit in limits for one in held)


def _extreme(left: str, clause: Clause, episodes: Sequence[Episode]) -> bool:
    """Returns whether the first number is the most or least that came of a clause's episodes."""
    found = re.search(r"\d+(?:\.\d+)?", left)
    held = tally_episodes(episodes, clause.where).episodes
    sizes = [
        one.outcome.magnitude for one in held if one.outcome and one.outcome.magnitude is not None
    ]
    least = re.search(r"\b(?:worst|smallest|lowest)\b|\b(?:biggest|largest) loss", left, re.I)
    if found is None or not sizes or re.search(r"\b(?:median|typical|total)\b", left, re.I):
        return False
    return abs(float(found[0])) == abs(min(sizes) if least else max(sizes))

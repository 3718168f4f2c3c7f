"""Reads what a sentence of a lesson states.

That is its parts, the conditions it names, and how it says things ended. The words are English. A
sentence that cannot be read this way states nothing that is counted; if it has numbers, these must
then stand in the episodes themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from glymph.learn.conditions import DAYS, Condition, Relation
from glymph.learn.episodes import Episode, facts
from glymph.prune.outcomes import tells_outcome
from glymph.text.attributes import open_body
from glymph.text.clauses import CONTRASTS, split_at
from glymph.text.negation import SHORTLY_BEFORE
from glymph.text.normal import STOP_WORDS
from glymph.text.numbers import SIGNED_FIGURE, read_figure

GOOD = re.compile(
    r"\b(?:w[io]n(?:s|ning|ners?)?|profit(?:s|able|ably)?|succe(?:ed(?:s|ed)?|ss(?:es|ful"
    r"|fully)?)|work(?:s|ed)|paid|gain(?:s|ed)?|pass(?:es|ed)?|correct|pays?|ma(?:de|kes?"
    r"|king) money|in the (?:green|black)|(?:closed?|ended|ends?|finished) (?:green|positive)"
    r"|d(?:id|o|oes) (?:fine|well|great))\b",
    re.IGNORECASE,
)
BAD = re.compile(
    r"\b(?:los(?:t|es?|ing|ers?|s(?:es)?)|fail(?:s|ed|ures?|ing)?|unprofitable|unsuccessful"
    r"|stopped out|wrong|rejected|avoid(?:s|ed|ing)?|in the red|(?:closed?|ended|ends?"
    r"|finished) (?:red|negative)|did (?:badly|poorly))\b",
    re.IGNORECASE,
)
BETTER = re.compile(
    r"\b(?:better|beats?|outperform\w*|improv\w+|more (?:often|likely|profitable|successful"
    r"|reliable)|likelier|(?:higher|larger|stronger) (?:success|win|hit|average|profits?|returns?"
    r"|gains?)\b|best)\b",
    re.IGNORECASE,
)
WORSE = re.compile(
    r"\b(?:worse|trail(?:s|ed)|underperform\w*|hurts?|less (?:often|likely|profitable|successful"
    r"|reliable)|worst|(?:lower|smaller|weaker) (?:success|win|hit|average|profits?|returns?"
    r"|gains?)\b)\b",
    re.IGNORECASE,
)
COMPARED: dict[str, Relation] = {
    "above": ">", "over": ">", "exceeds": ">", "exceed": ">", "exceeded": ">", "exceeding": ">",
    "greater than": ">", "higher than": ">", "more than": ">", "beyond": ">", "at least": ">=",
    "below": "<", "under": "<", "less than": "<", "lower than": "<", "at most": "<=",
}  # fmt: skip
SIDES = (("long", "short"), ("buy", "sell"), ("bullish", "bearish"), ("up", "down"))

_SHARE = re.compile(
    r"\d\s*(?:/|out of|of)\s*(?:(?:the|my|these) )?\d|\d\s?(?:%|per ?cent)", re.IGNORECASE
)
_COMPARISON = re.compile(
    rf"(?P<before>(?:[A-Za-z_]+\s+){{1,4}})"
    rf"(?P<how>{'|'.join(sorted(COMPARED, key=len, reverse=True))})\s+(?:about\s+)?"
    rf"(?P<number>{SIGNED_FIGURE})\s?(?P<percent>%|per ?cent)?",
    re.IGNORECASE,
)
_LONG_OTHERWISE = re.compile(
    r"\b(?:as|how|so|too|very) long\b|\bno longer\b"
    r"|\blong(?:er)?[ -](?:time|run|term|way|ago|as|enough|hours?|days?)\b"
    r"|\bshort(?:er)?[ -](?:time|run|term|of|on)\b|\bin short\b|\bset[ -]?up\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence with the conditions it names; `tied` are those of tags and entities."""

    text: str
    where: tuple[Condition, ...]
    tied: tuple[Condition, ...]
    lead: Clause | None = (
        None  # the one it stands against, if it does not say itself how things ended
    )

    def good(self, at: int) -> bool | None:
        """Returns whether the word nearest to a place says that things ended well.

        None if there is no such word.
        """
        near = [
            (abs(found.start() - at), self._positive(found, True))
            for found in GOOD.finditer(self.text)
        ]
        near += [
            (abs(found.start() - at), self._positive(found, False))
            for found in BAD.finditer(self.text)
        ]
        if not near and self.lead is not None:
            return self.lead.good(len(self.lead.text))
        return min(near)[1] if near else None

    def _positive(self, found: re.Match[str], positive: bool) -> bool:
        return positive is not (SHORTLY_BEFORE.search(self.text[: found.start()]) is not None)


def clauses(sentence: str, episodes: Sequence[Episode]) -> list[Clause]:
    """Returns the parts of a sentence.

    What the first part names holds for the others too, unless they name another.
    """
    pieces = [part for piece in split_at(sentence, CONTRASTS) for part in _apart(piece, episodes)]
    found: list[Clause] = []
    for piece in pieces:
        where, tied = conditions(piece, episodes)
        lead = None
        if found:
            named = {condition.name for condition in where}
            where += tuple(one for one in found[0].where if one.name not in named)
            tied = tied or found[0].tied
            lead = found[-1] if _SHARE.search(piece) and _SHARE.search(found[-1].text) else None
        found.append(Clause(piece, where, tied, lead))
    return found


def _apart(piece: str, episodes: Sequence[Episode]) -> list[str]:
    """A part of a sentence split where it goes on to count others: "6 shorts and 6 longs"."""
    for found in re.finditer(r":\s+|,?\s+and\s+|,\s+", piece):
        left, right = piece[: found.start()], piece[found.end() :]
        if not (re.search(r"\d", left) and re.search(r"\d", right)):
            continue
        if found[0][0] == ":" or (
            found[0][0] == "," and re.match(r"\s*(?:of|across|over) ", left, re.IGNORECASE)
        ):
            return [*_apart(left, episodes), *_apart(right, episodes)]
        first, second = (
            {one.name: one.value for one in conditions(side, episodes)[0] if one.relation == "="}
            for side in (left, right)
        )
        if any(first[name] != value for name, value in second.items() if name in first):
            return [left, *_apart(right, episodes)]
    return [piece]


def conditions(
    piece: str, episodes: Sequence[Episode]
) -> tuple[tuple[Condition, ...], tuple[Condition, ...]]:
    """Returns the conditions that a part of a sentence names.

    First those by values and thresholds, then those by tags and entities.
    """
    known = [facts(one) for one in episodes]
    names = {name for values in known for name in values if not tells_outcome(name)}
    where = list(_read_comparisons(piece, names, episodes))
    plain = _LONG_OTHERWISE.sub(" ", piece)
    for name in sorted(names):
        values = {str(v).casefold() for one in known if isinstance(v := one.get(name), str)}
        named = [value for value in values if stands(value, plain)]
        if len(named) == 1:
            where.append(Condition(name, "=", named[0]))
        if any(isinstance(one.get(name), bool) for one in known):
            where += _read_switch(name, plain)
    days = [day for day in DAYS if stands(day.casefold(), plain)]
    where += [Condition("weekday", "=", days[0])] if len(days) == 1 else []
    if not any(str(one.value) in ("long", "short") for one in where):
        where += _side_of_text(plain, episodes)
    tags = {tag.casefold() for one in episodes for tag in one.tags}
    entities = {entity.casefold() for one in episodes for entity in one.entities}
    tied = [Condition("tag", "=", tag) for tag in sorted(tags) if stands(tag, plain)]
    tied += [
        Condition("entity", "=", entity) for entity in sorted(entities) if stands(entity, plain)
    ]
    return tuple(where), tuple(tied)


def _read_switch(name: str, piece: str) -> list[Condition]:
    """Returns what a text says of something that is either so or not.

    Examples are "with canary" and "canary is off".
    """
    spaced = re.escape(name).replace("_", "[_ ]")
    if not stands(name.casefold(), piece):
        return []
    off = rf"\b(?:without|no|not)\s+(?:a\s+|the\s+)?{spaced}|\bnon[- ]{spaced}"
    off += rf"|{spaced}\s+(?:(?:is|was|are|were)\s+)?(?:off|false|disabled|not)\b"
    return [Condition(name, "=", re.search(off, piece, re.IGNORECASE) is None)]


def _read_comparisons(
    piece: str, names: set[str], episodes: Sequence[Episode]
) -> Iterator[Condition]:
    for found in _COMPARISON.finditer(piece):
        words = [
            word.casefold() for word in found["before"].split() if word.casefold() not in STOP_WORDS
        ]
        attribute = next(
            (
                n
                for word in reversed(words)
                for n in sorted(names)
                if word in re.split(r"[_\s.]+", n.casefold())
            ),
            None,
        )
        number = float(read_figure(found["number"]))
        if attribute is None and words:
            attribute = words[-1] if words[-1] != "rate" or len(words) < 2 else words[-2]
        if attribute is None or GOOD.fullmatch(attribute) or BAD.fullmatch(attribute):
            continue
        condition = Condition(attribute, COMPARED[found["how"].casefold()], number)
        if any(condition.holds(one) is not None for one in episodes):
            yield condition
    for name in sorted(names):
        spaced = re.escape(name).replace("_", "[_ ]")
        if exact := re.search(
            rf"\bwith (?:a )?{spaced} (?:at|of) ({SIGNED_FIGURE})", piece, re.IGNORECASE
        ):
            yield Condition(name, "=", float(read_figure(exact[1])))


def sides_named(piece: str) -> list[str]:
    """Returns which of long and short a text speaks of."""
    plain = _LONG_OTHERWISE.sub(" ", piece)
    return [one for one in SIDES[0] if stands(one, plain)]


def _side_of_text(piece: str, episodes: Sequence[Episode]) -> list[Condition]:
    """Long or short, where only the texts of the episodes tell the side."""
    found = [side for side in SIDES[0] if stands(side, piece)]
    if len(found) != 1 or any(side(one) is None for one in episodes):
        return []
    return [Condition("text", "contains", found[0])]


def side(episode: Episode) -> str | None:
    """Returns whether an episode was long or short, by its values or its text; None if unclear.

    It is unclear if they say neither, or both.
    """
    told = [str(value).casefold() for value in facts(episode).values() if isinstance(value, str)]
    text = _LONG_OTHERWISE.sub(" ", f"{episode.title} {open_body(episode.body)[0]}")
    for source in (
        [one for one in SIDES[0] if one in told],
        [one for one in SIDES[0] if stands(one, text)],
    ):
        if len(source) == 1:
            return source[0]
    return None


def stands(value: str, text: str) -> bool:
    """Returns whether a value stands in a text as a word, in the singular or the plural."""
    if len(value) < 2 or value in STOP_WORDS or GOOD.fullmatch(value) or BAD.fullmatch(value):
        return False
    spaced = re.escape(value).replace("_", "[_ ]")
    return re.search(rf"(?<![\w]){spaced}(?:e?s)?(?![\w])", text, re.IGNORECASE) is not None

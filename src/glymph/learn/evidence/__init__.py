"""Evidence: what remains of a lesson once every claim and every number in it was counted again.

Where a model has put the sentences into statements (`translate_prompt`), these are counted, in any
language, and what cannot be counted is kept apart as the model's reading. Otherwise the claims the
model gave along are counted over all episodes their condition describes, and plain English is read
here. What does not hold is cut; what is left must still say something, rest on at least three
episodes, and have been counted. Orders that stand in episodes do not become lessons.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from glymph.learn.episodes import Episode
from glymph.learn.evidence.by_statements import Statements, judge_sentence
from glymph.learn.evidence.clauses import SIDES, side
from glymph.learn.evidence.statements import check_statement, conditions_of, find_unstated
from glymph.learn.evidence.tally import refute, tally_episodes
from glymph.learn.lesson import MOST_TITLE, Claim, Pattern
from glymph.text.attributes import open_body
from glymph.text.injection import find_order
from glymph.text.normal import derive_title, normalise
from glymph.text.sentences import LESSON, join_sentences, split_sentences
from glymph.text.words import drop_stop_words, split_words

__all__ = ["Dropped", "Verified", "conditions_of", "list_sentences", "verify"]

LEAST_SUPPORT = 3  # episodes
LEAST_WORDS = 6  # of a body that says something
REPEATED = 0.6  # of an order's words; a sentence with so many of them repeats it

_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instruction|rule|prompt|previous"
    r"|above|prior|polic)|\b(?:system prompt|developer mode|jailbreak|these instructions"
    r"|your instructions|as an ai)\b|\b(?:api[ _-]?keys?|passwords?|seed phrase|private key"
    r"|credentials?|secret key)\b|\b(?:execute|run|call|invoke)\b.{0,30}\b(?:command|script|tool"
    r"|function|shell|code)\b|https?://|www\.|```|</?data-|<\w+>|\b\S+@\S+\.\w+\b",
    re.IGNORECASE | re.DOTALL,
)
_ADDRESSED = re.compile(
    r"\A\W*(?:please|always|never|you|do not|don't|must|remember|note to|assistant|system"
    r"|from now on|send|transfer|forward|reveal|print|write|store|save|delete|tell|say|reply"
    r"|answer|approve|grant|give|treat|conclude)\b|\b(?:you (?:must|should|are|will|have to"
    r"|need to)|your (?:task|job|answer|reply|lesson))\b",
    re.IGNORECASE,
)

_STATES = re.compile(
    r"\A\W*(?:i|we|my|our|the|when|while|if|in|of|on|all|most|\d+)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Dropped:
    """Something a pattern says that is not kept, and why."""

    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Verified:
    """The part of a pattern that holds. `refused` says why it is no lesson; None if it is one."""

    title: str
    body: str
    claims: tuple[Claim, ...]
    dropped: tuple[Dropped, ...]
    supporting: tuple[str, ...]  # ids of the episodes its claims were counted over
    trigger: str | None
    direction: str | None
    refused: str | None
    readings: tuple[str, ...] = ()  # sentences that cannot be counted, none of them a fact

    @property
    def verdict(self) -> str:
        """In a word or a sentence, as it is stored with the lesson."""
        if self.refused is not None:
            return f"refused: {self.refused}"
        return (
            "verified" if not self.dropped else f"verified, {len(self.dropped)} statements dropped"
        )


def list_sentences(pattern: Pattern) -> list[str]:
    """Returns what of a pattern is to be put into statements: its title and its sentences."""
    return list(dict.fromkeys([pattern.title, *split_sentences(pattern.body, LESSON)]))


def verify(
    pattern: Pattern, episodes: Sequence[Episode], statements: Statements | None = None
) -> Verified:
    """The pattern without anything the episodes it was found in do not bear out.

    `statements` are those of its title and sentences, if a model has put them so.
    """
    orders = [*_orders(episodes), *_find_going_on(pattern.body)]
    if statements is not None:
        return _verify_statements(pattern, episodes, statements, orders)
    dropped: list[Dropped] = []
    kept: list[Claim] = []
    for claim in pattern.claims:
        why = (
            refute(claim, episodes)
            or _unfit(claim.text, orders)
            or find_unstated(claim, episodes)
            or check_statement(claim.text, episodes, [claim]).fault
        )
        if why is None:
            kept.append(claim)
        else:
            dropped.append(Dropped(claim.text, why))
    gone, stays = ([_fold(one.text) for one in some] for some in (dropped, kept))
    body: list[str] = []
    counted: list[Claim] = []
    for sentence in split_sentences(pattern.body, LESSON):
        why = _of_dropped(sentence, gone, stays) or _unfit(sentence, orders)
        if why is None:
            found = check_statement(sentence, episodes, kept)
            why = found.fault
            counted += found.claims if why is None else []
        if why is None:
            body.append(sentence)
        else:
            dropped.append(Dropped(sentence, why))
    claims = tuple(dict.fromkeys([*kept, *counted]))
    return _judge(pattern, join_sentences(body, LESSON), claims, dropped, episodes, orders)


def _verify_statements(
    pattern: Pattern, episodes: Sequence[Episode], statements: Statements,
    orders: Sequence[frozenset[str]],
) -> Verified:  # fmt: skip
    dropped: list[Dropped] = []
    counted: list[str] = []
    readings: list[str] = []
    claims: list[Claim] = []
    for sentence in split_sentences(pattern.body, LESSON):
        found = judge_sentence(sentence, statements.get(sentence, ()), episodes)
        if why := _unfit(sentence, orders) or found.why:
            dropped.append(Dropped(sentence, why))
            continue
        (counted if found.kind == "counted" else readings).append(sentence)
        claims += found.claims
    title = judge_sentence(pattern.title, statements.get(pattern.title, ()), episodes)
    if title.why:
        dropped.append(Dropped(pattern.title, title.why))
        pattern = replace(pattern, title=_shorten(derive_title(" ".join(counted))))
    verified = _judge(
        pattern, join_sentences(counted, LESSON), tuple(dict.fromkeys(claims)), dropped, episodes,
        orders, in_words=False,
    )  # fmt: skip
    return replace(verified, readings=tuple(readings))


def _shorten(title: str) -> str:
    return title if len(title) <= MOST_TITLE else title[: MOST_TITLE - 1].rstrip() + "…"


def _judge(
    pattern: Pattern, body: str, claims: tuple[Claim, ...], dropped: list[Dropped],
    episodes: Sequence[Episode], orders: Sequence[frozenset[str]], *, in_words: bool = True,
) -> Verified:  # fmt: skip
    """Judges what is left; `in_words` checks title and trigger as English, too."""
    held = {one.id for claim in claims for one in tally_episodes(episodes, claim.where).episodes}
    cited = {cited for claim in claims for cited in claim.episodes}
    supporting = tuple(one.id for one in episodes if one.id in held)
    refused = None
    if not claims:
        refused = "nothing it claims is borne out by the episodes"
    elif len(held & cited) < LEAST_SUPPORT:
        refused = f"fewer than {LEAST_SUPPORT} episodes support it"
    elif len(split_words(body)) < LEAST_WORDS:
        refused = "nothing is left of its text"
    elif wants := find_order(body):  # none of its sentences does by itself
        refused = f"it tries {wants}"
    title = pattern.title
    if why := _unfit(title, orders) or (
        check_statement(title, episodes, claims).fault if in_words else None
    ):
        dropped.append(Dropped(title, why))
        title = _shorten(derive_title(body))
    trigger = pattern.trigger
    if trigger and (
        why := _unfit(trigger, orders) or check_statement(trigger, episodes, claims).fault
    ):
        dropped.append(Dropped(trigger, why))
        trigger = None
    direction = pattern.direction
    if direction and (
        why := _unfit(direction, orders) or _find_misdirection(direction, claims, episodes)
    ):
        dropped.append(Dropped(direction, why))
        direction = None
    return Verified(title, body, claims, tuple(dropped), supporting, trigger, direction, refused)


def _of_dropped(sentence: str, gone: Sequence[str], stays: Sequence[str]) -> str | None:
    said = _fold(sentence)
    lost = any(
        one in said or (said in one and said not in stays) for one in gone if one not in stays
    )
    return "it states a claim that does not hold" if lost else None


def _fold(sentence: str) -> str:
    return normalise(sentence).rstrip(".!")


def _unfit(sentence: str, orders: Sequence[frozenset[str]]) -> str | None:
    """Returns why a sentence is no part of a lesson, whatever it counts; None if it may be.

    It may not give an order, nor repeat one that stands in an episode.
    """
    if _ORDER.search(sentence):
        return "it reads like an order, not like a lesson"
    if wants := find_order(sentence):
        return f"it tries {wants}"
    said = drop_stop_words(split_words(sentence))
    if any(len(said & order) >= REPEATED * len(order) for order in orders):
        return "it repeats an order that stands in an episode"
    return None


def _orders(episodes: Sequence[Episode]) -> Iterator[frozenset[str]]:
    """The words of what speaks to the reader in the episodes."""
    for one in episodes:
        for sentence in (one.title, *split_sentences(open_body(one.body)[0], LESSON)):
            said = drop_stop_words(split_words(sentence))
            if len(said) > (
                1 if _ORDER.search(sentence) else 3 if _ADDRESSED.search(sentence) else len(said)
            ):
                yield said


def _find_going_on(body: str) -> Iterator[frozenset[str]]:
    """The words of an order, and of what stands right behind it and is no plain statement."""
    steers = False
    for sentence in split_sentences(body, LESSON):
        goes_on = _ADDRESSED.search(sentence) or not _STATES.search(sentence)
        steers = find_order(sentence) is not None or (steers and bool(goes_on))
        if steers:
            yield drop_stop_words(split_words(sentence))


def _find_misdirection(
    direction: str, claims: Sequence[Claim], episodes: Sequence[Episode]
) -> str | None:
    """Returns why the direction is not what supporting episodes that ended well have in common."""
    wanted = direction.strip().casefold()
    if wanted not in (name for pair in SIDES for name in pair):
        return check_statement(direction, episodes, claims).fault
    own = tally_episodes([one for one in episodes if wanted in (side(one), *_values(one))])
    if not own.judged:
        return f"no episode that ended is {wanted}"
    other = tally_episodes([one for one in episodes if one not in own.episodes])
    assert own.rate is not None
    better = own.rate > 50 and (other.rate is None or own.rate >= other.rate)
    return None if better else f"the episodes speak against {wanted}"


def _values(episode: Episode) -> list[str]:
    return [
        str(value).casefold() for value in episode.attributes.values() if isinstance(value, str)
    ]

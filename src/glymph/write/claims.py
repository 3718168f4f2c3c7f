"""The claims of a text: who, about what, with which values.

Also whether a claim is said as true or not, and whether it tells a change. Grammar by word lists,
not a parser: a clause that cannot be read claims nothing, and so replaces nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from glymph.text.clauses import CLAIMS, split_at
from glymph.text.grammar import PAST_FORMS
from glymph.text.negation import NEGATIONS
from glymph.text.normal import STOP_WORDS
from glymph.text.sentences import STATEMENTS, split_sentences
from glymph.text.similarity import find_names
from glymph.text.values import Value, values
from glymph.text.words import plain_words, stem
from glymph.write import lexicon as lex

Mood = Literal["said", "asked", "supposed", "planned", "reported", "past"]

_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_QUOTED = re.compile(r"[\"“][^\"”\n]*\s[^\"”\n]*[\"”]")
_LEAD = re.compile(
    r"^(?:(?:and|but|so|because|also|then|well|since|that|although|though)\b[\s,]*)+", re.IGNORECASE
)
_FACTIVE = re.compile(
    r"^(?:remind me that|the fact that|given that|now that|considering(?: that)?)\s+", re.IGNORECASE
)
_FORMER = re.compile(
    r"(?:\bfrom (?=.+ to )|\binstead of |, not |\btook over .+ from |\bno longer )"
    r"(?:the |my |our |by |on |at |in )*"
    r"(\+?[\w.@:%-]+(?: [A-Z0-9][\w.-]*)*)"
)
_ENTRY = re.compile(r"\s*([A-Z][\w' -]{1,40}): (.+?)(?:[.;\n]|$)")
# "Missed the train: it left early" tells what happened; it is no entry of a list.
_TOLD = re.compile(r"(?:i|we|you|he|she|it|they|this|that|there)\b", re.IGNORECASE)
_FOLLOWING = re.compile(r"\s*[\w-]+|[,.;:]")
_SILENT = STOP_WORDS | lex.SIGNALS | lex.LEMMA_WORDS | {lex.GAP}
_EMPTY_WORDS = STOP_WORDS | lex.SIGNALS | {lex.GAP}
_NO_SUBJECTS = lex.ARTICLES | lex.PREPOSITIONS
_FOLLOWED = lex.PREPOSITIONS | lex.DETERMINERS
_HELPED = lex.AUXILIARIES | lex.LEMMAS.keys() | lex.BEGINNING
_NO_NOUNS = STOP_WORDS | lex.PREPOSITIONS | lex.SIGNALS | lex.LEMMAS.keys()
_ORIGIN = re.compile(r"\bfrom (?:about |around )?$", re.IGNORECASE)
_UNCLEAR = re.compile(r"\b(?:it|which|this|that)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Claim:
    """One clause, read."""

    subject: frozenset[
        str
    ]  # stems; {"me"} for the speaker; empty when it is left to what came before
    verb: str  # what is predicated: a verb class, a verb with its preposition, or "be"
    topic: frozenset[str]  # stems of what it is about: subject, verb and complement without values
    complement: tuple[str, ...]  # stems in order, without values
    values: tuple[Value, ...]
    nouns: tuple[str, ...]  # what each value counts, "" when it counts nothing
    sorts: tuple[frozenset[str], ...]  # of which sort: the words between the value and its noun
    fresh: tuple[bool, ...]  # whether the clause says of each value that it is a new one
    leads: tuple[
        frozenset[str], ...
    ]  # stems of the words that lead to each value: what it is a value of
    heads: tuple[str, ...]  # the last of them before the value
    origins: frozenset[str]  # keys of values it comes from: "from 3 to 4"
    around: frozenset[str]  # stems of the whole sentence
    dates: frozenset[str]  # keys of the dates in the whole sentence
    names: frozenset[str]
    states: frozenset[tuple[str, str]]  # (group, state) of groups in which only one state holds
    instead: frozenset[str]  # what it says is no longer so: "from X", "instead of X", "not X"
    mood: Mood
    negated: bool
    never: bool
    change: bool  # it says that something became so
    end: bool  # it says that something ended
    turned: bool  # it tells a change of heart
    open: bool  # it asks whether it is so
    total: Literal[
        "", "recent", "perfect"
    ]  # its counts go on from earlier ones: "I have read 12 books"
    extra: bool  # it says that something came on top
    event: bool  # it tells what happened once: such things add up
    text: str


@lru_cache(maxsize=2048)
def read_claims(text: str) -> tuple[Claim, ...]:
    """The claims of a text in order; code and quotations claim nothing."""
    found: list[Claim] = []
    for sentence in split_sentences(_QUOTED.sub(" ", _CODE.sub("\n", text)), STATEMENTS):
        parts = _clauses(sentence.strip())
        asks = sentence.rstrip().endswith("?")
        exact = values(sentence)
        dates = frozenset(value.key for value in exact if value.kind == "date")
        around = (
            frozenset(stem(word) for word in plain_words(_mask(sentence, exact)) if _tells(word))
            - lex.EMPTY
        )
        for at, part in enumerate(parts):
            claim = _claim(
                part.strip(" ,"), asks=asks and at == len(parts) - 1, around=around, dates=dates
            )
            if claim is None:
                continue
            if found and at and (not claim.subject or _UNCLEAR.search(part)):
                before = next((earlier for earlier in reversed(found) if earlier.topic), found[-1])
                claim = replace(
                    claim,
                    subject=claim.subject or before.subject,
                    topic=claim.topic | before.topic,
                    leads=tuple(lead | before.topic for lead in claim.leads),
                    heads=tuple(head or "".join(before.complement[-1:]) for head in claim.heads),
                )
            found.append(claim)
    return tuple(found)


def news(text: str) -> str:
    """Returns the clauses of a longer text that tell of something new.

    They serve to look up what they replace.
    """
    said = read_claims(text)
    told = [
        one
        for one in said
        if any(one.fresh) or one.end or one.turned or (one.total and any(one.nouns))
    ]
    return " ".join(one.text for one in told) if len(said) > 1 else ""


def predicates(text: str) -> frozenset[str]:
    """Returns the words by which a text says what its subjects do, or are.

    Another statement may use other words for that.
    """
    said = [one for one in read_claims(text) if one.mood == "said"]
    states = (
        word for one in said for _, state in one.states for word in (state, *lex.STATE_WORDS[state])
    )
    return frozenset((*(word for one in said for word in one.verb.split(" ")[:1]), *states))


def _clauses(sentence: str) -> list[str]:
    """Returns the clauses of a sentence.

    A clause of two words is the first part of a longer subject ("Eva and I").
    """
    clauses: list[str] = []
    for part in split_at(sentence, CLAIMS):
        if clauses and len(clauses[-1].split()) < 3:
            clauses[-1] = f"{clauses[-1]} {part}"
        elif part.strip(" ,."):
            clauses.append(part)
    return clauses


def _claim(
    clause: str, *, asks: bool, around: frozenset[str], dates: frozenset[str]
) -> Claim | None:
    factive = bool(_FACTIVE.match(clause))
    clause = _LEAD.sub("", _FACTIVE.sub("", _LEAD.sub("", clause)))
    words = plain_words(clause)
    if not words:
        return None
    exact = values(clause)
    days = tuple(value for value in exact if value.kind == "date")
    undated = plain_words(_mask(clause, days)) if days else words
    mood = _mood(undated, asks=asks and not factive)
    rest = plain_words(_mask(clause, exact)) if exact else words
    subject, verb, complement = _parts(rest)
    signals = set(words)
    spoken = " ".join(words)
    ending = lex.ENDING.search(spoken)
    end = ending is not None and _ends(spoken, ending)
    denied = (
        frozenset() if ending else NEGATIONS & signals
    )  # "I have not given it up" denies nothing but that
    turned = bool(lex.TURNING.search(spoken))
    counted = [_noun(clause, value) for value in exact]
    telling = tuple(stem(word) for word in complement if word not in _EMPTY_WORDS)
    about = _topic(subject) | {
        stem(word) for word in (*verb.split()[:1], *complement) if _tells(word)
    }
    return Claim(
        subject=_person(subject),
        verb=lex.VERB_CLASSES.get(verb, verb),
        topic=frozenset(about - lex.EMPTY),
        complement=telling,
        values=exact,
        nouns=tuple(noun for noun, _ in counted),
        sorts=tuple(sort for _, sort in counted),
        fresh=tuple(_is_fresh(_before(clause, value, exact)) for value in exact),
        leads=tuple(_lead(clause, value, exact) for value in exact),
        heads=tuple(_head(clause, value, exact) for value in exact),
        origins=frozenset(value.key for value in exact if _ORIGIN.search(clause[: value.start])),
        around=around,
        dates=dates,
        names=find_names(clause),
        states=_states(spoken),
        instead=frozenset(word for found in _FORMER.findall(clause) for word in _keys(found)),
        mood=mood,
        negated=bool(denied),
        never="never" in denied,
        change=end or turned or bool(lex.CHANGE.search(spoken)),
        end=end,
        turned=turned,
        open=mood == "asked" and bool(lex.OPEN.match(spoken)),
        total=_total(spoken),
        extra=bool(signals & lex.EXTRA),
        event=_is_event(words, verb),
        text=clause,
    )


def _ends(spoken: str, found: re.Match[str]) -> bool:
    """Returns whether it says that something ended, and does not deny just that."""
    if found[0].startswith(("no ", "not ", "anymore")):
        return True
    if found[0] == "left" and lex.AT_A_TIME.search(spoken):
        return False  # "I left the office at six"
    return NEGATIONS.isdisjoint(spoken[: found.start()].split()[-3:])


def _total(spoken: str) -> Literal["", "recent", "perfect"]:
    found = lex.PERFECT.search(spoken)
    if found is None:
        return ""
    return "perfect" if found[1] in ("have", "has") else "recent"


def _mood(words: tuple[str, ...], *, asks: bool) -> Mood:
    spoken = " ".join(words)
    if asks or lex.ASKING.match(spoken):
        return "asked"
    if lex.REPORTING.search(spoken):
        return "reported"
    if lex.SUPPOSING.search(spoken):
        return "supposed"
    if lex.PLANNING.search(spoken):
        return "planned"
    if lex.FORMER.search(spoken):
        return "past"
    return "said"


def _mask(clause: str, exact: tuple[Value, ...]) -> str:
    """The clause with a gap where a value stands."""
    for value in reversed(exact):
        clause = f"{clause[: value.start]} {lex.GAP} {clause[value.end :]}"
    return clause


def _parts(words: tuple[str, ...]) -> tuple[tuple[str, ...], str, tuple[str, ...]]:
    """Subject, verb with its preposition, and what follows."""
    words = tuple(word for word in words if word not in lex.ADVERBS)
    at = next((place for place, word in enumerate(words) if place and _is_verb(words, place)), 0)
    if not at:
        return (), "", words
    subject, rest = words[:at], words[at:]
    while len(rest) > 1 and _carries(rest[0], rest[1]):
        rest = rest[1:]
    head, tail = rest[0], rest[1:]
    if head in lex.BE:
        return subject, "be", tail
    verb = lex.LEMMAS.get(head, stem(head))
    if tail and tail[0] in lex.PREPOSITIONS:
        verb = f"{verb} {tail[0]}"
    return subject, verb, tail


def _carries(word: str, following: str) -> bool:
    """Returns whether a verb only helps the one that follows.

    Examples are "does support", "has moved" and "started drinking".
    """
    if word in lex.BEGINNING:
        return following.endswith("ing")
    if word in lex.DO:
        return following not in lex.DETERMINERS
    if word in ("have", "has") and following.endswith("ed"):
        return True
    return word in lex.AUXILIARIES and following in _HELPED


def _is_verb(words: tuple[str, ...], at: int) -> bool:
    word = words[at]
    if word in lex.AUXILIARIES or word in lex.LEMMAS or word in lex.BE:
        return words[at - 1] not in lex.DETERMINERS
    follows = words[at + 1] if at + 1 < len(words) else ""
    one_word = at == 1 and words[0] in lex.PRONOUNS
    ends = (
        word.endswith(("s", "ed"))
        and word not in lex.PREPOSITIONS
        and (follows in _FOLLOWED or not follows)
    )
    return one_word or (ends and words[at - 1] not in _FOLLOWED)


def _is_event(words: tuple[str, ...], verb: str) -> bool:
    """Returns whether the verb is in the simple past."""
    head = verb.split()[0] if verb else ""
    form = next(
        (word for word in words if lex.LEMMAS.get(word, stem(word)) == head and word != head), ""
    )
    past = form in PAST_FORMS or form.endswith("ed")
    return past and not set(words) & {"have", "has", *lex.BE}


def _person(subject: tuple[str, ...]) -> frozenset[str]:
    words = [word for word in subject if word not in ("new", "current", "old", lex.GAP)]
    if set(words) & {"i", "we"}:
        return frozenset({"me"})
    if not words or words[-1] in lex.UNCLEAR:
        return frozenset()
    return frozenset(
        "me" if word in ("my", "our") else stem(word) for word in words if word not in _NO_SUBJECTS
    )


def _topic(subject: tuple[str, ...]) -> set[str]:
    return {stem(word) for word in subject if _tells(word)}


def _tells(word: str) -> bool:
    return word not in _SILENT and len(word) > 1


def _keys(phrase: str) -> tuple[str, ...]:
    """A phrase as what it compares by: its values, else its words."""
    return tuple(value.key for value in values(phrase)) or plain_words(phrase)


def _is_fresh(before: str) -> bool:
    """Returns whether the words that lead to a value tell that it is new.

    A value that is only thought of is not new.
    """
    found = lex.FRESH.search(before)
    if found is not None and not lex.THOUGHT.search(before[: found.start()]):
        return True
    return bool(lex.NEW.search(before))  # "the new deadline" is there whatever is thought of it


def _head(clause: str, value: Value, exact: tuple[Value, ...]) -> str:
    before = plain_words(_before(clause, value, exact))
    words = [stem(word) for word in before if _tells(word) and not word.isdigit()]
    return next((word for word in reversed(words) if word not in lex.EMPTY), "")


def _lead(clause: str, value: Value, exact: tuple[Value, ...]) -> frozenset[str]:
    follows = re.split(r"[,.;:]| (?:and|but|by|after|at) ", clause[value.end :])[0].split()[:3]
    words = (*plain_words(_before(clause, value, exact)), *plain_words(" ".join(follows)))
    numbers = {word for other in exact for word in plain_words(clause[other.start : other.end])}
    return (
        frozenset(stem(word) for word in words if _tells(word) and word not in numbers) - lex.EMPTY
    )


def _before(clause: str, value: Value, exact: tuple[Value, ...]) -> str:
    """The words that lead to a value; those that follow another date or time lead to both."""
    start = value.start
    for other in reversed(exact):
        if (
            other.end <= start
            and len(clause[other.end : start]) <= len(" at ")
            and other.kind in ("date", "time")
        ):
            start = other.start
    return " ".join(plain_words(clause[:start])[-14:]) + " "


def _noun(clause: str, value: Value) -> tuple[str, frozenset[str]]:
    """Returns what a number counts: the last word that follows it, and those between.

    In "12 open tasks" it counts tasks. Else the words before it are taken, as in "port 12".
    """
    if value.unit or value.kind not in ("number", "identifier"):
        return "", frozenset()
    found: list[str] = []
    for word in _FOLLOWING.findall(clause, value.end, value.end + 80)[:4]:
        folded = word.strip().casefold()
        if not folded[0].isalpha() or folded in _NO_NOUNS:
            break
        found.append(stem(folded))
        if folded.endswith("s") and not folded.endswith("ss"):
            break
    if found:
        return found[-1], frozenset(found[:-1])
    before = plain_words(clause[: value.start])[-1:]
    return "".join(
        stem(word) for word in before if _tells(word) and word not in lex.LEMMAS
    ), frozenset()


def _states(spoken: str) -> frozenset[tuple[str, str]]:
    return frozenset(lex.STATED[found] for found in lex.STATING.findall(spoken))


@dataclass(frozen=True, slots=True)
class Entry:
    """A statement written as label and item: "Editor: Vim." """

    label: frozenset[str]  # stems, without liking and disliking
    several: bool  # what is liked, and a plural label, has many items; another has one
    item: frozenset[str]
    liked: bool | None


@lru_cache(maxsize=2048)
def entry(text: str) -> Entry | None:
    """The label and item with which a text begins, if it does."""
    match = _ENTRY.match(text)
    if match is None or _TOLD.match(match[2]) or match[1].casefold() in lex.NO_LABELS:
        return None
    words = plain_words(match[1])
    liking = [word not in lex.DISLIKING for word in words if word in lex.LIKING | lex.DISLIKING]
    telling = (word for word in words if word.isdigit() or _tells(word))
    label = frozenset(stem(word) for word in telling if word not in lex.LIKING | lex.DISLIKING)
    item = frozenset(stem(word) for word in plain_words(match[2]) if word not in STOP_WORDS)
    item = item - label or item  # of "Games: board games" only the board tells
    several = bool(liking) or (words[0].endswith("s") and not words[0].endswith(("ss", "us")))
    return Entry(label, several, item, liking[0] if liking else None) if label and item else None

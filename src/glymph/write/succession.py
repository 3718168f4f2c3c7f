"""Comparison of a claim with an older one.

The new one may tell another value of the same thing, its end, its denial, or nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from glymph.text.dates import ENGLISH_MONTHS, WEEKDAYS
from glymph.text.normal import STOP_WORDS
from glymph.text.similarity import PERSONS
from glymph.text.values import Value
from glymph.text.words import plain_words, stem
from glymph.write import lexicon as lex
from glymph.write.claims import Claim

LONGEST = (
    10  # telling words of a sentence; in a longer one a clause depends on what stands around it
)
LEAST_SHARED = 0.5  # of the words that lead to a new value
LEAST_CONTEXT = 3  # words that two sentences share besides the deed and what it counts
MOST_GROWN = 2.0  # times; a count that is larger still counts something else


@dataclass(frozen=True, slots=True)
class Finding:
    """The relation of a claim to an older one."""

    kind: Literal["supersedes", "conflict"]
    reason: str
    strength: float
    former: str = ""  # the value that was replaced, when that rests on shared words


def compare_claims(new: Claim, old: Claim, *, later: bool, apart: bool = False) -> Finding | None:
    """Returns how a claim stands to an older one of the same or a compatible subject.

    `apart` says that the texts around them name different things: another figure is then of another
    thing.
    """
    if old.end or (new.extra and not new.end):
        return None
    plain = new.mood == old.mood == "said" and max(len(new.around), len(old.around)) <= LONGEST
    for rule in _RULES if plain else _FAR_RULES:
        nameless = rule is _other_name and not (new.names or old.names)
        finding = None if apart and (rule in _OF_FIGURES or nameless) else rule(new, old)
        if finding is None:
            continue
        if finding.kind == "supersedes" and not later:
            return Finding(
                "conflict",
                f"{finding.reason}, and neither is later",
                finding.strength,
                finding.former,
            )
        if finding.kind == "supersedes" and (new.topic | old.topic | new.subject) & _LASTING:
            return Finding(
                "conflict",
                f"{finding.reason}, of what does not change",
                finding.strength,
                finding.former,
            )
        return finding
    return None


def touches(new: Claim, told: frozenset[str]) -> bool:
    """Returns whether a claim may do anything to a text of these stems.

    If not, that text need not be read.
    """
    about = new.topic | frozenset(new.complement)
    counts = any(new.nouns) and (bool(new.total) or bool(new.dates))
    if (new.end or new.turned or new.never or counts or any(new.fresh)) and not about.isdisjoint(
        told
    ):
        return True
    if new.mood != "said":
        return False
    if not new.instead.isdisjoint(told) or (new.change and _RECAST.search(new.text)):
        return True
    mine = "me" not in new.subject or not _SPEAKER.isdisjoint(told)
    if not new.subject or not mine or not new.subject - {"me"} <= told:
        return False
    alone = new.states or new.values or new.verb == "be" or new.verb in lex.ONE_AT_A_TIME
    return bool(alone) or not about.isdisjoint(told)


_SPEAKER = frozenset(map(stem, PERSONS["speaker"]))
_RECAST = re.compile(
    r"\b(?:renamed|changed|switched|updated|replaced) (?:the|my|our) ([\w -]+?) (?:from [\w -]+ "
    r")?(?:to|with) (.+)"
)
_CALLED_OFF = re.compile(
    r"\b(?:is|are|was|were|been|got)\b.*\b(?:cancell?ed|called off|scrapped|discontinued)\b"
)
_CALENDAR = frozenset((*ENGLISH_MONTHS, *WEEKDAYS, *(f"{day}s" for day in WEEKDAYS)))
_LASTING = frozenset(stem(word) for word in lex.LASTING)
_ATTRIBUTES = frozenset(stem(word) for word in lex.ATTRIBUTES)


def _same_subject(new: Claim, old: Claim) -> bool:
    return bool(new.subject) and new.subject == old.subject


def _says(claim: Claim) -> frozenset[str]:
    return claim.topic | frozenset(claim.complement) | frozenset(claim.verb.split()[:1])


def _find_end(new: Claim, old: Claim) -> Finding | None:
    """Returns the finding that a claim ends what the older one says, or None.

    Examples are "I quit smoking", "I no longer live in Berlin" and "I came to like jazz".
    """
    turned = new.turned and old.verb.split()[:1] and old.verb.split()[0] in lex.STANCE
    if not (new.end or turned) or old.negated:
        return None
    about = frozenset(new.complement) | new.topic
    if new.subject != old.subject and not _shared_end(new, old):
        return None
    what = (about if _is_called_off(new) else about - new.subject) - _ENDERS - _RELATING - {"me"}
    shared = what & (_says(old) | old.names)
    enough = 1 if new.subject else 2  # of what "it" did, one word in common says nothing
    if len(shared) >= max(enough, len(what) / 2):
        return Finding("supersedes", f"it ended: {list_words(shared)}", 3.0)
    return None


def _shared_end(new: Claim, old: Claim) -> bool:
    """Returns whether an end told of another subject is that of the older claim's.

    Examples are "Julia and I" and "The meeting was".
    """
    together = new.subject == {"me"} and "me" in old.subject
    if together and (new.names | new.topic) & (old.names - _CALENDAR):
        return True
    if bool(new.subject) and new.subject <= old.topic:
        return True
    return (
        _is_called_off(new)
        and bool(new.dates & old.dates)
        and bool((new.subject - {"me"}) & old.topic)
    )


def _is_called_off(claim: Claim) -> bool:
    """Returns whether it is an appointment that ended, and not somebody's doing it."""
    return claim.end and claim.subject != {"me"} and bool(_CALLED_OFF.search(claim.text))


def _other_state(new: Claim, old: Claim) -> Finding | None:
    """ "I got married" after "I am single": of such states one holds at a time."""
    if not _same_subject(new, old) or new.negated or old.negated:
        return None
    was, is_now = dict(old.states), dict(new.states)
    for group in was.keys() & is_now.keys():
        if was[group] != is_now[group] and not new.states & old.states:
            return Finding("supersedes", f"was {was[group]}, is {is_now[group]}", 3.0)
    return None


def _find_denial(new: Claim, old: Claim) -> Finding | None:
    """The same with and without "not": news if it says so, else a conflict."""
    if new.negated == old.negated or not _same_subject(new, old):
        return None
    one, other = frozenset(new.complement) - _ENDERS, frozenset(old.complement) - _ENDERS
    verbs = {claim.verb.split()[0] if claim.verb else "" for claim in (new, old)}
    alike = (
        len(verbs) == 1 or verbs <= lex.HAVING or new.never or (new.change and bool(one & other))
    )
    if not alike or len(one & other) < 0.6 * max(len(one), len(other), 1):
        return None
    if new.change and not new.negated:
        return Finding("supersedes", "it became so", 2.5)
    return Finding("conflict", "one denies the other", 2.0)


def _never(new: Claim, old: Claim) -> Finding | None:
    """ "I have never done that" of what the speaker once told to have done."""
    if not new.never or new.mood != "said" or old.negated or old.mood in ("supposed", "planned"):
        return None
    if not _same_subject(new, old):
        return None
    what = new.topic - new.subject
    shared = what & old.around
    if len(shared) < 2 or len(shared) < 0.5 * len(what):
        return None
    deed = len(what & old.topic) / len(what)
    same = 0.5 * (new.verb.split()[0] in old.verb.split()[:1]) if new.verb else 0.0
    return Finding(
        "conflict",
        f"never, it says, of {list_words(shared)}",
        deed + same + len(shared) / len(what),
        "never",
    )


def _find_recount(new: Claim, old: Claim) -> Finding | None:
    """The same deed on the same date, with another count."""
    if (
        not _same_subject(new, old)
        or not new.verb
        or new.verb != old.verb
        or "supposed" in (new.mood, old.mood)
        or new.open
    ):
        return None
    days = new.dates & old.dates
    pair = _pair(new, old) if days else None
    counted = pair is not None and new.nouns[new.values.index(pair[0])]
    return (
        Finding("supersedes", f"{pair[1].key} became {pair[0].key}, counted again", 2.0)
        if pair and counted
        else None
    )


def _other_value(new: Claim, old: Claim) -> Finding | None:
    """Another number, date or time of the same thing."""
    if (
        not _same_subject(new, old)
        or not new.verb
        or new.verb != old.verb
        or new.negated != old.negated
    ):
        return None
    if (old.event or new.event) and not new.change:
        return None
    one, other = frozenset(new.complement), frozenset(old.complement)
    if (
        one
        and other
        and (len(one & other) < 0.5 * max(len(one), len(other)) or (one - other and other - one))
    ):
        return None  # books about trees are not those about trains
    pair = _pair(new, old)
    if (
        pair is not None
        and pair[0].kind != "date"
        and new.dates
        and old.dates
        and not new.dates & old.dates
    ):
        return None  # of one month, and of another
    if pair is None or (
        new.subject == {"me"} and (pair[0].kind == "identifier" or len(one | other) > 5)
    ):
        return None
    return Finding("supersedes", f"{pair[1].key} became {pair[0].key}", 2.5)


def _other_name(new: Claim, old: Claim) -> Finding | None:
    """Another name or word where only one can stand."""
    if (
        not _same_subject(new, old)
        or not new.verb
        or new.verb != old.verb
        or new.negated
        or old.negated
    ):
        return None
    if new.event and not new.change:
        return None
    is_now, was = new.complement or tuple(new.names), old.complement or tuple(old.names)
    if is_now == was or not is_now or not was:
        return None
    if {_unit(value) for value in new.values} != {_unit(value) for value in old.values}:
        return None
    if old.names and not new.names and new.verb != "be":
        return None  # "lives in fear", "works at night": no other place than the one that was named
    shared = frozenset(is_now) & frozenset(was)
    one_valued = new.verb in lex.ONE_AT_A_TIME and (bool(shared) or new.verb != "prefer")
    if new.verb == "be":
        one_valued = bool(new.subject & _ATTRIBUTES) or (
            bool(new.names)
            and bool(old.names)
            and new.names != old.names
            and (new.subject != {"me"} or bool(shared & _LASTING))
        )
    if one_valued or (new.change and shared):
        return Finding("supersedes", f"{' '.join(was)} became {' '.join(is_now)}", 2.0)
    return None


def _find_replacement(new: Claim, old: Claim) -> Finding | None:
    """It says itself what it replaces: "from X", "instead of X", "not X"."""
    gone = new.instead & (
        old.names | old.subject | set(old.complement) | {value.key for value in old.values}
    )
    if not gone or not (_same_subject(new, old) or (new.topic - gone) & old.topic):
        return None
    return Finding("supersedes", f"in place of {list_words(gone)}", 2.5)


def _moved_on(new: Claim, old: Claim) -> Finding | None:
    """A value that is said to be new, of what the words that lead to it name."""
    if _clash(new, old) or _apart(new, old) or new.open:
        return None
    found = [
        finding
        for at, fresh in enumerate(new.fresh)
        for place in range(len(old.values))
        if fresh and (finding := _successor(new, at, old, place)) is not None
    ]
    return max(found, key=lambda finding: finding.strength, default=None)


def _successor(new: Claim, at: int, old: Claim, place: int) -> Finding | None:
    """Returns the finding that a new value takes the place of an older one, or None.

    They must be values of the same thing as far as the words tell.
    """
    value, other, lead = new.values[at], old.values[place], new.leads[at]
    counts = bool(new.nouns[at]) and new.nouns[at] == old.nouns[place]
    if not lead or not _succeeds(value, other) or any(same.key == value.key for same in old.values):
        return None
    if (
        sum(
            _unit(listed) == _unit(value) and listed.key not in new.origins for listed in new.values
        )
        > 1
    ):
        return None  # one of a list
    if not counts and (new.nouns[at] or (old.nouns[place] and old.nouns[place] not in lead)):
        return None
    if (new.origins and other.key not in new.origins) or not (
        counts or old.around >= {new.heads[at]} - {""}
    ):
        return None
    shared = lead & old.around
    part = len(shared) / len(lead)
    if part < LEAST_SHARED and other.key not in new.origins:
        return None
    near = len(lead & old.leads[place]) / len(lead | old.leads[place])
    if old.leads[place] and not near:
        return None
    return Finding(
        "supersedes",
        f"{other.key} became {value.key}, of {list_words(shared)}",
        part + near,
        other.key,
    )


def _counted_on(new: Claim, old: Claim) -> Finding | None:
    """A count that has gone on: "I have read 15 books" after "I have read 12 books"."""
    if (
        not new.total
        or new.open
        or new.negated
        or new.mood in ("supposed", "planned", "reported")
        or new.never
    ):
        return None
    if _clash(new, old) or (new.subject and old.subject and "me" not in new.subject & old.subject):
        return None
    found = [
        finding
        for at, noun in enumerate(new.nouns)
        for place, other in enumerate(old.nouns)
        if noun and noun == other and (finding := _grown(new, at, old, place)) is not None
    ]
    return max(found, key=lambda finding: finding.strength, default=None)


def _grown(new: Claim, at: int, old: Claim, place: int) -> Finding | None:
    value, other, noun = new.values[at], old.values[place], new.nouns[at]
    if value.kind != "number" or _unit(value) != _unit(other) or new.nouns.count(noun) > 1:
        return None
    if not 1 < float(value.key) / (float(other.key) or 1) <= MOST_GROWN:
        return None
    sort, before = new.sorts[at], old.sorts[place]
    if (
        (sort and before and not sort & before)
        or (sort and not sort & old.around)
        or not before <= new.around
    ):
        return None
    deed = stem(new.verb.split()[0]) if new.verb else ""
    context = (new.around & old.around) - {noun, deed} - sort
    same_deed = bool(deed) and (deed in old.leads[place] or stem(old.verb.split(" ")[0]) == deed)
    stock = old.verb.split(" ")[0] in lex.STOCK
    told = new.total == "perfect" and len(context) >= LEAST_CONTEXT and (same_deed or stock)
    if not told and not (same_deed and sort & before):
        return None
    strength = len(context) / len(new.around | old.around) + (0.5 if sort & before else 0.0)
    return Finding("supersedes", f"{other.key} became {value.key}, of {noun}", strength, other.key)


def _recast(new: Claim, old: Claim) -> Finding | None:
    """ "We renamed our boat to Heron" after "Our boat is called Swallow"."""
    match = _RECAST.search(new.text) if new.change else None
    if (
        match is None
        or new.negated
        or old.negated
        or old.verb not in ("be", "call")
        or not old.subject
    ):
        return None
    thing = frozenset(stem(word) for word in plain_words(match[1]) if word not in STOP_WORDS)
    was = frozenset(old.complement)
    is_now = frozenset(map(stem, plain_words(match[2])))
    if thing != old.subject - {"me"} or not was or was <= is_now:
        return None
    return Finding("supersedes", f"{list_words(was)} became {list_words(is_now)}", 2.0)


def _succeeds(value: Value, other: Value) -> bool:
    """Returns whether a value may follow another.

    Both are of one kind and unit, they differ, and amounts are within ten times of each other.
    """
    if _unit(value) != _unit(other) or value.key == other.key:
        return False
    try:
        one, two = float(value.key), float(other.key)
    except ValueError:
        return True
    return value.kind == "identifier" or 0.1 <= (one or 1) / (two or 1) <= 10


def _clash(new: Claim, old: Claim) -> bool:
    """Returns whether they speak of different people: the speaker here, somebody else there."""
    if not new.subject or not old.subject or ("me" in new.subject) == ("me" in old.subject):
        return False
    other, mine = (old, new) if "me" in new.subject else (new, old)
    named = bool(other.subject & frozenset(map(stem, other.names)))
    return named or (mine.subject == {"me"} and other.subject.isdisjoint(mine.around))


def _apart(new: Claim, old: Claim) -> bool:
    """Returns whether two short statements speak of different things of one sort.

    An example is the web port and the API port.
    """
    one, other = new.subject - {"me"}, old.subject - {"me"}
    short = max(len(new.around), len(old.around)) <= LONGEST
    return short and bool(one & other) and not one <= old.around and not other <= new.around


def _pair(new: Claim, old: Claim) -> tuple[Value, Value] | None:
    """Returns the two values that differ, of one kind, unit and thing counted.

    Each claim must have just one of these.
    """
    one, other = _single(new), _single(old)
    return next(
        ((one[key], other[key]) for key in one if key in other and one[key].key != other[key].key),
        None,
    )


def _single(claim: Claim) -> dict[tuple[str, str, str], Value]:
    """The values of a claim by kind, unit and thing counted, without lists of several."""
    keys = [(*_unit(value), noun) for value, noun in zip(claim.values, claim.nouns, strict=True)]
    return {
        key: value for key, value in zip(keys, claim.values, strict=True) if keys.count(key) == 1
    }


def _unit(value: Value) -> tuple[str, str]:
    return value.kind, value.unit


def list_words(words: frozenset[str]) -> str:
    return ", ".join(sorted(words)[:4])


_ENDERS = frozenset(
    map(
        stem,
        "stop quit give left leave cancelled lost lose interest job sold sell end off break broke "
        "call called rid away down step stepped stepping come came grew grown mind appreciate like "
        "love enjoy hate dislike phase tired bored parted scrapped removed removal doing".split(),
    )
)
_RELATING = frozenset(
    map(stem, "without within with about around after before since until under over".split())
)
_FAR_RULES = (_never, _moved_on, _find_recount, _counted_on)
_RULES = (
    _find_end,
    _other_state,
    _find_denial,
    _find_replacement,
    _other_value,
    _other_name,
    _moved_on,
    _find_recount,
    _recast,
    _counted_on,
)
_OF_FIGURES = (_moved_on, _find_recount, _counted_on, _other_value)

"""Checks whether a statement can have come from a text.

What a model made up must not be remembered. Numbers, dates, identifiers, names and quoted terms
must stand in the text; of the other telling words some may be the model's own, since it tells
things in short.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from glymph.reader.no_reader import NAMING
from glymph.text import grammar
from glymph.text.dates import ENGLISH_MONTHS, WEEKDAYS
from glymph.text.identifiers import identifiers, numbers, perhaps, same
from glymph.text.negation import DENIALS
from glymph.text.normal import STOP_WORDS
from glymph.text.scripts import flat
from glymph.text.sentences import find_starts
from glymph.text.words import DENSE, WORD, pair_characters

LEAST_SHARED = 0.4  # of a statement's telling words stand in the text, whatever their ending
STEM = 5  # letters by which two words are the same
TELLING_DIGITS = 3  # of a number that tells enough to be known inside an address or a name
NOUNS = 0.12  # of the words within sentences, that begin with a capital where nouns do
SHORT_ANSWER = 3  # words of a sentence that only denies the one before it

_PASSAGE = re.compile(
    r"(?<=[.!?])\s+|\n(?![a-z])|,\s+(?=not\b(?! (?:to|be|on|in|at)\b))"
    r"|,?\s+(?=instead of\b|rather than\b|but not\b)"
)
_QUOTED = re.compile(
    r"`([^`\n]{1,80})`|\"([^\"\n]{1,80})\"|“([^”\n]{1,80})”|(?<!\w)'([^'\n]{1,80})'(?!\w)"
)
_NUMBERED = re.compile(r"\b[^\W\d_]+[-_]?\d[\w-]*")  # a name with a number in it
_ALONE = re.compile(r"(?<![^\W_])(?<!\d[.,])\d+(?:[.,]\d+)*(?![^\W_])")
_ENDING = re.compile(r"(?:ings?|edly|ed|ies|es|s|ly|e|y)\Z")

# Words with which anybody retells what somebody said.
_RETELLING = frozenset(
    "user users he she they assistant agent want wants prefer prefers preferred preference like "
    "likes use uses using used decide decides decided decision agree agreed choose chose chosen "
    "need needs should must always never said say says told tell asked ask asks plan plans planned "
    "goal goals lesson learned learnt fact note remember project team their his her them currently "
    "now name named called also instead rather because when whenever all every before after during "
    "only while new work works working make makes made set sets get keep keeps kept".split()
)
_NO_NAMES = frozenset(
    "i i'm i've i'd i'll user assistant agent ai team project english "
    "url api id ids ui cli db sql json ci cd pr prs os ok".split()
) | {*ENGLISH_MONTHS, *WEEKDAYS}
_THINGS = (
    "s",
    "ing",
    "tion",
    "ment",
    "ness",
    "ity",
    "ance",
    "ence",
    "age",
    "ure",
)  # how names of people rarely end
_SHORT = {
    "k8s": "kubernetes", "js": "javascript", "ts": "typescript", "py": "python", "gh": "github",
    "tf": "terraform", "mac": "macos", "osx": "macos", "pg": "postgres", "es": "elasticsearch",
    "gha": "github", "vscode": "vs",
}  # fmt: skip
_DENYING = DENIALS | frozenset(
    "avoid avoids instead stop stopped rather hate hates dislike dislikes drop dropped remove "
    "removed ban banned forbid forbidden refuse refuses reject rejected unless except only over "
    "allergic against skip deprecated bad wrong fail fails failed dont doesnt cant wont isnt "
    "without zero lack lacks missing unlike quit statt gegen sin sans".split()
)


def find_ungrounded(statement: str, source: str) -> str | None:
    """Returns why a statement cannot be trusted to come from the source; None if it can."""
    source_flat, said_flat = flat(source)[0], flat(statement)[0]
    folded = source_flat.casefold()
    return (
        find_inexact(statement, source)
        or find_strange_name(statement, source)
        or (_strange_noun(said_flat, folded) if _capitalises_nouns(source_flat) else None)
        or _strange_words(said_flat, folded)
    )


def find_inexact(statement: str, source: str) -> str | None:
    """Returns which number, identifier or quotation is not from the source; None if all are."""
    source_flat, said_flat = flat(source)[0], flat(statement)[0]
    folded = source_flat.casefold()
    return (
        _strange_identifier(statement, source, folded)
        or _strange_number(said_flat, source_flat)
        or _strange_quotation(said_flat, folded)
    )


def find_strange_name(statement: str, source: str) -> str | None:
    """Returns which name of a statement is not from the source; None if all are.

    It goes by capitals. They tell nothing where all nouns have one.
    """
    source_flat = flat(source)[0]
    if _capitalises_nouns(source_flat):
        return None
    return _strange_name(flat(statement)[0], source_flat.casefold())


def find_undenied(statement: str, source: str) -> str | None:
    """Returns why the source does not deny what a statement denies; None if it does.

    It goes by words, most of them English, so it may be wrong where the source says it otherwise.
    """
    return _find_denial(flat(statement)[0], flat(source)[0].casefold())


def _strange_number(statement: str, source: str) -> str | None:
    """Returns why a number of the statement is not from the source; None if all are.

    A number that the source has only inside the name of something does not count: Q3 is no three.
    """
    if set(_ALONE.findall(statement)) <= set(_ALONE.findall(source)):
        return None  # a unit may have been added: "11" of children are 11 years
    said, known = numbers(_NUMBERED.sub(" ", statement)), numbers(_NUMBERED.sub(" ", source))
    folded = source.casefold()
    runs = {run for run in re.findall(r"\d+", source) if len(run) >= TELLING_DIGITS}
    for value in said:
        if value in known or format(value, "f") in runs:
            continue
        before = re.search(rf"([^\W\d_]+) {re.escape(format(value, 'f'))}\b", statement.casefold())
        if before is None or not any(
            f"{before[1]}{glue}{value}" in folded for glue in ("", "-", "_", ":")
        ):
            return f"the number {value} does not stand in the source"
    return None


def _strange_identifier(statement: str, source: str, folded: str) -> str | None:
    said = [one for one in identifiers(statement) if one.type in NAMING]
    known = identifiers(source) if said else ()
    for each in said:
        if flat(each.text)[0].casefold() in folded or any(
            same(each, other) or perhaps(each, other) for other in known
        ):
            continue
        return f"{each.text!r} does not stand in the source"
    return None


def _strange_quotation(statement: str, folded: str) -> str | None:
    for quoted in _QUOTED.finditer(statement):
        term = " ".join(next(filter(None, quoted.groups())).casefold().split()).strip(" .,;:!?")
        if term and term not in " ".join(folded.split()):
            return f"the term {term!r} does not stand in the source"
    return None


def _strange_name(statement: str, folded: str) -> str | None:
    starts = find_starts(statement)
    known = None
    for found in WORD.finditer(statement):
        word = found[0]
        begins = found.start() in starts
        if not _is_name(word, begins=begins) and not (
            begins and _acts(word, statement[found.end() :])
        ):
            continue
        known = known if known is not None else set(_words(folded))
        low = re.sub(r"['’]s\Z", "", word.casefold())
        if low in _NO_NAMES or any(_same_name(low, other) for other in known):
            continue
        if not begins or _stem(low) not in map(_stem, known):
            return f"the name {word!r} does not stand in the source"
    return None


def _capitalises_nouns(source: str) -> bool:
    """Returns whether a text writes all nouns with a capital, as German does."""
    starts = find_starts(source)
    inner = [found[0] for found in WORD.finditer(source) if found.start() not in starts]
    capital = sum(word[0].isupper() and not word.isupper() for word in inner)
    return capital > NOUNS * len(inner)


def _strange_noun(statement: str, folded: str) -> str | None:
    """Returns why the nouns of a statement are not from the source: too many are unknown there."""
    starts, known = find_starts(statement), set(_words(folded))
    nouns = [
        found[0]
        for found in WORD.finditer(statement)
        if found[0][0].isupper() and found.start() not in starts
    ]
    stems = set(map(_stem, known))
    strange = [word for word in nouns if _stem(word.casefold()) not in stems]
    if len(strange) * 2 < max(len(nouns), 1):
        return None
    return f"the name {strange[0]!r} does not stand in the source" if strange else None


def _is_name(word: str, *, begins: bool) -> bool:
    inner = any(c.isupper() for c in word[1:])
    return inner or (word[0].isupper() and not begins and len(word) > 1)


def _acts(word: str, rest: str) -> bool:
    """Returns whether a word that begins a sentence is somebody who does something.

    An example is "Svetlana runs …".
    """
    following = WORD.match(rest.lstrip())
    one = word[0].isupper() and word.casefold() not in grammar.FUNCTION | STOP_WORDS | _RETELLING
    verb = following[0].casefold() if following and rest.startswith(" ") else ""
    return one and not word.endswith(_THINGS) and verb in grammar.VERBS


def _same_name(one: str, other: str) -> bool:
    if one == other or _SHORT.get(one) == other or _SHORT.get(other) == one:
        return True
    short, long = sorted((one, other), key=len)
    if long.startswith(short) and long[len(short) :].isdigit():
        return True
    return len(short) >= 4 and long.startswith(short) and len(long) - len(short) <= 4


def _find_denial(statement: str, folded: str) -> str | None:
    """A denial that the source has not where it speaks of the same thing.

    A denial elsewhere in the source is none of this: "I live in Lisbon. Don't forget the tests."
    """
    said = statement.casefold()
    if DENIALS.isdisjoint(_words(said)):
        return None
    if not _denies(folded):
        return "it denies something, and the source denies nothing"
    passages = [(each, _stems(each)) for each in _PASSAGE.split(folded)]
    for clause in _PASSAGE.split(said):
        scope = _scope(clause)
        shared = [len(scope & stems) for _, stems in passages]
        most = max(shared, default=0)
        if most and not any(
            _denies(each) or _is_answered(passages, at)
            for at, (each, _) in enumerate(passages)
            if shared[at] == most
        ):
            return "it denies something that the source does not deny"
    return None


def _denies(folded: str) -> bool:
    known = set(_words(folded))
    return not _DENYING.isdisjoint(known) or any(word.endswith("n't") for word in known)


def _is_answered(passages: Sequence[tuple[str, set[str]]], at: int) -> bool:
    """Returns whether a short denial follows: "Shall I push to main? No, never." """
    following = _words(passages[at + 1][0]) if at + 1 < len(passages) else []
    denies = not DENIALS.isdisjoint(following) and following[0] not in (
        "not",
        "instead",
        "rather",
        "but",
    )
    return denies and (
        len(following) <= SHORT_ANSWER or (following[0] == "no" and "?" in passages[at][0])
    )


def _scope(clause: str) -> set[str]:
    """Returns the telling words that a clause denies.

    They are those behind its first negation, or all of the clause if there are none behind it.
    """
    words = _words(clause)
    at = next((place for place, word in enumerate(words) if word in DENIALS), None)
    if at is None:
        return set()
    return _keep_telling(words[at + 1 :]) or _keep_telling(words)


def _stems(folded: str) -> set[str]:
    return {_stem(form) for word in _words(folded) for form in (word, word.rstrip("0123456789"))}


def _keep_telling(words: Iterable[str]) -> set[str]:
    return {
        _stem(word)
        for word in words
        if word not in STOP_WORDS
        and word not in _RETELLING
        and (len(word) > 2 or ord(word[0]) >= DENSE)
    }


def _strange_words(statement: str, folded: str) -> str | None:
    telling = _keep_telling(_words(statement.casefold()))
    if not telling:
        return None
    shared = len(telling & _stems(folded))
    if shared >= LEAST_SHARED * len(telling):
        return None
    return f"only {shared} of its {len(telling)} telling words stand in the source"


def _words(folded: str) -> list[str]:
    """The words; of scripts without spaces, every two characters that stand together."""
    found: list[str] = []
    for word in WORD.findall(folded):
        if ord(word[0]) >= DENSE and len(word) > 2:
            found += pair_characters(word)
        else:
            found.append(word.replace("’", "'"))
    return found


def _stem(word: str) -> str:
    cut = _ENDING.sub("", word)
    cut = cut if len(cut) >= 3 else word
    if len(cut) > 3 and cut[-1] == cut[-2]:
        cut = cut[:-1]
    return cut[:STEM]

"""The reading of a request: identifiers, figures, names, and words.

The words say which of the statements about them are meant.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from glymph.errors import InvalidInput
from glymph.forget import wording
from glymph.forget.names import bare, begins_a_sentence, looks_named
from glymph.text.grammar import OF_THE_SPEAKER
from glymph.text.identifiers import Identifier
from glymph.text.identifiers.asked import asked_identifiers
from glymph.text.identifiers.codenames import is_label, is_unmistakable, read_name
from glymph.text.negation import IN_A_CLAUSE
from glymph.text.normal import STOP_WORDS
from glymph.text.numbers import BARE_FIGURE
from glymph.text.scripts import flat, fold
from glymph.text.words import NAME_WORD, UNSPACED_OR_HANGUL, word_set

WEAK = frozenset({"date", "time", "quantity", "version"})
_OF_VERSIONS = word_set("version versions release releases build tag")
_CJK_NOISE = re.compile(
    "关于|忘记|忘掉|删除|请|一切|所有|的|信息|資料|资料|について|に関する|すべて|忘れて|削除|の|情報|대한|관한|모든|것|을|를|에|정보|잊어|삭제"
)


_GERMAN_NOUN = re.compile(
    r"(?:^|\s)(?:des|der|das|dem|den|ein|eine|einen|vom|zum|zur|im|am|beim)\s$", re.IGNORECASE
)
_NOUN_WIDTH = 12  # characters before a noun: more than any article has
_PARTICLES = word_set("van von de da di del der la le bin al an do el dos du den ten ter")
# Machines of a kind: node7, web-fr-2.
_COUNTED = re.compile(r"[a-z]{2,}(?:[_-][a-z]{2,})*[_-]?[0-9]{1,2}")
_OF_SOMETHING = re.compile(r"\s(?:des|der|von|vom)\s")


_SPEAKER = re.compile("I['’]\\w{1,2}")  # I'm, I've
_SENTENCE_ENDS = tuple(".!?…。！？؟।")
MOST_NAMED = 100  # identifiers, figures and words of names in one request
MOST_BESIDE = 2  # words and names beside an identifier that only say what it is


@dataclass(frozen=True, slots=True)
class Request:
    """A request, taken apart."""

    text: str
    identifiers: tuple[Identifier, ...]
    figures: tuple[str, ...]  # numbers that are no identifiers
    names: tuple[tuple[str, ...], ...]  # runs of words that are written like a name
    words: tuple[str, ...]  # the rest that tells
    soft: bool  # it names its data by a general word: "medical record"
    negated: bool
    stated: bool  # it repeats a statement, instead of naming an attribute
    now: bool
    mine: bool  # it asks for what the speaker says of himself
    whole: bool  # it asks for all there is

    @property
    def strong(self) -> tuple[Identifier, ...]:
        """The identifiers that stand for themselves."""
        return tuple(found for found in self.identifiers if self._is_strong(found))

    @property
    def weak(self) -> tuple[Identifier, ...]:
        return tuple(found for found in self.identifiers if not self._is_strong(found))

    def _is_strong(self, found: Identifier) -> bool:
        """A version stands for itself if the request names nothing that has it."""
        alone = not self.names and all(fold(word) in _OF_VERSIONS for word in self.words)
        return found.type not in WEAK or (found.type == "version" and alone)

    @property
    def says_more(self) -> bool:
        """Whether it says more than an identifier: "everything about ticket 4711".

        That means also what calls it only "the ticket".
        """
        return self.whole or len(self.names) + len(self.words) > MOST_BESIDE

    @property
    def empty(self) -> bool:
        return not (self.identifiers or self.figures or self.names or self.words)


def read_request(text: str, *, known: Sequence[Identifier] = ()) -> Request:
    """The request, taken apart.

    `known` are identifiers in it that only memories tell to be some; they go before others.
    """
    found = _put_first(known, asked_identifiers(text, wording.is_noise))
    figures, names, others = _read_rest(text, found)
    kept = tuple(each for each in found if _is_meant_whole(each, names, others))
    if len(kept) < len(found):
        found = kept
        figures, names, others = _read_rest(text, found)
    if not found and not figures and (alone := _read_alone(text, names, others)):
        found = (alone,)
        figures, names, others = _read_rest(text, found)
    tokens = [fold(bare(token)) for token in NAME_WORD.findall(text)]
    soft = any(token in wording.SOFT for token in tokens)
    return Request(
        text=text,
        identifiers=found,
        figures=figures,
        names=names,
        words=tuple(word for word in others if fold(word) not in wording.SOFT),
        soft=soft,
        negated=IN_A_CLAUSE.search(text) is not None,
        stated=wording.STATED.search(text) is not None,
        now=not wording.NOW.isdisjoint(tokens),
        mine=not OF_THE_SPEAKER.isdisjoint(tokens),
        whole=not wording.WHOLE.isdisjoint(tokens),
    )


def is_topic(text: str) -> bool:
    """Tells whether a request only names something, as in "flight to Paris": it is no sentence."""
    return not text.rstrip("\"'”’») \n").endswith(_SENTENCE_ENDS)


def read_checked(text: str) -> Request:
    """Returns the request, taken apart; InvalidInput if it names too much to be held against all.

    Everything it names is compared with everything that each memory names.
    """
    request = read_request(text)
    named = len(request.identifiers) + len(request.figures) + sum(map(len, request.names))
    if named > MOST_NAMED:
        raise InvalidInput(
            "request",
            f"it names more than {MOST_NAMED} things. Ask about a part of them at a time.",
        )
    return request


def _put_first(known: Sequence[Identifier], usual: Sequence[Identifier]) -> tuple[Identifier, ...]:
    beside = [
        one
        for one in usual
        if not any(one.start < each.end and each.start < one.end for each in known)
    ]
    return tuple(sorted([*known, *beside], key=lambda one: one.start))


def _read_rest(
    text: str, found: Sequence[Identifier]
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """The figures, names and words of a request beside its identifiers."""
    rest = list(text)
    for each in found:
        rest[each.start : each.end] = "\x00" * (each.end - each.start)
    plain = "".join(rest)
    return tuple(BARE_FIGURE.findall(flat(plain)[0])), *_find_names(plain)


def _is_meant_whole(
    each: Identifier, names: Sequence[tuple[str, ...]], words: Sequence[str]
) -> bool:
    """Returns whether an identifier says what is meant.

    Words that are only called a code name do so if the request tells nothing else of it, and so
    does what is merely counted: the root password of nas02 is not all that is known of nas02.
    """
    named = each.type == "name" and not is_unmistakable(each.text)
    counted = each.type == "code" and _COUNTED.fullmatch(each.text)
    return not (named or counted) or (not names and all(is_label(word) for word in words))


def _read_alone(
    text: str, names: Sequence[tuple[str, ...]], words: Sequence[str]
) -> Identifier | None:
    """The one word of a request, if it is a code name: blue-walrus, BlueWalrus."""
    told = [*words, *(word for run in names for word in run)]
    told = [word for word in told if not is_label(word)]
    if len(told) != 1 or (start := text.find(told[0])) < 0:
        return None
    word = told[0]
    parted = "-" in word
    key = read_name(word) if not parted or word.islower() else ""
    return Identifier("name", key, start, start + len(word), word) if key else None


def _find_names(plain: str) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """The runs of capitalised words, and the other words that tell something."""
    names: list[tuple[str, ...]] = []
    others: list[str] = []
    run: list[str] = []
    end, whole = 0, plain.strip()
    for match in NAME_WORD.finditer(plain):
        for word, ends in _pieces(match[0]):
            broken = bool(plain[end : match.start()].strip(" ")) or ends
            before = plain[max(0, match.start() - _NOUN_WIDTH) : match.start()]
            noun = _GERMAN_NOUN.search(before) or (
                not match.start() and _OF_SOMETHING.match(plain, match.end())
            )
            particle = bool(run) and word.istitle() and word.lower() in _PARTICLES
            alone, first = whole == match[0], begins_a_sentence(plain, match.start())
            noise = wording.is_noise(word) and not (
                particle or _is_name_after_all(word, alone=alone, first=first)
            )
            named = (
                looks_named(word) and not noise and not noun and not any(c.isdigit() for c in word)
            )
            if run and (broken or not named):
                names.append(tuple(run))
                run = []
            if named:
                run.append(word)
                if match[0] != word and _is_possessive(match[0]):
                    names.append(tuple(run))
                    run = []
            elif not noise and not word[0].isdigit() and not IN_A_CLAUSE.fullmatch(word):
                others.append(word)
        end = match.end()
    if run:
        names.append(tuple(run))
    return tuple(dict.fromkeys(names)), tuple(dict.fromkeys(others))


def _pieces(token: str) -> list[tuple[str, bool]]:
    if UNSPACED_OR_HANGUL.search(token):
        return [(piece, True) for piece in _CJK_NOISE.split(token) if piece]
    token = re.sub(r"^[^\W\d_]{1,2}['’](?=\w{2})", "", token)
    return [] if _SPEAKER.fullmatch(token) else [(bare(token), False)]


def _is_name_after_all(word: str, *, alone: bool, first: bool) -> bool:
    """Returns whether a stop word is written like a name, as in "forget Will".

    It must stand where no sentence begins.
    """
    return word.istitle() and word.lower() in STOP_WORDS and len(word) > 2 and (alone or not first)


def _is_possessive(token: str) -> bool:
    return re.search(r"['’]s?$", token, re.IGNORECASE) is not None

"""The reading of a request: identifiers, figures, names, and words.

The words say which of the statements about them are meant.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from glymph.forget import wording
from glymph.forget.names import bare, looks_named
from glymph.text.grammar import OF_THE_SPEAKER
from glymph.text.identifiers import Identifier, identifiers
from glymph.text.negation import IN_A_CLAUSE
from glymph.text.normal import STOP_WORDS
from glymph.text.numbers import BARE_FIGURE
from glymph.text.scripts import flat, fold
from glymph.text.words import NAME_WORD, UNSPACED_OR_HANGUL, word_set

WEAK = frozenset({"date", "time", "quantity", "version"})
_CJK_NOISE = re.compile(
    "关于|忘记|忘掉|删除|请|一切|所有|的|信息|資料|资料|について|に関する|すべて|忘れて|削除|の|情報|대한|관한|모든|것|을|를|에|정보|잊어|삭제"
)


_GERMAN_NOUN = re.compile(
    r"(?:^|\s)(?:des|der|das|dem|den|ein|eine|einen|vom|zum|zur|im|am|beim)\s$", re.IGNORECASE
)
_PARTICLES = word_set("van von de da di del der la le bin al an do el dos du den ten ter")
_OF_SOMETHING = re.compile(r"\s(?:des|der|von|vom)\s")


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
        return tuple(found for found in self.identifiers if found.type not in WEAK)

    @property
    def weak(self) -> tuple[Identifier, ...]:
        return tuple(found for found in self.identifiers if found.type in WEAK)

    @property
    def empty(self) -> bool:
        return not (self.identifiers or self.figures or self.names or self.words)


def read_request(text: str) -> Request:
    """The request, taken apart."""
    found = identifiers(text)
    rest = list(text)
    for each in found:
        rest[each.start : each.end] = "\x00" * (each.end - each.start)
    plain = "".join(rest)
    figures = tuple(BARE_FIGURE.findall(flat(plain)[0]))
    names, others = _find_names(plain)
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


def _find_names(plain: str) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """The runs of capitalised words, and the other words that tell something."""
    names: list[tuple[str, ...]] = []
    others: list[str] = []
    run: list[str] = []
    end = 0
    for match in NAME_WORD.finditer(plain):
        for word, ends in _pieces(match[0]):
            broken = bool(plain[end : match.start()].strip(" ")) or ends
            noun = _GERMAN_NOUN.search(plain[: match.start()]) or (
                not match.start() and _OF_SOMETHING.match(plain, match.end())
            )
            particle = bool(run) and word.istitle() and word.lower() in _PARTICLES
            alone, first = plain.strip() == match[0], match.start() == 0
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
    return [(bare(token), False)]


def _is_name_after_all(word: str, *, alone: bool, first: bool) -> bool:
    """Returns whether a stop word is written like a name, as in "forget Will".

    It must stand where no sentence begins.
    """
    return word.istitle() and word.lower() in STOP_WORDS and len(word) > 2 and (alone or not first)


def _is_possessive(token: str) -> bool:
    return re.search(r"['’]s?$", token, re.IGNORECASE) is not None

"""Names in a text: whole words that are one name.

They are matched across case, accents, scripts and the endings of cases.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from glymph.text.grammar import ARTICLES, FUNCTION, PREPOSITIONS, VERBS
from glymph.text.scripts import across_scripts, fold, romanise
from glymph.text.words import NAME_WORD, UNSPACED_OR_HANGUL, word_set

_INFLECTED = re.compile("[\u0370-\u03ff\u0400-\u052f]")
_CASELESS = re.compile(
    "[\u0590-\u06ff\u0900-\u0dff\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
)
_POSSESSIVE = re.compile(r"['’](?:s|S)$|['’]$")
_DETERMINERS = ARTICLES | word_set("your my his her their our its every each all")


def bare(word: str) -> str:
    """A word without the possessive that hangs on it."""
    return _POSSESSIVE.sub("", word)


def looks_named(word: str) -> bool:
    """Returns whether a word is written like a name."""
    return word[:1].isupper() or bool(_CASELESS.match(word))


@lru_cache(maxsize=8192)
def one_name(wanted: str, found: str) -> bool:
    """Returns whether two words are one name."""
    if fold(wanted) == fold(found):
        return True
    if wanted.isascii() and found.isascii():
        return False
    one, other = romanise(wanted), romanise(found)
    if one == other or across_scripts(wanted, found):
        return bool(one)
    if _INFLECTED.search(wanted) or _INFLECTED.search(found):
        return len(_root(one)) > 2 and _root(one) == _root(other)
    return False


def _root(word: str) -> str:
    """A name without the ending of its case, which Slavic languages and Greek change."""
    return re.sub(r"(?:[aeiouy]+(?:[mvh]|is?)?|[ao]s)$", "", word)


def places(text: str, name: Sequence[str], *, strict: bool = True) -> list[tuple[int, int]]:
    """Returns where the words of a name stand together in a text.

    `strict` asks that they are written like a name.
    """
    if len(name) == 1 and UNSPACED_OR_HANGUL.search(name[0]):
        return [found.span() for found in re.finditer(re.escape(name[0]), text)]
    tokens = [
        (bare(found[0]), found.start(), found.start() + len(bare(found[0])))
        for found in NAME_WORD.finditer(text)
    ]
    tokens = [piece for token in tokens for piece in _apart(token)]
    lower = not any(token[0][:1].isupper() for token in tokens)
    spans = []
    for at in range(len(tokens) - len(name) + 1):
        run = tokens[at : at + len(name)]
        if not all(_matches(part, token[0]) for part, token in zip(name, run, strict=True)):
            continue
        if strict and not lower and not all(looks_named(token[0]) for token in run):
            continue
        if strict and len(name) == 1 and _commands(text, run[0], tokens, at):
            continue
        spans.append((run[0][1], run[-1][2]))
    return spans


def _matches(wanted: str, found: str) -> bool:
    return one_name(wanted, found) or (
        len(found) > 3 and found[-1] == "s" and one_name(wanted, found[:-1]) and found[0].isupper()
    )


def _apart(token: tuple[str, int, int]) -> list[tuple[str, int, int]]:
    """A word before an apostrophe with an ending of its case behind: İzmir'de, l'Anna."""
    word, start, end = token
    if not re.search(r"\w['’]\w", word):
        return [token]
    head, _, tail = re.split(r"(['’])", word, maxsplit=1)
    if len(head) <= 2:
        return [(tail, start + len(head) + 1, end)]
    return [(head, start, start + len(head))]


def _commands(
    text: str, run: tuple[str, int, int], tokens: Sequence[tuple[str, int, int]], at: int
) -> bool:
    """Returns whether a word that begins a sentence is no name but a verb or noun.

    Examples are "Mark the date" and "Rose bushes".
    """
    begins = at == 0 or text[: run[1]].rstrip()[-1:] in ".!?:;\n"
    following = tokens[at + 1][0] if at + 1 < len(tokens) else ""
    if not begins or text[run[2] : run[2] + 1] != " ":
        return False
    second = tokens[at + 2][0].lower() if at + 2 < len(tokens) else ""
    modifies = (
        following.islower() and following not in FUNCTION | VERBS and second in VERBS - PREPOSITIONS
    )
    return following.lower() in _DETERMINERS or modifies


def fuller(text: str, span: tuple[int, int]) -> str | None:
    """The longer name that a name at this place is a part of, folded; None when it stands alone."""
    before = re.search(r"([^\W\d_][\w-]*) $", text[: span[0]])
    after = re.match(r"(?:['’]s)? ([^\W\d_][\w-]*)", text[span[1] :])
    own = text[span[0] : span[1]]
    possessive = text[span[1] : span[1] + 1] in "'’" and span[1] < len(text)
    if after and after[1][0].isupper() and not possessive and after[1].lower() not in FUNCTION:
        return fold(f"{own} {after[1]}")
    initial = before is not None and not text[: span[0] - len(before[0])].strip()
    if before and before[1][0].isupper() and before[1].lower() not in FUNCTION and not initial:
        return fold(f"{before[1]} {own}")
    return None

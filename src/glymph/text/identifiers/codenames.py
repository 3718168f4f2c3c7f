"""Names of things in one word: blue_walrus, blue-walrus, BlueWalrus; and passphrases."""

from __future__ import annotations

import re
from collections.abc import Iterator

from glymph.text.normal import STOP_WORDS
from glymph.text.spans import Span

MOST_PARTS = 8
_SNAKE = re.compile(
    r"(?<![\w./@\\-])([^\W\d_][^\W_]{0,40}(?:_[^\W_]{1,40}){1,7})(?![\w@]|[-/\\]\w|\.\w)"
)
_PARTED = re.compile(r"[^\W\d_][^\W_]{0,40}(?:[-_][^\W_]{1,40}){1,7}")
_CAMEL = re.compile(r"[^\W\d_]{1,40}")
_HUMP = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")
_LABEL = re.compile(
    r"(?<!\w)(?:code[ -]?names?|code[ -]?words?|projects?|projekt|projet|proyecto|progetto|projeto"
    r"|проект|operation|branch|repo(?:sitory)?|(?:feature[ -])?flags?|package|module|service"
    r"|bucket|variable|function|method|class|table|column|topic|queue|cluster|hostname|database"
    r"|schema|pass[ -]?phrases?|pass[ -]?words?|passwort|kennwort|losungswort|deckname"
    r"|nom de code|mot de passe|nombre en clave|contraseña|nome in codice|кодовое имя|пароль)"
    r"(?: (?:is|was|named|called|of|namens|heißt))?:? [\"'`]?",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    r"([^\W_][^\W_]{0,40}(?:[-_][^\W_]{1,40}){1,7}|[^\W\d_]{1,40}(?: [A-Z][^\W_]{1,40}){0,3})"
    r"(?![\w@]|[-/\\]\w|\.\w)"
)


_SMALL = re.compile(
    r"(?<!\w)(?:(?i:code[ -]?name|code[ -]?word|operation|deckname)) [\"'`]?"
    r"([^\W\d_A-Z]{2,40} [^\W\d_A-Z]{2,40})(?=[\s.!?\"'`]{0,4}\Z)"
)
_OF_LABELS = frozenset("code name word feature pass phrase nom mot passe nombre clave".split())
_DIGIT = re.compile("[0-9]")
_SURNAMES = frozenset("mc mac de di du la le van von fitz st".split())


def snakes(text: str) -> Iterator[Span]:
    """Finds the words whose parts are held together by low lines: nothing else is written so."""
    if "_" in text:
        for match in _SNAKE.finditer(text):
            if not _DIGIT.search(match[1]):  # else it is a code
                yield _name(match[1], match.start(1))


def labelled_names(text: str) -> Iterator[Span]:
    """Finds the names that a word before them says to be a code name or a passphrase."""
    for label in _LABEL.finditer(text):
        match = _LABELLED.match(text, label.end())
        if match and len(split_name(match[1])) > 1 and not _DIGIT.search(match[1]):
            yield _name(match[1], match.start(1))
    for match in _SMALL.finditer(text):
        if STOP_WORDS.isdisjoint(match[1].split()):
            yield _name(match[1], match.start(1))


def is_label(words: str) -> bool:
    """Returns whether these words only say that a code name follows."""
    return words.lower() in _OF_LABELS or _LABEL.fullmatch(words + " ") is not None


def is_unmistakable(written: str) -> bool:
    """Returns whether nothing but a name in one word is written so."""
    return re.search(r"[_0-9]|-[^-]+-", written) is not None


def read_name(written: str) -> str:
    """Returns the key of a name in one word, however its parts are joined; empty if it has one."""
    if not (_PARTED.fullmatch(written) or _CAMEL.fullmatch(written)):
        return ""
    parts = split_name(written)
    if not re.search("[-_]", written) and parts[0] in _SURNAMES:
        return ""
    return "_".join(parts) if 1 < len(parts) <= MOST_PARTS else ""


def split_name(written: str) -> list[str]:
    """Returns the parts of a name in small letters: at separators and where a capital begins."""
    return [
        part.casefold()
        for piece in re.split(r"[-_ ]+", written)
        for part in _HUMP.split(piece)
        if part
    ]


def name_pattern(key: str) -> str:
    """Returns the expression for a name in every way to join its parts; also in a path.

    A file that is called so counts, and so does a constant that begins with it: BLUE_WALRUS_ON.
    """
    parts = [re.escape(part) for part in key.split("_")]
    more = r"(?:(?-i:(?:_[A-Z0-9]+)+)|\.[a-z]{1,4}(?=\W|\Z))?"
    return rf"(?<![\w.-])@?{'[-_ ]?'.join(parts)}{more}(?![\w@]|[-.]\w)"


def _name(written: str, start: int) -> Span:
    return Span("name", "_".join(split_name(written)), start, start + len(written))

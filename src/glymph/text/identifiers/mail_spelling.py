"""A mail address as people write it to hide it or say it aloud: "moira dot finch at …"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from glymph.text.identifiers.network import escaped_mails

AT_WORDS = "at ät arobase arroba chiocciola собака собачка".split()
DOT_WORDS = "dot punkt point punto ponto точка".split()
_SIGNS = {
    "-": "dash hyphen minus bindestrich tiret guión trattino".split(),
    "_": "underscore unterstrich".split(),
    "+": "plus".split(),
}
SIGN_WORDS = [word for words in _SIGNS.values() for word in words]
_AT = "|".join(AT_WORDS)
_DOT = "|".join(DOT_WORDS)
_AT_SIGN = rf"(?:\s?@\s?|\s?[(\[{{<]\s?(?:{_AT}|@)\s?[)\]}}>]\s?|\s(?P<said>{_AT})\s|[_-]at[_-])"
_DOT_SIGN = rf"(?:\s?\.|\s?[(\[{{<]\s?(?:{_DOT}|\.)\s?[)\]}}>]\s?|\s(?:{_DOT})\s|[_-]dot[_-])"
_LONGER_BEFORE = re.compile(
    rf"(?:\w\s?[(\[{{<]\s?(?:{_DOT}|\.)\s?[)\]}}>]\s?|\w\s(?:{_DOT}|plus|dash|hyphen|minus"
    r"|underscore)\s)\Z",
    re.IGNORECASE,
)
_LONGER_AFTER = re.compile(
    rf"\s?[(\[{{<]\s?(?:{_DOT}|\.)\s?[)\]}}>]\s?\w|\s(?:{_DOT})\s\w", re.IGNORECASE
)
_WIDTH = 16


def find_mails(key: str, text: str) -> Iterator[tuple[int, int]]:
    """Finds where a mail address stands, however it is spelled; a longer one is another one."""
    owner = key.partition("@")[0]
    named = re.search(r"[\d._+-]", owner) is not None
    for match in _pattern(key).finditer(text):
        start, end = match.span()
        # "Ask bob at acme.io" tells where Bob is: there the dot must be said as well.
        where = match["said"] and not named and "." in match["domain"]
        longer = _LONGER_BEFORE.search(text, max(0, start - _WIDTH), start)
        if not where and not longer and not _LONGER_AFTER.match(text, end):
            yield start, end
    yield from ((one.start, one.end) for one in escaped_mails(text) if one.key == key)


def drop_tag(key: str) -> str:
    """Returns the address of the box that one with a tag reaches: vera+news@… is vera@…."""
    return re.sub(r"(?<=.)\+[^@]*(?=@)", "", key)


@lru_cache(maxsize=1024)
def _pattern(key: str) -> re.Pattern[str]:
    owner, _, domain = key.partition("@")
    return re.compile(
        rf"(?<![\w.+%@-]){_spell(owner)}{_AT_SIGN}(?P<domain>{_spell(domain)})"
        r"(?![\w@]|\.\w|-\w)",
        re.IGNORECASE,
    )


def _spell(part: str) -> str:
    return "".join(_character(char) for char in part)


def _character(char: str) -> str:
    if char == ".":
        return _DOT_SIGN
    if char in _SIGNS:
        return rf"(?:\s?{re.escape(char)}\s?|\s(?:{'|'.join(_SIGNS[char])})\s)"
    return re.escape(char)

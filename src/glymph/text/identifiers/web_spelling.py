"""A web address as people write it so that nobody opens it: acme[.]io, hxxps://…, "acme dot io"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from glymph.text.identifiers.mail_spelling import DOT_WORDS
from glymph.text.identifiers.network import COMMON_TOPS, LABEL, read_web, strip_end
from glymph.text.normal import STOP_WORDS
from glymph.text.spans import Span

_DOT = "|".join(DOT_WORDS)
_IN_BRACKETS = rf" ?[(\[{{<] ?(?:{_DOT}|\.) ?[)\]}}>] ?"
_SAID = f" (?:{_DOT}) "
_AROUND = re.compile(rf"{_IN_BRACKETS}|{_SAID}", re.IGNORECASE)
_TOP = "|".join(COMMON_TOPS)
_HIDDEN = re.compile(
    rf"(?<![\w@.:/%-])(?:(?:h(?:tt|xx)ps?)://)?"
    rf"(?P<host>(?:{LABEL}\.){{0,4}}(?P<label>{LABEL})"
    rf"(?:(?:{_IN_BRACKETS}(?:{LABEL}\.){{0,4}}[^\W\d_]{{2,24}})+"
    rf"|(?:{_SAID}{LABEL}){{0,3}}{_SAID}(?:{_TOP})))"
    r"(?![\w@]|[.-]\w)(?P<page>[/?#][^\s<>\"\x00`|\\^{}]{0,2048})?",
    re.IGNORECASE,
)


def hidden_webs(text: str) -> Iterator[Span]:
    """Finds web addresses whose dots stand in brackets or are said; "the dot com" is none."""
    if _AROUND.search(text) is None:
        return
    for match in _HIDDEN.finditer(text):
        if match["label"].lower() in STOP_WORDS:
            continue
        page = strip_end(match["page"]) if match["page"] else ""
        key = read_web("http", _AROUND.sub(".", match["host"]) + page)
        if key:
            yield Span("url", key, match.start(), match.end("host") + len(page))


def spell_host(host: str) -> str:
    """Returns the expression for a host, however its dots are written, and for no longer one."""
    parts = map(re.escape, host.split("."))
    spelt = rf"(?:\.|{_IN_BRACKETS}|{_SAID})".join(parts)
    return rf"(?<!\.[\])}}])(?<!dot[\])}}]){spelt}(?!{_IN_BRACKETS}\w)"

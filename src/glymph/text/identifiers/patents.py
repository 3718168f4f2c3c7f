"""Numbers of patents, in groups or not, with or without the letter of what was published."""

from __future__ import annotations

import re
from collections.abc import Iterator

from glymph.text.spans import Span

_PATENT = re.compile(
    r"(?<!\w)(?P<office>EP|US|WO|DE|GB|FR|JP|CN|CA|AU|KR) ?"
    r"(?:(?P<grouped>[0-9]{1,3}(?:[ ,.][0-9]{3}){2,3})(?: ?[ABCU][0-9]?)?"
    r"|(?P<plain>[0-9]{7,10}) ?[ABCU][0-9]?)(?!\w|[.,][0-9])"
)


def patents(text: str) -> Iterator[Span]:
    """Finds patents; the key is that of the number written in one: EP2871304."""
    for match in _PATENT.finditer(text):
        digits = re.sub("[^0-9]", "", match["grouped"] or match["plain"]).lstrip("0")
        yield Span("code", f"{match['office']}-{digits}", *match.span())

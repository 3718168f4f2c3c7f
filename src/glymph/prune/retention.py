"""The longest time that kinds are kept, as a setting writes it: "KIND=DAYS, KIND=DAYS"."""

from __future__ import annotations

import re
from collections.abc import Mapping

from glymph.errors import InvalidInput

MOST_DAYS = 36_500

_WHOLE = re.compile(r"[0-9]{1,6}\Z")


def parse_retention(text: str) -> Mapping[str, int]:
    """Returns the days after which each named kind may go; none for an empty text.

    Raises InvalidInput for nonsense.
    """
    found: dict[str, int] = {}
    for part in filter(None, (one.strip() for one in text.split(","))):
        kind, sign, days = (piece.strip() for piece in part.partition("="))
        if not kind or not sign or not _WHOLE.match(days) or not 1 <= int(days) <= MOST_DAYS:
            raise InvalidInput(
                "settings.retention",
                f"{part!r} is not KIND=DAYS with 1 to {MOST_DAYS} days. "
                "Write it like note=180, curiosity=60.",
            )
        if kind in found:
            raise InvalidInput(
                "settings.retention", f"{kind!r} is named twice. Give each kind one number of days."
            )
        found[kind] = int(days)
    return found

"""How long kinds are kept, as a setting says it."""

from __future__ import annotations

import pytest

from glymph.errors import InvalidInput
from glymph.prune.retention import parse_retention


def test_kinds_and_days_are_read_with_any_spacing() -> None:
    assert parse_retention("") == {}
    assert parse_retention(" note=180 ,curiosity = 60, ") == {"note": 180, "curiosity": 60}


@pytest.mark.parametrize(
    "text",
    ["note", "note=", "=4", "note=-1", "note=0", "note=36501", "note=1e3", "note=٣", "a=1,a=2"],
)
def test_nonsense_is_refused_with_an_example(text) -> None:
    with pytest.raises(InvalidInput, match="retention"):
        parse_retention(text)

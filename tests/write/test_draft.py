"""Bad input gets a typed error that names the field and the next step."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, timezone
from functools import reduce

import pytest

from glymph.checks import checked_space
from glymph.config import Settings
from glymph.errors import InvalidInput
from glymph.write.draft import draft

SETTINGS = Settings(max_text_chars=100, max_tags=3, max_attributes_bytes=50)


@pytest.mark.parametrize(
    ("field", "fields"),
    [
        ("text", {"text": ""}),
        ("text", {"text": " \n\t "}),
        ("text", {"text": "x" * 101}),
        ("text", {"text": 5}),
        ("text", {"text": "nul\0inside"}),
        ("text", {"text": "half a \ud800 pair"}),
        ("title", {"title": ""}),
        ("kind", {"kind": "Two Words"}),
        ("kind", {"kind": ""}),
        ("kind", {"kind": None}),
        ("kind", {"kind": "self"}),
        ("section", {"kind": "lesson", "section": "EPISODIC"}),
        ("section", {"kind": "mine", "section": "ELSEWHERE"}),
        ("tags", {"tags": "one text"}),
        ("tags", {"tags": ["a", "b", "c", "d"]}),
        ("tags", {"tags": [""]}),
        ("entities", {"entities": [3]}),
        ("attributes", {"attributes": {"x": math.nan}}),
        ("attributes", {"attributes": {"x": math.inf}}),
        ("attributes", {"attributes": {"x": object()}}),
        ("attributes", {"attributes": {1: "x"}}),
        ("attributes", {"attributes": {"x": "y" * 60}}),
        ("attributes", {"attributes": {"x": "\0"}}),
        ("attributes", {"attributes": ["x"]}),
        (
            "attributes",
            {"attributes": {"deep": reduce(lambda inner, _: [inner], range(100_000), [])}},
        ),
        ("event_at", {"event_at": datetime(2026, 1, 1)}),  # noqa: DTZ001  naive on purpose
        ("expires_at", {"expires_at": "tomorrow"}),
        ("event_at", {"event_at": datetime.min.replace(tzinfo=timezone(timedelta(hours=14)))}),
        ("expires_at", {"expires_at": datetime.max.replace(tzinfo=timezone(timedelta(hours=-14)))}),
        ("salience", {"salience": math.nan}),
        ("salience", {"salience": 1.01}),
        ("salience", {"salience": True}),
        ("trust", {"trust": -0.1}),
        ("trust", {"trust": "high"}),
        ("source", {"source": " "}),
        ("type", {"links": [("id", "best_friends")]}),
    ],
)
def test_each_bad_field_is_named(field, fields):
    with pytest.raises(InvalidInput) as caught:
        draft(**{"text": "fine", **fields}, settings=SETTINGS)
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{field}: ")
    assert len(str(caught.value)) > len(field) + 15


def test_a_good_draft_is_stored_as_given_with_lists_made_tidy():
    d = draft(
        " Hello ", SETTINGS, kind="my_kind", section="episodic", tags=["a ", "a", "b"],
        attributes={"b": 1, "a": None}, event_at=datetime(2026, 1, 1, tzinfo=UTC),
    )  # fmt: skip
    assert (d.text, d.title, d.section) == (" Hello ", "Hello", "EPISODIC")
    assert (d.tags, d.attributes, d.event_at) == (
        '["a", "b"]',
        '{"a": null, "b": 1}',
        1767225600000000,
    )


@pytest.mark.parametrize("name", ["", " ", "(loading) x", "a b", "x" * 129, None, "-x", "a\nb"])
def test_a_space_needs_a_plain_name(name):
    with pytest.raises(InvalidInput, match="space"):
        checked_space(name)


@pytest.mark.parametrize("name", ["default", "user@example", "team/agent:7", "日本", "global"])
def test_ordinary_names_are_spaces(name):
    assert checked_space(name) == name


@pytest.mark.parametrize(
    "values",
    [
        {"trash_days": 0},
        {"trash_days": "soon"},
        {"max_page": math.nan},
        {"max_page": 1.5},
        {"max_page": True},
        {"no_such": 1},
        {"durability": "perhaps"},
    ],
)
def test_a_bad_setting_is_refused_by_name(values):
    with pytest.raises(InvalidInput, match=next(iter(values))):
        Settings.parse(values)


def test_a_misspelt_setting_is_recognised():
    with pytest.raises(InvalidInput, match="trash_days"):
        Settings.parse({"trash_day": 3})

"""What is wrong with arguments is said in words that say how to write them."""

from __future__ import annotations

import re
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from glymph.tools.problems import say_problems


class Example(BaseModel):
    model_config = ConfigDict(extra="forbid")
    plan: str = Field("p", max_length=9)
    count: int = Field(1, ge=1, le=1000)
    share: float = Field(0.5, gt=0, lt=1)
    tags: list[str] = Field([], max_length=2)
    figures: dict[str, int] = {}
    sure: bool = False
    choice: Literal["keep", "drop"] = "keep"


def told(**given):
    with pytest.raises(ValidationError) as caught:
        Example.model_validate(given)
    return say_problems(caught.value.errors(), Example.model_fields)


def test_a_body_that_is_no_json_is_said_to_break_where_it_does():
    found = {"type": "json_invalid", "loc": ("body", 8), "input": {}, "msg": "JSON decode error"}
    said = say_problems([{**found, "ctx": {"error": "Expecting value"}}])
    assert said == (
        "body.8: the JSON breaks at this character (Expecting value). Send one whole document."
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"plan": 5}, "plan: 5 is no text. Pass a string, in quotes."),
        ({"plan": "a" * 10}, "plan: it is too long. Pass at most 9 characters."),
        ({"count": "many"}, "count: 'many' is no whole number. Pass one such as 10."),
        ({"count": 1.5}, "count: 1.5 is no whole number. Pass one such as 10."),
        ({"count": 0}, "count: 0 does not fit. Pass at least 1."),
        ({"count": 1001}, "count: 1001 does not fit. Pass at most 1000."),
        ({"share": 0}, "share: 0 does not fit. Pass more than 0.0."),
        ({"share": 1}, "share: 1 does not fit. Pass less than 1.0."),
        ({"share": "x"}, "share: 'x' is no number. Pass one such as 0.5."),
        ({"tags": "x"}, "tags: 'x' is no list. Pass one such as [\"a\"]."),
        ({"tags": ["a"] * 3}, "tags: ['a', 'a', 'a'] has 3 entries. Pass at most 2."),
        ({"figures": 3}, "figures: 3 is no object. Pass one such as {\"name\": \"value\"}."),
        ({"sure": "perhaps"}, "sure: 'perhaps' is neither true nor false. Pass one of them."),
        ({"choice": "x"}, "choice: 'x' is not known. Use one of 'keep' or 'drop'."),
        ({"plan_id": "x"}, "plan_id: there is no such argument. Did you mean 'plan'?"),
        ({"cuont": 2}, "cuont: there is no such argument. Did you mean 'count'?"),
    ],
)  # fmt: skip
def test_each_problem_says_how_to_write_it(given, words):
    assert told(**given) == words


def test_several_problems_are_told_field_by_field():
    assert told(count=0, plan=5) == (
        "plan: 5 is no text. Pass a string, in quotes. count: 0 does not fit. Pass at least 1."
    )


def test_a_field_like_no_other_is_answered_with_all_there_are():
    said = told(zzz=1)
    assert said.startswith("zzz: there is no such argument. There are: ")
    assert set(re.findall(r"\w+", said.split("There are: ")[1])) == set(Example.model_fields)


def test_where_the_fields_are_not_known_it_is_to_be_left_out():
    with pytest.raises(ValidationError) as caught:
        Example.model_validate({"zzz": 1})
    assert say_problems(caught.value.errors()).endswith("no such argument. Leave it out.")

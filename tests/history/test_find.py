"""Finding old turns.

Scripts without spaces, other forms of a word, calls of tools, forms of Unicode.
"""

from __future__ import annotations

import json
import tempfile
import unicodedata
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glymph.history.disk import Disk
from glymph.history.history import History

CAFE = "Café Müller opens at nine."


def user(text):
    return {"role": "user", "content": text}


def calling(arguments, name="book_room"):
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


@pytest.fixture
def history(tmp_path, clock):
    return History(tmp_path / "h", clock=clock, disk=Disk(durable=False))


def numbers(history, query):
    return [one.number for one in history.search("s", query)]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("我们去京都旅行。", "京都"),
        ("第三季度预算是五万。", "预算"),
        ("来週は京都で会議があります。", "京都の会議はいつですか"),
        ("예산을 늘렸다", "예산"),
        ("พรุ่งนี้ประชุมที่เชียงใหม่", "ประชุม"),
        ("Q4预算是五万。", "q4"),
        ("Q4预算是五万。", "Q4 预算"),
    ],
)
def test_scripts_without_spaces_are_found_by_any_part_of_a_run(history, text, query):
    history.append("s", user("没有关系"), user("nothing here"), user(text))
    assert numbers(history, query) == [3]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Two trucks left Oslo.", "truck"),
        ("The truck left Oslo.", "trucks"),
        ("TRUCKS left.", "Truck"),
        ("We moved in May.", "move"),
        ("She is moving out.", "moved"),
        ("We planned it.", "planning"),
        ("The policies hold.", "policy"),
        ("This is Annika’s desk.", "annika"),
        ("Ask Annika.", "Annika's"),
    ],
)
def test_simple_forms_of_a_word_are_found(history, text, query):
    history.append("s", user("nothing here"), user(text))
    assert numbers(history, query) == [2]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("The truckload left.", "truck"),
        ("A new desk.", "news"),
        ("Switch it off.", "offer"),
        ("It stinks.", "ink"),
    ],
)
def test_other_words_are_not(history, text, query):
    history.append("s", user(text))
    assert numbers(history, query) == []


def test_the_word_itself_comes_before_its_other_forms(history):
    history.append(
        "s", user("The truck is red."), user("The trucks are red."), user("Trucking is hard.")
    )
    assert numbers(history, "truck")[0] == 1
    assert numbers(history, "trucks")[0] == 2
    assert sorted(numbers(history, "truck")) == [1, 2, 3]


@pytest.mark.parametrize("said", ["NFC", "NFD"])
@pytest.mark.parametrize("asked", ["NFC", "NFD"])
def test_composed_and_decomposed_letters_are_the_same(history, said, asked):
    history.append("s", user("nothing"), user(unicodedata.normalize(said, CAFE)))
    for query in ("Café", "CAFÉ", "müller"):
        assert numbers(history, unicodedata.normalize(asked, query)) == [2]


def test_case_is_folded_beyond_lower_case(history):
    history.append("s", user("Die Straße ist gesperrt."), user("ΟΔΟΣ"))
    assert numbers(history, "STRASSE") == [1]
    assert numbers(history, "οδος") == [2]


@pytest.mark.parametrize(
    "message",
    [
        calling(json.dumps({"city": "Ålesund", "note": "first\nBalcony room"})),
        calling(json.dumps({"city": "Ålesund", "note": "first\nBalcony room"}, ensure_ascii=False)),
        calling('{"city": "Ålesund", "note": "first\\nBalcony'),
        {"role": "assistant", "content": [
            {"type": "tool_use", "id": "t", "name": "book_room",
             "input": {"city": "Ålesund", "note": "first\nBalcony"}},
        ]},
    ],
    ids=["escaped", "plain", "torn", "parts"],
)  # fmt: skip
def test_names_and_arguments_of_calls_are_found(history, message):
    history.append("s", user("nothing"), message)
    for query in ("ålesund", "balcony", "book room"):
        assert numbers(history, query) == [2]
    assert "Balcony" in history.search("s", "balcony")[0].text


def test_a_refusal_is_found(history):
    history.append(
        "s", {"role": "assistant", "content": None, "refusal": "I cannot help with lockpicking."}
    )
    assert history.search("s", "lockpicking")[0].text == "I cannot help with lockpicking."


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("needle", ["Café", "京都", "trucks"])
def test_long_messages_are_shown_around_what_was_found(history, form, needle):
    text = unicodedata.normalize(form, "größer " * 200 + f"{needle} " + "später " * 200)
    history.append("s", user(text))
    (found,) = history.search("s", {"trucks": "truck"}.get(needle, needle))
    assert unicodedata.normalize(form, needle) in found.text
    assert len(found.text) < 320


words = st.one_of(
    st.sampled_from(
        ["truck", "Trucks", "moved", "CAFÉ", "cafe\u0301", "京都", "Straße", "ﬁn", "İzmir", "it’s", "Anna's"]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4),
)  # fmt: skip


@settings(max_examples=80, deadline=None)
@given(
    st.lists(words, min_size=1, max_size=6),
    words,
    st.sampled_from([" ", "\n", "\t", '"', "\\", "\u0301"]),
)
def test_no_line_that_would_be_found_is_passed_over(said, asked, between):
    if not asked.strip() or "\0" in asked:
        return
    text = between.join(said)
    with tempfile.TemporaryDirectory() as folder:
        history = History(folder, disk=Disk(durable=False))
        history.append(
            "s", user(text), calling(json.dumps({"x": text}, ensure_ascii=False)), user("nothing")
        )
        found = history.search("s", asked)
        with patch("glymph.history.transcript.may_hold", return_value=True):
            assert history.search("s", asked) == found

"""Recorded answers: replayed where there is one, collected where there is none."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from glymph import Glymph
from glymph.errors import InvalidInput, ModelFailed
from glymph.llm import open_model
from glymph.llm.dialogue import FREE, Message
from glymph.llm.providers.recorded import ANSWERS, QUESTIONS, RecordedModel

ASKED = [Message("system", "Judge."), Message("user", "Is Ana's flat in Graz or in Linz?")]
SCHEMA = {"type": "object", "properties": {"place": {"type": "string"}}}


def read_questions(folder):
    return [json.loads(line) for line in (folder / QUESTIONS).read_text().splitlines()]


def answer(folder, number, text):
    with (folder / ANSWERS).open("a", encoding="utf-8") as file:
        file.write(json.dumps({"id": number, "text": text}) + "\n")


def test_a_new_question_is_written_down_once_and_says_where_to_answer(tmp_path):
    model = open_model(f"recorded:{tmp_path / 'judge'}")
    for _ in range(2):
        with pytest.raises(ModelFailed, match=r"no answer yet.*answers\.jsonl") as failed:
            model.complete(ASKED, SCHEMA)
    (question,) = read_questions(tmp_path / "judge")
    assert question["id"] in str(failed.value)
    assert question["schema"] == SCHEMA
    assert [one["content"] for one in question["messages"]] == [one.content for one in ASKED]


def test_an_answer_counts_from_the_moment_it_is_added(tmp_path):
    model = RecordedModel(tmp_path)
    with pytest.raises(ModelFailed):
        model.complete(ASKED, SCHEMA)
    answer(tmp_path, read_questions(tmp_path)[0]["id"], '{"place": "Linz"}')
    reply = model.complete(ASKED, SCHEMA)
    assert (reply.text, reply.ended) == ('{"place": "Linz"}', "done")
    assert reply.usage.tokens_in > 0
    assert model.prices == FREE
    assert RecordedModel(tmp_path).complete(ASKED, SCHEMA).text == reply.text


def test_other_words_or_another_form_of_answer_are_another_question(tmp_path):
    model = RecordedModel(tmp_path)
    with pytest.raises(ModelFailed):
        model.complete(ASKED, SCHEMA)
    answer(tmp_path, read_questions(tmp_path)[0]["id"], "{}")
    for asked, schema in ((ASKED, None), (ASKED[1:], SCHEMA)):
        with pytest.raises(ModelFailed, match="no answer yet"):
            model.complete(asked, schema)
    assert len(read_questions(tmp_path)) == 3


def test_many_at_once_leave_whole_lines(tmp_path):
    model = RecordedModel(tmp_path)

    def ask(number):
        with pytest.raises(ModelFailed):
            model.complete([Message("user", f"Question {number} " * 50)])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(40)))
    assert len({question["id"] for question in read_questions(tmp_path)}) == 40


@pytest.mark.parametrize("line", ["{", "[]", '{"id": "x"}', '{"id": "x", "text": 7}'])
def test_a_line_that_cannot_be_read_is_named(tmp_path, line):
    (tmp_path / ANSWERS).write_text('{"id": "a", "text": "b"}\n\n' + line + "\n")
    with pytest.raises(ModelFailed, match=r"line 3 of answers\.jsonl.*Make line 3"):
        RecordedModel(tmp_path).complete(ASKED)


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(ModelFailed, match="cannot be written"):
        RecordedModel(tmp_path / "file").complete(ASKED)


def test_without_a_folder_the_setting_is_refused():
    with pytest.raises(InvalidInput, match="recorded:FOLDER"):
        open_model("recorded:")


def test_the_name_in_the_ledger_has_no_path(tmp_path):
    spec = f"recorded:{tmp_path / 'night'}"
    with Glymph.open(f"sqlite:///{tmp_path / 'm.db'}", embedder="none", model=spec):
        assert open_model(spec).name == "recorded:night"

"""Models a program brings along, and the one the settings name: what is checked when."""

from __future__ import annotations

from pathlib import Path

import pytest

from glymph import Glymph
from glymph.errors import InvalidInput, ModelFailed
from glymph.jobs.registry import all_jobs
from glymph.jobs.runner import run_item
from glymph.llm.dialogue import FREE, Message, Prices, Question, Reply, Usage
from glymph.llm.lazy import LazyModel
from glymph.llm.ledger import Run
from glymph.upkeep import queue
from glymph.upkeep.leases import hold_lease

QUESTION = Question([Message("user", "How many?")], {"type": "object"}, str)
WRONG = [
    "nosuch:x",
    "openai:",
    'command:claude "oops',
    "command: ",
    "gguf:/moved/away.gguf",
    "gguf:~nobody-here/x",
    "",
]


class Least:
    """A model without close."""

    name = "least"
    prices = FREE

    def complete(self, messages, schema=None, **_):
        return Reply("yes", Usage(1, 1))


@pytest.mark.parametrize(
    ("changed", "missing"),
    [({"name": None}, "name"), ({"name": ""}, "name"), ({"prices": None}, "prices"),
     ({"prices": (1, 2)}, "prices"), ({"prices": Prices(-1.0, 0.0)}, "prices"),
     ({"prices": Prices(float("nan"), 0.0)}, "prices"), ({"complete": None}, "complete"),
     ({"complete": "x"}, "complete")],
)  # fmt: skip
def test_an_object_that_lacks_something_is_refused_with_what(url, changed, missing):
    with pytest.raises(InvalidInput, match=rf"lacks {missing}.*contract\.Model") as caught:
        Glymph.open(url, model=type("Own", (Least,), changed)())
    assert caught.value.field == "model"


def test_any_object_is_no_model(url):
    with pytest.raises(InvalidInput, match=r"object given lacks name .*, prices .*, complete"):
        Glymph.open(url, model=object())


def test_an_object_need_not_have_a_close(url):
    with Glymph.open(url, model=Least()) as g:
        assert Run(g.context, "count").ask(QUESTION) == "yes"


@pytest.mark.parametrize("spec", WRONG)
def test_a_wrong_setting_keeps_nobody_from_what_needs_no_model(url, spec):
    with Glymph.open(url, settings={"model": spec}) as g:
        g.add("The nightly import fails on Mondays.")
        assert g.search("nightly import")[0].memory.text == "The nightly import fails on Mondays."
        assert g.autonomous_status() is not None
        for _ in range(2):
            with pytest.raises(
                ModelFailed, match=r"a setting is wrong: model: .*glymph config set"
            ):
                Run(g.context, "count").ask(QUESTION)
        assert g.costs().total.calls == 0


@pytest.mark.parametrize("settings", [{"model_prices": "abc"}, {"model_url": "nowhere"}])
def test_other_wrong_settings_of_a_model_wait_for_the_first_question_too(url, settings):
    g = Glymph.open(url, settings={"model": "openai:x"} | settings)
    with g, pytest.raises(ModelFailed, match=next(iter(settings))):
        Run(g.context, "count").ask(QUESTION)


@pytest.mark.parametrize("spec", WRONG)
def test_a_wrong_model_that_is_asked_for_by_name_is_refused_at_once(url, spec):
    with pytest.raises(InvalidInput):
        Glymph.open(url, model=spec)
    assert not Path(url.removeprefix("sqlite:///")).exists()


def test_a_step_reports_a_model_that_cannot_be_opened_and_the_others_run(url, tmp_path):
    transcript = tmp_path / "t.jsonl"
    transcript.write_text(
        '{"type": "user", "message": {"role": "user", "content": "We chose PostgreSQL for it."}}\n'
    )
    with Glymph.open(url, settings={"model": "nosuch:x"}) as g, hold_lease(g.context) as ctx:
        payload = {"event": "session-end", "session_id": "s", "transcript_path": str(transcript)}
        queue.enqueue(ctx, "j", "session", payload)
        job = queue.find_waiting(ctx)[0]
        assert run_item(ctx, job, all_jobs()) == "resting"
    assert "'nosuch:x' is not known" in str(job.report["extract"])
    assert queue.FAILED not in job.report["surface"]


def test_a_key_in_a_command_line_that_cannot_be_read_is_not_repeated():
    key = "sk-ant-api03-" + "Ab1" * 12
    with pytest.raises(ModelFailed, match=r"\[secret\]") as caught:
        LazyModel(f"command:claude --key {key} 'oops").complete([])
    assert key not in str(caught.value)


def test_the_model_of_the_settings_is_opened_once_and_closed(tmp_path):
    model = LazyModel("command:claude -p --model haiku --key hush", prices="1/2")
    assert "hush" not in repr(model)
    model.close()  # nothing to close yet
    assert (model.name, model.prices) == ("command:claude:haiku", Prices(1.0, 2.0))
    assert model._open() is model._open()
    model.close()

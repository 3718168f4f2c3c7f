"""Asking a model: caps that refuse before spending, and a ledger of every call.

Also one more try for a bad answer.
"""

from __future__ import annotations

import threading

import pytest

from glymph import Glymph
from glymph.errors import BudgetSpent, MalformedReply, ModelFailed, ModelTimedOut, NoModel
from glymph.llm.answers import fields, strict_json
from glymph.llm.dialogue import UNKNOWN, Message, Prices, Question, Reply, Usage
from glymph.llm.ledger import Run
from glymph.testing import ScriptedModel

DEAR = Prices(1000.0, 2000.0)  # a tenth of a cent and two tenths a token


def question(max_tokens=100):
    return Question(
        [Message("user", "How many?")],
        {"type": "object"},
        lambda text: fields(strict_json(text), {"count": int})["count"],
        max_tokens,
    )


@pytest.fixture
def opened(url, clock):
    handles = []

    def opened(answers, *, prices=DEAR, **settings):
        model = ScriptedModel(answers, prices=prices)
        handles.append(Glymph.open(url, clock=clock, model=model, settings=settings))
        return handles[-1], model

    yield opened
    for handle in handles:
        handle.close()


def run(g, job="count"):
    return Run(g._ctx, job)


def test_an_answer_is_read_and_its_cost_is_in_the_ledger(opened):
    g, _model = opened([Reply('{"count": 3}', Usage(10, 20))], spend_run_usd=10, spend_daily_usd=10)
    one = run(g)
    assert one.ask(question()) == 3
    assert (one.calls, one.tokens_in, one.tokens_out) == (1, 10, 20)
    costs = g.costs()
    assert costs.total.cost_usd == pytest.approx(10 * 0.001 + 20 * 0.002)
    assert [(s.name, s.calls, s.failed, s.unsettled) for s in costs.by_job] == [("count", 1, 0, 0)]
    assert [s.name for s in costs.by_model] == ["scripted"]
    assert [s.name for s in costs.by_day] == [g._ctx.now().date().isoformat()]
    assert costs.left_usd == pytest.approx(10 - costs.today_usd)


def test_a_call_that_might_cost_more_than_the_run_may_is_never_made(opened):
    g, model = opened(['{"count": 1}'], spend_run_usd=0.1, spend_daily_usd=10)
    with pytest.raises(BudgetSpent, match="spend_run_usd"):
        run(g).ask(question())
    assert model.asked == []
    assert g.costs().total.calls == 0


def test_the_day_is_shared_by_all_runs_and_ends_after_24_hours(opened, clock):
    g, model = opened(
        lambda *_: Reply('{"count": 1}', Usage(100, 100)), spend_run_usd=1, spend_daily_usd=0.7
    )
    run(g).ask(question())  # 0.30 spent
    run(g, "other").ask(question())  # 0.60
    with pytest.raises(BudgetSpent, match="spend_daily_usd"):
        run(g).ask(question())
    assert len(model.asked) == 2
    clock.advance(days=1, seconds=1)
    assert run(g).ask(question()) == 1


@pytest.mark.parametrize("caps", [{"spend_daily_usd": 0.5}, {"tokens_daily": 350}])
def test_all_spaces_of_a_store_share_a_day_and_tell_each_other_no_figure(opened, url, clock, caps):
    used = Reply('{"count": 1}', Usage(100, 100))  # 0.30
    settings = {"spend_run_usd": 5, "spend_daily_usd": 5, "spend_spaces": 2, **caps}
    g, model = opened(lambda *_: used, **settings)
    run(g).ask(question())
    for space, asked in (("second", 2), ("third", 3), ("fourth", 3)):
        with Glymph.open(url, space=space, clock=clock, model=model, settings=settings) as other:
            if space != "fourth":
                run(other).ask(question())
                continue
            with pytest.raises(BudgetSpent, match="spend_spaces leaves less; it was not made"):
                run(other).ask(question())
            assert other.costs().today_usd == 0
        assert len(model.asked) == asked


def test_a_budget_of_nothing_lets_only_free_models_answer(opened):
    g, _model = opened(['{"count": 1}'], spend_daily_usd=0)
    with pytest.raises(BudgetSpent):
        run(g).ask(question())
    free, _ = opened(['{"count": 2}'], prices=Prices(0, 0), spend_daily_usd=0)
    assert run(free).ask(question()) == 2


def test_tokens_are_capped_for_free_models_too(opened):
    g, _ = opened(['{"count": 1}'], prices=Prices(0, 0), tokens_run=50)
    with pytest.raises(BudgetSpent, match="tokens_run"):
        run(g).ask(question())
    g, _model = opened(['{"count": 1}'], prices=Prices(0, 0), tokens_daily=50)
    with pytest.raises(BudgetSpent, match="tokens_daily"):
        run(g).ask(question())


def test_a_price_nobody_knows_is_taken_for_a_dear_one_and_said_to_be_assumed(opened):
    g, _model = opened([Reply('{"count": 1}', Usage(100, 100))], prices=UNKNOWN)
    run(g).ask(question())
    assert g.costs().total.assumed
    assert g.costs().total.cost_usd == pytest.approx((100 * 10 + 100 * 50) / 1e6)


def test_a_cost_the_provider_states_is_taken_as_it_is(opened):
    g, _ = opened(
        [Reply('{"count": 1}', Usage(100, 100, cost_usd=0.0123))],
        spend_run_usd=9,
        spend_daily_usd=9,
    )
    run(g).ask(question())
    assert g.costs().total.cost_usd == pytest.approx(0.0123)


def test_a_price_that_came_as_a_surprise_is_set_aside_for_the_next_call_of_the_run(opened):
    dear = Reply('{"count": 1}', Usage(100, 100, cost_usd=7.5))
    g, model = opened(lambda *_: dear, spend_run_usd=9, spend_daily_usd=100)
    one = run(g)
    one.ask(question())
    with pytest.raises(
        BudgetSpent, match=r"up to 7\.5000 USD and the setting spend_run_usd leaves 1\.5000 USD"
    ):
        one.ask(question())
    assert len(model.asked) == 1
    run(g).ask(question())  # another run does not know
    assert g.costs().total.cost_usd == pytest.approx(15)


def test_a_surprise_is_what_a_later_call_without_an_answer_is_charged_with(opened):
    answers = [Reply('{"count": 1}', Usage(100, 100, cost_usd=7.5)), ModelTimedOut("m", 60)]
    g, _ = opened(answers, spend_run_usd=99, spend_daily_usd=99)
    one = run(g)
    one.ask(question())
    with pytest.raises(ModelTimedOut):
        one.ask(question())
    assert g.costs().total.cost_usd == pytest.approx(15)


@pytest.mark.parametrize(
    ("settings", "way"),
    [({"tokens_run": 1}, r"leaves 1 token; .*raise tokens_run if one run needs more"),
     ({"tokens_run": 10}, r"leaves 10 tokens; .*Every run starts with the full amount"),
     ({"spend_run_usd": 0.01}, "Every run starts with the full amount; raise spend_run_usd"),
     ({"tokens_daily": 10}, "Wait until what was spent is a day old, or raise tokens_daily"),
     ({"spend_daily_usd": 0.01}, "Wait until what was spent is a day old, or raise spend_daily_usd")],
)  # fmt: skip
def test_a_spent_budget_says_what_helps(opened, settings, way):
    g, _ = opened([], **({"spend_run_usd": 99, "spend_daily_usd": 99} | settings))
    with pytest.raises(BudgetSpent, match=way) as caught:
        run(g).ask(question())
    assert ("Wait" in str(caught.value)) == ("daily" in caught.value.cap)


@pytest.mark.parametrize(
    "usage",
    [Usage(-5, -5), Usage(10**30, 10**30), Usage(1.5, "x"), Usage(True, None), Usage(-1, -1, -3.0), None, 7,
     Usage(-1, -1, float("nan")), Usage(-1, -1, float("inf")), Usage(-1, -1, "free")],
)  # fmt: skip
def test_a_usage_that_cannot_be_is_estimated(opened, usage):
    g, _ = opened([Reply('{"count": 1}', usage)], spend_run_usd=9, spend_daily_usd=9)
    one = run(g)
    assert one.ask(question()) == 1
    assert 0 < one.tokens_in < 100
    assert 0 < one.tokens_out < 100
    assert g.costs().total.cost_usd == pytest.approx(one.tokens_in * 0.001 + one.tokens_out * 0.002)


@pytest.mark.parametrize(
    "given", [None, "a text", {"text": "x"}, Reply(None, Usage(1, 1))], ids=str
)
def test_what_is_no_reply_is_a_failure_with_a_next_step(opened, monkeypatch, given):
    g, model = opened([], spend_run_usd=9, spend_daily_usd=9)
    monkeypatch.setattr(model, "complete", lambda *_, **__: given)
    with pytest.raises(ModelFailed, match=r"is no reply\. Let its method complete give back"):
        run(g).ask(question())
    assert (g.costs().total.failed, g.costs().total.unsettled) == (1, 0)
    assert g.costs().total.cost_usd > 0.2


def test_what_is_set_aside_counts_for_others_while_the_call_lasts(opened):
    inside = []

    def script(messages, schema):
        inside.append(other.costs())
        with pytest.raises(BudgetSpent):
            run(other).ask(question())
        return '{"count": 1}'

    g, _ = opened(script, spend_run_usd=1, spend_daily_usd=0.3)
    other, _ = opened([], spend_run_usd=1, spend_daily_usd=0.3)
    run(g).ask(question())
    assert inside[0].total.unsettled == 1
    assert inside[0].today_usd > 0.2


def test_two_runs_at_once_never_spend_more_than_the_cap(opened):
    met = threading.Barrier(2, timeout=60)
    g, _model = opened(
        lambda *_: Reply('{"count": 1}', Usage(10, 100)), spend_run_usd=1, spend_daily_usd=0.3
    )
    outcomes = []

    def ask():
        met.wait()
        try:
            outcomes.append(run(g).ask(question()))
        except BudgetSpent:
            outcomes.append("refused")

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, outcomes)) == ["1", "refused"]


def test_a_call_that_was_refused_costs_nothing_and_one_that_timed_out_its_most(opened):
    g, _ = opened(
        [ModelFailed("m", "429", "Wait."), ModelTimedOut("m", 60)],
        spend_run_usd=9,
        spend_daily_usd=9,
    )
    with pytest.raises(ModelFailed):
        run(g).ask(question())
    assert (g.costs().total.cost_usd, g.costs().total.failed) == (0, 1)
    with pytest.raises(ModelTimedOut):
        run(g).ask(question())
    assert g.costs().total.cost_usd > 100 * 0.002
    assert g.costs().total.failed == 2


def test_a_killed_call_stays_in_the_ledger_at_its_dearest(opened, url, clock):
    g, _ = opened([KeyboardInterrupt()], spend_run_usd=9, spend_daily_usd=9)
    g._ctx.model._script = _interrupted
    with pytest.raises(KeyboardInterrupt):
        run(g).ask(question())
    total = g.costs().total
    assert (total.calls, total.unsettled) == (1, 1)
    assert total.cost_usd > 0.2


def _interrupted(messages, schema):
    raise KeyboardInterrupt


def test_an_answer_that_cannot_be_read_is_asked_for_once_more_with_what_was_wrong(opened):
    g, model = opened(["three, I think", '{"count": 3}'], prices=Prices(0, 0))
    assert run(g).ask(question()) == 3
    assert [message.role for message in model.asked[1]] == ["user", "assistant", "user"]
    assert "not one JSON value" in model.asked[1][-1].content
    assert g.costs().total.calls == 2


@pytest.mark.parametrize(
    "reply",
    [
        Reply("", Usage(1, 0), "refused"),
        Reply('{"count": 3}', Usage(1, 9), "length"),
        Reply("no", Usage(1, 1)),
    ],
    ids=["refused", "cut off", "prose"],
)
def test_a_second_bad_answer_is_an_error(opened, reply):
    g, _ = opened([reply, reply], prices=Prices(0, 0))
    with pytest.raises(MalformedReply):
        run(g).ask(question())
    assert g.costs().total.calls == 2


def test_without_a_model_the_error_says_how_to_get_one(glymph):
    with pytest.raises(NoModel, match="config set model"):
        run(glymph).ask(question())


@pytest.mark.parametrize(
    "text",
    ["", "null and void", '{"a": 1} {"b": 2}', 'Sure! {"count": 3}', '{"count": 3} Hope it helps', '{"a":1,"a":2}',
     '{"count": NaN}', '{"count": Infinity}', "[" * 100_000, '```json\n{"count": 3}\n```\nDone.', '{"count": 3'],
)  # fmt: skip
def test_anything_but_one_json_value_is_refused(text):
    with pytest.raises(MalformedReply):
        strict_json(text)


@pytest.mark.parametrize(
    "text",
    ['{"count": 3}', ' {"count":3}\n', '```json\n{"count": 3}\n```', '```\n{"count":3}\n```'],
)
def test_one_json_value_is_read_also_as_the_whole_of_a_code_block(text):
    assert strict_json(text) == {"count": 3}


@pytest.mark.parametrize(
    "value", [[], {}, {"count": "3"}, {"count": True}, {"count": 1, "more": 2}, 3, None]
)
def test_fields_must_be_exactly_those_asked_for(value):
    with pytest.raises(MalformedReply):
        fields(value, {"count": int})

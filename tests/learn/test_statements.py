"""What a lesson states is counted, whatever words say it; what cannot be counted is no fact."""

from __future__ import annotations

import json

import pytest

from glymph.errors import MalformedReply
from glymph.learn.conditions import Condition
from glymph.learn.episodes import make_episode
from glymph.learn.evidence import list_sentences, verify
from glymph.learn.evidence.by_statements import judge_sentence
from glymph.learn.evidence.statement import Statement, refute_statement
from glymph.learn.lesson import Pattern
from glymph.learn.translate_prompt import parse_statements, question
from glymph.testing import ScriptedModel
from tests.grounds.learning import closed, lessons, opened, pattern  # noqa: F401

SHORT, LONG = Condition("side", "=", "short"), Condition("side", "=", "long")
WON, LOST = Condition("outcome", "=", "success"), Condition("outcome", "=", "failure")
HOUR = 3_600_000_000


def trade(number, side, won, rr, *, tight=True):
    return make_episode(
        f"id{number}", "trade_close", 1_760_000_000_000_000 + number * HOUR, f"BTC {side} close",
        attributes={"side": side, "rr": rr, "tight_stop": tight, "success": won},
    )  # fmt: skip


# Shorts: 5 of 6 won, ratios 1 to 5 and -1; longs: 1 of 4 won.
TRADES = [
    *(trade(n, "short", True, n) for n in range(1, 6)),
    trade(6, "short", False, -1),
    *(trade(n, "long", False, -2) for n in range(7, 10)),
    trade(10, "long", True, 1),
]


@pytest.mark.parametrize(
    "statement",
    [
        Statement("count", (SHORT,), stated=6, out_of=10),
        Statement("share", (SHORT,), stated=60),
        Statement("successes", (SHORT,), stated=5, out_of=6),
        Statement("failures", (LONG,), stated=3, out_of=4),
        Statement("success_rate", (SHORT,), stated=83),
        Statement("failure_rate", (LONG,), stated=75),
        Statement("average", (SHORT, WON), of="rr", stated=3),
        Statement("median", (SHORT,), of="rr", stated=2.5),
        Statement("maximum", of="rr", stated=5),
        Statement("minimum", of="rr", stated=-2),
        Statement("average", (LONG, LOST), of="rr", stated=2),  # a loss without its sign
        Statement("sum", (SHORT,), of="rr", stated=14),
        Statement("maximum", of="rr", stated=6, bound="<="),
        Statement("success_rate", stated=62, bound="about"),
        Statement("most", (WON,), (SHORT,)),
        Statement("all", (LOST,), (LONG, Condition("rr", "<", 0))),
        Statement("none", (LONG,), (Condition("rr", ">", 1),)),
        Statement("higher", (SHORT,)),
        Statement("lower", (LONG,), than=(SHORT,)),
        Statement("times", (SHORT,), stated=3.3),
        Statement("follow", (SHORT,)),
        Statement("avoid", (LONG,)),
    ],
    ids=lambda one: one.measure,
)
def test_what_is_so_holds(statement):
    assert refute_statement(statement, TRADES) is None


@pytest.mark.parametrize(
    "statement",
    [
        Statement("count", (SHORT,), stated=5, out_of=10),
        Statement("successes", (SHORT,), stated=5, out_of=5),
        Statement("success_rate", (SHORT,), stated=90),
        Statement("average", (SHORT, WON), of="rr", stated=2),
        Statement("median", (SHORT,), of="rr", stated=4),
        Statement("sum", of="rr", stated=-9),  # it is 9
        Statement("maximum", of="rr", stated=4, bound="<="),
        Statement("all", (WON,), (SHORT,)),
        Statement("none", (WON,), (LONG,)),
        Statement("most", (WON,), (LONG,)),
        Statement("higher", (LONG,)),
        Statement("times", (SHORT,), stated=2),
        Statement("follow", (LONG,)),
        Statement("avoid", (SHORT,)),
        Statement("average", of="size", stated=3),
        Statement("all", among=(SHORT,)),
        Statement("success_rate", (Condition("side", "=", "flat"),), stated=0),
    ],
    ids=lambda one: one.measure,
)
def test_what_is_not_so_is_refuted_with_a_reason(statement):
    assert refute_statement(statement, TRADES)


@pytest.mark.parametrize(
    ("sentence", "statements", "kind"),
    [
        ("5 of 6 shorts won.", [Statement("successes", (SHORT,), stated=5, out_of=6)], "counted"),
        ("Fünf von 6 Shorts gewannen.", [Statement("successes", (SHORT,), stated=5, out_of=6)],
         "counted"),
        ("Mein Schnitt war 2,5:1.", [Statement("median", (SHORT,), of="rr", stated=2.5)],
         "counted"),
        ("Of 40 shorts 5 of 6 won.", [Statement("successes", (SHORT,), stated=5, out_of=6)], "cut"),
        ("Patience pays.", [], "reading"),
        ("I lost 40 nerves.", [], "cut"),
        ("It rose by 1e99999999999 %.", [], "cut"),
        (
            "Most above 1e-3 won.",
            [Statement("most", (WON,), (Condition("rr", ">", 1e-3),))],
            "counted",
        ),
        ("Der größte war 5,0.", [Statement("maximum", of="rr", stated=5)], "counted"),
        ("La suma fue de 1.400.", [Statement("sum", (SHORT,), of="rr", stated=1400)], "cut"),
        ("Two thirds of my shorts won.",
         [Statement("success_rate", (SHORT,), stated=80, bound="about")], "counted"),
    ],
)  # fmt: skip
def test_a_sentence_is_a_fact_only_if_all_of_it_was_counted(sentence, statements, kind):
    assert judge_sentence(sentence, statements, TRADES).kind == kind


@pytest.mark.parametrize(("won", "kind"), [(9, "counted"), (1, "cut")])
def test_advice_is_checked_by_how_it_ended_not_by_words_like_stop(won, kind):
    """Stop, short, cut and exit are words of the trade, not of refusal."""
    episodes = [trade(n, "short", n < won, 1 if n < won else -1) for n in range(10)]
    advice = "I should short BTC and keep my stop tight, cut losers and exit early."
    followed = [Statement("follow", (SHORT, Condition("tight_stop", "=", True)))]
    assert judge_sentence(advice, followed, episodes).kind == kind


TRUE = "Of the shorts that I took, 5 of 6 won."
SAID = {
    TRUE: [Statement("successes", (SHORT,), stated=5, out_of=6)],
    "Longs won 3 of 4.": [Statement("successes", (LONG,), stated=3, out_of=4)],
    "The market rewards patience.": [],
}
LESSON = Pattern("Shorts win", " ".join(SAID), direction="short")


def test_a_lesson_keeps_what_holds_cuts_what_does_not_and_marks_what_cannot_be_counted():
    found = verify(LESSON, TRADES, SAID)
    assert found.refused is None
    assert found.body == TRUE
    assert [one.text for one in found.dropped] == ["Longs won 3 of 4."]
    assert found.readings == ("The market rewards patience.",)
    assert found.supporting == tuple(f"id{n}" for n in range(1, 7))
    assert found.direction == "short"


def test_a_lesson_of_readings_alone_is_refused():
    only = Pattern("Patience", "The market rewards patience.")
    assert verify(only, TRADES, SAID).refused == "nothing it claims is borne out by the episodes"


def test_a_title_that_does_not_hold_is_replaced():
    lesson = Pattern("All 6 shorts won", TRUE)
    statements = SAID | {lesson.title: [Statement("all", (WON,), (SHORT,))]}
    assert verify(lesson, TRADES, statements).title == TRUE


# asking


def test_whoever_translates_sees_names_and_words_but_no_number_and_no_end():
    asked = question(["5 of 6 shorts won."], TRADES, nonce="abcdef12")
    known = json.loads(asked.messages[1].content.split("\n")[1])["known of the episodes"]
    assert known == {
        "kind": ["trade_close"], "side": ["short", "long"], "rr": "number",
        "tight_stop": "true or false", "success": "true or false",
    }  # fmt: skip


def test_an_answer_is_read_whole_or_not_at_all():
    told = {"measure": "successes", "where": [{"name": "side", "is": "=", "value": "short"}],
            "stated": 5, "out_of": 6}  # fmt: skip
    entry = {"n": 1, "statements": [told]}
    assert parse_statements(json.dumps({"sentences": [entry]}), 1) == (
        (Statement("successes", (SHORT,), stated=5, out_of=6),),
    )
    for broken in (
        {"sentences": []},
        {"sentences": [entry | {"n": 2}]},
        {"sentences": [{"n": 1, "statements": [{"measure": "feeling"}]}]},
        {"sentences": [{"n": 1, "statements": [told | {"stated": "five"}]}]},
        {"sentences": [{"n": 1, "statements": [told | {"bound": "nearly"}]}]},
        {"sentences": [{"n": 1, "statements": [told | {"where": [{"name": "side"}]}]}]},
    ):
        with pytest.raises(MalformedReply):
            parse_statements(json.dumps(broken), 1)


class Translator(ScriptedModel):
    """Speaks of funding like the model of the other tests, and says what each sentence states."""

    def __init__(self, wrong=0):
        super().__init__(self.answer)
        self.wrong, self.reasons = wrong, []

    def answer(self, messages, schema):
        if "sentences" in schema["properties"]:
            return {"sentences": [self.translate(one) for one in read_sentences(messages)]}
        told = json.loads(messages[1].content.split("\n")[1])
        self.reasons.append(told.get("your last answer was refused"))
        found = pattern(messages)
        if self.wrong:
            self.wrong -= 1
            found["body"] = "99 of 99 of my shorts won, and that is all there is to say."
        return found

    def translate(self, one):
        numbers = [int(word) for word in one["sentence"].split() if word.isdigit()]
        high = {"name": "funding", "is": ">", "value": 0.08}
        won = [
            {"measure": "successes", "where": [high], "stated": stated, "out_of": out_of}
            for stated, out_of in [numbers][: len(numbers) // 2]
        ]
        return {"n": one["n"], "statements": won}


def read_sentences(messages):
    lines = messages[1].content.split("\n")[2:-1]
    return [json.loads(line) for line in lines]


def consolidated(open_it, clock, model, **settings):
    glymph, _ = open_it(model=model, settings={"compare": "off", **settings})
    closed(glymph, clock, 1, 2, 3, 4)
    return glymph, glymph.consolidate()


def test_a_stored_lesson_says_which_part_of_it_is_only_a_reading(opened, clock):  # noqa: F811
    glymph, done = consolidated(opened, clock, Translator())
    assert done.groups[0].ending == "created"
    (lesson,) = lessons(glymph)
    fact, _, reading = lesson.text.partition("\n\nReading, not counted: ")
    assert fact == "When BTC funding is above 0.08, 4 of 4 of my shorts won."
    assert reading.startswith("I enter short then")


def test_readings_are_refused_by_setting(opened, clock):  # noqa: F811
    glymph, done = consolidated(opened, clock, Translator(), lesson_readings="refuse")
    (lesson,) = lessons(glymph)
    assert lesson.text == "When BTC funding is above 0.08, 4 of 4 of my shorts won."
    assert any("cannot be counted" in one for one in done.groups[0].dropped)


@pytest.mark.parametrize(("wrong", "ending"), [(1, "created"), (2, "refused")])
def test_a_refused_answer_is_asked_for_once_more_with_the_reason(
    opened, clock, wrong, ending  # noqa: F811
):  # fmt: skip
    model = Translator(wrong)
    glymph, done = consolidated(opened, clock, model)
    assert done.groups[0].ending == ending
    assert model.reasons[0] is None
    assert "nothing it claims is borne out" in model.reasons[1]
    assert len(model.reasons) == 2
    assert glymph.consolidate().groups == ()  # it rests until something changes


def test_title_and_sentences_are_put_into_statements_once_each():
    assert list_sentences(Pattern("A title", "A title Two of 3 won. Two of 3 won.")) == [
        "A title", "A title Two of 3 won.", "Two of 3 won.",
    ]  # fmt: skip

"""Verdicts and policy: what a reader or a model says of memories, and what a plan makes of it."""

from __future__ import annotations

from datetime import date

import pytest

from glymph.errors import MalformedReply
from glymph.forget.judge_prompt import Shown, question
from glymph.forget.match import Statement
from glymph.forget.plan import strike_through
from glymph.forget.planner import (
    AGREED,
    ALONE,
    FAINT,
    FAINT_TIMES,
    LEAD,
    LEAD_TIMES,
    MENTION,
    MOST_ASKED,
    MOST_READ,
    Judges,
    plan,
)
from glymph.forget.replace_belief import find_beliefs
from glymph.forget.rest import cut_spans, is_safe
from glymph.forget.verdicts import NAMED, Told
from glymph.reader.contract import Target

TEXTS = (
    "Vera is our landlady and collects the rent.",
    "My sister-in-law Vera teaches pottery.",
    "The landlady had her hip replaced in March.",
    "Rent for the flat is 940 pounds.",
)
STATEMENTS = [Statement(f"m{at}", text) for at, text in enumerate(TEXTS)]
REQUEST = "all of that story"
SURE = ALONE


def judges(*shares, spans=(), exact=True, told=None):
    """A reader that says how likely each text is meant, and a model that says what it is told to."""

    def read(statements):
        return [
            Target("all", 1.0, (1 - share, share, 0.0), spans, exact)
            for _, share in zip(statements, shares, strict=True)
        ]

    def ask(statements):
        return {} if told is None else {one.id: told[one.id] for one in statements}

    return Judges(read, "reader", ask if told is not None else None)


def kinds(planned):
    return {action.id: action.kind for action in planned.actions}


def test_what_the_reader_is_sure_of_goes_and_what_it_doubts_is_asked_about():
    planned = plan(REQUEST, STATEMENTS, judges=judges(SURE, 0.2, 0.6, 0.001))
    assert kinds(planned) == {"m0": "remove", "m1": "ask", "m2": "ask"}
    assert {action.by for action in planned.actions} == {"reader"}
    assert [action.confidence for action in planned.actions] == [SURE, 0.6, 0.2]


def test_a_purge_asks_where_a_release_acts():
    between = (AGREED["release"] + AGREED["purge"]) / 2
    asked = judges(0.0, 0.0, 0.0, between)
    request = "the rent for the flat"
    assert kinds(plan(request, STATEMENTS, mode="release", judges=asked))["m3"] == "remove"
    assert kinds(plan(request, STATEMENTS, mode="purge", judges=asked))["m3"] == "ask"


def test_what_leads_by_far_goes_where_nothing_is_certain_and_undo_can_bring_it_back():
    led = judges(0.02, LEAD, 0.0, LEAD / LEAD_TIMES)
    assert kinds(plan(REQUEST, STATEMENTS, judges=led))["m1"] == "remove"
    assert kinds(plan(REQUEST, STATEMENTS, mode="purge", judges=led))["m1"] == "ask"
    near = judges(0.02, LEAD, 0.0, LEAD / LEAD_TIMES + 0.01)
    assert kinds(plan(REQUEST, STATEMENTS, judges=near))["m1"] == "ask"
    faint = judges(0.0, FAINT, 0.0, FAINT / FAINT_TIMES - 0.001)
    assert kinds(plan(REQUEST, STATEMENTS, judges=faint))["m1"] == "remove"
    fainter = judges(0.0, FAINT, 0.0, FAINT / FAINT_TIMES + 0.005)
    assert kinds(plan(REQUEST, STATEMENTS, judges=fainter))["m1"] == "ask"


def test_where_the_reader_means_all_of_it_rules_do_not_leave_the_rest():
    told = "Jonas, the former flatmate of Mira, can be reached at jonas.peeters@mail.be."
    among = [Statement("m0", told), Statement("m1", "Mira is allergic to penicillin.")]
    planned = plan("everything about Jonas, the former flatmate", among, mode="purge",
                   judges=judges(0.94, 0.0))  # fmt: skip
    assert [(one.kind, one.new) for one in planned.actions] == [("remove", "")]


@pytest.mark.parametrize("mode", ["release", "purge"])
def test_a_full_name_that_nothing_here_has_is_asked_about_however_sure_the_reader_is(mode):
    """Whoever is there was taken for the one who was meant."""
    sure = judges(SURE, SURE, 0.0, 0.0)
    planned = plan("Everything about Nobody Atall", STATEMENTS, mode=mode, judges=sure)
    assert kinds(planned) == {"m0": "ask", "m1": "ask"}
    assert "nothing here mentions Nobody, Atall" in planned.why
    assert "remove" in kinds(plan("Vera", STATEMENTS, mode=mode, judges=sure)).values()


def test_a_purge_for_a_name_that_nothing_here_has_is_left_to_somebody_who_knows():
    read = judges(0.0, 0.0, 0.0, 0.98)
    for request in ("forget our Airbnb rent", "forget what Trevor pays"):
        assert kinds(plan(request, STATEMENTS, mode="purge", judges=read)) == {"m3": "ask"}
        assert kinds(plan(request, STATEMENTS, judges=read)) == {"m3": "remove"}  # undo can help
    known = plan("forget what Vera is paid", STATEMENTS, mode="purge", judges=read)
    assert kinds(known)["m3"] == "remove"


@pytest.mark.parametrize(
    ("text", "cut", "safe"),
    [
        ("My boyfriend Luis cooks well and paints.", "boyfriend Luis ", False),
        ("Mia's therapist is Dr. Frost.", "therapist ", False),
        ("Mein Freund Luis ist aus Ulm.", "Freund Luis ", False),
        ("The old nanny sings in a choir.", "old nanny ", False),
        ("My loud boyfriend Luis cooks well.", "loud ", True),
        ("Ana works at Mia's and sings.", " and sings", True),
        ("I know it's hers and she likes it.", " and she likes it", True),
    ],
)
def test_what_lost_its_noun_is_no_statement(text, cut, safe):
    span = (text.index(cut), text.index(cut) + len(cut))
    assert is_safe(text, cut_spans(text, [span]), listed=False) is safe


def test_nothing_that_may_be_meant_stays_unmentioned():
    planned = plan(REQUEST, STATEMENTS, judges=judges(MENTION, MENTION / 2, SURE, 0.0))
    assert kinds(planned) == {"m2": "remove", "m0": "ask"}


def test_what_the_reader_has_no_time_for_is_left_to_the_rules():
    many = [Statement(f"m{at:03}", f"Ottokar owns boat {at:03}.") for at in range(MOST_READ + 20)]
    planned = plan("Ottokar", many, judges=judges(*[NAMED] * MOST_READ))
    assert len(planned.of("remove")) == len(many)


def test_a_plan_says_how_many_more_may_be_meant():
    many = [Statement(f"m{at:03}", f"Ottokar owns boat {at:03}.") for at in range(MOST_ASKED + 20)]
    planned = plan("the colour of Ottokar's hat", many)
    assert len(planned.of("ask")) == MOST_ASKED
    assert "20 more may be meant" in planned.why


def test_an_identifier_is_not_a_matter_of_opinion():
    statements = [*STATEMENTS, Statement("m4", "Her mail is vera@rooms.example.")]
    planned = plan("vera@rooms.example", statements, judges=judges(0.0))
    assert kinds(planned) == {"m4": "remove"}
    assert planned.actions[0].by == "rules"


def test_of_a_statement_with_an_identifier_the_reader_marks_what_goes():
    text = "Reach Farah at +44 20 7946 0312 or at farah@oaklets.example."
    one = [Statement("m0", text)]
    marked = (text.index("+44"), text.index("or at ") + len("or at"))
    phone = "+44 20 7946 0312"
    planned = plan(phone, one, mode="purge", judges=judges(0.9, spans=(marked,)))
    assert [action.new for action in planned.actions] == ["Reach Farah at farah@oaklets.example."]
    wrong = plan(phone, one, mode="purge", judges=judges(0.9, spans=((0, 5),)))
    assert all(phone not in action.new for action in wrong.actions)


def test_what_cannot_be_undone_is_cut_only_where_there_is_no_doubt():
    text = "Imogen is expecting twins and works as a nurse."
    one = [Statement("m0", text), *STATEMENTS[1:]]
    cut = ((len("Imogen "), text.index("works")),)
    for mode, exact, kind in (
        ("release", False, "rewrite"), ("purge", True, "rewrite"), ("purge", False, "ask"),
    ):  # fmt: skip
        asked = judges(0.9, 0.0, 0.0, 0.0, spans=cut, exact=exact)
        read = lambda some, asked=asked: (  # noqa: E731
            asked.read(some) if len(some) > 1 else [Target("none", 1.0, (1.0, 0.0, 0.0))]
        )
        planned = plan("that story", one, mode=mode, judges=Judges(read, "reader"))
        assert kinds(planned) == {"m0": kind}
        assert planned.actions[0].new == ("" if kind == "ask" else "Imogen works as a nurse.")


FLIGHTS = [
    Statement("m0", "Grace booked a flight to Paris for next Friday."),
    Statement("m1", "Standing desks are available on request."),
    Statement("m2", "Paris in spring is what Marek paints."),
]


def test_a_topic_that_one_statement_alone_says_in_words_goes_where_it_can_be_undone():
    doubtful = judges(0.03, 0.02, 0.02)
    assert kinds(plan("flight to Paris", FLIGHTS, judges=doubtful))["m0"] == "remove"
    purged = kinds(plan("flight to Paris", FLIGHTS, judges=doubtful, mode="purge"))
    assert purged["m0"] == "ask"
    likelier = judges(0.03, 0.02, 0.2)
    assert kinds(plan("flight to Paris", FLIGHTS, judges=likelier))["m0"] == "ask"
    said_of_none = plan("rooms in Paris", FLIGHTS, judges=doubtful)
    assert "remove" not in kinds(said_of_none).values()


def test_a_topic_is_read_again_as_a_sentence_before_the_reader_alone_acts_upon_it():
    first = judges(0.01, 0.01, SURE).read
    for again, release, purge in (
        (SURE, "remove", "remove"),
        (0.2, "remove", "ask"),
        (0.02, "ask", "ask"),
    ):
        second = Judges(first, "reader", again=judges(0.01, 0.01, again).read)
        assert kinds(plan("a talk on pottery", FLIGHTS, judges=second)) == {"m2": release}, again
        purged = plan("a talk on pottery", FLIGHTS, judges=second, mode="purge")
        assert kinds(purged) == {"m2": purge}, again


def test_what_rules_found_needs_no_second_reading():
    asked = judges(SURE, 0.01, 0.01)
    once = Judges(asked.read, "reader", again=lambda _: pytest.fail("it was read again"))
    assert kinds(plan("flight to Paris", FLIGHTS, judges=once)) == {"m0": "remove"}


TICKETS = [
    Statement("m0", "INC-4471 was opened in March."),
    Statement("m1", "The payroll leak ticket was closed on the 9th."),
    Statement("m2", "INC-4472 is about the printer."),
    Statement("m3", "Marek is on leave."),
]


def test_a_request_that_says_more_than_an_identifier_is_read():
    everything = "Delete everything about ticket INC-4471, legal wants it gone."
    planned = plan(everything, TICKETS, judges=judges(0.0, SURE, SURE, 0.0))
    assert kinds(planned) == {"m0": "remove", "m1": "remove", "m2": "ask"}  # another ticket
    assert [action.by for action in planned.actions] == ["rules", "reader", "reader"]
    assert kinds(plan("INC-4471", TICKETS, judges=judges(0.0))) == {"m0": "remove"}


def test_a_short_code_is_not_exact_enough_for_the_rules_alone():
    texts = ("Class 5a goes to Torun.", "The trip of class 5a costs 90.", "Zosia is in class 5a.")
    pupils = [Statement(f"m{at}", text) for at, text in enumerate(texts)]
    planned = plan(
        "Forget the price of the trip of class 5a", pupils, judges=judges(0.0, SURE, 0.0)
    )
    assert kinds(planned) == {"m1": "remove", "m0": "ask", "m2": "ask"}


def test_an_identifier_that_nothing_holds_is_left_to_the_reader():
    planned = plan("my ex-wife", TICKETS, judges=judges(0.0, 0.0, 0.0, SURE))
    assert kinds(planned) == {"m3": "remove"}


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ("Tina's badge is QXT-4471000.", "Tina's badge is QXT-4471001."),
        ("Forget that Bob's mail is bob@acme.io", "Bob's mail is bob@acme.com."),
        ("Ann's number is +49 170 5550199", "Ann's number is +49 170 5550198."),
    ],
)
def test_what_leads_by_far_stays_if_it_is_about_another_identifier(request_, said):
    planned = plan(
        request_, [Statement("m0", said), *STATEMENTS[1:3]], judges=judges(SURE, 0.0, 0.0)
    )
    assert kinds(planned) == {"m0": "ask"}


@pytest.mark.parametrize(
    ("request_", "said", "kind"),
    [
        ("Ola pays 600 euros rent.", "Ola pays 500 euros rent.", "ask"),
        (
            "Ola pays 500 euros rent, doesn't she?",
            "Ola pays 500 EUR for her rent since 2024.",
            "remove",
        ),
        ("the 2 notes on the rent of Ola", "Ola pays 500 euros rent.", "remove"),
        ("what I told you on 12 March of Ola's rent", "Ola pays 500 euros rent.", "remove"),
    ],
)
def test_a_purge_asks_about_what_gives_another_figure_however_sure_the_reader_is(
    request_, said, kind
):
    statements = [Statement("m0", said), *STATEMENTS[1:3]]
    planned = plan(request_, statements, mode="purge", judges=judges(0.99, 0.0, 0.0))
    assert kinds(planned) == {"m0": kind}


def test_what_the_reader_cuts_never_leaves_an_identifier():
    one = [Statement("m0", "Odile has the post-mortem of INC-4471, and Marek is on leave.")]
    everything = "everything about ticket INC-4471"
    end = one[0].text.index(", and")
    kept = plan(everything, one, judges=judges(0.9, spans=((0, end),)))
    assert [action.new for action in kept.actions] == ["Marek is on leave."]
    wrong = plan(everything, one, judges=judges(0.9, spans=((end, len(one[0].text)),)))
    assert all("4471" not in action.new for action in wrong.actions)


def test_a_statement_that_is_quoted_is_meant_and_nobody_is_asked():
    planned = plan(TEXTS[3], STATEMENTS, judges=judges())
    assert kinds(planned) == {"m3": "remove"}


def test_a_model_has_the_last_word_on_what_is_in_doubt():
    told = {
        "m0": Told("part", "Vera collects the rent.", "strong"),
        "m1": Told("none", "", "strong"),
        "m2": Told("all", "", "strong"),
        "m3": Told("none", "", "strong"),
    }
    planned = plan(REQUEST, STATEMENTS, judges=judges(0.2, 0.9, 0.4, 0.0, told=told))
    assert kinds(planned) == {"m0": "rewrite", "m2": "remove"}
    assert planned.of("rewrite")[0].new == "Vera collects the rent."
    assert {action.by for action in planned.actions} == {"model"}


def test_a_model_that_adds_words_is_not_believed():
    told = {one.id: Told("part", "Vera moved to Spain.", "strong") for one in STATEMENTS}
    planned = plan(REQUEST, STATEMENTS, judges=judges(0.4, 0.4, 0.4, 0.4, told=told))
    assert set(kinds(planned).values()) == {"ask"}


def test_a_model_that_cannot_be_asked_leaves_it_to_the_reader():
    asked = judges(SURE, 0.2, 0.0, 0.0)
    silent = Judges(asked.read, "reader", lambda _: {})
    assert kinds(plan(REQUEST, STATEMENTS, judges=silent)) == {"m0": "remove", "m1": "ask"}


def test_a_pinned_memory_stays_whoever_says_that_it_is_meant():
    pinned = [Statement("m0", TEXTS[0], pinned=True), *STATEMENTS[1:]]
    planned = plan(REQUEST, pinned, judges=judges(0.99, 0.0, 0.0, 0.0))
    assert kinds(planned) == {"m0": "refuse"}


@pytest.mark.parametrize("mode", ["release", "purge"])
def test_who_asks_for_a_person_keeps_nothing_that_still_names_the_person(mode):
    one = Statement("m0", "Patient Odo Berg, born on 2 May 1971, has asthma.")
    cut = (one.text.index(", born"), one.text.index(", has") + 1)
    planned = plan(
        "Odo Berg", [one, STATEMENTS[0]], mode=mode, judges=judges(0.99, 0.0, spans=(cut,))
    )
    assert [(action.kind, action.new) for action in planned.actions] == [("remove", "")]


@pytest.mark.parametrize(
    ("new", "rest"),
    [
        ("Mira is a pilot at Condor, lives in Kiel, speaks Danish and sails on Sundays.", ""),
        (
            "Mira lives in Kiel.",
            "Mira is a pilot at Lufthansa, speaks Danish and sails on Sundays.",
        ),
    ],
)
def test_what_is_said_anew_with_another_value_is_replaced_whole_whatever_the_reader_marks(
    new, rest
):
    text = "Mira is a pilot at Lufthansa, lives in Bonn, speaks Danish and sails on Sundays."
    start = text.index("lives in Bonn, ")
    asked = judges(0.99, 0.0, spans=((start, start + 15),))
    among = [Statement("m0", text), Statement("m1", "The lift is out of order.")]
    (belief,), _ = find_beliefs("where Mira lives", new, among, likeness={}, judges=asked)
    assert belief.rest == rest


# what is left of a text


@pytest.mark.parametrize(
    ("text", "cut", "left"),
    [
        ("Ana lives in Graz. She likes tea.", "Ana lives in Graz.", "She likes tea."),
        ("Bo plays chess and Ida sings.", "Bo plays chess", "Ida sings."),
        ("We bought pegs, a mallet (for Tom) and rope.", " (for Tom)", "We bought pegs, a mallet and rope."),
        ("Uncle Ben, who drives a bus, lives in Hull.", "who drives a bus", "Uncle Ben lives in Hull."),
        ("Uncle Ben, who drives a bus, lives in Hull.", ", who drives a bus,", "Uncle Ben lives in Hull."),
        ("Celia, a paralegal, plays hockey.", "a paralegal, ", "Celia plays hockey."),
        ("Юля, яка працює в банку, любить собак.", "яка працює в банку", "Юля любить собак."),
        ("We need milk, eggs, bread and tea.", "eggs", "We need milk, bread and tea."),
        ("Hay que traer hielo, servilletas y la guitarra.", "servilletas y ", "Hay que traer hielo y la guitarra."),
        ("The office (42 people) has a terrace.", "42 people", "The office has a terrace."),
        ("I run every morning and shower at work.", "run every morning and ", "I shower at work."),
        ("خالتي سعاد، التي خضعت لجراحة، ستزورنا.", "التي خضعت لجراحة", "خالتي سعاد ستزورنا."),
        ("Zainab runs a team, owes money, and sings.", "owes money", "Zainab runs a team and sings."),
        ("她说暖气费出一半，有事打电话。", "有事打电话", "她说暖气费出一半。"),
        ("The top table seats Derek, Priya and Tom.", "Derek", "The top table seats Priya and Tom."),
        ("Shifts are covered by Morgan Tully, Jess and Abdul.", "gan Tully", "Shifts are covered by Jess and Abdul."),
        ("Nadia's number is +43 660 5550142, she lives in Graz.", "5550142", "Nadia's number is, she lives in Graz."),
        ("Mathilde Vasseur is a student.", "Mat", "Mathilde Vasseur is a student."),
        ("रमेश मैनेजर हैं और उन पर कर्ज़ है।", "और उन पर कर्ज़ है", "रमेश मैनेजर हैं।"),
        ("Klant Hoekstra zit in Sneek en heeft drie maanden achterstand.", "en heeft drie maanden achterstand", "Klant Hoekstra zit in Sneek."),
        ("Eva swims on Mondays and on Fridays.", "on Mondays and", "Eva swims on Fridays."),
        ("Eva swims on Mondays and on Fridays.", "Mondays and", "Eva swims on Fridays."),
        ("Marta corre los martes y los jueves.", "martes y", "Marta corre los jueves."),
        ("Nel baule ci sono la tenda verde di Ugo, i remi e il vino.", "la tenda verde di Ugo", "Nel baule ci sono i remi e il vino."),
        ("Ugo moved to Bonn in the spring of 2024, sold his boat and sings.", "in the spring of 2024", "Ugo moved to Bonn, sold his boat and sings."),
        ("The bin goes out on Monday and the rent is due on Friday.", "The bin goes out on Monday and the", "The rent is due on Friday."),
        ("Der Ofen ist alt und die Heizung ist neu.", "Der Ofen ist alt und die", "Die Heizung ist neu."),
        ("Rosa skis in Davos with Ann Reed and Bo.", "with Ann Reed", "Rosa skis in Davos with Bo."),
        ("Rosa skis with Ann and dances.", "with Ann", "Rosa skis and dances."),
        ("L'affitto di Ugo era di 700 euro, è di 820 euro da maggio.", "era di 700 euro", "L'affitto di Ugo è di 820 euro da maggio."),
        ("The visits are to Ann and to Bob.", " and ", "The visits are to Ann and to Bob."),
        ("The bins are taken out by Squeak and Henrietta.", "Squeak", "The bins are taken out by Henrietta."),
        ("Schlüssel haben Markus Ott und Petra Lamm.", "Markus Ott", "Schlüssel haben Petra Lamm."),
        ("Bo can be reached at bo@a.example or bo@b.example.", "at bo@a.example or", "Bo can be reached at bo@b.example."),
        ("Er zahlt Beiträge an den Kegelclub, den Chor und das Rote Kreuz.", "an den Kegelclub", "Er zahlt Beiträge an den Chor und das Rote Kreuz."),
        ("去杭州的有王磊、李娜和赵敏。", "李娜", "去杭州的有王磊和赵敏。"),
        ("Callum's studio used to be in Tanner Row and is now in Wharf Lane.", "used to be in Tanner Row and", "Callum's studio is now in Wharf Lane."),
    ],
)  # fmt: skip
def test_a_stretch_is_cut_out_without_loose_ends(text, cut, left):
    start = text.index(cut)
    assert cut_spans(text, [(start, start + len(cut))]) == left


def test_of_a_text_that_is_meant_whole_nothing_is_left():
    assert cut_spans("Ana lives in Graz.", [(0, 18)]) == ""


def test_what_goes_is_struck_through():
    assert strike_through("Ana lives in Graz, and she likes tea.", "Ana likes tea.") == (
        "Ana ~~lives in Graz, and she~~ likes tea."
    )


# the model's question


def test_the_same_request_makes_the_same_question():
    shown = [Shown(date(2026, 1, 5), text) for text in TEXTS]
    one, other = (question("purge", REQUEST, None, shown) for _ in range(2))
    assert one.messages == other.messages
    assert question("release", REQUEST, None, shown).messages != one.messages


@pytest.mark.parametrize(
    "answer",
    [
        '{"memories":[{"id":"m9","meant":"all","left":""}]}',
        '{"memories":[{"id":"m1","meant":"none","left":""}]}',
        '{"memories":[{"id":"m1","meant":"part","left":" "}]}',
        '{"memories":[{"id":"m1","meant":"all","left":""},{"id":"m1","meant":"all","left":""}]}',
        '{"memories":[{"id":"m1"}]}',
    ],
)
def test_an_answer_that_cannot_be_used_is_refused(answer):
    asked = question("purge", REQUEST, None, [Shown(date(2026, 1, 5), TEXTS[0])])
    with pytest.raises(MalformedReply):
        asked.parse(answer)


def test_what_an_answer_does_not_name_is_not_meant():
    shown = [Shown(date(2026, 1, 5), text) for text in TEXTS]
    asked = question("purge", REQUEST, None, shown)
    answer = asked.parse('{"memories":[{"id":"m3","meant":"all","left":""}]}')
    assert [one.kind for one in answer] == ["none", "none", "all", "none"]


def test_what_is_named_stays_until_somebody_decides_where_the_reader_rules_it_out():
    boat = [Statement("m0", "Ottokar owns a boat."), Statement("m1", "Ottokar sold his bike.")]
    planned = plan("Ottokar", boat, judges=judges(NAMED, 0.0))
    assert kinds(planned) == {"m0": "remove", "m1": "ask"}


def test_what_both_readings_mark_alike_is_cut_and_a_purge_asks_about_the_rest():
    text = "Gordon is the landlord, phone 902-555-0119, and collects stamps."
    start = text.index(", phone")
    span = (start, text.index(", and"))
    for exact, mode, kind in (
        (True, "release", "rewrite"),
        (True, "purge", "rewrite"),
        (False, "release", "rewrite"),
        (False, "purge", "ask"),
    ):
        told = judges(SURE, spans=(span,), exact=exact)
        planned = plan(REQUEST, [Statement("m0", text)], mode=mode, judges=told)
        assert kinds(planned) == {"m0": kind}, (exact, mode)
        if kind == "rewrite":
            assert planned.actions[0].new == "Gordon is the landlord and collects stamps."


def test_a_part_that_cannot_be_cut_out_does_not_take_the_whole_with_it():
    text = "The user took part in study R-4 and was given the code ZX-6605."
    start = text.index(" and was")

    def read(statements):
        spans = ((start, len(text) - 1),)
        return [Target("part", 0.9, (0.05, 0.05, 0.9), spans, exact=False) for _ in statements]

    request = "Remove everything about study R-4 except that I took part in it."
    planned = plan(request, [Statement("m0", text)], mode="purge", judges=Judges(read, "reader"))
    assert kinds(planned) == {"m0": "ask"}


@pytest.mark.parametrize(
    "request_",
    [
        "Wipe what we have on the rent for the flat.",
        "Radera allt om the rent for the flat.",
        "Our landlady moved. Scrub what she asks for the flat, the new one counts.",
        "किराए के बारे में सब हटा दो।",
        "家賃のことを全部消してください。",
    ],
)
def test_what_begins_a_sentence_is_no_name_and_a_script_without_capitals_tells_none(request_):
    read = judges(0.0, 0.0, 0.0, 0.98)
    planned = plan(request_, STATEMENTS, mode="purge", judges=read)
    assert kinds(planned)["m3"] == "remove"


def test_the_new_one_counts_nothing():
    """A word for a number is no figure that a memory could tell otherwise."""
    texts = ("The old account was DE44 2005 0550 1234 0099 17.", "The new one is at Volksbank.")
    among = [Statement(f"m{at}", text) for at, text in enumerate(texts)]
    request = "My previous bank account should be erased, only the new one counts."
    planned = plan(request, among, mode="purge", judges=judges(0.98, 0.0))
    assert kinds(planned)["m0"] == "remove"

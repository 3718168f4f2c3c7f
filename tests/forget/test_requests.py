"""The mutation planner: exactly what a request means, and candidates where that is not certain."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glymph.forget.request import is_topic
from glymph.forget.requests import Statement, belief, forms, plan, read_request


def told(*texts, **more):
    return [Statement(f"m{number}", text, **more) for number, text in enumerate(texts)]


def done(request, *texts):
    """What becomes of each text: None when it goes, the text itself when nothing happens to it."""
    found = {action.id: action for action in plan(request, told(*texts)).actions}
    became = []
    for number, text in enumerate(texts):
        action = found.get(f"m{number}")
        kind = action.kind if action else "keep"
        became.append({"remove": None, "rewrite": action.new if action else ""}.get(kind, text))
    return became


@pytest.mark.parametrize(
    ("request_", "gone", "kept"),
    [
        ("alice@acme.io", "alice@acme.io asked.", "alice@acme.com asked."),
        ("ticket TKT-100", "TKT-100 is open.", "TKT-1000 is open."),
        ("phone +155501099", "Call +1 (555) 010-99.", "Call +1 (555) 010-98."),
        ("7 March 1988", "Born on 07.03.1988.", "Born on 08.03.1988."),
        ("forget Will", "Will coaches the team.", "The shop will open."),
        ("everything about Dmitry", "Дмитрий любит рыбалку.", "Мария любит грибы."),
        ("Juergen Mueller", "Jürgen Müller hat Diabetes.", "Jörg Möller hat Asthma."),
        (
            "API key sk-17quami0uz",
            "The key is sk-17quami0uz-secret.",
            "The key is sk-17quami0uy-secret.",
        ),
        ("Mark's locker code", "Mark's locker code is 7781.", "Mark the calendar."),
        ("Sara not eating fish", "Sara does not eat fish.", "Sara eats eggs."),
        ("where Ada lived in 2022", "In 2022 Ada lived in Turin.", "In 2019 Ada lived in Oslo."),
        ("Pauls Vorlieben", "Paul mag Pizza.", "Lena mag Pizza."),
    ],
)
def test_what_is_meant_goes_and_its_neighbour_stays(request_, gone, kept):
    assert done(request_, gone, kept) == [None, kept]


@pytest.mark.parametrize(
    "request_",
    [
        "Carl likes tea",
        "the thing",
        "code 3333",
        "ann@x.org",
        "John",
        "where they live",
        "the red folder",
        "",
    ],
)
def test_what_is_not_certain_is_left_alone(request_):
    texts = (
        "Ada likes tea.", "John Smith pays.", "John Brown pays.", "Code 1111 opens A.", "ann@x.com wrote.",
        "Mina lives in Ghent.", "Nico lives in Bruges.", "The blue folder is here.", "The green folder is there.",
    )  # fmt: skip
    assert done(request_, *texts) == list(texts)


def test_what_else_is_said_stays():
    assert done("Eli's job", "Eli works at Nike and plays the drums.") == ["Eli plays the drums."]
    assert done("Bob", "Anna and Bob live in Rome.") == ["Anna lives in Rome."]
    assert done("Carl's cat", "Bea has a dog, but Carl has a cat.") == ["Bea has a dog."]


def test_stated_aliases_are_followed_and_nothing_else():
    texts = ("Cleo is also known as DJ Nova.", "DJ Nova plays on Fridays.", "Nova Scotia is cold.")
    assert done("everything about Cleo", *texts) == [None, None, texts[2]]


def test_pinned_is_refused_and_protected_is_edited():
    (pinned,) = plan("code 661122", told("The code is 661122.", pinned=True)).actions
    assert (pinned.kind, "unpin" in pinned.reason) == ("refuse", True)
    (protected,) = plan(
        "gil@corp.net", told("Contact Gil at gil@corp.net for incidents.", protected=True)
    ).actions
    assert (protected.kind, protected.new) == ("rewrite", "Contact Gil for incidents.")


def test_a_hook_decides_only_what_is_undecided():
    seen = []

    def decide(actions):
        seen.extend(action.id for action in actions)
        return ["m1"]

    statements = told("John Smith pays.", "John Brown pays.", "Ann pays.")
    actions = plan("John", statements, decide=decide).actions
    assert seen == ["m0", "m1"]
    assert [(action.kind, action.id) for action in actions] == [("remove", "m1"), ("ask", "m0")]
    plan("Ann", statements, decide=decide)
    assert seen == ["m0", "m1"]


def test_an_id_means_its_memory():
    (action,) = plan("m1", told("One", "Two")).actions
    assert (action.kind, action.id) == ("remove", "m1")


def test_a_belief_is_found_by_its_description_and_cut_out():
    found = belief(
        "Omar's employer",
        "Omar works at Peugeot.",
        told("Omar lives in Fez and works at Renault.", "Omar swims."),
    )
    assert [(one.id, one.rest) for one in found] == [("m0", "Omar lives in Fez.")]
    whole = "Ivan is an engineer at {}, based in Oslo, and enjoys running."
    found = belief("Ivan job employer", whole.format("Apple"), told(whole.format("Stripe")))
    assert [one.rest for one in found] == [""]
    assert (
        belief(
            "Eve's green scooter",
            "Eve has a yellow scooter.",
            told("Eve has a red bike.", "Eve has a bike."),
        )
        == ()
    )


def test_a_description_of_what_was_replaced_means_what_replaced_it():
    old = Statement("a", "Bob started at LinkedIn in 2017.", current=False, heir="b")
    new = Statement("b", "Bob is over at Stripe.")
    assert [one.id for one in belief("Bob employer", "Bob moved to Meta.", [old, new])] == ["b"]


DIGITS = st.text("0123456789", min_size=7, max_size=10)


@given(
    DIGITS,
    st.integers(0, 9),
    st.sampled_from(["{}", "{} {}", "{}-{}", "{}.{}", "({}) {}"]),
    st.integers(2, 4),
)
def test_a_number_is_known_in_every_grouping_and_its_neighbours_stay(digits, last, shape, cut):
    number = f"+49 1{digits}"
    grouped = (
        shape.format(f"1{digits[:cut]}", digits[cut:]) if shape.count("{}") == 2 else f"1{digits}"
    )
    other = digits[:-1] + str((int(digits[-1]) + 1 + last % 8) % 10)
    texts = (f"Call Vera on +49 {grouped}.", f"Call Uwe on +49 1{other}.")
    expected = [None, texts[1]] if other != digits else [None, None]
    assert done(f"phone {number}", *texts) == expected


NAMES = ["Anna", "Bob", "Carla", "Dmitry", "Eva", "Jürgen", "Zoë", "Иван", "محمد"]


@given(
    st.lists(st.sampled_from(NAMES), min_size=2, max_size=6, unique=True),
    st.sampled_from([str, str.upper, str.title]),
)
def test_forgetting_a_name_takes_every_spelling_and_nothing_else(names, spelling):
    wanted, *others = names
    texts = [
        f"{wanted} pays 40 euros.",
        f"We met {spelling(wanted)} at noon.",
        *(f"{one} pays 40 euros." for one in others),
    ]
    assert done(f"everything about {wanted}", *texts) == [None, None, *texts[2:]]


@given(st.permutations(range(6)), st.sampled_from(["Bob", "Anna's job", "Rome", "TKT-1", "tea"]))
def test_the_plan_does_not_depend_on_the_order(order, request_):
    statements = told(
        "Bob lives in Rome.",
        "Anna works at Bosch.",
        "Anna and Bob like tea.",
        "TKT-1 is open.",
        "Tea is hot.",
        "Rome!",
    )
    assert plan(request_, [statements[at] for at in order]) == plan(request_, statements)


def test_the_index_is_asked_for_every_spelling():
    assert {"155501099", "1 555 010 99"} <= set(forms(read_request("phone +1 (555) 010-99")))
    assert {"4 may", "may 4", "2026 05 04"} <= set(forms(read_request("2026-05-04")))
    assert {"100", "TKT100"} <= set(forms(read_request("ticket TKT-100")))  # "TKT 100" has 100


@pytest.mark.parametrize(
    ("request_", "named"),
    [
        ("root password of nas02, wipe it", []),
        ("disk alert on node7", []),
        ("mot de passe root de web-fr-2", []),
        ("nas02", ["nas02"]),
        ("everything about node7", ["node7"]),
        ("remove ticket inc 48213", ["48213"]),
        ("Delete everything about ticket INC-44.", ["INC-44"]),
    ],
)
def test_a_machine_is_no_identifier_where_a_request_says_what_of_it_is_meant(request_, named):
    assert [each.text for each in read_request(request_).strong] == named


@pytest.mark.parametrize(
    ("request_", "topic"),
    [("flight to Paris", True), ("Forget my yacht. ", False), ("forget the wifi", True), ("Forget my yacht.", False),
     ("Wo wohnt sie?", False), ("忘记订单。", False), ('Forget "HQ2."', False)],
)  # fmt: skip
def test_a_topic_does_not_end_like_a_sentence(request_, topic):
    assert is_topic(request_) is topic


def test_a_long_word_with_figures_is_read_in_linear_time():
    """A pattern for machines tried every way to part a long word, and did not end."""
    word = "abcdefghijklmnop_" * 6
    assert [each.text for each in read_request(f"the owner of {word}123").strong] == [f"{word}123"]

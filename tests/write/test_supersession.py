"""What a new statement does to the older ones near it."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glymph.decay.sections import Section
from glymph.write.supersession import Statement, decide

TABLE = Path(__file__).parent / "data" / "updates.tsv"
BOTH_STAY = {
    "connect": "both stay",
    "nothing": "both stay",
}  # which of the two is up to the cosine alone


def outcome(
    old: str, new: str, *, cosine: float | None = 0.8, section: str = "KNOWLEDGE", at: int = 2
) -> str:
    before, after = Statement("old", old, section, at=1), Statement("new", new, section, at=at)
    return decide(after, [(before, cosine)])[0].kind


def rows() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.mark.parametrize(
    "new",
    [
        "My friend moved to Lisbon.",
        "I might move to Lisbon.",
        "I lived in Berlin in 2019.",
        "Did I move to Lisbon?",
        '"I moved to Lisbon," she said.',
    ],
)
def test_others_maybes_the_past_questions_and_quotes_replace_nothing(new):
    assert outcome("I live in Berlin.", "I moved to Lisbon.") == "supersedes"
    assert outcome("I live in Berlin.", new) == "nothing"


@pytest.mark.parametrize(("part", "least"), [("dev", 0.97), ("held", 0.92)])
def test_the_table_of_line_pairs_is_decided_as_people_would(part, least):
    """The held-out third was not looked at while the rules were written."""
    table = [row for row in rows() if row["part"] == part]
    got = [outcome(row["old"], row["new"], cosine=float(row["cosine"])) for row in table]
    right = [
        BOTH_STAY.get(kind, kind) == BOTH_STAY.get(row["expected"], row["expected"])
        for kind, row in zip(got, table, strict=True)
    ]
    assert sum(right) / len(right) >= least


def test_nothing_in_the_table_is_wrongly_replaced_or_merged():
    for row in rows():
        if row["expected"] in ("nothing", "connect", "conflict"):
            got = outcome(row["old"], row["new"], cosine=float(row["cosine"]))
            assert got not in ("supersedes", "duplicate"), row


def test_five_trades_that_differ_in_digits_stay_five():
    trades = [f"Bought 100 ACME at 4{digit}.50" for digit in range(5)]
    for section in (Section.EPISODIC, Section.SIGNALS, Section.KNOWLEDGE):
        for new in trades[1:]:
            assert outcome(trades[0], new, cosine=0.99, section=section) == "connect"


def test_what_happened_never_replaces_what_happened():
    for section in (Section.EPISODIC, Section.SIGNALS):
        assert outcome("I live in Berlin.", "I moved to Lisbon.", section=section) == "nothing"
        assert outcome("Lunch with Eva.", "Lunch with Eva!", section=section) == "connect"


def test_what_was_said_earlier_is_a_conflict_and_at_the_same_moment_the_second_holds():
    assert outcome("The shop opens at 9.", "The shop opens at 10.", at=0) == "conflict"
    assert outcome("The shop opens at 9.", "The shop opens at 10.", at=1) == "supersedes"
    assert outcome("The shop opens at 9.", "The shop opens at 10.", at=2) == "supersedes"


def test_a_new_value_in_a_long_text_replaces_the_older_one_it_names():
    old = "I have a call with the landlord on 3 June at 2 pm to talk about the heating, what should I ask?"
    other = "My call with the plumber is on 7 June at 9 am and I still look for the keys."
    new = "I am a bit stressed because the call with the landlord was rescheduled to 5 June at 4 pm, can you help?"
    verdicts = decide(
        Statement("new", new, at=3),
        [(Statement("other", other, at=2), 0.6), (Statement("old", old, at=1), 0.7)],
    )
    assert [verdict.kind for verdict in verdicts] == ["nothing", "supersedes"]


def test_never_of_what_was_told_is_a_conflict():
    old = "I just handed in my tax form to the office in Bonn last week and wait for the answer, is that usual?"
    new = "I have never handed in a tax form to the office in Bonn, so where do I start with all of these papers?"
    assert outcome(old, new) == "conflict"


def test_an_entry_is_replaced_by_its_newer_wording():
    assert outcome("Editor: Vim.", "Editor: Helix.") == "supersedes"
    assert outcome("Games I like: chess.", "Games I like: speed chess.") == "supersedes"
    assert outcome("Games I like: chess games.", "Games I like: board games.") == "nothing"


@pytest.mark.parametrize(
    ("old", "whole"),
    [
        ("I live in Berlin.", True),
        ("Editor: Vim. It is quick.", True),
        ("I live in Berlin and I like tea.", False),
        ("I live in Berlin. Can you find me a good dentist?", False),
        ("I live in Berlin.\n- near the river\n- third floor", False),
    ],
)
def test_only_what_says_one_thing_is_replaced_as_a_whole(old, whole):
    new = "Editor: Helix." if old.startswith("Editor") else "I moved to Lisbon."
    (verdict,) = decide(Statement("new", new, at=2), [(Statement("old", old, at=1), 0.8)])
    assert (verdict.kind, verdict.whole) == ("supersedes", whole)


@pytest.mark.parametrize(
    ("new", "kind"),
    [
        ("A visit to the coast led me to reconsider my view of raw oysters.", "supersedes"),
        ("I no longer eat raw oysters at all.", "supersedes"),
        ("My cousin came to love raw oysters.", "nothing"),
        ("Would you reconsider raw oysters?", "nothing"),
        ("I came to love raw fish.", "nothing"),
    ],
)
def test_a_change_of_heart_replaces_what_was_liked_or_disliked(new, kind):
    assert outcome("Food I dislike: raw oysters. They are slimy.", new, cosine=0.6) == kind


def test_a_count_goes_on_from_the_one_before():
    assert (
        outcome("I have solved 12 chess puzzles.", "I have solved 15 chess puzzles.")
        == "supersedes"
    )
    assert outcome("I have solved 12 chess puzzles.", "I have solved 15 word puzzles.") == "nothing"


@pytest.mark.parametrize(
    "new", ["I have not given up the violin.", "I never got tired of the violin."]
)
def test_an_end_that_is_denied_ends_nothing(new):
    assert outcome("I play the violin.", new) == "nothing"


@given(st.text(max_size=120), st.text(max_size=120), st.floats(-1, 1))
def test_every_near_memory_gets_one_verdict_with_a_reason(one, two, cosine):
    near = [(Statement("a", two, at=1), cosine), (Statement("b", one), None)]
    verdicts = decide(Statement("new", one, at=2), near)
    assert [verdict.target for verdict in verdicts] == ["a", "b"]
    assert all(verdict.reason for verdict in verdicts)

"""Whether a turn bears out what a model took from it."""

from __future__ import annotations

import pytest

from glymph.learn.ground import find_signs, is_made_up
from glymph.learn.transcript import Turn
from glymph.reader import open_reader
from glymph.reader.no_reader import NoReader
from glymph.reader.weights import explain_absence

needs_weights = pytest.mark.skipif(bool(explain_absence()), reason="the weights are not installed")

TALK = [
    Turn("user", "hallo, morgen kommt besuch"),
    Turn("assistant", "Schön. Isst der Besuch alles?"),
    Turn("user", "mein Bruder isst alles außer Erdnüsse, da kriegt er keine Luft mehr"),
    Turn("assistant", "Verstanden. Und wo wird gegessen?"),
    Turn("user", "in the workshop, we always eat there. Deploys run on Mondays, never on Fridays."),
]


@needs_weights
@pytest.mark.parametrize(
    ("at", "statement"),
    [
        (2, "Der Bruder des Nutzers verträgt keine Erdnüsse, er bekommt davon keine Luft."),
        (4, "Deploys run on Mondays and never on Fridays."),
    ],
)
def test_what_a_turn_says_in_other_words_is_grounded(at, statement):
    assert is_made_up(open_reader("local"), TALK, at, statement) is False


@needs_weights
@pytest.mark.parametrize(
    ("at", "statement"),
    [
        (2, "Der Nutzer fährt jeden Sommer nach Dänemark."),
        (4, "The user prefers short answers in bullet points."),
        (4, "Deploys run on Fridays."),
        (4, "Svetlana writes the invoices."),
    ],
)
def test_what_nobody_said_is_not(at, statement):
    assert is_made_up(open_reader("local"), TALK, at, statement) is True


@needs_weights
def test_one_that_denies_where_the_other_does_not_and_a_strange_name_are_signs():
    reader = open_reader("local")
    talk = [Turn("user", "we deploy on mondays with ansible")]
    plain = find_signs(reader, talk, 0, "The team deploys on mondays.")
    denying = find_signs(reader, talk, 0, "The team never deploys on mondays.")
    naming = find_signs(reader, talk, 0, "The team deploys on mondays with Svetlana.")
    assert (plain.denied, denying.denied) == (0.0, 1.0)
    assert (plain.strange, naming.strange) == (0.0, 1.0)


def test_a_reader_that_cannot_tell_says_so():
    assert is_made_up(NoReader(), TALK, 2, "Der Bruder isst alles.") is None

"""What had its day: texts whose days are over are judged as what they say without them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from glymph import Glymph
from glymph.config import Settings
from glymph.moments import micros, moment
from glymph.write.days_over import find_last_day, hide_days, is_over, is_to_come, was_ahead
from glymph.write.grading import settle
from tests.grounds.reading import GradingReader


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Dentist on 3 March 2026 at 9:30.", (2026, 3, 3)),
        ("Termin am 03.05.2026, davor 1.2.2026", (2026, 5, 3)),
        ("From 2026-05-08 to 2026-06-09: freeze", (2026, 6, 9)),
        ("Paid in February 2024.", (2024, 2, 29)),
        ("The audit is in Q3 2026.", (2026, 9, 30)),
        ("Due 04/05/2026, whichever way it is read", (2026, 5, 4)),
        ("Her birthday is on 5 March.", None),  # it comes again
        ("Since 5 March 2024, and every year on 6 June.", None),
        ("No day at all.", None),
    ],
)
def test_the_last_day_is_found_unless_one_may_come_again(text, found):
    last = find_last_day(text)
    assert (last and moment(last).date().timetuple()[:3]) == found


def day(*parts):
    return micros(datetime(*parts, tzinfo=UTC))


def test_a_day_is_over_a_month_later_and_was_ahead_when_it_was_told():
    text = "The lease ends on 31 March 2026."
    assert [is_over(text, day(2026, *one)) for one in ((4, 1), (4, 30))] == [False, False]
    assert is_over(text, day(2026, 5, 2))
    assert was_ahead(text, day(2026, 3, 1))
    assert not was_ahead(text, day(2026, 3, 31))


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("Dentist on 3 March 2026 at 9:30.", (2026, 3, 3)),
        ("Die Abgabe ist im Mai 2026.", (2026, 5, 31)),
        ("Ordered on 2026-01-02, arrives on 2026-04-01", (2026, 4, 1)),
        ("Vol pour Nice le 20 avril", (2026, 4, 20)),  # told in January: the next one
        ("Due 04/05/2026, whichever way it is read", (2026, 5, 4)),
        ("Leap day, 29 February 2028", (2028, 2, 29)),
    ],
)
def test_a_day_is_to_come_until_it_is_over(text, last):
    told = day(2026, 1, 10)
    assert is_to_come(text, told, day(*last))
    assert not is_to_come(text, told, day(*last) + 86_400_000_000)


@pytest.mark.parametrize("text", ["We met on 3 December.", "On 29 February", "Room 12", "Some day"])
def test_what_names_no_day_or_most_likely_a_past_one_is_not_to_come(text):
    assert not is_to_come(text, day(2026, 1, 10), day(2026, 1, 11))
    assert not is_to_come(text, day(1, 1, 1), day(2026, 1, 11))


def test_days_are_hidden_where_they_stand():
    assert hide_days("From 8 May 2026 to 2026-06-09: freeze") == "From ... to ...: freeze"
    assert hide_days("Nothing to hide") == "Nothing to hide"


def test_a_text_that_says_nothing_without_its_days_keeps_its_grade():
    vital, noise, passing = (0.0, 0.1, 0.2, 0.7), (0.9, 0.1, 0.0, 0.0), (0.1, 0.8, 0.1, 0.0)
    assert settle(vital, None) == settle(vital, noise) == vital
    assert settle(vital, passing) == passing


class DayReader(GradingReader):
    """Grades by the first word, but takes whatever names a year for vital."""

    def grade(self, texts):
        return super().grade([f"vital {text}" if "2026" in text else text for text in texts])


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("Passing the keys to Ben on 3 March 2026.", False),
        ("Lasting until 3 March 2026: the freeze.", False),  # its day was ahead, and is over
        ("Lasting since 3 March 2025: the rule, and until 3 March 2027.", True),  # not over yet
        ("Vital stent, to be checked on 3 March 2026.", True),
        ("Noise without 3 March 2026", True),  # nothing is left without the day
        ("Lasting decision of 2 January 2026.", True),  # no day to come: kept for what it says
    ],
)
def test_what_was_vital_for_its_day_goes_when_it_has_faded(url, clock, text, stays):
    settings = Settings.parse({"compare": "off", "junk_gate": "off"})
    clock.set(datetime(2026, 1, 5, tzinfo=UTC))
    with Glymph.open(url, clock=clock, settings=settings, reader=DayReader()) as handle:
        told = handle.add(text, kind="note").id
        clock.advance(days=20)
        handle.lifecycle()
        assert handle.get(told).state == "LIVE"
        clock.advance(days=350)
        handle.lifecycle()
        assert (handle.get(told).state == "LIVE") is stays

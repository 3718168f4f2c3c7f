"""What needs no weights: layout, spans, windows, calibration, and the reader without a model."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glymph.reader.calibration import Calibration
from glymph.reader.layout import END, START, Pieces, fill_up, lay_out
from glymph.reader.no_reader import NoReader
from glymph.reader.spans import find_spans
from glymph.reader.window import keep_whole, shorten
from glymph.reader.wording import word_relation, word_target, word_worth


def words(text):
    return len(text.split())


def test_two_texts_are_laid_out_with_marks_and_sides():
    row = lay_out(Pieces([7, 8], [(0, 1), (2, 3)]), Pieces([9], [(0, 4)]))
    assert row.ids == [START, 7, 8, END, 9, END]
    assert row.sides == [0, 0, 0, 0, 1, 1]
    assert row.ids[row.second_at] == 9
    assert row.offsets == [(0, 4)]


def test_one_text_has_no_second_side():
    assert lay_out(Pieces([7], [(0, 1)]), Pieces([], [])).sides == [0, 0, 0]


def test_rows_are_filled_up_to_the_longest():
    ids, sides = fill_up(
        [lay_out(Pieces([7, 8], []), Pieces([], [])), lay_out(Pieces([], []), Pieces([], []))]
    )
    assert ids.shape == sides.shape == (2, 4)
    assert sides[1].tolist() == [0, 0, -1, -1]


def test_the_task_stands_before_the_first_text():
    assert word_relation("new", "old") == ("compare: new", "old")
    assert word_target("release", "the car", None, "row") == ("release: the car", "row")
    assert word_target("supersede", "the car", "a bike", "row")[0] == "supersede: the car => a bike"
    assert word_worth("hm") == ("worth: hm", "")


def says(*inside, begins=(), ends=()):
    told = np.full((len(inside), 3), -2.0, np.float32)
    told[:, 0] = inside
    told[list(begins), 1] = 2.0
    told[list(ends), 2] = 2.0
    return told


def test_a_stretch_of_tokens_becomes_a_place_in_the_text():
    offsets = [(0, 3), (4, 8), (9, 12), (13, 20)]
    assert find_spans(says(-3, 3, 3, -3, begins=[1], ends=[2]), offsets) == ((4, 12),)


def test_two_stretches_are_found():
    offsets = [(i, i + 1) for i in range(6)]
    told = says(4, -6, -6, 4, 4, -6, begins=[0, 3], ends=[0, 4])
    assert find_spans(told, offsets) == ((0, 1), (3, 5))


def test_where_nothing_is_clear_the_best_token_is_the_span():
    assert find_spans(says(-5, -1, -5), [(0, 1), (1, 2), (2, 3)]) == ((1, 2),)
    assert find_spans(np.zeros((0, 3), np.float32), []) == ()


@given(
    st.integers(1, 12).flatmap(
        lambda n: st.lists(
            st.lists(st.floats(-4, 4, width=32), min_size=3, max_size=3), min_size=n, max_size=n
        )
    )
)
def test_the_best_stretches_are_those_that_trying_all_would_find(rows):
    told = np.array(rows, np.float32)
    offsets = [(i, i + 1) for i in range(len(rows))]
    found = find_spans(told, offsets)

    def worth(spans):
        return sum(told[a:b, 0].sum() + told[a, 1] + told[b - 1, 2] for a, b in spans)

    def every(start):
        yield ()
        for a in range(start, len(rows)):
            for b in range(a + 1, len(rows) + 1):
                # Two stretches may touch: the one ends where the other begins.
                for rest in every(b) if len(rows) <= 6 else ((),):
                    yield ((a, b), *rest)

    best = max(worth(spans) for spans in every(0) if spans)
    if best > 0 and len(rows) <= 6:
        assert worth(found) == pytest.approx(max(best, 0), abs=1e-3)
    assert all(0 <= a < b <= len(rows) for a, b in found)


LONG = "Alma feeds the cat. The train was late again. Her flat in Graz has two rooms. We had soup. It rained."


def test_a_short_text_is_read_whole():
    assert shorten("a b c", "z", 3, words) == keep_whole("a b c")


def test_a_long_text_keeps_the_sentences_that_share_words():
    kept = shorten(LONG, "Where is the flat of Alma, in Graz?", 12, words)
    assert "Her flat in Graz has two rooms." in kept.text
    assert "Alma feeds the cat." in kept.text
    assert words(kept.text) <= 12


def test_what_is_found_in_an_excerpt_is_shown_in_the_long_text():
    kept = shorten(LONG, "flat in Graz", 8, words)
    start = kept.text.index("Graz")
    assert [LONG[a:b] for a, b in kept.place(start, start + 4)] == ["Graz"]


@given(st.text(min_size=1, max_size=200), st.text(max_size=60), st.integers(1, 12))
def test_an_excerpt_fits_and_says_where_it_is_from(text, beside, room):
    kept = shorten(text, beside, room, len)
    assert all(
        text[long_at : long_at + length] == kept.text[short_at : short_at + length]
        for short_at, long_at, length in kept.stretches
    )
    assert sum(length for *_, length in kept.stretches) <= max(
        room, len(text) if len(text) <= room else room
    )


def test_sentences_without_blanks_are_shortened_too():
    text = "我住在上海。" * 40 + "猫叫小白。"
    kept = shorten(text, "猫的名字", 30, len)
    assert "猫叫小白" in kept.text
    assert len(kept.text) <= 40


CALIBRATION = Calibration(
    temperatures={"relation": 2.0},
    together=[1.0, -0.5, 0.2, 0.0],
    among=(0.6, 0.3, -0.5),
    crowded=(0.5, 0.4, -0.4),
    relevance=[1.0, 0.0],
    certain=0.95,
    flag=0.9,
    doubt=0.3,
    hide=0.95,
    same=0.95,
    merge=0.99,
)


def test_a_temperature_makes_confidence_modest():
    logits = np.array([[0.0, 4.0]], np.float32)
    assert CALIBRATION.share_out("relation", logits)[0, 1] == pytest.approx(1 / (1 + np.exp(-2)))


def test_a_rival_lowers_a_candidate_and_one_alone_stays():
    shares = np.array([[0.1, 0.0, 0.9, 0.0], [0.4, 0.0, 0.6, 0.0]], np.float32)
    weighed = CALIBRATION.weigh_together(shares)
    assert weighed[1, 2] < shares[1, 2]
    assert weighed.sum(axis=1) == pytest.approx([1, 1])
    assert np.array_equal(CALIBRATION.weigh_together(shares[:1]), shares[:1])


def test_without_a_reader_only_equal_texts_are_the_same():
    judged = NoReader().relate("Ana lives in Graz", ["ana  lives in Graz", "Ana lives in Linz"])
    assert [(one.kind, one.sure) for one in judged] == [("same", 1.0), ("none", 0.0)]


def test_without_a_reader_a_purge_finds_identifiers_and_no_more():
    texts = ["Mail ana@example.org about it", "Ana called", "Paid 30 € on 3 May"]
    judged = NoReader().find_targets("purge", "ana@example.org", texts)
    assert [one.kind for one in judged] == ["part", "none", "none"]
    assert texts[0][slice(*judged[0].spans[0])] == "ana@example.org"
    assert [one.sure for one in NoReader().find_targets("purge", "30 € on 3 May", texts)] == [
        0,
        0,
        0,
    ]
    assert NoReader().find_targets("release", "ana@example.org", texts)[0].sure == 0


def test_without_a_reader_nothing_is_scored_or_graded():
    assert NoReader().score("who?", ["me"]) is None
    assert NoReader().grade(["me"])[0].sure == 0


def test_a_text_is_judged_by_what_both_readings_say_of_it():
    beside = np.array([[4.0, 0.0, 0.0], [0.0, 6.0, 0.0], [0.0, 0.0, 6.0]], np.float32)
    alone = np.array([[4.0, 0.0, 0.0], [0.0, 6.0, 0.0], [0.0, 5.0, 0.0]], np.float32)
    shares = CALIBRATION.judge_targets(beside, alone, crowded=False)
    assert shares.sum(axis=1) == pytest.approx([1, 1, 1])
    assert [int(row.argmax()) for row in shares[:2]] == [0, 1]
    assert shares[2, 1] == pytest.approx(shares[2, 2], abs=0.02)  # all or a part: they differ

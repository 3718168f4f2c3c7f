"""Texts that a request may mean are read beside each other, each with a judgement of its own."""

from __future__ import annotations

import numpy as np
import pytest

from glymph.reader.layout import Pieces, lay_out
from glymph.reader.together import BREAK, MARKS, gather, judge_texts
from glymph.reader.wording import BETWEEN, word_scene


def test_a_scene_knows_where_each_text_begins():
    scene = word_scene("purge", "the old flat", None, ["One.", "Two, three.", ""])
    assert scene.pair.first == "among purge: the old flat"
    ends = [*(start - len(BETWEEN) for start in scene.starts[1:]), len(scene.pair.second)]
    texts = [scene.pair.second[a:b] for a, b in zip(scene.starts, ends, strict=True)]
    assert texts == ["One.", "Two, three.", ""]


@pytest.mark.parametrize(
    ("sizes", "groups"),
    [([], []), ([5], [[0]]), ([5, 5, 5], [[0, 1], [2]]), ([90, 5], [[0], [1]])],
)
def test_as_many_texts_are_read_together_as_fit(sizes, groups):
    assert list(gather(sizes, 2 * (5 + BREAK))) == groups


def test_a_text_is_judged_by_the_mean_of_its_own_tokens():
    row = lay_out(Pieces([7], [(0, 1)]), Pieces([8, 9, 8], [(0, 2), (3, 4), (7, 9)]))
    told = np.zeros((len(row.ids), 2 * MARKS), np.float32)
    told[row.second_at :, MARKS:][:3] = [[1, 0, 0], [3, 0, 0], [0, 5, 0]]
    judged = judge_texts(told, row, (0, 7))
    assert judged.tolist() == [[2, 0, 0], [0, 5, 0]]


def test_a_text_that_was_cut_off_may_be_anything():
    row = lay_out(Pieces([7], [(0, 1)]), Pieces([8], [(0, 2)]))
    told = np.ones((len(row.ids), 2 * MARKS), np.float32)
    assert judge_texts(told, row, (0, 5)).tolist() == [[1, 1, 1], [0, 0, 0]]

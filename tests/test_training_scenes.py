"""Scenes, from which a reader may learn: what is meant stands where the row says it does."""

from __future__ import annotations

import random

import pytest

from training.cases import read_part
from training.examples import ALL, IN_PART, LEFT
from training.scenes import (
    draw_scene,
    draw_scenes,
    label_rows,
    label_texts,
    list_marked,
    make_scene,
)

CASE = {
    "verb": "purge",
    "request": "Mira's home",
    "rows": [
        {"text": "Mira lives in Graz and sings.", "cut": ["lives in Graz"]},
        {"text": "Bo lives in Graz.", "cut": []},
        {"text": "Her flat has a balcony.", "cut": "all"},
    ],
}


def cut_out(example):
    return [example.pair.second[start:end] for start, end in example.places]


def test_what_is_meant_is_marked_where_it_stands_in_the_row():
    scene = make_scene("purge", CASE["request"], None, list_marked(CASE))
    assert scene.pair.first == "among purge: Mira's home"
    assert cut_out(scene) == ["lives in Graz", "Her flat has a balcony."]
    assert label_texts(scene) == [IN_PART, LEFT, ALL]


@pytest.mark.parametrize(("cut", "label"), [("all", ALL), ([], LEFT)])
def test_a_scene_may_be_meant_whole_or_not_at_all(cut, label):
    rows = [{**row, "cut": cut} for row in CASE["rows"]]
    assert label_texts(make_scene("purge", "x", None, list_marked({"rows": rows}))) == [label] * 3


def test_a_drawn_scene_has_all_of_what_is_meant_or_nothing_of_it():
    """Without it what is left is tempting, and not meant."""
    drawn = [
        draw_scene(CASE, random.Random(seed), ["A stranger's line.", "Another one."])
        for seed in range(200)
    ]
    whole = [scene for scene in drawn if cut_out(scene)]
    assert all(
        sorted(cut_out(scene)) == ["Her flat has a balcony.", "lives in Graz"] for scene in whole
    )
    assert 0 < len(drawn) - len(whole) < len(whole)


def test_a_drawn_scene_is_never_empty():
    nothing = {**CASE, "rows": [{**row, "cut": []} for row in CASE["rows"]]}
    assert all(label_texts(draw_scene(nothing, random.Random(seed), [])) for seed in range(2000))


@pytest.mark.parametrize("part", ["train", "dev"])
def test_every_written_cut_is_found_in_its_text(part):
    cases = read_part(part)["scenes"]
    assert len(cases) > 100
    for case in cases:
        for row, marked in zip(case["rows"], list_marked(case), strict=True):
            assert bool(row["cut"]) == bool(marked.meant), (case["request"], row)
        scene = make_scene(case["verb"], case["request"], case.get("new"), list_marked(case))
        assert label_texts(scene) == label_rows(case), case["request"]


def test_a_pass_draws_from_all_that_was_written():
    cases = {"scenes": [CASE], "requests": [CASE], "frames": []}
    assert len(list(draw_scenes(cases, random.Random(1), lambda _: []))) == 3

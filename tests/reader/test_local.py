"""The packaged weights: they judge plain cases, always alike, and read long texts by what matters."""

from __future__ import annotations

import threading
from functools import cache

import numpy as np
import pytest

from glymph.reader.local_reader import LocalReader, pick_likeliest
from glymph.reader.weights import explain_absence

LACKING = explain_absence()
pytestmark = pytest.mark.skipif(bool(LACKING), reason=LACKING or "the reader is installed")


@cache
def reader():
    return LocalReader()


def test_a_new_address_replaces_the_old_one_and_nothing_else():
    older = ["Mira lives in Vienna.", "Mira plays the cello.", "Jonas lives in Vienna."]
    judged = reader().relate("Mira has moved to Graz and lives there now.", older)
    assert [one.kind for one in judged] == ["replaces", "none", "none"]


def test_the_same_in_other_words_is_the_same():
    judged = reader().relate("Mira's home is in Vienna.", ["Mira lives in Vienna."])
    assert judged[0].kind == "same"


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("Mira ist nach Graz gezogen.", "Mira wohnt in Wien."),
        ("Mira a déménagé à Lyon.", "Mira habite à Paris."),
        ("Mira se mudó a Sevilla.", "Mira vive en Madrid."),
    ],
)
def test_other_languages_are_read(newer, older):
    assert reader().relate(newer, [older])[0].kind == "replaces"


def test_hiding_takes_certainty_whatever_the_weights_were_fitted_on():
    assert reader().thresholds.hide >= 0.92


def test_a_shared_label_means_nothing():
    judged = reader().relate(
        "Note: the boiler is serviced in May.", ["Note: Ana's cat is called Miso."]
    )
    assert judged[0].kind == "none"


def test_shares_add_up_and_the_best_is_how_sure_it_is():
    judged = reader().relate("a", ["b"])[0]
    assert sum(judged.shares) == pytest.approx(1, abs=1e-4)
    assert judged.sure == max(judged.shares)


def test_a_request_finds_the_whole_and_the_part():
    texts = [
        "Mira lives in Vienna.",
        "Mira lives in Vienna and plays the cello.",
        "Jonas has a dog.",
    ]
    judged = reader().find_targets("release", "where Mira lives", texts)
    assert [one.kind for one in judged] == ["all", "part", "none"]
    (start, end), *_ = judged[1].spans
    assert "Vienna" in texts[1][start:end]
    assert "cello" not in texts[1][start:end]


def test_what_answers_scores_above_what_does_not():
    scores = reader().score(
        "Where does Mira live?", ["Mira lives in Vienna.", "Buy milk and eggs."]
    )
    assert scores[0] > 0.5 > 0.2 > scores[1]


def test_nothing_asked_is_nothing_answered():
    assert reader().relate("a", []) == reader().score("a", []) == reader().grade([]) == []
    assert reader().find_targets("purge", "a", []) == []


def test_noise_and_vital_facts_are_told_apart():
    noise, vital = reader().grade(["ok thanks!", "I am severely allergic to penicillin."])
    assert (noise.kind, vital.kind) == ("noise", "vital")


def test_a_judgement_does_not_depend_on_what_else_is_asked():
    alone = reader().score("Where does Mira live?", ["Mira lives in Vienna."])
    among = reader().score("Where does Mira live?", ["x " * 500, "Mira lives in Vienna.", "y"])
    assert among[1] == alone[0]


def test_a_long_text_is_read_around_what_is_asked():
    filler = "The weather was fine and the train was late again on that day. " * 60
    text = f"{filler}Mira lives in Vienna. {filler}"
    assert reader().score("Where does Mira live?", [text])[0] > 0.5
    target = reader().find_targets("release", "where Mira lives", [text])[0]
    assert all(0 <= start < end <= len(text) for start, end in target.spans)


def test_odd_texts_are_judged_without_a_crash():
    odd = ["", " ", "\u200b", "🙂" * 300, "a" * 20_000, "\x00", "Ωμέγα", "𒀀𒀁𒀂"]
    assert len(reader().relate("ok", odd)) == len(odd)
    assert len(reader().grade(odd)) == len(odd)
    assert len(reader().score("", odd)) == len(odd)
    assert len(reader().find_targets("purge", "", odd)) == len(odd)


def test_an_unknown_language_is_told_by_its_confidence():
    judged = reader().relate("𒀀𒀁𒀂 𒀃𒀄", ["𒀅𒀆 𒀇𒀈𒀉"])[0]
    assert 0 <= judged.sure <= 1


def test_several_threads_may_ask_at_once():
    fresh, found = LocalReader(), []
    threads = [
        threading.Thread(target=lambda: found.append(fresh.score("Who?", ["Ana did."])))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({tuple(one) for one in found}) == 1
    assert len(found) == 4


def test_the_cost_of_reading_grows_with_the_text():
    short, long = reader().estimate_ms("Who?", ["Ana.", "word " * 100])
    assert 0 < short < long


def test_what_is_equal_is_the_same_and_needs_no_reading():
    unread = LocalReader()
    (judged,) = unread.relate("Mira lives in  Vienna.", ["mira lives in Vienna."])
    assert (judged.kind, judged.sure) == ("same", 1.0)
    assert unread._loaded is None


def test_what_is_meant_is_found_in_a_crowd_of_other_memories():
    crowd = [
        f"{who} {does}." for who in ("Noor", "The carpenter", "Aunt Tilde", "The bus driver")
        for does in ("works in the children's ward", "likes short answers", "moved near the zoo",
                     "measured the kitchen", "was late on Monday")
    ]  # fmt: skip
    meant = ["Jonas still owes Mira 240 euros.", "Jonas was the flatmate of Mira."]
    judged = reader().find_targets("release", "everything about Jonas", [*crowd, *meant])
    shares = [1 - one.shares[0] for one in judged]
    assert min(shares[-2:]) > 0.7
    assert min(shares[-2:]) > max(shares[:-2])


def test_only_the_likeliest_are_read_together_in_the_order_they_came():
    alone = np.array([[0, 1, 0], [5, 0, 0], [0, 3, 0], [4, 0, 0]], np.float32)
    assert pick_likeliest(alone, 2) == [0, 2]
    assert pick_likeliest(alone, 9) == [0, 1, 2, 3]

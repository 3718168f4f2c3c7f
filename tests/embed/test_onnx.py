"""A model in a folder: its files decide how it is used."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from glymph.embed import open_embedder, wire
from glymph.embed.providers.onnx import OnnxEmbedder, open_folder
from glymph.errors import EmbedderFailed, InvalidInput
from tests.embed.models import WORDS, needs_local, write_folder

pytestmark = needs_local


def direction(**words):
    """The unit vector with these weights on the places of these words."""
    row = np.array([words.get(word.strip("[]"), 0) for word in WORDS], dtype=np.float64)
    return pytest.approx(row / np.linalg.norm(row), abs=1e-6)


def test_the_mean_of_all_tokens_is_the_default(tmp_path):
    embedder = open_embedder(f"onnx:{write_folder(tmp_path / 'tiny')}")
    red, both = embedder.embed(["red", "red blue blue"])
    assert red == direction(CLS=1, red=1)
    assert both == direction(CLS=1, red=1, blue=2)
    assert embedder.dimension == len(WORDS)
    assert red.dtype == np.float32


@pytest.mark.parametrize(
    "pooling",
    [{"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, {"pooling_mode": "cls"}],
)
def test_the_first_token_is_taken_where_the_folder_says_so(tmp_path, pooling):
    folder = write_folder(tmp_path, **{"1_Pooling__config": pooling})
    assert open_folder(folder).embed(["red blue"])[0] == direction(CLS=1)


@pytest.mark.parametrize("setting", ["pooling_mode_max_tokens", "pooling_mode_weightedmean_tokens"])
def test_another_pooling_is_refused_by_name(tmp_path, setting):
    folder = write_folder(
        tmp_path, **{"1_Pooling__config": {setting: True, "word_embedding_dimension": 6}}
    )
    with pytest.raises(InvalidInput, match=f"{setting}; known is mean or cls"):
        open_folder(folder)


def test_a_further_layer_outside_the_model_is_refused(tmp_path):
    kinds = ["Transformer", "Pooling", "Dense"]
    folder = write_folder(
        tmp_path, modules=[{"type": f"sentence_transformers.models.{kind}"} for kind in kinds]
    )
    with pytest.raises(InvalidInput, match="Dense"):
        open_folder(folder)


@pytest.mark.parametrize(
    ("files", "read"),
    [
        (
            {
                "sentence_bert_config": {"max_seq_length": 3},
                "tokenizer_config": {"model_max_length": 9},
            },
            3,
        ),
        ({"tokenizer_config": {"model_max_length": 4}}, 4),
        ({"tokenizer_config": {"model_max_length": 10**30}}, 256),
        ({}, 256),
    ],
)
def test_the_longest_text_is_the_one_the_folder_names(tmp_path, files, read):
    embedder = open_folder(write_folder(tmp_path, **files))
    assert embedder.embed(["red " * 400])[0] == direction(CLS=1, red=read - 1)


def test_a_model_that_pools_by_itself_is_believed(tmp_path):
    embedder = open_folder(write_folder(tmp_path, pooled=True))
    assert embedder.dimension == 4
    assert embedder.embed(["red"])[0] == pytest.approx([0.5] * 4)


def test_the_model_may_lie_in_a_folder_of_its_own(tmp_path):
    folder = write_folder(tmp_path)
    (folder / "onnx").mkdir()
    shutil.move(folder / "model.onnx", folder / "onnx" / "model.onnx")
    assert open_folder(folder).embed(["red"])[0] == direction(CLS=1, red=1)


def test_blank_texts_are_zeros_and_long_and_odd_ones_are_no_failure(tmp_path):
    embedder = open_folder(write_folder(tmp_path))
    rows = embedder.embed(["", "  ", "red " * 2500, "👩‍👩‍👧‍👦", "\ud800"])
    assert not rows[:2].any()
    assert np.linalg.norm(rows[2:], axis=1) == pytest.approx(1, abs=1e-6)
    assert embedder.embed([]).shape == (0, len(WORDS))


def test_the_name_changes_with_whatever_changes_the_vectors(tmp_path):
    folder = write_folder(tmp_path / "tiny")
    files = folder / "model.onnx", folder / "tokenizer.json"
    names = [
        open_folder(folder).name,
        OnnxEmbedder(*files, name="onnx:tiny", pooling="cls").name,
        OnnxEmbedder(*files, name="onnx:tiny", max_tokens=99).name,
    ]
    assert all(name.startswith("onnx:tiny@") for name in names)
    assert open_folder(shutil.copytree(folder, tmp_path / "copy" / "tiny")).name == names[0]
    (folder / "model.onnx_data").write_bytes(b"more weights")
    names.append(open_folder(folder).name)
    write_folder(folder, pooled=True)
    names.append(open_folder(folder).name)
    assert len(set(names)) == len(names)


def test_a_model_that_needs_more_than_tokens_says_so(tmp_path):
    embedder = open_folder(write_folder(tmp_path, extra_input=True))
    with pytest.raises(EmbedderFailed, match="asks for pixel_values"):
        embedder.embed(["red"])


def test_damaged_files_are_errors_that_name_the_next_step(tmp_path):
    folder = write_folder(tmp_path)
    (folder / "model.onnx").write_bytes(b"no model")
    with pytest.raises(EmbedderFailed, match="Check the model file"):
        open_folder(folder).embed(["red"])
    write_folder(folder)
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(EmbedderFailed, match=r"not a tokenizer.*Copy"):
        open_folder(folder).embed(["red"])
    (folder / "tokenizer_config.json").write_text("{")
    with pytest.raises(InvalidInput, match="is not JSON"):
        open_folder(folder)


def test_what_is_written_can_be_read_back():
    tensors = {
        "a": np.arange(300, dtype=np.float32).reshape(3, 100),
        "b": np.array([[-1], [2]], dtype=np.int8),
    }
    read = wire.weights(
        wire.model(
            [wire.node("Identity", ["x"], "y")], tensors, inputs={"x": [1]}, outputs={"y": [1]}
        )
    )
    assert {name: array.tolist() for name, array in read.items()} == {
        n: a.tolist() for n, a in tensors.items()
    }


@pytest.mark.parametrize("file", [b"", b"\xff" * 40, b"\x3a\x7f\x01", b"\x0b\x00"])
def test_what_is_no_model_has_no_weights(file):
    with pytest.raises(ValueError):
        wire.weights(file)

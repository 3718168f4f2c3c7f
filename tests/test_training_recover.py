"""Weights come back out of the published file under the names that training has for them."""

from __future__ import annotations

import importlib.util

import pytest

needed = [name for name in ("onnx", "glymph_reader") if importlib.util.find_spec(name) is None]
pytestmark = pytest.mark.skipif(bool(needed), reason=f"needs {', '.join(needed)}")


def test_every_layer_and_head_comes_back():
    import onnx

    from glymph.reader.weights import find_folder
    from training.recover import recover

    state = recover(onnx.load(find_folder("glymph-reader") / "model.onnx"))
    assert state["layers.11.fo.weight"].shape == (384, 1536)
    assert state["heads.target.weight"].shape == (3, 1152)
    assert state["spans.weight"].shape == (3, 384)
    assert len(state) == 206

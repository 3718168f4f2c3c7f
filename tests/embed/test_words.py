"""The embedder of the test kit."""

from __future__ import annotations

import numpy as np

from glymph.testing.embedders import WordEmbedder


def test_texts_that_share_words_are_near():
    near, same, far = WordEmbedder().embed(
        ["the red house", "House, the RED!", "quarterly invoices unpaid"]
    )
    assert near @ same > 0.999
    assert near @ far < 0.5


def test_it_is_the_same_in_every_process():
    row = WordEmbedder(dimension=8).embed(["alpha beta beta"])[0]
    assert np.flatnonzero(row).tolist() == [2, 3]


def test_no_words_give_zeros_and_no_texts_give_no_rows():
    embedder = WordEmbedder(dimension=5)
    assert not embedder.embed([" …"]).any()
    assert embedder.embed([]).shape == (0, 5)

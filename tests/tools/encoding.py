"""A tokenizer of language models, for tests that count what a model reads."""

from __future__ import annotations

import pytest

from benchmarks.tokens import find_encoding


def counter():
    """Returns the function that counts tokens; without its file, the test is skipped."""
    encoding = find_encoding()
    if encoding is None:
        pytest.skip("the tokenizer's file is not here: `python -m benchmarks tokens` fetches it")
    return lambda text: len(encoding.encode(text))

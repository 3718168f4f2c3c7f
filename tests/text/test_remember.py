"""What texts are remembered to save time takes little memory, however long they are."""

from __future__ import annotations

import gc
import tracemalloc

import pytest

from glymph.forget.names import places
from glymph.text.values import values
from glymph.text.words import plain_words, stem, stems

LENGTH, TEXTS = 20_000, 12


def place_anna(text):
    return places(text, ["Anna"])


@pytest.mark.parametrize("read", [plain_words, stems, stem, values, place_anna])
def test_long_texts_leave_nothing_in_memory(read):
    read("Anna paid 12 euros on 3 May 2024")  # loads what it needs
    tracemalloc.start()
    try:
        for number in range(TEXTS):
            read(f"{number} Anna paid 12 euros on 3 May 2024, " * (LENGTH // 40))
        gc.collect()  # what is kept counts, not what waits to be thrown away
        left, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert left < LENGTH * TEXTS / 8


def test_a_short_text_is_read_once():
    assert values("12 euros") is values("12 euros")
    assert plain_words("isn't") == ("is", "not")

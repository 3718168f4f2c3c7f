"""Hypothesis strategies for what people put into a memory."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from glymph.decay.edges import DEFAULT_WEIGHTS
from glymph.decay.sections import KINDS

WORDS = "berlin lisbon btc eth report short long Zürich 日本 🙂 o'brien 3.14".split()

kinds = st.sampled_from([kind for kind in KINDS if kind != "self"] + ["recipe"])
edge_types = st.sampled_from(sorted(DEFAULT_WEIGHTS))
shares = st.floats(0.0, 1.0)
any_text = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=80
).filter(lambda text: bool(text.strip()))
few_words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
# Mostly from a small vocabulary, so that repetitions and shared words come up by themselves.
texts = st.one_of(few_words, few_words, any_text)
tags = st.lists(st.sampled_from(WORDS), max_size=3, unique=True)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=10),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=3)
    ),
    max_leaves=6,
)  # fmt: skip
attributes = st.dictionaries(st.sampled_from(WORDS), json_values, max_size=3)


@st.composite
def additions(draw: Any) -> dict[str, Any]:
    """Draws the arguments of one `add`."""
    return {
        "text": draw(texts),
        "kind": draw(kinds),
        "tags": draw(tags),
        "entities": draw(tags),
        "attributes": draw(attributes),
        "salience": draw(shares),
        "trust": draw(shares),
        "pinned": draw(st.booleans().filter(bool) | st.just(False)),
    }

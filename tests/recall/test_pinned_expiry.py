"""What is pinned is not hidden when its own time is over."""

from __future__ import annotations

from datetime import timedelta

import pytest

from glymph import Glymph
from glymph.testing.embedders import WordEmbedder


@pytest.mark.parametrize("embedder", ["none", "words"])
def test_a_pinned_memory_outlives_its_own_time(url, clock, embedder):
    chosen = "none" if embedder == "none" else WordEmbedder()
    with Glymph.open(url, clock=clock, embedder=chosen, reader="none") as glymph:
        kept = glymph.add("The alarm code of the depot is with Ines.", kind="fact",
                          expires_at=clock() + timedelta(days=1))  # fmt: skip
        gone = glymph.add("The alarm of the depot is tested.", kind="fact",
                          expires_at=clock() + timedelta(days=1))  # fmt: skip
        glymph.pin(kept.id)
        clock.advance(days=2)
        assert [hit.memory.id for hit in glymph.search("alarm depot")] == [kept.id]
        assert "with Ines" in glymph.surface()
        assert "tested" not in glymph.surface()
        glymph.lifecycle()
        assert glymph.get(kept.id).state == "LIVE"
        glymph.unpin(kept.id)
        assert glymph.search("alarm depot") == []
        assert glymph.get(gone.id).text.endswith("tested.")

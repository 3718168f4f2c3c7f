"""Verifying a store that others write to: what they write meanwhile is no damage."""

from __future__ import annotations

import pytest

from glymph import Glymph
from glymph.store.backends.sqlite import checks
from glymph.testing.embedders import WordEmbedder
from glymph.testing.files import open_file
from glymph.transfer import verify


def test_the_keys_are_those_of_one_moment(glymph, tmp_path):
    """Somebody adds between the reading of what was given out and of what is there."""
    raw, written = open_file(tmp_path / "memory.db"), []

    def interrupt(cursor, sql, bindings):
        if sql == "SELECT max(rowid) FROM operations":
            written.append(glymph.add("The boat leaves at nine", kind="fact").operation_id)
        return True

    raw.exec_trace = interrupt
    assert list(checks._keys(raw)) == []
    assert written
    raw.close()


@pytest.mark.parametrize("url", ["sqlite", "postgresql"], indirect=True)
def test_a_space_is_looked_at_as_it_was_at_one_moment(url, clock, monkeypatch):
    """Somebody adds, purges and adds again between any two steps."""
    with (
        Glymph.open(url, clock=clock, embedder=WordEmbedder(16)) as glymph,
        Glymph.open(url, clock=clock, embedder=WordEmbedder(16), actor="person") as other,
    ):
        for number in range(6):
            glymph.add(f"Parcel {number} went to harbour {number}", kind="fact", wait=True)
        steps = verify.STEPS

        def interrupted(step):
            def run(space, known):
                yield from step(space, known)
                other.forget(f"Parcel {steps.index(step)}", mode="purge", apply=True)
                other.add(f"Crate {step.__name__} came back", kind="fact", wait=True)

            return run

        monkeypatch.setattr(verify, "READING", tuple(map(interrupted, verify.READING)))
        monkeypatch.setattr(verify, "STEPS", tuple(map(interrupted, steps)))
        assert glymph.verify().problems == ()
        assert {one.text.split()[0] for one in other.list()} == {"Parcel", "Crate"}

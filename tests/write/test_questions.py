"""Conflicts and how they are settled; what is refused; bands that belong to a model."""

from __future__ import annotations

from datetime import timedelta

import pytest

from glymph import Glymph, errors
from glymph.testing.embedders import WordEmbedder
from glymph.text.bands import Bands
from glymph.write.tombstones import bury
from tests.grounds.reading import ScriptedReader

OLD_PORT, NEW_PORT = "The API port is 8080", "The API port is now 9090"


@pytest.fixture
def comparing(url, clock):
    reader = ScriptedReader(perhaps=[(NEW_PORT, OLD_PORT)])
    with Glymph.open(
        url, clock=clock, reader=reader, settings={"compare": "on", "junk_gate": "on"}
    ) as handle:
        yield handle


def texts(hits):
    return [hit.memory.text for hit in hits]


@pytest.fixture
def conflict(comparing, clock):
    comparing.add(OLD_PORT, kind="fact")
    clock.advance(days=1)
    comparing.add(NEW_PORT, kind="fact", wait=True)
    return comparing.conflicts()[0]


@pytest.mark.parametrize(
    ("resolution", "left"),
    [
        ("new_is_current", ["The API port is now 9090"]),
        ("old_is_current", ["The API port is 8080"]),
        ("keep_both", ["The API port is 8080", "The API port is now 9090"]),
    ],
)
def test_a_conflict_is_settled_and_an_undo_opens_it_again(comparing, conflict, resolution, left):
    done = comparing.resolve(conflict.id, resolution)
    assert sorted(texts(comparing.search("API port"))) == left
    assert comparing.conflicts() == []
    with pytest.raises(errors.Refused, match="answered already"):
        comparing.resolve(conflict.id, resolution)
    comparing.undo(done.operation_id)
    assert comparing.conflicts() == [conflict]
    assert comparing.verify().ok


def test_a_merge_says_what_both_should(comparing, conflict):
    with pytest.raises(errors.InvalidInput, match="merge"):
        comparing.resolve(conflict.id, "merge")
    comparing.resolve(conflict.id, "merge", text="The API port is 8080 at home and 9090 at work")
    assert texts(comparing.search("API port")) == ["The API port is 8080 at home and 9090 at work"]
    assert (
        comparing.get(conflict.older).superseded_by == comparing.get(conflict.newer).superseded_by
    )
    comparing.undo()
    assert comparing.conflicts() == [conflict]


def test_a_conflict_nobody_decides_expires_and_both_stay(comparing, clock, conflict):
    clock.now = conflict.expires_at + timedelta(seconds=1)
    assert comparing.conflicts() == []
    assert len(comparing.search("API port")) == 2


def test_a_conflict_of_which_one_side_is_gone_is_moot(comparing, conflict):
    comparing.delete(conflict.older)
    assert comparing.conflicts() == []
    with pytest.raises(errors.Refused, match="nothing left to decide"):
        comparing.resolve(conflict.id, "keep_both")


@pytest.mark.parametrize("text", ["ok thanks", "!!!", "hahahaha haha", "👍", "sdfkjhsdkjfhxcvmnb"])
def test_noise_is_refused_and_says_why(comparing, text):
    added = comparing.add(text)
    assert (added.id, added.created) == (None, False)
    assert added.refused
    assert comparing.operations(verb="add").items == ()


def test_what_was_removed_on_request_is_refused_until_it_is_revived(glymph):
    with glymph._ctx.operation("purge") as op:
        bury(op, glymph._ctx, ["Call Anna at +1 (555) 010-99"])
    refused = glymph.add("call  ANNA at +155501099")
    assert refused.id is None
    assert "revive" in refused.refused
    assert [
        one.refused is None for one in glymph.add_many(["Call Anna at +1 555 01099.", "Call Bob"])
    ] == [
        False,
        True,
    ]
    revived = glymph.add("Call Anna at +1 (555) 010-99", revive=True)
    assert revived.created
    assert glymph.tombstones() == ()
    glymph.undo(revived.operation_id)
    assert glymph.add("Call Anna at +1 (555) 010-99").refused


class Coarse(WordEmbedder):
    """A model by which texts are the same from a much lower cosine on."""

    bands = Bands(duplicate=0.6, connect=0.3)


def test_bands_belong_to_the_model_and_are_kept_with_it(url, clock):
    texts = ("the grey cat sleeps on the mat", "a grey cat slept on the mat")
    outcomes = []
    for space, embedder in (("fine", WordEmbedder()), ("coarse", Coarse())):
        with Glymph.open(url, space=space, clock=clock, embedder=embedder) as handle:
            added = [handle.add(text, kind="fact", wait=True) for text in texts]
            outcomes.append([bool(one.connected_to or one.superseded) for one in added])
            with handle._ctx.reading() as reader:
                (model,) = reader.models()
                kept = reader.bands(model["key"])
            assert kept == (Bands() if space == "fine" else Coarse.bands)
    assert outcomes == [[False, False], [False, True]]

"""A space learns from its own recall log how it forgets.

It adopts that when asked, and gives it back.
"""

from __future__ import annotations

import json
import random

import pytest

from glymph import Curve, Glymph, Section, errors
from glymph.decay.lifecycle import DEFAULT_CURVES
from glymph.testing import FrozenClock, logical_image

TOPICS = ("harbour", "orchard", "kiln", "meadow", "quarry", "foundry")
WEEKS = 12


def live_on(glymph, clock):
    """Twelve weeks by a hidden rule.

    What was used within ten days is used again, older things hardly ever.
    """
    chance = random.Random(5)
    glymph.add_many([f"{topic} note {number}" for topic in TOPICS for number in range(10)])
    for _ in range(WEEKS * 7):
        clock.advance(days=1)
        found = glymph.recall(chance.choice(TOPICS))
        likely = {hit.memory.id: 0.9 if age(hit, clock) < 10 else 0.1 for hit in found}
        glymph.report(
            found.id,
            used=[memory_id for memory_id in likely if chance.random() < likely[memory_id]],
        )


def age(hit, clock):
    return (clock.now - (hit.memory.last_used_at or hit.memory.created_at)).total_seconds() / 86_400


def knowledge(found):
    return next(one for one in found.sections if one.section is Section.KNOWLEDGE)


@pytest.fixture(scope="module")
def life(tmp_path_factory):
    """An export of the twelve weeks, made once."""
    folder, clock = tmp_path_factory.mktemp("life"), FrozenClock()
    with Glymph.open(
        f"sqlite:///{folder}/memory.db", clock=clock, embedder="none", reader="none"
    ) as glymph:
        live_on(glymph, clock)
        glymph.export(folder / "life.jsonl")
    return folder / "life.jsonl", clock.now


@pytest.fixture
def clock(life):
    return FrozenClock(life[1])


@pytest.fixture
def lived(url, clock, life):
    """A handle on a space with twelve weeks of recalls and reports."""
    with Glymph.open(url, clock=clock) as glymph:
        glymph.import_(life[0], space="default")
        yield glymph


def test_fit_finds_a_better_curve_and_changes_nothing(lived):
    before = logical_image(lived._ctx.store, "default")
    operations = len(lived.operations())
    found = lived.fit()
    one = knowledge(found)
    assert (one.better, one.before) == (True, Curve(0.2))
    assert one.after.scale < 0.5
    assert one.log_loss_after < one.log_loss_before
    assert (found.adopted, lived.fit()) == ((), found)
    assert [s.section for s in found.sections] == list(Section)
    assert logical_image(lived._ctx.store, "default") == before
    assert len(lived.operations()) == operations


def test_an_adopted_curve_is_how_every_reader_sees_the_memories(lived, clock):
    clock.advance(days=40)
    lived.clusters.create("all", rule={"kind": "note"})
    memory_id = lived.list(limit=1)[0].id
    before, health = lived.get(memory_id), lived.health()
    found = lived.fit(apply=True)
    assert found.adopted == (Section.KNOWLEDGE,)
    after = lived.get(memory_id)
    assert after.retrievability < before.retrievability
    assert after.stability == before.stability
    assert lived.health().dormant > health.dormant
    (cluster,) = lived.clusters()
    assert (cluster.active, cluster.weak, cluster.dormant) == (
        lived.health().active, lived.health().weak, lived.health().dormant,
    )  # fmt: skip
    told = {m.id: (m.retrievability, m.lifecycle) for m in lived.list()}
    assert told[memory_id] == (after.retrievability, after.lifecycle)
    assert {n["id"]: (n["retrievability"], n["lifecycle"]) for n in lived.graph().nodes} == told
    for hit in (
        *lived.search("harbour"),
        *lived.recall("harbour"),
        *lived.search("harbour", at=clock.now),
    ):
        assert (hit.memory.retrievability, hit.memory.lifecycle) == told[hit.memory.id]


def test_a_memory_is_active_for_its_stability_times_the_scale(lived, clock):
    curve = knowledge(lived.fit(apply=True)).after
    memory_id = lived.add("something new").id
    clock.advance(days=60.0 * curve.scale - 0.01)
    assert lived.get(memory_id).lifecycle == "ACTIVE"
    clock.advance(days=0.02)
    assert lived.get(memory_id).lifecycle == "WEAK"


def test_adopting_is_no_operation_and_keeps_the_store_sound(lived):
    before, operations = logical_image(lived._ctx.store, "default"), lived.operations()
    lived.fit(apply=True)
    assert logical_image(lived._ctx.store, "default") == before
    assert lived.operations() == operations
    assert lived.verify().ok


def test_reset_takes_adopted_curves_back(lived, clock):
    clock.advance(days=40)
    before = lived.list(), lived.health()
    lived.fit(apply=True)
    assert (lived.list(), lived.health()) != before
    found = lived.fit(reset=True)
    assert found.adopted == ()
    assert (lived.list(), lived.health()) == before
    assert lived.fit(reset=True) == found == lived.fit()


def test_adopting_again_without_new_reports_finds_nothing_better(lived):
    first = knowledge(lived.fit(apply=True))
    again = lived.fit(apply=True)
    assert knowledge(again).before == first.after
    assert not knowledge(again).better
    assert again.adopted == (Section.KNOWLEDGE,)


def test_another_space_keeps_its_own_curves(lived, url, clock):
    with Glymph.open(url, space="other", clock=clock) as other:
        memory_id = other.add("harbour lights").id
        clock.advance(days=50)
        before = other.get(memory_id)
        lived.fit(apply=True)
        assert other.get(memory_id) == before
        assert other.fit().adopted == ()
        hits = lived.search("harbour", spaces=["default", "other"], limit=50)
        assert next(hit.memory for hit in hits if hit.memory.id == memory_id) == before
        other.fit(reset=True)
        assert lived.fit().adopted == (Section.KNOWLEDGE,)


def test_an_export_carries_the_adopted_curves(lived, tmp_path, clock):
    clock.advance(days=30)
    lived.fit(apply=True)
    lived.export(tmp_path / "space.jsonl")
    with Glymph.open(f"sqlite:///{tmp_path}/elsewhere.db", space="copy", clock=clock) as copy:
        copy.import_(tmp_path / "space.jsonl", space="copy")
        assert copy.fit() == lived.fit()
        assert [m.retrievability for m in copy.list()] == [m.retrievability for m in lived.list()]
        assert copy.verify().ok
        copy.fit(reset=True)
        assert copy.fit().adopted == ()


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("curves", "decay", 1e-9),
        ("curves", "scale", 1e9),
        ("curves", "section", "ELSEWHERE"),
        ("recalls", "figures", '[["KNOWLEDGE", 1.0, 0.0]]'),
        ("recalls", "figures", '[["ELSEWHERE", 1.0, 60.0]]'),
        ("recalls", "figures", '[["KNOWLEDGE", 1e999, 60.0]]'),
        ("recalls", "figures", "[[]]"),
        ("recalls", "figures", "[7]"),
    ],
)
def test_an_import_takes_no_figures_that_a_fit_could_not_read(
    lived, tmp_path, table, column, value
):
    lived.fit(apply=True)
    lived.export(tmp_path / "space.jsonl")
    lines = (tmp_path / "space.jsonl").read_text().splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith(f'["{table}"'))
    name, row = json.loads(lines[at])
    lines[at] = json.dumps([name, {**row, column: value}])
    (tmp_path / "space.jsonl").write_text("\n".join(lines) + "\n")
    with pytest.raises(errors.InvalidInput, match="curve" if table == "curves" else "figures"):
        lived.import_(tmp_path / "space.jsonl", space="copy")


def test_a_use_is_worth_what_the_adopted_curve_says(lived, clock):
    """The more a memory had faded, the more its use strengthens it; the rule itself stays."""
    memory_id = lived.add("read on a plane").id
    clock.advance(days=30)
    lived.report(lived.recall("plane").id, used=[memory_id])
    plain = lived.get(memory_id).stability
    lived.undo(lived.operations(verb="report", limit=1)[0].id)
    lived.fit(apply=True)
    assert lived.get(memory_id).stability == 60.0
    lived.report(lived.recall("plane").id, used=[memory_id])
    assert lived.get(memory_id).stability > plain > 60.0


def shown(glymph):
    return {one.section: one.observations for one in glymph.fit().sections if one.observations}


def test_only_what_somebody_reported_on_is_learned_from(glymph):
    ids = [glymph.add(f"kestrel {word}").id for word in ("one", "two", "three")]
    glymph.recall("kestrel")
    glymph.report(glymph.recall("kestrel").id)
    assert shown(glymph) == {}
    glymph.recall("kestrel", reinforce=True)
    assert shown(glymph) == {}, "where all that is shown counts as used, nobody chose"
    glymph.report(
        glymph.recall("kestrel").id, used=ids[:1], confirmed=ids[1:2], contradicted=ids[2:]
    )
    assert shown(glymph) == {Section.KNOWLEDGE: 3}
    assert knowledge(glymph.fit()).used == 2


def test_what_does_not_fade_or_lives_elsewhere_is_not_learned_from(glymph, url, clock):
    with Glymph.open(url, space="other", clock=clock) as other:
        other.add("kestrel of another space")
    glymph.add("see a kestrel", kind="goal")
    note = glymph.add("kestrel seen").id
    found = glymph.recall("kestrel", spaces=["default", "other"])
    assert len(found) == 3
    glymph.report(found.id, used=[note])
    assert shown(glymph) == {Section.KNOWLEDGE: 1}


def test_too_little_says_what_is_missing_and_adopts_nothing(glymph):
    note = glymph.add("kestrel").id
    glymph.report(glymph.recall("kestrel").id, used=[note])
    found = glymph.fit(apply=True)
    assert knowledge(found).note == (
        "not enough yet: 1 of 100 observations, 1 of 10 used, 0 of 10 not used, 1 of 4 days"
    )
    assert found.adopted == ()
    with glymph._ctx.reading() as reader:
        assert reader.curves() == DEFAULT_CURVES


def test_adopting_and_resetting_at_once_is_refused(glymph):
    with pytest.raises(errors.InvalidInput, match="apply or reset"):
        glymph.fit(apply=True, reset=True)


def test_a_read_only_store_can_be_fitted_but_adopts_nothing(lived, url):
    expected = lived.fit()
    with Glymph.open(f"{url}?mode=ro") as reader:
        assert reader.fit() == expected
        with pytest.raises(errors.GlymphError):
            reader.fit(apply=True)

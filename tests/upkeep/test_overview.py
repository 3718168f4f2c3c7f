"""A space at a glance: counted by the database, and the same as what columns say."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

import pytest

from glymph import Glymph
from glymph.decay import lifecycle
from glymph.decay.lifecycle import Curve
from glymph.decay.sections import Section
from glymph.store import columns
from glymph.upkeep import overview

KINDS = ("signal", "event", "fact", "goal", "playbook", "recipe")


@pytest.fixture
def lived(url, clock):
    """A space with memories of every section at every stage, some used, some put away."""
    with Glymph.open(url, clock=clock) as memory:
        for week in range(40):
            memory.add_many([{"text": f"{kind} of week {week}", "kind": kind} for kind in KINDS])
            clock.advance(days=7)
        found = memory.list(limit=1000)
        memory.reinforce([one.id for one in found[::9]])
        memory.archive([one.id for one in found[3::11]])
        clock.advance(days=20)
        memory.delete([one.id for one in found[4::13]])
        yield memory


def test_the_database_counts_what_columns_count(lived):
    seen, health = overview.oversee(lived.context, weeks=26), lived.health()
    for stage in ("active", "weak", "dormant", "archived", "trashed"):
        assert getattr(seen, stage) == getattr(health, stage) > 0, stage
    assert seen.alive == health.live + health.dormant


def test_every_week_has_what_came_and_what_was_put_away(lived):
    flows = overview.oversee(lived.context, weeks=26).flows
    assert len(flows) == 26
    assert all(later.start - one.start == timedelta(days=7) for one, later in pairwise(flows))
    ours = lived.list(limit=1000, states=["LIVE", "ARCHIVED", "TRASHED"])
    assert sum(flow.added for flow in flows) == sum(
        one.created_at >= flows[0].start for one in ours
    )
    put_away = [flow.left for flow in flows if flow.left]
    assert len(put_away) == 2  # the archived ones, and three weeks later the deleted ones
    assert sum(put_away) == lived.health().archived + lived.health().trashed


def test_a_glance_reads_no_columns(lived, monkeypatch):
    monkeypatch.setattr(columns, "read", lambda reader: pytest.fail("every memory was read"))
    assert overview.oversee(lived.context, weeks=26).whole > 0


@pytest.mark.parametrize("curve", [Curve(0.1542), Curve(0.5, 0.3), Curve(1.2, 4.0)])
def test_a_stage_lasts_as_long_as_the_curve_says(curve):
    span = lifecycle.spans({Section.KNOWLEDGE: curve})[Section.KNOWLEDGE]
    day = 86_400_000_000

    def presence(idle):
        return lifecycle.retrievability(
            curves={Section.KNOWLEDGE: curve}, kinds=["fact"], sections=["KNOWLEDGE"],
            stability=[50.0], anchors=[0], now=round(50.0 * idle * day),
        )  # fmt: skip

    assert lifecycle.is_active(presence(span.active - 1e-9))
    assert not lifecycle.is_active(presence(span.active + 1e-7))
    assert lifecycle.is_awake(presence(span.awake - 1e-9))
    assert not lifecycle.is_awake(presence(span.awake + 1e-7))

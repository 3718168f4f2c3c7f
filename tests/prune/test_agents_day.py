"""What an agent may put away in a day, in however small steps."""

from __future__ import annotations

import pytest

from glymph import Glymph, errors


@pytest.fixture
def opened(url, clock):
    handles = []

    def open_as(actor, **settings):
        own = {"compare": "off", "agent_daily": 12, **settings}
        options = {"embedder": "none", "reader": "none", "settings": own}
        handles.append(Glymph.open(url, actor=actor, clock=clock, **options))
        return handles[-1]

    yield open_as
    for handle in handles:
        handle.close()


def told(glymph, count=40):
    return [one.id for one in glymph.add_many([f"Note {n} of the depot." for n in range(count)])]


@pytest.mark.parametrize("verb", ["delete", "archive"])
def test_small_steps_end_at_the_cap_of_the_day(opened, verb):
    agent = opened("agent")
    ids = told(agent)
    put_away = getattr(agent, verb)
    put_away(ids[:5])
    put_away(ids[5:10])
    with pytest.raises(errors.TooManyToday, match="agent_daily"):
        put_away(ids[10:15])
    assert put_away(ids[10:12]).succeeded == tuple(ids[10:12])
    assert len(agent.list(limit=100)) == 28


def test_ways_count_together_and_what_came_back_does_not(opened, clock):
    agent = opened("agent")
    ids = told(agent)
    agent.delete(ids[:5])
    back = agent.archive(ids[5:10])
    with pytest.raises(errors.TooManyToday):
        agent.delete(ids[10:15])
    agent.undo(back.operation_id)
    agent.delete(ids[10:15])
    clock.advance(days=1.01)
    assert len(agent.delete(ids[15:20]).succeeded) == 5


def test_confirming_it_oneself_changes_nothing(opened, clock):
    agent = opened("agent", agents_may_confirm="on")
    ids = told(agent)
    clock.advance(days=10)
    with pytest.raises(errors.TooManyToday):
        agent.batch_prune(ids[:20], "archive", confirm_large=True)
    assert len(agent.list(limit=100)) == 40


@pytest.mark.parametrize("other", ["agent:b", "agent-2", "agent", "agent:a:b"])
def test_another_name_gets_no_other_day(opened, other):
    agent = opened("agent:a")
    ids = told(agent)
    agent.delete(ids[:5])
    again = opened(other)
    again.delete(ids[5:10])
    with pytest.raises(errors.TooManyToday, match="agent_daily"):
        again.delete(ids[10:15])
    assert len(opened("agents are not meant").delete(ids[10:15]).succeeded) == 5


def test_a_person_is_not_bound_by_it(opened):
    told(opened("agent"))
    person = opened("user")
    ids = [memory.id for memory in person.list(limit=100)]
    for start in range(0, 40, 5):
        person.delete(ids[start : start + 5])
    assert len(person.list()) == 0


def test_lifecycle_in_an_agents_name_ends_at_its_day_and_goes_on_the_next(opened, clock):
    person, agent = opened("person"), opened("agent")
    ids = told(person, 30)
    clock.advance(days=10)
    assert len(person.delete(ids).succeeded) == 30
    clock.advance(days=60)
    assert [agent.lifecycle().purged for _ in range(2)] == [12, 0]
    clock.advance(days=1.01)
    assert agent.lifecycle().purged == 12
    clock.advance(days=1.01)
    assert agent.lifecycle().purged == 6
    assert not person.trash()

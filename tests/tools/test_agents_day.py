"""Every tool by which an agent hides or deletes counts towards its day."""

from __future__ import annotations

import pytest

from glymph import Glymph, errors
from glymph.tools import all_tools

DAILY = 6


@pytest.fixture
def opened(url, clock):
    handles = []

    def open_as(actor, **settings):
        own = {"compare": "off", "agent_daily": DAILY, **settings}
        options = {"embedder": "none", "reader": "none", "settings": own}
        handles.append(Glymph.open(url, actor=actor, clock=clock, **options))
        return handles[-1]

    yield open_as
    for handle in handles:
        handle.close()


def call(glymph, name, **arguments):
    tool = all_tools()[name]
    return tool.run(glymph, tool.arguments(**arguments))


def told(glymph, count=40):
    texts = [f"Note {n} of the depot." for n in range(count)]
    return [one.id for one in glymph.add_many(texts)]


def delete(agent, ids, clock):
    call(agent, "memory_delete", ids=ids)


def archive(agent, ids, clock):
    call(agent, "memory_delete", ids=ids, action="archive")


def prune_by_id(agent, ids, clock):
    call(agent, "batch_prune", node_ids=ids, action="archive", confirm_large=True)


def execute_prune(agent, ids, clock):
    call(agent, "execute_prune", node_ids=ids, reason="staleness")


def merge(agent, ids, clock):
    call(agent, "merge_memories", ids=ids, text=f"All of {', '.join(ids)}.")


def supersede(agent, ids, clock):
    for one in ids:
        call(agent, "memory_supersede", old=one, new_text=f"It is no longer as {one} says.")


def hide_by_link(agent, ids, clock):
    newer = agent.add(f"Newer than {ids[0]}.").id
    for one in ids:
        call(agent, "memory_link", source=newer, target=one, type="supersedes")


def expire(agent, ids, clock):
    for one in ids:
        call(agent, "memory_update", id=one, expires_at=clock().isoformat())


def reword(agent, ids, clock):
    for one in ids:
        call(agent, "memory_update", id=one, text=f"No word is left of {one}.")


def undo_what_upkeep_made(agent, ids, clock):
    made = agent.daemon.add_many([f"The depot learnt {n} of {ids[0]}." for n in range(len(ids))])
    call(agent, "undo_operation", operation_id=made[0].operation_id)


def undo_a_restore(agent, ids, clock):
    agent.person.archive(ids)
    back = agent.daemon.restore(ids)
    call(agent, "undo_operation", operation_id=back.operation_id)


WAYS = [
    delete, archive, prune_by_id, execute_prune, merge, supersede, hide_by_link, expire,
    reword, undo_what_upkeep_made, undo_a_restore,
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_every_way_to_hide_ends_at_the_cap_of_the_day(opened, clock, way):
    agent = opened("agent")
    agent.daemon, agent.person = opened("daemon"), opened("user")
    ids = told(agent.person)
    clock.advance(days=10)
    way(agent, ids[:3], clock)
    way(agent, ids[3:6], clock)
    before = {one.id for one in agent.list(limit=100)}
    with pytest.raises(errors.TooManyToday, match="agent_daily"):
        way(agent, ids[6:9], clock)
    assert {*ids[6:9]} <= before
    with pytest.raises(errors.TooManyToday):
        call(agent, "memory_delete", ids=[ids[20]])
    clock.advance(days=1.01)
    call(agent, "memory_delete", ids=[ids[20]])


def undo_all(agent, verb):
    for one in [done for done in agent.operations(limit=20) if done.verb == verb]:
        call(agent, "undo_operation", operation_id=one.id)


def test_rewording_what_is_new_does_not_count(opened, clock):
    agent = opened("agent")
    ids = told(agent)
    reword(agent, ids[:20], clock)
    clock.advance(days=10)
    reword(agent, ids[20:25], clock)
    undo_all(agent, "update")


def test_what_an_undo_took_back_was_reworded_all_the_same(opened, clock):
    """Or whoever undoes the undos has reworded more than a day holds."""
    agent, person = opened("agent"), opened("user")
    ids = told(person)
    clock.advance(days=10)
    reword(agent, ids[:DAILY], clock)
    undo_all(agent, "update")
    with pytest.raises(errors.TooManyToday):
        reword(agent, ids[DAILY : DAILY + 1], clock)
    undo_all(agent, "undo")
    changed = [one for one in person.list(limit=100) if one.text.startswith("No word")]
    assert len(changed) == DAILY


def test_an_agent_that_writes_its_name_otherwise_has_the_same_day(opened, clock):
    person = opened("user")
    ids = told(person)
    clock.advance(days=10)
    opened("Agent:scout").delete(ids[:3])
    opened("AGENT").delete(ids[3:6])
    with pytest.raises(errors.TooManyToday):
        opened("agent:scout").delete(ids[6:9])


def test_what_was_archived_before_and_is_trashed_counts(opened, clock):
    person, agent = opened("user"), opened("agent")
    ids = told(person)
    clock.advance(days=10)
    assert len(person.archive(ids[:20], reason="tidied").succeeded) == 20
    call(agent, "memory_delete", ids=ids[:5])
    with pytest.raises(errors.TooManyToday):
        call(agent, "memory_delete", ids=ids[5:10])


def test_a_request_to_forget_counts(opened, clock):
    person, agent = opened("user"), opened("agent")
    person.add_many([f"OPS-48213 was mentioned on day {n}." for n in range(DAILY + 1)])
    shown = call(agent, "forget_concept", request="OPS-48213")
    assert len(shown["actions"]) > DAILY
    with pytest.raises(errors.TooManyToday):
        call(agent, "forget_concept", plan=shown["plan_id"])
    assert len(person.list(limit=100)) == DAILY + 1


def test_an_answer_counts(opened, clock):
    person, agent = opened("user"), opened("agent")
    ids = told(person)
    agent.delete(ids[:5])
    agent.delete(ids[5])
    with agent.context.operation("add") as op:
        row = {"reason": "both", "raised_at": op.now, "expires_at": op.now + 10**12}
        question = {"id": agent.context.new_id(op.now), "older": ids[10], "newer": ids[11]}
        op.writer.insert("conflicts", [{**question, **row}])
    with pytest.raises(errors.TooManyToday):
        call(agent, "answer_question", id=question["id"], choice="new_is_current")


def test_what_came_back_does_not_count(opened):
    agent = opened("agent")
    ids = told(agent)
    agent.supersede(ids[0], "Note 0 is out of date.")
    agent.unsupersede(ids[0])
    newer = agent.add("Newer than note 1.").id
    agent.link(newer, ids[1], "supersedes")
    agent.unlink(newer, ids[1], "supersedes")
    agent.delete(ids[2:7])
    assert agent.delete(ids[7]).succeeded == (ids[7],)
    with pytest.raises(errors.TooManyToday):
        agent.delete(ids[8])


# large ones


def test_an_agent_does_not_confirm_a_large_prune_itself(opened, clock):
    person, agent = opened("user"), opened("agent", agent_daily=200)
    ids = told(person)
    clock.advance(days=10)
    with pytest.raises(errors.TooMany, match="agents_may_confirm"):
        call(agent, "batch_prune", node_ids=ids[:20], action="archive", confirm_large=True)
    assert len(person.list(limit=100)) == 40
    assert len(person.batch_prune(ids[:20], "archive", confirm_large=True).succeeded) == 20


def test_the_operator_may_let_it(opened, clock):
    person = opened("user")
    agent = opened("agent", agent_daily=200, agents_may_confirm="on")
    ids = told(person)
    clock.advance(days=10)
    with pytest.raises(errors.TooMany, match="confirm_large"):
        call(agent, "batch_prune", node_ids=ids[:20], action="archive")
    call(agent, "batch_prune", node_ids=ids[:20], action="archive", confirm_large=True)
    assert len(person.list(limit=100)) == 20

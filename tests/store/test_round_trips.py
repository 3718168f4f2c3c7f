"""How often a call waits for a PostgreSQL: counted on the line between the two, never timed."""

from __future__ import annotations

import threading

import psycopg
import pytest

from glymph import Glymph, errors
from glymph.config import Settings
from glymph.jobs.registry import all_jobs
from glymph.jobs.schedule import find_due
from glymph.store import foresight, open_store
from glymph.store.backends.postgresql import pipeline
from glymph.store.contract import Filter, NewestKey, NewKeys
from glymph.testing.builders import identity_row, intent, memory_row
from glymph.testing.embedders import WordEmbedder
from glymph.testing.round_trips import Messages, round_trips
from glymph.upkeep.leases import hold_lease

CHANGE = 2  # the lock with what is asked first; the change with its seal and the commit
OPERATION = 3  # a change that asks something before it ends: with it, then the seal and the commit
OPTIONS = {"embedder": "none", "reader": "none"}


@pytest.fixture
def line(empty_postgres_store):
    with round_trips(empty_postgres_store) as counter:
        yield counter


@pytest.fixture
def glymph(line, clock):
    with Glymph.open(line.url, clock=clock, **OPTIONS) as handle:
        for number in range(6):
            handle.add(f"The heron number {number} likes quiet ponds.")
        handle.search("heron")
        yield handle


@pytest.fixture
def ids(glymph):
    return [memory.id for memory in glymph.list(limit=10) if memory.kind != "self"]


@pytest.mark.parametrize(
    "change",
    [
        lambda glymph, ids: glymph.add("A mill stands by the river."),
        lambda glymph, ids: glymph.update(ids[0], text="The heron has moved to the lake."),
        lambda glymph, ids: glymph.archive(ids[0]),
        lambda glymph, ids: glymph.delete(ids[0]),
        lambda glymph, ids: glymph.pin(ids[0]),
        lambda glymph, ids: glymph.add_many([f"Text {n} of the lot." for n in range(40)]),
    ],
    ids=["add", "update", "archive", "delete", "pin", "add_many"],
)
def test_a_change_takes_two_round_trips(glymph, line, ids, change):
    assert line.of(lambda: change(glymph, ids)) <= CHANGE
    assert glymph.verify().ok


@pytest.mark.parametrize(
    "change",
    [
        lambda glymph, ids: glymph.link(ids[0], ids[1]),
        lambda glymph, ids: glymph.restore(ids[0]),
        lambda glymph, ids: glymph.add_many([f"Text {n} of the lot." for n in range(400)]),
    ],
    ids=["link", "restore", "add_many"],
)
def test_any_other_operation_takes_three_round_trips(glymph, line, ids, change):
    assert line.of(lambda: change(glymph, ids)) <= OPERATION


def test_what_an_agent_puts_away_is_counted_and_what_it_adds_need_not_be(line, glymph, ids):
    with Glymph.open(line.url, actor="agent", **OPTIONS) as agent:
        agent.get(ids[0])
        assert line.of(lambda: agent.archive(ids[0])) <= OPERATION
        assert line.of(lambda: agent.add("An agent adds a text.")) <= CHANGE


def test_an_add_with_its_vector_takes_two_round_trips(line):
    options = {"embedder": WordEmbedder(ms=0.1), "reader": "none", "settings": {"compare": "off"}}
    with Glymph.open(line.url, **options) as glymph:
        for text in ("The first makes the model.", "After the second nothing is new."):
            glymph.add(text)
            _await_background()
        assert line.of(lambda: glymph.add("This one has a vector, too.")) <= CHANGE
        _await_background()
        with glymph.context.reading() as reader:
            assert reader.count_unembedded(reader.model_key(*glymph.context.embedding.model)) == 0


def _await_background():
    for thread in threading.enumerate():
        if thread.name == "glymph-embed":
            thread.join(60)


@pytest.mark.parametrize("named", [False, True], ids=["newest", "by id"])
@pytest.mark.parametrize("verb", ["update", "archive", "delete", "pin"])
def test_an_undo_takes_three_round_trips(glymph, line, ids, verb, named):
    changes = {"text": "Other words."} if verb == "update" else {}
    done = getattr(glymph, verb)(ids[0], **changes)
    before = glymph.get(ids[1])
    told = done.operation_id if named else None
    assert line.of(lambda: glymph.undo(told)) <= OPERATION
    assert glymph.get(ids[0]).text.startswith("The heron")
    assert glymph.get(ids[0]).state == "LIVE"
    assert glymph.get(ids[1]) == before


def test_the_undo_of_an_add_asks_once_more_what_hangs_on_it(glymph, line):
    added = glymph.add("A mill stands by the river.")
    assert line.of(lambda: glymph.undo(added.operation_id)) <= OPERATION + 1
    with pytest.raises(errors.MemoryNotFound):
        glymph.get(added.id)


def test_the_newest_that_stands_is_undone_although_its_undo_was_undone(glymph, ids):
    """The server guesses which operation is meant; where it errs the reader finds out."""
    archived = glymph.archive(ids[0])
    undone = glymph.undo()
    glymph.undo(undone.operation_id)  # archived again
    assert glymph.undo().succeeded == (ids[0],)
    assert glymph.get(ids[0]).state == "LIVE"
    with pytest.raises(errors.AlreadyUndone):
        glymph.undo(archived.operation_id)


def test_a_search_takes_five_round_trips_and_reads_its_own_writes(glymph, line):
    """What is new, the words, the links, the hits, the end."""
    assert line.of(lambda: glymph.search("quiet ponds of the heron")) <= 5
    glymph.add("A mill stands by the river.")
    assert [hit.memory.text for hit in glymph.search("mill")] == ["A mill stands by the river."]


def test_reading_one_memory_takes_two_round_trips(glymph, line, ids):
    assert line.of(lambda: glymph.get(ids[0])) <= 2


def test_a_recall_is_logged_in_two_round_trips_more_and_reported_in_four(glymph, line):
    glymph.recall("heron")
    recalls = []
    assert line.of(lambda: recalls.append(glymph.recall("quiet ponds"))) <= 7
    shown = [hit.memory.id for hit in recalls[0].hits][:2]
    assert line.of(lambda: glymph.report(recalls[0].id, used=shown)) <= OPERATION + 1


def test_a_look_at_what_is_to_be_done_takes_two_round_trips_and_the_lease_five(glymph, line):
    find_due(glymph.context, all_jobs())  # writes down the first moments
    assert line.of(lambda: find_due(glymph.context, all_jobs())) <= 2

    def hold():
        with hold_lease(glymph.context) as held:
            assert held is not None

    assert line.of(hold) <= 5  # taken in three, given back in two


def test_the_size_of_a_store_is_not_measured_at_every_look(glymph, line):
    measured = glymph.context.store.recent_size()
    assert line.of(lambda: glymph.context.store.recent_size()) == 0
    assert glymph.context.store.recent_size() == measured > 0


def test_a_connection_that_is_idle_is_not_asked_whether_it_lives(line):
    store = open_store(line.url, Settings())
    store.create_space("one", intent(), identity_row("one"))

    def read():
        with store.reading("one") as reader:
            reader.kinds()

    read()
    assert line.of(read) == 2
    store.close()


# what waits


@pytest.fixture
def store(empty_postgres_store):
    opened = open_store(empty_postgres_store, Settings())
    opened.create_space("one", intent(), identity_row("one"))
    yield opened
    opened.close()


def test_a_refusal_of_what_waits_is_raised_and_nothing_is_written(store):
    nowhere = {"source": 10**9, "target": 10**9 + 1}
    wrong = {**nowhere, "type": "related_to", "weight": 1.0, "created_at": 1}

    def write():
        with store.writing("one", intent()) as writer:
            writer.insert("memories", [memory_row(text="goes with it")])
            writer.insert("edges", [wrong])

    with pytest.raises(errors.Isolated):
        write()
    with store.reading("one") as reader:
        assert [row["kind"] for row in reader.page(Filter(kinds=["self"]), before=None, limit=9)]
        assert reader.operation_count() == 1


def test_a_space_that_is_not_there_is_missed_even_if_nothing_is_asked(store):
    with pytest.raises(errors.SpaceNotFound), store.reading("two"):
        pass
    with pytest.raises(errors.SpaceNotFound), store.reading("two") as reader:
        reader.kinds()


def test_what_was_foreseen_is_asked_again_once_it_was_written_to(store):
    ahead = [foresight.counter("n"), foresight.counter("m"), NewestKey("memories")]
    with store.writing("one", intent(), ahead=ahead) as writer:
        assert writer.counter("n") is None
        writer.set_counter("n", 4)
        assert writer.counter("n") == 4
        newest = writer.highest_key()
        writer.insert("memories", [memory_row()])
        assert writer.highest_key() > newest
        assert writer.knows_any(["no such hash"]) is False


def test_keys_drawn_ahead_are_given_out_once(store):
    with store.writing("one", intent(), ahead=[NewKeys("memories", 3)]) as writer:
        two, more = writer.new_keys("memories", 2), writer.new_keys("memories", 5)
    assert len({*two, *more}) == 7
    assert max(two) < min(more)


def test_what_is_foreseen_sees_who_wrote_while_the_lock_was_waited_for(store):
    """A statement of its own each: the one that waits for the lock does not see what is new."""
    seen, holding = [], threading.Event()

    def second():
        holding.wait(60)
        with store.writing("one", intent(), ahead=[foresight.counter("n")]) as writer:
            seen.append(writer.counter("n"))

    other = threading.Thread(target=second)
    other.start()
    with store.writing("one", intent()) as writer:
        holding.set()
        other.join(0.3)  # it waits for the lock by now, or will
        writer.set_counter("n", 7)
    other.join(60)
    assert seen == [7]


def test_a_connection_prepares_only_so_much(store, monkeypatch):
    monkeypatch.setattr(pipeline, "MOST_PREPARED", 5)
    with store.reading("one") as reader:
        for number in range(20):
            sql = f"SELECT CAST(:n AS bigint) + {number}"
            assert reader._session.tuples(sql, {"n": 1}) == [(1 + number,)]
        assert reader._session.tuples("SELECT count(*) FROM pg_prepared_statements", {})[0][0] <= 7


def test_a_statement_that_fails_to_parse_is_not_taken_for_prepared(store):
    for _ in range(2):
        with pytest.raises(errors.StoreError), store.reading("one") as reader:
            reader._session.tuples("SELECT nothing_like_that", {})
    with store.reading("one") as reader:
        assert reader.kinds() == ["self"]


def test_a_connection_whose_server_process_was_ended_is_replaced(store, empty_postgres_store):
    with store.reading("one") as reader:
        (own,) = reader._session.tuples("SELECT pg_backend_pid()", {})[0]
    with psycopg.connect(empty_postgres_store, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", (own,))
    with store.reading("one") as reader:
        assert reader.kinds() == ["self"]


# the counter itself


def test_messages_are_counted_however_they_are_cut():
    def message(kind, body=b""):
        return kind + (len(body) + 4).to_bytes(4, "big") + body

    sent = message(b"", bytes(8)) + message(b"Q", b"SELECT 1\0") + message(b"P", b"S" * 40)
    sent += message(b"B", b"HQS") + message(b"S") + message(b"H")
    whole, pieces = Messages(), Messages()
    assert whole.feed(sent) == 3
    assert sum(pieces.feed(sent[at : at + 1]) for at in range(len(sent))) == 3

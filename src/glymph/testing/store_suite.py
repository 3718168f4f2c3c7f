"""Every obligation of the store contract as a test. An engine's test class inherits it and names a
URL.

class TestMyEngine(StoreSuite):
    @pytest.fixture
    def url(self, tmp_path):
        return f"myengine:///{tmp_path}/store"
"""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from glymph import errors
from glymph.config import Settings
from glymph.decay.lifecycle import DEFAULT_CURVES, Curve
from glymph.decay.sections import Section
from glymph.store import open_store
from glymph.store.contract import Filter
from glymph.store.journal import Restoration
from glymph.store.records import memories
from glymph.store.store import Store
from glymph.testing.builders import identity_row, intent, memory_row
from glymph.testing.clock import START
from glymph.testing.conversation_suite import ConversationSuite
from glymph.testing.due_suite import DueSuite
from glymph.testing.images import logical_image
from glymph.testing.recall_suite import RecallSuite
from glymph.testing.store_ground import A, B
from glymph.text.query import Words


class StoreSuite(RecallSuite, DueSuite, ConversationSuite):
    """Inherit, provide `url`, and every test below runs against your engine."""

    # one transaction, one operation, one journal

    def test_a_change_is_journalled_with_the_old_values_of_what_changed(self, store: Store) -> None:
        row = self.add(store, text="before")
        with store.writing(A, intent("update")) as writer:
            writer.change("memories", {row["key"]: {"title": "after", "version": 2}})
            key = writer.operation_key
        with store.reading(A) as reader:
            (entry,) = reader.entries([key])
        assert (entry.table, entry.key, entry.action) == ("memories", row["key"], "update")
        assert entry.image == {"title": "before", "version": 1}

    def test_a_change_that_changes_nothing_leaves_no_journal_row(self, store: Store) -> None:
        row = self.add(store, text="same")
        with store.writing(A, intent("update")) as writer:
            writer.change("memories", {row["key"]: {"title": row["title"]}})
            key = writer.operation_key
        with store.reading(A) as reader:
            assert reader.entries([key]) == []

    def test_a_removal_is_journalled_with_the_whole_row(self, store: Store) -> None:
        row = self.add(store, text="short life")
        with store.writing(A, intent("undo")) as writer:
            writer.remove("memories", [row["key"]])
            key = writer.operation_key
        with store.reading(A) as reader:
            (entry,) = reader.entries([key])
        assert entry.action == "delete"
        assert entry.image == {name: row[name] for name in row if name not in ("key", "space_id")}

    def test_journalled_tables_cannot_change_outside_an_operation(self, store: Store) -> None:
        before = logical_image(store, A)
        with pytest.raises(errors.Refused), store.writing(A, None) as writer:
            writer.insert("memories", [memory_row()])
        assert logical_image(store, A) == before

    def test_an_exception_takes_back_the_whole_transaction(self, store: Store) -> None:
        before = logical_image(store, A)
        with store.reading(A) as reader:
            operations = reader.operation_count()
        with pytest.raises(RuntimeError), store.writing(A, intent("add")) as writer:
            writer.insert("memories", [memory_row() for _ in range(3)])
            raise RuntimeError("half way")
        assert logical_image(store, A) == before
        with store.reading(A) as reader:
            assert reader.operation_count() == operations

    def test_an_operation_is_sealed_and_counted(self, store: Store) -> None:
        head = intent("add")
        with store.writing(A, head) as writer:
            writer.insert("memories", [memory_row(), memory_row()])
        with store.reading(A) as reader:
            row = reader.operation(head.id)
        assert row is not None
        assert (row["changes"], row["edits"], len(row["hash"])) == (2, 2, 64)

    def test_a_parent_counts_what_its_children_did(self, store: Store) -> None:
        head = intent("add")
        parent = store.open_parent(A, head)
        for _ in range(3):
            with store.writing(A, intent("add", parent=parent)) as writer:
                writer.insert("memories", [memory_row(), memory_row()])
        store.close_parent(A, parent)
        with store.reading(A) as reader:
            row = reader.operation(head.id)
            assert row is not None
            assert (row["changes"], row["edits"]) == (6, 6)
            assert len(reader.operations(limit=10, children_of=parent)) == 3

    def test_moved_memories_count_once_until_an_undo_brings_them_back(self, store: Store) -> None:
        rows = [self.add(store) for _ in range(3)]
        parent = store.open_parent(A, intent("garden"))
        for number, row in enumerate(rows):
            with store.writing(A, intent("garden", parent=parent)) as writer:
                assert writer.changed_by("garden", 0) == number
                writer.set_state([row["key"]], state="ARCHIVED", at=1, by="garden")
                writer.bump([other["key"] for other in rows])
        store.close_parent(A, parent)
        undo = intent("undo", undoes=parent)
        with store.writing(A, undo) as writer:
            assert (writer.changed_by("garden", 0), writer.changed_by("prune", 0)) == (3, 0)
            assert writer.changed_by("garden", writer.intent.at) == 0
            writer.set_state([rows[0]["key"]], state="LIVE", at=1, by="undo")
        with store.writing(A, intent("undo", undoes=writer.operation_key)) as again:
            assert again.changed_by("garden", 0) == 2
            again.set_state([rows[0]["key"]], state="ARCHIVED", at=1, by="garden")
        with store.reading(A) as reader, store.reading(B) as theirs:
            assert (reader.changed_by("garden", 0), theirs.changed_by("garden", 0)) == (3, 0)

    def test_what_was_acknowledged_is_there_after_reopening(self, store: Store, url: str) -> None:
        row = self.add(store, text="still here")
        again = open_store(url, Settings())
        with again.reading(A) as reader:
            assert reader.memory(row["id"]) == row
        again.close()

    # protection, pins, isolation: refused by the engine itself

    def test_the_identity_can_be_edited_but_never_moved_or_removed(self, store: Store) -> None:
        with store.reading(A) as reader:
            identity = reader.identity()
        key = identity["key"]
        for state in ("ARCHIVED", "TRASHED"):
            with pytest.raises(errors.Protected), store.writing(A, intent("archive")) as writer:
                writer.set_state([key], state=state, at=1, by="archive")
        newer = self.add(store)
        for change in ({"superseded_by": newer["id"]}, {"protected": 0}, {"kind": "note"}):
            with pytest.raises(errors.Protected), store.writing(A, intent("update")) as writer:
                writer.change("memories", {key: change})
        for verb in ("purge", "undo", "delete"):
            with pytest.raises(errors.Protected), store.writing(A, intent(verb)) as writer:
                writer.remove("memories", [key])
        with store.writing(A, intent("update")) as writer:
            writer.change("memories", {key: {"title": "me"}})
        with store.reading(A) as reader:
            assert reader.identity() == {**identity, "title": "me"}

    def test_a_space_has_exactly_one_identity(self, store: Store) -> None:
        with pytest.raises(errors.Refused), store.writing(A, intent("add")) as writer:
            writer.insert("memories", [identity_row("impostor")])

    def test_a_pinned_memory_moves_only_after_it_is_unpinned(self, store: Store) -> None:
        row = self.add(store, pinned=1)
        with pytest.raises(errors.Pinned), store.writing(A, intent("archive")) as writer:
            writer.set_state([row["key"]], state="ARCHIVED", at=1, by="archive")
        with pytest.raises(errors.Pinned), store.writing(A, intent("unpin and archive")) as writer:
            writer.change("memories", {row["key"]: {"state": "TRASHED", "pinned": 0}})
        newer = self.add(store)
        with pytest.raises(errors.Pinned), store.writing(A, intent("supersede")) as writer:
            writer.change("memories", {row["key"]: {"superseded_by": newer["id"]}})
        with pytest.raises(errors.Pinned), store.writing(A, intent("purge")) as writer:
            writer.remove("memories", [row["key"]])
        with store.writing(A, intent("unpin")) as writer:
            writer.change("memories", {row["key"]: {"pinned": 0}})
            writer.set_state([row["key"]], state="ARCHIVED", at=1, by="archive")
        with store.reading(A) as reader:
            found = reader.memory(row["id"])
        assert found is not None
        assert found["state"] == "ARCHIVED"

    def test_one_refused_row_keeps_the_whole_batch_where_it_was(self, store: Store) -> None:
        rows = [self.add(store), self.add(store, pinned=1), self.add(store)]
        with pytest.raises(errors.Pinned), store.writing(A, intent("archive")) as writer:
            writer.set_state([row["key"] for row in rows], state="ARCHIVED", at=1, by="archive")
        with store.reading(A) as reader:
            assert {row["state"] for row in reader.memories(r["id"] for r in rows).values()} == {
                "LIVE"
            }

    def test_a_space_sees_nothing_of_another(self, store: Store) -> None:
        ours, theirs = (
            self.add(store, A, text="shared word"),
            self.add(store, B, text="shared word"),
        )
        other = self.add(store, B, text="another shared word")
        self.connect(store, theirs, other, B)
        with store.reading(A) as reader:
            assert reader.memory(theirs["id"]) is None
            assert reader.memories([ours["id"], theirs["id"]]).keys() == {ours["id"]}
            assert [key for key, _ in reader.match(Words(("shared",)), Filter(), limit=9)] == [
                ours["key"]
            ]
            assert [row["id"] for row in reader.page(Filter(), before=None, limit=9)] == [
                ours["id"]
            ]
            assert list(reader.by_content([theirs["content_hash"]]).values()) == [ours]
            assert reader.edges() == []
            assert reader.edges(of=theirs["id"]) == []
            assert reader.rows([("memories", theirs["key"])]) == {}
            assert reader.entries_after([("memories", theirs["key"])], 0) == []
            assert reader.history(theirs["key"]) == []

    def test_a_write_into_another_space_is_refused_or_changes_nothing(self, store: Store) -> None:
        ours, theirs = self.add(store, A), self.add(store, B)
        before = logical_image(store, B)
        with store.writing(A, intent("archive")) as writer:
            writer.set_state([theirs["key"]], state="ARCHIVED", at=1, by="archive")
            writer.change("memories", {theirs["key"]: {"title": "stolen"}})
            writer.remove("memories", [theirs["key"]])
            writer.bump([theirs["key"]])
        with pytest.raises(errors.Isolated):
            self.connect(store, ours, theirs)
        with pytest.raises(errors.Isolated):
            self.connect(store, theirs, ours)
        assert logical_image(store, B) == before

    def test_no_row_moves_to_another_space_by_an_update(self, store: Store) -> None:
        row, theirs = self.add(store), self.add(store, B)
        with store.writing(A, intent("make")) as writer:
            writer.insert("clusters", [{"id": "c", "name": "c", "rule": None, "created_at": 1}])
            writer.insert("pages", [{"name": "p", "text": "ours", "updated_at": 1}])
            cluster = writer.clusters()[0]["key"]
            writer.insert(
                "memberships", [{"cluster": cluster, "memory": row["key"], "added_at": 1}]
            )
            membership, page = writer.memberships()[0]["key"], (writer.page_text("p") or {})["key"]
        for table, key, change in (
            ("memories", row["key"], {"space_id": theirs["space_id"]}),
            ("clusters", cluster, {"space_id": theirs["space_id"]}),
            ("pages", page, {"space_id": theirs["space_id"]}),
            ("memberships", membership, {"memory": theirs["key"]}),
            ("memories", row["key"], {"superseded_by": theirs["id"]}),
        ):
            with pytest.raises(errors.Refused), store.writing(A, intent("move")) as writer:
                writer.change(table, {key: change})

    def test_a_refused_call_leaves_the_store_as_usable_as_before(self, store: Store) -> None:
        ours, theirs = self.add(store, A), self.add(store, B)
        for _ in range(2):
            for space in (A, B):
                with pytest.raises(ZeroDivisionError), store.reading(space) as reader:
                    reader.memory(ours["id"])
                    _ = 1 / 0
                with pytest.raises(ZeroDivisionError), store.writing(space, intent("x")) as writer:
                    writer.memory(ours["id"])
                    _ = 1 / 0
            with store.reading(A) as reader:
                assert [row["id"] for row in reader.page(Filter(), before=None, limit=9)] == [
                    ours["id"]
                ]
            with store.reading(B) as reader:
                assert [row["id"] for row in reader.page(Filter(), before=None, limit=9)] == [
                    theirs["id"]
                ]

    def test_a_link_joins_two_different_memories_once(self, store: Store) -> None:
        a, b = self.add(store), self.add(store)
        with pytest.raises(errors.Refused):
            self.connect(store, a, a)
        self.connect(store, a, b)
        with pytest.raises(errors.Refused):
            self.connect(store, a, b)
        self.connect(store, b, a)

    def test_a_linked_memory_cannot_vanish_from_under_its_links(self, store: Store) -> None:
        a, b = self.add(store), self.add(store)
        self.connect(store, a, b)
        with pytest.raises(errors.Refused), store.writing(A, intent("undo")) as writer:
            writer.remove("memories", [b["key"]])

    # reading

    def test_a_reader_keeps_seeing_what_it_saw_first(self, store: Store) -> None:
        row = self.add(store, text="early")
        with store.reading(A) as reader:
            assert reader.memory(row["id"]) is not None
            late = self.add(store, text="late")
            assert reader.memory(late["id"]) is None
        with store.reading(A) as reader:
            assert reader.memory(late["id"]) is not None

    def test_full_text_follows_every_change_of_a_memory(self, store: Store) -> None:
        row = self.add(store, text="the quick brown fox")

        def found(word: str) -> int:
            with store.reading(A) as reader:
                return len(
                    reader.match(Words((word,)), Filter(states=("LIVE", "ARCHIVED")), limit=5)
                )

        assert (found("brown"), found("lazy")) == (1, 0)
        with store.writing(A, intent("update")) as writer:
            writer.change("memories", {row["key"]: {"text": "the lazy dog"}})
        assert (found("brown"), found("lazy")) == (1, 1)  # the title still says brown
        with store.writing(A, intent("update")) as writer:
            writer.change("memories", {row["key"]: {"title": "the lazy dog"}})
        assert (found("brown"), found("lazy")) == (0, 1)
        with store.writing(A, intent("archive")) as writer:
            writer.set_state([row["key"]], state="ARCHIVED", at=1, by="archive")
        assert found("lazy") == 1
        with store.writing(A, intent("undo")) as writer:
            writer.remove("memories", [row["key"]])
        assert found("lazy") == 0
        assert store.check() == []

    def test_listing_goes_newest_first_in_pages(self, store: Store) -> None:
        ids = [self.add(store)["id"] for _ in range(5)]
        with store.reading(A) as reader:
            first = reader.page(Filter(), before=None, limit=3)
            second = reader.page(Filter(), before=first[-1]["key"], limit=3)
        assert [row["id"] for row in first + second] == ids[::-1]

    def test_filters_narrow_a_listing(self, store: Store) -> None:
        tagged = self.add(store, tags=json.dumps(["x", "y"]), kind="lesson")
        dated = self.add(store, event_at=5, section="EPISODIC", kind="event")
        replaced = self.add(store, superseded_by=tagged["id"])

        def ids(**filters: Any) -> set[str]:
            with store.reading(A) as reader:
                return {row["id"] for row in reader.page(Filter(**filters), before=None, limit=9)}

        assert ids() == {tagged["id"], dated["id"]}
        assert ids(include_superseded=True) == {tagged["id"], dated["id"], replaced["id"]}
        assert ids(tags=["x", "y"]) == ids(kinds=["lesson"]) == {tagged["id"]}
        assert ids(tags=["x", "z"]) == set()
        assert ids(until=5) == ids(sections=["EPISODIC"]) == {dated["id"]}
        assert len(ids(kinds=["self"])) == 1

    # undo's tools

    def test_rows_are_put_back_bit_for_bit(self, store: Store) -> None:
        a, b = self.add(store, stability=0.1 + 0.2), self.add(store)
        self.connect(store, a, b)
        before = logical_image(store, A)
        edge = next(key for table, key in before if table == "edges")
        with store.writing(A, intent("wipe")) as writer:
            writer.remove("edges", [edge])
            writer.remove("memories", [a["key"]])
            writer.change("memories", {b["key"]: {"title": "changed"}})
        with store.writing(A, intent("undo")) as writer:
            writer.put_back(
                [
                    Restoration("edges", edge, False, before["edges", edge]),
                    Restoration("memories", a["key"], False, before["memories", a["key"]]),
                    Restoration("memories", b["key"], True, {"title": b["title"]}),
                ]
            )
        assert logical_image(store, A) == before

    def test_a_removed_key_is_never_given_out_again(self, store: Store) -> None:
        row = self.add(store)
        with store.writing(A, intent("undo")) as writer:
            writer.remove("memories", [row["key"]])
        assert self.add(store)["key"] > row["key"]

    # upkeep survives a restart

    def test_counters_schedules_plans_and_budgets_survive_a_restart(
        self, store: Store, url: str
    ) -> None:
        with store.writing(A, None) as writer:
            writer.set_counter("sessions", 4)
            writer.set_counter("sessions", 5)
            writer.set_schedule("lifecycle", due_at=10, last_run_at=3, outcome="ok")
            call = {
                "job": "j",
                "model": "m",
                "run": "r",
                "tokens_in": 1,
                "tokens_out": 2,
                "assumed": 0,
            }
            first = writer.reserve({**call, "at": 7, "cost_usd": 0.75})
            writer.settle(first, tokens_in=3, tokens_out=4, cost_usd=0.25, outcome="answered")
            writer.settle(first, tokens_in=9, tokens_out=9, cost_usd=9.0, outcome="failed")
            writer.reserve({**call, "at": 9, "run": "s", "cost_usd": 0.5})
            writer.set_transcript("t", head="h", offset=10, at=1)
            writer.set_transcript("t", head="h", offset=20, at=2)
            writer.keep_surface(1500, "digest", change=3, until=9)
            writer.save_plan({"id": "p1", "created_at": 1, "expires_at": 2, "body": "{}"})
        with store.writing(A, intent("forget")) as writer:
            writer.bury(["f1", "f2", "f1"], at=1)
            writer.bury(["f1"], at=2)
        again = open_store(url, Settings())
        with again.reading(A) as reader:
            assert reader.counter("sessions") == 5
            assert reader.counter("unknown") is None
            assert reader.schedule("lifecycle") == {
                "job": "lifecycle", "due_at": 10, "last_run_at": 3, "outcome": "ok",
            }  # fmt: skip
            assert [(s.usd, s.tokens) for s in map(reader.spent, (0, 8, 10))] == [
                (0.75, 10),
                (0.5, 3),
                (0.0, 0),
            ]
            assert (reader.spent_by("r").usd, reader.spent_by("other").usd) == (0.25, 0.0)
            assert [call["outcome"] for call in reader.calls(0)] == ["answered", "reserved"]
            assert reader.transcript("t") == {"head": "h", "offset": 20, "read_at": 2}
            assert reader.surface(1500) == {"change": 3, "until": 9, "text": "digest"}
            assert reader.plan("p1") is not None
            assert [(t["fingerprint"], t["created_at"]) for t in reader.tombstones()] == [
                ("f1", 1),
                ("f2", 1),
            ]
            assert reader.has_tombstones()
            assert [t["fingerprint"] for t in reader.tombstones_with(["f3", "f2"])] == ["f2"]
        with again.reading(B) as reader:
            assert reader.counter("sessions") is None
            assert reader.spent(0).usd == 0.0
            assert (reader.transcript("t"), reader.surface(1500), reader.calls(0)) == (
                None,
                None,
                [],
            )
            assert not reader.has_tombstones()
            assert reader.tombstones_with(["f1"]) == []
        again.close()

    def test_a_queued_job_goes_on_where_it_stopped_until_it_is_done_or_given_up(
        self, store: Store
    ) -> None:
        with store.writing(A, None) as writer:
            for job in ("j1", "j2", "j1"):
                writer.enqueue({"id": job, "job": "end", "payload": "{}", "at": 1})
            assert [row["id"] for row in writer.waiting_jobs(10)] == ["j1", "j2"]
            writer.attempt("j1")
            writer.advance("j1", step="extract", report='{"extract": 1}')
        with store.writing(A, None) as writer:
            found = writer.waiting_jobs(10)[0]
            assert (found["step"], found["attempts"], found["report"]) == (
                "extract",
                1,
                '{"extract": 1}',
            )
            writer.rest("j1", until=20)
            assert [row["id"] for row in writer.waiting_jobs(19)] == ["j2"]
            assert writer.queue_state(19) == {"waiting": 2, "resting": 1, "oldest_at": 1}
            writer.done("j1", at=5)
            writer.give_up("j2", at=6, report="{}")
            writer.enqueue({"id": "j1", "job": "end", "payload": "{}", "at": 9})
            assert writer.waiting_jobs(10) == []
            assert [row["id"] for row in writer.failed_jobs(limit=9)] == ["j2"]
            writer.drop_finished_jobs(5)
            assert writer.job("j1") is None
        with store.reading(B) as reader:
            assert (reader.waiting_jobs(10), reader.failed_jobs(limit=9), reader.job("j2")) == (
                [],
                [],
                None,
            )

    def test_one_holder_at_a_time_has_the_lease_and_an_earlier_one_cannot_write(
        self, store: Store
    ) -> None:
        row = self.add(store)
        with store.writing(A, None) as writer:
            first = writer.take_lease("one", now=0, until=30)
            assert first is not None
            assert writer.take_lease("two", now=29, until=59) is None
            assert writer.renew_lease(first, until=40)
            assert writer.take_lease("two", now=39, until=69) is None
        with store.writing(A, None, fence=first) as writer:
            writer.set_counter("n", 1)
        with store.writing(A, None) as writer:
            second = writer.take_lease("two", now=40, until=70)
            assert second is not None
            assert second > first
            assert not writer.renew_lease(first, until=99)
        before = logical_image(store, A)
        with (
            pytest.raises(errors.LeaseLost),
            store.writing(A, intent("lifecycle"), fence=first) as writer,
        ):
            writer.set_state([row["key"]], state="ARCHIVED", at=1, by="lifecycle")
        with pytest.raises(errors.LeaseLost), store.writing(A, None, fence=first) as writer:
            writer.set_counter("n", 2)
        with pytest.raises(errors.LeaseLost):
            store.open_parent(A, intent("lifecycle"), fence=first)
        assert logical_image(store, A) == before
        with store.writing(A, None, fence=second) as writer:
            assert writer.counter("n") == 1
        with store.writing(B, None) as writer:
            assert writer.lease() is None
            assert writer.take_lease("three", now=0, until=30) is not None

    def test_nobody_writes_under_a_lease_that_was_never_given_out(self, store: Store) -> None:
        with pytest.raises(errors.LeaseLost), store.writing(A, None, fence=7) as writer:
            writer.set_counter("n", 1)

    def test_the_recall_log_is_bounded(self, store: Store) -> None:
        for number in range(7):
            with store.writing(A, None) as writer:
                row = {
                    "id": f"r{number}",
                    "at": number,
                    "actor": "a",
                    "session": None,
                    "query": "q",
                    "shown": "[]",
                    "figures": "[]",
                }
                writer.log_recall(row, keep=5)
        with store.reading(A) as reader:
            assert [row["id"] for row in reader.recalls(limit=99)] == ["r6", "r5", "r4", "r3", "r2"]
            assert reader.recall("r0") is None

    # moving

    def test_a_dumped_space_loads_elsewhere_and_dumps_the_same(self, store: Store) -> None:
        a, b = self.add(store), self.add(store)
        self.connect(store, a, b)
        with store.writing(A, intent("unlink")) as writer:
            writer.remove("edges", [row["key"] for row in writer.edges()])
        self.add(store, B)
        rows = list(store.dump(A))
        highest = {"memories": b["key"], "edges": 9, "operations": 99}
        assert list(store.load("copy", iter(rows), highest=highest, chunk=3))[-1] == len(rows)
        assert list(store.dump("copy")) == rows
        assert store.check() == []

    def test_writers_of_other_spaces_do_not_disturb_a_load(self, store: Store) -> None:
        for _ in range(4):
            self.add(store)
        rows = list(store.dump(A))
        highest = {"memories": 99, "operations": 99}
        for _ in store.load("copy", iter(rows), highest=highest, chunk=2):
            self.add(store, B)
        assert list(store.dump("copy")) == rows

    def test_a_load_that_fails_leaves_nothing_behind(self, store: Store) -> None:
        rows = [*store.dump(A), ("memories", {"key": 1, "id": "broken"})]
        with pytest.raises(errors.GlymphError):
            list(store.load("copy", iter(rows), highest={}, chunk=1))
        assert [row["name"] for row in store.spaces()] == [A, B]
        assert store.check() == []

    def test_a_space_is_renamed_and_removed_whole(self, store: Store) -> None:
        row = self.add(store)
        store.rename_space(A, "gamma")
        with store.reading("gamma") as reader:
            assert reader.memory(row["id"]) == row
        with pytest.raises(errors.SpaceNotFound), store.reading(A):
            pass
        with pytest.raises(errors.InvalidInput):
            store.rename_space("gamma", B)
        before = logical_image(store, B)
        assert list(store.delete_space("gamma"))[-1] > 0
        assert [space["name"] for space in store.spaces()] == [B]
        assert logical_image(store, B) == before
        assert store.check() == []

    def test_creating_a_space_twice_keeps_the_first(self, store: Store) -> None:
        with store.reading(A) as reader:
            identity = reader.identity()
        store.create_space(A, intent("create_space"), identity_row(A))
        with store.reading(A) as reader:
            assert reader.identity() == identity

    # many at once

    def test_threads_write_and_read_at_once_without_loss(self, store: Store) -> None:
        failures: list[BaseException] = []
        written: list[str] = []

        def work(number: int) -> None:
            try:
                for _ in range(10):
                    row = self.add(store, (A, B)[number % 2])
                    with store.reading((A, B)[number % 2]) as reader:
                        reader.page(Filter(), before=None, limit=50)
                    written.append(row["id"])
            except BaseException as error:  # noqa: BLE001  a thread's failure must reach the test
                failures.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        present: set[str] = set()
        for space in (A, B):
            with store.reading(space) as reader:
                present |= {row["id"] for row in reader.page(Filter(), before=None, limit=999)}
        assert set(written) == present
        assert len(written) == 60
        assert store.check() == []

    def test_rows_become_memories_with_their_presence_at_a_moment(self, store: Store) -> None:
        row = self.add(store)
        with store.reading(A) as reader:
            (memory,) = memories([row], reader, START)
        assert (memory.id, memory.retrievability, memory.lifecycle.value) == (
            row["id"],
            1.0,
            "ACTIVE",
        )

    def test_adopted_curves_are_a_spaces_own_until_they_are_dropped(self, store: Store) -> None:
        faster, slower = {Section.SIGNALS: Curve(0.5, 0.5)}, {Section.SIGNALS: Curve(0.4, 2.0)}
        for adopted in (faster, slower):
            with store.writing(A, None) as writer:
                writer.adopt_curves(adopted, at=1)
                assert writer.curves() == {**DEFAULT_CURVES, **adopted}
        with store.reading(A) as ours, store.reading(B) as theirs:
            assert ours.curves() == {**DEFAULT_CURVES, **slower}
            assert theirs.curves() == DEFAULT_CURVES
        with store.writing(A, None) as writer:
            writer.drop_curves()
            assert writer.curves() == DEFAULT_CURVES

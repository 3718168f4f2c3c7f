"""Every obligation of the store contract as a test.

The test class of a database inherits it and names a URL:

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
from glymph.testing.isolation_suite import IsolationSuite
from glymph.testing.recall_suite import RecallSuite
from glymph.testing.store_ground import A, B
from glymph.testing.upkeep_suite import UpkeepSuite
from glymph.text.query import Words


class StoreSuite(IsolationSuite, UpkeepSuite, RecallSuite, DueSuite, ConversationSuite):
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

        def count_found(word: str) -> int:
            with store.reading(A) as reader:
                return len(
                    reader.match(Words((word,)), Filter(states=("LIVE", "ARCHIVED")), limit=5)
                )

        assert (count_found("brown"), count_found("lazy")) == (1, 0)
        with store.writing(A, intent("update")) as writer:
            writer.change("memories", {row["key"]: {"text": "the lazy dog"}})
        assert (count_found("brown"), count_found("lazy")) == (1, 1)  # the title still says brown
        with store.writing(A, intent("update")) as writer:
            writer.change("memories", {row["key"]: {"title": "the lazy dog"}})
        assert (count_found("brown"), count_found("lazy")) == (0, 1)
        with store.writing(A, intent("archive")) as writer:
            writer.set_state([row["key"]], state="ARCHIVED", at=1, by="archive")
        assert count_found("lazy") == 1
        with store.writing(A, intent("undo")) as writer:
            writer.remove("memories", [row["key"]])
        assert count_found("lazy") == 0
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

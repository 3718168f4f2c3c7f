"""Refusals by the database itself: protected and pinned memories, rows of another space."""

from __future__ import annotations

import pytest

from glymph import errors
from glymph.store.contract import Filter
from glymph.store.journal import Restoration
from glymph.store.store import Store
from glymph.testing.builders import identity_row, intent
from glymph.testing.images import logical_image
from glymph.testing.store_ground import A, B, StoreGround
from glymph.text.query import Words


class IsolationSuite(StoreGround):
    """Protection, pins and the walls between spaces."""

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

    def test_an_agent_or_upkeep_removes_no_pinned_memory_and_takes_no_pin(
        self, store: Store
    ) -> None:
        row = self.add(store, pinned=1)
        going = [Restoration("memories", row["key"], True, None)]
        unpinned = [Restoration("memories", row["key"], True, {"pinned": 0})]
        for actor in ("agent", "agent:7", "daemon", "reconcile"):
            for meant in (going, unpinned):
                undo = intent("undo", actor=actor)
                with pytest.raises(errors.Pinned), store.writing(A, undo) as writer:
                    writer.put_back(meant)
            upkeep = intent("garden", actor=actor)
            with pytest.raises(errors.Pinned), store.writing(A, upkeep) as writer:
                writer.change("memories", {row["key"]: {"pinned": 0}})
                writer.set_state([row["key"]], state="TRASHED", at=1, by="garden")
        with store.writing(A, intent("undo", actor="user")) as writer:
            writer.put_back(going)
        with store.reading(A) as reader:
            assert reader.memory(row["id"]) is None

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

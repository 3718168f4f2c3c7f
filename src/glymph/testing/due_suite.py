"""The part of a store's suite about spaces that have something to do."""

from __future__ import annotations

from glymph.store.store import Store
from glymph.testing.store_ground import A, B, StoreGround


class DueSuite(StoreGround):
    """The tests of what a worker's look relies on."""

    def test_a_space_is_due_until_it_has_schedules_and_again_when_their_moment_comes(
        self, store: Store
    ) -> None:
        assert store.due_spaces(0) == [A, B]
        assert store.next_due() is None
        for space, due_at in ((A, 10), (B, 20)):
            with store.writing(space, None) as writer:
                writer.set_schedule("health", due_at=due_at, last_run_at=None, outcome=None)
                writer.set_schedule("trash", due_at=50, last_run_at=None, outcome=None)
        assert [store.due_spaces(now) for now in (9, 10, 19, 20)] == [[], [A], [A], [A, B]]
        assert store.due_spaces(20, limit=1) == [A]
        assert store.due_spaces(5, beyond=15) == [B], "its moment was kept under another clock"
        assert store.next_due() == 10
        with store.writing(A, None) as writer:
            writer.set_schedule("health", due_at=100, last_run_at=10, outcome="{}")
        assert store.due_spaces(49) == [B]
        assert store.due_spaces(50) == [B, A]
        assert store.next_due() == 20

    def test_a_space_is_due_while_a_job_may_run_in_it(self, store: Store) -> None:
        for space in (A, B):
            with store.writing(space, None) as writer:
                writer.set_schedule("health", due_at=100, last_run_at=None, outcome=None)
        with store.writing(A, None) as writer:
            for job in ("j1", "j2"):
                writer.enqueue({"id": job, "job": "end", "payload": "{}", "at": 5})
        assert store.due_spaces(5) == [A]
        with store.writing(A, None) as writer:
            writer.rest("j1", until=30)
            writer.give_up("j2", at=6, report="{}")
        assert [store.due_spaces(now) for now in (29, 30)] == [[], [A]]
        assert store.next_due() == 30
        with store.writing(A, None) as writer:
            writer.finish("j1", at=31)
        assert store.due_spaces(40) == []
        with store.writing(A, None) as writer:
            writer.revive("j2", report="{}")
        assert store.due_spaces(40) == [A]

    def test_what_is_due_follows_a_space_through_a_load_and_its_end(self, store: Store) -> None:
        for space, due_at in ((A, 10), (B, 90)):
            with store.writing(space, None) as writer:
                writer.set_schedule("health", due_at=due_at, last_run_at=None, outcome=None)
        highest = {"memories": 99, "operations": 99, "schedules": 99}
        list(store.load("copy", iter(list(store.dump(A))), highest=highest, chunk=3))
        assert store.due_spaces(50) == [A, "copy"]
        store.rename_space(A, "gamma")
        assert store.due_spaces(50) == ["copy", "gamma"]
        list(store.delete_space("copy"))
        assert store.due_spaces(50) == ["gamma"]

"""Upkeep survives a restart: counters, schedules, queue, leases, the recall log."""

from __future__ import annotations

import pytest

from glymph import errors
from glymph.config import Settings
from glymph.store import open_store
from glymph.store.store import Store
from glymph.testing.builders import intent
from glymph.testing.images import logical_image
from glymph.testing.store_ground import A, B, StoreGround


class UpkeepSuite(StoreGround):
    """Counters, schedules, plans, budgets, jobs, leases and the recall log."""

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
            assert [(s.usd, s.tokens) for s in map(reader.spent_since, (0, 8, 10))] == [
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
            assert reader.spent_since(0).usd == 0.0
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
            writer.finish("j1", at=5)
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

"""What a handle does to forget, and the way back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, overload

from glymph import forget, prune, recall, undo, write
from glymph.client.handle import Handle
from glymph.forget.plan import ForgetPlan, Forgotten
from glymph.model import Change, Conflict, Operation, Receipt, Tombstone, Trashed
from glymph.prune.plan import Candidates, Plan, Pruned
from glymph.store.certificate import Certificate


class Forgetting(Handle):
    """What a handle does to forget, and the way back."""

    def archive(
        self, ids: str | Iterable[str], *, reason: str | None = None, dry_run: bool = False
    ) -> Receipt:
        """Hides memories from recall; they are kept and come back whenever asked.

        Of more than five, those much used or younger than three days are skipped.
        """
        return prune.execute.put_away(self._ctx, ids, "archive", reason=reason, dry_run=dry_run)

    def delete(
        self, ids: str | Iterable[str], *, reason: str | None = None, dry_run: bool = False
    ) -> Receipt:
        """Puts memories into the trash, recoverable for 30 days; with the same guards as `archive`."""
        return prune.execute.put_away(self._ctx, ids, "delete", reason=reason, dry_run=dry_run)

    def analyze(
        self, min_staleness: float = 0.3, max_groups: int = 20, include_isolated: bool = False,
        *, grouping: str = "community",
    ) -> Plan:  # fmt: skip
        """The groups of memories that have gone stale together, as a stored plan with reasons and
        impact.
        """
        return prune.analyze.analyze(
            self._ctx, min_staleness=min_staleness, max_groups=max_groups, include_isolated=include_isolated,
            grouping=grouping,
        )  # fmt: skip

    def plans(self) -> list[Plan]:
        """The plans that have not expired, newest first."""
        return prune.plans.plans(self._ctx)

    def plan(self, plan_id: str) -> Plan:
        """A plan by its id."""
        return prune.plans.stored_plan(self._ctx, plan_id)

    def prune(
        self, plan: Plan | str, *, groups: Iterable[int] | None = None, ids: Iterable[str] | None = None,
        action: str = "archive", cascade: bool = False, confirm_large: bool = False,
        reason: str | None = None, dry_run: bool = False,
    ) -> Receipt:  # fmt: skip
        """Archives or trashes exactly what a plan shows: all of it, some groups, or some ids.

        What was changed or used since is skipped and named. `cascade` takes along what only exists
        through it.
        """
        return prune.execute.prune(
            self._ctx, plan, groups=groups, ids=ids, action=action, cascade=cascade,
            confirm_large=confirm_large, reason=reason, dry_run=dry_run,
        )  # fmt: skip

    def batch_prune(
        self, node_ids: Iterable[str], action: str, *, confirm_large: bool = False, reason: str | None = None,
        dry_run: bool = False,
    ) -> Receipt:  # fmt: skip
        """Archives or trashes memories by id, behind the guards of a prune."""
        return prune.execute.batch_prune(
            self._ctx, node_ids, action, confirm_large=confirm_large, reason=reason, dry_run=dry_run
        )

    def execute_prune(
        self, node_ids: Iterable[str], reason: str, *, cascade: bool = False, dry_run: bool = False
    ) -> Pruned:
        """Trashes memories for one of four reasons; what cannot go is named among the errors."""
        return prune.execute.execute_prune(
            self._ctx, node_ids, reason, cascade=cascade, dry_run=dry_run
        )

    def candidates(
        self, limit: int = 20, min_staleness_days: float | None = None, min_alignment: float = 0.4
    ) -> Candidates:
        """Single memories that may go, each with one reason, the first to go first."""
        return prune.select.candidates(
            self._ctx,
            limit=limit,
            min_staleness_days=min_staleness_days,
            min_alignment=min_alignment,
        )

    def merge(
        self,
        ids: Iterable[str],
        text: str | None = None,
        *,
        title: str | None = None,
        reason: str | None = None,
    ) -> Receipt:
        """Makes one memory of several; `succeeded` names them, and last the one they became."""
        return write.merge.merge(self._ctx, ids, text, title=title, reason=reason)

    def trash(self) -> list[Trashed]:
        """What is in the trash, what expires first on top."""
        return forget.trash.trash(self._ctx)

    def empty_trash(self, *, all: bool = False) -> Receipt:
        """Removes for good what has been in the trash for its time; with `all`, everything. There
        is no undo.
        """
        return forget.trash.empty(self._ctx, all=all)

    def restore_from_hash(self, hash: str) -> Receipt:
        """Restores what is archived or trashed under a receipt's hash, or under a content hash."""
        return undo.restore_by_hash.restore_from_hash(self._ctx, hash)

    def restore(self, ids: str | Iterable[str], *, reason: str | None = None) -> Receipt:
        """Brings archived and trashed memories back to life."""
        return undo.restore.restore(self._ctx, ids, reason=reason)

    def undo(self, operation_id: str | None = None, *, reason: str | None = None) -> Receipt:
        """Takes an operation back; without an id, this actor's newest one that still stands."""
        return undo.undo.undo(self._ctx, operation_id, reason=reason)

    @overload
    def forget(
        self,
        request: str | ForgetPlan,
        *,
        mode: str = ...,
        reason: str = ...,
        apply: Literal[False] = ...,
    ) -> ForgetPlan: ...
    @overload
    def forget(
        self, request: str | ForgetPlan, *, mode: str = ..., reason: str = ..., apply: Literal[True]
    ) -> Forgotten: ...
    def forget(
        self, request: str | ForgetPlan, *, mode: str = "release", reason: str = "user_requested",
        apply: bool = False,
    ) -> ForgetPlan | Forgotten:  # fmt: skip
        """What forgetting a description, identifier, subject or memory would do, as a plan; with
        `apply`, does it.

        `release` moves to the trash and rewords, which undo reverts; `purge` removes for good and
        certifies it. What is not certain is named among the candidates and left alone. `apply` also
        takes a plan that was shown.
        """
        return forget.forget.forget(self._ctx, request, mode=mode, reason=reason, apply=apply)

    def forget_plan(self, plan_id: str) -> ForgetPlan:
        """A plan to forget by its id."""
        return forget.forget.forget_plan(self._ctx, plan_id)

    def certificates(self, *, pending: bool = False) -> list[Certificate]:
        """What was removed for good, and for each place whether it is clean, newest first."""
        return forget.certificate.certificates(self._ctx, pending=pending)

    def compact(self) -> list[Certificate]:
        """Writes the store's file anew, without what was removed, and completes the certificates
        that waited.
        """
        return forget.complete_certificates.complete_certificates(self._ctx, compact=True)

    def tombstones(self, *, text: str | None = None) -> tuple[Tombstone, ...]:
        """What keeps facts removed for good from being learnt again; with `text`, just what keeps
        out that one.
        """
        return write.tombstones.tombstones(self._ctx, text=text)

    def lift_tombstones(
        self, numbers: int | Iterable[int] = (), *, text: str | None = None, all: bool = False,
        reason: str | None = None,
    ) -> Receipt:  # fmt: skip
        """Lets facts be learnt again: those of these tombstones, this text, or all. What was
        removed stays so.
        """
        return write.tombstones.lift(self._ctx, numbers, text=text, all=all, reason=reason)

    def history(self, memory_id: str) -> list[Change]:
        """Everything that ever happened to a memory, oldest first."""
        return recall.history.history(self._ctx, memory_id)

    def operations(
        self, *, limit: int = 50, cursor: str | None = None, actor: str | None = None,
        session: str | None = None, verb: str | None = None,
    ) -> list[Operation]:  # fmt: skip
        """The operations of this space, newest first. `cursor` is the id of the last one seen."""
        return recall.history.operations(
            self._ctx, limit=limit, cursor=cursor, actor=actor, session=session, verb=verb
        )

    def conflicts(self) -> list[Conflict]:
        """Statements that cannot both be current and wait for a decision."""
        return write.conflicts.conflicts(self._ctx)

    def resolve(
        self, conflict_ids: str | Iterable[str], resolution: str, *, text: str | None = None
    ) -> Receipt:
        """Settles conflicts: new_is_current, old_is_current, keep_both, or merge with a text for
        both.
        """
        return write.conflicts.resolve(self._ctx, conflict_ids, resolution, text=text)

"""Writing one space inside one transaction; with an intent, as one operation."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from glymph.decay.lifecycle import Curves
from glymph.errors import Pinned, Protected, Refused
from glymph.moments import AHEAD, EARLIEST
from glymph.store import foresight, guards
from glymph.store.chunks import ChunkWriter
from glymph.store.contract import Intent, IntentOrMaker, Row, Session, VectorRow
from glymph.store.conversations import ConversationWriter
from glymph.store.fold import FoldWriter
from glymph.store.journal import Restoration
from glymph.store.seals import SEALED, is_edit, local_head, seal
from glymph.store.undo_foresight import UndoForesight
from glymph.store.upkeep import UpkeepWriter
from glymph.text.bands import BANDS, Bands

# Columns of a memory that protection or a pin by a person keeps from agents: what it says and, from
# their own word, what decides whether it is shown. The trust of a lesson follows its evidence.
SAID = frozenset({"text", "title"})
SHOWN = frozenset({"kind", "trust", "expires_at"})
# Those by which a memory is hidden, goes by itself or says something else: see `put_away_in`.
HIDING = frozenset({"state", "superseded_by", "expires_at", "text"})
EDIT, PURGE = "update", "purge"


class Writer(FoldWriter, ChunkWriter, ConversationWriter, UpkeepWriter):
    """A reader that also writes, over a session whose transaction holds the write lock.

    Without an operation, journalled tables cannot be touched.
    """

    def __init__(
        self, session: Session, space: str, space_id: int, offsets: Mapping[str, int]
    ) -> None:
        super().__init__(session, space, space_id)
        self._offsets = offsets
        self._operation: int | None = None
        self._intent: Intent | None = None
        self._details: dict[str, Any] = {}
        self._seal = ""
        self._ask_seal: Callable[[], str] | None = None
        # Whether it wrote anything that may hide or remove a memory. What did not puts none away,
        # and need not be counted.
        self.may_put_away = False

    @property
    def _sees_one_moment(self) -> bool:
        return False

    @property
    def operation_key(self) -> int:
        if self._operation is None:
            raise Refused("No operation is open: memories change only inside one.")
        return self._operation

    # the operation

    @property
    def intent(self) -> Intent:
        if self._intent is None:
            raise Refused("No operation is open: memories change only inside one.")
        return self._intent

    def open(self, intent: IntentOrMaker) -> None:
        """Starts the operation; from here on journalled tables may be changed.

        An intent that is still to be made is asked for now, under the write lock, with `stamp`.
        """
        if not isinstance(intent, Intent):
            intent = intent(self.stamp)
        self._intent = intent
        if intent.parent is not None:
            parent = self.operation_by_key(intent.parent)
            if parent is None or parent["hash"]:
                raise Refused("This bulk operation was closed or undone meanwhile. Start it again.")
        self.resume(self._session.new_key("operations"), intent.verb)

    def amend(self, *, reason: str, undoes: int | None) -> None:
        """Says why the operation is done and what it undoes, if found out after it was opened."""
        self._intent = replace(self.intent, reason=reason, undoes=undoes)

    def sign(self, actor: str, session: str | None) -> None:
        """Records the operation as that of this actor and session."""
        self._intent = replace(self.intent, actor=actor, session=session)

    def recognise(self, ahead: UndoForesight) -> None:
        """Lets what was asked ahead of an undo answer what it will ask."""
        ahead.recognise(self._session, self)

    def stamp(self, now: int) -> int:
        """Returns the moment of an operation that begins when the clock says `now`.

        That is `now`, unless the clock cannot be right. One that was set back a little must not
        mix moments up, nor may one that fell back into the life of the space or before the time
        of any store: then it is the moment of the operation before. Operations far ahead of the
        clock are of a clock that was wrong then; they do not count.
        """
        if self._value("newest_operation_at") <= now:
            return now
        wrong = now < EARLIEST or self._value("dated_between", after=now, upto=now + AHEAD)
        return max(now, self._value("last_operation_at") or 0) if wrong else now

    def resume(self, operation: int, verb: str) -> None:
        """Lets journalled tables be changed under an operation, a new one or one left open."""
        self._operation = operation
        self._run("begin_writing", operation=operation, verb=verb)

    def pause(self) -> None:
        """Records the operation unsealed and leaves it open for later transactions."""
        self._record(changes=0, edits=0, hash="", details="{}")
        self._run("end_writing")

    def close(self) -> None:
        """Counts, seals and records what the operation did; a parent over its children's seals."""
        key = self.operation_key
        details = json.dumps(self._details, ensure_ascii=False)
        head = local_head({**self._head(key), "details": details}, self._offsets)
        if self._may_be_sealed_there(key):
            self._ask_seal = self._session.record(key, head)
        if self._ask_seal is not None:
            return
        children = self.children(key) if self._intent is None else []
        entries = [row[1:] for row in sorted(self._tuples("entries_to_seal", operation=key))]
        self._seal = seal(head, entries, self._offsets, [child["hash"] for child in children])
        edits = sum(is_edit(table, action, image) for table, _, action, image, _ in entries)
        self._record(
            changes=len(entries) + sum(child["changes"] for child in children),
            edits=edits + sum(child["edits"] for child in children),
            hash=self._seal,
            details=details,
        )
        self._run("end_writing")

    def _may_be_sealed_there(self, key: int) -> bool:
        """Tells whether the store may seal the operation: all of it is new, and as it stands there.

        What was asked ahead is at hand already.
        """
        if self._intent is None or self._offsets:
            return False
        return self._session.foreseen(foresight.entries_to_seal(key)) is None

    def foresee_close(self) -> None:
        """Says that nothing more is written, and `close` will ask what was."""
        self.foresee(foresight.entries_to_seal(self.operation_key))

    def _record(self, **outcome: Any) -> None:
        if self._intent is None:
            self._run("close_operation", key=self.operation_key, **outcome)
            return
        key = self.operation_key
        self._run("record_operation", key=key, **self._head(key), **outcome)

    def _head(self, key: int) -> Mapping[str, Any]:
        """Returns what the seal covers of the operation itself; one left open is read again."""
        if self._intent is None:
            return self.operation_by_key(key) or {}
        return {name: getattr(self._intent, name) for name in SEALED if name != "details"}

    @property
    def seal(self) -> str:
        """SHA-256 over the operation's journal rows, once it is closed."""
        if self._ask_seal is not None:
            self._seal, self._ask_seal = self._ask_seal(), None
        return self._seal

    def describe(self, details: Mapping[str, Any]) -> None:
        """Attaches details to the operation."""
        self._details |= details

    # rows of journalled tables

    def new_keys(self, table: str, count: int) -> list[int]:
        """Returns keys for so many new rows, which nobody else gets."""
        return self._session.new_keys(table, count)

    def insert(self, table: str, rows: Sequence[Row]) -> None:
        for columns, group in _by_columns(rows).items():
            space = self.space_key
            self._session.insert(
                table, ("space_id", *columns), [(space, *row.values()) for row in group]
            )

    def change(self, table: str, values: Mapping[int, Row]) -> None:
        """Sets the given columns of each row, by key.

        Pinned if an agent or upkeep would take a pin away other than by unpinning, or if an agent
        would unpin or rewrite what a person pinned; Protected if it would rewrite the identity.
        """
        if table == "memories":
            self.may_put_away |= any(not HIDING.isdisjoint(row) for row in values.values())
            unpinned = [key for key, row in values.items() if row.get("pinned") == 0]
            self._keep_pinned(unpinned)
            by_hand = self._intent is not None and self._intent.verb == EDIT
            kept = SAID | SHOWN if by_hand else SAID
            self._keep_for_persons(
                [*unpinned, *(key for key, row in values.items() if not kept.isdisjoint(row))]
            )
        shapes: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for key, row in values.items():
            shapes[tuple(row)].append(key)
        for columns, keys in shapes.items():
            rows = [(self.space_key, key, *values[key].values()) for key in keys]
            self._session.update(table, ("space_id", "key"), columns, rows, for_good=self._for_good)

    @property
    def _for_good(self) -> bool:
        return self._intent is not None and self._intent.verb == PURGE

    def remove(self, table: str, keys: Sequence[int]) -> None:
        """Removes rows; Pinned if one is a pinned memory and an agent or upkeep does it."""
        if table == "memories":
            self.may_put_away |= bool(keys)
            self._keep_pinned(keys)
        if keys:
            self._session.remove(table, self.space_key, keys, for_good=self._for_good)

    def _keep_pinned(self, keys: Sequence[int]) -> None:
        """Refuses an agent or upkeep what the triggers let a person do: undo what made a pin."""
        intent = self._intent
        if not keys or intent is None or intent.verb == "unpin":
            return
        if guards.is_unattended(intent.actor) and (pinned := self.pinned_among(keys)):
            raise Pinned(next(iter(pinned.values())))

    def _keep_for_persons(self, keys: Sequence[int]) -> None:
        """Refuses an agent to rewrite what is protected, or what a person pinned, or to unpin it.

        What nobody knows who pinned counts as pinned by a person.
        """
        if not keys or self._intent is None or not guards.is_agent(self._intent.actor):
            return
        for (_, key), row in self.rows([("memories", key) for key in keys]).items():
            if row["protected"]:
                raise Protected(row["id"], by_agent=True)
            if row["pinned"] and not guards.is_unattended(self.pinned_by(key) or ""):
                raise Pinned(row["id"], by_person=True)

    def set_state(self, keys: Sequence[int], *, state: str, at: int, by: str) -> None:
        self.may_put_away = True
        self._run("set_state", keys=list(keys), state=state, at=at, by=by)

    def bump(self, keys: Iterable[int]) -> None:
        """Raises the version of these memories: their links changed."""
        self._run("bump_versions", keys=list(keys))

    def reject(self, memory_key: int, wording: Mapping[str, Any]) -> None:
        """Records a wording that was not stored because this memory says it already."""
        image = json.dumps(wording, ensure_ascii=False)
        self._run("reject_wording", operation=self.operation_key, key=memory_key, image=image)

    def put_back(self, restorations: Sequence[Restoration]) -> None:
        """Removes, changes and re-creates rows, in an order in which every link finds its ends."""
        removed: dict[str, list[int]] = defaultdict(list)
        changed: dict[str, dict[int, Mapping[str, Any]]] = defaultdict(dict)
        created: dict[str, list[Row]] = defaultdict(list)
        for r in restorations:
            if r.values is None:
                removed[r.table].append(r.key)
            elif r.replaces:
                changed[r.table][r.key] = r.values
            else:
                created[r.table].append({"key": r.key, **r.values})
        for table in _REMOVED_IN_ORDER:
            self.remove(table, removed[table])
        for table in _MADE_IN_ORDER:
            self.insert(table, created[table])  # first, for what is changed may name what is made
            self.change(table, changed[table])

    # recall log, models, curves, plans, tombstones

    def log_recall(self, row: Row, *, keep: int) -> None:
        """Logs a recall, and keeps only the newest ones."""
        self._run("log_recall", **row)
        self._run("trim_recalls", keep=keep)

    def set_reported(self, recall_key: int, reported: str) -> None:
        self._run("set_reported", key=recall_key, reported=reported)

    def add_model(self, name: str, dimension: int, *, at: int, bands: Bands = BANDS) -> int:
        """Returns the key of a model; one that is missing is made with these bands."""
        known = self.model_key(name, dimension)
        if known is not None:
            return known
        self._run(
            "insert_model", name=name, dimension=dimension, at=at,
            duplicate=bands.duplicate, connect=bands.connect,
        )  # fmt: skip
        return int(self._value("model_key", name=name, dimension=dimension))

    def add_vectors(self, model: int, rows: Iterable[VectorRow]) -> None:
        """Stores vectors; one that is there already stays."""
        self._session.add_vectors(self.space_key, model, rows)

    def forget_model(self, model: int, *, limit: int) -> int:
        """Removes vectors of a model, at most `limit`, and returns their count.

        The model goes with the last of them.
        """
        gone = len(self._tuples("forget_model", model=model, limit=limit))
        if gone < limit:
            self._run("drop_model", model=model)
        return gone

    def adopt_curves(self, curves: Curves, *, at: int) -> None:
        """Lets these sections of the space fade by other curves than their own."""
        for section, curve in curves.items():
            self._run(
                "adopt_curve", section=section.value, decay=curve.decay, scale=curve.scale, at=at
            )
        self._curves = None

    def drop_curves(self) -> None:
        """Lets every section of the space fade by its own curve again."""
        self._run("drop_curves")
        self._curves = None

    def save_plan(self, row: Row) -> None:
        """Stores a plan; one of the same id is replaced."""
        self._run("save_plan", **row)

    def drop_plan(self, plan_id: str) -> None:
        """Removes a plan, if it is kept."""
        self._run("drop_plan_by_id", id=plan_id)

    def drop_expired_plans(self, now: int) -> None:
        self._run("drop_expired_plans", now=now)

    def bury(self, fingerprints: Iterable[str], *, at: int) -> None:
        """Sets tombstones in the name of the operation; one that stands already stays."""
        row = {"operation": self.intent.id, "at": at}
        self._repeat("bury", [{**row, "fingerprint": one} for one in fingerprints])


# Links before what they end at, and the other way round.
_REMOVED_IN_ORDER = (
    "memberships", "edges", "clusters", "memories", "pages", "conflicts", "tombstones",
)  # fmt: skip
_MADE_IN_ORDER = (
    "memories", "clusters", "pages", "edges", "memberships", "conflicts", "tombstones",
)  # fmt: skip


def _by_columns(rows: Sequence[Row]) -> dict[tuple[str, ...], list[Row]]:
    shapes: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in rows:
        shapes[tuple(row)].append(row)
    return shapes

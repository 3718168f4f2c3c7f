"""Watching what upkeep does to a store, from the database file alone.

It looks at rows before and after each run, and the operations between. Nothing here asks the code
that did it.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

DAY = 86_400_000_000
ARCHIVE_DAYS, TRASH_DAYS = 30, 30
LEFT_ALONE_DAYS = 14  # what somebody restored
USED_KEPT = 3.0  # stabilities
PERCENT, LEAST, MOST = 20, 10, 500
COHORT = 5  # memories of a kind below which no share is told
TOLD = 5  # breaches of each name that are told in words
UPKEEP = ("lifecycle", "ai_prune")  # verbs that archive unasked


@dataclass(frozen=True, slots=True)
class Seen:
    """A memory's row, as far as it matters here."""

    kind: str
    section: str
    state: str
    state_at: int
    state_by: str
    pinned: int
    protected: int
    created_at: int
    last_used_at: int | None
    stability: float


Rows = Mapping[str, Seen]


@dataclass(slots=True)
class Watch:
    """What was seen over a year."""

    path: Path
    lost: Counter[str] = field(default_factory=Counter)  # breaches, by name
    moved: Counter[str] = field(default_factory=Counter)  # archived, trashed, purged
    by_verb: Counter[str] = field(default_factory=Counter)  # archived, by verb
    live: list[tuple[int, int, int]] = field(
        default_factory=list
    )  # moment, live of source and target sections
    changes: dict[str, list[tuple[int, bool]]] = field(
        default_factory=lambda: defaultdict(list)
    )  # live or not
    born: dict[str, tuple[str, int]] = field(default_factory=dict)  # kind and creation
    gone: dict[str, list[tuple[int, int]]] = field(
        default_factory=lambda: defaultdict(list)
    )  # when, how many
    told: list[str] = field(default_factory=list)  # the first breaches in words
    _operation: int = 0
    _live: frozenset[str] = frozenset()
    _database: apsw.Connection | None = None

    def rows(self) -> Rows:
        """Every memory as it is now."""
        found = self._read(
            "SELECT id, kind, section, state, state_at, state_by, pinned, protected, created_at, last_used_at,"
            " stability FROM memories"
        )
        return {row[0]: Seen(*row[1:]) for row in found}

    def _read(self, query: str, *values: int) -> list[Any]:
        if self._database is None:
            self._database = apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READONLY)
        return list(self._database.execute(query, values))

    def close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None

    def note(self, rows: Rows, now: int) -> None:
        """Keeps who is live at this moment."""
        live = frozenset(
            one for one, row in rows.items() if row.state == "LIVE" and row.kind != "self"
        )
        for one in live - self._live:
            self.born.setdefault(one, (rows[one].kind, rows[one].created_at))
            self.changes[one].append((now, True))
        for one in self._live - live:
            self.changes[one].append((now, False))
        self._live = live
        source = sum(rows[one].section in ("SIGNALS", "EPISODIC") for one in live)
        self.live.append((now, source, len(live) - source))

    def compare(self, before: Rows, after: Rows, now: int) -> None:
        """Judges what one round of upkeep did."""
        reasons = self._reasons()
        archived: list[str] = []
        trashed: list[str] = []
        for one, row in before.items():
            left = after.get(one)
            if left is None:
                self._purged(one, row, now)
            elif left.state_by == "purge" != row.state_by:
                self.by_verb["purge"] += (
                    1  # what was replaced must not pass for current when its successor ends
                )
            elif left.state != row.state:
                if row.protected or row.pinned:
                    self._breach("protected_lost" if row.protected else "pinned_lost", one, row)
                if not reasons.get(one):
                    self._breach("purged_by_surprise", one, row, "it was moved without a reason")
                (archived if left.state == "ARCHIVED" else trashed).append(one)
                self._moved(one, row, left, now)
        for name, ids in (("archived", archived), ("trashed", trashed)):
            self.moved[name] += len(ids)
            self._capped(name, len(ids), before, now)

    def _moved(self, one: str, row: Seen, left: Seen, now: int) -> None:
        if (row.state, left.state) == ("LIVE", "ARCHIVED"):
            self.by_verb[left.state_by] += 1
            if left.state_by not in UPKEEP:
                self._breach("purged_by_surprise", one, row, f"{left.state_by} archived it")
            if (
                row.last_used_at is not None
                and now - row.last_used_at < USED_KEPT * row.stability * DAY
            ):
                self._breach(f"used_lost_{left.state_by}", one, row)
            if row.state_by == "restore" and now - row.state_at < LEFT_ALONE_DAYS * DAY:
                self._breach(f"restored_lost_{left.state_by}", one, row)
        elif (row.state, left.state) == ("ARCHIVED", "TRASHED"):
            if row.state_by not in UPKEEP or now - row.state_at < ARCHIVE_DAYS * DAY:
                self._breach(
                    "purged_by_surprise", one, row, f"trashed, though {row.state_by} archived it"
                )
        else:
            self._breach(
                "purged_by_surprise", one, row, f"it went from {row.state} to {left.state}"
            )

    def _purged(self, one: str, row: Seen, now: int) -> None:
        self.moved["purged"] += 1
        if row.state != "TRASHED" or now - row.state_at < TRASH_DAYS * DAY:
            self._breach("purged_by_surprise", one, row, f"removed while {row.state}")
        if row.protected or row.pinned:
            self._breach("protected_lost" if row.protected else "pinned_lost", one, row)

    def _capped(self, name: str, count: int, before: Rows, now: int) -> None:
        lately = [(at, many) for at, many in self.gone[name] if at > now - DAY] + [(now, count)]
        self.gone[name] = lately
        gone = sum(many for _, many in lately)
        earlier = gone - count if name == "archived" else 0
        live = sum(row.state == "LIVE" and row.kind != "self" for row in before.values()) + earlier
        if gone > min(max(LEAST, live * PERCENT // 100), MOST):
            self.lost["caps_broken"] += 1

    def _reasons(self) -> dict[str, str]:
        """The reason that the operations since the last look gave for each memory."""
        rows = self._read(
            "SELECT key, details FROM operations WHERE key > ?"
            " AND verb IN ('lifecycle', 'lifecycle_trash', 'ai_prune')",
            self._operation,
        )
        self._operation = max([self._operation, *(key for key, _ in rows)])
        return {
            one: why
            for _, details in rows
            for one, why in json.loads(details).get("reasons", {}).items()
        }

    def _breach(self, name: str, one: str, row: Seen, why: str = "") -> None:
        self.lost[name] += 1
        if self.lost[name] <= TOLD:
            self.told.append(f"{name}: {row.kind} {one} {why}")

    # what is left

    def survival(self, days: Iterable[int], end: int) -> dict[str, dict[int, float]]:
        """The share of each kind, in per cent, that was live so many days after it was made.

        Only what is old enough counts.
        """
        found: dict[str, dict[int, float]] = defaultdict(dict)
        kinds = sorted({kind for kind, _ in self.born.values()})
        for kind in kinds:
            for age in days:
                fates = [
                    self._live_at(one, made + age * DAY)
                    for one, (own, made) in self.born.items()
                    if own == kind and made + age * DAY <= end
                ]
                if len(fates) >= COHORT:
                    found[kind][age] = 100 * sum(fates) / len(fates)
        return found

    def _live_at(self, one: str, moment: int) -> bool:
        state = True
        for at, live in self.changes[one]:
            if at > moment:
                break
            state = live
        return state

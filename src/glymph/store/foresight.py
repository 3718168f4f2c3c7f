"""What a transaction will ask for, told when it opens.

Over a server each of these is answered along with the lock of the space, instead of in a round trip
of its own. A name here is that of the reader's method that will ask; one that is told and never
asked costs a statement, one that is asked and was not told costs a round trip.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from glymph.store.contract import Lookup
from glymph.store.journal_reader import FOLDED_UPTO
from glymph.store.statements import statements


def _lookup(statement: str, /, **parameters: Any) -> Lookup:
    return Lookup(statements()[statement], parameters)


def _single(statement: str, /, **parameters: Any) -> Lookup:
    return Lookup(statements()[statement], parameters, single=True)


def newest_operation_at() -> Lookup:
    return _single("newest_operation_at")


def entries_to_seal(operation: int) -> Lookup:
    return _lookup("entries_to_seal", operation=operation)


def newest_change() -> Lookup:
    return _single("newest_change")


def schedules() -> Lookup:
    return _lookup("schedules")


def waiting_jobs(now: int) -> Lookup:
    return _lookup("waiting_jobs", now=now)


def cut_off(actor: str, since: int) -> Lookup:
    return _lookup("cut_off", actor=actor, since=since)


def lease() -> Lookup:
    return _lookup("lease")


def recall(recall_id: str) -> Lookup:
    return _lookup("recall_by_id", id=recall_id)


def memory(memory_id: str) -> Lookup:
    return _lookup("memory_by_id", id=memory_id)


def memories(ids: Iterable[str]) -> Lookup:
    return _lookup("memories_by_ids", ids=list(ids))


def titles(ids: Iterable[str]) -> Lookup:
    return _lookup("titles", ids=list(ids))


def standing_of(ids: Iterable[str]) -> Lookup:
    return _lookup("standing_of_ids", ids=list(ids))


def knows_any(hashes: Iterable[str]) -> Lookup:
    return _single("any_live_by_hash", hashes=list(hashes))


def does_any_rest_on(ids: Iterable[str], types: Iterable[str]) -> Lookup:
    return _lookup("any_rests_on", ids=list(ids), types=list(types))


def put_away_by(actor: str, since: int, upto: int) -> Lookup:
    return _lookup("put_away_by", actor=actor, since=since, upto=upto)


def put_away_in(operation: int, since: int) -> Lookup:
    return _lookup("put_away_in", operation=operation, since=since)


def edge_of(source: str, target: str, edge_type: str) -> Lookup:
    return _lookup("edge_between_ids", source=source, target=target, type=edge_type)


def edges_of(memory_id: str) -> Lookup:
    """Returns what `edges(of=)` asks for."""
    return _lookup("edges_of_memory", id=memory_id, states=["LIVE"])


def ties(keys: Iterable[int]) -> tuple[Lookup, Lookup]:
    listed = list(keys)
    return (
        _lookup("links_of_memories", keys=listed),
        _lookup("memberships_of_memories", keys=listed),
    )


def replaced_by(ids: Iterable[str]) -> Lookup:
    return _lookup("replaced_by", ids=list(ids))


def has_tombstones() -> Lookup:
    return _single("has_tombstones")


def counter(name: str) -> Lookup:
    return _single("counter", name=name)


def folded_upto() -> Lookup:
    return counter(FOLDED_UPTO)


def curves() -> Lookup:
    return _lookup("curves")


def model_key(name: str, dimension: int) -> Lookup:
    return _single("model_key", name=name, dimension=dimension)

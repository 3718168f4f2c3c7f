"""LangGraph: its long-term store (`BaseStore`) on a Glymph handle.

    graph = builder.compile(store=GlymphStore(Glymph.open("sqlite:///memory.db")))

An item is a memory with the source `langgraph`: its value is the attribute `value`, its texts are
what is searched. The namespace ("users", "ada") and key "food" are the tags `users`, `users.ada`,
`#food`. A put of a key that exists is an update, which undo takes back; the thread is the session.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import islice
from operator import ge, gt, le, lt
from typing import Any

from glymph.adapters.extras import needs
from glymph.adapters.named import NAME, PATH, VALUE, Address, NamedMemories, address_of
from glymph.client import Glymph
from glymph.errors import InvalidInput
from glymph.model import Memory
from glymph.recall.search import MAX_QUERY_CHARS

with needs("langgraph"):
    from langgraph.config import get_config
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
    )
    from langgraph.store.base.embed import get_text_at_path

TTL = "ttl"  # the attribute with the minutes after which an item ends
SEARCHED = "searched"  # the attribute that says so if an item is not to be found by a query
ORDERS: Mapping[str, Callable[[Any, Any], Any]] = {"$gt": gt, "$gte": ge, "$lt": lt, "$lte": le}
UNTOUCHED = 0.1  # the share of its time that passes before a read puts the end of an item off


class GlymphStore(BaseStore):
    """A store of LangGraph in one space of Glymph."""

    supports_ttl = True

    def __init__(
        self, glymph: Glymph, *, fields: Sequence[str] | None = None, ttl: TTLConfig | None = None,
        only_relevant: bool = False,
    ) -> None:  # fmt: skip
        """Takes a handle, the fields of a value to be searched, and LangGraph's rules for ends.

        Without `fields`, every text in a value is searched. LangGraph's stores fill a search up to
        its limit with items that the query did not find; with `only_relevant` they are left out.
        """
        self.ttl_config = ttl
        self._only_relevant = only_relevant
        self._items = NamedMemories(glymph, "langgraph")
        self._fields = fields

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Answers each operation; what is put is seen by the next batch."""
        results: list[Result] = []
        puts: dict[Address, PutOp] = {}
        for op in ops:
            if isinstance(op, PutOp):
                puts[_address(op)] = op
                results.append(None)
            elif isinstance(op, GetOp):
                results.append(self._get(op))
            elif isinstance(op, SearchOp):
                results.append(self._search(op))
            elif isinstance(op, ListNamespacesOp):
                results.append(self._list_namespaces(op))
            else:
                raise InvalidInput("ops", f"{type(op).__name__} is no operation of a store.")
        for address, put in puts.items():
            self._put(address, put)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    def _get(self, op: GetOp) -> Item | None:
        found = self._items.find(_address(op))
        if found is None:
            return None
        if op.refresh_ttl:
            self._refresh([found])
        return Item(**_describe(found))

    def _search(self, op: SearchOp) -> list[SearchItem]:
        matching = (
            (one, score)
            for one, score in self._rank(op)
            if _matches(one.attributes[VALUE], op.filter or {})
        )
        page = list(islice(matching, op.offset, op.offset + op.limit))
        if op.refresh_ttl:
            self._refresh([one for one, _ in page])
        return [SearchItem(**_describe(one), score=score) for one, score in page]

    def _rank(self, op: SearchOp) -> Iterator[tuple[Memory, float | None]]:
        """Yields what answers the query, best first, and then the other items.

        Their score is 0, or none where nothing was asked or the item is not to be searched.
        """
        folders = tuple(op.namespace_prefix)
        query = (op.query or "").strip()[:MAX_QUERY_CHARS]
        answering: set[str] = set()
        if query:
            most = self._items.glymph.settings.max_page if op.filter else op.offset + op.limit
            for hit in self._items.search(query, folders, max(most, 1)):
                if hit.memory.attributes.get(SEARCHED, True):
                    answering.add(hit.memory.id)
                    yield hit.memory, hit.score
            if self._only_relevant:
                return
        wanted = None if op.filter else op.offset + op.limit + len(answering)
        for one in self._items.walk(folders, first=wanted):
            if one.id not in answering:
                yield one, 0.0 if query and one.attributes.get(SEARCHED, True) else None

    def _put(self, address: Address, op: PutOp) -> None:
        if op.value is None:
            found = self._items.find(address)
            if found is not None:
                self._items.remove(found, _thread())
            return
        ends = None if op.ttl is None else self._items.now() + timedelta(minutes=op.ttl)
        said = [] if op.index is False else self._texts(op.value, op.index or self._fields)
        text = "\n".join(said).strip() or f"{op.key} in {'/'.join(op.namespace)}"
        more: dict[str, Any] = {} if op.ttl is None else {TTL: op.ttl}
        if op.index is False:
            more[SEARCHED] = False
        self._items.put(
            address, text, dict(op.value), expires_at=ends, session=_thread(), more=more
        )

    def _texts(self, value: Mapping[str, Any], fields: Sequence[str] | None) -> list[str]:
        said: list[str] = []
        for field in ("$",) if fields is None else fields:
            said += _every_text(value) if field == "$" else get_text_at_path(value, field)
        return said

    def _refresh(self, found: Iterable[Memory]) -> None:
        """Puts off the end of what was read, unless it has hardly come nearer."""
        for one in found:
            if one.expires_at is not None and TTL in one.attributes:
                whole = timedelta(minutes=one.attributes[TTL])
                ends = self._items.now() + whole
                if ends - one.expires_at > whole * UNTOUCHED:
                    self._items.extend(one, ends, _thread())

    def _list_namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        every = {address.folders for one in self._items.walk() if (address := address_of(one))}
        wanted = op.match_conditions or ()
        found = {
            namespace[: op.max_depth]
            for namespace in every
            if all(_fits(namespace, condition) for condition in wanted)
        }
        return sorted(found)[op.offset : op.offset + op.limit]


def _address(op: GetOp | PutOp) -> Address:
    return Address(tuple(op.namespace), op.key)


def _describe(memory: Memory) -> dict[str, Any]:
    """Returns the fields of an item; `updated_at` is when it was put, not when it was read."""
    put = memory.event_at or memory.updated_at
    return {
        "namespace": tuple(memory.attributes[PATH]), "key": memory.attributes[NAME],
        "value": dict(memory.attributes[VALUE]), "created_at": memory.created_at,
        "updated_at": max(put, memory.created_at),
    }  # fmt: skip


def _thread() -> str | None:
    """Returns the thread of the graph that runs now, if one does."""
    try:
        thread = get_config().get("configurable", {}).get("thread_id")
    except RuntimeError:  # no graph runs
        return None
    return None if thread is None else str(thread)


def _every_text(value: Any) -> Iterator[str]:
    """Yields the texts in a value, at whatever depth; numbers with the name they stand under."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, one in value.items():
            if isinstance(one, int | float):
                yield f"{name}: {one}"
            else:
                yield from _every_text(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _every_text(one)


def _fits(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return all(wanted in ("*", own) for wanted, own in zip(path, part, strict=True))


def _matches(value: Any, wanted: Any) -> bool:
    """Tells whether a value fits a filter: equal, within the operators, or in the parts named."""
    if isinstance(wanted, list | tuple):
        alike = isinstance(value, list | tuple) and len(value) == len(wanted)
        return alike and all(_matches(*pair) for pair in zip(value, wanted, strict=True))
    if not isinstance(wanted, Mapping):
        return bool(value == wanted)
    if any(str(name).startswith("$") for name in wanted):
        return all(_compare(value, name, bound) for name, bound in wanted.items())
    return isinstance(value, Mapping) and all(
        _matches(_part(value, str(name)), one) for name, one in wanted.items()
    )


def _part(value: Any, name: str) -> Any:
    """Returns what stands under a name, or under a path of names such as `author.name`."""
    if not isinstance(value, Mapping):
        return None
    first, dot, rest = name.partition(".")
    return _part(value.get(first), rest) if dot and name not in value else value.get(name)


def _compare(value: Any, operator: str, bound: Any) -> bool:
    if operator in ("$eq", "$ne"):
        return (value == bound) is (operator == "$eq")
    if operator not in ORDERS:
        raise InvalidInput("filter", f"{operator} is not known. Use $eq $ne {' '.join(ORDERS)}.")
    return any(
        isinstance(value, kind) and isinstance(bound, kind) and bool(ORDERS[operator](value, bound))
        for kind in (int | float, str)
    )

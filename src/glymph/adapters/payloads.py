"""Memories and their history as mem0 describes them, and its filters on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from operator import ge, gt, le, lt
from typing import Any

from glymph.errors import InvalidInput
from glymph.model import Change, Memory, State
from glymph.moments import iso

SCOPES = ("user_id", "agent_id", "run_id")
PROMOTED = (*SCOPES, "actor_id", "role")
ORDERS: Mapping[str, Callable[[Any, Any], Any]] = {"gt": gt, "gte": ge, "lt": lt, "lte": le}
EXAMPLE = 'Pass a text, or [{"role": "user", "content": "…"}].'


def read_messages(messages: Any) -> list[dict[str, Any]]:
    """Returns the texts that were said, each with its speaker; what a system said is left out."""
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    elif isinstance(messages, Mapping):
        messages = [messages]
    if not isinstance(messages, list):
        raise InvalidInput("messages", f"{type(messages).__name__} is none. {EXAMPLE}")
    said = []
    for one in messages:
        if not isinstance(one, Mapping) or one.get("role") is None:
            raise InvalidInput("messages", f"holds what has no role. {EXAMPLE}")
        text = "\n".join(_texts(one.get("content"))).strip()
        if text and one["role"] != "system":
            named = {"actor_id": one["name"]} if one.get("name") else {}
            said.append({"content": text, "payload": {"role": one["role"], **named}})
    return said


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else ():
        if isinstance(part, Mapping) and isinstance(part.get("text"), str):
            yield part["text"]


def describe(memory: Memory) -> dict[str, Any]:
    """Returns a memory as mem0 shows one."""
    told: dict[str, Any] = {
        "id": memory.id, "memory": memory.text, "hash": memory.content_hash, "metadata": None,
        "score": None, "created_at": iso(memory.created_at), "updated_at": iso(memory.updated_at),
    }  # fmt: skip
    told |= {name: memory.attributes[name] for name in PROMOTED if name in memory.attributes}
    if memory.expires_at is not None:
        told["expiration_date"] = (memory.expires_at - timedelta(days=1)).date().isoformat()
    rest = {name: value for name, value in memory.attributes.items() if name not in PROMOTED}
    return told | ({"metadata": rest} if rest else {})


def matches(described: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Tells whether a memory passes mem0's filters: values, operators, AND, OR and NOT."""
    return all(_passes(described, name, value) for name, value in wanted.items())


def _passes(described: Mapping[str, Any], name: str, wanted: Any) -> bool:
    if name in ("AND", "OR", "NOT"):
        found = [matches(described, one) for one in wanted]
        return {"AND": all(found), "OR": any(found), "NOT": not any(found)}[name]
    own = described.get(name, (described.get("metadata") or {}).get(name))
    if wanted == "*":
        return own is not None
    if not isinstance(wanted, Mapping):
        return bool(own == wanted)
    return all(_compare(own, operator, value) for operator, value in wanted.items())


def _compare(own: Any, operator: str, value: Any) -> bool:
    if operator in ("eq", "ne"):
        return (own == value) is (operator == "eq")
    if operator in ("in", "nin"):
        return (own in value) is (operator == "in")
    if operator in ("contains", "icontains"):
        text, part = str(own or ""), str(value)
        return part.lower() in text.lower() if operator == "icontains" else part in text
    if operator not in ORDERS:
        raise InvalidInput("filters", f"{operator!r} is not known. Use eq ne in nin gt gte lt lte.")
    alike = isinstance(own, str) == isinstance(value, str) and own is not None
    return alike and bool(ORDERS[operator](own, value))


def tell_history(memory: Memory, changes: Sequence[Change]) -> list[dict[str, Any]]:
    """Returns the changes of a memory's words, and whether it was deleted, oldest first."""
    rows = [one for one in changes if one.table == "memories"]
    speaker = {name: memory.attributes.get(name) for name in ("actor_id", "role")}
    text: str | None = memory.text
    state: str | None = memory.state
    told = []
    for number, one in reversed(list(enumerate(rows))):
        before = one.before or {}
        old = None if one.action == "insert" else before.get("text", text)
        gone = "state" in before and state == State.TRASHED
        event = "ADD" if one.action == "insert" else "DELETE" if gone else "UPDATE"
        if event != "UPDATE" or old != text:
            told.append({
                "id": f"{one.operation}:{number}", "memory_id": memory.id, "old_memory": old,
                "new_memory": None if gone else text, "event": event,
                "created_at": iso(memory.created_at), "updated_at": iso(one.at), "is_deleted": gone,
                **speaker,
            })  # fmt: skip
        text, state = old, before.get("state", state)
    return told[::-1]

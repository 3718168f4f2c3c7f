"""mem0's `Memory`, on Glymph: the same names, arguments and answers, by another import.

    from glymph.adapters.mem0 import Memory    # in place of: from mem0 import Memory

The package mem0 is not needed. Every owner, which is the user, else the agent, else the run, has a
space of its own, so that upkeep never mixes what two people said: `mem0/user:ada`. The agent and
the run are attributes and tags there (`agent_id=x`); the run is also the session, the agent the
actor. What is deleted, by `delete_all` and `reset`, too, waits in the trash.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from typing import Any, Self

from glymph.adapters.payloads import SCOPES, describe, matches, read_messages, tell_history
from glymph.checks import checked_space
from glymph.client import Glymph
from glymph.errors import InvalidInput, MemoryNotFound
from glymph.model import Added, State
from glymph.model import Memory as Stored
from glymph.stores import DEFAULT_URL, spaces_at

AT_HAND = 32  # owners whose spaces are kept open
A_FEW = 5  # memories that one call may delete however young they are
NOT_INFERRED = "No language model is configured (`model`): the messages are stored as they are."
_UNSET: Any = object()
log = logging.getLogger(__name__)


class Memory:
    """The memories of many users, agents and runs in one store, as mem0 speaks of them."""

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        """Takes {"url": …, "space": …} and any other argument of `Glymph.open`.

        A configuration of mem0 may be passed: its parts are not used, and a warning names them.
        """
        given = dict(config or {})
        known = ("url", "space", "settings", "clock", "embedder", "model", "reader")
        if unused := sorted(given.keys() - set(known)):
            log.warning("Glymph does not use %s of the configuration.", ", ".join(unused))
        self._url = given.get("url", DEFAULT_URL)
        self._base = checked_space(given.get("space", "mem0"))
        self._options = {name: given[name] for name in known[2:] if name in given}
        self._open: OrderedDict[tuple[str, str], tuple[Glymph, list[None]]] = OrderedDict()
        self._lock = threading.Lock()
        Glymph.open(self._url, space=self._base, **self._options).close()

    @classmethod
    def from_config(cls, config_dict: dict[str, Any]) -> Self:
        return cls(config_dict)

    # what mem0 does

    def add(
        self, messages: Any, *, user_id: str | None = None, agent_id: str | None = None,
        run_id: str | None = None, metadata: dict[str, Any] | None = None, timestamp: Any = None,
        expiration_date: Any = None, infer: bool = True, memory_type: str | None = None,
        prompt: str | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Remembers messages; with `infer` and a language model, what matters in them."""
        for name, value in (("timestamp", timestamp), ("prompt", prompt)):
            if value is not None:
                raise InvalidInput(name, "is not supported. Leave it out.")
        if memory_type not in (None, "procedural_memory"):
            raise InvalidInput("memory_type", "pass procedural_memory, or leave it out.")
        scope = _read_scope({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        payload = {**{k: v for k, v in (metadata or {}).items() if k not in SCOPES}, **scope}
        fields: dict[str, Any] = {
            "session": scope.get("run_id"),
            "expires_at": _end_of(expiration_date),
        }
        if memory_type is not None:
            fields["kind"] = "playbook"
        said = read_messages(messages)
        with self._using(self._space_of(scope), scope.get("agent_id")) as glymph:
            if infer and glymph.context.model is not None:
                return self._extract(glymph, said, payload, fields)
            answer: dict[str, Any] = {"results": [], "refused": []}
            for one in said:
                added = self._store(glymph, one["content"], {**payload, **one["payload"]}, fields)
                _tell(answer, added, one["content"], one["payload"])
        return {k: v for k, v in answer.items() if v or k == "results"} | (
            {"notice": NOT_INFERRED} if infer else {}
        )

    def get(self, memory_id: str) -> dict[str, Any] | None:
        with ExitStack() as stack:
            found = self._find(stack, memory_id)
            return None if found is None else describe(found[1])

    def get_all(
        self, *, filters: dict[str, Any] | None = None, top_k: int = 20, show_expired: bool = False,
        **kwargs: Any,
    ) -> dict[str, Any]:  # fmt: skip
        """Lists the memories of an owner, newest first."""
        wanted = _read_filters(filters, kwargs, "get_all")
        _check_count(top_k)
        results: list[dict[str, Any]] = []
        for space in self._spaces_for(wanted):
            with self._using(space) as glymph:
                found = islice(_list(glymph, wanted, show_expired=show_expired), top_k)
                results += [_without_score(describe(one)) for one in found]
        newest_first = sorted(results, key=lambda one: one["created_at"], reverse=True)
        return {"results": newest_first[:top_k]}

    def search(
        self, query: str, *, top_k: int = 20, filters: dict[str, Any] | None = None,
        threshold: float = 0.1, rerank: bool = False, explain: bool = False,
        reference_date: Any = None, show_expired: bool = False, **kwargs: Any,
    ) -> dict[str, Any]:  # fmt: skip
        """Finds memories, best first. `rerank` is what a reader, if there is one, does anyway."""
        wanted = _read_filters(filters, kwargs, "search")
        _check_count(top_k)
        if reference_date is not None or show_expired:
            raise InvalidInput(
                "search", "neither reference_date nor show_expired is supported: what has ended is "
                "listed by get_all(show_expired=True).",
            )  # fmt: skip
        results: list[dict[str, Any]] = []
        for space in self._spaces_for(wanted) if top_k else ():
            with self._using(space) as glymph:
                hits = glymph.search(
                    query, limit=glymph.settings.max_page, min_score=threshold,
                    tags=_tags_of(wanted) or None,
                )  # fmt: skip
            results += [
                {
                    **described,
                    "score": hit.score,
                    **({"score_details": dict(hit.parts)} if explain else {}),
                }
                for hit in hits
                if matches(described := describe(hit.memory), wanted)
            ]
        return {"results": sorted(results, key=lambda one: -one["score"])[:top_k]}

    def update(
        self, memory_id: str, text: str | None = None, metadata: dict[str, Any] | None = None,
        expiration_date: Any = _UNSET, data: str | None = None,
    ) -> dict[str, str]:  # fmt: skip
        """Changes a memory; `data` is an older name of `text`."""
        text = data if text is None else text
        if text is None and metadata is None and expiration_date is _UNSET:
            raise InvalidInput("text", "pass at least one of text, metadata and expiration_date.")
        with ExitStack() as stack:
            glymph, old = self._find_or_raise(stack, memory_id)
            changes: dict[str, Any] = {} if text is None else {"text": text}
            if metadata is not None:
                own = {k: v for k, v in metadata.items() if k not in SCOPES}
                changes["attributes"] = {**old.attributes, **own}
            if expiration_date is not _UNSET:
                changes["expires_at"] = _end_of(expiration_date)
            glymph.update(memory_id, **changes)
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> dict[str, str]:
        """Moves a memory to the trash."""
        with ExitStack() as stack:
            glymph, _ = self._find_or_raise(stack, memory_id)
            _delete(glymph, [memory_id])
        return {"message": "Memory deleted successfully!"}

    def delete_all(
        self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> dict[str, str]:
        """Moves what belongs to a user, agent or run to the trash."""
        scope = _read_scope({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        self._delete_all(scope)
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[dict[str, Any]]:
        """Returns what happened to a memory, oldest first, also of one that was deleted."""
        with ExitStack() as stack:
            found = self._find(stack, memory_id, trashed=True)
            return [] if found is None else tell_history(found[1], found[0].history(memory_id))

    def reset(self) -> None:
        """Moves everything to the trash, from where it comes back until it is emptied."""
        self._delete_all({})

    def close(self) -> None:
        with self._lock:
            for glymph, _ in self._open.values():
                glymph.close()
            self._open.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # how

    def _extract(
        self, glymph: Glymph, said: Sequence[Mapping[str, Any]], payload: dict[str, Any],
        fields: dict[str, Any],
    ) -> dict[str, Any]:  # fmt: skip
        turns = [{"role": one["payload"]["role"], "content": one["content"]} for one in said]
        read = glymph.extract(turns, session=fields["session"])
        answer: dict[str, Any] = {"results": []}
        for found, added in zip(read.found, read.added, strict=False):
            if added.created:
                own = {**glymph.get(added.id).attributes, **payload}
                glymph.update(
                    added.id,
                    attributes=own,
                    tags=_tags_of(payload),
                    expires_at=fields["expires_at"],
                )
            _tell(answer, added, found.text, {})
        refused = [{"memory": one.text, "reason": one.reason} for one in read.refused]
        answer |= {"refused": [*answer.get("refused", []), *refused]} if refused else {}
        return answer | ({"notice": read.problem} if read.problem else {})

    def _store(
        self, glymph: Glymph, text: str, payload: dict[str, Any], fields: dict[str, Any]
    ) -> Added:
        """Stores a text; the same words of another agent, run or speaker are another memory."""
        own = {**fields, "attributes": payload, "tags": _tags_of(payload), "source": "mem0"}
        added = glymph.add(text, **own)
        if added.duplicate_of is None or dict(glymph.get(added.id).attributes) == payload:
            return added
        return glymph.add(text, event_at=glymph.context.now(), **own)

    def _space_of(self, scope: Mapping[str, str]) -> str:
        name, owner = next((name, scope[name]) for name in SCOPES if name in scope)
        kind = f"{self._base}/{name.removesuffix('_id')}"
        try:
            if not owner.startswith(":"):
                return checked_space(f"{kind}:{owner}")
        except InvalidInput as error:  # the name of a space may be no longer, or hold less
            log.debug("%s", error)
        return f"{kind}::{hashlib.sha256(owner.encode()).hexdigest()[:32]}"

    def _spaces_for(self, wanted: Mapping[str, Any]) -> list[str]:
        """Returns the spaces that may hold what is asked for, of those that there are."""
        known = [one.name for one in spaces_at(self._url) if one.name.startswith(f"{self._base}/")]
        if "user_id" in wanted:
            own = self._space_of({"user_id": wanted["user_id"]})
            return [own] if own in known else []
        return known

    @contextmanager
    def _using(self, space: str, agent: str | None = None) -> Iterator[Glymph]:
        """Keeps the handle of a space open meanwhile; those not used for long are closed."""
        key = (space, f"agent:{agent}" if agent else "mem0")
        with self._lock:
            if key not in self._open:
                opened = Glymph.open(self._url, space=space, actor=key[1], **self._options)
                self._open[key] = (opened, [])
            self._open.move_to_end(key)
            glymph, users = self._open[key]
            users.append(None)
        try:
            yield glymph
        finally:
            with self._lock:
                users.pop()
                idle = [key for key, (_, users) in self._open.items() if not users]
                for key in idle[: max(0, len(self._open) - AT_HAND)]:
                    self._open.pop(key)[0].close()

    def _find(
        self, stack: ExitStack, memory_id: str, *, trashed: bool = False
    ) -> tuple[Glymph, Stored] | None:
        for space in self._spaces_for({}):
            glymph = stack.enter_context(self._using(space))
            try:
                found = glymph.get(memory_id)
            except MemoryNotFound:
                continue
            return (glymph, found) if trashed or found.state != State.TRASHED else None
        return None

    def _find_or_raise(self, stack: ExitStack, memory_id: str) -> tuple[Glymph, Stored]:
        found = self._find(stack, memory_id)
        if found is None:
            raise InvalidInput(
                "memory_id", f"there is no memory {memory_id!r}. get_all() lists them."
            )
        return found

    def _delete_all(self, scope: Mapping[str, str]) -> None:
        for space in self._spaces_for(scope):
            with self._using(space) as glymph:
                _delete(glymph, [one.id for one in _list(glymph, scope, show_expired=True)])


def _list(glymph: Glymph, wanted: Mapping[str, Any], *, show_expired: bool) -> Iterator[Stored]:
    """Yields the memories of a space that are asked for, newest first."""
    cursor, now = None, glymph.context.now()
    while True:
        page = glymph.list(limit=500, cursor=cursor, tags=_tags_of(wanted) or None)
        for one in page:
            over = one.expires_at is not None and one.expires_at <= now
            if (show_expired or not over) and matches(describe(one), _beside_user(wanted)):
                yield one
        if (cursor := page.cursor) is None:
            return


def _beside_user(wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a filter without the user, whose space it is."""
    return {name: value for name, value in wanted.items() if name != "user_id"}


def _delete(glymph: Glymph, ids: Sequence[str]) -> None:
    """Trashes memories in small steps, as somebody who names each; what is pinned stays."""
    for start in range(0, len(ids), A_FEW):
        receipt = glymph.delete(ids[start : start + A_FEW])
        for refusal in (*receipt.skipped, *receipt.failed):
            log.warning("Memory %s stays: %s", refusal.id, refusal.reason)


def _tell(answer: dict[str, Any], added: Added, text: str, payload: Mapping[str, Any]) -> None:
    if added.refused is not None:
        answer.setdefault("refused", []).append({"memory": text, "reason": added.refused})
        return
    event = "ADD" if added.created else "NONE"
    told = {"actor_id": payload.get("actor_id"), "role": payload["role"]} if payload else {}
    answer["results"].append({"id": added.id, "memory": text, "event": event, **told})


def _tags_of(payload: Mapping[str, Any]) -> list[str]:
    return [f"{name}={payload[name]}" for name in SCOPES[1:] if isinstance(payload.get(name), str)]


def _read_scope(given: Mapping[str, Any]) -> dict[str, str]:
    """Returns the ids that were given, trimmed; raises InvalidInput if there is none."""
    scope = {name: str(value).strip() for name, value in given.items() if value is not None}
    for name, value in scope.items():
        if not value or any(map(str.isspace, value)):
            raise InvalidInput(name, f"{value!r} is empty or holds a space. Pass an id without.")
    if not scope:
        raise InvalidInput("user_id", "pass at least one of user_id, agent_id and run_id.")
    return scope


def _read_filters(
    filters: Mapping[str, Any] | None, more: Mapping[str, Any], method: str
) -> dict[str, Any]:
    if more:
        wrong = ", ".join(more)
        raise InvalidInput(wrong, f"{method}() takes filters={{'user_id': …}} instead.")
    given = dict(filters or {})
    if all(given.get(name) is None for name in SCOPES):
        known = ", ".join(SCOPES)
        raise InvalidInput("filters", f"name one of {known} at least: filters={{'user_id': …}}.")
    return given | _read_scope({name: given.get(name) for name in SCOPES})


def _check_count(top_k: object) -> None:
    if isinstance(top_k, bool) or not isinstance(top_k, int) or top_k < 0:
        raise InvalidInput("top_k", "pass a whole number, not below 0.")


def _end_of(day: Any) -> datetime | None:
    """Returns the end of the last day on which a memory holds."""
    if day is None:
        return None
    try:
        last = day if isinstance(day, date) else date.fromisoformat(day)
    except (TypeError, ValueError) as error:
        raise InvalidInput("expiration_date", "pass a date as YYYY-MM-DD.") from error
    return datetime.combine(last, time(), UTC) + timedelta(days=1)


def _without_score(described: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in described.items() if name != "score"}

"""A process of clients that call the servers and write down what they were told.

Each client makes one MCP call after the other.

`python -m benchmarks.harness.cluster_load FILE LABEL SPACES CLIENTS SEED ADDRESS…`, until SIGTERM;
the token is in GLYMPH_TOKEN. Every line is with the kernel before the next call begins.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio

from benchmarks.harness.cluster_clients import (
    BREATH,
    NO_TOOL,
    Answer,
    Caller,
    Refused,
    StoreAway,
    Unanswered,
)
from benchmarks.harness.corpus import Corpus

# Kinds of calls and their weights. A recall is followed by a report, archiving by its undoing, a
# plan by its run.
# "floor" is a call that the server answers without the store; it is no operation.
MIX = {
    "add": 30, "search": 22, "recall": 12, "update": 12, "link": 8, "get": 5, "history": 4, "audit": 4,
    "archive": 4, "forget": 2, "floor": 5,
}  # fmt: skip
FLOOR = "floor"
# Words that all clients share, so that what one asks for another may have said; the common ones are
# common.
WORDS = tuple(Corpus(1).text(3000).split())
OWN = 400  # memories that a client remembers as its own
MARK = re.compile(r"(?:mark|tenant-)(\d{4})")
UNKNOWN, AWAY, WRONG = "unknown", "away", "wrong"  # how a call ends that is not acknowledged

Found = Mapping[str, Any]  # what a tool gave back
After = dict[
    str, Any
]  # what a write leaves behind: the state and text of a memory by its id, or a link


def space_name(number: int) -> str:
    return f"tenant-{number:04}"


def foreign(number: int, texts: Iterable[str]) -> int:
    """How many of the texts carry the mark of another space."""
    return sum(any(int(mark) != number for mark in MARK.findall(text)) for text in texts)


def read(number: int, things: Iterable[Any]) -> After:
    """How many things a call gave back, and how many of them are of another space."""
    texts = [json.dumps(thing) for thing in things]
    return {"foreign": foreign(number, texts), "read": len(texts)}


@dataclass(slots=True)
class Own:
    """A memory that only one client changes."""

    number: int  # of its space
    id: str
    text: str
    code: str


class Log:
    """Lines of JSON that survive the process."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def write(self, line: dict[str, Any]) -> None:
        os.write(self._descriptor, f"{json.dumps(line)}\n".encode())


class Texts:
    """Texts that nobody else has, each with the mark of its space and a code of its own."""

    def __init__(self, label: str, seed: int) -> None:
        self._label, self._random, self._serial = label, random.Random(seed), 0

    def words(self, count: int) -> str:
        return " ".join(self._random.choices(WORDS, k=count))

    def new(self, number: int) -> tuple[str, str]:
        self._serial += 1
        code = f"QX-{self._label}-{self._serial:06}"
        return f"{self.words(12)} mark{number:04} {code}", code


class Client:
    """Makes one call after the other, and writes down what it was told."""

    def __init__(self, caller: Caller, log: Log, *, label: str, spaces: int, seed: int) -> None:
        self._caller, self._log, self._spaces = caller, log, spaces
        self._random, self._texts = random.Random(seed), Texts(label, seed)
        self._own: list[Own] = []
        self._linked: set[tuple[str, str]] = set()

    async def run(self, stop: anyio.Event) -> None:
        acts: dict[str, Callable[[], Awaitable[None]]] = {
            kind: getattr(self, f"_{kind}") for kind in MIX
        }
        await self._caller.open_all()
        while not stop.is_set():
            await acts[self._random.choices(list(MIX), list(MIX.values()))[0]]()
        await self._caller.close()

    # the calls

    async def _add(self) -> None:
        number = self._space()
        text, code = self._texts.new(number)

        def kept(found: Found) -> After:
            if not found["created"]:
                raise Refused(f"a text that nobody has said before was not taken in: {found}")
            self._own.append(Own(number, found["id"], text, code))
            return {"op": found["operation_id"], "after": {found["id"]: ["LIVE", text]}}

        await self._told("add", number, "memory_add", {"text": text}, kept)
        if len(self._own) > OWN:
            del self._own[self._random.randrange(len(self._own))]

    async def _search(self) -> None:
        number = self._space()
        arguments = {"query": self._texts.words(3)}
        await self._told(
            "search", number, "memory_search", arguments, lambda found: read(number, found["hits"])
        )

    async def _recall(self) -> None:
        number, shown = self._space(), list[str]()

        def noted(found: Found) -> After:
            shown[:] = [str(found["recall_id"]), *(hit["id"] for hit in found["hits"])]
            return {"recall": found["recall_id"], **read(number, found["hits"])}

        arguments = {"query": self._texts.words(3), "limit": 5}
        await self._told("recall", number, "memory_recall", arguments, noted)
        if len(shown) > 1:
            arguments = {"recall_id": shown[0], "used": shown[1:2]}
            await self._told("report", number, "memory_report", arguments, _reported)

    async def _update(self) -> None:
        if (own := self._taken()) is None:
            return
        text, code = self._texts.new(own.number)
        arguments, after = {"id": own.id, "text": text}, {own.id: ["LIVE", text]}
        if await self._told("update", own.number, "memory_update", arguments, _operation, after):
            self._own.append(Own(own.number, own.id, text, code))

    async def _link(self) -> None:
        if (own := self._taken()) is None:
            return
        others = (
            one
            for one in self._own
            if one.number == own.number and (own.id, one.id) not in self._linked
        )
        other = next(others, None)
        self._own.append(own)
        if other is None:
            return
        self._linked |= {(own.id, other.id), (other.id, own.id)}
        arguments, after = {"source": own.id, "target": other.id}, {f"{own.id}>{other.id}": True}
        await self._told("link", own.number, "memory_link", arguments, _operation, after)

    async def _archive(self) -> None:
        if (own := self._taken()) is None:
            return
        arguments, undoes = {"ids": [own.id], "action": "archive"}, [""]

        def noted(found: Found) -> After:
            undoes[0] = found["operation_id"] if found["succeeded"] else ""
            return _operation(found)

        after: After = {own.id: ["ARCHIVED", own.text]}
        if (
            not await self._told("archive", own.number, "memory_delete", arguments, noted, after)
            or not undoes[0]
        ):
            return
        after = {own.id: ["LIVE", own.text]}
        undo = {"operation_id": undoes[0]}
        if await self._told("undo", own.number, "undo_operation", undo, _operation, after):
            self._own.append(own)

    async def _forget(self) -> None:
        if (own := self._taken()) is None:
            return
        plan = [""]

        def noted(found: Found) -> After:
            plan[0] = found["plan_id"]
            return read(own.number, [found])

        if not await self._told("plan", own.number, "forget_concept", {"request": own.code}, noted):
            self._own.append(own)
            return
        after = {own.id: ["TRASHED", own.text]}
        await self._told(
            "forget", own.number, "forget_concept", {"plan": plan[0]}, _operation, after
        )

    async def _get(self) -> None:
        if own := self._any():
            arguments = {"id": own.id}
            await self._told(
                "get", own.number, "memory_get", arguments, lambda found: read(own.number, [found])
            )

    async def _history(self) -> None:
        if own := self._any():

            def seen(found: Found) -> After:
                return read(own.number, [found["memory"], *found["history"]])

            await self._told(
                "history", own.number, "memory_get", {"id": own.id, "history": True}, seen
            )

    async def _audit(self) -> None:
        number = self._space()

        def seen(found: Found) -> After:
            return read(number, found["operations"])

        await self._told("audit", number, "get_operations", {"limit": 20}, seen)

    async def _floor(self) -> None:
        await self._told(FLOOR, self._space(), NO_TOOL, {}, lambda _: {})

    # telling

    async def _told(
        self, kind: str, number: int, tool: str, arguments: Mapping[str, Any], heard: Callable[[Found], After],
        after: After | None = None,
    ) -> bool:  # fmt: skip
        """Makes a call and writes down how it ended; whether it was acknowledged.

        What it is about to leave behind is written before it: if no answer comes, it may be so or
        not.
        """
        line: dict[str, Any] = {"kind": kind, "space": number}
        if after is not None:
            self._log.write({**line, "begun": after})
        line["at"], began = time.time(), time.perf_counter()
        try:
            answer = await self._answered(kind, space_name(number), tool, arguments)
            line["ms"] = 1000 * (time.perf_counter() - began)
            line |= {"end": "ok", "server": answer.server, "tries": answer.tries}
            line |= heard({**answer.found, "again": answer.tries > 1})
            if after is not None:
                line["after"] = after
        except (Unanswered, StoreAway, Refused) as error:
            line["ms"] = 1000 * (time.perf_counter() - began)
            ends: dict[type[Exception], str] = {
                Unanswered: UNKNOWN,
                StoreAway: AWAY,
                Refused: WRONG,
            }
            line |= {
                "end": ends[type(error)],
                "why": str(error)[:300],
                "text": arguments.get("text"),
            }
        self._log.write(line)
        if line["end"] != "ok":
            await anyio.sleep(BREATH)
        return bool(line["end"] == "ok")

    async def _answered(
        self, kind: str, space: str, tool: str, arguments: Mapping[str, Any]
    ) -> Answer:
        return await (
            self._caller.trifle(space)
            if kind == FLOOR
            else self._caller.ask(space, tool, arguments)
        )

    # choosing

    def _space(self) -> int:
        return self._random.randrange(self._spaces)

    def _any(self) -> Own | None:
        return self._random.choice(self._own) if self._own else None

    def _taken(self) -> Own | None:
        """A memory of this client, which is its own again only after an acknowledged call."""
        return self._own.pop(self._random.randrange(len(self._own))) if self._own else None


def _reported(found: Found) -> After:
    """The operation of a report.

    What another client has trashed since the recall is left out, rightly.
    """
    return _operation({**found, "again": True})


def _operation(found: Found) -> After:
    """The operation of a receipt.

    A call that was repeated may find done what it asks for, and no more.
    """
    if (
        found["failed"]
        or not (found["succeeded"] or found["again"])
        or (found["skipped"] and not found["again"])
    ):
        raise Refused(
            f"{found['verb']} left something out: {[*found['skipped'], *found['failed']]}"
        )
    return {"op": found["operation_id"]} if found["succeeded"] else {}


async def _work(
    log: Log, label: str, spaces: int, clients: int, seed: int, addresses: list[str]
) -> None:
    stop, token = anyio.Event(), os.environ["GLYMPH_TOKEN"]
    with anyio.open_signal_receiver(signal.SIGTERM) as signals:
        async with anyio.create_task_group() as sessions, anyio.create_task_group() as group:
            for number in range(clients):
                caller = Caller(addresses, token, group=sessions, seed=seed + number)
                client = Client(
                    caller, log, label=f"{label}{number}", spaces=spaces, seed=seed + number
                )
                group.start_soon(client.run, stop)
            async for _ in signals:
                break
            stop.set()


def main() -> None:
    path, label, spaces, clients, seed, *addresses = sys.argv[1:]
    anyio.run(_work, Log(Path(path)), label, int(spaces), int(clients), int(seed), addresses)


if __name__ == "__main__":
    main()

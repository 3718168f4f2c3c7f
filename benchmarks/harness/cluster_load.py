"""A server under load: clients in threads that call one open store, and a file that says what they were told.

`python -m benchmarks.harness.cluster_load URL FILE LABEL SPACES THREADS SEED`, until SIGTERM. The calls are the
library's. Every line is with the kernel before the next call begins, so the file outlives a killed process.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.harness.corpus import Corpus
from glymph import Glymph, Receipt
from glymph.errors import GlymphError

# Kinds of calls and their weights. A recall is followed by a report, and archiving by its undoing.
MIX = {
    "add": 30, "search": 22, "recall": 12, "update": 12, "link": 8, "list": 5, "history": 5, "archive": 4,
    "forget": 2,
}  # fmt: skip
# Words that all clients share, so that what one asks for another may have said; the common ones are common.
WORDS = tuple(Corpus(1).text(3000).split())
OWN = 400  # memories that a client remembers as its own
BREATH = 0.1  # seconds after an error
MARK = re.compile(r"(?:mark|tenant-)(\d{4})")

After = dict[str, Any]  # what a write leaves behind: the state and text of a memory by its id, or a link


def space_name(number: int) -> str:
    return f"tenant-{number:04}"


def foreign(number: int, texts: Iterable[str]) -> int:
    """How many of the texts carry the mark of another space."""
    return sum(any(int(mark) != number for mark in MARK.findall(text)) for text in texts)


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


class Server:
    """One open store and a handle for each space, all by the same connections."""

    def __init__(self, glymph: Glymph, spaces: int) -> None:
        self.handles = [Glymph(replace(glymph.workplace, space=space_name(n))) for n in range(spaces)]


class Client:
    """Makes one call after the other, and writes down what it was told."""

    def __init__(self, server: Server, log: Log, label: str, seed: int) -> None:
        self._server, self._log, self._label = server, log, label
        self._random = random.Random(seed)
        self._own: list[Own] = []
        self._linked: set[tuple[str, str]] = set()
        self._serial = 0

    def run(self, stop: threading.Event) -> None:
        kinds, weights = list(MIX), list(MIX.values())
        while not stop.is_set():
            kind = self._random.choices(kinds, weights)[0]
            getattr(self, f"_{kind}")()

    # the calls

    def _add(self) -> None:
        number = self._space()
        text, code = self.new_text(number)

        def call() -> After:
            added = self._server.handles[number].add(text)
            if added.id is None:
                raise Refused("a text that nobody has said before was not taken in")
            self._own.append(Own(number, added.id, text, code))
            return {"op": added.operation_id, "after": {added.id: ["LIVE", text]}}

        self._told("add", number, call)
        if len(self._own) > OWN:
            del self._own[self._random.randrange(len(self._own))]

    def _search(self) -> None:
        number, query = self._space(), self._words(3)

        def call() -> After:
            found = self._server.handles[number].search(query)
            return {"foreign": foreign(number, (hit.memory.text for hit in found)), "read": len(found)}

        self._told("search", number, call)

    def _recall(self) -> None:
        number, query = self._space(), self._words(3)
        handle = self._server.handles[number]
        shown: list[str] = []

        def recall() -> After:
            found = handle.recall(query, limit=5)
            shown[:] = [str(found.id), *(hit.memory.id for hit in found)]
            wrong = foreign(number, (hit.memory.text for hit in found))
            return {"recall": found.id, "foreign": wrong, "read": len(found)}

        self._told("recall", number, recall)
        if len(shown) > 1:
            self._told("report", number, lambda: {"op": _whole(handle.report(shown[0], used=shown[1:2]))})

    def _update(self) -> None:
        if (own := self._taken()) is None:
            return
        text, code = self.new_text(own.number)
        handle = self._server.handles[own.number]
        call = self._changing(lambda: handle.update(own.id, text=text))
        if self._told("update", own.number, call, {own.id: ["LIVE", text]}):
            self._own.append(Own(own.number, own.id, text, code))

    def _link(self) -> None:
        if (own := self._taken()) is None:
            return
        others = (one for one in self._own if one.number == own.number and (own.id, one.id) not in self._linked)
        other = next(others, None)
        self._own.append(own)
        if other is None:
            return
        self._linked |= {(own.id, other.id), (other.id, own.id)}
        handle = self._server.handles[own.number]
        call = self._changing(lambda: handle.link(own.id, other.id))
        self._told("link", own.number, call, {f"{own.id}>{other.id}": True})

    def _archive(self) -> None:
        if (own := self._taken()) is None:
            return
        handle, undoes = self._server.handles[own.number], [""]

        def archive() -> Receipt:
            receipt = handle.archive([own.id])  # by name: what is so young is in no plan
            undoes[0] = receipt.operation_id
            return receipt

        if not self._told("archive", own.number, self._changing(archive), {own.id: ["ARCHIVED", own.text]}):
            return
        call = self._changing(lambda: handle.undo(undoes[0]))
        if self._told("undo", own.number, call, {own.id: ["LIVE", own.text]}):
            self._own.append(own)

    def _forget(self) -> None:
        if (own := self._taken()) is None:
            return
        handle = self._server.handles[own.number]

        def call() -> After:
            return {"op": _whole(handle.forget(own.code, apply=True).receipt)}

        self._told("forget", own.number, call, {own.id: ["TRASHED", own.text]})

    def _list(self) -> None:
        number = self._space()

        def call() -> After:
            texts = [memory.text for memory in self._server.handles[number].list(limit=20).items]
            return {"foreign": foreign(number, texts), "read": len(texts)}

        self._told("list", number, call)

    def _history(self) -> None:
        if not self._own:
            return
        own = self._random.choice(self._own)

        def call() -> After:
            changes = [repr(change) for change in self._server.handles[own.number].history(own.id)]
            return {"foreign": foreign(own.number, changes), "read": len(changes)}

        self._told("history", own.number, call)

    # telling

    def _told(self, kind: str, number: int, call: Callable[[], After], after: After | None = None) -> bool:
        """Makes a call and writes down how it ended; whether it was acknowledged.

        What it is about to leave behind is written before it: if no answer comes, it may be so or not.
        """
        line: dict[str, Any] = {"kind": kind, "space": number}
        if after is not None:
            self._log.write({**line, "begun": after})
        line["at"], began = time.time(), time.perf_counter()
        try:
            found = call()
        except Exception as error:  # noqa: BLE001  it is told, and counted as what it is
            found = {"end": type(error).__name__, "why": str(error)[:300]}
        line["ms"] = 1000 * (time.perf_counter() - began)
        ended = found.get("end", "ok")
        if ended == "ok" and after is not None:
            line["after"] = after
        self._log.write({**line, **found, "end": ended})
        if ended != "ok":
            time.sleep(BREATH)
        return bool(ended == "ok")

    def _changing(self, call: Callable[[], Receipt]) -> Callable[[], After]:
        return lambda: {"op": _whole(call())}

    # choosing

    def _space(self) -> int:
        return self._random.randrange(len(self._server.handles))

    def _taken(self) -> Own | None:
        """A memory of this client, which is its own again only after an acknowledged call."""
        return self._own.pop(self._random.randrange(len(self._own))) if self._own else None

    def _words(self, count: int) -> str:
        return " ".join(self._random.choices(WORDS, k=count))

    def new_text(self, number: int) -> tuple[str, str]:
        """A text that nobody else has, with the mark of its space, and the code in it."""
        self._serial += 1
        code = f"QX-{self._label}-{self._serial:06}"
        return f"{self._words(12)} mark{number:04} {code}", code


def _whole(receipt: Receipt) -> str:
    if receipt.skipped or receipt.failed or not receipt.succeeded:
        raise Refused(f"{receipt.verb} left something out: {[*receipt.skipped, *receipt.failed]}")
    return receipt.operation_id


class Refused(GlymphError):
    """A call that returned and had not done what it was asked."""


def main() -> None:
    url, path, label, *numbers = sys.argv[1:]
    spaces, threads, seed = map(int, numbers)
    log, stop = Log(Path(path)), threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    with Glymph.open(url, space=space_name(0), actor=label, embedder="none", create=False) as glymph:
        server = Server(glymph, spaces)
        clients = [
            threading.Thread(target=Client(server, log, f"{label}{n}", seed + n).run, args=(stop,))
            for n in range(threads)
        ]
        for client in clients:
            client.start()
        for client in clients:
            client.join()


if __name__ == "__main__":
    main()

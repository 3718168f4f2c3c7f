"""Sixteen clients search and add over HTTP; then the server is killed while others write."""

from __future__ import annotations

import http.client
import random
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.harness.contract import Figure, Figures, Options
from benchmarks.harness.corpus import Corpus
from benchmarks.harness.served import ServedProcess, served_process
from glymph import Glymph

QUESTION = "How many requests does one server answer, and what does it lose when it is killed?"

CONNECTIONS, MEMORIES, MINUTES = 16, 10_000, 0.5
SEARCHES = 0.8  # of all requests
ALONE = 50  # searches by the library itself: the limit of what can be served
WARM_S = 3.0  # before the memory in use is noted
FRESH_S = 15.0  # of load on a server just started, whose memory is compared
WRITERS, UNTIL_KILL = 4, 60  # adds that are acknowledged before the server is killed


@dataclass(slots=True)
class Client:
    """What one connection was answered."""

    searches: list[float] = field(default_factory=list)  # seconds
    adds: list[float] = field(default_factory=list)
    errors: int = 0


def run(options: Options) -> Figures:
    """Rates and times are of this machine, which the clients share; errors and losses must be 0."""
    seconds = 60 * (options.minutes if options.minutes is not None else MINUTES * options.scale)
    with tempfile.TemporaryDirectory(prefix="glymph-serve-") as name:
        folder = Path(name)
        url = f"sqlite:///{folder / 'memory.db'}"
        corpus = Corpus(options.seed)
        with Glymph.open(url, embedder="none", reader="none") as glymph:
            glymph.add_many(corpus.texts(options.count(MEMORIES, least=50)))
            alone = _search_alone(glymph, corpus)
        with served_process(url, folder) as server:
            clients, wall, begin, end = _load(server, max(seconds, 1.0), options.seed)
        with served_process(url, folder) as server:
            *_, fresh = _load(server, min(FRESH_S, max(seconds, 1.0)), options.seed + CONNECTIONS)
        lost, twice, retried, sound = _kill(url, folder)
    searches = sorted(one for client in clients for one in client.searches)
    adds = sum(len(client.adds) for client in clients)
    return {
        "connections": Figure(CONNECTIONS, "clients at once, each on a connection of its own"),
        "search_per_s": Figure(
            len(searches) / wall, "searches by words answered in a second", limit=alone
        ),
        "library_search_per_s": Figure(alone, "by the library itself, one thread, nobody about"),
        "search_p50_ms": Figure(1000 * _quantile(searches, 0.5), "half of them took at most this"),
        "search_p99_ms": Figure(1000 * _quantile(searches, 0.99), "99 of 100 took at most this"),
        "add_per_s": Figure(adds / wall, "memories added in a second, meanwhile"),
        "errors": Figure(sum(one.errors for one in clients), "other answers than 2xx", exactly=0),
        "rss_growth_mb": Figure(end - begin, "growth of the server's memory after a short warm-up"),
        "rss_mb": Figure(end, "its memory in the end"),
        "rss_fresh_mb": Figure(fresh, "of a server just started on the store as it had grown"),
        "retried": Figure(retried, "adds sent again after a kill -9, with the same key"),
        "lost": Figure(lost, "acknowledged adds that were gone after it", exactly=0),
        "twice": Figure(twice, "adds that were applied twice, or counted as used", exactly=0),
        "verify_ok": Figure(int(sound), "1 if verify() finds nothing wrong", exactly=1),
    }


def _load(
    server: ServedProcess, seconds: float, seed: int
) -> tuple[list[Client], float, float, float]:
    """Return what clients were answered, the time it took, and the memory early and at the end."""
    clients, begin = [Client() for _ in range(CONNECTIONS)], time.monotonic()
    end = begin + seconds
    threads = [
        threading.Thread(target=_ask, args=(server, client, seed + number, end))
        for number, client in enumerate(clients)
    ]
    for one in threads:
        one.start()
    time.sleep(min(WARM_S, seconds / 2))
    before = server.resident_mb()
    for one in threads:
        one.join()
    return clients, time.monotonic() - begin, before, server.resident_mb()


def _ask(server: ServedProcess, client: Client, seed: int, end: float) -> None:
    corpus, choose = Corpus(seed), random.Random(seed)
    line = server.connect()
    while (began := time.monotonic()) < end:
        search = choose.random() < SEARCHES
        if search:
            status, _ = line.post("/v1/search", {"query": corpus.text(3)})
        else:
            status, _ = line.post("/v1/memories", {"text": corpus.text()})
        if status >= 300:
            client.errors += 1
        (client.searches if search else client.adds).append(time.monotonic() - began)
    line.close()


def _search_alone(glymph: Glymph, corpus: Corpus) -> float:
    """Measure what one thread of the library finds in a second, with nobody else about."""
    glymph.search(corpus.text(3))  # opens what stays open
    began = time.monotonic()
    for _ in range(ALONE):
        glymph.search(corpus.text(3))
    return ALONE / (time.monotonic() - began)


def _quantile(values: list[float], share: float) -> float:
    return values[min(len(values) - 1, int(share * len(values)))] if values else 0.0


def _kill(url: str, folder: Path) -> tuple[int, int, int, bool]:
    """Kill the server while clients write, send again what got no answer, and count."""
    acknowledged: dict[str, str] = {}  # text → id
    unanswered: list[str] = []
    enough = threading.Event()
    with served_process(url, folder) as server:
        threads = [
            threading.Thread(target=_write, args=(server, at, acknowledged, unanswered, enough))
            for at in range(WRITERS)
        ]
        for one in threads:
            one.start()
        enough.wait(60)
        server.process.kill()
        for one in threads:
            one.join()
    told = dict(acknowledged)
    with served_process(url, folder) as server:
        line = server.connect()
        for text in (*unanswered, *list(told)[:5]):
            status, data = line.post("/v1/memories", {"text": text}, {"Idempotency-Key": text})
            if status < 300:
                acknowledged[text] = data["id"]
        line.close()
    with Glymph.open(url, embedder="none", reader="none") as glymph:
        found = {one.id: one for text in acknowledged for one in [glymph.get(acknowledged[text])]}
        lost = sum(found[told[text]].text != text for text in told)
        twice = sum(told.get(text, one) != one for text, one in acknowledged.items())
        twice += sum(one.access_count > 0 for one in found.values())
        return lost, twice, len(unanswered) + min(5, len(told)), glymph.verify().ok


def _write(
    server: ServedProcess, at: int, acknowledged: dict[str, str], unanswered: list[str],
    enough: threading.Event,
) -> None:  # fmt: skip
    line, number = server.connect(), 0
    while True:
        number += 1
        text = f"writer{at}-note{number}"
        try:
            status, data = line.post("/v1/memories", {"text": text}, {"Idempotency-Key": text})
        except (OSError, http.client.HTTPException):
            unanswered.append(text)
            break
        if status < 300:
            acknowledged[text] = data["id"]
        if len(acknowledged) >= UNTIL_KILL:
            enough.set()
    line.close()

"""What the dashboard costs: Home over 100,000 memories, the graph of 10,000, and the largest page.

The server's figures are CPU of this process, in which nothing but the application runs. The graph
is drawn by a real browser without a graphics card, which is the worst there is.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import uvicorn
from fastapi import FastAPI

from benchmarks.harness import grown
from benchmarks.harness.contract import Figure, Figures, Options, Unavailable
from glymph import Glymph
from glymph.dashboard.mount import add_pages
from glymph.dashboard.page import all_pages
from glymph.mcp.spaces import Handles
from glymph.service.access import Access, Role
from glymph.service.app import make_app
from glymph.service.serving import OpenGate, Service
from glymph.store import columns

QUESTION = "What does a look at the dashboard cost, of the server and of the browser?"

MEMORIES, NODES, REPEATS, MOVES = 100_000, 10_000, 7, 120
MOST_KB = 300
IDLE = """async (frames) => {
  const between = [];
  let last = performance.now();
  for (let frame = 0; frame < frames; frame++) {
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    between.push(now - last);
    last = now;
  }
  return between;
}"""
MOVE = """async (moves) => {
  const canvas = document.getElementById("canvas"), between = [];
  canvas.frames.length = 0;
  let last = performance.now();
  for (let move = 0; move < moves; move++) {
    const away = move < moves / 2 ? -40 : 40;
    canvas.dispatchEvent(new WheelEvent("wheel", {deltaY: away, clientX: 500, clientY: 400, bubbles: true}));
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    between.push(now - last);
    last = now;
  }
  return [canvas.frames.slice(), between];
}"""


def run(options: Options) -> Figures:
    """Measure the server in this process, then the graph in a browser."""
    chromium = shutil.which("chromium")
    if chromium is None:
        raise Unavailable("needs a browser. Install it with `apt-get install chromium`.")
    with tempfile.TemporaryDirectory(prefix="glymph-dashboard-") as name:
        many = _copy(grown.planted(options.count(MEMORIES, least=200), options.seed), name, "many")
        few = _copy(grown.planted(options.count(NODES, least=200), options.seed), name, "few")
        figures = _measure_server(many, options.count(REPEATS))
        with _serve(few) as address:
            figures |= _measure_graph(address, chromium, options.count(MOVES, least=10))
    return figures


def _copy(file: Path, folder: str, name: str) -> Path:
    return Path(shutil.copy(file, Path(folder) / f"{name}.db"))


def _application(glymph: Glymph) -> FastAPI:
    operator = Access("operator", "user", ("*",), Role.ADMIN)
    app = make_app(Service(Handles(glymph), OpenGate(operator)))
    add_pages(app)
    return app


def _measure_server(file: Path, repeats: int) -> dict[str, Figure]:
    new = file.with_name("empty.db")
    with Glymph.open(f"sqlite:///{new}", embedder="none", reader="none") as empty:
        loading = _cpu(_application(empty), "/")
    with Glymph.open(f"sqlite:///{file}", embedder="none", reader="none") as glymph:
        app = _application(glymph)
        _ask(app, "/login")  # routes are put together at the first request
        first = _cpu(app, "/")
        columns.refresh(glymph.context.store, glymph.space)  # as the gardener does every day
        home = statistics.median(_cpu(app, "/") for _ in range(repeats))
        glymph.analyze()
        tasks = statistics.median(_cpu(app, "/home/curation") for _ in range(3))
        sizes = {page.path: len(_ask(app, page.path)) / 1000 for page in all_pages()}
        largest = max(sizes, key=lambda path: sizes[path])
    told = "CPU milliseconds of Home over 100,000 memories and 300,000 links"
    return {
        "home_cpu_ms": Figure(1000 * home, told, at_most=200.0),
        "home_first_cpu_ms": Figure(
            1000 * first, "the first look of all, before upkeep ever kept columns", at_most=200.0
        ),
        "home_loading_cpu_ms": Figure(
            1000 * loading, "once a process: loading the program, with a look at an empty store"
        ),
        "curation_cpu_ms": Figure(1000 * tasks, "the tasks that Home asks for later"),
        "largest_page_kb": Figure(sizes[largest], f"the largest page, {largest}", at_most=MOST_KB),
    }


def _cpu(app: FastAPI, path: str) -> float:
    before = time.process_time()
    _ask(app, path)
    return time.process_time() - before


def _ask(app: FastAPI, path: str) -> bytes:
    """Return the body of a page, asked without a network."""
    body = bytearray()
    status = 0

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        nonlocal status
        status = message.get("status", status)
        body.extend(message.get("body", b""))

    scope = {
        "type": "http", "http_version": "1.1", "method": "GET", "path": path, "query_string": b"",
        "raw_path": path.encode(), "headers": [(b"host", b"localhost")], "scheme": "http",
        "server": ("localhost", 80), "client": ("localhost", 1), "root_path": "",
    }  # fmt: skip
    anyio.run(app, scope, receive, send)
    if status != 200:
        raise RuntimeError(f"{path} answers {status}: {bytes(body[:300])!r}")
    return bytes(body)


@contextmanager
def _serve(file: Path) -> Iterator[str]:
    with Glymph.open(f"sqlite:///{file}", embedder="none", reader="none") as glymph:
        config = uvicorn.Config(
            _application(glymph), host="127.0.0.1", port=0, log_level="error", lifespan="off",
            timeout_graceful_shutdown=1,
        )  # fmt: skip
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        server.should_exit = True
        thread.join(10)


def _measure_graph(address: str, chromium: str, moves: int) -> dict[str, Figure]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1180, "height": 820})
        page.set_default_timeout(60_000)
        began = time.perf_counter()
        page.goto(f"{address}/graph")
        page.locator("canvas[data-ready]").wait_for()
        ready = time.perf_counter() - began
        size = page.evaluate(
            "performance.getEntriesByType('resource').find(one => one.name.includes('graph/data'))"
            ".decodedBodySize"
        )
        idle = sorted(page.evaluate(IDLE, moves))
        far = page.evaluate(MOVE, moves)
        page.locator("canvas").focus()
        for _ in range(6):
            page.keyboard.press("+")
        near = page.evaluate(MOVE, moves)
        browser.close()
    drawn, between = sorted(far[0] + near[0]), sorted(far[1] + near[1])
    return {
        "graph_frame_p95_ms": Figure(
            _p95(between), "from frame to frame while one zooms through 10,000 memories",
            limit=_p95(idle),
        ),
        "idle_frame_p95_ms": Figure(_p95(idle), "from frame to frame where nothing is drawn"),
        "graph_draw_p95_ms": Figure(_p95(drawn), "of that, drawing on the canvas"),
        "graph_ready_s": Figure(ready, "from the click to the picture"),
        "graph_data_kb": Figure(size / 1000, "of JSON, before it is compressed"),
    }  # fmt: skip


def _p95(values: list[float]) -> float:
    return values[min(len(values) - 1, int(0.95 * len(values)))]

"""A store that has lived for a year, and a server with its pages."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import uvicorn

from glymph import Glymph
from glymph.dashboard.mount import add_pages
from glymph.errors import Unauthorized
from glymph.mcp.spaces import Handles
from glymph.service.access import Access, Role
from glymph.service.app import make_app
from glymph.service.serving import Service
from glymph.write.question_queue import raise_question

TOKEN = "glymph_operator-of-these-tests"
READER = "glymph_somebody-who-only-looks"
STALE = (
    "The balcony gets a tomato bed of two square metres.",
    "The tomato bed on the balcony needs eighty litres of soil.",
    "The garden centre delivers soil for the tomato bed on Thursdays.",
    "Anna wants two kinds of tomatoes in the tomato bed, a red and a yellow one.",
    "The tomato bed faces south and dries out by noon in July.",
)
FRESH = (
    ("preference", "Anna drinks her coffee black, without sugar."),
    ("fact", "Anna's flat is on the third floor and has no lift."),
    ("lesson", "Reports that Anna reads before nine are answered the same day."),
    ("fact", "The backup of the office server runs at two in the night."),
    ("decision", "Invoices are sent on the first working day of the month."),
    ("goal", "Move the newsletter to its own domain before Easter."),
)
PERSON = (
    "Peter Miller of the garden centre can be reached at peter.miller@example.org.",
    "Peter Miller prefers to be called after lunch.",
)
WILD = (
    "<script>document.title='stolen'</script><img src=x onerror=\"document.title='stolen'\"> **bold** [a](javascript:alert(1))",
    "\u202eright to left\u202c שלום עולם مرحبا بالعالم and back",
    "\x1b[31mred\x1b[0m and 🍅👩‍👩‍👧‍👦 and \U000e0041\U000e0042 tags",
    "{{ 7 * 7 }} {% raw %} ${7*7} &amp; \"quotes\" 'single' </title></textarea>",
)


class Clock:
    """The time of a story, which ends in the present."""

    def __init__(self, days_ago):
        self.offset = timedelta(days=-days_ago)

    def __call__(self):
        return datetime.now(UTC) + self.offset


def live(url, *, more=0):
    """Plays a year into a store: something used, something gone stale, a question, a person."""
    clock = Clock(300)
    with Glymph.open(url, actor="agent", clock=clock, embedder="none", reader="none") as memory:
        first = memory.add(STALE[0], kind="decision").id
        for text in STALE[1:]:
            memory.add(text, kind="note", links=[first])
        for text in (*PERSON, *WILD):
            memory.add(text, kind="fact")
        for kind, text in FRESH:
            memory.add(text, kind=kind)
        if more:
            memory.add_many(
                [f"Reading number {k} of the meter in house {k % 97}." for k in range(more)]
            )
        lesson = memory.add(
            "Deploys after four in the afternoon are rolled back more often.",
            kind="lesson",
            wait=True,
        ).id
        for number, week in enumerate((40, 30, 20, 10)):
            clock.offset = timedelta(days=-7 * week)
            episode = memory.add(
                f"Deploy {number + 1} of the shop went out at {15 + number} o'clock.", kind="event"
            ).id
            memory.link(lesson, episode, "generalizes")
            for text in ("coffee", "third floor", "reports", "backup"):
                memory.recall(text, limit=1, reinforce=True)
        against = memory.add("The deploy of Friday at five o'clock went well.", kind="event").id
        memory.link(against, lesson, "contradicts")
        clock.offset = timedelta(days=-5)
        old = memory.add("The office closes at six in the evening.", kind="fact").id
        gone = memory.add("The printer on the second floor is out of toner.", kind="note").id
        clock.offset = timedelta(days=-3)
        memory.supersede(old, "The office closes at seven in the evening.")
        memory.delete([gone], reason="the toner was changed")
        clock.offset = timedelta(days=-2)
        memory.conversations("store").append(
            "shop", {"role": "user", "content": "When does the office close?"},
            {"role": "assistant", "content": "At seven in the evening."},
        )  # fmt: skip
        clock.offset = timedelta(days=-1)
        ask(memory)


def ask(memory):
    """Puts a question about two statements that only a person can choose between."""
    older = memory.add("The stand-up meeting is at nine o'clock.", kind="fact").id
    newer = memory.add("The stand-up meeting is at half past nine.", kind="fact").id
    memory.settle()
    waiting = {(one.older, one.newer) for one in memory.questions()}
    if (older, newer) not in waiting:
        with memory.context.operation("reconcile") as op:
            reason = "they give two times for one thing"
            raise_question(memory.context, op, "contradicts", older, newer, reason)


class Gate:
    """Knows two people, until one of them is shut out."""

    def __init__(self):
        self.known = {
            TOKEN: Access("operator", "user", ("*",), Role.ADMIN),
            READER: Access("reader", "reader", ("default",), Role.READ, "t1"),
        }

    def recall(self, token):
        return None

    def admit(self, token):
        if token not in self.known:
            raise Unauthorized
        return self.known[token]


class Served:
    """A server with the pages of a store, which can be stopped and started again."""

    def __init__(self, url, port=0):
        self.url, self.port, self.gate = url, port, Gate()
        self.start()

    def start(self):
        self.glymph = Glymph.open(self.url, actor="user", embedder="none", reader="none")
        self.service = Service(Handles(self.glymph, any_space=True), self.gate)
        app = make_app(self.service)
        self.links = add_pages(app)
        config = uvicorn.Config(
            app, host="127.0.0.1", port=self.port, log_level="error", ws="none", lifespan="off",
            timeout_graceful_shutdown=1,
        )  # fmt: skip
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)
        self.port = self.server.servers[0].sockets[0].getsockname()[1]

    def stop(self):
        self.server.should_exit = True
        self.thread.join(10)
        self.glymph.close()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def serving(url):
    served = Served(url)
    try:
        yield served
    finally:
        served.stop()

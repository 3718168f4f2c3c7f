"""Two servers on one PostgreSQL: writes through both at once, and one is killed in the midst."""

from __future__ import annotations

import http.client
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress

import pytest

from benchmarks.harness.served import served_process
from glymph import Glymph

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kills processes")

WRITERS, UNTIL_KILL, AFTER, SHARED, STEPS = 2, 16, 6, 6, 20
PATIENCE = 60.0
# The real command; its times are shorter, and it has one more job, whose steps can be counted.
SERVER = f"""
import time
from datetime import timedelta
from glymph.cli.main import main
from glymph.jobs import daemon, registry, schedule
from glymph.jobs.job import Job
from glymph.testing.builders import memory_row
from glymph.upkeep import leases

def run(ctx, trigger):
    while True:
        with ctx.reading() as reader:
            done = reader.counter("steps") or 0
        if done >= {STEPS} or trigger.stop.is_set():
            return {{"steps": done}}
        time.sleep(0.05)
        with ctx.operation("add") as doing:
            doing.writer.insert("memories", [memory_row(f"step {{done:03}}")])
            doing.writer.set_counter("steps", (doing.writer.counter("steps") or 0) + 1)

schedule.REST = timedelta(seconds=0.5)
leases.LASTS, leases.RENEWED = 2.0, 0.4
daemon.LATER = daemon.SECOND
daemon.run.__kwdefaults__["look"] = 1.0
every = (Job(name="tally", every=timedelta(days=1), order=10, run=run),)
registry.all_jobs = lambda: every
import glymph.service.routes.upkeep as upkeep
upkeep.all_jobs = registry.all_jobs
main()
"""


class Notes:
    """What was acknowledged, by text; and what has to be sent again."""

    def __init__(self):
        self.made, self.unanswered = {}, []
        self.killed, self.enough = threading.Event(), threading.Event()

    def send(self, server, text):
        key = {"Idempotency-Key": text.replace(" ", "-")}
        with closing(server.connect()) as line:
            status, data = line.post("/v1/memories", {"text": text}, key)
        assert status == 201, data
        assert self.made.setdefault(text, data["id"]) == data["id"]
        if len(self.made) >= UNTIL_KILL:
            self.enough.set()

    def write(self, server, name):
        left, number = AFTER, 0
        while left:
            number, text = number + 1, f"{name} wrote note {number}"
            try:
                self.send(server, text)
            except (OSError, http.client.HTTPException):
                self.unanswered.append(text)
                return
            left -= self.killed.is_set()


def listen(server, heard, ready):
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    with closing(line), suppress(OSError, http.client.HTTPException):  # until the server ends
        line.request("GET", "/v1/events")
        for row in line.getresponse():
            ready.set()
            if row.startswith(b"id: "):
                heard.add(row[4:].strip().decode())


def post(server, path, body):
    with closing(server.connect()) as line:
        return line.post(path, body)[0]


def test_two_servers_lose_nothing_and_do_nothing_twice(empty_postgres_store, tmp_path):
    notes, heard, ready = Notes(), set(), threading.Event()
    with (
        Glymph.open(empty_postgres_store) as here,
        ExitStack() as stack,
        ThreadPoolExecutor() as pool,
    ):
        servers = [
            served_process(empty_postgres_store, tmp_path, program=("-c", SERVER)) for _ in "12"
        ]
        one, two = pool.map(stack.enter_context, servers)
        ear = threading.Thread(target=listen, args=(two, heard, ready))
        ear.start()
        stack.callback(ear.join, PATIENCE)  # before the servers end
        stack.callback(two.process.kill)
        assert ready.wait(PATIENCE)
        due = pool.map(lambda at: post(at, "/v1/jobs/tally", {}), (one, two))
        assert list(due) == [202, 202]
        for number in range(SHARED):  # the same request, to both at once
            text = f"both were told note {number}"
            list(pool.map(lambda at, text=text: notes.send(at, text), (one, two)))
        writers = [
            pool.submit(notes.write, at, f"writer {name} of {number}")
            for number, at in enumerate((one, two))
            for name in range(WRITERS)
        ]
        assert notes.enough.wait(PATIENCE)
        one.process.kill()
        one.process.wait(PATIENCE)
        notes.killed.set()
        for writer in writers:
            writer.result(PATIENCE)
        assert notes.unanswered
        for text in (*notes.unanswered, *list(notes.made)[:4]):  # also of the one that is gone
            notes.send(two, text)
        wait_for(lambda: count_steps(here) == STEPS)
        time.sleep(1.5)  # in which a job that is run twice would go on
        check(here, notes)
        wait_for(lambda: heard >= find_adds(here))


def wait_for(done):
    until = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < until
        time.sleep(0.2)


def count_steps(here):
    with here.context.reading() as reader:
        return reader.counter("steps") or 0


def find_adds(here):
    return {one.id for one in here.operations(limit=500) if one.verb == "add"}


def check(here, notes):
    found = here.list(limit=500).items
    texts = [one.text for one in found]
    for text, made in notes.made.items():
        assert here.get(made).text == text
        assert texts.count(text) == 1
        assert here.get(made).access_count == 0
    steps = sorted(text for text in texts if text.startswith("step "))
    assert steps == [f"step {number:03}" for number in range(STEPS)]
    assert here.verify().ok

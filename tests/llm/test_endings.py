"""However a process ends while a command is asked: nothing of the command is left."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import pytest

from glymph import Glymph
from glymph.jobs import spool
from glymph.upkeep import queue
from tests.llm.test_command import PATIENCE, _ends

HANGS = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(999)"])
open(sys.argv[1], "w").write(f"{os.getpid()} {child.pid}\\n")
time.sleep(999)
"""
ASKS = """
import sys, threading
from glymph.llm.dialogue import Message
from glymph.llm.providers.command import CommandModel
ask = lambda: CommandModel(sys.argv[1]).complete([Message("user", "?")], timeout=600)
"""


@pytest.fixture
def hanging(tmp_path):
    """The command line of a model that hangs, and a file.

    In the file the model tells its number and its child's.
    """
    program, pids = tmp_path / "hangs.py", tmp_path / "pids"
    program.write_text(HANGS)
    return shlex.join([sys.executable, str(program), str(pids)]), pids


def told(pids):
    deadline = time.monotonic() + PATIENCE
    while not (pids.exists() and pids.read_text().endswith("\n")):
        assert time.monotonic() < deadline, "the model was never asked"
        threading.Event().wait(0.01)
    return [int(pid) for pid in pids.read_text().split()]


@contextmanager
def started(*words, **more):
    process = subprocess.Popen([sys.executable, *words], stderr=subprocess.PIPE, text=True, **more)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (signal.SIGINT, -signal.SIGINT),
        (signal.SIGTERM, -signal.SIGTERM),
        (signal.SIGHUP, -signal.SIGHUP),
    ],
)
def test_a_signal_that_ends_the_process_ends_the_command(hanging, number, code):
    line, pids = hanging
    # Tests that run in the background inherit signals that are ignored.
    usual = "default_int_handler" if number == signal.SIGINT else "SIG_DFL"
    heeds = f"import signal; signal.signal({int(number)}, signal.{usual})\n"
    with started("-c", heeds + ASKS + "ask()", line) as process:
        running = told(pids)
        process.send_signal(number)
        assert process.wait(PATIENCE) == code
    assert all(_ends(pid) for pid in running)


def test_a_command_asked_by_another_thread_ends_with_the_interpreter(hanging):
    line, pids = hanging
    code = ASKS + "threading.Thread(target=ask, daemon=True).start(); sys.stdin.read()"
    with started("-c", code, line, stdin=subprocess.PIPE) as process:
        running = told(pids)
        process.stdin.close()
        process.stdin = None
        assert process.wait(PATIENCE) == 0
    assert all(_ends(pid) for pid in running)


def test_a_handler_of_the_program_stays_in_force(hanging):
    line, pids = hanging
    code = "import signal; signal.signal(signal.SIGTERM, lambda *_: exit(7))\n" + ASKS + "ask()"
    with started("-c", code, line) as process:
        running = told(pids)
        process.terminate()
        assert process.wait(PATIENCE) == 7
    assert all(_ends(pid) for pid in running)


def test_after_a_call_signals_are_as_they_were(tmp_path):
    code = (
        ASKS
        + "ask(); import signal; sys.exit(signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL)"
    )
    with started("-c", code, f"{sys.executable} -c pass") as process:
        assert process.wait(PATIENCE) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_that_is_stopped_calls_its_model_off_and_leaves_the_job(hanging, tmp_path, number):
    line, pids = hanging
    home, url = tmp_path / "home", f"sqlite:///{tmp_path}/m.db"
    transcript = tmp_path / "t.jsonl"
    message = {"role": "user", "content": "We decided to use PostgreSQL for the billing service."}
    transcript.write_text(json.dumps({"type": "user", "message": message}) + "\n")
    item = {"event": "session-end", "url": url, "space": "default", "session_id": "s1"}
    spool.drop(home / "spool", item | {"transcript_path": str(transcript)})
    settings = {
        "GLYMPH_HOME": str(home),
        "GLYMPH_MODEL": f"command:{line}",
        "GLYMPH_SPEND_RUN_USD": "9",
    }
    with started("-m", "glymph.hooks.background", env=os.environ | settings) as process:
        running = told(pids)
        process.send_signal(number)
        assert process.wait(PATIENCE) == 0
    assert all(_ends(pid) for pid in running)
    with Glymph.open(url) as g:
        assert [job.report for job in queue.find_waiting(g.context)] == [{}]
        assert g.costs().total.unsettled == 0

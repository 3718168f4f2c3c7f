"""A signal that arrives while the main thread waits, however awkward the moment."""

import subprocess
import sys

import pytest

AWKWARD = """
import signal, threading
from glymph.jobs.signals import stop_on_signals

stop = threading.Event()
stop_on_signals(stop)
with stop._cond:  # where the main thread is for a moment in each `stop.wait`
    signal.raise_signal(signal.{name})
print("told" if stop.wait(20) else "not told")
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_signal_in_the_middle_of_waiting_is_heard(name):
    script = [sys.executable, "-c", AWKWARD.format(name=name)]
    told = subprocess.run(script, capture_output=True, text=True, timeout=60)
    assert told.stdout.strip() == "told", told.stderr


def test_the_second_signal_ends_the_process():
    twice = AWKWARD.format(name="SIGTERM") + "signal.raise_signal(signal.SIGTERM)"
    told = subprocess.run([sys.executable, "-c", twice], capture_output=True, timeout=60)
    assert told.returncode == -15

"""The memory of a server's threads."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys

import pytest

from glymph.service import heap

THREADS = """
import ctypes, sys, threading
from glymph.service.heap import bound_heaps
bounded = bound_heaps() if sys.argv[1] == "bounded" else None
library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p
every = threading.Barrier(6)
def work():
    every.wait()
    library.malloc(1000)
    every.wait()
threads = [threading.Thread(target=work) for _ in range(6)]
for one in threads: one.start()
for one in threads: one.join()
library.malloc_info(0, ctypes.c_void_p.in_dll(library, "stdout"))
library.fflush(None)
"""


def count_heaps(how):
    command = [sys.executable, "-c", THREADS, how]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return len(re.findall("<heap nr=", said))


@pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "malloc_info"), reason="the C library has no such setting"
)
def test_the_threads_of_a_server_share_few_heaps():
    assert count_heaps("as it is") > heap.HEAPS
    assert count_heaps("bounded") <= heap.HEAPS


FRAGMENTS = """
import ctypes, sys, threading
from glymph.service.heap import give_back, giving_back
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p
library.free.argtypes = [ctypes.c_void_p]
held = [library.malloc(4000) for _ in range(16_000)]
for one in held:
    ctypes.memset(one, 1, 4000)
library.malloc(4000)  # stays, above all others
for one in held:
    library.free(one)
full = resident()
if sys.argv[1] == "while serving":
    given = threading.Event()
    with giving_back(between=0.01):
        while resident() > full - 30_000_000:
            given.wait(0.01)
else:
    give_back()
print(full - resident())
"""


@pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="the C library has no such function"
)
@pytest.mark.parametrize("how", ["at once", "while serving"])
def test_freed_memory_below_what_stays_is_given_back(how):
    command = [sys.executable, "-c", FRAGMENTS, how]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    assert int(said) > 30_000_000

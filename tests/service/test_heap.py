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

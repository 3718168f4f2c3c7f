"""CPU seconds of this process, of children, and of one that still runs; and resident memory.

Wall time misleads on a busy machine.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from benchmarks.harness.contract import Unavailable

T = TypeVar("T")


def timed(call: Callable[[], T]) -> tuple[float, T]:
    """The CPU seconds this process spent in a call, and what the call gave back."""
    before = time.process_time()
    result = call()
    return time.process_time() - before, result


def children_cpu() -> float:
    """The CPU seconds of every child that has ended and was waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def command_cpu(command: Sequence[str]) -> float:
    """The CPU seconds of a command from start to end."""
    before = children_cpu()
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    return children_cpu() - before


def running_cpu(pid: int) -> float:
    """The CPU seconds a process that still runs has spent so far, all its threads together."""
    if sys.platform != "linux":
        raise Unavailable(
            "reads the CPU time of a running process, which only Linux tells. Run it there."
        )
    # How Linux numbers the CPU clock of another process (clock_getcpuclockid): nanoseconds instead
    # of the
    # 10 ms ticks of /proc.
    return time.clock_gettime(~pid << 3 | 2)


def peak_mb() -> float:
    """The most memory this process had.

    On Linux `ru_maxrss` may be that of the process that started it.
    """
    try:
        with Path("/proc/self/status").open(encoding="utf-8") as lines:
            return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1000
    except FileNotFoundError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_000_000  # bytes on macOS


def resident_mb() -> float:
    """The resident memory of this process."""
    if sys.platform != "linux":
        raise Unavailable("reads the resident memory of a process, as Linux tells it.")
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

"""Figures of the process for Prometheus: requests by route and status, and how long they took."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(slots=True)
class Metrics:
    """What was counted since the process began. It says nothing about what any space holds."""

    _requests: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    _within: Counter[float] = field(default_factory=Counter)
    _seconds: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Counts a request that was answered."""
        with self._lock:
            self._requests[(method, route, status)] += 1
            self._seconds += seconds
            for bound in BOUNDS:
                self._within[bound] += seconds <= bound

    def render(self) -> str:
        """Returns all figures in Prometheus' text format."""
        with self._lock:
            return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield "# HELP glymph_requests_total Requests that were answered."
        yield "# TYPE glymph_requests_total counter"
        for (method, route, status), number in sorted(self._requests.items()):
            labels = f'method="{method}",route="{route}",status="{status}"'
            yield f"glymph_requests_total{{{labels}}} {number}"
        yield "# HELP glymph_request_seconds How long requests took."
        yield "# TYPE glymph_request_seconds histogram"
        total = self._requests.total()
        for bound in BOUNDS:
            yield f'glymph_request_seconds_bucket{{le="{bound:g}"}} {self._within[bound]}'
        yield f'glymph_request_seconds_bucket{{le="+Inf"}} {total}'
        yield f"glymph_request_seconds_sum {self._seconds:.6f}"
        yield f"glymph_request_seconds_count {total}"
        if resident := read_resident_bytes():
            yield "# HELP process_resident_memory_bytes Memory in use."
            yield "# TYPE process_resident_memory_bytes gauge"
            yield f"process_resident_memory_bytes {resident}"


def read_resident_bytes() -> int | None:
    """Returns the memory of this process; None where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGESIZE")

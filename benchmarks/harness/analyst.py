"""A process that opens a store, has it analysed and tells what that cost.

The cost counts from its first instruction on.

`python -m benchmarks.harness.analyst FILE` goes from the file to the stored, ranked plan once, the
way any program would. Nothing is imported here that such a program would not need.
"""

from __future__ import annotations

import json
import sys
import time
from datetime import UTC, datetime, timedelta

NOW = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(
    microseconds=1_785_000_000_000_000
)  # when `grown` stores end


def main(file: str) -> None:
    begun = time.process_time()  # of the process, so it counts what starting Python took
    from glymph import Glymph

    imported = time.process_time()
    with Glymph.open(
        f"sqlite:///{file}", embedder="none", clock=lambda: NOW, create=False
    ) as glymph:
        opened = time.process_time()
        plan = glymph.analyze()
        done = time.process_time()
    costs = {
        "python": begun, "import": imported - begun, "open": opened - imported, "analyze": done - opened,
    }  # fmt: skip
    groups, isolated = plan.totals.connected_groups, plan.totals.isolated
    found = {
        "groups": groups,
        "isolated": isolated,
        "listed": len(plan.groups),
        "members": len(plan.node_ids),
    }
    from benchmarks.harness.clocks import peak_mb

    print(json.dumps({"costs": costs, "peak_mb": peak_mb(), **found}))


if __name__ == "__main__":
    main(sys.argv[1])

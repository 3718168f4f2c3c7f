"""Remember, find, let time pass, prune and undo. Run it: python examples/quickstart.py"""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from glymph import Glymph


def main() -> None:
    now = datetime(2026, 1, 5, 9, tzinfo=UTC)
    with (
        tempfile.TemporaryDirectory() as folder,
        # Without `clock` it is the real time; without `embedder` the local model, if installed.
        Glymph.open(
            f"sqlite:///{Path(folder, 'agent.db').as_posix()}", clock=lambda: now, embedder="none"
        ) as memory,
    ):
        tea = memory.add("Anna prefers green tea to coffee.", kind="preference", entities=["Anna"])
        fair = memory.add("The book fair is on 14 March in hall 3.", kind="event")
        memory.add("Tickets for the book fair cost 12 euros.", kind="fact", links=[str(fair.id)])
        memory.pin(str(tea.id), reason="she said so twice")

        print("Found:")
        for hit in memory.search("What does Anna like to drink?", limit=3):
            print(f"  {hit.score:.2f}  {hit.memory.text}")

        now += timedelta(days=300)
        plan = memory.analyze()
        print(f"300 days later a plan would archive {len(plan.node_ids)} memories:")
        for group in plan.groups:
            print(f"  {group.label} ({', '.join(group.reasons)})")

        receipt = memory.prune(plan)
        left = [one.text for one in memory.list()]
        print(f"Pruned {len(receipt.succeeded)}; left: {left}")

        back = memory.undo(receipt.operation_id)
        print(f"Undone: {len(back.succeeded)} are back. Sound: {memory.verify().ok}")


if __name__ == "__main__":
    main()

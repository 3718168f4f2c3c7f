"""Makes tests/store/schemas/vN.db.gz, a small store of today's schema.

It is for the upgrade tests of tomorrow.

Run once per schema, before it is released: python tests/store/make_schema_fixture.py
"""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

from glymph import Glymph
from glymph.store.backends.sqlite import migrations
from glymph.testing import FrozenClock


def live(url: str) -> None:
    """A few days that leave a row in every journalled table, an undo and something in the trash."""
    clock = FrozenClock()
    with Glymph.open(url, clock=clock) as g:
        home = g.add("I live in Berlin", kind="fact", tags=["home"], attributes={"city": "Berlin"})
        office = g.add("The office is near the river", links=[(home.id, "related_to")])
        clock.advance(days=3)
        recalled = g.recall("office")
        g.report(recalled.id, used=[office.id])
        g.update(home.id, text="I live in Lisbon now", reason="moved")
        g.archive(office.id)
        g.undo()
        g.clusters.create("places")
        g.clusters.add("places", [home.id, office.id])
        g.write("Remember Lisbon.")
        g.delete(office.id)
        history = g.conversations(
            "store", settings={"unit": "messages", "consolidation_threshold": 2}
        )
        history.append(
            "moving", *({"role": "user", "content": f"Box {at} goes to Lisbon."} for at in range(4))
        )
        history.build("moving")


if __name__ == "__main__":
    target = Path(__file__).parent / "schemas" / f"v{migrations.NEWEST}.db.gz"
    with tempfile.TemporaryDirectory() as folder:
        live(f"sqlite:///{folder}/memory.db")
        target.write_bytes(gzip.compress(Path(folder, "memory.db").read_bytes(), mtime=0))

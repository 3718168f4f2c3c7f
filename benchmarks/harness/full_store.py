"""A small store with a row in every table, as a year of use would leave it."""

from __future__ import annotations

import random
from pathlib import Path

from glymph import Glymph
from glymph.decay.lifecycle import Curve
from glymph.decay.sections import Section
from glymph.ids import uuid7
from glymph.model import Memory
from glymph.moments import micros
from glymph.testing import FrozenClock
from glymph.testing.embedders import WordEmbedder

KINDS = ("fact", "note", "event", "lesson", "preference", "decision")
PLACES = ("Lisbon", "Oslo", "Kraków", "Nairobi", "Quito", "Osaka")
THINGS = ("backup", "release", "invoice", "router", "garden", "contract", "pump", "archive")
SPACES = ("default", "second")
ASKED = "backup in Lisbon"


def write_store(path: Path, memories: int, *, seed: int) -> None:
    """Write a store whose every table has rows, with undone, purged and superseded memories."""
    clock = FrozenClock()
    draw = random.Random(seed)
    for space in SPACES:
        with Glymph.open(
            f"sqlite:///{path}",
            space=space,
            clock=clock,
            embedder=WordEmbedder(ms=0.01),
            reader="none",
        ) as glymph:
            _live(glymph, clock, draw, memories)
            _keep_books(glymph, micros(clock()))


def _live(glymph: Glymph, clock: FrozenClock, draw: random.Random, count: int) -> None:
    kept = [_add(glymph, draw, number) for number in range(count)]
    clock.advance(days=3)
    for one, other in zip(kept, draw.sample(kept, count // 3), strict=False):
        if one != other:
            glymph.link(one, other, "related_to")
    for asked in range(12):
        recalled = glymph.recall(f"{draw.choice(THINGS)} in {draw.choice(PLACES)}")
        assert recalled.id is not None
        glymph.report(recalled.id, used=[hit.memory.id for hit in recalled.hits[: asked % 3]])
        clock.advance(hours=5)
    glymph.update(kept[0], text="The backup in Lisbon moved to Porto.\nIt runs at 04:30.")
    glymph.supersede(kept[1], "The release comes on Fridays now.")
    glymph.pin(kept[2])
    glymph.archive(kept[3:6])
    glymph.undo(glymph.archive(kept[6:9]).operation_id)
    glymph.delete(kept[9])
    glymph.clusters.create("places")
    glymph.clusters.add("places", kept[10:14])
    glymph.write("Remember the pump in Quito.")
    glymph.forget(kept[14], mode="purge", reason="user_requested", apply=True)
    _talk(glymph)
    clock.advance(days=60)
    glymph.analyze()
    glymph.surface()
    glymph.search(ASKED)


def _add(glymph: Glymph, draw: random.Random, number: int) -> str:
    place, thing = draw.choice(PLACES), draw.choice(THINGS)
    text = (
        f"The {thing} number {number} in {place} costs {draw.randint(10, 999)} euros. "
        f"Ask {draw.choice(('Mira', 'José', 'Anne'))} before it is changed."
    )
    added = glymph.add(
        text,
        kind=draw.choice(KINDS),
        tags=[thing],
        attributes={"place": place, "number": number},
        session=f"session-{number % 5}",
    )
    assert added.id is not None
    return added.id


def _talk(glymph: Glymph) -> None:
    """Leave a conversation in the store, and one more folder of conversations."""
    history = glymph.conversations(
        "store", settings={"unit": "messages", "consolidation_threshold": 6}
    )
    lines = [{"role": "user", "content": f"Box {at} goes to {PLACES[at % 6]}."} for at in range(24)]
    history.append("moving", *lines)
    history.build("moving")


def _keep_books(glymph: Glymph, now: int) -> None:
    """Write the rows of upkeep as its own parts do: books, queues, schedules, a question."""
    ctx = glymph.context
    older, newer = glymph.list(limit=2)
    with ctx.operation("ask") as op:
        op.writer.insert("conflicts", [_question(older, newer, now)])
    with ctx.store.writing(ctx.space, None) as writer:
        for number, job in enumerate(("lifecycle", "consolidate", "embed", "garden")):
            writer.set_schedule(job, due_at=now + number, last_run_at=now, outcome='{"ran": true}')
            writer.set_counter(f"{job}_runs", 40 + number)
            writer.enqueue(
                {"id": f"job-{number}", "job": job, "payload": '{"session": "moving"}', "at": now}
            )
        writer.advance("job-1", step="extract", report='{"extract": "3 kept"}')
        call = writer.reserve(
            {"at": now, "job": "extract", "model": "scripted", "run": "run-1", "tokens_in": 900,
             "tokens_out": 80, "cost_usd": 0.01, "assumed": 0}
        )  # fmt: skip
        writer.settle(call, tokens_in=850, tokens_out=60, cost_usd=0.008, outcome="answered")
        writer.set_transcript("transcript-1", head="0badcafe", offset=4096, at=now)
        writer.adopt_curves({Section.SIGNALS: Curve(0.8, 0.6)}, at=now)
        writer.take_lease("worker-1", now=now, until=now + 60_000_000)
        writer.note_folder("transcripts", "sqlite:///elsewhere.db")


def _question(older: Memory, newer: Memory, now: int) -> dict[str, object]:
    return {
        "id": uuid7(now, b"question"), "older": older.id, "newer": newer.id, "kind": "current",
        "reason": "both may be current", "raised_at": now, "expires_at": now + 10**12,
    }  # fmt: skip

"""Stores to move spaces between, and a space that has something in every table."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass

from glymph import Glymph
from glymph.config import Settings
from glymph.decay.lifecycle import Curve
from glymph.decay.sections import Section
from glymph.forget.purge import purge_certified
from glymph.store import open_store
from glymph.store.portable import CARRIED
from glymph.write.question_queue import raise_question

SECRET = "Zarathustra keeps the spare key under plank 7731"


@dataclass(frozen=True)
class Engines:
    """The URLs of a source and a target, neither of which exists yet."""

    source: str
    target: str

    @contextmanager
    def both(self):
        source, target = (open_store(url, Settings()) for url in (self.source, self.target))
        try:
            yield source, target
        finally:
            source.close()
            target.close()


def done(steps):
    """What a generator gives back, and what it yielded."""
    told = []
    while True:
        try:
            told.append(next(steps))
        except StopIteration as end:
            return end.value, told


def image(store, space):
    """Every row a move takes along, by table."""
    tables = {table: [] for table in CARRIED}
    with store.snapshot(space) as shot:
        for table, row in shot.rows(tables=CARRIED):
            tables[table].append(row)
    return tables


def live_a_little(url, clock, *, space="default"):
    """A space with something in every table.

    Its trash, archive, past, links, plans and all that upkeep keeps.
    """
    settings = {"compare": "off"}
    with Glymph.open(url, space=space, clock=clock, settings=settings) as glymph:
        home = glymph.add("I live in Berlin near the canal", tags=["home"])
        old = glymph.add("Lisbon is sunny in April", links=[(home.id, "related_to")])
        glymph.update(home.id, title="Where I live: «Kreuzberg» 🏠")
        glymph.delete(glymph.add("the umbrella was lost on the tram").id)
        glymph.archive(glymph.add("the old office had a grey door").id)
        glymph.clusters.create("travel")
        glymph.clusters.add("travel", old.id)
        clock.advance(days=2)
        glymph.report(glymph.recall("Lisbon").id, used=[old.id])
        glymph.undo(glymph.add("said by mistake").operation_id)
        purge_certified(glymph._ctx, glymph.add(SECRET).id)
        place = glymph._ctx
        with place.operation("test") as op:
            raise_question(place, op, "contradicts", home.id, old.id, "both cannot be")
            op.writer.insert("pages", [{"name": "notes", "text": "a page", "updated_at": op.now}])
        with place.store.writing(space, place.intent("forget")) as writer:
            writer.bury(["fingerprint"], at=2)
        place.store.keyring.get_or_create(
            next(s.identity_id for s in glymph.spaces() if s.name == space)
        )
        with place.store.writing(space, None) as writer:
            model = writer.add_model("words", 2, at=1)
            row = writer.memory(home.id)
            wording = bytes.fromhex(row["content_hash"][:16])
            writer.add_vectors(model, [(row["key"], wording, b"\x00<\x00\xbc")])
            writer.set_counter("n", 7)
            writer.enqueue({"id": "j", "job": "end", "payload": "{}", "at": 1})
            writer.save_plan({"id": "p", "created_at": 1, "expires_at": 2**50, "body": '{"a": 1}'})
            writer.set_schedule("lifecycle", due_at=1, last_run_at=None, outcome=None)
            writer.set_transcript("t", head="h", offset=1, at=1)
            talk = writer.begin_conversation("standup")
            writer.append_messages(
                talk, ['{"message": {"role": "user", "content": "Crate 7 goes to Bergen."}}']
            )
            writer.keep_conversation_state(talk, '{"version": 0}')
            writer.note_folder("/srv/conversations", "sqlite:/srv/memory.db")
            writer.adopt_curves({Section.KNOWLEDGE: Curve(0.1 + 0.2, 1.5)}, at=1)
            charge = {
                "at": 7,
                "job": "j",
                "model": "m",
                "run": "r",
                "tokens_in": 1,
                "tokens_out": 2,
            }
            writer.reserve({**charge, "cost_usd": 0.1, "assumed": 0})
    return home.id, old.id

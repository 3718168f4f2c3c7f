"""Spaces: born with a protected identity memory, renamed, and removed only as a whole."""

from __future__ import annotations

from collections.abc import Iterator

from glymph.checks import checked_space
from glymph.context import Context
from glymph.decay.sections import IDENTITY_KIND, Section, initial_stability
from glymph.errors import Refused
from glymph.model import Space, State
from glymph.store import records
from glymph.store.damage import naming_damage
from glymph.store.store import Store
from glymph.text.normal import content_hash
from glymph.write.add import NEW_DIFFICULTY


def spaces(store: Store) -> list[Space]:
    with naming_damage(store):
        return [records.space(row) for row in store.spaces()]


def create_space(ctx: Context) -> None:
    """Makes the context's space with its identity memory; does nothing if it exists."""
    name = checked_space(ctx.space)
    intent = ctx.intent("create_space")(lambda now: now)
    text = f"I am the agent whose memories are kept in the space {name}."
    identity = {
        "id": ctx.new_id(intent.at),
        "kind": IDENTITY_KIND,
        "section": str(Section.KNOWLEDGE),
        "title": f"Identity of {name}",
        "text": text,
        "state": str(State.LIVE),
        "state_at": intent.at,
        "state_by": "create_space",
        "protected": 1,
        "salience": 0.5,
        "trust": 1.0,
        "created_at": intent.at,
        "updated_at": intent.at,
        "stability": initial_stability(IDENTITY_KIND, Section.KNOWLEDGE, 0.5),
        "difficulty": NEW_DIFFICULTY,
        "content_hash": content_hash(text, IDENTITY_KIND, None),
    }
    ctx.store.create_space(name, intent, identity)


def rename_space(store: Store, old: str, new: str) -> None:
    store.rename_space(checked_space(old), checked_space(new))


def check_may_delete(ctx: Context) -> None:
    """Raises Refused if an agent would delete a space: that has no way back."""
    if ctx.is_agent:
        raise Refused(f"{ctx.actor!r} is an agent, and none deletes a space. Ask a person.")


def delete_space(store: Store, name: str) -> Iterator[int]:
    """Removes a space for good, its identity included; yields the rows removed so far."""
    return store.delete_space(checked_space(name))

"""Rows and intents with every field filled in, for tests that talk to a store directly."""

from __future__ import annotations

import itertools
import os
from typing import Any

from glymph.ids import uuid7
from glymph.moments import micros
from glymph.store.contract import Intent
from glymph.testing.clock import START
from glymph.text.normal import content_hash, derive_title

_numbers = itertools.count(1)


def new_id() -> str:
    return uuid7(micros(START) + next(_numbers), os.urandom(8))


def intent(verb: str = "test", **fields: Any) -> Intent:
    """Returns an intent by `tester` at the start of time."""
    return Intent(
        **{"id": new_id(), "actor": "tester", "verb": verb, "at": micros(START), **fields}
    )


def memory_row(text: str | None = None, **fields: Any) -> dict[str, Any]:
    """Returns the columns of a new live note."""
    words = text or f"memory number {next(_numbers)}"
    at = micros(START)
    row = {
        "id": new_id(),
        "kind": "note",
        "section": "KNOWLEDGE",
        "title": derive_title(words),
        "text": words,
        "state": "LIVE",
        "state_at": at,
        "state_by": "test",
        "salience": 0.5,
        "trust": 1.0,
        "created_at": at,
        "updated_at": at,
        "stability": 60.0,
        "difficulty": 2.1181,
        **fields,
    }
    row.setdefault("content_hash", content_hash(row["text"], row["kind"], row.get("event_at")))
    return row


def identity_row(name: str) -> dict[str, Any]:
    """Returns the protected identity memory that a space is born with."""
    return memory_row(f"I am {name}.", kind="self", protected=1)

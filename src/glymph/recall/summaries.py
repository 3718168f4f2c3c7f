"""Summaries that no longer hold: a memory they were drawn from has changed since.

A summary says nothing of its own. Once one of its memories is replaced, reworded, thrown away or
removed for good, it is not shown until consolidation has written it anew. One that faded and was
archived changes nothing: keeping what it said is what the summary is for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from glymph.decay.sections import SUMMARY_KIND
from glymph.model import State
from glymph.store import records
from glymph.store.contract import Row
from glymph.store.reader import Reader

DRAWN_FROM = "drawn_from"  # the attribute of a summary: what each of its memories said, by id
EVER = "summaries_ever"  # the counter of a space that has had any: a purge looks for their past
MARK = 12  # characters of a content hash that tell whether it is still said


def note_sources(rows: Iterable[Row]) -> dict[str, str]:
    """Returns what a summary notes of the memories it was drawn from."""
    return {row["id"]: row["content_hash"][:MARK] for row in rows}


def find_outdated(reader: Reader, rows: Iterable[Row]) -> set[int]:
    """Returns the keys of those rows that are summaries and no longer hold."""
    noted = {row["key"]: read_sources(row) for row in rows if row["kind"] == SUMMARY_KIND}
    if not noted:
        return set()
    sources = reader.memories({one for said in noted.values() for one in said})
    return {
        key
        for key, said in noted.items()
        if not all(_still_says(sources.get(one), mark) for one, mark in said.items())
    }


def read_sources(row: Row) -> Mapping[str, Any]:
    """Returns what a summary notes of its memories; nothing if somebody took the note away."""
    noted = records.attributes(row).get(DRAWN_FROM)
    return noted if isinstance(noted, dict) else {}


def _still_says(row: Row | None, mark: Any) -> bool:
    return (
        row is not None
        and row["state"] != State.TRASHED
        and row["superseded_by"] is None
        and row["content_hash"][:MARK] == mark
    )

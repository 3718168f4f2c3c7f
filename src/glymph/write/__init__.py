"""Stores memories: add, edit, link, merge, and reconciles what is new with what is there.

Other rooms use the modules named here; each is loaded when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from glymph.lazy import load_on_first_use

if TYPE_CHECKING:
    from collections.abc import Sequence

    from glymph.context import Context
    from glymph.store.reader import Reader
    from glymph.write import add as add
    from glymph.write import autolink as autolink
    from glymph.write import backfill as backfill
    from glymph.write import background as background
    from glymph.write import clocks as clocks
    from glymph.write import clusters as clusters
    from glymph.write import draft as draft
    from glymph.write import duplicates as duplicates
    from glymph.write import edit as edit
    from glymph.write import grading as grading
    from glymph.write import junk as junk
    from glymph.write import link as link
    from glymph.write import link_by_names as link_by_names
    from glymph.write import merge as merge
    from glymph.write import neighbours as neighbours
    from glymph.write import question_queue as question_queue
    from glymph.write import questions as questions
    from glymph.write import reconcile as reconcile
    from glymph.write import replace as replace
    from glymph.write import second_opinion as second_opinion
    from glymph.write import spaces as spaces
    from glymph.write import tombstones as tombstones
    from glymph.write import verdicts as verdicts
    from glymph.write import waiting as waiting
else:
    __getattr__ = load_on_first_use(__name__)


def match_tombstones(ctx: Context, reader: Reader, texts: Sequence[str]) -> list[bool]:
    """Tells for each text whether a tombstone keeps it out; every context carries this."""
    from glymph.write.tombstones import match_tombstones as match  # only names that tell need it

    return match(ctx, reader, texts)

"""What a flipped bit in the file of a store does to whoever opens it.

A store with rows in every table is damaged in one place: a single bit, or a whole page that is
zeroed or garbled. Then it is opened, looked at by `doctor` and `verify`, listed, searched, analysed
and undone. Noticed is what a finding of `doctor` or `verify` names, or a typed error. Unnoticed is a
row that reads differently while nothing says so.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.harness import damage
from benchmarks.harness.contract import Fact, Figure, Figures, Options
from benchmarks.harness.damage import CRASHED, HARMLESS, NOTICED, UNNOTICED, Heard
from benchmarks.harness.full_store import write_store

QUESTION = "Does a flipped bit in a store's file go unnoticed, or make anything crash?"

FLIPS = 2_000
PAGES = 150  # zeroed, and as many garbled
MEMORIES = 40  # of each space


def run(options: Options) -> Figures:
    """Count what became of every flip; anything unnoticed or crashed is a broken promise."""
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="glymph-bitflips-") as name:
        folder = Path(name)
        write_store(folder / "memory.db", MEMORIES, seed=options.seed)
        sound = damage.read_sound(folder / "memory.db")
        chosen = damage.draw_bits(sound, options.count(FLIPS, least=4), draw)
        pages = options.count(PAGES, least=1)
        for kind in (damage.ZEROED, damage.GARBLED):
            chosen += damage.draw_pages(sound, kind, pages, draw)
        [untouched] = damage.examine(sound, [damage.Damage(damage.NONE, 0, "nothing")], folder)
        heard = list(damage.examine(sound, chosen, folder))
    return _figures(heard, untouched, len(sound.whole))


def _figures(heard: Sequence[Heard], untouched: Heard, size: int) -> Figures:
    bits = Counter(one.outcome for one in heard if one.damage.kind == damage.BIT)
    pages = Counter(one.outcome for one in heard if one.damage.kind != damage.BIT)
    noticed = [one for one in heard if one.outcome == NOTICED]
    undoctored = sum(not one.by_doctor for one in noticed)
    return {
        "flips": Figure(bits.total(), "single bits flipped, one store each"),
        "noticed": Figure(bits[NOTICED], "flips with a named finding or a typed error"),
        "unnoticed": Figure(
            bits[UNNOTICED], "flips after which a row reads differently, unsaid", exactly=0
        ),
        "harmless": Figure(
            bits[HARMLESS], "flips in free space, after which every row is as it was"
        ),
        "crashes": Figure(
            bits[CRASHED], "flips that raised an untyped error, hung or killed", exactly=0
        ),
        "pages": Figure(pages.total(), "whole pages zeroed or garbled, one store each"),
        "pages_noticed": Figure(pages[NOTICED], "of those, noticed"),
        "pages_unnoticed": Figure(pages[UNNOTICED], "of those, unnoticed", exactly=0),
        "pages_harmless": Figure(pages[HARMLESS], "of those, without a row that differs"),
        "pages_crashes": Figure(pages[CRASHED], "of those, crashed", exactly=0),
        "not_by_doctor": Figure(
            undoctored, "noticed by another way in while doctor said nothing", exactly=0
        ),
        "false_alarms": Figure(
            int(untouched.outcome != HARMLESS),
            "the undamaged store, if anything is said of it",
            exactly=0,
        ),
        "bytes": Figure(size, "bytes of the store"),
        "where": Fact(_where(heard), "tables whose damage went unnoticed or crashed"),
    }


def _where(heard: Sequence[Heard]) -> str:
    """Name what was hit and, of a crash, the error."""
    hurt = Counter(
        f"{one.damage.owner} ({one.detail.strip().splitlines()[-1]})"
        for one in heard
        if one.outcome in (UNNOTICED, CRASHED)
    )
    return "; ".join(f"{count} × {what}" for what, count in hurt.most_common()) or "nowhere"

"""Erasing from conversations what was removed for good, wherever they lie, and how they stand then."""

from __future__ import annotations

from dataclasses import dataclass

from glymph.context import Context
from glymph.history import erase_files, erase_stored, places
from glymph.history.cut import Sieve
from glymph.store.certificate import CLEAN, OUT_OF_REACH, PlaceStatus
from glymph.store.erase_journal import Quotes
from glymph.store.erase_places import CONVERSATIONS

FILES = "conversation files"
HOW = "messages and notes that repeat it are written anew; no sentence repeats it or has two words of its own"
NONE = "there are none"
STILL = "the conversation {} still repeats it: repeat the erasure, or `glymph history remove` it if its name does"
RETAINED = "a purge that nobody asked for by what it says leaves conversations as they were said"
CUT_SHORT = "the purge was cut short before they were looked through: `glymph history erase TEXT --apply` does it"


@dataclass(frozen=True, slots=True)
class Erasure:
    """What an erasure came to: conversations looked through, what was written anew, and what is
    left to do.
    """

    conversations: int = 0
    files: int = 0
    messages: int = 0  # in the store, notes included
    left: tuple[str, ...] = ()  # what could not be erased, and why


class ConversationKeeper:
    """Makes conversations, in the store and in folders, a place that purges erase."""

    places = (CONVERSATIONS, FILES)

    def erase(self, ctx: Context, quotes: Quotes, *, on_request: bool) -> list[PlaceStatus]:
        """Erases what was removed on request from the conversations of the space."""
        if not on_request:
            return _untouched(ctx, RETAINED, "")
        sieve = Sieve(quotes)
        in_store, _ = erase_stored.erase(ctx, sieve)
        names = erase_stored.repeating(ctx, sieve, quotes)
        in_files, _, left = erase_files.erase(ctx, sieve, quotes, dry_run=False)
        still = [STILL.format(name) for name in names]
        return [_status(CONVERSATIONS, in_store, still), _status(FILES, in_files, left)]

    def report_unchecked(self, ctx: Context) -> list[PlaceStatus]:
        """Reports conversations that a killed purge did not look through."""
        return _untouched(ctx, "not looked through, for the text is not kept", CUT_SHORT)


def erase(ctx: Context, quotes: Quotes, *, dry_run: bool = False) -> Erasure:
    """Cuts out of every conversation of the space what repeats these texts, and looks whether
    anything is left.

    `dry_run` only counts what would be written anew.
    """
    sieve = Sieve(quotes)
    in_store, messages = erase_stored.erase(ctx, sieve, dry_run=dry_run)
    names = [] if dry_run else erase_stored.repeating(ctx, sieve, quotes)
    in_files, files, left = erase_files.erase(ctx, sieve, quotes, dry_run=dry_run)
    still = (STILL.format(name) for name in names)
    return Erasure(in_store + in_files, files, messages, (*still, *left))


def _untouched(ctx: Context, how: str, detail: str) -> list[PlaceStatus]:
    there = ((CONVERSATIONS, erase_stored.count(ctx)), (FILES, len(places.folders(ctx))))
    return [
        PlaceStatus(name, OUT_OF_REACH, how, detail) if some else PlaceStatus(name, CLEAN, NONE)
        for name, some in there
    ]


def _status(name: str, conversations: int, left: list[str]) -> PlaceStatus:
    if left:
        return PlaceStatus(name, OUT_OF_REACH, HOW, "; ".join(left))
    return PlaceStatus(name, CLEAN, HOW if conversations else NONE)

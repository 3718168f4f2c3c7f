"""Names that belong to a store, not to what is in a space: those of its spaces and tokens.

A token whose name, or whose actor, tells what was purged gets another; its secret goes on letting
its owner in. A space keeps its name, for its callers open it by that: the certificate says so.
"""

from __future__ import annotations

import json

from glymph.context import Context, is_plain_name
from glymph.store.certificate import CLEAN, LEFT, PlaceStatus
from glymph.store.contract import Row
from glymph.store.erase_places import NAMES
from glymph.store.guards import NAMELESS, unname
from glymph.store.tokens import ALL_SPACES, list_tokens, rename_token
from glymph.text.quotes import GONE, Quotes

HOW = "tokens get other names; none repeats it whole"
SPACE_TELLS = "the space is called so: `glymph store space rename` gives it another name"
UNCHECKED = "not looked through, for the text is not kept"
CUT_SHORT = "look whether the name of the space, or of a token, tells it"


class NameKeeper:
    """Makes the names of a space and of the tokens for it a place that purges erase."""

    places = (NAMES,)

    def erase(self, ctx: Context, quotes: Quotes, *, on_request: bool) -> list[PlaceStatus]:
        """Gives tokens that tell it other names, asked for or not, as sessions and actors get."""
        renamed = 0
        for token in _list_tokens_for(ctx):
            name = GONE if quotes.whole(token["name"]) else token["name"]
            actor = token["actor"]
            if actor not in NAMELESS and quotes.whole(actor):
                actor = unname(actor)
            if (name, actor) != (token["name"], token["actor"]):
                rename_token(ctx.store, token["id"], name=name, actor=actor)
                renamed += 1
        if quotes.whole(ctx.space):
            return [PlaceStatus(NAMES, LEFT, HOW, SPACE_TELLS)]
        return [PlaceStatus(NAMES, CLEAN, HOW, f"{renamed} renamed" if renamed else "")]

    def report_unchecked(self, ctx: Context) -> list[PlaceStatus]:
        """Reports names that a killed purge did not look through; plain words name nobody."""
        told = [(one["name"], one["actor"]) for one in _list_tokens_for(ctx)]
        if all(map(is_plain_name, [ctx.space, *(name for pair in told for name in pair)])):
            return [PlaceStatus(NAMES, CLEAN, HOW)]
        return [PlaceStatus(NAMES, LEFT, UNCHECKED, CUT_SHORT)]


def _list_tokens_for(ctx: Context) -> list[Row]:
    """Returns the tokens that let somebody into the space, or once did."""
    reached = {ctx.space, ALL_SPACES}
    return [
        one for one in list_tokens(ctx.store) if not reached.isdisjoint(json.loads(one["spaces"]))
    ]

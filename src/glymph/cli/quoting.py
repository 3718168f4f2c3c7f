"""Texts of several words: a shell hands them on as one argument only if they stand in quotes."""

from __future__ import annotations

import re
import shlex
from typing import Any

from glymph.tools.blocks import format_cell

IN_QUOTES = "Put several words in quotes."  # in the help of a text
LONGEST = 80  # characters of a text that is shown in quotes
_SAFE = re.compile(r"[\w\s.,;:?@%+/()'-]*")  # between double quotes, for every shell


def want_quotes(command: Any, text: str, *, alone: bool) -> None:
    """Lets a command whose last argument is a text say how several words are given.

    They are not joined: a shell has changed them by then, and what they say would be kept.
    `alone` says that the text is the command's only argument.
    """
    parse = command.parse_args
    command.allow_extra_args = True  # refused below

    def parse_args(ctx: Any, args: list[str]) -> list[str]:
        rest: list[str] = parse(ctx, args)
        if rest and not ctx.resilient_parsing:
            ctx.fail(format_cell(_hint(ctx, text, rest, alone=alone)))
        return rest

    command.parse_args = parse_args


def _hint(ctx: Any, text: str, rest: list[str], *, alone: bool) -> str:
    if not alone:
        return f"Got more words than arguments ({' '.join(rest)}). Put each text in quotes."
    said = " ".join([str(ctx.params.get(text) or ""), *rest]).strip()
    said = said if len(said) <= LONGEST else said[: LONGEST - 1] + "…"
    quoted = f'"{said}"' if _SAFE.fullmatch(said) else shlex.quote(said)
    return f"The text has several words. Put it in quotes: {ctx.command_path} {quoted}"

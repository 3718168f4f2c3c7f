"""Commands that people are shown: they name the store and the space this one was told to use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from shlex import quote

from glymph.text.secrets import mask_url
from glymph.tools import tree
from glymph.tools.index import find_command

# The options, and the commands and groups that have none of that name: a test holds the list
# against the commands, which need not be loaded for it.
WITHOUT = {
    "--url": ("config", "install", "store migrate"),
    "--space": (
        "config", "demo", "doctor", "install", "sleep worker", "store backup", "store restore",
        "store space", "store token list", "store token revoke",
    ),
}  # fmt: skip
# A command stands between backticks, or ends its line behind a colon.
_SHOWN = re.compile(r"(?<=`)glymph [^`\n]+(?=`)|(?<=: )glymph [^`\n]+$", re.MULTILINE)


def name_where(text: str, args: Sequence[str]) -> str:
    """Returns a text whose commands name the store and the space that `args` name.

    What stands in the environment holds for the next command as well, and is not repeated.
    """
    named = _find_named(args)
    return _SHOWN.sub(lambda shown: _complete(shown[0], named), text) if named else text


def _find_named(args: Sequence[str]) -> dict[str, str]:
    named = {}
    for at, word in enumerate(args):
        option, is_one, value = word.partition("=")
        if word == "--":
            break
        if option in WITHOUT and (is_one or args[at + 1 : at + 2]):
            named[option] = value if is_one else args[at + 1]
    return named


def _complete(command: str, named: dict[str, str]) -> str:
    words = command.split()
    missing = [option for option in named if option not in words and _takes(words[1:], option)]
    return " ".join([command, *(f"{option} {_write(named[option])}" for option in missing)])


def _write(value: str) -> str:
    """Returns the value as a shell takes it; a password in it is not shown."""
    return quote(value) if (masked := mask_url(value)) == value else masked


def _takes(words: Sequence[str], option: str) -> bool:
    """Tells whether the command that words name has such an option."""
    known = words[0] in tree.TOP or find_command(words[0]) is not None
    return known and not any(
        tuple(words[: len(place)]) == place for place in map(_place, WITHOUT[option])
    )


def _place(name: str) -> tuple[str, ...]:
    return tuple(name.split())

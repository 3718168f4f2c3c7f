"""Commands that people are shown: they name the store and the space this one was told to use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from shlex import quote

from glymph.cli.branches import load
from glymph.text.secrets import mask_url
from glymph.tools import tree
from glymph.tools.index import find_command

OPTIONS = ("--url", "--space")
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
        if option in OPTIONS and (is_one or args[at + 1 : at + 2]):
            named[option] = value if is_one else args[at + 1]
    return named


def _complete(command: str, named: dict[str, str]) -> str:
    words = command.split()
    missing = [option for option in named if option not in words]
    taken = _options_of(words[1:]) if missing else set()
    more = [f"{one} {_write(named[one])}" for one in missing if one in taken]
    return " ".join([command, *more])


def _write(value: str) -> str:
    """Returns the value as a shell takes it; a password in it is not shown."""
    return quote(value) if (masked := mask_url(value)) == value else masked


def _options_of(words: Sequence[str]) -> set[str]:
    """Returns the options of the command that words name; none if there is no such command."""
    name, rest = words[0], words[1:]
    if (group := tree.GROUPS.get(name)) is not None:
        inside = bool(rest) and rest[0] in group.commands
        name = group.commands.get(rest[0] if inside else group.default or "", "")
        rest = rest[1:] if inside else rest
    if name not in tree.PLACES and find_command(name) is None:
        return set()
    command = load(name)
    if rest and hasattr(command, "commands"):
        command = command.commands.get(rest[0], command)
    return {option for parameter in command.params for option in parameter.opts}

"""The commands of all tools, for `glymph --help`, found without importing the built-in ones.

Importing them would cost the import of Pydantic, so their files are read as text. A test compares
what is read with the real tools. Tools of packages are imported, if there are any.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from glymph.tools import all_tools, extension_point, tree

_COMMAND = re.compile(r'^    command="([^"]+)",$', re.MULTILINE)
_DESCRIPTION = re.compile(r'^    description=\(?\s*((?:"[^"]+"\s*)+)\)?,$', re.MULTILINE)


class Listed(NamedTuple):
    """A command in the help."""

    tool: str
    description: str


@cache
def built_in_commands() -> dict[str, Listed]:
    """Returns the commands of the built-in tools."""
    found: dict[str, Listed] = {}
    for file in sorted(Path(__file__).with_name("builtin").glob("*.py")):
        text = file.read_text(encoding="utf-8")
        command, description = _COMMAND.search(text), _DESCRIPTION.search(text)
        if command and description:
            sentence = "".join(re.findall(r'"([^"]+)"', description[1]))
            found[command[1]] = Listed(file.name.removesuffix(".py"), sentence)
    return found


def package_commands() -> dict[str, Listed]:
    """Returns the commands of the tools that installed packages add."""
    from glymph.extensions import has_entry_points

    if not has_entry_points("glymph.tools"):
        return {}
    built_in = extension_point().built_in_names
    added = [tool for name, tool in all_tools().items() if name not in built_in]
    return {tool.command: Listed(tool.name, tool.description) for tool in added}


def commands() -> dict[str, Listed]:
    """Returns the commands of all tools."""
    return {**built_in_commands(), **package_commands()}


def command_places() -> dict[str, tuple[str, ...]]:
    """Returns where the command of each tool is, by the tool's name."""
    return {
        listed.tool: tree.PLACES.get(command, (command,)) for command, listed in commands().items()
    }


def find_command(name: str) -> Listed | None:
    """Returns the command of that name, or None. A built-in one costs no look at packages."""
    return built_in_commands().get(name) or package_commands().get(name)

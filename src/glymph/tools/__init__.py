"""Tools for agents, each also a command. `builtin/` has one a file; packages may add others.

A package adds a tool by an entry point of the group `glymph.tools`, named like the tool.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from glymph.errors import BadExtension
from glymph.extensions import ExtensionPoint

if TYPE_CHECKING:
    from glymph.tools.contract import Profile, Tool

_INCLUDED: dict[str, tuple[str, ...]] = {
    "core": ("core",),
    "curator": ("core", "curator"),
    "full": ("core", "curator", "full"),
}


@cache
def extension_point() -> ExtensionPoint[Tool]:
    """Returns where tools are registered."""
    from glymph.tools.contract import Tool  # imports Pydantic, which `glymph --help` is spared

    return ExtensionPoint("glymph.tools", Tool, package="glymph.tools.builtin", attribute="TOOL")


def all_tools() -> dict[str, Tool]:
    """Returns every tool by name: those of Glymph, then those of installed packages."""
    point = extension_point()
    commands: dict[str, str] = {}
    for name, tool in point.members.items():
        if tool.name != name:
            raise BadExtension(point.group, name, f"its tool is called {tool.name!r}; rename one")
        if tool.command in commands:
            taken = f"the command {tool.command!r} belongs to {commands[tool.command]}; rename it"
            raise BadExtension(point.group, name, taken)
        commands[tool.command] = name
    return dict(point.members)


def tools_for(profile: Profile) -> dict[str, Tool]:
    """Returns the tools that a client of this profile sees."""
    return {name: tool for name, tool in all_tools().items() if tool.profile in _INCLUDED[profile]}

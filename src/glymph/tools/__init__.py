"""One file per agent tool: adding a tool is adding a file with a constant TOOL."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from glymph.tools.contract import Profile, Tool

_NOT_TOOLS = {"arguments", "contract", "index", "shapes"}
_INCLUDED: dict[str, tuple[str, ...]] = {
    "core": ("core",),
    "curator": ("core", "curator"),
    "full": ("core", "curator", "full"),
}
# What every client sees besides its profile: cleaning up by a plan, and the way back.
ALWAYS = ("analyze_memory", "batch_prune", "undo_operation")


@cache
def all_tools() -> dict[str, Tool]:
    """Every tool by name."""
    modules = sorted(m.name for m in pkgutil.iter_modules(__path__) if m.name not in _NOT_TOOLS)
    found = [importlib.import_module(f"{__name__}.{name}").TOOL for name in modules]
    return {tool.name: tool for tool in found}


def tools_for(profile: Profile) -> dict[str, Tool]:
    """The tools a client of this profile sees."""
    return {
        name: tool
        for name, tool in all_tools().items()
        if tool.profile in _INCLUDED[profile] or name in ALWAYS
    }

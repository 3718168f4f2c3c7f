"""The tools' commands and descriptions read from their files' text, without importing them.

`glymph --help` lists every tool; importing them all would cost it the import of Pydantic. A test
holds this list against the real one.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

_COMMAND = re.compile(r'^    command="([^"]+)",$', re.MULTILINE)
_DESCRIPTION = re.compile(r'^    description="([^"]+)",$', re.MULTILINE)


@cache
def commands() -> dict[str, tuple[str, str]]:
    """Module name and description of each tool, by its command."""
    found: dict[str, tuple[str, str]] = {}
    for file in sorted(resources.files("glymph.tools").iterdir(), key=lambda f: f.name):
        if not file.name.endswith(".py"):
            continue
        text = file.read_text(encoding="utf-8")
        command, description = _COMMAND.search(text), _DESCRIPTION.search(text)
        if command and description:
            found[command[1]] = (file.name.removesuffix(".py"), description[1])
    return found

"""The files for Claude Code: hooks, the server's entry, a skill, slash commands, the plugin."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

NAME = "glymph"
PLUGIN = f"{NAME}@{NAME}"  # the plugin and the marketplace it comes from
SERVER = "mcpServers"
SERVER_KEYS = (SERVER, "mcp", "mcp_servers")  # under which hosts keep their servers
MARK = "<!-- Written by `glymph install claude-code`. -->"  # in every text of ours
# The host puts this before a tool's name.
TOOLS, PLUGIN_TOOLS = "mcp__glymph__", "mcp__plugin_glymph_glymph__"
MODULE = "glymph.cli.start"
MODULES = (MODULE, "glymph.interfaces.start")  # and as earlier versions wrote it
TEXTS = (
    "skills/glymph-memory/SKILL.md",
    "commands/memory-review.md",
    "commands/memory-prune.md",
    "commands/memory-recall.md",
    "commands/memory-undo.md",
)
# The host's event, which of its kinds, our event, and the most seconds it may take. Hooks at the
# end of a session have little time, unless they declare more: ours take a fraction of a second.
EVENTS = (
    ("SessionStart", "startup|resume|clear|compact", "session-start", 15),
    ("UserPromptSubmit", None, "prompt-submit", 10),
    ("PreCompact", None, "pre-compact", 5),
    ("SessionEnd", None, "session-end", 5),
)
_OURS = re.compile(
    rf"\bglymph(?:\.exe|{'|'.join(re.escape(one.removeprefix(NAME)) for one in MODULES)})?['\"]?"
    rf" hook (?:{'|'.join(event[2] for event in EVENTS)})\b"
)


@dataclass(frozen=True)
class Wiring:
    """The way from the host to Glymph: program, store (None: the usual one) and space."""

    program: tuple[str, ...]
    url: str | None
    space: str

    def add_options(self, *command: str) -> list[str]:
        """Returns a command with the options for the store and the space."""
        return [*command, "--space", self.space, *(["--url", self.url] if self.url else [])]


def find_program() -> tuple[str, ...]:
    """Returns what starts this Glymph from anywhere: its command, or Python and the module.

    A link to the command is kept as it is: it stays when an upgrade moves what it leads to.
    """
    for candidate in (Path(sys.argv[0]), Path(sys.executable).with_name(NAME)):
        found = shutil.which(str(candidate.absolute())) if candidate.stem == NAME else None
        if found:
            return (found,)
    return (sys.executable, "-m", MODULE)


def make_hooks(wiring: Wiring) -> dict[str, dict[str, Any]]:
    """Returns the group of hooks that calls Glymph, for each of the host's events."""
    # Hosts on Windows use a POSIX shell, too.
    program = [Path(wiring.program[0]).as_posix(), *wiring.program[1:]]
    groups: dict[str, dict[str, Any]] = {}
    for event, matcher, ours, seconds in EVENTS:
        command = shlex.join([*program, *wiring.add_options("hook", ours)])
        group: dict[str, Any] = {
            "hooks": [{"type": "command", "command": command, "timeout": seconds}]
        }
        groups[event] = {"matcher": matcher, **group} if matcher else group
    return groups


def is_our_hook(hook: object) -> bool:
    """Tells whether a hook in somebody's settings is one that Glymph put there."""
    return (
        isinstance(hook, dict)
        and isinstance(hook.get("command"), str)
        and bool(_OURS.search(hook["command"]))
    )


def make_server(wiring: Wiring) -> dict[str, Any]:
    """Returns the entry of the MCP server."""
    command, *first = wiring.program
    return {"command": command, "args": [*first, *wiring.add_options("mcp")]}


def is_our_server(entry: object) -> bool:
    """Tells whether an entry of that name starts `glymph mcp`, wherever that is installed."""
    if not isinstance(entry, dict):
        return False
    command, more = entry.get("command"), entry.get("args", [])
    if not isinstance(more, list):
        return False
    words = [str(one) for one in (*(command if isinstance(command, list) else [command]), *more)]
    return "mcp" in words and any(word in MODULES or Path(word).stem == NAME for word in words)


def read_texts(*, in_plugin: bool = False) -> dict[str, str]:
    """Returns the skill and the slash commands by path, with tools as the host names them."""
    folder = files("glymph.plugin") / "files"
    found = {path: folder.joinpath(path).read_text(encoding="utf-8") for path in TEXTS}
    if in_plugin:
        found = {
            path: text.replace(TOOLS, PLUGIN_TOOLS).replace("`/memory-", f"`/{NAME}:memory-")
            for path, text in found.items()
        }
    return found


def make_plugin(wiring: Wiring) -> dict[str, str]:
    """Returns every file of the plugin by path; the folder is a marketplace of its own."""
    folder = files("glymph.plugin") / "files"
    manifest = json.loads(folder.joinpath("plugin.json").read_text(encoding="utf-8"))
    manifest["version"] = version(NAME)
    groups = {event: [group] for event, group in make_hooks(wiring).items()}
    return {
        ".claude-plugin/plugin.json": dump_json(manifest),
        ".claude-plugin/marketplace.json": folder.joinpath("marketplace.json").read_text(
            encoding="utf-8"
        ),
        "hooks/hooks.json": dump_json({"hooks": groups}),
        ".mcp.json": dump_json({SERVER: {NAME: make_server(wiring)}}),
        **read_texts(in_plugin=True),
    }


def dump_json(value: Any) -> str:
    """Returns a JSON document as people keep it."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"

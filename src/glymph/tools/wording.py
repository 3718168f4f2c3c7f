"""Messages in an agent's words: where the library says a Python call, it hears the tool for it.

Messages are written once, for whoever uses the library; this is the one place that translates.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from glymph.tools import tree
from glymph.tools.index import built_in_commands, find_command

# The tools for a method of the library, the best first; a client may not see each of them.
CALLS: dict[str, tuple[str, ...]] = {
    "add": ("memory_add",),
    "analyze": ("analyze_memory",),
    "answer": ("answer_question",),
    "archive": ("memory_delete", "batch_prune"),
    "batch_prune": ("batch_prune",),
    "candidates": ("get_pruning_candidates", "analyze_memory"),
    "clusters": ("manage_clusters",),
    "consolidate": ("trigger_consolidation",),
    "delete": ("memory_delete", "batch_prune"),
    "execute_prune": ("execute_prune", "batch_prune"),
    "forget": ("forget_concept",),
    "get": ("memory_get",),
    "health": ("get_memory_health",),
    "history": ("memory_get",),
    "link": ("memory_link",),
    "list": ("memory_search", "memory_recall"),
    "merge": ("merge_memories",),
    "operations": ("get_operations",),
    "pin": ("pin_memory",),
    "prune": ("batch_prune",),
    "questions": ("answer_question",),
    "recall": ("memory_recall",),
    "report": ("memory_report",),
    "restore": ("restore_memory", "undo_operation"),
    "search": ("memory_search", "memory_recall"),
    "supersede": ("memory_supersede",),
    "undo": ("undo_operation",),
    "unlink": ("memory_link",),
    "unpin": ("pin_memory",),
    "unsupersede": ("memory_supersede",),
    "update": ("memory_update", "memory_supersede"),
    "write": ("memory_write",),
}
# Fields of an answer in which the library speaks, not a memory.
SAYINGS = frozenset(
    {"reason", "why", "notice", "message", "note", "refused", "blocked", "error", "recommendations"}
)
_CALL = re.compile(r"\b(?:(?:glymph|memory|Glymph)\.)?([a-z_]+)\(([^()]*)\)")
_GIVEN = re.compile(r"\b([a-z_]+)=(True|False|None|[\"'][^\"']*[\"'])")
_COMMAND = re.compile(r"`glymph ([a-z-]+)(?: ([a-z-]+))?[^`]*`")  # perhaps in a group
_TWICE = re.compile(r"(`glymph [^`]+`|\b[a-z_]{6,}) or \1(?!\w)")
_BEGINNING = re.compile(r"((?:^|[.:] ))a person")
_PLAIN = {
    "datetime.now(timezone.utc)": "2026-01-31T09:00:00Z",
    "an aware datetime": "a time with its zone",
    "Open it again with Glymph.open().": "Start the server again.",
}


def name_tools(message: str, visible: Collection[str]) -> str:
    """Returns a message that names tools where it names Python calls or commands of tools.

    `visible` are the tools that the client sees. What none of them does is left to a person.
    """
    for said, instead in _PLAIN.items():
        message = message.replace(said, instead)
    message = _CALL.sub(lambda call: _name_call(call, visible), message)
    message = _COMMAND.sub(lambda command: _name_command(command, visible), message)
    message = _GIVEN.sub(lambda given: _say_given(*given.groups()), message)
    message = _TWICE.sub(r"\1", message)
    return _BEGINNING.sub(r"\1A person", message)


def name_tools_in(value: Any, visible: Collection[str], field: str = "") -> Any:
    """Returns an answer in which what the library says names tools; memories are left alone."""
    if isinstance(value, Mapping):
        return {name: name_tools_in(one, visible, name) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [name_tools_in(one, visible, field) for one in value]
    return name_tools(value, visible) if isinstance(value, str) and field in SAYINGS else value


def _name_call(call: re.Match[str], visible: Collection[str]) -> str:
    name, given = call.groups()
    if name not in CALLS:
        return call[0]
    named = [_say_given(*one.groups()) for one in _GIVEN.finditer(given)]
    if given == "id":
        named = ["its id"]
    return _choose(CALLS[name], visible) + (f" with {' and '.join(named)}" if named else "")


def _name_command(command: re.Match[str], visible: Collection[str]) -> str:
    group = tree.GROUPS.get(command[1])
    source = group.commands.get(command[2] or group.default or "") if group else command[1]
    known = find_command(source) if source else None
    return known.tool if known and known.tool in visible else command[0]


def _choose(tools: tuple[str, ...], visible: Collection[str]) -> str:
    """Returns the first of some tools that the client sees, else how a person does it."""
    for tool in tools:
        if tool in visible:
            return tool
    commands = {known.tool: command for command, known in built_in_commands().items()}
    command = commands[tools[0]]
    return f"a person with `{tree.write_path(tree.PLACES.get(command, (command,)))}`"


def _say_given(name: str, value: str) -> str:
    return f"{name} {value.lower() if value in ('True', 'False', 'None') else value}"

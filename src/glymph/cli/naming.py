"""Texts for people: where one names a tool or a Python call, they read the command for it.

Texts of tools are written for agents and messages for whoever uses the library, each once.
"""

from __future__ import annotations

import re

from glymph.tools import tree
from glymph.tools.index import command_places
from glymph.tools.wording import CALLS

_NAME = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
_CALL = re.compile(r"(?<![.\w])(?:(?:glymph|memory|Glymph)\.)?([a-z_]+)\(([^()]*)\)")
_FLAG = re.compile(r"\b([a-z]+(?:_[a-z]+)*)=True\b")
_GIVEN = re.compile(r"(?<![-.\w])([a-z]+(?:_[a-z]+)*)='([a-z]+|…)'")
OTHERWISE = {"restore": "restore-memory"}  # of calls; `glymph store restore` copies a backup
_TWICE = re.compile(r"(`glymph [^`]+`) or \1")


def name_commands(text: str) -> str:
    """Returns a text that names commands where it names tools."""
    if not _NAME.search(text):
        return text
    places = command_places()

    def name(found: re.Match[str]) -> str:
        place = places.get(found[0])
        return found[0] if place is None else f"`{tree.write_path(place)}`"

    return _NAME.sub(name, text)


def name_calls(message: str) -> str:
    """Returns a message that names commands and options where it names Python calls."""
    said = _CALL.sub(_name_call, message)
    said = _FLAG.sub(lambda flag: _write_option(flag[1]), said)
    said = _GIVEN.sub(lambda given: f"{_write_option(given[1])} {given[2]}", said)
    return _TWICE.sub(r"\1", said)


def _name_call(call: re.Match[str]) -> str:
    name, given = call.groups()
    if name not in CALLS:
        return call[0]
    place = tree.PLACES.get(OTHERWISE.get(name, name)) or command_places()[CALLS[name][0]]
    words = [*place]
    words += ["ID"] if given == "id" else ["…"] if given.startswith("…") else []
    words += [_write_option(flag[1]) for flag in _FLAG.finditer(given)]
    return f"`{tree.write_path(tuple(words))}`"


def _write_option(name: str) -> str:
    return "--" + name.replace("_", "-")

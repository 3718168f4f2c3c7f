"""Answers in pages: what of an answer fits a number of bytes, and where the rest begins.

A tool whose arguments are `Paged` only looks, so the same call can be made again: its answer names
the `next_cursor` from which that call goes on. The answer of another tool is cut, and says what was
left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from glymph.errors import InvalidInput
from glymph.recall import history
from glymph.tools.arguments import Paged
from glymph.tools.contract import Arguments, Tool
from glymph.tools.cursors import read_cursor, write_cursor
from glymph.tools.ids import resolve_ids

if TYPE_CHECKING:
    from glymph.client import Glymph

MOST_BYTES = 256 * 1024
NEXT, LEFT_OUT, NOTICE = "next_cursor", "left_out", "notice"
ITS_OPERATION = "get_operations with this operation_id names what it touched."
ASK_FOR_LESS = "Ask for less: fewer ids, a lower limit or a filter."


def run_tool(
    tool: Tool, glymph: Glymph, arguments: Arguments, *, most_bytes: int | None = None
) -> dict[str, Any]:
    """Runs a tool and returns its answer from the cursor on, as much as fits."""
    arguments = resolve_ids(glymph, arguments)
    result = dict(tool.run(glymph, arguments))
    first, start = None, 0
    if isinstance(arguments, Paged) and arguments.cursor is not None:
        first, start = _parse(read_cursor(glymph, tool.name, arguments.cursor), result)
        result = _skip(result, first, start)
    if most_bytes is None or _fits(result, most_bytes):
        return result
    if isinstance(arguments, Paged):
        shown, place = cut_page(result, most_bytes, first=first, start=start)
        return shown | ({NEXT: write_cursor(glymph, tool.name, place)} if place else {})
    if tool.cursor_of in result:
        return _cut_behind(glymph, result, tool.cursor_of, most_bytes)
    return cut_parts(result, most_bytes)


def _parse(place: str, result: Mapping[str, Any]) -> tuple[str, int]:
    """Returns the list that a place is in, and the number of its item."""
    name, _, number = place.rpartition(":")
    if not isinstance(result.get(name), list):
        raise InvalidInput(
            "cursor",
            "it is of a call with other arguments. Pass next_cursor of the answer that was cut, "
            "with the same other arguments, or leave it out to begin anew.",
        )
    return name, min(int(number), len(result[name]))


def _skip(result: Mapping[str, Any], first: str, start: int) -> dict[str, Any]:
    """Returns an answer without what the pages before have shown."""
    left, seen = dict(result), True
    for name, value in result.items():
        if isinstance(value, list) and seen:
            seen = name != first
            left[name] = [] if seen else value[start:]
    return left


def _fits(result: Mapping[str, Any], most: int) -> bool:
    """Tells whether an answer fits, without writing out more of it than that."""
    for value in result.values():
        for part in value if isinstance(value, list) else [value]:
            most -= _bytes(part)
            if most < 0:
                return False
    return True


def _bytes(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")) + 2


def cut_page(
    result: Mapping[str, Any], most: int, *, first: str | None = None, start: int = 0
) -> tuple[dict[str, Any], str | None]:
    """Returns what of an answer fits, one item at least, and the place of what does not.

    The lists are filled one after the other; `start` items of the `first` one were shown before.
    """
    left = most - sum(_bytes(value) for value in result.values() if not isinstance(value, list))
    shown, place, any_shown = dict(result), None, False
    for name, value in result.items():
        if not isinstance(value, list):
            continue
        shown[name] = []
        for at, item in enumerate(value) if place is None else ():
            left -= _bytes(item)
            if left < 0 and any_shown:
                place = f"{name}:{at + (start if name == first else 0)}"
                break
            shown[name].append(_shorten(item, most) if left < 0 else item)
            any_shown = True
    return shown, place


def _cut_behind(glymph: Glymph, result: Mapping[str, Any], name: str, most: int) -> dict[str, Any]:
    """Returns the first operations of a list that fit, with the cursor behind the last of them."""
    shown, place = cut_page({name: result[name]}, most)
    told = {**result, **shown}
    return told | (
        {NEXT: history.cursor_behind(glymph.context, shown[name][-1]["id"])} if place else {}
    )


def cut_parts(
    result: Mapping[str, Any], most: int, kinds: tuple[type, ...] = (list, str)
) -> dict[str, Any]:
    """Returns an answer with its lists and texts cut to equal shares, and what is missing."""
    long = [name for name, value in result.items() if isinstance(value, kinds) and value]
    share = most // max(1, len(long))
    shown, missing = dict(result), dict[str, int]()
    for name in long:
        shown[name] = _cut_part(result[name], share)
        if len(shown[name]) < len(result[name]):
            missing[name] = len(result[name]) - len(shown[name])
    if missing:
        way = ITS_OPERATION if result.get("operation_id") else ASK_FOR_LESS
        notice = f"The answer was too long: {LEFT_OUT} counts what is missing. {way}"
        shown |= {LEFT_OUT: missing, NOTICE: f"{result.get(NOTICE) or ''} {notice}".strip()}
    return shown


def _cut_part(value: list[Any] | str, share: int) -> list[Any] | str:
    if isinstance(value, str):
        return value if _bytes(value) <= share else value[: share // 4]
    return list(cut_page({"": value}, share)[0][""])


def _shorten(item: Any, most: int) -> Any:
    """Returns an item that is too long by itself without the end of its own lists.

    Its text stays: no memory is longer than a message may be.
    """
    return cut_parts(item, most, (list,)) if isinstance(item, Mapping) else item

"""Anthropic's memory tool: Claude's files under /memories, kept in a Glymph store.

    runner = client.beta.messages.tool_runner(tools=[MemoryTool(memory)], …)

A file is a memory with the source `anthropic`, its path is the title: other ways in find it. Each
command that changes something is an operation: what Claude overwrites or deletes can be undone. The
answers are worded as those of the SDK's own tool for a folder on disk.
"""

from __future__ import annotations

import asyncio
from typing import Any, NoReturn

from glymph.adapters.extras import needs
from glymph.adapters.named import NAME, PATH, VALUE, Address, NamedMemories
from glymph.client import Glymph
from glymph.errors import GlymphError
from glymph.model import Memory

with needs("anthropic"):
    from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError

ROOT = "memories"
WIDTH = 6  # of the number before a line
AROUND = 2  # lines shown before and after a change
DEEP = 2  # levels of folders that a look at one shows


class MemoryTool(BetaAbstractMemoryTool):
    """The commands view, create, str_replace, insert, delete and rename on /memories."""

    def __init__(self, glymph: Glymph, *, session: str | None = None, **options: Any) -> None:
        """Takes a handle and the session that changes are noted under; else as in the SDK."""
        super().__init__(**options)
        self._files = NamedMemories(glymph, "anthropic")
        self._session = session

    def execute(self, command: Any) -> Any:
        try:
            return super().execute(command)
        except GlymphError as error:  # for the model to read
            raise ToolError(str(error)) from error

    def view(self, command: Any) -> str:
        place = _parse(command.path)
        found = self._files.find(place)
        if found is None:
            return self._view_folder(command.path.rstrip("/"), _as_folder(place))
        lines = _content(found).split("\n")
        first, last = 1, len(lines)
        if command.view_range and len(command.view_range) == 2:
            first = max(1, command.view_range[0])
            last = last if command.view_range[1] == -1 else command.view_range[1]
        shown = _number(lines, first, last)
        return f"Here's the content of {command.path} with line numbers:\n{shown}"

    def _view_folder(self, path: str, folders: tuple[str, ...]) -> str:
        sizes: dict[str, int] = {"": 0}  # by the path from here on; a folder's ends with a slash
        for one in self._files.walk(folders, archived=True):
            below, size = _below(one, folders), len(_content(one).encode())
            if any(part.startswith(".") for part in below):
                continue
            for depth in range(min(len(below), DEEP) + 1):
                end = "/" if 0 < depth < len(below) else ""
                name = "/".join(below[:depth]) + end
                sizes[name] = sizes.get(name, 0) + size
        if len(sizes) == 1 and folders != (ROOT,):
            _not_there(path)
        listed = [
            f"{_format_size(sizes[name])}\t{f'{path}/{name}' if name else path}"
            for name in sorted(sizes)
        ]
        told = f"Here're the files and directories up to {DEEP} levels deep in {path}"
        return f"{told}, excluding hidden items:\n" + "\n".join(listed)

    def create(self, command: Any) -> str:
        place = _parse(command.path)
        if self._files.find(place) is not None or self._is_folder(place):
            raise ToolError(f"File {command.path} already exists")
        self._write(place, command.file_text)
        return f"File created successfully at: {command.path}"

    def str_replace(self, command: Any) -> str:
        place, content = self._read(command.path)
        before, found, after = content.partition(command.old_str)
        if not found:
            raise ToolError(
                f"No replacement was performed, old_str `{command.old_str}` did not appear "
                f"verbatim in {command.path}."
            )
        if command.old_str in after:
            raise ToolError(
                f"No replacement was performed. Multiple occurrences of old_str "
                f"`{command.old_str}` in {command.path}. Please ensure it is unique"
            )
        changed = before + command.new_str + after
        self._write(place, changed)
        line = before.count("\n") + 1
        shown = _number(changed.split("\n"), max(1, line - AROUND), line + AROUND)
        return (
            "The memory file has been edited. Here is the snippet showing the change (with line "
            f"numbers):\n{shown}"
        )

    def insert(self, command: Any) -> str:
        place, content = self._read(command.path)
        lines = content.removesuffix("\n").split("\n") if content else []
        if not 0 <= command.insert_line <= len(lines):
            raise ToolError(
                f"Invalid `insert_line` parameter: {command.insert_line}. "
                f"It should be within the range [0, {len(lines)}]."
            )
        lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
        self._write(place, "\n".join(lines).removesuffix("\n") + "\n")
        return f"The file {command.path} has been edited."

    def delete(self, command: Any) -> str:
        for one, _ in self._meant(command.path, "delete"):
            self._files.remove(one, self._session)
        return f"Successfully deleted {command.path}"

    def rename(self, command: Any) -> str:
        goal = _parse(command.new_path)
        moving = self._meant(command.old_path, "rename")
        if self._files.find(goal) is not None or self._is_folder(goal):
            raise ToolError(f"The destination {command.new_path} already exists")
        for one, below in moving:
            path = (*_as_folder(goal), *below)
            self._files.move(one, Address(path[:-1], path[-1]), self._session)
        return f"Successfully renamed {command.old_path} to {command.new_path}"

    def clear_all_memory(self) -> str:
        for one in list(self._files.walk((ROOT,), archived=True)):
            self._files.remove(one, self._session)
        return "All memory cleared"

    def _is_folder(self, place: Address) -> bool:
        inside = self._files.walk(_as_folder(place), archived=True)
        return next(inside, None) is not None

    def _meant(self, path: str, verb: str) -> list[tuple[Memory, tuple[str, ...]]]:
        """Returns the file at a path, or those in the folder, each with its path from there on."""
        place = _parse(path)
        folders = _as_folder(place)
        if folders == (ROOT,):
            raise ToolError(f"Cannot {verb} the /memories directory itself")
        if (found := self._files.find(place)) is not None:
            return [(found, ())]
        inside = [(one, _below(one, folders)) for one in self._files.walk(folders, archived=True)]
        return inside or _not_there(path)

    def _read(self, path: str) -> tuple[Address, str]:
        place = _parse(path)
        found = self._files.find(place)
        if found is None and self._is_folder(place):
            raise ToolError(f"The path {path} is not a file.")
        return (place, _content(found)) if found is not None else _not_there(path)

    def _write(self, place: Address, content: str) -> None:
        blank = not content.strip()
        text = f"The file /{'/'.join(_as_folder(place))} is empty." if blank else content
        self._files.put(place, text, content if blank else None, session=self._session)


class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same for `AsyncAnthropic`: each command runs in a thread."""

    def __init__(self, glymph: Glymph, *, session: str | None = None, **options: Any) -> None:
        super().__init__(**options)
        self._tool = MemoryTool(glymph, session=session)

    async def _run(self, command: Any) -> Any:
        return await asyncio.to_thread(self._tool.execute, command)

    view = create = str_replace = insert = delete = rename = _run

    async def clear_all_memory(self) -> str:
        return await asyncio.to_thread(self._tool.clear_all_memory)


def _parse(path: str) -> Address:
    """Returns the folders and the name of a path; raises ToolError if it leads elsewhere."""
    parts = path.rstrip("/").split("/")
    if parts[:2] != ["", ROOT]:
        raise ToolError(f"Path must start with /{ROOT}, got: {path}")
    inside = [part for part in parts[2:] if part not in ("", ".")]
    if ".." in inside:
        raise ToolError(f"Path {path} would escape /{ROOT} directory")
    *folders, name = (ROOT, *inside)
    return Address(tuple(folders), name)


def _as_folder(place: Address) -> tuple[str, ...]:
    return (*place.folders, place.name)


def _below(memory: Memory, folders: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the path of a file in a folder from there on."""
    return (*memory.attributes[PATH], memory.attributes[NAME])[len(folders) :]


def _content(memory: Memory) -> str:
    kept = memory.attributes.get(VALUE)
    return memory.text if kept is None else str(kept)


def _number(lines: list[str], first: int, last: int) -> str:
    shown = enumerate(lines[first - 1 : last], first)
    return "\n".join(f"{number:>{WIDTH}}\t{line}" for number, line in shown)


def _format_size(size: float) -> str:
    for unit in ("B", "K", "M"):
        if size < 1024:
            return f"{size:g}{unit}" if size == int(size) else f"{size:.1f}{unit}"
        size /= 1024
    return f"{size:.1f}G"


def _not_there(path: str) -> NoReturn:
    raise ToolError(f"The path {path} does not exist. Please provide a valid path.")

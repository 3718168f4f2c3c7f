"""Hosts besides Claude Code: our server's entry in each one's own file of settings.

The file as it was is copied once; while nobody else changes it, an uninstall brings it back to the
byte.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glymph import environment
from glymph.errors import InvalidInput, Refused
from glymph.plugin import content, merge_json
from glymph.plugin.install import Change, backup_of, parse_document, read

BEGIN, END = "# Written by `glymph install`: begin", "# Written by `glymph install`: end"


@dataclass(frozen=True)
class Host:
    """An agent's host: where its settings are, and how a server stands in them."""

    name: str
    label: str
    user: Callable[[], Path]  # its settings for all projects
    project: str = ""  # those of one project, from its root; empty if it has none
    key: str = content.SERVER
    space: str = environment.PROJECT  # where the host does not start in the project, another

    def path(self, scope: str) -> Path:
        """Returns the settings of a scope."""
        if scope == "user":
            return self.user()
        if scope == "project" and self.project:
            return environment.project_folder() / self.project
        known = "user, project" if self.project else "user"
        raise InvalidInput("scope", f"{scope!r} is not one of {known}, which {self.label} has.")

    def entry(self, wiring: content.Wiring) -> dict[str, Any]:
        """Returns our server as the host writes it."""
        server = content.make_server(wiring)
        if self.key != "mcp":
            return server
        return {"type": "local", "command": [server["command"], *server["args"]], "enabled": True}


def _home(*parts: str) -> Callable[[], Path]:
    return lambda: Path("~", *parts).expanduser()


def _codex() -> Path:
    return Path(environment.variable("CODEX_HOME") or "~/.codex").expanduser() / "config.toml"


def _opencode() -> Path:
    folder = Path(environment.variable("XDG_CONFIG_HOME") or "~/.config").expanduser() / "opencode"
    commented = folder / "opencode.jsonc"
    return commented if commented.exists() else folder / "opencode.json"


HOSTS = {
    host.name: host
    for host in (
        Host("cursor", "Cursor", _home(".cursor", "mcp.json"), ".cursor/mcp.json", space="default"),
        Host(
            "windsurf", "Windsurf", _home(".codeium", "windsurf", "mcp_config.json"),
            space="default",
        ),
        Host("codex", "Codex", _codex, key="mcp_servers"),
        Host("gemini", "Gemini CLI", _home(".gemini", "settings.json"), ".gemini/settings.json"),
        Host("opencode", "OpenCode", _opencode, "opencode.json", key="mcp"),
    )
}  # fmt: skip


def fragment(host: Host, wiring: content.Wiring) -> str:
    """Returns what an install puts into the file."""
    if host.key == "mcp_servers":
        return _write_block(host, wiring)
    return content.dump_json({host.key: {content.NAME: host.entry(wiring)}})


def plan_install(host: Host, scope: str, wiring: content.Wiring) -> list[Change]:
    """Returns what an install changes; raises if the file is not what it should be."""
    path = host.path(scope)
    before = read(path)
    after = (_add_block if host.key == "mcp_servers" else _add_entry)(host, path, before, wiring)
    changes = [Change(path, before, after, _root(path))]
    backup = backup_of(path)
    if before is not None and after != before and not backup.exists():
        changes.insert(0, Change(backup, None, before, _root(path)))
    return changes


def plan_uninstall(host: Host, scope: str) -> list[Change]:
    """Returns what an uninstall changes: nothing if there is no entry of ours."""
    path = host.path(scope)
    before = read(path)
    if before is None:
        return []
    rest = (_drop_block if host.key == "mcp_servers" else _drop_entry)(host, path, before)
    if rest == before:
        return []
    backup = backup_of(path)
    kept = read(backup)
    if kept is not None and _say_the_same(host, path, kept, rest):
        return [Change(path, before, kept, _root(path)), Change(backup, kept, None, _root(path))]
    made_by_us = kept is None and _say_the_same(host, path, b"", rest)
    return [Change(path, before, None if made_by_us else rest, _root(path))]


def backups(host: Host, scope: str) -> list[Path]:
    """Returns the copy of the file from before the first install, if it still exists."""
    copy = backup_of(host.path(scope))
    return [copy] if copy.exists() else []


def _root(path: Path) -> Path:
    """Returns the folder that is not the host's: what is empty below it may go."""
    home = Path("~").expanduser()
    return home if home in path.parents else environment.project_folder()


def _say_the_same(host: Host, path: Path, one: bytes, other: bytes) -> bool:
    if host.key == "mcp_servers":
        return _parse_toml(path, one) == _parse_toml(path, other)
    documents = [parse_document(path, body or b"{}")[1] for body in (one, other)]
    return merge_json.are_same(*documents)


# JSON


def _add_entry(host: Host, path: Path, before: bytes | None, wiring: content.Wiring) -> bytes:
    document = parse_document(path, before)[1]
    merged = merge_json.with_entry(document, host.key, host.entry(wiring))
    return before if before and merged == document else content.dump_json(merged).encode()


def _drop_entry(host: Host, path: Path, before: bytes) -> bytes:
    document = parse_document(path, before)[1]
    rest = merge_json.without_server(document, host.key)
    return before if rest == document else content.dump_json(rest).encode()


# TOML: the library reads it and does not write it, so ours is a block between two marks.


def _write_block(host: Host, wiring: content.Wiring) -> str:
    entry = host.entry(wiring)
    # A JSON text, written in ASCII, is a basic string of TOML as well.
    lines = [f"{name} = {json.dumps(value)}" for name, value in entry.items()]
    return "\n".join([BEGIN, f"[{host.key}.{content.NAME}]", *lines, END, ""])


def _add_block(host: Host, path: Path, before: bytes | None, wiring: content.Wiring) -> bytes:
    rest = _drop_block(host, path, before or b"")
    if content.NAME in _parse_toml(path, rest).get(host.key, {}):
        raise Refused(
            f"{path} has a server {content.NAME!r} already that `glymph install` did not write. "
            "Rename or remove it; nothing was written."
        )
    gap = b"" if not rest or rest.endswith(b"\n\n") else b"\n" if rest.endswith(b"\n") else b"\n\n"
    after = rest + gap + _write_block(host, wiring).encode()
    _parse_toml(path, after)
    return before if before and _parse_toml(path, before) == _parse_toml(path, after) else after


def _drop_block(host: Host, path: Path, body: bytes) -> bytes:
    _parse_toml(path, body)
    start, end = body.find(BEGIN.encode()), body.find(END.encode())
    if start < 0 or end < start:
        return body
    rest = body[end + len(END) :].removeprefix(b"\r").removeprefix(b"\n")
    return body[:start] + rest if rest else body[:start].removesuffix(b"\n")


def _parse_toml(path: Path, body: bytes) -> dict[str, Any]:
    try:
        found = tomllib.loads(body.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            "settings",
            f"{path} is not valid TOML ({error}). Fix it and run this again; nothing was written.",
        ) from error
    if not isinstance(found.get("mcp_servers", {}), dict):
        raise InvalidInput("settings", f"`mcp_servers` in {path} is no table. Fix it.")
    return found

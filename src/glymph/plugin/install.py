"""Installs Glymph in Claude Code: a plan of changes to files, then one change after the other."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from glymph import environment
from glymph.errors import GlymphError, InvalidInput, Refused
from glymph.plugin import content, merge_json

Scope = Literal["user", "project", "plugin"]
SCOPES: tuple[Scope, ...] = ("user", "project", "plugin")
BACKUP = ".before-glymph"
PRIVATE, READABLE = 0o600, 0o644  # for a new file: settings may hold secrets later, texts never do


@dataclass(frozen=True)
class Place:
    """The files of one scope: a folder of our own for a plugin, else the host's own files."""

    folder: Path  # of skills and commands
    settings: Path | None = None
    servers: Path | None = None


@dataclass(frozen=True)
class Change:
    """One file as it is and as it shall be; None where it is missing."""

    path: Path
    before: bytes | None
    after: bytes | None
    within: Path  # folders below this one are removed when they are left empty

    @property
    def verb(self) -> str:
        """The thing to do to the file: keep, write, change or remove."""
        if self.before == self.after:
            return "keep"
        if self.after is None:
            return "remove"
        return "write" if self.before is None else "change"


def place(scope: Scope) -> Place:
    """Returns where a scope's files are."""
    if scope == "plugin":
        return Place(environment.home() / "claude-code")
    if scope == "project":
        root = environment.project_folder()
        return Place(root / ".claude", root / ".claude" / "settings.local.json", root / ".mcp.json")
    moved = environment.variable("CLAUDE_CONFIG_DIR")
    folder = Path(moved or "~/.claude").expanduser()
    return Place(
        folder, folder / "settings.json", (folder if moved else folder.parent) / ".claude.json"
    )


def fragments(scope: Scope, wiring: content.Wiring) -> dict[Path, str]:
    """Returns what an install puts into each file, without what is there already."""
    at = place(scope)
    if at.settings is None or at.servers is None:
        return {at.folder / path: text for path, text in content.make_plugin(wiring).items()}
    return {
        at.settings: content.dump_json(merge_json.with_hooks({}, wiring)),
        at.servers: content.dump_json(merge_json.with_server({}, wiring)),
        **{at.folder / path: text for path, text in content.read_texts().items()},
    }


def plan_install(scope: Scope, wiring: content.Wiring) -> list[Change]:
    """Returns what an install changes; raises if a file is not what it should be."""
    _refuse_a_second_way(scope)
    at = place(scope)
    if at.settings is None or at.servers is None:
        return [
            _plan_text(at, path, text, guarded=False)
            for path, text in content.make_plugin(wiring).items()
        ]
    return [
        *_plan_adding(at, at.settings, lambda document: merge_json.with_hooks(document, wiring)),
        *_plan_adding(at, at.servers, lambda document: merge_json.with_server(document, wiring)),
        *(_plan_text(at, path, text) for path, text in content.read_texts().items()),
    ]


def plan_uninstall(scope: Scope) -> list[Change]:
    """Returns what an uninstall changes: files of ours, and our entries in others."""
    at = place(scope)
    if at.settings is None or at.servers is None:
        names = content.make_plugin(content.Wiring((content.NAME,), None, environment.PROJECT))
        return [
            c
            for c in (_plan_removal(at, name, guarded=False) for name in names)
            if c.before is not None
        ]
    changes = [
        *_plan_removing(at, at.settings, merge_json.without_hooks),
        *_plan_removing(at, at.servers, merge_json.without_server),
        *(_plan_removal(at, name) for name in content.TEXTS),
    ]
    return [change for change in changes if change.verb != "keep"]


def backups(scope: Scope) -> list[Path]:
    """Returns the copies of somebody's files from before the first install that still exist."""
    at = place(scope)
    return [
        copy for path in (at.settings, at.servers) if path and (copy := backup_of(path)).exists()
    ]


def carry_out(changes: Iterable[Change]) -> None:
    """Makes each file what it shall be; a reader sees the old one or the new one.

    A file that somebody changed since the plan was made is left alone, with an error.
    """
    for change in changes:
        if change.verb == "keep":
            continue
        if read(change.path) != change.before:
            raise GlymphError(
                f"{change.path} was changed a moment ago by somebody else. Run this again."
            )
        try:
            _apply(change)
        except OSError as error:
            raise GlymphError(
                f"cannot write {change.path} ({error}). Fix that and run this again."
            ) from error


def _refuse_a_second_way(scope: Scope) -> None:
    """Raises if every hook would run twice, by the plugin and by the settings."""
    settings = place("user").settings
    document = parse_document(settings, read(settings))[1] if settings else {}
    plugins = document.get("enabledPlugins")
    if scope != "plugin" and isinstance(plugins, dict) and plugins.get(content.PLUGIN):
        raise Refused(
            f"the plugin {content.PLUGIN} is enabled in {settings}: every hook would run twice. "
            f"Run `claude plugin uninstall {content.PLUGIN}` first."
        )
    if scope == "plugin" and merge_json.without_hooks(document) != document:
        raise Refused(
            f"the hooks are in {settings} already: with the plugin each would run twice. "
            "Run `glymph install remove claude-code --apply` first."
        )


def _plan_adding(
    at: Place, path: Path, merge: Callable[[dict[str, Any]], dict[str, Any]]
) -> Iterator[Change]:
    """Yields the changes that add to somebody's file: a copy of it, made once, and the file."""
    before, document = parse_document(path, read(path))
    merged = merge(document)
    if before is None or merged != document:
        backup = backup_of(path)
        if before is not None and not backup.exists():
            yield Change(backup, None, before, at.folder)
        yield Change(path, before, content.dump_json(merged).encode(), at.folder)
    else:
        yield Change(path, before, before, at.folder)


def _plan_removing(
    at: Place, path: Path, without: Callable[[dict[str, Any]], dict[str, Any]]
) -> Iterator[Change]:
    """Yields the changes that take ours out. A file nobody else changed is restored to the byte."""
    before, document = parse_document(path, read(path))
    rest = without(document)
    if before is None or rest == document:
        return
    backup = backup_of(path)
    kept, original = parse_document(backup, read(backup))
    if kept is not None and merge_json.are_same(original, rest):
        yield Change(path, before, kept, at.folder)
        yield Change(backup, kept, None, at.folder)
    else:
        made_by_us = kept is None and not rest
        yield Change(
            path, before, None if made_by_us else content.dump_json(rest).encode(), at.folder
        )


def _plan_text(at: Place, name: str, text: str, *, guarded: bool = True) -> Change:
    path = at.folder / name
    before = read(path)
    if guarded and before is not None and not _is_ours(before):
        raise Refused(
            f"{path} is there already and not Glymph's. Rename or remove it; nothing was written."
        )
    return Change(path, before, text.encode(), at.folder)


def _plan_removal(at: Place, name: str, *, guarded: bool = True) -> Change:
    path = at.folder / name
    before = read(path)
    ours = before is not None and (not guarded or _is_ours(before))
    return Change(path, before, None if ours else before, at.folder)


def _is_ours(body: bytes) -> bool:
    return content.MARK.encode() in body


def backup_of(path: Path) -> Path:
    """Returns where a file is copied to before it is changed for the first time."""
    return path.with_name(path.name + BACKUP)


def parse_document(path: Path, body: bytes | None) -> tuple[bytes | None, dict[str, Any]]:
    """Returns a JSON file's bytes and its object; None and an empty one if it is missing."""
    if body is None:
        return None, {}
    try:
        found = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            "settings",
            f"{path} is not valid JSON ({error}). Fix it and run this again; nothing was written.",
        ) from error
    if not isinstance(found, dict):
        raise InvalidInput("settings", f"{path} holds no JSON object. Fix it; nothing was written.")
    return body, found


def read(path: Path) -> bytes | None:
    """Returns a file's bytes; None if it is missing."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InvalidInput(
            "settings", f"cannot read {path} ({error}). Fix that; nothing was written."
        ) from error


def _apply(change: Change) -> None:
    path = Path(os.path.realpath(change.path))  # a link stays: the file it leads to is replaced
    if change.after is None:
        change.path.unlink()
        _remove_empty(change.path.parent, change.within)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    like = (
        change.path
        if path.exists()
        else change.path.with_name(change.path.name.removesuffix(BACKUP))
    )
    mode = (
        stat.S_IMODE(like.stat().st_mode)
        if like.exists()
        else READABLE
        if path.suffix == ".md"
        else PRIVATE
    )
    partial = path.with_name(path.name + ".partial")
    partial.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(change.after)
            file.flush()
            os.fsync(file.fileno())
        partial.chmod(mode)
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise


def _remove_empty(folder: Path, within: Path) -> None:
    """Removes folders that are left empty, up to one that is the host's own."""
    while folder != within and within in folder.parents and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent

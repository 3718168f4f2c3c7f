"""Puts Glymph's entries into somebody's JSON settings and takes them out; the rest stays."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from glymph.errors import InvalidInput
from glymph.plugin import content

Document = dict[str, Any]


def with_hooks(document: Document, wiring: content.Wiring) -> Document:
    """Returns the settings with our hooks, each once; older ones of ours are replaced."""
    wanted = content.make_hooks(wiring)
    _check_hooks(document)
    if all(_find_ours(document, event) == [group] for event, group in wanted.items()):
        return document
    merged = without_hooks(document)
    hooks = merged.setdefault("hooks", {})
    for event, group in wanted.items():
        hooks.setdefault(event, []).append(group)
    return merged


def without_hooks(document: Document) -> Document:
    """Returns the settings without our hooks and without lists that held nothing else."""
    _check_hooks(document)
    found: Document = deepcopy(document)
    hooks = found.get("hooks", {})
    for event in [event for event, groups in hooks.items() if any(map(_holds_ours, groups))]:
        hooks[event] = [
            kept for group in hooks[event] if (kept := _without_ours(group)) is not None
        ]
        _drop_if_empty(hooks, event)
        _drop_if_empty(found, "hooks")
    return found


def with_server(document: Document, wiring: content.Wiring) -> Document:
    """Returns the document with our server's entry."""
    return with_entry(document, content.SERVER, content.make_server(wiring))


def with_entry(document: Document, key: str, entry: Document) -> Document:
    """Returns the document with our server among those under a key."""
    _check_server(document, key)
    merged: Document = deepcopy(document)
    merged.setdefault(key, {})[content.NAME] = entry
    return merged


def without_server(document: Document, key: str = content.SERVER) -> Document:
    """Returns the document without our server's entry; one that is not ours stays."""
    found: Document = deepcopy(document)
    servers = found.get(key)
    if isinstance(servers, dict) and content.is_our_server(servers.get(content.NAME)):
        del servers[content.NAME]
        _drop_if_empty(found, key)
    return found


def are_same(one: Document, other: Document) -> bool:
    """Tells whether two documents say the same; empty hooks or servers count as none."""
    return _without_empty(one) == _without_empty(other)


def _without_empty(document: Document) -> Document:
    rest = dict(document)
    for name in ("hooks", *content.SERVER_KEYS):
        if isinstance(rest.get(name), dict):
            rest[name] = {key: item for key, item in rest[name].items() if item != []}
            _drop_if_empty(rest, name)
    return rest


def _drop_if_empty(document: Document, name: str) -> None:
    if not document[name]:
        del document[name]


def _find_ours(document: Document, event: str) -> list[Any]:
    """Returns the groups of an event that hold a hook of ours."""
    return [group for group in document.get("hooks", {}).get(event, []) if _holds_ours(group)]


def _holds_ours(group: Any) -> bool:
    return isinstance(group, dict) and any(map(content.is_our_hook, group.get("hooks") or ()))


def _without_ours(group: Any) -> Any:
    """Returns a group without our hooks; None if it held nothing else."""
    if not _holds_ours(group):
        return group
    others = [hook for hook in group["hooks"] if not content.is_our_hook(hook)]
    return {**group, "hooks": others} if others else None


def _check_hooks(document: Document) -> None:
    hooks = document.get("hooks", {})
    if not isinstance(hooks, dict) or not all(
        isinstance(groups, list) for groups in hooks.values()
    ):
        raise InvalidInput(
            "settings",
            "`hooks` is not an object of lists, as Claude Code has it. Fix it; nothing was "
            "written.",
        )


def _check_server(document: Document, key: str) -> None:
    servers = document.get(key, {})
    if not isinstance(servers, dict):
        raise InvalidInput("settings", f"`{key}` is not an object. Fix it; nothing was written.")
    if content.NAME in servers and not content.is_our_server(servers[content.NAME]):
        raise InvalidInput(
            "settings",
            f"there is a server {content.NAME!r} already that does not start `glymph mcp`. "
            "Rename or remove it; nothing was written.",
        )

"""`glymph forget`: a plan as it reads on a terminal, and what conversations say of what is to go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from shlex import quote
from typing import TYPE_CHECKING, Any

from glymph.cli import show

if TYPE_CHECKING:
    from glymph.client import Glymph

LONGEST = 200  # characters of a memory in a plan


def with_conversations(glymph: Glymph, value: Mapping[str, Any]) -> dict[str, Any]:
    """A plan with what a purge would cut out of conversations, and what says the words of the
    request there.
    """
    from glymph.plain import plain

    most = glymph.settings.max_text_chars
    going = [text for text in _going(value) if len(text) <= most]
    along = glymph.erase_from_conversations(*going) if going else None
    by_hand = None
    if len(value["request"]) <= most and not _covered(value["request"], going):
        by_hand = glymph.erase_from_conversations(value["request"])
    return {**value, "conversations": {"purge": plain(along), "request": plain(by_hand)}}


def _going(value: Mapping[str, Any]) -> list[str]:
    """The texts and identifiers that a purge cuts out of conversations, too."""
    from glymph.forget.requests import understood

    texts = [
        action["old"] for action in value["actions"] if action["kind"] in ("remove", "rewrite")
    ]
    if value["mode"] != "purge" or not texts:
        return []
    return [*texts, *(each.text for each in understood(value["request"]).strong)]


def _covered(request: str, going: Sequence[str]) -> bool:
    """Whether all that says the words of the request goes anyway."""
    return any(_folded(text).casefold() in _folded(request).casefold() for text in going)


def plan(value: Mapping[str, Any]) -> None:
    """A plan to forget, and the way on."""
    show.line(_text(value))
    here = "" if value["space"] == "default" else f" --space {quote(value['space'])}"
    told = value.get("conversations") or {}
    if also := written_anew(told.get("purge")):
        show.line(f"The purge would also write {also} anew, without it.")
    if said := written_anew(told.get("request")):
        way = f"glymph history erase {quote(value['request'])} --apply{here}"
        show.line(f"Conversations say it, too. To write {said} anew without it, for good: {way}")
    if any(action["kind"] in ("remove", "rewrite") for action in value["actions"]):
        purging = " --mode purge" if value["mode"] == "purge" else ""
        way = f"glymph forget --plan {value['plan_id']}{purging}{here} --apply"
        show.line(f"Nothing was changed. Do it with: {way}", "dim")


def written_anew(done: Mapping[str, Any] | None) -> str:
    """What an erasure writes, in words; empty if it is nothing."""
    files, messages = (done["files"], done["messages"]) if done else (0, 0)
    parts = [
        show.counted(files, "file of conversations", "files of conversations") if files else "",
        show.counted(messages, "message in the store", "messages in the store") if messages else "",
    ]
    return " and ".join(filter(None, parts))


def _text(value: Mapping[str, Any]) -> str:
    """The plan for a reader, each memory in one line."""
    from glymph.forget.plan import ForgetPlan
    from glymph.forget.requests import Action

    known = {field.name for field in fields(ForgetPlan)}
    given = {name: part for name, part in value.items() if name in known}
    moments = {name: datetime.fromisoformat(value[name]) for name in ("created_at", "expires_at")}
    actions = tuple(
        Action(**{**action, "old": _in_a_line(action["old"]), "new": _in_a_line(action["new"])})
        for action in value["actions"]
    )
    request = _in_a_line(value["request"])
    return ForgetPlan(**{**given, **moments, "request": request, "actions": actions}).text


def _in_a_line(text: str) -> str:
    folded = _folded(text)
    return folded if len(folded) <= LONGEST else folded[: LONGEST - 1] + "…"


def _folded(text: str) -> str:
    return " ".join(text.split())

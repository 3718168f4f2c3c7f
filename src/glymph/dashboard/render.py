"""Templates, and how values look to people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from difflib import SequenceMatcher
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from glymph import __version__
from glymph.dashboard.page import GROUPS, all_pages
from glymph.model import Memory
from glymph.text.controls import remove_controls
from glymph.tools.blocks import quantity

HERE = Path(__file__).parent
TEMPLATES, STATIC = HERE / "templates", HERE / "static"
STEPS = (
    (60, "second", 1.0),
    (3600, "minute", 60.0),
    (86_400, "hour", 3600.0),
    (86_400 * 60, "day", 86_400.0),
    (86_400 * 730, "month", 86_400 * 30.44),
)
YEAR = 86_400 * 365.25
RULES = {
    "dead group": "in a group that is dormant as a whole",
    "past retention": "older than their kind is kept",
    "unaligned": "beside every goal",
    "orphan": "that nothing leads to",
    "passing": "that were for a passing moment",
}
STAGES = {"weak": "fading"}  # where people know a stage by another word than the program
DEEDS = {
    "ai_prune": "put away what a language model nominated and code allowed",
    "consolidate": "made a lesson of many episodes",
    "fold": "folded the end of the journal",
    "garden": "tidied: merged duplicates, dropped faded links",
    "lifecycle": "put away what had faded",
    "purge": "removed for good",
    "reconcile": "compared new memories with what was known",
    "reinforce": "kept from fading",
    "report": "noted what a search was good for",
    "supersede": "put a newer statement in the place of an older one",
}  # what an operation did, where its name alone does not say so
USES = frozenset({"last_used_at", "access_count", "stability", "difficulty", "review"})
_ID = re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{6}([0-9a-f]{6})\b")
LONGEST_DIFF = 4000  # words: beyond that, two texts stand one after the other
DELETED, INSERTED, SAME = "del", "ins", ""


def render(template: str, **values: Any) -> str:
    """Returns a template filled in. Memories are data: no mark in them ever counts as HTML."""
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, finalize=finalize,
    )  # fmt: skip
    made.filters |= {
        "since": tell_since, "until": tell_until, "day": tell_day, "moment": tell_moment,
        "iso": _iso, "percent": tell_percent, "quantity": quantity, "number": tell_number,
        "words": tell_words, "reason": tell_reason, "cause": tell_cause, "deed": tell_deed,
        "stage": tell_stage, "columns": tell_columns, "usd": tell_usd, "by_month": by_month,
    }  # fmt: skip
    made.tests["mentions"] = lambda text, words: words in text
    made.globals |= {
        "version": __version__, "menu": menu, "diff": diff, "asset": asset, "visit": None,
        "form_proof": "",
    }  # fmt: skip
    return made


def finalize(value: Any) -> Any:
    """Returns a value as it may be shown: without what would steer, and empty where there is none.

    Half a pair, which UTF-8 cannot write, is replaced.
    """
    if value is None:
        return ""
    if isinstance(value, str) and not isinstance(value, Markup):
        return remove_controls(value).encode("utf-8", "replace").decode()
    return value


@cache
def asset(name: str) -> str:
    """Returns the address of a file of ours, which changes with the file."""
    changed = (STATIC / name).stat().st_mtime_ns
    return f"/static/{name}?{changed:x}"


def menu(visit: Any) -> list[tuple[str, list[Any]]]:
    """Returns the pages that a visitor may see, by parts of the menu."""
    seen = [page for page in all_pages() if visit.access.role >= page.role]
    return [(group, [page for page in seen if page.group == group]) for group in GROUPS]


# values


def tell_since(then: datetime | None, now: datetime | None = None) -> str:
    """Returns how long ago a moment was."""
    if then is None:
        return "never"
    seconds = ((now or datetime.now(UTC)) - then).total_seconds()
    if seconds < 0:
        return tell_until(then, now)
    return "just now" if seconds < 45 else f"{_span(seconds)} ago"


def tell_until(then: datetime | None, now: datetime | None = None) -> str:
    """Returns in how long a moment comes."""
    if then is None:
        return "no fixed time"
    seconds = (then - (now or datetime.now(UTC))).total_seconds()
    return "now" if seconds <= 0 else f"in {_span(seconds)}"


def _span(seconds: float) -> str:
    for most, name, unit in STEPS:
        if seconds < most:
            many = max(1, round(seconds / unit))
            return f"{many} {name}{'' if many == 1 else 's'}"
    return f"{round(seconds / YEAR)} years"


def tell_day(then: date | None) -> str:
    return "" if then is None else f"{then:%-d %B %Y}"


def tell_moment(then: datetime | None) -> str:
    return "" if then is None else f"{then.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _iso(then: datetime | None) -> str:
    return "" if then is None else then.astimezone(UTC).isoformat(timespec="seconds")


def tell_percent(share: float) -> str:
    return f"{share:.0%}".replace("%", "\u202f%")


def tell_number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def tell_usd(value: float) -> str:
    return f"{value:,.4f} USD" if 0 < value < 1 else f"{value:,.2f} USD"


def tell_words(name: object) -> str:
    """Returns a name of the program's as people write it."""
    return str(name).replace("_", " ")


def tell_cause(reason: str) -> str:
    """Returns why something was done: a person's words as they are, a name of ours in words.

    Ids are cut to their ends, by which pages name a memory that has no title any more.
    """
    name, colon, rest = reason.partition(": ")
    if name.isidentifier() and (not colon or _ID.fullmatch(rest)):
        reason = f"{tell_words(name)}{colon}{rest}"
    return _ID.sub(r"…\1", reason)


def tell_deed(verb: str) -> str:
    """Returns what an operation of that name does, where the name alone does not say so."""
    return DEEDS.get(verb, "")


def tell_columns(changed: Iterable[str]) -> str:
    """Returns what changed on a memory; what a use changes is one thing."""
    every = set(changed)
    others = sorted(every - USES)
    return tell_words(", ".join((["counted as used"] if every & USES else []) + others))


def tell_stage(name: str) -> str:
    """Returns how people call a stage of a memory."""
    return STAGES.get(name.lower(), name.lower())


def by_month(memories: Iterable[Memory]) -> list[tuple[str, list[Memory]]]:
    """Returns memories under the months in which they came, in the order given."""
    found = groupby(memories, lambda one: f"{one.created_at:%B %Y}")
    return [(month, list(those)) for month, those in found]


def tell_reason(told: str) -> str:
    """Returns how many members a rule speaks of, in the words of people."""
    count, _, rule = told.partition(" ")
    return f"{count} {RULES.get(rule, rule)}"


def diff(old: object, new: object) -> list[tuple[str, str]]:
    """Returns two texts as one, in pieces: those that went, those that came, and the rest."""
    a, b = re.findall(r"\s*\S+", str(old)), re.findall(r"\s*\S+", str(new))
    if len(a) + len(b) > LONGEST_DIFF:
        return [(DELETED, str(old)), (INSERTED, str(new))]
    pieces: list[tuple[str, str]] = []
    for what, a0, a1, b0, b1 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if what == "equal":
            pieces.append((SAME, "".join(a[a0:a1])))
            continue
        pieces += [(DELETED, "".join(a[a0:a1]))] if a1 > a0 else []
        pieces += [(INSERTED, "".join(b[b0:b1]))] if b1 > b0 else []
    return pieces


def shares(counts: Mapping[str, int]) -> list[tuple[str, int, float, float]]:
    """Returns the parts of a bar: name, count, where it begins, and its width in per cent."""
    total, begins, parts = sum(counts.values()) or 1, 0.0, []
    for name, count in counts.items():
        width = 100 * count / total
        parts.append((name, count, round(begins, 3), round(width, 3)))
        begins += width
    return parts

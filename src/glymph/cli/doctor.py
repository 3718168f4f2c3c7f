"""`glymph doctor`: checks a whole store against every invariant."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.clock_check import check_clock, render_clock
from glymph.cli.embed import describe_embedder
from glymph.cli.options import LOOK, Json, Url
from glymph.cli.status import find_spaces
from glymph.errors import CorruptStore, ReaderFailed
from glymph.plain import plain
from glymph.reader import open_reader
from glymph.reader.weights import explain_absence
from glymph.reader.wording import Said
from glymph.tools.blocks import Line, Table, quantity

if TYPE_CHECKING:
    from glymph.client import Glymph
    from glymph.tools.render import Blocks

TRIED = "Tea is at four."  # what a reader is asked to judge, to see whether it can
RESTORE = (
    "Stop writing to the store and restore its newest sound backup: "
    "`glymph store restore BACKUP NEW_FILE` checks one, and with --apply makes a store of it. "
    "Without a backup, `glymph store export` saves what can still be read of a space."
)
REBUILD = (
    "The rows may be whole: `glymph store export` of each space and `glymph store import` into a "
    "new store make indexes and guards anew, and check every row on the way."
)
REPAIR = "If the clock is right now, `glymph doctor --repair` dates anew what lies ahead of it."
# What to do about problems of a kind; None where they say it themselves.
NEXT = {
    "full text": REBUILD, "guards": REBUILD, "schema": REBUILD, "sequences": REBUILD,
    "unfinished": None, "keys": None, "part": None, "isolation": None,
}  # fmt: skip


def register(app: typer.Typer) -> None:
    app.command("doctor", rich_help_panel=LOOK)(doctor)


def doctor(
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Date anew what a clock that was wrong dated ahead."),
    ] = False,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Check a whole store against every invariant, name what is wrong and what to do about it, and
    tell how recall finds by meaning.
    """
    facts = _examine(url, repair=repair)
    sound = facts["ok"]
    output.answer(facts, _render(facts, sound), as_json=as_json)
    if not sound:
        raise typer.Exit(1)


def _examine(url: str | None, *, repair: bool) -> dict[str, Any]:
    """Returns what is found; what is too damaged to be opened or read is one more problem."""
    facts: dict[str, Any] = {"store": url, "ok": False, "away": {}, "checks": [], "problems": []}
    facts["reader"] = {"name": "unknown", "problem": ""}
    spaces: list[str] = []
    meaning: dict[str, Any] = {}
    ahead: dict[str, Any] = {}
    problems: list[dict[str, str]] = facts["problems"]
    with _noting_damage(problems), environment.open_whole(url) as glymph:
        facts["store"] = glymph.shown_url
        verdict = plain(glymph.verify())
        facts["checks"] = verdict["checks"]
        problems += verdict["problems"]
        spaces, facts["away"] = find_spaces(glymph)
        facts["reader"] = _try_reader(glymph)
    for name in spaces:
        with (
            _noting_damage(problems),
            environment.open_glymph(url, name, "user", create=False) as glymph,
        ):
            meaning[name] = plain(glymph.meaning())
            if (told := check_clock(glymph, repair=repair)) is not None:
                ahead[name] = told
    waiting = any(not told["repaired"] for told in ahead.values())
    named = dict.fromkeys(NEXT.get(problem["check"], RESTORE) for problem in problems)
    return {
        **facts, "ok": not problems and not facts["away"] and not waiting,
        "next": [*filter(None, named), *([REPAIR] if waiting else [])], "clock": ahead,
        "meaning": meaning,
    }  # fmt: skip


def _try_reader(glymph: Glymph) -> dict[str, str]:
    """Returns which reader judges texts, after it has judged one, and why it is none."""
    spec = glymph.settings.reader
    problem = explain_absence() if spec == "auto" else ""
    if not problem and spec != "none":
        try:
            reader = open_reader("local" if spec == "auto" else spec)
            reader.grade([TRIED])
            reader.sift([Said("user", TRIED)])  # has a file of its own
        except ReaderFailed as error:
            problem = str(error)
    return {"name": "none" if problem else glymph.context.reader.name, "problem": problem}


def _say_reader(reader: dict[str, str]) -> str:
    if reader["name"] != "none":
        return f"{reader['name']} judges what texts have to do with each other."
    return f"none: texts are judged by hard rules only. {reader['problem']}".rstrip()


@contextmanager
def _noting_damage(problems: list[dict[str, str]]) -> Iterator[None]:
    """Lets the rest be looked at when the store is too damaged for a part of it."""
    try:
        yield
    except CorruptStore as error:
        if not problems:  # else what is wrong is named already
            problems.append({"check": "pages", "detail": str(error)})


def _render(facts: dict[str, Any], sound: bool) -> Blocks:
    for check in facts["checks"]:
        yield Line(f"checked  {check}")
    for problem in facts["problems"]:
        yield Line(f"WRONG    {problem['check']}: {problem['detail']}", "bold red")
    yield from render_clock(facts["clock"])
    for step in facts["next"]:
        yield Line(f"next     {step}", "bold")
    rows = [*_list_embedders(facts["meaning"]), ["reader", _say_reader(facts["reader"])]]
    yield Table(["", ""], rows)
    waiting = [told for told in facts["clock"].values() if not told["repaired"]]
    problems = quantity(len(facts["problems"]) + len(waiting), "problem", "problems")
    yield Line(f"{facts['store']}: {'sound' if sound else problems}", "bold")


def _list_embedders(meaning: dict[str, Any]) -> list[list[str]]:
    """Says once what is the same in every space."""
    spaces_by_sentence: dict[str, list[str]] = {}
    for space, status in meaning.items():
        for sentence in describe_embedder(status, space):
            spaces_by_sentence.setdefault(sentence, []).append(space)
    rows = []
    for sentence, spaces in spaces_by_sentence.items():
        where = "" if len(spaces) == len(meaning) else f"{', '.join(spaces)}: "
        rows.append(["meaning", where + sentence])
    return rows

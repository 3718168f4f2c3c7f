"""`glymph doctor`: checks a whole store against every invariant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.clock_check import check_clock, render_clock
from glymph.cli.embed import describe_embedder
from glymph.cli.options import LOOK, Json, Url
from glymph.cli.status import find_spaces
from glymph.plain import plain
from glymph.tools.blocks import Line, Table, quantity

if TYPE_CHECKING:
    from glymph.tools.blocks import Table
    from glymph.tools.render import Blocks


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
    """Check a whole store against every invariant, name what is wrong, and tell how recall finds by
    meaning.
    """
    with environment.open_whole(url) as glymph:
        verdict = glymph.verify()
        store = glymph.shown_url
        spaces, away = find_spaces(glymph)
    meaning, ahead = {}, {}
    for name in spaces:
        with environment.open_glymph(url, name, "user", create=False) as glymph:
            meaning[name] = plain(glymph.meaning())
            if (told := check_clock(glymph, repair=repair)) is not None:
                ahead[name] = told
    sound = verdict.ok and not away and all(told["repaired"] for told in ahead.values())
    facts = {
        "store": store, "ok": sound, "away": away, **plain(verdict), "clock": ahead,
        "meaning": meaning,
    }  # fmt: skip
    output.answer(facts, _render(facts, sound), as_json=as_json)
    if not sound:
        raise typer.Exit(1)


def _render(facts: dict[str, Any], sound: bool) -> Blocks:
    for check in facts["checks"]:
        yield Line(f"checked  {check}")
    for problem in facts["problems"]:
        yield Line(f"WRONG    {problem['check']}: {problem['detail']}", "bold red")
    yield from render_clock(facts["clock"])
    yield _table_of_embedders(facts["meaning"])
    waiting = [told for told in facts["clock"].values() if not told["repaired"]]
    problems = quantity(len(facts["problems"]) + len(waiting), "problem", "problems")
    yield Line(f"{facts['store']}: {'sound' if sound else problems}", "bold")


def _table_of_embedders(meaning: dict[str, Any]) -> Table:
    """Says once what is the same in every space."""
    spaces_by_sentence: dict[str, list[str]] = {}
    for space, status in meaning.items():
        for sentence in describe_embedder(status, space):
            spaces_by_sentence.setdefault(sentence, []).append(space)
    rows = []
    for sentence, spaces in spaces_by_sentence.items():
        where = "" if len(spaces) == len(meaning) else f"{', '.join(spaces)}: "
        rows.append(["meaning", where + sentence])
    return Table(["", ""], rows)

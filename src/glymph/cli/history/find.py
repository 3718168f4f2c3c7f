"""Finds the conversation that a command of `glymph memory history` is about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from glymph import environment
from glymph.errors import InvalidInput

if TYPE_CHECKING:
    from glymph.client import Glymph
    from glymph.history.history import History
    from glymph.history.policy import HistorySettings

LISTS = "`glymph memory history list` names all; check --space and --folder, too."
Session = Annotated[
    str, typer.Argument(metavar="SESSION", help="The conversation's name.", show_default=False)
]
Folder = Annotated[
    Path | None,
    typer.Option(
        "--folder",
        help="Where conversations lie, or `store`; left out: wherever they are.",
        show_default=False,
    ),
]


@contextmanager
def open_history(
    session: str, folder: Path | None, url: str | None, space: str, actor: str,
    settings: HistorySettings | None = None,
) -> Iterator[History]:  # fmt: skip
    """Opens the history that has a session, in a folder or wherever it lies."""
    with environment.open_glymph(url, space, actor, create=False) as glymph:
        yield _find_history(glymph, session, folder, settings)


def _find_history(
    glymph: Glymph, session: str, folder: Path | None, settings: HistorySettings | None
) -> History:
    if folder is None:
        try:
            return glymph.conversations.with_session(session, settings=settings)
        except InvalidInput as error:
            problem = str(error).removeprefix(f"{error.field}: ")
            raise InvalidInput(error.field, f"{problem} {LISTS}") from error
    history = history_in(glymph, folder, settings)
    if history.exists(session):
        return history
    where = f"the space {glymph.space} lies in {describe_place(history)}"
    raise InvalidInput("session", f"no conversation {session!r} of {where}. {LISTS}")


def history_in(glymph: Glymph, folder: Path, settings: HistorySettings | None = None) -> History:
    """Returns the history of the conversations in a folder."""
    return glymph.conversations(str(folder), settings=settings)


def describe_place(history: History) -> str:
    """Says where the conversations of a history lie."""
    return "the store" if history.folder is None else str(history.folder)


def same_place(space: str, folder: Path | None = None) -> str:
    """Returns the options with which a command means the same place."""
    elsewhere = "" if folder is None else f" --folder {quote(str(folder))}"
    return elsewhere + ("" if space == "default" else f" --space {quote(space)}")

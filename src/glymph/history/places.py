"""Where the conversations of a space lie: in its store, in a usual folder, and in other folders.

The usual folder is what the setting `history_folder` names, or one beside the file of an embedded
store; on a server it is the store itself. The store lists the other folders, so that a purge, and
the renaming or removal of a space, reach every conversation.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import quote, unquote, unquote_to_bytes, urlsplit

from glymph.checks import checked_space, show
from glymph.context import Context
from glymph.errors import InvalidInput

IN_STORE = "store"  # given in place of a folder
BESIDE = ".history"  # behind the name of a store's file
SQLITE = "sqlite:///"
MOST_NAMED = 10  # conversations in a message
NONE_YET = "There is none yet: `History.append` begins one."


@dataclass(frozen=True, slots=True)
class Kept:
    """A conversation in a list of those of all places: what `Listed` says, and where it lies."""

    session: str
    messages: int
    summarised: int
    newest_at: datetime | None
    where: str  # its folder, or `store`, as `Glymph.conversations` takes it


# folders


def usual_folder(ctx: Context) -> Path | None:
    """Returns the folder for conversations if nobody names another; None if it is the store."""
    setting = ctx.settings.history_folder
    if setting:
        return None if setting == IN_STORE else Path(setting).expanduser()
    return _folder_beside(ctx)


def checked_path(field: str, value: object) -> Path:
    """Returns the path that a text or a path names."""
    if not isinstance(value, str | os.PathLike) or "\0" in (text := str(value)):
        raise InvalidInput(field, f"{show(value)} is no path. Pass a text such as '~/notes.jsonl'.")
    return Path(text)


def choose_folder(ctx: Context, folder: str | Path | None) -> Path | None:
    """Returns the folder that is asked for, or the usual one; None if it is the store."""
    if folder is None:
        return usual_folder(ctx)
    return None if folder == IN_STORE else checked_path("folder", folder).expanduser()


def space_folder(ctx: Context, root: Path, space: str | None = None) -> Path:
    """Returns the folder of a space: its id, which no other space has and no new name changes."""
    with ctx.store.reading(space or ctx.space) as reader:
        return root / str(reader.identity()["id"])


def list_folders(ctx: Context, space: str | None = None) -> list[Path]:
    """Lists the folders that hold conversations of a space."""
    name = ctx.space if space is None else checked_space(space)
    own = (space_folder(ctx, root, name) for root in _roots(ctx, name))
    return [folder for folder in own if folder.is_dir()]


def list_roots(ctx: Context) -> list[Path | None]:
    """Lists every place of the space's conversations, the usual one first; None is the store."""
    usual = usual_folder(ctx)
    first = None if usual is None else usual.absolute()
    return list(dict.fromkeys((first, None, *_roots(ctx, ctx.space))))


def note_folder(ctx: Context, root: Path) -> None:
    """Records in the store that conversations of the space lie in another folder than beside it."""
    path = root.absolute()
    if not ctx.store.writable or path == _folder_beside(ctx):
        return  # where nothing can be written nothing is purged either
    if path not in _read_folders(ctx, ctx.space)[0]:
        with ctx.store.writing(ctx.space, None) as writer:
            writer.note_folder(quote(os.fsencode(path)), _owner(ctx))


def list_out_of_reach(ctx: Context) -> list[str]:
    """Lists the recorded folders that cannot be looked into from here, and why."""
    ours, theirs = _read_folders(ctx, ctx.space)
    away = [
        f"{root} cannot be seen from here: erase it there" for root in ours if not root.is_dir()
    ]
    return away + [
        f"{root} belongs to the store that this one is a copy of: erase it there" for root in theirs
    ]


def remove_folders(ctx: Context, space: str) -> Sequence[Path]:
    """Removes the conversations of a space for good; returns the folders that were removed."""
    folders = list_folders(ctx, space)
    for folder in folders:
        shutil.rmtree(folder)
    return folders


def _roots(ctx: Context, space: str) -> list[Path]:
    """Every folder in which this store may have put conversations, whether it exists or not."""
    usual = (usual_folder(ctx), _folder_beside(ctx), *_read_folders(ctx, space)[0])
    return list(dict.fromkeys(folder.absolute() for folder in usual if folder is not None))


def _folder_beside(ctx: Context) -> Path | None:
    """The folder beside the file of an embedded store; None if the store is no file."""
    path = ctx.store.url.removeprefix(SQLITE).partition("?")[0]
    if path == ctx.store.url or not path or path.startswith(":"):
        return None
    file = Path(unquote(path)).expanduser().absolute()
    return file.with_name(file.name + BESIDE)


def _read_folders(ctx: Context, space: str) -> tuple[list[Path], list[Path]]:
    """The folders that this store has recorded, and those that came with a copy of another."""
    with ctx.store.reading(space) as reader:
        rows = reader.folders()
    ours: list[Path] = []
    theirs: list[Path] = []
    for path, owner in rows:
        (ours if owner == _owner(ctx) else theirs).append(Path(os.fsdecode(unquote_to_bytes(path))))
    return ours, theirs


def _owner(ctx: Context) -> str:
    """Where this store lies: that tells it from a copy of it."""
    beside = _folder_beside(ctx)
    if beside is not None:
        return quote(os.fsencode(beside))
    where = urlsplit(ctx.store.url)
    return f"{where.scheme}://{where.hostname}:{where.port}{where.path}"


# what is listed and said


def name_place(root: Path | None) -> str:
    """Names a place as `Glymph.conversations` takes it."""
    return IN_STORE if root is None else str(root)


def sort_newest_first(conversations: Sequence[Kept]) -> list[Kept]:
    """Sorts conversations by when something was last said, the newest first."""
    return sorted(
        conversations, key=lambda one: (one.newest_at is not None, one.newest_at), reverse=True
    )


def explain_unknown(session: str | None, known: Sequence[str]) -> str:
    """Tells somebody who names no conversation, or an unknown one, which there are."""
    problem = (
        "name the conversation (session='…')"
        if session is None
        else f"there is no conversation {session!r}"
    )
    if not known:
        return f"{problem}. {NONE_YET}"
    names = ", ".join(repr(name) for name in known[:MOST_NAMED])
    more = f" and {len(known) - MOST_NAMED:,} more" if len(known) > MOST_NAMED else ""
    return f"{problem}. Known: {names}{more}."

"""Where the conversations of a space lie: in its store, in a usual folder, and in others that were
asked for.

The usual folder is what the setting `history_folder` names, or one beside the file of an embedded
store; on a server it is the store itself. The store lists the other folders, so that a purge, and
the renaming or removal of a space, reach every conversation.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote, unquote, unquote_to_bytes, urlsplit

from glymph.context import Context

IN_STORE = "store"  # said in the place of a folder
BESIDE = ".history"  # behind the name of a store's file
SQLITE = "sqlite:///"


def usual_folder(ctx: Context) -> Path | None:
    """The folder for conversations where nobody names another; None if it is the store."""
    named = ctx.settings.history_folder
    if named:
        return None if named == IN_STORE else Path(named).expanduser()
    return _beside(ctx)


def chosen_folder(ctx: Context, folder: str | Path | None) -> Path | None:
    """The folder that is asked for, or the usual one; None if it is the store."""
    if folder is None:
        return usual_folder(ctx)
    return None if folder == IN_STORE else Path(folder).expanduser()


def _beside(ctx: Context) -> Path | None:
    path = ctx.store.url.removeprefix(SQLITE).partition("?")[0]
    if path == ctx.store.url or not path or path.startswith(":"):
        return None
    file = Path(unquote(path)).expanduser().absolute()
    return file.with_name(file.name + BESIDE)


def note(ctx: Context, root: Path) -> None:
    """Keeps in the store that conversations of the space lie in a folder that is not the one beside
    it.
    """
    path = root.absolute()
    if not ctx.store.writable or path == _beside(ctx) or path in _noted(ctx, ctx.space)[0]:
        return  # where nothing can be written nothing is purged either
    with ctx.store.writing(ctx.space, None) as writer:
        writer.note_folder(quote(os.fsencode(path)), _owner(ctx))


def _noted(ctx: Context, space: str) -> tuple[list[Path], list[Path]]:
    """Folders that this store has noted, and those that came with a copy of another."""
    with ctx.store.reading(space) as reader:
        rows = reader.folders()
    ours: list[Path] = []
    theirs: list[Path] = []
    for path, owner in rows:
        (ours if owner == _owner(ctx) else theirs).append(Path(os.fsdecode(unquote_to_bytes(path))))
    return ours, theirs


def _owner(ctx: Context) -> str:
    """What tells this store from a copy of it: where it lies."""
    beside = _beside(ctx)
    if beside is not None:
        return quote(os.fsencode(beside))
    where = urlsplit(ctx.store.url)
    return f"{where.scheme}://{where.hostname}:{where.port}{where.path}"


def roots(ctx: Context, space: str) -> list[Path]:
    """Every folder in which this store may have put conversations of a space, whether it is there
    or not.
    """
    usual = (usual_folder(ctx), _beside(ctx), *_noted(ctx, space)[0])
    return list(dict.fromkeys(folder.absolute() for folder in usual if folder is not None))


def space_folder(ctx: Context, root: Path, space: str | None = None) -> Path:
    """The folder of a space: by its identity, which no other space has and which no new name
    changes.
    """
    with ctx.store.reading(space or ctx.space) as reader:
        return root / str(reader.identity()["id"])


def folders(ctx: Context, space: str | None = None) -> list[Path]:
    """The folders that hold conversations of a space."""
    name = space or ctx.space
    own = (space_folder(ctx, root, name) for root in roots(ctx, name))
    return [folder for folder in own if folder.is_dir()]


def out_of_reach(ctx: Context) -> list[str]:
    """Folders that were named once and cannot be looked into from here, and why."""
    ours, theirs = _noted(ctx, ctx.space)
    away = [
        f"{root} is not to be seen from here: erase it there" for root in ours if not root.is_dir()
    ]
    return away + [
        f"{root} belongs to the store that this one is a copy of: erase it there" for root in theirs
    ]


def remove(ctx: Context, space: str) -> Sequence[Path]:
    """Removes the conversations of a space for good; gives back the folders that went."""
    gone = folders(ctx, space)
    for folder in gone:
        shutil.rmtree(folder)
    return gone

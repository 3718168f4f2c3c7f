"""Where the conversations of a space lie: in its store, in a usual folder, and in others that were asked for.

The usual folder is what the setting `history_folder` names, or one beside the file of an embedded store; on a
server it is the store itself. The store lists the other folders, so that a purge, and the renaming or removal of a
space, reach every conversation.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote, unquote, unquote_to_bytes, urlsplit

from glymph.services.workplace import Workplace

IN_STORE = "store"  # said in the place of a folder
BESIDE = ".history"  # behind the name of a store's file
SQLITE = "sqlite:///"


def usual_folder(place: Workplace) -> Path | None:
    """The folder for conversations where nobody names another; None if it is the store."""
    named = place.settings.history_folder
    if named:
        return None if named == IN_STORE else Path(named).expanduser()
    return _beside(place)


def chosen_folder(place: Workplace, folder: str | Path | None) -> Path | None:
    """The folder that is asked for, or the usual one; None if it is the store."""
    if folder is None:
        return usual_folder(place)
    return None if folder == IN_STORE else Path(folder).expanduser()


def _beside(place: Workplace) -> Path | None:
    path = place.store.url.removeprefix(SQLITE).partition("?")[0]
    if path == place.store.url or not path or path.startswith(":"):
        return None
    file = Path(unquote(path)).expanduser().absolute()
    return file.with_name(file.name + BESIDE)


def note(place: Workplace, root: Path) -> None:
    """Keeps in the store that conversations of the space lie in a folder that is not the one beside it."""
    path = root.absolute()
    if not place.store.writable or path == _beside(place) or path in _noted(place, place.space)[0]:
        return  # where nothing can be written nothing is purged either
    with place.store.writing(place.space, None) as writer:
        writer.note_folder(quote(os.fsencode(path)), _owner(place))


def _noted(place: Workplace, space: str) -> tuple[list[Path], list[Path]]:
    """Folders that this store has noted, and those that came with a copy of another."""
    with place.store.reading(space) as reader:
        rows = reader.folders()
    ours: list[Path] = []
    theirs: list[Path] = []
    for path, owner in rows:
        (ours if owner == _owner(place) else theirs).append(Path(os.fsdecode(unquote_to_bytes(path))))
    return ours, theirs


def _owner(place: Workplace) -> str:
    """What tells this store from a copy of it: where it lies."""
    beside = _beside(place)
    if beside is not None:
        return quote(os.fsencode(beside))
    where = urlsplit(place.store.url)
    return f"{where.scheme}://{where.hostname}:{where.port}{where.path}"


def roots(place: Workplace, space: str) -> list[Path]:
    """Every folder in which this store may have put conversations of a space, whether it is there or not."""
    usual = (usual_folder(place), _beside(place), *_noted(place, space)[0])
    return list(dict.fromkeys(folder.absolute() for folder in usual if folder is not None))


def space_folder(place: Workplace, root: Path, space: str | None = None) -> Path:
    """The folder of a space: by its identity, which no other space has and which no new name changes."""
    with place.store.reading(space or place.space) as reader:
        return root / str(reader.identity()["id"])


def folders(place: Workplace, space: str | None = None) -> list[Path]:
    """The folders that hold conversations of a space."""
    name = space or place.space
    own = (space_folder(place, root, name) for root in roots(place, name))
    return [folder for folder in own if folder.is_dir()]


def out_of_reach(place: Workplace) -> list[str]:
    """Folders that were named once and cannot be looked into from here, and why."""
    ours, theirs = _noted(place, place.space)
    away = [f"{root} is not to be seen from here: erase it there" for root in ours if not root.is_dir()]
    return away + [f"{root} belongs to the store that this one is a copy of: erase it there" for root in theirs]


def remove(place: Workplace, space: str) -> Sequence[Path]:
    """Removes the conversations of a space for good; gives back the folders that went."""
    gone = folders(place, space)
    for folder in gone:
        shutil.rmtree(folder)
    return gone

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
from urllib.parse import quote, unquote_to_bytes

from glymph.errors import InvalidInput
from glymph.services.conversation.sessions import folder_of
from glymph.services.workplace import Workplace

IN_STORE = "store"  # said in the place of a folder
BESIDE = ".history"  # behind the name of a store's file
SQLITE = "sqlite:///"
TAKEN = "{path} is there already. Move or remove it, then rename the space again."


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
    file = Path(path).expanduser()
    return file.with_name(file.name + BESIDE)


def note(place: Workplace, root: Path) -> None:
    """Keeps in the store that conversations of the space lie in a folder that is not the one beside it."""
    path = root.absolute()
    if not place.store.writable or path in (one.absolute() for one in _roots(place, place.space)):
        return  # where nothing can be written nothing is purged either
    with place.store.writing(place.space, None) as writer:
        writer.note_folder(quote(os.fsencode(path)))


def _roots(place: Workplace, space: str) -> list[Path]:
    """Every folder in which conversations of a space may lie, whether it is there or not."""
    beside = _beside(place)
    with place.store.reading(space) as reader:
        noted = [Path(os.fsdecode(unquote_to_bytes(path))) for path in reader.folders()]
    return [*([] if beside is None else [beside]), *noted]


def folders(place: Workplace, space: str | None = None) -> list[Path]:
    """The folders that hold conversations of a space."""
    name = space or place.space
    own = (folder_of(root, name) for root in _roots(place, name))
    return [folder for folder in own if folder.is_dir()]


def missing(place: Workplace) -> list[Path]:
    """Folders that were named once and are not to be seen from here."""
    beside = _beside(place)
    return [root for root in _roots(place, place.space) if root != beside and not root.is_dir()]


def check_free(place: Workplace, old: str, new: str) -> None:
    """Raises InvalidInput if the conversations of a space could not go along under another name."""
    roots = _roots(place, old) if place.store.has_space(old) else []
    for root in roots:
        if folder_of(root, old).is_dir() and folder_of(root, new).exists():
            raise InvalidInput("new", TAKEN.format(path=folder_of(root, new)))


def move(place: Workplace, old: str, new: str) -> None:
    """Gives the conversations of a space to it under its new name."""
    for root in _roots(place, new):
        if (folder := folder_of(root, old)).is_dir():
            folder.rename(folder_of(root, new))


def remove(place: Workplace, space: str) -> Sequence[Path]:
    """Removes the conversations of a space for good; gives back the folders that went."""
    gone = folders(place, space)
    for folder in gone:
        shutil.rmtree(folder)
    return gone

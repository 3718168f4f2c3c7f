"""Where the conversations of a space lie: in one usual folder, and in others that histories were given.

The usual folder is what the setting `history_folder` names, or one beside the file of an embedded store. It also
lists the other folders, so that a purge, and the renaming or removal of a space, reach every conversation.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from glymph.errors import InvalidInput
from glymph.services.conversation.disk import Disk
from glymph.services.conversation.sessions import folder_of
from glymph.services.workplace import Workplace

SETTING = "history_folder"
BESIDE = ".history"  # behind the name of a store's file
ELSEWHERE, LOCK = "elsewhere.txt", "elsewhere.lock"
SQLITE = "sqlite:///"
NOWHERE = (
    f"this store is no file that a folder could lie beside. Name one in the setting {SETTING}, such as "
    "~/.glymph/history, or pass one."
)
TAKEN = "{path} is there already. Move or remove it, then rename the space again."


def usual_folder(place: Workplace) -> Path | None:
    """The folder for conversations where nobody names another; None if there is none."""
    if place.settings.history_folder:
        return Path(place.settings.history_folder).expanduser()
    path = place.store.url.removeprefix(SQLITE).partition("?")[0]
    if path == place.store.url or not path or path.startswith(":"):
        return None
    file = Path(path).expanduser()
    return file.with_name(file.name + BESIDE)


def needed_folder(place: Workplace, folder: str | Path | None) -> Path:
    """The folder that is asked for, or the usual one; InvalidInput if there is none."""
    found = usual_folder(place) if folder is None else Path(folder).expanduser()
    if found is None:
        raise InvalidInput("folder", NOWHERE)
    return found


def note(place: Workplace, root: Path, disk: Disk) -> None:
    """Keeps in the usual folder that conversations lie in another one, too."""
    usual, other = usual_folder(place), str(root.absolute())
    if not place.store.writable:
        return  # nothing is purged there either
    if usual is None or usual.absolute() == root.absolute() or other in _elsewhere(usual):
        return
    disk.make(usual)
    with disk.locked(usual / LOCK):
        if other not in _elsewhere(usual):
            disk.append(usual / ELSEWHERE, f"{other}\n".encode(errors="surrogateescape"))


def roots(place: Workplace) -> list[Path]:
    """Every folder in which this store's conversations may lie, whether it is there or not."""
    usual = usual_folder(place)
    return [] if usual is None else [usual, *map(Path, _elsewhere(usual))]


def folders(place: Workplace, space: str | None = None) -> list[Path]:
    """The folders that hold conversations of a space."""
    own = (folder_of(root, space or place.space) for root in roots(place))
    return [folder for folder in own if folder.is_dir()]


def missing(place: Workplace) -> list[Path]:
    """Folders that were named once and are not to be seen from here."""
    return [root for root in roots(place)[1:] if not root.is_dir()]


def check_free(place: Workplace, old: str, new: str) -> None:
    """Raises InvalidInput if the conversations of a space could not go along under another name."""
    for root in roots(place):
        if folder_of(root, old).is_dir() and folder_of(root, new).exists():
            raise InvalidInput("new", TAKEN.format(path=folder_of(root, new)))


def move(place: Workplace, old: str, new: str) -> None:
    """Gives the conversations of a space to it under its new name."""
    for root in roots(place):
        if (folder := folder_of(root, old)).is_dir():
            folder.rename(folder_of(root, new))


def remove(place: Workplace, space: str) -> Sequence[Path]:
    """Removes the conversations of a space for good; gives back the folders that went."""
    gone = folders(place, space)
    for folder in gone:
        shutil.rmtree(folder)
    return gone


def _elsewhere(usual: Path) -> list[str]:
    try:
        text = (usual / ELSEWHERE).read_bytes().decode(errors="surrogateescape")
    except FileNotFoundError:
        return []
    return list(dict.fromkeys(line for line in text.splitlines() if line))

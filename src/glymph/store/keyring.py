"""Secret keys of spaces, kept beside the store: one file each, readable by its owner only.

A tombstone's fingerprint is made with such a key. Whoever has the store alone cannot guess what was
removed, not even a short number; whoever loses the key loses the tombstones, so a backup takes the
keys along.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from glymph import folders
from glymph.errors import StoreError

KEY_BYTES = 32
_NAME = re.compile(r"[0-9a-f-]{36}")


class Keyring:
    """The keys in one folder, by the id of the identity memory, which survives a rename or move."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, identity: str) -> bytes | None:
        """Returns the key of a space, if there is one here."""
        try:
            key = bytes.fromhex(self._file(identity).read_text(encoding="ascii").strip())
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise StoreError(
                f"Cannot read the key {self._file(identity)} ({error}). Put it back from a backup."
            ) from error
        if len(key) != KEY_BYTES:
            raise StoreError(
                f"The key {self._file(identity)} is damaged. Put it back from a backup."
            )
        return key

    def get_or_create(self, identity: str) -> bytes:
        """Returns the key of a space, made if there is none.

        Of two processes that make it at once, one wins for both.
        """
        if (key := self.get(identity)) is None:
            self.put(identity, os.urandom(KEY_BYTES))
            key = self.get(identity)
        if key is None:
            raise StoreError(
                f"The key {self._file(identity)} does not stay. Check the folder and its disk."
            )
        return key

    def explain_missing(self, identity: str) -> str:
        """Returns what to do about a key that should be here and is not."""
        return (
            f"the key {self._file(identity)} is missing. "
            "Put that file back from a backup's folder of keys"
        )

    def names(self) -> list[str]:
        """Returns the identities whose keys it has."""
        files = self.folder.glob("*") if self.folder.is_dir() else ()
        return sorted(file.name for file in files if _NAME.fullmatch(file.name))

    def copy_to(self, other: Keyring) -> None:
        """Gives another folder the keys it does not have."""
        for name in self.names():
            if (key := self.get(name)) is not None:
                other.put(name, key)

    def put(self, identity: str, key: bytes) -> None:
        """Takes in a key, whole or not at all; one that is there already stays."""
        target = self._file(identity)
        partial = target.with_name(f"{target.name}.{os.urandom(4).hex()}.partial")
        try:
            folders.make_folder(self.folder)
            descriptor = os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, folders.FILE)
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                file.write(key.hex())
                file.flush()
                os.fsync(file.fileno())
            with suppress(FileExistsError):
                os.link(partial, target)
            # The key must not be lost where the tombstones made with it are not.
            folders.fsync_folder(self.folder)
            folders.fsync_folder(self.folder.parent)
        except OSError as error:
            raise StoreError(
                f"Cannot write the key {target} ({error}). Check the folder's owner."
            ) from error
        finally:
            partial.unlink(missing_ok=True)

    def _file(self, identity: str) -> Path:
        if not _NAME.fullmatch(identity):
            raise StoreError(f"{identity!r} is no id of an identity memory. Run `glymph doctor`.")
        return self.folder / identity


def key_beside(export: Path) -> Path:
    """Returns where the key of an export's tombstones lies.

    Not in the export: with both one could guess what was removed.
    """
    return export.with_name(f"{export.name}.key")


def key_as_text(identity: str, key: bytes) -> str:
    """Returns the text of a key file beside an export."""
    return f"{identity} {key.hex()}\n"


def key_from(file: Path, identity: str) -> bytes | None:
    """Returns the key in a file beside an export; None if there is no such file."""
    try:
        whose, _, digits = file.read_text(encoding="ascii").strip().partition(" ")
        key = bytes.fromhex(digits)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise StoreError(
            f"Cannot read the key {file} ({error}). Copy it anew from where the export is."
        ) from error
    if len(key) != KEY_BYTES or whose != identity:
        raise StoreError(
            f"{file} is not the key of this export. Copy the one that was written with the export."
        )
    return key

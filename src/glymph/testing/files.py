"""The file of a SQLite store, opened past Glymph."""

from __future__ import annotations

from pathlib import Path

import apsw

from glymph.store.backends.sqlite import checksums


def open_file(path: str | Path) -> apsw.Connection:
    """Opens a file as somebody who has Glymph's checksum and knows nothing of its rules."""
    connection = apsw.Connection(str(path))
    checksums.register(connection)
    return connection

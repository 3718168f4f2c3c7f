"""Recognises a source, and yields the memories that it holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from glymph.errors import InvalidInput, SourceDamaged
from glymph.extensions import ExtensionPoint
from glymph.importers.contract import NOT_IT, Conversation, Importer, Item
from glymph.importers.conversations import keep_worth
from glymph.importers.sqlite_file import list_columns
from glymph.reader.contract import Reader

IMPORTERS: ExtensionPoint[Importer] = ExtensionPoint(
    "glymph.importers", Importer, package="glymph.importers.builtin", attribute="IMPORTER"
)
OWN_EXPORT = b'{"glymph":'
_OWN_COLUMNS = {"superseded_by", "stability", "content_hash"}


def find_source(source: str | Path) -> Path:
    """Returns the path of a source; raises InvalidInput if nothing is there."""
    try:
        path = Path(source).expanduser()
    except (TypeError, RuntimeError) as error:
        raise InvalidInput("source", f"{source!r} names no file. Give a path.") from error
    if not path.exists():
        raise InvalidInput("source", f"there is no {path}. Check the path.")
    return path


def is_own_export(path: Path) -> bool:
    """Tells whether a file is what `glymph store export` writes."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(OWN_EXPORT)) == OWN_EXPORT


def is_own_store(path: Path) -> bool:
    """Tells whether a file is a store of Glymph."""
    return list_columns(path, "memories") >= _OWN_COLUMNS


def choose_kind(path: Path, kind: str | None = None) -> str:
    """Returns the kind of a source: the one named, or the one that knows it best.

    Raises InvalidInput where none knows it, or two know it equally well.
    """
    known = ", ".join(IMPORTERS.names)
    if kind is not None:
        name = kind.replace("-", "_").lower()
        if IMPORTERS.get(name) is None:
            raise InvalidInput("from", f"{kind!r} is no kind of source. Use one of: {known}.")
        return name
    with _saying_unreadable(path):
        is_own = is_own_store(path)
    if is_own:
        raise InvalidInput(
            "source",
            f"{path.name} is a store of Glymph. Take its spaces over with `glymph store migrate`, "
            "or one of them with `glymph store export` and `glymph store import`.",
        )
    with _saying_unreadable(path):
        sure = {name: one.recognise(path) for name, one in IMPORTERS.members.items()}
    best = max(sure.values(), default=NOT_IT)
    found = [name for name, how in sure.items() if how == best]
    if best == NOT_IT:
        raise InvalidInput(
            "source",
            f"{path.name} is nothing that is known here. Say with --from KIND, in Python kind=…, "
            f"which of these it is: {known}. A text of any program is read as markdown.",
        )
    if len(found) > 1:
        raise InvalidInput(
            "source", f"{path.name} may be {' or '.join(found)}. Say which with --from KIND."
        )
    return found[0]


def read_source(path: Path, kind: str, reader: Reader) -> Iterator[Item]:
    """Yields the memories of a source; of conversations, what is worth keeping."""
    importer = IMPORTERS.get(kind)
    assert importer is not None  # it was chosen
    with _saying_unreadable(path):
        for found in importer.read(path):
            if isinstance(found, Conversation):
                yield from keep_worth(reader, found)
            elif isinstance(found.text, str):
                yield found
            else:
                raise SourceDamaged(
                    path.name, f"{found.id} is no text", "Mend or remove it in the source."
                )


@contextmanager
def _saying_unreadable(path: Path) -> Iterator[None]:
    """Makes a file that the system does not let us read a damaged source."""
    try:
        yield
    except OSError as error:
        raise SourceDamaged(
            path.name, error.strerror or str(error), "Check that you may read all of it."
        ) from error

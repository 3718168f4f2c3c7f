"""Work on whole stores, without a handle on a space: opening, listing, restoring and moving."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from glymph import transfer, write
from glymph.checks import checked_space, checked_text, optional_text
from glymph.config import Settings
from glymph.context import Context
from glymph.embed.contract import Embedder
from glymph.embed.embedding import open_embedding
from glymph.errors import InvalidInput, SpaceNotFound, StoreMissing
from glymph.history import list_text_keepers
from glymph.llm.choose import choose_model
from glymph.llm.contract import Model
from glymph.model import Space
from glymph.reader import open_reader
from glymph.reader.contract import Reader
from glymph.store import open_store
from glymph.store.store import Store

if TYPE_CHECKING:
    from glymph.transfer.migrate import Planned, Progress, Report
    from glymph.transfer.restore_backup import Restored

DEFAULT_URL = "sqlite:///~/.glymph/memory.db"
Step = TypeVar("Step")
T = TypeVar("T")


def open_context(
    url: str, space: str, actor: str, settings: Settings | Mapping[str, Any] | None, *,
    clock: Callable[[], datetime] | None, embedder: str | Embedder, model: str | Model | None,
    reader: str | Reader, session: str | None, create: bool, token: str | None = None,
) -> Context:  # fmt: skip
    """Opens a store and a space of it; what is missing is made, unless `create` is False."""
    if token is not None:
        raise InvalidInput("token", "is for a server (http://…). Leave it out for a store.")
    settings = _parse(settings)
    if not isinstance(url, str):
        example = f"expected a text such as {DEFAULT_URL}, got {type(url).__name__}."
        raise InvalidInput("url", example)
    checked_space(space)
    checked_text("actor", actor, 200)
    optional_text("session", session)
    chosen = choose_model(settings, model)
    reading = open_reader(settings.reader if reader == "auto" else reader)
    store = open_store(url, settings, create=create)
    embedding = open_embedding(settings, embedder)
    ctx = Context(
        store, space, actor, settings, clock or _now, list_text_keepers, write.match_tombstones,
        session=session, embedding=embedding, model=chosen, reader=reading,
    )  # fmt: skip
    if not store.has_space(space):
        if not (create and store.writable):
            store.close()
            raise SpaceNotFound(space)
        write.spaces.create_space(ctx)
    return ctx


def spaces_at(url: str, *, create: bool = False) -> list[Space]:
    """Returns the spaces of a store; with `create`, a missing store is made."""
    with closing(open_store(url, Settings(), create=create)) as store:
        return write.spaces.spaces(store)


def parts_at(url: str) -> list[str]:
    """Returns the URLs a map names, reachable or not; of any other store, its own."""
    with closing(open_store(url, Settings(), create=False)) as store:
        return store.parts()


def restore_backup(
    source: str | Path, target: str | Path, *, in_use: str | None = None,
    settings: Settings | Mapping[str, Any] | None = None, actor: str = "user",
    clock: Callable[[], datetime] | None = None, apply: bool = True,
) -> Restored:  # fmt: skip
    """Makes a new store of a backup, without what the store in use has purged since."""
    return transfer.restore_backup.restore_backup(
        Path(source), Path(target), in_use=in_use or DEFAULT_URL, actor=actor,
        settings=_parse(settings), clock=clock or _now, apply=apply,
    )  # fmt: skip


def migrate(
    source: str, target: str, *, spaces: Collection[str] | None = None,
    settings: Settings | None = None, progress: Callable[[Progress], None] | None = None,
) -> Report:  # fmt: skip
    """Moves spaces from the store at one URL to that at another, which is made if it is missing.

    Each appears there whole and checked. Repeated after a kill, it goes on where it was.
    """
    settings = settings or Settings()
    with closing(open_store(source, settings, create=False)) as here:
        # Asked before the target is made: a wrong name leaves no empty store behind.
        transfer.migrate.choose_spaces(here, spaces)
        with closing(open_store(target, settings)) as there:
            steps = transfer.migrate.migrate(here, there, spaces=spaces, chunk=settings.bulk_chunk)
            return run_steps(steps, progress)


def survey_migration(
    source: str, target: str, *, spaces: Collection[str] | None = None,
    settings: Settings | None = None, progress: Callable[[Progress], None] | None = None,
) -> tuple[tuple[Planned, ...], str]:  # fmt: skip
    """Returns what `migrate` would do with each space, and why a missing target was not read."""
    settings = settings or Settings()
    with closing(open_store(source, settings, create=False)) as here:
        there, missing = _open_if_there(target, settings)
        try:
            steps = transfer.migrate.survey(here, there, spaces=spaces)
            return run_steps(steps, progress), missing
        finally:
            if there is not None:
                there.close()


def run_steps(steps: Generator[Step, None, T], progress: Callable[[Step], None] | None) -> T:
    """Runs a generator to its end and returns its result; each step is passed on meanwhile."""
    while True:
        try:
            step = next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
        if progress is not None:
            progress(step)


def count_steps(counts: Iterable[int], progress: Callable[[int], None] | None) -> int:
    """Runs through counts and returns the last; each is passed on meanwhile."""
    total = 0
    for total in counts:
        if progress is not None:
            progress(total)
    return total


def _open_if_there(target: str, settings: Settings) -> tuple[Store | None, str]:
    try:
        return open_store(target, settings, create=False), ""
    except StoreMissing as error:
        return None, str(error)


def _parse(settings: Settings | Mapping[str, Any] | None) -> Settings:
    return settings if isinstance(settings, Settings) else Settings.parse(settings or {})


def _now() -> datetime:
    return datetime.now(UTC)

"""Says how healthy a collection of memories is: duplicates, stale, contradictory, junk, secrets.

`audit(source)` reads what another program keeps, or the space of a handle, without a language model
and without writing anything.

Other rooms use the modules named here; each is loaded when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from glymph.lazy import load_on_first_use

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from glymph.audit import collect as collect
    from glymph.audit import find as find
    from glymph.audit import grade as grade
    from glymph.audit import page as page
    from glymph.audit.result import Audit
    from glymph.config import Settings
    from glymph.context import Handle
    from glymph.embed.contract import Embedder
    from glymph.reader.contract import Reader
else:
    __getattr__ = load_on_first_use(__name__)


def audit(
    source: Handle | str | Path, *, kind: str | None = None, settings: Settings | None = None,
    embedder: str | Embedder = "auto", reader: str | Reader = "auto",
    progress: Callable[[int, int], None] | None = None,
) -> Audit:  # fmt: skip
    """Judges the memories of a source that importers read, or of a handle's space.

    A handle brings its own embedder and reader. `progress` is told how many memories were judged,
    and of how many.
    """
    from glymph.audit.collect import audit_path, audit_space

    if hasattr(source, "context"):
        return audit_space(source.context, progress=progress)
    return audit_path(
        source, kind=kind, settings=settings, embedder=embedder, reader=reader, progress=progress
    )

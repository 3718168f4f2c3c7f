"""Takes in what people already have: memories of other programs, exports, notes and tables.

Each kind of source is one file in `builtin/`; other packages add theirs by an entry point of the
group `glymph.importers`. `import_from(memory, source)` reads one, shows what is new in it, and with
`apply=True` keeps that. Nothing is ever written to a source.

Other rooms use the modules named here; each is loaded when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from glymph.lazy import load_on_first_use

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from glymph.context import Handle
    from glymph.importers import contract as contract
    from glymph.importers import keep as keep
    from glymph.importers import sources as sources
    from glymph.importers import sqlite_file as sqlite_file
    from glymph.importers.keep import ImportReport
else:
    __getattr__ = load_on_first_use(__name__)


def import_from(
    memory: Handle, source: str | Path, *, kind: str | None = None, apply: bool = False,
    progress: Callable[[int], None] | None = None,
) -> ImportReport:  # fmt: skip
    """Reads what another program keeps and, with `apply`, stores what is new as one operation.

    The kind of the source is recognised by looking at it, unless it is named. `progress` is told
    how many memories were read. What was imported before is not stored again.
    """
    from glymph.importers.keep import import_source

    return import_source(memory.context, source, kind=kind, apply=apply, progress=progress)

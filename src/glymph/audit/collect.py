"""Collects the memories to be judged: of a source that importers read, or of a space."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from glymph.audit.find import Judges, find_problems
from glymph.audit.grade import RULE, choose_grade, count_flawed
from glymph.audit.result import CHECKS, Audit, Statement
from glymph.config import Settings
from glymph.context import Context, every_row
from glymph.embed.contract import Embedder
from glymph.embed.embedding import open_embedding
from glymph.importers.sources import choose_kind, find_source, read_source
from glymph.moments import micros, moment
from glymph.reader import open_reader
from glymph.reader.contract import Reader
from glymph.store.contract import Filter

Progress = Callable[[int, int], None]


def audit_path(
    source: str | Path, *, kind: str | None, settings: Settings | None,
    embedder: str | Embedder, reader: str | Reader, progress: Progress | None,
) -> Audit:  # fmt: skip
    """Judges the memories of a source that an importer reads."""
    settings = settings or Settings()
    path = find_source(source)
    chosen = choose_kind(path, kind)
    reading = open_reader(settings.reader if reader == "auto" else reader)
    found = [
        Statement(item.id, item.text, item.updated_at or item.created_at)
        for item in read_source(path, chosen, reading)
    ]
    judges = Judges(reading, open_embedding(settings, embedder))
    return _judge(path.name, chosen, found, judges, progress)


def audit_space(ctx: Context, *, progress: Progress | None) -> Audit:
    """Judges the current memories of a space."""
    current = Filter(live_at=micros(ctx.now()))
    with ctx.reading() as reader:
        rows = every_row(reader, current, ctx.settings.bulk_chunk)
        found = [Statement(row["id"], row["text"], moment(row["created_at"])) for row in rows]
    return _judge(ctx.space, "glymph", found, Judges(ctx.reader, ctx.embedding), progress)


def _judge(
    source: str, kind: str, found: Sequence[Statement], judges: Judges, progress: Progress | None
) -> Audit:
    findings, unjudged = find_problems(found, judges, progress)
    counts: dict[str, int] = {
        check: sum(one.check == check for one in findings) for check in CHECKS
    }
    flawed = count_flawed(findings)
    return Audit(
        source=source, kind=kind, memories=len(found),
        grade=choose_grade(flawed, len(found), secret=bool(counts["secret"])), flawed=flawed,
        counts=counts, findings=findings, unjudged=unjudged, rule=RULE,
    )  # fmt: skip

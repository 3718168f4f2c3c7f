"""A table in a text file, with the names of its columns in the first line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from glymph.errors import SourceDamaged
from glymph.importers.contract import COMMON, NOT_IT, Importer, Item
from glymph.importers.records import make_item
from glymph.importers.text_files import read_text
from glymph.importers.values import TEXTS

ENDINGS = (".csv", ".tsv")
_SAMPLE = 8_192  # characters that show what separates the columns


def recognise(path: Path) -> int:
    return COMMON if path.is_file() and path.suffix.lower() in ENDINGS else NOT_IT


def read(path: Path) -> Iterator[Item]:
    """Yields the memory of each row."""
    text = read_text(path)
    rows = csv.DictReader(io.StringIO(text), delimiter=_find_delimiter(text), strict=True)
    try:
        columns = [name.strip().lower() for name in rows.fieldnames or ()]
        if not set(columns) & set(TEXTS):
            named = ", ".join(columns[:8]) or "none"
            raise SourceDamaged(
                path.name, f"no column holds a text (its columns: {named})",
                "Call the column that holds it `text`.",
            )  # fmt: skip
        rows.fieldnames = columns
        for row in rows:
            item = make_item({name: value for name, value in row.items() if name}, path.name)
            if item is not None:
                yield item
    except csv.Error as error:
        raise SourceDamaged(
            path.name, f"line {rows.line_num:,} is no row ({error})", "Mend that line."
        ) from error


def _find_delimiter(text: str) -> str:
    head = text[:_SAMPLE].partition("\n")[0]
    return max("\t;,", key=head.count)


IMPORTER = Importer("a table (CSV or TSV)", recognise, read)

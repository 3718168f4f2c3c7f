"""Taking a space elsewhere: lossless JSON Lines, and backups of a whole store."""

from __future__ import annotations

import base64
import json
import os
from collections import defaultdict
from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glymph.checks import checked_space
from glymph.context import Context
from glymph.errors import InvalidInput, KeyMissing, Refused
from glymph.forget import import_filter
from glymph.history.cut import QuoteCutter, TombstoneCutter
from glymph.history.erase import cut_rows
from glymph.moments import AHEAD
from glymph.store.contract import ColumnTypes, Row
from glymph.store.keyring import key_as_text, key_beside, key_from
from glymph.store.portable import BIRTH_ORDER, find_flaw, note_keys, plain_json, write_whole
from glymph.store.store import Store
from glymph.text.quotes import Quotes
from glymph.transfer.migrate import backup_into
from glymph.transfer.verify import UNFINISHED, find_problems

FORMAT = 1


def export(ctx: Context, path: str | Path) -> int:
    """Writes everything in the space, journal and tombstones included, one JSON object a line, into
    a new file.

    The key of its tombstones goes into a file of its own, `PATH.key`. Both appear only when they
    are whole.
    """
    count = 0
    identity, buried = "", False
    with (
        write_whole(path, "an export") as partial,
        partial.open("w", encoding="utf-8", newline="\n") as file,
    ):
        file.write(json.dumps({"glymph": FORMAT, "space": ctx.space}) + "\n")
        for table, row in ctx.store.dump(ctx.space):
            file.write(json.dumps([table, row], ensure_ascii=False, default=_as_text) + "\n")
            count += 1
            identity = row["id"] if table == "memories" and row["kind"] == "self" else identity
            buried = buried or "tombstones" in (table, row.get("tbl"))
        file.write(json.dumps({"rows": count}) + "\n")
        file.flush()
        os.fsync(file.fileno())
        # A space whose key is lost can still be taken elsewhere; the import asks for the key.
        if buried and (key := ctx.store.keyring.get(identity)) is not None:
            _write_key(key_beside(Path(path).expanduser()), key_as_text(identity, key))
    return count


def _write_key(path: Path, text: str) -> None:
    with (
        write_whole(path, "the key of an export") as partial,
        partial.open("w", encoding="ascii") as file,
    ):
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _as_text(value: object) -> str:
    """Returns bytes as JSON carries them."""
    if not isinstance(value, bytes):
        raise TypeError(f"{type(value).__name__} has no place in an export")
    return base64.b64encode(value).decode("ascii")


@dataclass(frozen=True, slots=True)
class Imported:
    """The outcome of an import: rows, and memories left out because they were purged here."""

    rows: int
    kept_out: int


def import_(
    ctx: Context, path: str | Path, *, space: str | None = None, tombstones: bool = True
) -> Generator[int, None, Imported]:
    """Loads an export into a space that is new or untouched; yields the rows so far.

    The whole file is read and checked, row by row and as a whole, before the first row is written;
    what was checked is what is written, without what the store's tombstones of the same identity
    keep out. The export's own tombstones need their key, from the file beside it or from this
    store; `tombstones=False` gives them up.
    """
    try:
        source = Path(path).expanduser()
    except (TypeError, RuntimeError) as error:
        raise InvalidInput(
            "path", f"{path!r} names no file ({error}). Give the path of an export."
        ) from error
    name, tables = _read_export(source, ctx.store.column_types())
    target = checked_space(name if space is None else space)
    _check(ctx, source, tables)
    kept_out = _filter_rows(ctx, source, tables, tombstones=tombstones)
    highest: dict[str, int] = {}
    for table in BIRTH_ORDER:
        for row in tables[table]:
            note_keys(highest, table, row)
    rows = ((table, row) for table in BIRTH_ORDER for row in tables[table])
    total = 0
    try:
        for total in ctx.store.load(target, rows, highest=highest, chunk=ctx.settings.bulk_chunk):
            yield total
    except Refused as error:
        raise InvalidInput(
            "path", f"the store takes no such rows as {source} has ({error})"
        ) from error
    return Imported(total, kept_out)


def _check(ctx: Context, source: Path, tables: Mapping[str, list[Row]]) -> None:
    """Refuses an export that is not sound as a whole."""
    for check, detail in find_problems(tables):
        if check == UNFINISHED:
            continue  # it may be the only copy there is; verify will name it in the new place, too
        raise InvalidInput(
            "path", f"{source} is not sound ({check}: {detail}). Fix its source and export again."
        )


def _filter_rows(
    ctx: Context, source: Path, tables: dict[str, list[Row]], *, tombstones: bool
) -> int:
    """Removes from the rows what was purged from the same space here; returns how many memories.

    The store's tombstones come along, unless the export has them.
    """
    identity = next(row["id"] for row in tables["memories"] if row["kind"] == "self")
    if tombstones:
        _take_key(ctx, source, identity, tables["tombstones"])
    elif tables["tombstones"]:
        import_filter.drop_tombstones(
            tables, ctx.intent("lift", reason="given up by the import")(_stamp_after(tables))
        )
    found = read_tombstones(ctx.store, [identity]).get(identity)
    if found is None:
        return 0
    key, standing = found
    tells = import_filter.tell_by(key, standing)
    gone = import_filter.find_tombstoned(tables, tells)
    telling = import_filter.find_telling(tables, tells, gone)
    quotes = Quotes(tuple(row["text"] for row in tables["memories"] if row["key"] in gone))
    for cut in (TombstoneCutter(key, standing), QuoteCutter(quotes)):
        cut_rows(tables, cut)
    known = {row["fingerprint"] for row in tables["tombstones"]}
    elsewhere = import_filter.tells_elsewhere(tables, tells)
    if gone or telling or elsewhere or not standing <= known:
        make = ctx.intent("purge", reason="import: removed for good in this store")
        intent = make(_stamp_after(tables))
        import_filter.keep_out(tables, gone, sorted(standing), intent, telling=telling, tells=tells)
    return len(gone)


def _stamp_after(tables: Mapping[str, list[Row]]) -> Callable[[int], int]:
    """Returns what dates an operation behind the others, those of a wrong clock apart."""
    moments = [row["at"] for row in tables["operations"]]
    return lambda now: max(at for at in (now, *moments) if at <= now + AHEAD)


def _take_key(ctx: Context, source: Path, identity: str, buried: list[Row]) -> None:
    """Puts the key of an export's tombstones where the store looks for it."""
    here, beside = ctx.store.keyring.get(identity), key_from(key_beside(source), identity)
    way = (
        "or give its tombstones up: `glymph import --without-tombstones`, "
        "import_(…, tombstones=False)."
    )
    if buried and here is None and beside is None:
        raise InvalidInput(
            "path",
            f"{source} holds tombstones, and their key {key_beside(source)} is missing. "
            f"Copy that file along with the export, {way}",
        )
    if buried and here is not None and beside is not None and here != beside:
        raise InvalidInput(
            "path",
            f"the tombstones of {source} were made with another key than those of the same space "
            f"in this store, {ctx.store.keyring.folder / identity}. "
            f"Import it into another store, {way}",
        )
    if here is None and beside is not None:
        ctx.store.keyring.put(identity, beside)


def read_tombstones(
    store: Store, identities: Collection[str]
) -> dict[str, tuple[bytes, frozenset[str]]]:
    """Returns the key and the fingerprints of each identity with tombstones in the store."""
    found: dict[str, tuple[bytes, frozenset[str]]] = {}
    for space in store.spaces():
        identity = space["identity_id"]
        if identity not in identities:
            continue
        with store.reading(space["name"]) as reader:
            marks = frozenset(row["fingerprint"] for row in reader.tombstones())
        if not marks:
            continue
        key = store.keyring.get(identity)
        if key is None:
            raise KeyMissing(space["name"], str(store.keyring.folder / identity))
        found[identity] = (key, marks | found[identity][1] if identity in found else marks)
    return found


def _read_export(source: Path, columns: ColumnTypes) -> tuple[str, dict[str, list[Row]]]:
    """Returns the space's name and its rows by table, checked and as the store takes them."""
    tables: dict[str, list[Row]] = defaultdict(list)
    keys: dict[str, set[int]] = defaultdict(set)
    header: dict[str, Any] = {}
    footer: dict[str, Any] = {}
    count = 0
    for number, value in _lines(source):
        if number == 1:
            header = value if isinstance(value, dict) else {}
            if header.get("glymph") != FORMAT or "space" not in header:
                raise InvalidInput("path", f"{source} is not a Glymph export of format {FORMAT}.")
        elif isinstance(value, dict) and "rows" in value and not footer:
            footer = value
        else:
            table, row = value if isinstance(value, list) and len(value) == 2 else ("", {})
            if isinstance(row, dict) and isinstance(table, str):
                row = _complete_row(row, columns.get(table, {}))
            problem = "comes after the end" if footer else find_flaw(table, row, columns)
            if not problem and table != "journal" and row["key"] in keys[table]:
                problem = f"has the key {row['key']} of an earlier line"
            if problem:
                raise InvalidInput("path", f"line {number} of {source} {problem}. Export it again.")
            keys[table].add(row["key"])
            tables[table].append(row)
            count += 1
    if footer.get("rows") != count:
        raise InvalidInput(
            "path", f"{source} is cut short: {count} rows of {footer.get('rows', 'unknown')}."
        )
    return header["space"], tables


def _complete_row(row: dict[str, Any], types: Mapping[str, tuple[type, ...]]) -> dict[str, Any]:
    """Returns the row with columns that are newer than its export, and its bytes as bytes."""
    whole = {
        name: None for name, kinds in types.items() if type(None) in kinds and name not in row
    } | row
    for name, kinds in types.items():
        if bytes in kinds and isinstance(whole.get(name), str):
            try:
                whole[name] = base64.b64decode(whole[name], validate=True)
            except ValueError:
                continue  # it stays a text, which the check that follows refuses
    return whole


def _lines(source: Path) -> Iterator[tuple[int, Any]]:
    number = 0
    try:
        with source.open(encoding="utf-8", newline="\n") as file:
            for number, line in enumerate(file, start=1):
                yield number, plain_json(line)
    except OSError as error:
        raise InvalidInput("path", f"cannot read {source} ({error.strerror or error}).") from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            "path", f"line {number} of {source} is damaged ({error}). Export it again."
        ) from error


def backup(ctx: Context, path: str | Path) -> Path:
    """Copies the whole store consistently into a new file, while others go on writing.

    Of a store that is no file, each space is consistent by itself.
    """
    target = Path(path).expanduser()
    if ctx.store.in_one_file:
        ctx.store.backup(str(target))
    else:
        for _ in backup_into(ctx.store, target, settings=ctx.settings):
            pass
    return target

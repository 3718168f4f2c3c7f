"""Taking a space elsewhere: lossless JSON Lines, and backups of a whole store."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from dataclasses import dataclass, field
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
from glymph.store.snapshots import Snapshot
from glymph.store.store import Store
from glymph.text.quotes import Quotes
from glymph.transfer.gathered import Gathered
from glymph.transfer.migrate import backup_into
from glymph.transfer.verify import UNFINISHED, SpaceRows, find_problems

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

    Every row is checked by itself before the first is written, and all of them as a whole before
    anybody sees the space; what the store's tombstones of the same identity keep out is never
    written. The export's own tombstones need their key, from the file beside it or from this store;
    `tombstones=False` gives them up.
    """
    try:
        source = Path(path).expanduser()
    except (TypeError, RuntimeError) as error:
        raise InvalidInput(
            "path", f"{path!r} names no file ({error}). Give the path of an export."
        ) from error
    columns = ctx.store.column_types()
    survey = _survey(source, columns)
    target = checked_space(survey.space if space is None else space)
    rows = _read_again(source, columns, survey.digest)
    highest, kept_out = survey.highest, 0
    if _needs_filter(ctx, survey, tombstones=tombstones):
        tables: dict[str, list[Row]] = defaultdict(list)
        for table, row in rows:
            tables[table].append(row)
        _check(ctx, source, Gathered(tables))
        kept_out = _filter_rows(ctx, source, tables, tombstones=tombstones)
        rows = ((table, row) for table in BIRTH_ORDER for row in tables[table])
        highest = {}
        for table in BIRTH_ORDER:
            for row in tables[table]:
                note_keys(highest, table, row)
    elif survey.buried:
        _check_key(ctx, source, survey.identity)

    def check(arrived: Snapshot) -> None:
        _check(ctx, source, arrived)
        if tombstones:
            _take_key(ctx, source, survey.identity)

    total = 0
    try:
        for total in ctx.store.load(
            target, rows, highest=highest, chunk=ctx.settings.bulk_chunk, check=check
        ):
            yield total
    except Refused as error:
        raise InvalidInput(
            "path",
            f"{source} is not sound: the store takes no such rows ({error}) "
            "Fix its source and export again.",
        ) from error
    return Imported(total, kept_out)


def _needs_filter(ctx: Context, survey: _Survey, *, tombstones: bool) -> bool:
    """Tells whether rows must be left out or changed, or put in order, for which all are needed."""
    standing = read_tombstones(ctx.store, [survey.identity])
    return bool(standing) or (survey.buried and not tombstones) or not survey.in_order


def _check(ctx: Context, source: Path, rows: SpaceRows) -> None:
    """Refuses an export that is not sound as a whole."""
    for check, detail in find_problems(rows):
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
    if tombstones and tables["tombstones"]:
        _check_key(ctx, source, identity)
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


def _check_key(ctx: Context, source: Path, identity: str) -> None:
    """Refuses an export with tombstones whose key is missing, or is another than that used here."""
    here, beside = ctx.store.keyring.get(identity), key_from(key_beside(source), identity)
    way = (
        "or give its tombstones up: `glymph store import --without-tombstones`, "
        "import_(…, tombstones=False)."
    )
    if here is None and beside is None:
        raise InvalidInput(
            "path",
            f"{source} holds tombstones, and their key {key_beside(source)} is missing. "
            f"Copy that file along with the export, {way}",
        )
    if here is not None and beside is not None and here != beside:
        raise InvalidInput(
            "path",
            f"the tombstones of {source} were made with another key than those of the same space "
            f"in this store, {ctx.store.keyring.folder / identity}. "
            f"Import it into another store, {way}",
        )


def _take_key(ctx: Context, source: Path, identity: str) -> None:
    """Puts the key of an export's tombstones where the store looks for it."""
    beside = key_from(key_beside(source), identity)
    if ctx.store.keyring.get(identity) is None and beside is not None:
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


@dataclass(slots=True)
class _Survey:
    """What is known of an export before its first row is loaded."""

    space: str = ""
    identity: str = ""
    digest: str = ""  # of its lines
    highest: dict[str, int] = field(default_factory=dict)
    buried: bool = False  # it has tombstones
    in_order: bool = True  # parents before children


def _survey(source: Path, columns: ColumnTypes) -> _Survey:
    """Reads an export from end to end, checks every row by itself, and keeps none of them."""
    found, keys, digest = _Survey(), defaultdict[str, set[int]](set), hashlib.sha256()
    footer: dict[str, Any] = {}
    count = last = 0
    for number, value in _lines(source, digest):
        if number == 1:
            found.space = _read_header(source, value)
        elif _is_footer(value) and not footer:
            footer = value
        else:
            table, row = _as_row(value, columns)
            problem = "comes after the end" if footer else find_flaw(table, row, columns)
            if not problem and table != "journal" and row["key"] in keys[table]:
                problem = f"has the key {row['key']} of an earlier line"
            if problem:
                raise InvalidInput("path", f"line {number} of {source} {problem}. Export it again.")
            if table != "journal":
                keys[table].add(row["key"])
            place = BIRTH_ORDER.index(table)
            found.in_order, last = found.in_order and place >= last, place
            if table == "memories" and row["kind"] == "self":
                found.identity = row["id"]
            found.buried = found.buried or table == "tombstones"
            note_keys(found.highest, table, row)
            count += 1
    if footer.get("rows") != count:
        raise InvalidInput(
            "path", f"{source} is cut short: {count} rows of {footer.get('rows', 'unknown')}."
        )
    found.digest = digest.hexdigest()
    return found


def _read_header(source: Path, value: Any) -> str:
    if not isinstance(value, dict) or value.get("glymph") != FORMAT or "space" not in value:
        raise InvalidInput("path", f"{source} is not a Glymph export of format {FORMAT}.")
    space: str = value["space"]
    return space


def _is_footer(value: Any) -> bool:
    return isinstance(value, dict) and "rows" in value


def _as_row(value: Any, columns: ColumnTypes) -> tuple[str, dict[str, Any]]:
    """Returns the table and the row of a line; empty ones if it is no row."""
    table, row = value if isinstance(value, list) and len(value) == 2 else ("", {})
    if not isinstance(table, str) or not isinstance(row, dict):
        return "", {}
    return table, _complete_row(row, columns.get(table, {}))


def _read_again(source: Path, columns: ColumnTypes, surveyed: str) -> Iterator[tuple[str, Row]]:
    """Yields the rows of an export that was surveyed; its end is an error if it is not the same."""
    digest = hashlib.sha256()
    changed = InvalidInput("path", f"{source} was changed while it was read. Import it again.")
    for number, value in _lines(source, digest):
        if number == 1 or _is_footer(value):
            continue
        table, row = _as_row(value, columns)
        if table not in columns or row.keys() != columns[table].keys():
            raise changed  # names of columns become part of statements
        yield table, row
    if digest.hexdigest() != surveyed:
        raise changed


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


def _lines(source: Path, digest: hashlib._Hash) -> Iterator[tuple[int, Any]]:
    """Yields the values of the lines with their numbers, and takes each line into the digest."""
    number = 0
    try:
        with source.open(encoding="utf-8", newline="\n") as file:
            for number, line in enumerate(file, start=1):
                digest.update(line.encode())
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

"""Makes a store of a backup, without what was removed for good since."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from glymph.config import Settings
from glymph.context import Context, OpenOperation
from glymph.errors import GlymphError, InvalidInput, KeyMissing, NotAStore, StoreError
from glymph.forget import import_filter
from glymph.forget.certificate import Removal, certify
from glymph.forget.purge import cut_from_clusters, erase_wordings, remove_for_good
from glymph.history import list_text_keepers
from glymph.history.cut import QuoteCutter, TombstoneCutter
from glymph.history.erase import erase_in_store
from glymph.store import open_store
from glymph.store.contract import Row
from glymph.store.private_folder import private_folder, publish_store
from glymph.store.store import Store
from glymph.text.quotes import Quotes
from glymph.transfer.export import read_tombstones
from glymph.transfer.verify import verify
from glymph.write import match_tombstones

# Of these nothing says a word, or a cutter of its own takes it out.
WORDLESS_TABLES = ("vectors", "edges", "memberships", "messages", "conversations", "models")
Standing = Mapping[str, tuple[bytes, frozenset[str]]]  # key and fingerprints by identity


@dataclass(frozen=True, slots=True)
class Restored:
    """The outcome of a restore, and what stayed out because it was removed for good since.

    `tombstones` counts those that came along from the store in use; `unread` says why that could
    not be asked.
    """

    spaces: tuple[str, ...]
    kept_out: int
    tombstones: int
    unread: str | None


def restore_backup(
    source: Path,
    target: Path,
    *,
    in_use: str | None,
    actor: str,
    settings: Settings,
    clock: Callable[[], datetime],
    apply: bool = True,
) -> Restored:
    """Checks a backup and makes a new store of it. Without `apply`, says what would come of it.

    What tombstones in the store in use keep out, in a space of the same identity, does not come
    back, and those tombstones come along with their key. A store in use that is missing or damaged
    is no obstacle, only named: it may be why the backup is needed. The new store appears whole; a
    killed restore leaves what the next start beside it removes.
    """
    if os.path.lexists(target):
        raise InvalidInput(
            "target", f"{target} exists. Name a new file: a restore never overwrites."
        )
    if not source.exists():
        raise InvalidInput("source", f"there is no file {source}.")
    with closing(open_store(_url(source, "?mode=ro"), settings, create=False)) as backup:
        spaces = {space["name"]: space["identity_id"] for space in backup.spaces()}
        if not spaces:
            raise NotAStore(str(source))
        place = Context(
            backup, next(iter(spaces)), actor, settings, clock, list_text_keepers, match_tombstones
        )
        verdict = verify(place)
        if not verdict.ok:
            raise GlymphError(
                f"{source} is not sound: {verdict.problems[0].detail}. Use another backup."
            )
        standing, unread = _read_tombstones(in_use, settings, set(spaces.values()))
        _check_keys(backup, standing, spaces)
        if not apply:
            counts = [
                _count_kept_out(backup, name, standing.get(identity))
                for name, identity in spaces.items()
            ]
        else:
            counts = _restore_without(place, target, standing)
    kept_out, tombstones = (sum(count[at] for count in counts) for at in (0, 1))
    return Restored(tuple(spaces), kept_out, tombstones, unread)


def _read_tombstones(
    url: str | None, settings: Settings, identities: Collection[str]
) -> tuple[Standing, str | None]:
    """Returns the tombstones of the store in use, or why they cannot be read."""
    if url is None:
        return {}, None
    try:
        with closing(open_store(url, settings, create=False)) as store:
            return read_tombstones(store, identities), None
    except KeyMissing:
        raise
    except StoreError as error:
        return {}, str(error)


def _check_keys(backup: Store, standing: Standing, spaces: Mapping[str, str]) -> None:
    """Refuses to mix tombstones of two keys in one space: one kind would recognise nothing."""
    for name, identity in spaces.items():
        own = backup.keyring.get(identity)
        if identity in standing and own is not None and own != standing[identity][0]:
            raise InvalidInput(
                "source",
                f"the tombstones of {name} in this backup were made with another key "
                f"({backup.keyring.folder}) than those of the same space in the store in use. "
                "Name with --url the store it was made from.",
            )


def _count_kept_out(
    store: Store, space: str, known: tuple[bytes, frozenset[str]] | None
) -> tuple[int, int]:
    """Counts the memories that the tombstones keep out, and the tombstones a space lacks."""
    if known is None:
        return 0, 0
    found = _find_tombstoned(store, space, *known)
    return len(found.gone), len(found.lacking)


@dataclass(frozen=True, slots=True)
class _Found:
    """What the tombstones keep out of a space, and those that it does not have.

    `telling` are memories that stay, by key, with the columns that they get; `named` are the
    identifiers that are kept out, as they are spelt there. `elsewhere` tells whether something
    other than a memory tells it.
    """

    gone: Mapping[int, str]
    telling: Mapping[int, Mapping[str, Any]]
    named: Sequence[str]
    lacking: frozenset[str]
    tells: import_filter.Tells
    elsewhere: bool

    @property
    def nothing(self) -> bool:
        return not (self.gone or self.lacking or self.telling or self.elsewhere)


def _find_tombstoned(store: Store, space: str, key: bytes, marks: frozenset[str]) -> _Found:
    tables: dict[str, list[Row]] = defaultdict(list)
    for table, row in store.dump(space):
        if table not in WORDLESS_TABLES:
            tables[table].append(row)
    tells = import_filter.tell_by(key, marks)
    gone = import_filter.find_tombstoned(tables, tells)
    telling = import_filter.find_telling(tables, tells, gone)
    named = import_filter.find_named(tables, [*gone, *telling], key, marks)
    lacking = marks - {row["fingerprint"] for row in tables["tombstones"]}
    elsewhere = import_filter.tells_elsewhere(tables, tells)
    return _Found(gone, telling, named, lacking, tells, elsewhere)


def _restore_without(ctx: Context, target: Path, standing: Standing) -> list[tuple[int, int]]:
    """Copies a backup to a private place, purges it there, and gives the rest its name."""
    counts: list[tuple[int, int]] = []
    with private_folder(target) as folder:
        copied, whole = folder / "copied.db", folder / "whole.db"
        ctx.store.backup(str(copied if standing else whole))
        if standing:
            with closing(open_store(_url(copied), ctx.settings, create=False)) as copy:
                for space in copy.spaces():
                    if space["identity_id"] in standing:
                        here = replace(ctx, store=copy, space=space["name"])
                        counts.append(_purge(here, *standing[space["identity_id"]]))
                copy.backup(str(whole))
        publish_store(whole, target)
    return counts


def _purge(ctx: Context, key: bytes, marks: frozenset[str]) -> tuple[int, int]:
    """Removes from a space what the tombstones keep out, and sets those it does not have."""
    found = _find_tombstoned(ctx.store, ctx.space, key, marks)
    gone, lacking, named = found.gone, found.lacking, found.named
    erase_in_store(ctx, TombstoneCutter(key, marks))
    if found.nothing:
        return 0, 0
    quotes = Quotes(tuple(named), also=found.tells)
    with ctx.reading() as reader:
        ctx.store.keyring.put(str(reader.identity()["id"]), key)
    with ctx.operation(
        "purge", reason="restore of a backup: removed for good since it was made"
    ) as op:
        present = op.writer.memories(gone.values())
        # Pinned then, removed for good since.
        op.writer.change(
            "memories", {row["key"]: {"pinned": 0} for row in present.values() if row["pinned"]}
        )
        reworded = _reword(op, found.telling)
        erased = remove_for_good(op, ctx, list(gone.values()), also=named)
        former = erase_wordings(op, ctx, reworded, staged=not gone)
        op.writer.erase_former("memories", (), quotes)  # what queries and plans say
        op.writer.rename_callers(quotes)
        cut_from_clusters(op, quotes)
        _cut_from_pages(op, quotes, found.tells)
        op.writer.bury(sorted(lacking), at=op.now)
    for part in (erased, former):
        erase_in_store(ctx, QuoteCutter(part.quotes))
    certify(
        ctx, op.intent.id, erased, former, Removal({}, {}, quotes), rewrite=True
    )  # an engine may keep stale copies of rows that it has moved
    return len(gone), len(lacking)


def _cut_from_pages(op: OpenOperation, quotes: Quotes, tells: import_filter.Tells) -> None:
    """Cuts the sentences that the tombstones keep out, out of pages and their past."""
    changed = []
    for page in op.writer.pages():
        if (cut := import_filter.cut_sentences(page["text"], tells)) != page["text"]:
            op.writer.change("pages", {page["key"]: {"text": cut, "updated_at": op.now}})
            changed.append(page["key"])
    past = op.writer.past_quoting("pages", quotes.strongly)
    op.writer.erase_former("pages", sorted({*past, *changed}), Quotes(()))


def _reword(op: OpenOperation, telling: Mapping[int, Mapping[str, Any]]) -> list[str]:
    """Gives memories that stay the columns without what the tombstones keep out; returns ids."""
    places = [("memories", key) for key in telling]
    rows = {key: row for (_, key), row in op.writer.rows(places).items()}
    for key, values in telling.items():
        if values:
            anew = {"updated_at": op.now, "version": rows[key]["version"] + 1}
            op.writer.change("memories", {key: {**values, **anew}})
    return [row["id"] for row in rows.values()]


def _url(path: Path, options: str = "") -> str:
    return f"sqlite:///{quote(os.fsencode(path.absolute()))}{options}"

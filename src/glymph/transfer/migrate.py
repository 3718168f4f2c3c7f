"""Moving spaces from one store to another, of whatever engines: lossless, verified, and again after
a kill.

Every row of a space goes along: memories in every state, links, clusters, pages, vectors,
operations and journal, recalls, tombstones with their key, plans, schedules, counters, queue,
ledger, curves, conflicts, transcripts, and the erase certificates that are complete. What stays:
caches that are made anew (chunks, surfaces), leases, which say who is at work in a store, and
certificates that are still pending, for they are about bytes in the store they were made in; the
report counts them.

A space fills out of sight and takes its name in one step, after it was checked row by row against
its source. The source is only read.
"""

from __future__ import annotations

import hmac
import os
import time
import uuid
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar
from urllib.parse import quote, unquote, urlsplit

from glymph.config import Settings
from glymph.errors import InvalidInput, Refused, SpaceNotFound, StoreError
from glymph.store import open_store
from glymph.store.arrivals import Arrival
from glymph.store.contract import Row
from glymph.store.portable import CARRIED
from glymph.store.snapshots import Snapshot
from glymph.store.store import Store
from glymph.text.secrets import mask_secrets
from glymph.transfer.copy_check import Checksum, Reading, broken_seals, read, search_both

MOVE, REPLACE, SAME, IN_USE, REFUSED = "move", "replace", "already there", "in use there", "refused"
MOVED, REPLACED = "moved", "replaced"
CHUNK = Settings().bulk_chunk

T = TypeVar("T")

_BIRTH = {"operations": 1, "memories": 1, "journal": 1}


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one step of one space is. `goes_on_at` is the row at which a move is taken up that
    was cut short.
    """

    space: str
    step: str  # comparing, moving, checking, removing
    rows: int
    total: int
    goes_on_at: int = 0


@dataclass(frozen=True, slots=True)
class Planned:
    """What is to become of a space, and what is in the way of it."""

    space: str
    rows: int
    plan: str
    counts: Mapping[str, int]
    goes_on_at: int = 0
    obstacle: str = ""
    unsettled: int = 0
    stamp: str = ""  # of the space in the source
    replaces: str = ""  # the stamp of the copy that is to be replaced
    checksum: str = ""  # known only where there is a copy to compare with


@dataclass(frozen=True, slots=True)
class Moved:
    """What became of a space. `unsettled` counts erase certificates that stay pending in the
    source.
    """

    space: str
    outcome: str
    rows: int
    counts: Mapping[str, int]
    checksum: str
    searched: int = 0
    goes_on_at: int = 0
    unsettled: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Report:
    """What became of every space, and which were written to in the source while they were moved."""

    spaces: tuple[Moved, ...]
    changed: tuple[str, ...]


def survey(
    source: Store, target: Store | None, *, spaces: Collection[str] | None = None
) -> Generator[Progress, None, tuple[Planned, ...]]:
    """What a move would do with each space; nothing is written. A target of None is still to be
    made.
    """
    if target is not None:
        _check_places(source, target)
    planned = []
    for name in chosen(source, spaces):
        with source.snapshot(name) as here:
            planned.append((yield from _planned(source, target, name, here)))
    return tuple(planned)


def migrate(
    source: Store, target: Store, *, spaces: Collection[str] | None = None, chunk: int = CHUNK
) -> Generator[Progress, None, Report]:
    """Moves every space of the source, or the named ones; each appears in the target whole and
    checked.

    Repeated, it goes on where it was cut short, leaves alone what is there already, and replaces a
    copy of an earlier state that nobody has written to since. Nothing begins if one of the spaces
    is refused.
    """
    if not target.writable:
        raise InvalidInput(
            "target", f"{shown(target.url)} is read-only here. Open it with write access."
        )
    planned = yield from survey(source, target, spaces=spaces)
    if in_the_way := [f"{one.space}: {one.obstacle}" for one in planned if one.obstacle]:
        raise InvalidInput("space", f"nothing was moved. {' '.join(in_the_way)}")
    moved, stamps = [], {}
    for plan in planned:
        if plan.plan in (SAME, IN_USE):
            stamps[plan.space] = plan.stamp
            moved.append(
                Moved(
                    plan.space,
                    plan.plan,
                    plan.rows,
                    plan.counts,
                    plan.checksum,
                    unsettled=plan.unsettled,
                )
            )
            continue
        with source.snapshot(plan.space) as here:
            stamps[plan.space] = here.stamp()
            moved.append((yield from _carry_out(source, target, plan, here, chunk=chunk)))
    return Report(tuple(moved), tuple(_changed(source, stamps, every=spaces is None)))


def backup_into(
    source: Store, path: str | Path, *, settings: Settings
) -> Generator[Progress, None, Report]:
    """A copy of a whole store in a new SQLite file with its keys beside it, for engines that are no
    file.

    Each space is a consistent state of its own. The file appears only when all of them are there
    and checked.
    """
    target = Path(path).expanduser()
    if os.path.lexists(target):
        raise InvalidInput("path", f"{target} exists. Name a new file: a backup never overwrites.")
    try:
        folder = TemporaryDirectory(
            dir=target.parent, prefix=f".{target.name}.", ignore_cleanup_errors=True
        )
    except OSError as error:
        raise InvalidInput("path", f"cannot write {target} ({error.strerror or error}).") from error
    with folder as beside:
        url = f"sqlite:///{quote(str(Path(beside) / 'copy.db'))}"
        with closing(open_store(url, settings)) as copy:
            report = yield from migrate(source, copy, chunk=settings.bulk_chunk)
            copy.backup(str(target))
    return report


# what is to be done


def _check_places(source: Store, target: Store) -> None:
    if _place(source.url) == _place(target.url):
        raise InvalidInput("target", f"{shown(target.url)} is the source. Name another store.")


def shown(url: str) -> str:
    """A URL as it may be shown: without a user, a password and options."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _place(url: str) -> str:
    """Where a store lies, whatever a URL says about how to open it."""
    head, _, path = shown(url).partition(":///")
    return f"{head}:///{os.path.realpath(unquote(path))}" if path else head


def chosen(source: Store, wanted: Collection[str] | None) -> list[str]:
    """The names of the spaces that are meant, in order; raises SpaceNotFound for one that is none."""
    known = [space["name"] for space in source.spaces()]
    for name in wanted or ():
        if name not in known:
            raise SpaceNotFound(name, known)
    return [name for name in known if wanted is None or name in wanted]


def _token(stamp: str) -> str:
    """What a load of this state of a space is known by."""
    return stamp[:32]


def _planned(
    source: Store, target: Store | None, name: str, here: Snapshot
) -> Generator[Progress, None, Planned]:
    counts = here.counts()
    plain = Planned(
        name,
        sum(counts.values()),
        MOVE,
        counts,
        unsettled=here.count_unsettled(),
        stamp=here.stamp(),
    )
    if target is None:
        return plain
    left = target.left_off(name, _token(plain.stamp))
    plain = replace(plain, goes_on_at=Checksum(left or "").rows)
    if obstacle := _obstacle_of_others(source, target, name, here.identity()):
        return replace(plain, plan=REFUSED, obstacle=obstacle)
    if not target.has_space(name):
        return plain
    with target.snapshot(name) as there:
        if _is_new(there):
            return plain
        if there.identity() != here.identity():
            return replace(plain, plan=REFUSED, obstacle=_obstacles(target, name)["other"])
        stamp, arrived = there.stamp(), there.arrived
        theirs = yield from _reading(name, there, "comparing", sum(there.counts().values()))
    ours = yield from _reading(name, here, "comparing", plain.rows)
    plan = _plan(source, target, name, ours=ours, theirs=theirs, mark=(here.identity(), arrived))
    if plan not in (SAME, IN_USE, REPLACE):
        return replace(plain, plan=REFUSED, obstacle=_obstacles(target, name)[plan])
    return replace(plain, plan=plan, replaces=stamp, checksum=ours.checksum.text())


def _obstacle_of_others(source: Store, target: Store, name: str, identity: str) -> str:
    """What other names and keys in the target have against a space; empty if nothing."""
    in_source = [space["name"] for space in source.spaces()]
    for space in target.spaces():
        if space["identity_id"] == identity and space["name"] not in (name, *in_source):
            return _obstacles(target, space["name"])["renamed"]
    own, other = source.keyring.get(identity), target.keyring.get(identity)
    return _obstacles(target, name)["key"] if own and other and own != other else ""


def _is_new(shot: Snapshot) -> bool:
    """Whether a space holds nothing but its birth."""
    counts = {table: count for table, count in shot.counts().items() if count}
    return counts == _BIRTH and all(
        row["verb"] == "create_space" for _, row in shot.rows(tables=("operations",))
    )


def _plan(
    source: Store,
    target: Store,
    name: str,
    *,
    ours: Reading,
    theirs: Reading,
    mark: tuple[str, str | None],
) -> str:
    """What to do with a copy of the same space: a plan, or the name of the obstacle it is."""
    identity, arrived = mark
    key = target.keyring.get(_mark_of(identity))
    if ours.checksum.text() == theirs.checksum.text():
        return SAME
    if key is None or arrived not in (_marked(key, ours.checksum), _marked(key, theirs.checksum)):
        return "written"
    if arrived == _marked(key, ours.checksum):
        return IN_USE
    with source.reading(name) as reader:
        return REPLACE if reader.operation(theirs.newest) is not None else "ahead"


def _obstacles(target: Store, name: str) -> dict[str, str]:
    there = mask_secrets(target.url)[0]
    remove = f"remove it with `glymph space delete {name} --confirm {name} --url {there}`"
    return {
        "other": f"{there} has another space of this name. Rename one of them with `glymph space rename`.",
        "renamed": f"{there} has this space already, as {name}. Rename it back, or {remove}.",
        "key": f"{there} has another key for its tombstones, {target.keyring.folder}. Move it elsewhere.",
        "written": f"the copy in {there} was written to and the source has gone on, too. Keep that copy, "
        f"or {remove} and repeat.",
        "ahead": f"the copy in {there} is of a later state than the source. Keep it, or {remove} and repeat.",
    }


def _mark_of(identity: str) -> str:
    """The name of the key that marks are made with; it is none of a space."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"arrival of {identity}"))


def _marked(key: bytes, checksum: Checksum) -> str:
    """By what a copy is known as it arrived.

    Made with a key that lies outside the store: from a plain hash of what was there one could guess
    what has been removed for good since.
    """
    return hmac.new(key, checksum.text().encode(), "sha256").hexdigest()


def _reading(
    name: str, shot: Snapshot, step: str, total: int
) -> Generator[Progress, None, Reading]:
    return (yield from _told(read(shot), lambda rows: Progress(name, step, rows, total)))


def _told(
    steps: Generator[int, None, T], say: Callable[[int], Progress]
) -> Generator[Progress, None, T]:
    """What the steps give back in the end, each of them told meanwhile."""
    while True:
        try:
            done = next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
        yield say(done)


# doing it


def _carry_out(
    source: Store, target: Store, plan: Planned, here: Snapshot, *, chunk: int
) -> Generator[Progress, None, Moved]:
    """Brings a space over as planned, out of one snapshot of it."""
    began, name, total = time.perf_counter(), plan.space, sum(here.counts().values())
    replacing = plan.plan == REPLACE
    beginning = target.arrival(
        name, highest=here.highest(), token=_token(here.stamp()), replacing=replacing
    )
    arrival = yield from _told(beginning, lambda _: Progress(name, "removing", 0, total))
    sent = Checksum(arrival.note)
    goes_on_at = sent.rows
    yield Progress(name, "moving", goes_on_at, total, goes_on_at)
    stream = sent.passing(here.rows(tables=CARRIED, skip=dict(sent.counts)))
    for batch in _batches(stream, chunk):
        try:
            arrival.add(batch, note=sent.note())
        except Refused as error:
            yield from _discarded(name, arrival)
            told = f"the target takes no such rows ({error}). See `glymph verify` on the source."
            raise StoreError(f"{name} was not moved: {told}") from error
        yield Progress(name, "moving", sent.rows, total, goes_on_at)
    searched = yield from _verified(name, sent, here, arrival)
    mark = _with_key(source, target, here.identity(), sent)
    try:
        for _ in arrival.publish(name, mark=mark, instead_of=plan.replaces if replacing else None):
            yield Progress(name, "removing", total, total)
    except InvalidInput:  # its name was taken meanwhile
        yield from _discarded(name, arrival)
        raise
    return Moved(
        name, REPLACED if replacing else MOVED, sent.rows, sent.counts, sent.text(), searched, goes_on_at,
        here.count_unsettled(), time.perf_counter() - began,
    )  # fmt: skip


def _with_key(source: Store, target: Store, identity: str, sent: Checksum) -> str:
    """Takes the key of a space along, before the space can be seen; the mark of what arrives.

    A tombstone is no older than its key: one that is missing now is needed by none.
    """
    key = source.keyring.get(identity)
    if key is not None:
        target.keyring.put(identity, key)
        if target.keyring.get(identity) != key:
            raise StoreError(
                "The target got another key for these tombstones meanwhile. Repeat it to see which."
            )
    return _marked(target.keyring.get_or_create(_mark_of(identity)), sent)


def _batches(rows: Iterable[tuple[str, Row]], size: int) -> Iterator[list[tuple[str, Row]]]:
    stream = iter(rows)
    while batch := list(islice(stream, size)):
        yield batch


def _verified(
    name: str, sent: Checksum, here: Snapshot, arrival: Arrival
) -> Generator[Progress, None, int]:
    """Checks what arrived before anybody sees it: how many searches found the same. What is wrong
    is removed.
    """
    with arrival.snapshot() as there:
        found = yield from _reading(name, there, "checking", sent.rows)
        wrong = sent.differences(found.checksum)
        searches = search_both(here, there, found.sample)
        wrong += [f"memories: a search finds {key} in the source only" for key in searches.missed]
        told = f"what arrived is not what was sent ({'; '.join(wrong[:5])}). Check the disks, then repeat it."
        if not wrong and (seals := list(islice(broken_seals(there), 5))):
            told = f"operations were altered in the source ({', '.join(seals)}). See `glymph verify` there."
            wrong = seals
    if wrong:
        yield from _discarded(name, arrival)
        raise StoreError(f"{name} was not moved: {told}")
    return searches.asked


def _discarded(name: str, arrival: Arrival) -> Iterator[Progress]:
    """Removes what is wrong, so that a repetition begins anew."""
    for rows in arrival.discard():
        yield Progress(name, "removing", rows, 0)


def _changed(source: Store, stamps: Mapping[str, str], *, every: bool) -> Iterator[str]:
    """The spaces that were written to, made or removed in the source since they were read."""
    known = {space["name"] for space in source.spaces()}
    for name in sorted({*stamps, *(known if every else ())}):
        if name not in stamps:
            yield name
            continue
        try:
            with source.snapshot(name) as now:
                if now.stamp() != stamps[name]:
                    yield name
        except SpaceNotFound:
            yield name

"""Moves spaces from one store to another, of whatever engines: lossless, checked, resumable.

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
from glymph.text.secrets import mask_url
from glymph.transfer.copy_check import Checksum, Reading, find_broken_seals, read, search_both

MOVE, REPLACE, SAME, IN_USE, REFUSED = "move", "replace", "already there", "in use there", "refused"
MOVED, REPLACED = "moved", "replaced"
CHUNK = Settings().bulk_chunk

T = TypeVar("T")

_BIRTH = {"operations": 1, "memories": 1, "journal": 1}


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one step of one space is; `goes_on_at` is the row at which a move is resumed."""

    space: str
    step: str  # comparing, moving, checking, removing
    rows: int
    total: int
    goes_on_at: int = 0


@dataclass(frozen=True, slots=True)
class Planned:
    """What a move would do with a space, and what is in the way of it."""

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
    """The outcome for a space; `unsettled` counts certificates that stay pending in the source."""

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
    """The outcome for every space, and which were written to in the source meanwhile."""

    spaces: tuple[Moved, ...]
    changed: tuple[str, ...]


def survey(
    source: Store, target: Store | None, *, spaces: Collection[str] | None = None
) -> Generator[Progress, None, tuple[Planned, ...]]:
    """Plans what a move would do with each space; a target of None is still to be made."""
    if target is not None:
        _check_places(source, target)
    planned = []
    for name in choose_spaces(source, spaces):
        with source.snapshot(name) as here:
            planned.append((yield from _plan_space(source, target, name, here)))
    return tuple(planned)


def migrate(
    source: Store, target: Store, *, spaces: Collection[str] | None = None, chunk: int = CHUNK
) -> Generator[Progress, None, Report]:
    """Moves the spaces of the source, or the named ones; each appears whole and checked.

    Repeated, it goes on where it was cut short, leaves alone what is there already, and replaces a
    copy of an earlier state that nobody has written to since. Nothing begins if one of the spaces
    is refused.
    """
    if not target.writable:
        raise InvalidInput(
            "target",
            f"{hide_credentials(target.url)} is read-only here. Open it with write access.",
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
    return Report(tuple(moved), tuple(_find_changed(source, stamps, every=spaces is None)))


def backup_into(
    source: Store, path: str | Path, *, settings: Settings
) -> Generator[Progress, None, Report]:
    """Copies a whole store into a new SQLite file, its keys beside it, for engines without a file.

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
        raise InvalidInput(
            "target", f"{hide_credentials(target.url)} is the source. Name another store."
        )


def hide_credentials(url: str) -> str:
    """Returns a URL as it may be shown: without a user, a password and options."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _place(url: str) -> str:
    """Returns where a store lies, whatever its URL says about how to open it."""
    head, _, path = hide_credentials(url).partition(":///")
    return f"{head}:///{os.path.realpath(unquote(path))}" if path else head


def choose_spaces(source: Store, wanted: Collection[str] | None) -> list[str]:
    """Returns the names of the wanted spaces, in order, or raises SpaceNotFound."""
    known = [space["name"] for space in source.spaces()]
    for name in wanted or ():
        if name not in known:
            raise SpaceNotFound(name, known)
    return [name for name in known if wanted is None or name in wanted]


def _token(stamp: str) -> str:
    """Returns the name of a load of this state of a space."""
    return stamp[:32]


def _plan_space(
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
        theirs = yield from _read_copy(name, there, "comparing", sum(there.counts().values()))
    ours = yield from _read_copy(name, here, "comparing", plain.rows)
    mark = here.identity(), arrived
    plan = _plan_existing(source, target, name, ours=ours, theirs=theirs, mark=mark)
    if plan not in (SAME, IN_USE, REPLACE):
        return replace(plain, plan=REFUSED, obstacle=_obstacles(target, name)[plan])
    return replace(plain, plan=plan, replaces=stamp, checksum=ours.checksum.text())


def _obstacle_of_others(source: Store, target: Store, name: str, identity: str) -> str:
    """Returns why other names or keys in the target refuse a space; empty if they do not."""
    in_source = [space["name"] for space in source.spaces()]
    for space in target.spaces():
        if space["identity_id"] == identity and space["name"] not in (name, *in_source):
            return _obstacles(target, space["name"])["renamed"]
    own, other = source.keyring.get(identity), target.keyring.get(identity)
    return _obstacles(target, name)["key"] if own and other and own != other else ""


def _is_new(shot: Snapshot) -> bool:
    """Tells whether a space holds nothing but its birth."""
    counts = {table: count for table, count in shot.counts().items() if count}
    return counts == _BIRTH and all(
        row["verb"] == "create_space" for _, row in shot.rows(tables=("operations",))
    )


def _plan_existing(
    source: Store,
    target: Store,
    name: str,
    *,
    ours: Reading,
    theirs: Reading,
    mark: tuple[str, str | None],
) -> str:
    """Returns the plan for a copy of the same space, or the name of the obstacle it is."""
    identity, arrived = mark
    key = target.keyring.get(_name_mark_key(identity))
    if ours.checksum.text() == theirs.checksum.text():
        return SAME
    if key is None:
        return "written"
    if arrived == _make_mark(key, ours.checksum):
        return IN_USE
    if arrived != _make_mark(key, theirs.checksum):
        return "written"
    with source.reading(name) as reader:
        return REPLACE if reader.operation(theirs.newest) is not None else "ahead"


def _obstacles(target: Store, name: str) -> dict[str, str]:
    there = mask_url(target.url)
    remove = f"remove it with `glymph store space delete {name} --confirm {name} --url {there}`"
    return {
        "other": f"{there} has another space of this name. "
        "Rename one of them with `glymph store space rename`.",
        "renamed": f"{there} has this space already, as {name}. Rename it back, or {remove}.",
        "key": f"{there} has another key for its tombstones, {target.keyring.folder}. "
        "Move it elsewhere.",
        "written": f"the copy in {there} was written to and the source has gone on, too. "
        f"Keep that copy, or {remove} and repeat.",
        "ahead": f"the copy in {there} is of a later state than the source. "
        f"Keep it, or {remove} and repeat.",
    }


def _name_mark_key(identity: str) -> str:
    """Returns the name of the key that marks are made with; it is not the key of a space."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"arrival of {identity}"))


def _make_mark(key: bytes, checksum: Checksum) -> str:
    """Returns the mark by which a copy is known to be as it arrived.

    Made with a key that lies outside the store: from a plain hash of what was there one could guess
    what has been removed for good since.
    """
    return hmac.new(key, checksum.text().encode(), "sha256").hexdigest()


def _read_copy(
    name: str, shot: Snapshot, step: str, total: int
) -> Generator[Progress, None, Reading]:
    return (yield from _report_steps(read(shot), lambda rows: Progress(name, step, rows, total)))


def _report_steps(
    steps: Generator[int, None, T], say: Callable[[int], Progress]
) -> Generator[Progress, None, T]:
    """Returns the result of the steps, after yielding the progress of each."""
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
    arrival = yield from _report_steps(beginning, lambda _: Progress(name, "removing", 0, total))
    sent = Checksum(arrival.note)
    goes_on_at = sent.rows
    yield Progress(name, "moving", goes_on_at, total, goes_on_at)
    stream = sent.take_all(here.rows(tables=CARRIED, skip=dict(sent.counts)))
    for batch in _batches(stream, chunk):
        try:
            arrival.add(batch, note=sent.note())
        except Refused as error:
            yield from _discard_copy(name, arrival)
            told = f"the target takes no such rows ({error}). See `glymph doctor` on the source."
            raise StoreError(f"{name} was not moved: {told}") from error
        yield Progress(name, "moving", sent.rows, total, goes_on_at)
    searched = yield from _verify_copy(name, sent, here, arrival)
    mark = _carry_key(source, target, here.identity(), sent)
    try:
        for _ in arrival.publish(name, mark=mark, instead_of=plan.replaces if replacing else None):
            yield Progress(name, "removing", total, total)
    except InvalidInput:  # its name was taken meanwhile
        yield from _discard_copy(name, arrival)
        raise
    return Moved(
        name, REPLACED if replacing else MOVED, sent.rows, sent.counts, sent.text(), searched,
        goes_on_at, here.count_unsettled(), time.perf_counter() - began,
    )  # fmt: skip


def _carry_key(source: Store, target: Store, identity: str, sent: Checksum) -> str:
    """Copies the key of a space before the space can be seen; returns the mark of what arrives.

    A tombstone is no older than its key: one that is missing now is needed by none.
    """
    key = source.keyring.get(identity)
    if key is not None:
        target.keyring.put(identity, key)
        if target.keyring.get(identity) != key:
            raise StoreError(
                "The target got another key for these tombstones meanwhile. Repeat it to see which."
            )
    return _make_mark(target.keyring.get_or_create(_name_mark_key(identity)), sent)


def _batches(rows: Iterable[tuple[str, Row]], size: int) -> Iterator[list[tuple[str, Row]]]:
    stream = iter(rows)
    while batch := list(islice(stream, size)):
        yield batch


def _verify_copy(
    name: str, sent: Checksum, here: Snapshot, arrival: Arrival
) -> Generator[Progress, None, int]:
    """Checks what arrived before anybody sees it, or removes it; counts searches that agree."""
    with arrival.snapshot() as there:
        found = yield from _read_copy(name, there, "checking", sent.rows)
        wrong = sent.differences(found.checksum)
        searches = search_both(here, there, found.sample)
        wrong += [f"memories: a search finds {key} in the source only" for key in searches.missed]
        listed = "; ".join(wrong[:5])
        told = f"what arrived is not what was sent ({listed}). Check the disks, then repeat it."
        if not wrong and (seals := list(islice(find_broken_seals(there), 5))):
            listed = ", ".join(seals)
            told = f"operations were altered in the source ({listed}). See `glymph doctor` there."
            wrong = seals
    if wrong:
        yield from _discard_copy(name, arrival)
        raise StoreError(f"{name} was not moved: {told}")
    return searches.asked


def _discard_copy(name: str, arrival: Arrival) -> Iterator[Progress]:
    """Removes what is wrong, so that a repetition begins anew."""
    for rows in arrival.discard():
        yield Progress(name, "removing", rows, 0)


def _find_changed(source: Store, stamps: Mapping[str, str], *, every: bool) -> Iterator[str]:
    """Yields the spaces that were written to, made or removed in the source since."""
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

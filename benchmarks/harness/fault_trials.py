"""One operation, one fault: a child meets it, then the store is opened as usual and judged."""

from __future__ import annotations

import os
import resource
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import apsw

from benchmarks.harness import processes
from benchmarks.harness.fault_scenes import (
    SECRET,
    Image,
    Notes,
    Scene,
    Stage,
    image_of,
    journalled,
    open_at,
    prepare,
    read_image,
    undo_all,
    url_in,
)
from glymph import Glymph
from glymph.config import Settings
from glymph.errors import GlymphError
from glymph.store import open_store
from glymph.testing import FrozenClock
from glymph.testing.clock import START
from glymph.testing.faulty_files import DEADLY, Fault, FaultyFiles

LIMIT = "file_limit"  # the system itself refuses to let a file grow: no fault of ours is between
PATIENCE_S = 120.0
FREE = resource.RLIM_INFINITY


@dataclass(frozen=True, slots=True)
class Limit:
    """Files may grow up to so many bytes."""

    at: int
    kind: str = LIMIT


@dataclass(slots=True)
class Expected:
    """What may be there: before, after each commit of the operation, after it, and after the next.

    `calls` are those that a fault can happen at, `longest` the most bytes of the write-ahead log.
    """

    before: Image
    stages: set[Image] = field(default_factory=set)
    after: Image = ()
    last: Image = ()
    later: set[Image] = field(default_factory=set)  # commits of the next operation
    calls: Counter[str] = field(default_factory=Counter)
    longest: int = 0
    schemas: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Told:
    """What the child said before its end."""

    done: int = 0  # steps acknowledged
    error: str = ""
    typed: bool = True
    image: Image | None = None  # seen by the handle that met the error
    again: str = ""  # what repeating the call on it led to, if it was repeated
    finished: bool = False


@dataclass(slots=True)
class Verdict:
    """What one trial found; words say what is wrong, and there should be none."""

    lost: bool = False
    half: bool = False
    untyped: bool = False
    stuck: bool = False
    wrong: list[str] = field(default_factory=list)
    hit: bool = True  # the fault happened before the steps were done

    @property
    def survived(self) -> bool:
        return not self.wrong


class Ground:
    """A prepared store of a scene, copied for every trial."""

    def __init__(self, scene: Scene, root: Path) -> None:
        self.scene, self.root = scene, root
        self.template = root / "template"
        self.notes: Notes = prepare(scene, self.template)
        self.expected = self._expect()
        self.known, self.rows = self._read_past()

    def copy(self) -> Path:
        folder = self.root / "trial"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.template, folder)
        return folder

    def stage(self, folder: Path) -> Stage:
        return Stage(folder, url_in(folder), self.notes, self.scene.meaning)

    def _expect(self) -> Expected:
        """Runs the steps once without a fault and takes an image after each commit."""
        folder, copies = self.copy(), self.root / "copies"
        expected = Expected(self.image(self.copy()))
        expected.schemas = [schema_of(self.template / "memory.db")]
        images: list[set[Image]] = [expected.stages, expected.later]
        folder = self.copy()
        stage = self.stage(folder)
        with FaultyFiles() as files:
            if self.scene.opens_first:
                stage.glymph  # noqa: B018 - opens it
            taken: list[list[Path]] = [[], []]
            files.calls.clear()
            for number, step in enumerate(self.scene.steps()):
                files.on_sync = _taker(folder, copies, taken[number])
                step(stage)
                wal = folder / "memory.db-wal"
                grown = wal.stat().st_size if wal.exists() else 0
                expected.longest = max(expected.longest, grown)
                files.on_sync = None
                copy = copies / f"step-{number}"
                _copy(folder, copy)
                taken[number].append(copy)
            expected.calls = Counter(files.calls)
            stage.close()
        expected.schemas.append(schema_of(folder / "memory.db"))
        for number, copies_of in enumerate(taken):
            seen = [self.image(one) for one in copies_of]
            images[number].update(seen)
            if number == 0:
                expected.after = seen[-1]
            expected.last = seen[-1]
        shutil.rmtree(copies, ignore_errors=True)
        return expected

    def image(self, folder: Path) -> Image:
        return read_image(url_in(folder, self.scene.file), whole=not self.scene.in_parts)

    def _read_past(self) -> tuple[set[str], dict[tuple[str, int], dict[str, Any]]]:
        folder = self.copy()
        with open_at(url_in(folder), FrozenClock(START)) as glymph:
            known = {one.id for one in glymph.operations(limit=1000)}
            return known, journalled(glymph.context.store)


def _taker(folder: Path, copies: Path, taken: list[Path]) -> Callable[[str], None]:
    """Copies the store whenever its log was synced: each of these moments may be the last."""

    def take(path: str) -> None:
        if path.endswith("-wal"):
            target = copies / f"sync-{len(list(copies.glob('*')))}"
            _copy(folder, target)
            taken.append(target)

    return take


def _copy(folder: Path, target: Path) -> None:
    shutil.copytree(folder, target, ignore=shutil.ignore_patterns("*-shm"))


def schema_of(path: Path) -> str:
    """The tables, indexes and triggers of a file, as text; it is not changed by looking."""
    with closing(apsw.Connection(str(path))) as connection:
        found = connection.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall()
    return repr(found)


# the trial


def attempt(ground: Ground, fault: Fault | Limit) -> Verdict:
    """Lets a child meet the fault and judges what it leaves."""
    folder = ground.copy()
    child, receiver = processes.start(_meet, folder, ground, fault)
    told = Told()
    try:
        while receiver.poll(PATIENCE_S):
            _hear(told, receiver.recv())
    except (EOFError, OSError):  # the child is gone
        pass
    finally:
        receiver.close()
        child.join(PATIENCE_S)
        if child.is_alive():
            child.kill()
            child.join()
    return judge(ground, folder, fault, told)


def _hear(told: Told, said: tuple[Any, ...]) -> None:
    match said:
        case ("done", number):
            told.done = number
        case ("error", name, typed):
            told.error, told.typed = name, typed
        case ("image", image):
            told.image = image
        case ("again", outcome):
            told.again = outcome
        case ("finished",):
            told.finished = True


def _meet(sender: Connection, folder: Path, ground: Ground, fault: Fault | Limit) -> None:
    scene, stage = ground.scene, ground.stage(folder)
    # SQLite's driver prints the faults that it meets where nobody can catch them.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    files = FaultyFiles() if isinstance(fault, Fault) else None
    if scene.opens_first:
        stage.glymph  # noqa: B018 - opens it
    if files is not None and isinstance(fault, Fault):
        files.plan(fault)
    else:
        resource.setrlimit(resource.RLIMIT_FSIZE, (fault.at, FREE))
    failed = None
    for number, step in enumerate(scene.steps(), start=1):
        failed = _tell_error(sender, lambda step=step: step(stage))  # type: ignore[misc]
        if failed:
            break
        sender.send(("done", number))
    if files is not None:
        files.cure()
    else:
        resource.setrlimit(resource.RLIMIT_FSIZE, (FREE, FREE))
    if failed:
        _go_on(sender, ground, stage, step)
    stage.close()
    sender.send(("finished",))


def _tell_error(sender: Connection, call: Callable[[], object]) -> str | None:
    try:
        call()
    except GlymphError as error:
        sender.send(("error", f"{type(error).__name__}: {error}", True))
        return type(error).__name__
    except Exception as error:  # noqa: BLE001 - the trial is about errors that are not ours
        sender.send(("error", f"{type(error).__name__}: {error}", _is_of_the_trial(error)))
        return type(error).__name__
    return None


def _is_of_the_trial(error: Exception) -> bool:
    """Whether only a planned fault can lead to it.

    SQLite's driver cannot hand on an exception of Python that was raised beneath it while it ends a
    backup; a real disk raises none.
    """
    return isinstance(error, SystemError) and isinstance(error.__cause__, apsw.Error)


def _go_on(sender: Connection, ground: Ground, stage: Stage, step: Callable[..., object]) -> None:
    """Looks at the store through the handle that met the error, and repeats what was not done."""
    expected = ground.expected
    if ground.scene.file == "memory.db":
        image = image_of(stage.glymph.context.store, whole=not ground.scene.in_parts)
    else:
        image = ground.image(stage.folder)
    sender.send(("image", image))
    if image not in (expected.before, expected.after) or ground.scene.name == "migrate":
        return
    first = step is ground.scene.act
    if image == (expected.before if first else expected.after):
        try:
            step(stage)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told
            sender.send(("again", f"{type(error).__name__}: {error}"))
        else:
            sender.send(("again", "ok"))


# the judgement


def judge(ground: Ground, folder: Path, fault: Fault | Limit, told: Told) -> Verdict:
    """Compares what is there with what must be, then undoes it all."""
    expected = ground.expected
    verdict = Verdict(untyped=not told.typed)
    dead = isinstance(fault, Fault) and fault.kind in DEADLY
    verdict.hit = bool(told.error) or not told.finished
    if verdict.untyped:
        verdict.wrong.append(f"untyped {told.error}")
    if not told.finished and not dead:
        verdict.wrong.append(f"the child ended before its time, after {told.error or 'nothing'}")
    if schema_of(folder / "memory.db") not in expected.schemas:
        verdict.half = True
        verdict.wrong.append("the schema is neither the old one nor the new one")
    image = told.image if told.image is not None else ground.image(folder)
    judge_state(verdict, expected, image, told)
    if told.again not in ("", "ok"):
        verdict.stuck = True
        verdict.wrong.append(f"repeated on the same handle: {told.again}")
    _judge_store(verdict, ground, folder)
    return verdict


def judge_state(verdict: Verdict, expected: Expected, image: Image, told: Told) -> None:
    first = {expected.before, *expected.stages}
    second = {expected.after, expected.last, *expected.later}
    if told.done == 0 and image not in first | second:
        verdict.half = True
        verdict.wrong.append(f"half done: {_difference(expected, image)}")
    elif told.done == 1 and image not in second:
        verdict.lost = True
        verdict.wrong.append(f"acknowledged and gone: {_difference(expected, image)}")
    elif told.done == 2 and image != expected.last:
        verdict.lost = True
        verdict.wrong.append(f"the next one was acknowledged and is gone, after {told.error}")


def _difference(expected: Expected, image: Image) -> str:
    """The rows that are in the image and in no expected one, or the other way round, in short."""
    nearest = min(
        ({*one} ^ {*image} for one in (expected.before, expected.after, *expected.stages)), key=len
    )
    return " | ".join(sorted(row[:300] for row in nearest)[:6])


def _judge_store(verdict: Verdict, ground: Ground, folder: Path) -> None:
    """Opens the store as usual: it is sound, a purge is whole, undo leads back to the beginning."""
    scene, clock = ground.scene, ground.stage(folder).clock
    try:
        with open_at(url_in(folder), clock) as glymph:
            problems = [
                one
                for one in glymph.verify().problems
                if not (scene.in_parts and one.check == "unfinished")  # a note how to end it
            ]
            verdict.wrong += [f"{one.check}: {one.detail}" for one in problems]
            verdict.half |= any(one.check in ("operations", "journal") for one in problems)
            if scene.name == "purge":
                _judge_purge(verdict, glymph, folder)
            if scene.undoable:
                undo_all(glymph, ground.known)
                if journalled(glymph.context.store) != ground.rows or not glymph.verify().ok:
                    verdict.half = True
                    verdict.wrong.append("undo does not lead back")
        if scene.file != "memory.db" and (folder / scene.file).exists():
            with closing(open_store(url_in(folder, scene.file), Settings())) as store:
                verdict.wrong += [f"{one.check}: {one.detail}" for one in store.check()]
    except GlymphError as error:
        verdict.half = True
        verdict.wrong.append(f"afterwards: {type(error).__name__}: {error}")


def _judge_purge(verdict: Verdict, glymph: Glymph, folder: Path) -> None:
    """Nothing of the secret is left anywhere, unless the memory stands as it stood."""
    held = [row for row in image_of(glymph.context.store) if SECRET in row]
    if any(row.startswith("memories") for row in held):
        return
    glymph.compact()
    files = [path for path in folder.iterdir() if path.is_file() and path.name != "notes.json"]
    left = [path.name for path in files if SECRET.encode() in path.read_bytes()]
    if held or left:
        verdict.half = True
        verdict.wrong.append(f"a purge left the text in {[*left, *(row[:80] for row in held)]}")


def choose(total: int, most: int, draw: Any) -> Sequence[int]:
    """Which of so many calls are tried: all, or a sample."""
    return range(1, total + 1) if total <= most else sorted(draw.sample(range(1, total + 1), most))

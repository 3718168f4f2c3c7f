"""Cases of forgetting, played through the public interface on a store of their own each."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from glymph import Glymph
from glymph.embed.contract import Embedder
from glymph.errors import GlymphError, MemoryNotFound
from glymph.reader import open_reader
from glymph.reader.contract import Reader
from glymph.testing import FrozenClock

OWN = Path(__file__).parents[1] / "cases" / "forget.jsonl"
SETTINGS = {"durability": "normal", "compare": "off"}
FIRST = 10  # texts looked at in the plain scoring
FIRST_PROBED = 5


def lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as told:
        return [json.loads(line) for line in told if line.strip()]


@dataclass(slots=True)
class Ground:
    """A folder with an empty store that is copied for each case."""

    folder: Path
    model: Embedder | str
    reader: Reader = field(default_factory=lambda: open_reader("auto"))
    played: int = 0
    empty: Path = field(init=False)

    def __post_init__(self) -> None:
        self.empty = self.folder / "empty.db"
        Glymph.open(
            f"sqlite:///{self.empty}",
            embedder="none",
            reader="none",
            settings=SETTINGS,
            clock=FrozenClock(),
        ).close()

    @contextmanager
    def store(self) -> Iterator[tuple[Glymph, FrozenClock]]:
        """A new store, gone when the case is over."""
        self.played += 1
        folder = self.folder / str(self.played)
        folder.mkdir()
        shutil.copy(self.empty, folder / "memory.db")
        clock = FrozenClock()
        url = f"sqlite:///{folder / 'memory.db'}"
        with Glymph.open(
            url, embedder=self.model, reader=self.reader, settings=SETTINGS, clock=clock
        ) as glymph:
            yield glymph, clock
        shutil.rmtree(folder)


@contextmanager
def ground(model: Embedder | str = "none") -> Iterator[Ground]:
    with tempfile.TemporaryDirectory(prefix="glymph-forget-") as folder:
        yield Ground(Path(folder), model)


def forget(glymph: Glymph, request: str, mode: str) -> None:
    glymph.forget(request, mode=mode, apply=True)


def supersede(glymph: Glymph, old: str, new: str) -> None:
    """What a caller does: where nothing is replaced the new statement is still told."""
    try:
        glymph.supersede(old, new)
    except MemoryNotFound:
        glymph.add(new)


# the templated suite


def templated(on: Ground, case: Mapping[str, Any]) -> tuple[bool, bool]:
    """Whether a case passes by the plain rule, and by the probed one."""
    with on.store() as (glymph, clock):
        for fact in case["setup_facts"]:
            clock.advance(minutes=1)
            glymph.add(fact)
        for verb, *said in case["mutations"]:
            clock.advance(minutes=1)
            if verb == "supersede":
                supersede(glymph, said[0], said[1])
            else:
                forget(glymph, said[0], verb)
        found = texts(glymph, case["final_query"], FIRST)
        plain = _holds(found, case["must_contain"], case["must_not_contain"])
        probed = plain and _holds(
            found[:FIRST_PROBED], case["must_contain"], case["must_not_contain"]
        )
        return plain, probed and _stays_away(glymph, case)


def texts(glymph: Glymph, query: str, limit: int) -> list[str]:
    return [hit.memory.text for hit in glymph.recall(query, limit=limit)]


def _holds(found: Sequence[str], wanted: Iterable[str], unwanted: Iterable[str]) -> bool:
    said = "\n".join(found).casefold()
    return all(one.casefold() in said for one in wanted) and not any(
        one.casefold() in said for one in unwanted
    )


def _stays_away(glymph: Glymph, case: Mapping[str, Any]) -> bool:
    """Whether what is forgotten stays away and what is untouched is found.

    Nothing forgotten may come back as a query itself, and each untouched fact must by its own text.
    """
    gone = case["must_not_contain"]
    probes = [*gone, *(said[0] for verb, *said in case["mutations"] if verb != "supersede")]
    if any(not _holds(texts(glymph, probe, FIRST_PROBED), (), gone) for probe in probes):
        return False
    untouched = [
        fact
        for fact in case["setup_facts"]
        if not any(one.casefold() in fact.casefold() for one in gone)
    ]
    return all(fact in texts(glymph, fact, FIRST_PROBED) for fact in untouched)


# own cases


def own(on: Ground, case: Mapping[str, Any]) -> str:
    """What is wrong after a case, empty if nothing: what lives must be exactly what was to live."""
    with on.store() as (glymph, clock):
        spaces = _told(glymph, clock, case["facts"])
        for step in case["steps"]:
            clock.advance(minutes=1)
            try:
                _step(glymph, clock, step)
            except GlymphError as error:
                refusal = str(error)
                if case["category"] not in ("pins", "spaces"):
                    return f"{step}: {refusal}"
        problem = _difference(_live(glymph), _expected(case))
        for name, facts in spaces.items():
            with Glymph.open(
                glymph.url, space=name, embedder="none", reader="none", clock=clock, create=False
            ) as other:
                problem = problem or _difference(_live(other), [[fact] for fact in facts])
        return problem or _leaks(glymph, case)


def _told(glymph: Glymph, clock: FrozenClock, facts: Sequence[Any]) -> dict[str, list[str]]:
    """Stores the facts; those of other spaces by space."""
    ids: list[str] = []
    elsewhere: dict[str, list[str]] = {}
    for fact in facts:
        clock.advance(minutes=1)
        given: dict[str, Any] = {"text": fact} if isinstance(fact, str) else dict(fact)
        space, protected = given.pop("space", None), given.pop("protected", False)
        if days := given.pop("expires_days", None):
            given["expires_at"] = clock() + timedelta(days=days)
        if sources := given.pop("derived_from", None):
            given["links"] = [(ids[at], "derived_from") for at in sources]
        if space:
            elsewhere.setdefault(space, []).append(given["text"])
            with Glymph.open(
                glymph.url, space=space, embedder="none", reader="none", clock=clock
            ) as other:
                ids.append(other.add(**given).id or "")
            continue
        ids.append(glymph.add(**given).id or "")
        if protected:
            _protect(glymph, ids[-1])
    return elsewhere


def _protect(glymph: Glymph, memory_id: str) -> None:
    """What only an operator does: there is no call for it."""
    with glymph._ctx.operation("protect") as op:
        row = op.row(memory_id)
        op.writer.change("memories", {row["key"]: {"protected": 1, "version": row["version"] + 1}})


def _step(glymph: Glymph, clock: FrozenClock, step: Sequence[Any]) -> None:
    match step:
        case ["supersede", old, new]:
            supersede(glymph, old, new)
        case ["add", text]:
            glymph.add(text)
        case ["revive", text]:
            glymph.add(text, revive=True)
        case ["undo"]:
            glymph.undo()
        case ["days", days]:
            clock.advance(days=days)
        case [mode, request]:
            forget(glymph, request, mode)


def _live(glymph: Glymph) -> list[str]:
    now = glymph._ctx.now()
    found = glymph.list(limit=1000).items
    return [one.text for one in found if one.expires_at is None or one.expires_at > now]


def _expected(case: Mapping[str, Any]) -> list[list[str]]:
    facts = [fact if isinstance(fact, str) else fact["text"] for fact in case["facts"]]
    return [*([facts[at]] for at in case["kept"]), *case["becomes"]]


def _difference(live: Sequence[str], expected: Sequence[Sequence[str]]) -> str:
    left = {bare(text): text for text in live}
    for choices in expected:
        if not any(bare(choice) in left for choice in choices):
            return f"missing {choices[0]!r}; there is {sorted(left.values())}"
    wanted = {bare(choice) for choices in expected for choice in choices}
    extra = [text for bare, text in left.items() if bare not in wanted]
    return f"still there: {extra}" if extra else ""


def bare(text: str) -> str:
    """The text without case, spacing and its last stop."""
    return " ".join(text.casefold().split()).rstrip(" .!;。")


def _leaks(glymph: Glymph, case: Mapping[str, Any]) -> str:
    """What a purge should have taken out of every row and journal image, and did not."""
    if not any(step[0] == "purge" for step in case["steps"]) or any(
        step[0] == "revive" for step in case["steps"]
    ):
        return ""
    kept = {bare(choice) for choices in _expected(case) for choice in choices}
    facts = [
        fact if isinstance(fact, str) else fact["text"]
        for fact in case["facts"]
        if not _elsewhere(fact)
    ]
    gone = [fact for fact in facts if bare(fact) not in kept]
    for table, row in glymph._ctx.store.dump(glymph.space):
        for fact in gone:
            if any(isinstance(value, str) and fact in value for value in row.values()):
                return f"{table} still holds {fact!r}"
    return ""


def _elsewhere(fact: Any) -> bool:
    return isinstance(fact, dict) and "space" in fact

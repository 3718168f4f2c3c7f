"""Spaces split over several stores by a map: `shards:///map.json`.

The map names the stores and says which spaces lie where:

    {"parts": {"east": "postgresql://db1/glymph", "west": "postgresql://db2/glymph"},
     "spaces": {"acme": "west", "team-*": "east"}}

A space that is named, or fits a pattern, lies where that says; any other one where its name falls
among all parts, the same for everybody who has the same parts. A map that moves a space away from
where it lies is refused when that space is used: `glymph store migrate` moves it first. Stores are
opened when they are first needed, so one server that is down keeps nobody from the spaces of the
others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import partial
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import unquote, urlsplit

from glymph.config import Settings
from glymph.errors import InvalidInput, PartsAway, SpaceNotFound, StoreError
from glymph.model import Problem
from glymph.store.arrivals import Arrival
from glymph.store.contract import Ask, ColumnTypes, Intent, IntentOrMaker, Row, Settled
from glymph.store.keyring import Keyring
from glymph.store.reader import Reader
from glymph.store.snapshots import Snapshot
from glymph.store.store import Store
from glymph.store.writer import Writer


def open_store(url: str, settings: Settings, *, create: bool = True) -> ShardedStore:
    """Opens the stores of a map as one."""
    from glymph.store import open_store as opened

    path = Path(unquote(urlsplit(url).path[1:])).expanduser()
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StoreError(
            f"Cannot read the map {path} ({error.strerror}). Check the path; an absolute one has "
            "four slashes: shards:////etc/map.json."
        ) from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput("url", f"the map {path} is no JSON ({error}). Fix it.") from error
    return ShardedStore(
        url, _check_map(path, told), partial(opened, settings=settings, create=create)
    )


def _check_map(path: Path, told: Any) -> Mapping[str, Mapping[str, str]]:
    whole = isinstance(told, dict) and not told.keys() - {"parts", "spaces"}
    parts, spaces = (told.get("parts"), told.get("spaces", {})) if whole else (None, None)
    if not (parts and isinstance(parts, dict) and isinstance(spaces, dict)):
        raise InvalidInput(
            "url", f'the map {path} is not {{"parts": {{…}}, "spaces": {{…}}}}. Fix it.'
        )
    for name, value in (*parts.items(), *spaces.items()):
        if not isinstance(value, str):
            raise InvalidInput("url", f"the map {path} has no text for {name!r}. Fix it.")
    if unknown := set(spaces.values()) - parts.keys():
        raise InvalidInput(
            "url", f"the map {path} names the parts {sorted(unknown)}, which it does not define."
        )
    if len(set(parts.values())) < len(parts):
        raise InvalidInput(
            "url", f"the map {path} names one store twice: each part is a store of its own."
        )
    if nested := [name for name, part in parts.items() if urlsplit(part).scheme == "shards"]:
        raise InvalidInput(
            "url", f"part {nested[0]!r} of the map {path} is a map itself. Name its stores instead."
        )
    return {"parts": parts, "spaces": spaces}


class ShardedStore(Store):
    """Several stores as one: each call goes to the store that holds the space, or to all."""

    def __init__(
        self, url: str, map: Mapping[str, Mapping[str, str]], opened: Callable[[str], Store]
    ) -> None:
        self._url, self._opened = url, opened
        self._parts, self._places = map["parts"], map["spaces"]
        # One each: who waits for one part is in nobody's way.
        self._locks = {name: Lock() for name in self._parts}
        self._open: dict[str, Store] = {}

    # where a space lies

    def part_of(self, space: str) -> str:
        """Returns the name of the part that the map gives a space to."""
        if space in self._places:
            return self._places[space]
        for pattern, part in self._places.items():
            if fnmatchcase(space, pattern):
                return part
        return max(
            self._parts,
            key=lambda part: blake2b(f"{part}\0{space}".encode(), digest_size=8).digest(),
        )

    def parts(self) -> list[str]:
        return list(self._parts.values())

    def home(self) -> Store:
        return self._part(min(self._parts))  # by name: the order in a map may be changed

    def _part(self, name: str) -> Store:
        found = self._open.get(name)
        if found is None:
            with self._locks[name]:
                found = self._open.get(name) or self._opened(self._parts[name])
                self._open[name] = found
        return found

    def _all(self) -> list[Store]:
        return [self._part(name) for name in self._parts]

    def _holder(self, space: str) -> Store:
        return self._part(self.part_of(space))

    def _elsewhere(self, space: str) -> str | None:
        """Returns the part that holds a space although the map gives it to another."""
        own = self.part_of(space)
        others = (name for name in self._parts if name != own)
        return next((name for name in others if self._part(name).has_space(space)), None)

    def _check_place(self, space: str) -> None:
        if (part := self._elsewhere(space)) is not None:
            raise StoreError(
                f"Space {space!r} lies in part {part!r}, and the map gives it to "
                f"{self.part_of(space)!r}. "
                f"Move it with `glymph store migrate FROM TO --space {space}`, the URLs of these "
                "parts, or fix the map."
            )

    # Store

    @property
    def url(self) -> str:
        return self._url

    @property
    def writable(self) -> bool:
        return all(part.writable for part in list(self._open.values()))

    @property
    def in_one_file(self) -> bool:
        return False

    @property
    def keyring(self) -> Keyring:
        return SharedKeyring(self._url, [partial(self._keyring_of, name) for name in self._parts])

    def _keyring_of(self, part: str) -> Keyring:
        return self._part(part).keyring

    # what concerns one space goes to the store that holds it

    @contextmanager
    def _checking_place(self, space: str) -> Iterator[None]:
        """Says where a space lies if it is not where the map says."""
        try:
            yield
        except SpaceNotFound:
            self._check_place(space)
            raise

    @contextmanager
    def reading(self, space: str) -> Iterator[Reader]:
        with self._checking_place(space), self._holder(space).reading(space) as reader:
            yield reader

    @contextmanager
    def writing(
        self, space: str, intent: IntentOrMaker | None, *, fence: int | None = None,
        ahead: Sequence[Ask] = (),
    ) -> Iterator[Writer]:  # fmt: skip
        writing = self._holder(space).writing(space, intent, fence=fence, ahead=ahead)
        with self._checking_place(space), writing as writer:
            yield writer

    def open_parent(self, space: str, intent: IntentOrMaker, *, fence: int | None = None) -> int:
        return self._holder(space).open_parent(space, intent, fence=fence)

    def close_parent(self, space: str, key: int, *, fence: int | None = None) -> None:
        self._holder(space).close_parent(space, key, fence=fence)

    def delete_space(self, name: str) -> Iterator[int]:
        return self._holder(name).delete_space(name)

    @contextmanager
    def snapshot(self, space: str) -> Iterator[Snapshot]:
        with self._checking_place(space), self._holder(space).snapshot(space) as shot:
            yield shot

    def dump(self, space: str) -> Iterator[tuple[str, Row]]:
        return self._holder(space).dump(space)

    def load(
        self,
        space: str,
        rows: Iterable[tuple[str, Row]],
        *,
        highest: Mapping[str, int],
        chunk: int,
        check: Callable[[Snapshot], None] | None = None,
    ) -> Iterator[int]:
        self._check_place(space)
        return self._holder(space).load(space, rows, highest=highest, chunk=chunk, check=check)

    def arrival(
        self,
        space: str,
        *,
        highest: Mapping[str, int],
        token: str | None = None,
        replacing: bool = False,
    ) -> Generator[int, None, Arrival]:
        self._check_place(space)
        return self._holder(space).arrival(space, highest=highest, token=token, replacing=replacing)

    def left_off(self, space: str, token: str) -> str | None:
        return self._holder(space).left_off(space, token)

    def spaces(self) -> list[Row]:
        """Returns the spaces of every part, as far as the map gives them to it.

        Raises PartsAway, with the spaces of the others, if a part is away.
        """
        found: list[Row] = []
        away: dict[str, str] = {}
        for name in self._parts:
            try:
                found += [
                    row for row in self._part(name).spaces() if self.part_of(row["name"]) == name
                ]
            except StoreError as error:
                away[name] = str(error)
        found.sort(key=lambda row: row["name"])
        if away:
            raise PartsAway(away, [row["name"] for row in found])
        return found

    def has_space(self, name: str) -> bool:
        found = self._holder(name).has_space(name)
        if not found:
            self._check_place(name)
        return found

    def due_spaces(
        self, now: int, *, beyond: int | None = None, limit: int | None = None
    ) -> list[str]:
        """Returns those of every part in turn, as far as the map gives them to it."""
        found = [
            space
            for name in self._parts
            for space in self._part(name).due_spaces(now, beyond=beyond)
            if self.part_of(space) == name
        ]
        return found if limit is None else found[:limit]

    def next_due(self) -> int | None:
        moments = (part.next_due() for part in self._all())
        return min((moment for moment in moments if moment is not None), default=None)

    def create_space(self, name: str, intent: Intent, identity: Row) -> None:
        if not self.has_space(name):
            self._holder(name).create_space(name, intent, identity)

    def rename_space(self, old: str, new: str) -> None:
        if self.part_of(old) != self.part_of(new):
            raise InvalidInput(
                "space",
                f"the map gives {new!r} to another part than {old!r}. Name {new!r} in the map "
                "first.",
            )
        self._check_place(new)
        self._holder(old).rename_space(old, new)

    def column_types(self) -> ColumnTypes:
        return self._all()[0].column_types()

    def backup(self, path: str) -> None:
        raise StoreError(
            "Several stores are no file. Use `glymph store migrate`, or back each of them up."
        )

    def compact(self) -> None:
        for part in self._all():
            part.compact()

    def size(self) -> int:
        return sum(part.size() for part in self._all())

    def recent_size(self) -> int:
        return sum(part.recent_size() for part in self._all())

    def settle(self, *, rewrite: bool) -> Settled:
        """Settles all parts; each place stands as in the part where it stands worst."""
        found = [part.settle(rewrite=rewrite) for part in self._all()]
        return max(found, key=lambda one: sum(place.status != "clean" for place in one.as_they_are))

    def check(self) -> list[Problem]:
        problems: list[Problem] = []
        for name in self._parts:
            try:
                part = self._part(name)
                problems += part.check()
                problems += self._strays(name, part.spaces())
            except StoreError as error:
                problems.append(Problem("part", f"{name!r} cannot be used: {error}"))
        return problems

    def _strays(self, part: str, spaces: Iterable[Row]) -> Iterator[Problem]:
        for row in spaces:
            if (own := self.part_of(row["name"])) != part:
                told = f"space {row['name']!r} lies in part {part!r}, the map gives it to {own!r}"
                yield Problem("map", told)

    def close(self) -> None:
        for part in self._open.values():
            part.close()


class SharedKeyring(Keyring):
    """The keyrings of all parts.

    What one has, all get, so that a space finds its key wherever it is moved.
    """

    def __init__(self, url: str, rings: Sequence[Callable[[], Keyring]]) -> None:
        super().__init__(Path(urlsplit(url).path[1:]))
        self._rings = rings

    def get(self, identity: str) -> bytes | None:
        """Returns the key from whichever part has it; a part that is down does no harm then."""
        away: StoreError | None = None
        for ring in self._rings:
            try:
                if (key := ring().get(identity)) is not None:
                    return key
            except StoreError as error:
                away = error
        if away is not None:
            raise away
        return None

    def explain_missing(self, identity: str) -> str:
        return (
            f"no part of the map {self.folder} has the key {identity}. "
            "Put it back into one, from a backup of it"
        )

    def put(self, identity: str, key: bytes) -> None:
        for ring in self._rings:
            ring().put(identity, key)

    def copy_to(self, other: Keyring) -> None:
        for ring in self._rings:
            ring().copy_to(other)

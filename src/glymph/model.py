"""The values Glymph speaks in: frozen, comparable, free of behaviour beyond reading themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from glymph.decay.sections import Section

Item = TypeVar("Item")

# Seldom None, as the class says when: a checker lets it be used as it is, as it does with the
# groups of a regular expression.
MaybeNone: TypeAlias = Any


class State(StrEnum):
    """The place where a memory is kept; it is stored, and changed only by an operation."""

    LIVE = "LIVE"
    ARCHIVED = "ARCHIVED"
    TRASHED = "TRASHED"


class Lifecycle(StrEnum):
    """The presence of a memory at the moment of asking; it is computed, never stored."""

    ACTIVE = "ACTIVE"
    WEAK = "WEAK"
    DORMANT = "DORMANT"


class Outcome(StrEnum):
    """The report of a caller about a recalled memory."""

    USED = "used"
    CONFIRMED = "confirmed"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True)
class Review:
    """The latest reported use that moved stability, with the figures from before it.

    Within 24 hours a better outcome replaces the rating: the rule is then applied anew to these
    figures.
    """

    at: datetime
    rating: int
    stability: float
    difficulty: float
    since: datetime


@dataclass(frozen=True, slots=True)
class Memory:
    """One remembered thing, as it stood at the moment of asking."""

    id: str
    space: str
    kind: str
    section: Section
    title: str
    text: str
    state: State
    state_at: datetime
    state_by: str
    pinned: bool
    protected: bool
    superseded_by: str | None
    salience: float
    trust: float
    source: str | None
    session: str | None
    tags: tuple[str, ...]
    entities: tuple[str, ...]
    attributes: Mapping[str, Any]
    event_at: datetime | None
    expires_at: datetime | None
    created_at: datetime
    updated_at: datetime
    last_used_at: datetime | None
    access_count: int
    stability: float
    difficulty: float
    review: Review | None
    content_hash: str
    version: int
    retrievability: float
    lifecycle: Lifecycle
    # Of a memory at a moment of the past: single uses around then are folded into one, so that the
    # figures of use may leave some out.
    uses_folded: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    source: str
    target: str
    type: str
    weight: float
    created_at: datetime
    last_used_at: datetime | None

    @property
    def id(self) -> str:
        return f"{self.source}:{self.type}:{self.target}"


@dataclass(frozen=True, slots=True)
class Space:
    name: str
    created_at: datetime
    identity_id: str  # the protected `self` memory born with the space


@dataclass(frozen=True, slots=True)
class Cluster:
    """A named set of memories, kept by hand or by a rule on kind and tag."""

    id: str
    name: str
    rule: Mapping[str, str] | None
    created_at: datetime
    members: tuple[str, ...]
    active: int
    weak: int
    dormant: int


@dataclass(frozen=True, slots=True)
class Named:
    """A memory by its id and title."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One change of any size: who, why, when, what."""

    id: str
    space: str
    actor: str
    verb: str
    reason: str | None
    session: str | None
    at: datetime
    parent: str | None
    undoes: str | None
    undone_by: str | None
    changes: int
    edits: int
    undoable: bool
    hash: str
    details: Mapping[str, Any]
    touched: tuple[Named, ...] = ()  # the first memories it touched, in lists
    links: int = 0  # that it made, changed or dropped, in lists


@dataclass(frozen=True, slots=True)
class Touched:
    """A memory that an operation touched, and its state before and after.

    `before` is None of one that it made, `after` of one that is gone.
    """

    id: str
    title: str
    before: str | None
    after: str | None
    changed: tuple[str, ...]  # columns, besides the bookkeeping


@dataclass(frozen=True, slots=True)
class Audit:
    """An operation with what it touched: `total` memories, the first of them by name."""

    operation: Operation
    memories: tuple[Touched, ...]
    total: int
    links_made: int
    links_changed: int
    links_dropped: int


@dataclass(frozen=True, slots=True)
class Change:
    """One journal row: what one operation did to one row, with the values from before."""

    operation: str
    verb: str
    actor: str
    reason: str | None
    at: datetime
    table: str
    action: str
    before: Mapping[str, Any]
    folded: int = 0  # earlier changes that are not told apart any more, this one standing for them


@dataclass(frozen=True, slots=True)
class Refusal:
    """An id that was not acted on, and why."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """The account of what one operation did; its `operation_id` is the way back."""

    operation_id: str
    verb: str
    succeeded: tuple[str, ...] = ()
    skipped: tuple[Refusal, ...] = ()
    failed: tuple[Refusal, ...] = ()
    recoverable_until: datetime | None = None
    hash: str = ""
    cascaded: tuple[str, ...] = ()  # what went along because it only existed through those
    titles: Mapping[str, str] = field(default_factory=dict, compare=False)  # of the first ids


@dataclass(frozen=True, slots=True)
class Trashed:
    """A memory in the trash, and until when it can come back."""

    id: str
    title: str
    kind: str
    by: str  # the verb that put it there
    recoverable_until: datetime
    expired: bool  # whether that time is over and nothing keeps it, such as a pin


@dataclass(frozen=True, slots=True)
class Added:
    """The outcome of one `add`, and why.

    `id` is None where it was refused. `superseded` are the older memories that it seems to update:
    they are still found, below it. It repeats another (`duplicate_of`) only where the words are the
    same.
    """

    id: str | MaybeNone
    duplicate_of: str | None = None
    connected_to: tuple[str, ...] = ()
    superseded: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    refused: str | None = None
    operation_id: str | None = None
    why: tuple[str, ...] = ()

    @property
    def created(self) -> bool:
        return self.id is not None and self.duplicate_of is None

    @property
    def conflicts(self) -> tuple[str, ...]:
        """What `questions` was called before."""
        return self.questions


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory found, with the parts of its score and why it was found."""

    memory: Memory
    score: float
    parts: Mapping[str, float]
    why: str
    # Newer memories, shown above it, that seem to put it or a part of it out of date.
    maybe_outdated_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recall:
    """The hits of one recall. `id` is None if the store is read-only and nothing was logged."""

    id: str | MaybeNone
    query: str
    hits: tuple[Hit, ...]
    notice: str | None = None

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, index: int) -> Hit:
        return self.hits[index]


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """One page of a listing; pass `cursor` to get the next one, None at the end."""

    items: tuple[Item, ...]
    cursor: str | None

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> Item:
        return self.items[index]


@dataclass(frozen=True, slots=True)
class Graph:
    """Every memory and link of a space at once, as plain data."""

    nodes: tuple[Mapping[str, Any], ...]
    edges: tuple[Mapping[str, Any], ...]
    clusters: tuple[Mapping[str, Any], ...]
    memberships: tuple[Mapping[str, Any], ...]
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Health:
    """The state of a space; `live` counts ACTIVE and WEAK, archived and trashed stand apart."""

    space: str
    live: int
    active: int
    weak: int
    dormant: int
    archived: int
    trashed: int
    pinned: int
    superseded: int
    edges: int
    by_section: Mapping[str, int]
    by_kind: Mapping[str, int]
    operations: int
    last_operation_at: datetime | None


@dataclass(frozen=True, slots=True)
class MeaningStatus:
    """The embedder of a handle, or why it has none, and how far the vectors of its space are."""

    embedder: str | None  # its name; None without one
    dimension: int | None
    waiting: int  # live memories that have no vector of it yet
    # Other models in the space, each with the number of its vectors.
    others: tuple[tuple[str, int], ...] = ()
    absence: str = ""  # why there is no embedder, where that was not asked for
    failure: str = ""  # what the embedder said when it was last needed and failed


@dataclass(frozen=True, slots=True)
class Tombstone:
    """A record that something was removed for good on request; it does not tell what."""

    number: int
    created_at: datetime
    operation: str | None  # the id of the one that removed it


@dataclass(frozen=True, slots=True)
class DuplicatePair:
    """Two memories that say the same, or nearly so, and why they are held for it."""

    a: str
    b: str
    titles: tuple[str, str]
    cosine: float
    verdict: Literal["duplicate", "connect"]  # a duplicate may be merged, what is near only linked
    reason: str


@dataclass(frozen=True, slots=True)
class DuplicateReport:
    """The pairs a sweep for duplicates found, the nearest first, and how many it linked."""

    pairs: tuple[DuplicatePair, ...]
    examined: int  # memories that were compared
    linked: int = 0
    operation_id: str | None = None

    @property
    def duplicates(self) -> tuple[DuplicatePair, ...]:
        return tuple(pair for pair in self.pairs if pair.verdict == "duplicate")

    @property
    def near(self) -> tuple[DuplicatePair, ...]:
        return tuple(pair for pair in self.pairs if pair.verdict == "connect")


@dataclass(frozen=True, slots=True)
class Question:
    """A doubt about two memories: what is asked, what each answer does, and who may answer.

    Until it is answered both stay, the newer above the older; when it expires, too.
    """

    id: str
    kind: str
    asks: str
    older: str
    newer: str
    older_text: str
    newer_text: str
    older_at: datetime
    newer_at: datetime
    reason: str
    choices: Mapping[str, str]
    may_answer: tuple[str, ...]
    raised_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing `verify` found wrong."""

    check: str
    detail: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The things `verify` looked at and what it found wrong."""

    checks: tuple[str, ...]
    problems: tuple[Problem, ...] = field(default=())

    @property
    def ok(self) -> bool:
        return not self.problems

    def __bool__(self) -> bool:
        return self.ok

"""Reading one space: a consistent view of its rows and nothing of any other space."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from glymph.decay.lifecycle import DEFAULT_CURVES, Curve, Curves, Span
from glymph.decay.sections import KINDS, Section
from glymph.moments import EVER, MICROS_PER_DAY, day_in_words
from glymph.store.chunks import ChunkReader
from glymph.store.contract import Filter, Row, Scored, Session, SpaceKey, TextIndex
from glymph.store.conversations import ConversationReader
from glymph.store.cursors import Cursors
from glymph.store.erase_places import ErasureReader
from glymph.store.filters import write_condition
from glymph.store.journal_reader import JournalReader
from glymph.store.statements import MEMORY_COLUMNS
from glymph.store.upkeep import UpkeepReader
from glymph.store.vector_reader import VectorReader
from glymph.text.query import Words

Dependence = tuple[int, int]  # a memory that rests on, or is part of, another; and that other
LinkRow = tuple[int, int, str, float, int, int | None]


class StageCounts(NamedTuple):
    """How many memories are live, and how many of these are ACTIVE, or ACTIVE or WEAK."""

    live: int
    active: int
    awake: int


_COLUMNS = ", ".join(f"m.{column}" for column in MEMORY_COLUMNS)
REMEMBERED = 500  # memories whose links are kept for the next who asks
_TEXTS = ("text", "title", "tags", "entities")


class Reader(
    ChunkReader, ConversationReader, ErasureReader, JournalReader, UpkeepReader, VectorReader
):
    """Memories, links, clusters and what else a space holds, over a session."""

    def __init__(self, session: Session, space: str, space_id: SpaceKey) -> None:
        super().__init__(session, space, space_id)
        self._curves: Curves | None = None
        self._linked: set[int] = set()  # memories whose links were read
        self._links: dict[tuple[int, int, str], LinkRow] = {}

    @property
    def _sees_one_moment(self) -> bool:
        """Tells whether rows cannot change between two statements."""
        return True

    # memories

    def memory(self, memory_id: str) -> Row | None:
        return self._one("memory_by_id", id=memory_id)

    def memories(self, ids: Iterable[str]) -> dict[str, Row]:
        return {row["id"]: row for row in self._rows("memories_by_ids", ids=list(ids))}

    def titles(self, ids: Sequence[str]) -> dict[str, str]:
        """Returns the titles of these memories by id."""
        return dict(self._tuples("titles", ids=list(ids))) if ids else {}

    def ids_from(self, kind: str, prefix: str, *, limit: int) -> list[tuple[str, str]]:
        """Returns the first ids that begin with a prefix, each with a word or two about it.

        `kind` is memory, operation, recall, question or plan.
        """
        upto = prefix + chr(0x7F)
        found = self._tuples(f"{kind}_ids_from", prefix=prefix, upto=upto, limit=limit)
        return [(one, str(about)) for one, about in found]

    def ids_beside(self, kind: str, ids: Sequence[str]) -> dict[str, tuple[str, str]]:
        """Returns the ids before and behind each of those that exist; empty texts at the ends."""
        found = self._tuples(f"{kind}_ids_beside", ids=list(ids)) if ids else []
        return {one: (before or "", behind or "") for one, before, behind in found}

    def standing_of(self, ids: Iterable[str]) -> dict[str, Row]:
        """Returns key, state, pin and protection of these memories, and no more."""
        return {row["id"]: row for row in self._rows("standing_of_ids", ids=list(ids))}

    def page(self, wanted: Filter, *, before: int | None, limit: int) -> list[Row]:
        """Returns memories that pass a filter, newest first, those with keys below `before`."""
        condition, parameters = write_condition(wanted)
        if before is not None:
            condition += " AND m.key < :before"
            parameters["before"] = before
        sql = (
            f"SELECT {_COLUMNS} FROM scoped_memories m WHERE {condition} "
            "ORDER BY m.key DESC LIMIT :limit"
        )
        return self._session.rows(sql, parameters | {"limit": limit})

    def page_after(self, wanted: Filter, *, after: int, limit: int) -> list[Row]:
        """Returns memories that pass a filter, oldest first, those with keys beyond `after`."""
        condition, parameters = write_condition(wanted)
        sql = (
            f"SELECT {_COLUMNS} FROM scoped_memories m WHERE {condition} AND m.key > :after "
            "ORDER BY m.key LIMIT :limit"
        )
        return self._session.rows(sql, parameters | {"after": after, "limit": limit})

    def cursors(self) -> Cursors:
        """Returns what writes and reads the cursors of listings of this space."""
        return Cursors(bytes.fromhex(self._value("cursor_key")), self.space)

    def highest_key(self) -> int:
        """Returns an upper bound of the keys of memories; those of later ones lie above it."""
        return self._session.newest_key("memories")

    def by_key(self, keys: Iterable[int], wanted: Filter) -> dict[int, Row]:
        """Returns those of these memories that pass a filter."""
        condition, parameters = write_condition(wanted)
        among = "m.key IN {keys:keys}"
        sql = f"SELECT {_COLUMNS} FROM scoped_memories m WHERE {among} AND {condition}"
        rows = self._session.rows(sql, parameters | {"keys": list(keys)})
        return {row["key"]: row for row in rows}

    @property
    def text_index(self) -> TextIndex | None:
        """Where words stand, for a mirror to weigh; None if the store weighs them itself."""
        return self._session.text_index

    def match(self, words: Words, wanted: Filter, *, limit: int) -> Scored:
        """Returns keys of memories whose text holds any of the words, best first.

        The score grows with the match.
        """
        if not words.words:
            return []
        condition, parameters = write_condition(wanted)
        return self._session.match(words, condition, parameters, limit)

    def hold(self, phrases: Sequence[str], wanted: Filter, *, limit: int) -> list[int]:
        """Returns keys of the oldest memories whose text holds any of the phrases."""
        condition, parameters = write_condition(wanted)
        return self._session.hold(phrases, condition, parameters, limit) if phrases else []

    def match_among(self, rows: Iterable[Row], words: Words, *, limit: int) -> Scored:
        """Does the same among the given rows, in an index of their own.

        They need not be what is stored now.
        """
        if not words.words:
            return []
        dated = ({**row, "day": day_in_words(row["event_at"])} for row in rows)
        return self._session.match_among(dated, words, limit)

    def match_pieces(
        self, pieces: Sequence[str], wanted: Filter, *, limit: int, fields: Sequence[str] = _TEXTS
    ) -> Scored:
        """Returns keys of memories of which a field holds some of the pieces anywhere.

        The score is the share of them it holds.
        """
        condition, parameters = write_condition(wanted)
        names = [f"piece{i}" for i in range(len(pieces))]
        one = "CASE WHEN {} THEN 1 ELSE 0 END"
        held = " + ".join(
            one.format(" OR ".join(f"{{at:m.{field}::{name}}} > 0" for field in fields))
            for name in names
        )
        sql = (
            f"SELECT key, held FROM (SELECT m.key, {held} AS held FROM scoped_memories m "
            f"WHERE {condition}) h WHERE held > 0 ORDER BY held DESC, key DESC LIMIT :limit"
        )
        parameters |= dict(zip(names, pieces, strict=True)) | {"limit": limit}
        return [(key, held / len(pieces)) for key, held in self._session.tuples(sql, parameters)]

    def frequency(self, word: str, *, most: float = 1.0) -> float:
        """Returns about which part of the space's texts holds a word.

        Counts no further than to tell that it is more than `most`.
        """
        return self._session.frequency(word, most=most)

    def knows_any(self, hashes: Iterable[str]) -> bool:
        """Tells whether a memory of one of these content hashes is live, expired ones included."""
        return bool(self._value("any_live_by_hash", hashes=list(hashes)))

    def by_content(self, hashes: Iterable[str], *, live_at: int | None = None) -> dict[str, Row]:
        """Returns the oldest live memory of each content hash.

        `live_at` leaves out what has expired by then.
        """
        found = self._rows("oldest_live_by_hash", hashes=list(hashes), live_at=live_at)
        return {row["content_hash"]: row for row in found}

    def memories_by_hash(self, hash: str) -> list[Row]:
        """Returns memories of a content, in whatever state, oldest first."""
        return self._rows("memories_by_hash", hash=hash)

    def removed_key(self, memory_id: str) -> int | None:
        """Returns the key of a memory that was removed, as long as the journal remembers it."""
        return self.removed_keys([memory_id]).get(memory_id)

    def removed_keys(self, ids: Iterable[str]) -> dict[str, int]:
        """Returns the keys, by id, of memories that were removed, as far as the journal goes."""
        asked = list(ids)
        return dict(self._tuples("keys_of_removed", ids=asked)) if asked else {}

    def pinned_among(self, keys: Sequence[int]) -> dict[int, str]:
        """Returns the ids, by key, of those of these memories that are pinned."""
        found = self.rows([("memories", key) for key in keys])
        return {key: row["id"] for (_, key), row in found.items() if row["pinned"]}

    def pinned_by(self, key: int) -> str | None:
        """Returns who pinned a memory last; None if the journal does not reach back so far."""
        entries = self.entries_after([("memories", key)], 0)
        pins = [one for one in entries if one.action == "insert" or one.image.get("pinned") == 0]
        found = self.operation_by_key(pins[-1].operation) if pins else None
        return None if found is None else str(found["actor"])

    def from_source(self, source: str) -> list[int]:
        """Returns the keys of the memories that a source told."""
        return self._column("from_source", source=source)

    def identity(self) -> Row:
        return self._rows("identity")[0]

    def kinds(self) -> list[str]:
        return self._column("kinds_in_use")

    def count_stages(self, *, now: int, spans: Mapping[Section, Span]) -> StageCounts:
        """Returns how many memories are live, how many of them ACTIVE, and how many at least WEAK.

        `spans` are those of `lifecycle.spans`.
        """
        lasts = {
            f"{stage}_{section.lower()}": getattr(span, stage) * MICROS_PER_DAY
            for section, span in spans.items()
            for stage in ("active", "awake")
        }
        lasting = [kind for kind, profile in KINDS.items() if not profile.decays]
        return StageCounts(*self._tuples("count_stages", now=now, lasting=lasting, **lasts)[0])

    def created_per(self, span: int, *, since: int) -> dict[int, int]:
        """Returns how many memories came in each span of so many microseconds since a moment."""
        return dict(self._tuples("created_per_span", span=span, since=since))

    def put_away_per(self, span: int) -> list[Row]:
        """Returns how many memories were put away in each span of so many microseconds."""
        return self._rows("put_away_per_span", span=span)

    def live_count(self, most: int = 2**62) -> int:
        """Returns how many memories are live, the identity apart, counting no further than most."""
        return int(self._value("live_count", most=most))

    def put_away_by(self, actor: str, since: int, *, upto: int = EVER) -> int:
        """Returns how many memories an actor hid or removed between moments that are so still.

        Actors with a name below that one ("agent:x" below "agent") count with it.
        """
        return int(self._value("put_away_by", actor=actor, since=since, upto=upto))

    def put_away_in(self, operation: int, since: int) -> int:
        """Returns how many memories an operation hides or removes, or rewords if told before."""
        return int(self._value("put_away_in", operation=operation, since=since))

    def purged_by(self, actors: Iterable[str], since: int, *, upto: int = EVER) -> int:
        """Returns how many memories these actors removed for good between moments."""
        return int(self._value("purged_by", actors=sorted(actors), since=since, upto=upto))

    def trash_ends(self, stay: int, upto: int) -> list[tuple[int, int]]:
        """Returns the days (from 1970) up to a moment on which memories have been in the trash for
        their stay, in microseconds, each with how many.
        """
        found: list[Any] = self._tuples("trash_ends", stay=stay, upto=upto)
        return found

    def changed_by(self, verb: str, since: int, *, upto: int = EVER) -> int:
        """Returns how many memories operations of a verb moved to another state between moments.

        Those that an undo brought back do not count.
        """
        return int(self._value("changed_by", verb=verb, since=since, upto=upto))

    # links, clusters, pages

    def edges_touching(self, keys: Sequence[int]) -> list[LinkRow]:
        """Returns source, target, type, weight, creation and last use of their links."""
        wanted = set(keys)
        if wanted <= self._linked:
            return [row for row in self._links.values() if row[0] in wanted or row[1] in wanted]
        found: list[Any] = self._tuples("edges_touching", keys=list(keys))
        if self._sees_one_moment and len(wanted) <= REMEMBERED:
            self._linked |= wanted
            self._links |= {row[:3]: row for row in found}
        return found

    def edges(self, *, of: str | None = None, states: Sequence[str] = ("LIVE",)) -> list[Row]:
        if of is None:
            return self._rows("edges_between_states", states=list(states))
        return self._rows("edges_of_memory", id=of, states=list(states))

    def edge(self, source: int, target: int, edge_type: str) -> Row | None:
        return self._one("edge_between", source=source, target=target, type=edge_type)

    def edge_of(self, source: str, target: str, edge_type: str) -> Row | None:
        """Returns the link of a type from one memory to another, given by their ids."""
        return self._one("edge_between_ids", source=source, target=target, type=edge_type)

    def does_any_rest_on(self, ids: Iterable[str], types: Sequence[str]) -> bool:
        """Tells whether a link of these types leads to one of these memories."""
        return bool(self._value("any_rests_on", ids=list(ids), types=list(types)))

    def resting_on(self, keys: Sequence[int], types: Sequence[str]) -> list[Dependence]:
        """Returns what depends on these memories by links of these types.

        For each such live memory, each live memory that it depends on.
        """
        found: list[Any] = self._tuples("resting_on", keys=list(keys), types=list(types))
        return found

    def clusters(self) -> list[Row]:
        return self._rows("clusters")

    def memberships(self) -> list[Row]:
        return self._rows("memberships")

    def members(self, cluster: int, *, of: Iterable[int] | None = None) -> list[Row]:
        """Returns the memberships of a cluster, or just those of the given memories."""
        if of is None:
            return self._rows("members_of_cluster", cluster=cluster)
        return self._rows("members_among", cluster=cluster, memories=list(of))

    def page_text(self, name: str) -> Row | None:
        return self._one("page_by_name", name=name)

    # recall log, curves, tombstones, questions, plans

    def recall(self, recall_id: str) -> Row | None:
        return self._one("recall_by_id", id=recall_id)

    def recalls(self, *, limit: int) -> list[Row]:
        return self._rows("recalls", limit=limit)

    def curves(self) -> Curves:
        """Returns how each section of the space fades: its own curve, or the adopted one."""
        if self._curves is None:
            adopted = self._tuples("curves")
            self._curves = {
                **DEFAULT_CURVES,
                **{Section(name): Curve(*figures) for name, *figures in adopted},
            }
        return self._curves

    def tombstones(self) -> list[Row]:
        return self._rows("tombstones")

    def has_tombstones(self) -> bool:
        return bool(self._value("has_tombstones"))

    def tombstones_with(self, fingerprints: Iterable[str]) -> list[Row]:
        """Returns the tombstones that have one of these fingerprints."""
        return self._rows("tombstones_with", fingerprints=list(fingerprints))

    def questions(self) -> list[Row]:
        """Returns the questions that nobody has answered, oldest first."""
        return self._rows("open_questions")

    def questions_of(self, newer: Iterable[str]) -> list[Row]:
        """Returns the questions in which one of these is the newer memory, answered or not."""
        return self._rows("questions_of", ids=list(newer))

    def question(self, question_id: str) -> Row | None:
        return self._one("question_by_id", id=question_id)

    def plan(self, plan_id: str) -> Row | None:
        return self._one("plan_by_id", id=plan_id)

    def plans(self, *, limit: int) -> list[Row]:
        """Returns plans, newest first."""
        return self._rows("plans", limit=limit)

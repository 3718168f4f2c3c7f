"""Conclusions: what a group of episodes teaches, verified or counted, and how that is kept."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from glymph.context import Context, OpenOperation
from glymph.learn import keep_lessons
from glymph.learn.conditions import GUARD, Condition, Finding, Relation, find_separating
from glymph.learn.consolidate_result import By, Ending, Learnt
from glymph.learn.episodes import Episode, Group, facts
from glymph.learn.evidence import verify
from glymph.learn.evidence.by_statements import Statements
from glymph.learn.evidence.tally import tally_episodes
from glymph.learn.known_lessons import (
    KINDS,
    Known,
    KnownLessons,
    hold_lessons,
    is_turned_round,
)
from glymph.learn.lesson import OUTCOME, Claim, Pattern, lesson, phrase
from glymph.learn.playbook import (
    DIRECTIONS,
    LEAST_OUTCOMES,
    LEAST_RATE,
    Playbook,
    otherwise,
    promote,
    promoted_from,
)
from glymph.learn.playbooks import as_attribute, list_ends, playbook_of
from glymph.model import State
from glymph.store import records
from glymph.store.contract import Row
from glymph.text.secrets import mask_secrets
from glymph.write.add import embed_drafts
from glymph.write.draft import Draft, draft
from glymph.write.replace import join, supersede
from glymph.write.tombstones import match_tombstones

MOST_FINDINGS = 3  # lessons that statistics may take from one group
OPPOSITE: Mapping[Relation, Relation] = {
    "=": "!=",
    "!=": "=",
    ">": "<=",
    ">=": "<",
    "<": ">=",
    "<=": ">",
}
READING = "Reading, not counted:"  # before what a model says that nothing bears out
Readings = Literal["mark", "refuse"]
AGREED = 0.8  # share of the episodes that must have done the same


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The lesson to be kept of a group, if any.

    `refused` says why there is none; `empty` says that there is no pattern.
    """

    by: By
    title: str = ""
    body: str = ""
    supporting: tuple[str, ...] = ()
    evidence: Mapping[str, Any] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()
    finding: Mapping[str, Any] | None = None  # what statistics found
    stated: Mapping[str, Any] | None = (
        None  # what a model's claims are of: conditions, outcome and rate
    )
    playbook: Playbook | None = None
    counted: tuple[str, ...] = ()  # the episodes whose ends the playbook's counts are
    refused: str | None = None
    empty: bool = False


def conclude(
    pattern: Pattern | None, group: Group, looked_at: Sequence[Episode],
    statements: Statements | None = None, readings: Readings = "mark",
) -> Conclusion:  # fmt: skip
    """A model's answer, every claim of it counted again over the episodes it was shown.

    `statements` are what its sentences state; what cannot be counted is marked as a reading, or
    refused.
    """
    if pattern is None:
        return Conclusion("model", empty=True)
    found = verify(pattern, looked_at, statements)
    own = [one for one in looked_at if one.id in set(found.supporting)]
    dropped = tuple(f"{one.text} ({one.why})" for one in found.dropped)
    read = found.readings if readings == "mark" else ()
    dropped += tuple(f"{one} (it cannot be counted)" for one in found.readings if one not in read)
    if found.refused is not None:
        return Conclusion("model", found.title, dropped=dropped, refused=found.refused)
    playbook = promote("", found, group.episodes)
    among = group.episodes if playbook is not None and playbook.conditions else own
    return Conclusion(
        "model", found.title, _mark_readings(found.body, read), found.supporting,
        _evidence(own, found.verdict), dropped,
        stated=_describe_claims(found.claims, looked_at), playbook=playbook,
        counted=() if playbook is None else _list_ended(among, playbook),
    )  # fmt: skip


def _mark_readings(body: str, readings: Sequence[str]) -> str:
    """Returns a lesson's text with what was not counted behind a mark of its own."""
    return f"{body}\n\n{READING} {' '.join(readings)}" if readings else body


def _describe_claims(claims: Sequence[Claim], looked_at: Sequence[Episode]) -> dict[str, Any]:
    """Returns what claims are about, so that lessons can be told apart.

    That is their conditions, the end they count, and how often it came.
    """
    won = [
        one
        for one in claims
        if one.measure in ("successes", "success_rate", "higher") and one.of == OUTCOME
    ]
    lost = [one for one in claims if one.measure in ("failures", "lower") and one.of == OUTCOME]
    ends = [*won, *lost]
    where = {
        (one.name.casefold(), one.relation, one.value)
        for claim in ends or claims
        for one in claim.where
    }
    held = {
        one.id: one for claim in ends for one in tally_episodes(looked_at, claim.where).episodes
    }
    rate = tally_episodes(list(held.values())).rate
    return {
        "where": [list(one) for one in sorted(where, key=str)],
        "outcome": None if bool(won) == bool(lost) else "won" if won else "lost",
        "rate": None if rate is None else round(rate / 100, 4),
    }


def count_judged(group: Group) -> int:
    """Returns how many episodes of a group ended well or badly."""
    return sum(
        one.outcome is not None and one.outcome.success is not None for one in group.episodes
    )


def is_telling(group: Group) -> bool:
    """Returns whether so many ended that counting could find anything."""
    return count_judged(group) >= 2 * GUARD.least


def by_statistics(group: Group, looks: int = 1) -> list[Conclusion]:
    """Returns what counting alone finds in a group.

    It finds conditions that part success from failure, beyond chance. The chance of a false finding
    is shared by all groups that are looked at in a run. Episodes of one session are not independent
    of each other.
    """
    ended = [one for one in group.episodes if one.outcome is not None]
    units = [one.session or one.id for one in ended]
    alone = len(set(units)) == len(units)
    guard = replace(GUARD, alpha=GUARD.alpha / max(looks, 1))
    findings = find_separating(ended, guard=guard, units=None if alone else units)[:MOST_FINDINGS]
    if not findings:
        return [Conclusion("statistics", empty=True)]
    about = f"{group.label} " if ":" in group.key else ""
    return [_conclude_count(finding, ended, about) for finding in findings]


def _conclude_count(finding: Finding, ended: Sequence[Episode], about: str) -> Conclusion:
    finding = _to_follow(finding, ended)
    told = lesson(finding, ended)
    held = [one for one in ended if one.id in set(finding.episodes)]
    playbook = promoted_from(
        "", told.title, phrase(finding.condition), (finding.condition,), _direction(held),
        finding.successes, finding.n,
    )  # fmt: skip
    body = f"{about.strip()}: {told.body}" if about else told.body
    evidence = {**_evidence(held, "counted"), "p": finding.adjusted, "tried": finding.tried}
    condition = finding.condition
    stated = {
        "name": condition.name, "relation": condition.relation, "value": condition.value,
        "better": finding.rate > finding.other_rate,
    }  # fmt: skip
    return Conclusion(
        "statistics", told.title, body, finding.episodes, evidence, finding=stated,
        playbook=playbook, counted=finding.episodes,
    )  # fmt: skip


def _to_follow(finding: Finding, ended: Sequence[Episode]) -> Finding:
    """Returns the finding seen from its better side, if that went well often enough to be followed.

    Otherwise the finding stays as it is.
    """
    condition = finding.condition
    if finding.rate >= finding.other_rate or condition.relation not in OPPOSITE:
        return finding
    if finding.other_n < LEAST_OUTCOMES or finding.other_rate < LEAST_RATE:
        return finding
    other = Condition(condition.name, OPPOSITE[condition.relation], condition.value)
    held = tuple(one.id for one in ended if other.holds(one))
    if len(held) != finding.other_n:
        return finding  # some do not tell: the other side is not simply the rest
    return replace(
        finding, condition=other, successes=finding.other_successes, n=finding.other_n,
        other_successes=finding.successes, other_n=finding.n, episodes=held,
    )  # fmt: skip


def _list_ended(episodes: Sequence[Episode], playbook: Playbook) -> tuple[str, ...]:
    done = [one for one in episodes if not otherwise(one, playbook.direction)]
    held = tally_episodes(done, playbook.conditions).episodes
    return tuple(
        one.id for one in held if one.outcome is not None and one.outcome.success is not None
    )


def _direction(held: Sequence[Episode]) -> str | None:
    """Returns what was done in nearly all of them, by the attribute that says so."""
    for name in DIRECTIONS:
        values = Counter(str(value) for one in held if (value := facts(one).get(name)) is not None)
        for value, count in values.most_common(1):
            if count >= AGREED * len(held):
                return value
    return None


def _evidence(episodes: Sequence[Episode], verdict: str) -> dict[str, Any]:
    tally = tally_episodes(episodes)
    return {
        "episodes": len(episodes), "successes": tally.successes, "failures": tally.failures,
        "verdict": verdict,
    }  # fmt: skip


# keeping


@dataclass(slots=True)
class Keeper:
    """Keeps what is concluded, under one operation; the known lessons are compared with."""

    ctx: Context
    parent: Callable[[], int]
    known: Sequence[Row]  # lessons and playbooks
    lessons: KnownLessons | None = None

    def keep(
        self, group: Group, conclusion: Conclusion, mark: tuple[str, int] | None = None
    ) -> Learnt:
        """Stores a conclusion and says what became of it.

        It becomes a new lesson or playbook, or more evidence for one that is known. With what it
        stores, it sets the counter `mark`.
        """
        size = len(group.episodes)
        if conclusion.empty:
            return Learnt(group.label, size, "no pattern", conclusion.by)
        if conclusion.refused is not None:
            return self._refuse(group, conclusion, conclusion.refused)
        new = _draft(self.ctx, group, conclusion)
        with self.ctx.reading() as reader:
            if any(match_tombstones(self.ctx, reader, [new.title, new.text])):
                return self._refuse(group, conclusion, "it was removed for good")
            if self.lessons is None:
                self.lessons = hold_lessons(self.ctx, reader, self.known)
        meant = embed_drafts(self.ctx, [new])
        vector = meant.get(new.content_hash)
        known = self.lessons.find_near(new, vector, group.key)
        with self.ctx.operation("consolidate", reason=_reason(group), parent=self.parent()) as op:
            row, ending = _store_lesson(self.ctx, op, group, conclusion, new, meant, known)
            op.succeeded.append(row["id"])
            if mark is not None:
                op.writer.set_counter(*mark)
            before, row = row, op.row(row["id"])
        anew = ending != "strengthened" or before["text"] != row["text"]
        if row["kind"] in KINDS:
            self.lessons.put(row, vector if anew else None)
        if anew and (not meant or ending == "strengthened"):
            self.ctx.settle_soon([row["id"]])
        return Learnt(
            group.label, size, ending, conclusion.by, lesson=row["id"], title=row["title"],
            why=str(conclusion.evidence["verdict"]), dropped=conclusion.dropped,
        )  # fmt: skip

    def _refuse(self, group: Group, conclusion: Conclusion, why: str) -> Learnt:
        return Learnt(
            group.label, len(group.episodes), "refused", conclusion.by, title=conclusion.title,
            why=why, dropped=conclusion.dropped,
        )  # fmt: skip


def _store_lesson(
    ctx: Context, op: OpenOperation, group: Group, conclusion: Conclusion, new: Draft,
    meant: Mapping[str, bytes], known: Iterable[Known],
) -> tuple[Row, Ending]:  # fmt: skip
    """Stores a conclusion; returns the lesson that says it now, and what became of it.

    The lesson is the first of those known that still stands as it was read, or a new one.
    """
    supporting = set(conclusion.supporting)
    own = [one for one in group.episodes if one.id in supporting]
    said = op.writer.by_content([new.content_hash], live_at=op.now).get(new.content_hash)
    first = Known(op.row(said["id"]), True) if said is not None else _first(op, known)
    if (
        first is not None
        and first.same
        and (said is not None or not _is_written_by_hand(first.row, conclusion))
    ):
        counting = (playbook := playbook_of(first.row)) is not None and bool(playbook.conditions)
        if counting:  # one that has not ended is linked when it is counted
            own = [
                one for one in own if one.outcome is not None and one.outcome.success is not None
            ]
        anew = (
            None if counting else _attributes(group, conclusion).get("playbook")
        )  # else its counts go on
        keep_lessons.strengthen(
            op, first.row, own, anew, () if anew is None else conclusion.counted, new
        )
        return first.row, "strengthened"
    linked = [*conclusion.supporting, *conclusion.counted]
    close = None if first is None or first.refuted else first.row
    row = keep_lessons.create(ctx, op, new, meant, linked, close)
    if first is not None and first.refuted:
        _refute(op, first.row, row)
    return row, "created" if first is None else "connected"


def _refute(op: OpenOperation, old: Row, new: Row) -> None:
    """Lets a lesson take the place of one it refutes, or links the two as contradicting.

    They are linked where replacing the old one is not for us to do. A playbook counts on by itself:
    only what turned round takes its place.
    """
    mine, its = records.attributes(new), records.attributes(old)
    over = old["kind"] == "lesson" or "finding" in mine or is_turned_round(mine, its)
    if over and keep_lessons.is_untouched(old) and not old["pinned"] and not old["protected"]:
        supersede(op, old, new)
    else:
        join(op, new, old, "contradicts")


def _first(op: OpenOperation, known: Iterable[Known]) -> Known | None:
    """The nearest of the known ones that still stands as it was read."""
    for one in known:
        row = op.writer.memory(one.row["id"])
        if row is None or row["state"] != State.LIVE or row["superseded_by"] is not None:
            continue
        if row["content_hash"] == one.row["content_hash"]:
            return Known(row, one.same, one.refuted)
    return None


def _is_written_by_hand(row: Row, conclusion: Conclusion) -> bool:
    """Returns whether a lesson somebody wrote by hand would become a playbook.

    It must not become one.
    """
    return (
        conclusion.playbook is not None
        and row["source"] != keep_lessons.SOURCE
        and row["kind"] == "lesson"
    )


def _reason(group: Group) -> str:
    return f"{len(group.episodes)} episodes about {group.label}"[:2000]


def _draft(ctx: Context, group: Group, conclusion: Conclusion) -> Draft:
    supporting = set(conclusion.supporting)
    own = [one for one in group.episodes if one.id in supporting]
    way = group.key.partition(":")[0]
    new = draft(
        mask_secrets(conclusion.body)[0], ctx.settings, title=mask_secrets(conclusion.title)[0],
        kind="playbook" if conclusion.playbook is not None else "lesson",
        entities=[group.label] if way in ("symbol", "entity") else [],
        tags=[group.label] if way == "tag" else [],
        attributes=_attributes(group, conclusion), source=keep_lessons.SOURCE,
        trust=min(one.trust for one in own),
    )  # fmt: skip
    attributes = {
        **json.loads(new.attributes),
        "wrote": keep_lessons.sign_words(new.title, new.text),
    }
    return new._replace(attributes=json.dumps(attributes, ensure_ascii=False))


def _attributes(group: Group, conclusion: Conclusion) -> dict[str, Any]:
    """Returns what a lesson keeps of how it was found."""
    told: dict[str, Any] = {
        "group": group.key,
        "by": conclusion.by,
        "evidence": dict(conclusion.evidence),
    }
    if conclusion.finding is not None:
        told["finding"] = dict(conclusion.finding)
    if conclusion.stated is not None:
        told["stated"] = dict(conclusion.stated)
    if conclusion.playbook is not None:
        ended = set(conclusion.counted)
        still = [one for one in conclusion.supporting if one not in ended]
        ends = list_ends(one for one in group.episodes if one.id in ended)
        told["playbook"] = as_attribute(conclusion.playbook, still_open=still, ends=ends)
    return told

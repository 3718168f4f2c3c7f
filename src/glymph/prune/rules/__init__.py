"""The one table of prune rules: why a memory may go, one rule a file.

`analyze`, `candidates` and `lifecycle` select and explain by this table alone. Guards (pinned,
protected, young, much used, last evidence, caps) are no rules: they lie in `store.guards`, and no
rule gets past them.

A new rule is one new file here, with a `RULE`:

    from glymph.prune.rules import Facts, Flags, Rule, Thresholds

    def holds(facts: Facts, least: Thresholds) -> Flags:
        return facts.is_kind("reminder") & (facts.age_days >= 90)

    def explain(facts: Facts, at: int) -> str:
        return f"a reminder of {facts.age_days[at]:.0f} days ago"

    RULE = Rule("old_reminder", "staleness", 45, holds, explain)

A rule of another package is the same value, named by an entry point of the group `glymph.rules`:

    [project.entry-points."glymph.rules"]
    old_reminder = "my_package.old_reminder:RULE"

The rule has the name of its file, or of its entry point. Unless it says otherwise it selects and
explains everywhere: `candidates` lists a memory for which it holds, `lifecycle` takes it as the
second reason of one that has faded, and `analyze` adds it to the plan even where its group as a
whole is not stale.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from glymph.errors import BadExtension
from glymph.extensions import ExtensionPoint
from glymph.prune import staleness
from glymph.store.arrays import Flags as Flags
from glymph.store.arrays import Floats, Slots

Reason = Literal["staleness", "low_alignment", "redundancy", "orphan"]
REASONS: tuple[Reason, ...] = get_args(Reason)

Use = Literal["analyze", "candidates", "lifecycle"]
EVERYWHERE: frozenset[Use] = frozenset(get_args(Use))
NOWHERE: frozenset[Use] = frozenset()


@dataclass(frozen=True, slots=True)
class Facts:
    """Columns of facts, with one place for each memory. NaN is unknown."""

    retrievability: Floats
    age_days: Floats
    days_since_use: Floats  # since its creation, if it was never used
    access_count: Slots
    connections: Slots  # links
    expired: Flags
    superseded: Flags
    source: Flags  # in a section of episodes and signals, which lessons are made from
    kind: Slots  # places in `kinds`
    retention_days: Floats  # for which its kind is kept at most
    alignment: Floats  # with the nearest goal; NaN without goals, and in lifecycle
    passing: Floats  # how likely it is noise or was true for a while; where texts were read
    over: Flags  # it named a day to come, which is over, and is vital for nothing else; likewise
    redundancy: Floats  # the share of its text that another memory says; likewise
    repeats: NDArray[np.object_]  # the id of that other memory, or an empty text
    group_dormant: Floats  # the share of its group that is DORMANT
    group_size: Slots
    kinds: Sequence[str] = ()

    @classmethod
    def about(cls, count: int, *, kinds: Sequence[str] = (), **known: Any) -> Facts:
        """Returns the facts of so many memories; columns that are not given say nothing."""
        filled = {
            name: np.broadcast_to(np.asarray(value), count)
            for name, value in {**_NOTHING_KNOWN, **known}.items()
        }
        return cls(**filled, kinds=tuple(kinds))

    @property
    def count(self) -> int:
        return len(self.age_days)

    @property
    def dormant(self) -> Flags:
        """Marks the memories that are DORMANT."""
        return staleness.is_dormant(self.retrievability)

    def is_kind(self, *names: str) -> Flags:
        """Marks the memories of these kinds."""
        wanted = np.array([kind in names for kind in self.kinds] or [False])
        return np.asarray(wanted[self.kind])

    def at(self, places: Slots) -> Facts:
        """Returns the facts of some of the memories."""
        columns = (field.name for field in fields(self) if field.name != "kinds")
        return replace(self, **{name: getattr(self, name)[places] for name in columns})


_NOTHING_KNOWN: Mapping[str, Any] = {
    "retrievability": np.nan, "age_days": np.nan, "days_since_use": np.nan, "access_count": 0,
    "connections": 0, "expired": False, "superseded": False, "source": False, "kind": 0,
    "retention_days": np.inf, "alignment": np.nan, "passing": np.nan, "over": False,
    "redundancy": 0.0,
    "repeats": np.array("", dtype=object), "group_dormant": 0.0, "group_size": 1,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The values from which on a rule holds."""

    stale_days: float = 30.0
    alignment: float = 0.4


@dataclass(frozen=True, slots=True)
class Rule:
    """One reason why memories may go, judged for all of them at once."""

    name: str
    reason: Reason
    rank: int  # of several rules that hold, the lowest gives the reason
    holds: Callable[[Facts, Thresholds], Flags]  # for each memory
    explain: Callable[[Facts, int], str]  # a sentence about the memory at a place
    selects: frozenset[Use] = EVERYWHERE  # where it is enough for a memory to be listed
    explains: frozenset[Use] = EVERYWHERE  # where its sentence is given for what is listed
    of_group: bool = False  # it says the same of every member of a group


RULES: ExtensionPoint[Rule] = ExtensionPoint(
    "glymph.rules", Rule, package=__name__, attribute="RULE"
)


def rules() -> tuple[Rule, ...]:
    """Returns the table, the most telling rule first."""
    for name, rule in RULES.members.items():
        if rule.name != name:
            problem = f"its rule calls itself {rule.name!r}; give both one name"
            raise BadExtension(RULES.group, name, problem)
        if rule.reason not in REASONS:
            problem = f"{rule.reason!r} is no reason; use one of {', '.join(REASONS)}"
            raise BadExtension(RULES.group, name, problem)
    return tuple(sorted(RULES.members.values(), key=lambda rule: (rule.rank, rule.name)))


@dataclass(frozen=True, slots=True)
class Findings:
    """The rules of one use, the most telling first, and for which memories each of them holds."""

    use: Use
    facts: Facts
    rules: tuple[Rule, ...]
    masks: tuple[Flags, ...]

    def find_first(self) -> Slots:
        """Returns the place of the first rule that selects each memory; -1 where none does."""
        first = np.full(self.facts.count, -1)
        for at in reversed(range(len(self.rules))):
            if self.use in self.rules[at].selects:
                first[self.masks[at]] = at
        return first

    def explain(self, at: int) -> list[tuple[Rule, str]]:
        """Returns the rules that hold for one memory, each with its sentence."""
        return [
            (rule, rule.explain(self.facts, at))
            for rule, mask in zip(self.rules, self.masks, strict=True)
            if mask[at] and self.use in rule.explains
        ]


def apply_rules(facts: Facts, use: Use, thresholds: Thresholds | None = None) -> Findings:
    """Judges memories by every rule that serves a use."""
    least = thresholds or Thresholds()
    serving = tuple(rule for rule in rules() if use in rule.selects | rule.explains)
    masks = tuple(np.asarray(rule.holds(facts, least), dtype=np.bool_) for rule in serving)
    return Findings(use, facts, serving, masks)

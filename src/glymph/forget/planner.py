"""The planner, which makes a plan of a request before anything happens.

    candidates   memories that may be meant (`lookup`)
    verdicts     how likely each is meant, and what of it: by rules, the reader, a language model
    policy       what is done: what can be undone acts on the best evidence, a purge on certainty,
                 and nothing that may be meant stays unmentioned

The plan says what goes, what is reworded, and what somebody must decide.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from typing import Literal

from glymph.forget.by_rules import SHORT, Meant, find_meant
from glymph.forget.left import find_left
from glymph.forget.match import Sought, Statement, Unit, score, units
from glymph.forget.names import LEAST_ALIKE, begin_alike
from glymph.forget.recognise import recognise
from glymph.forget.request import Request, read_request
from glymph.forget.rest import cut_identifiers
from glymph.forget.verdicts import (
    ALONE,
    IN_DOUBT,
    NAMED,
    Told,
    Verdict,
    add_reading,
    judge_by_reader,
    judge_by_rules,
    names_another,
    says_otherwise,
    take_models_word,
)
from glymph.reader.contract import Target
from glymph.text.identifiers.codenames import is_unmistakable
from glymph.text.normal import normalise
from glymph.text.scripts import fold
from glymph.text.words import NAME_WORD

UNSAFE = (
    "it is not certain what would be left of it; reword it by hand, or name its id to remove all "
    "of it"
)
Kind = Literal["remove", "rewrite", "refuse", "ask"]
Mode = Literal["release", "purge"]
Decide = Callable[[Sequence["Action"]], Collection[str]]
Read = Callable[[Sequence[Statement]], Sequence[Target]]
Ask = Callable[[Sequence[Statement]], Mapping[str, Told]]

MOST_READ = 60  # statements that the reader reads for one request
MOST_ASKED = 60  # statements that a plan asks about; it says how many more there are
# From which share on something is done where rules hold it to be meant as well; for the reader
# alone it is ALONE. Of 255 requests that it had not learnt from, it would have taken something that
# had to stay in 2.7 of a hundred at these, and 89 would have been right; at 0.8 it is 3.9 and 89.
AGREED: Mapping[Mode, float] = {"release": 0.4, "purge": 0.6}
# Where nothing is certain, what leads by so many times the next one's share goes, if it can be
# undone: a request nearly always means something.
LEAD, LEAD_TIMES = 0.3, 2.0
FAINT, FAINT_TIMES = 0.15, 8.0
MENTION = 0.02  # from which share on somebody is asked
SAID = 0.7  # of the words of a request, where one statement alone says them and the name
CONFIRMED = 0.5  # the share that a topic must have when it is read a second time, as a sentence


@dataclass(frozen=True, slots=True)
class Action:
    """One step of a plan: what it does with a memory, and why.

    `ask` does nothing until somebody decides.
    """

    kind: Kind
    id: str
    old: str
    new: str = ""
    reason: str = ""
    confidence: float = 1.0
    version: int = 0
    by: str = "rules"  # who decided: rules, reader, model, or hook


@dataclass(frozen=True, slots=True)
class Planned:
    """The plan that a request comes to."""

    actions: tuple[Action, ...] = ()
    why: str = ""  # why there is nothing to do, or nothing certain

    def of(self, *kinds: Kind) -> tuple[Action, ...]:
        return tuple(action for action in self.actions if action.kind in kinds)


@dataclass(frozen=True, slots=True)
class Judges:
    """Who is asked beside the rules: a reader and a language model, where there are any."""

    read: Read | None = None
    reader: str = ""
    ask: Ask | None = None
    again: Read | None = None  # reads a topic, "flight to Paris", as a sentence
    problems: list[str] = field(default_factory=list)  # why one of them could not be asked


def plan(
    request: str,
    statements: Sequence[Statement],
    *,
    mode: Mode = "release",
    likeness: Mapping[str, float] | None = None,
    judges: Judges | None = None,
    decide: Decide | None = None,
) -> Planned:
    """The plan for a request among these statements. The same input gives the same plan."""
    statements = sorted(statements, key=lambda statement: statement.id)
    if named := [one for one in statements if one.id == request.strip()]:
        return Planned(tuple(_remove_named(one) for one in named))
    among = units(statements)
    known = (each for unit in among for each in unit.identifiers)
    asked = recognise(read_request(request), known)
    meaning = find_meant(asked, among, likeness=likeness or {})
    judges = judges or Judges()
    verdicts = judge(asked, meaning, statements, likeness or {}, judges)
    acting: list[Verdict] = []
    if not names_a_stranger(asked, meaning):
        acting = [one for one in verdicts if is_certain(one, mode)]
        if mode == "purge":
            acting = [one for one in acting if not says_otherwise(one, asked)]
            if names_unmentioned(meaning.wanted, statements):
                acting = [one for one in acting if not _is_only_read(one)]
        elif not acting and mode == "release":
            same = [one for one in verdicts if not names_another(one, asked)]
            acting = find_lead(same) or find_agreed(same, meaning.wanted)
    actions = [_act(one, meaning, asked, mode) for one in acting]
    taken = {one.statement.id for one in acting}
    open_ones = [
        one for one in verdicts if one.statement.id not in taken and is_worth_asking_about(one)
    ]
    open_ones.sort(key=lambda one: (-one.share, one.statement.id))
    asking = [_question(one) for one in open_ones[:MOST_ASKED]]
    unnamed = len(open_ones) - len(asking)
    if decide and asking:
        chosen = set(decide(asking))
        decided = [one for one in open_ones if one.statement.id in chosen]
        actions += [
            replace(_act(one, meaning, asked, mode), reason="decided by the hook", by="hook")
            for one in decided
        ]
        asking = [action for action in asking if action.id not in chosen]
    why = [] if actions else [meaning.why or "nothing here is meant by it"]
    if unnamed > 0:
        why.append(f"{unnamed:,} more may be meant; say more exactly what is, to see them")
    return Planned((*actions, *asking), "; ".join(why))


def names_a_stranger(asked: Request, meaning: Meant) -> bool:
    """Tells whether a request is a full name and no more, of which nothing here has a word.

    A reader takes whoever is there for the one who is meant: somebody is asked. In a script without
    capitals nothing says what is a name.
    """
    wanted = meaning.wanted
    if asked.words or asked.figures or asked.identifiers or wanted.names:
        return False
    unknown = set(wanted.unknown)
    return any(
        len(run) > 1 and unknown.issuperset(run) and all(word[0].isupper() for word in run)
        for run in asked.names
    )


def names_unmentioned(wanted: Sought, statements: Sequence[Statement]) -> bool:
    """Tells whether a request names somebody or something, and no statement mentions any of it.

    In a script without capitals nothing says what is a name. A word that begins like one of a
    statement may be another form of it. Where one name is mentioned, others may stand in a reason.
    """
    if any(name[0][0].isupper() for known in wanted.names for name in known):
        return False
    unknown = [word for word in wanted.unknown if word[0].isupper()]
    heads = {fold(word)[:LEAST_ALIKE] for word in unknown}
    said = {
        word
        for one in statements
        for word in NAME_WORD.findall(one.text)
        if fold(word)[:LEAST_ALIKE] in heads
    }
    return bool(unknown) and not any(begin_alike(word, other) for word in unknown for other in said)


def is_certain(one: Verdict, mode: Mode) -> bool:
    """Tells whether something is done about a statement without asking."""
    if one.by == "reader" and one.ruled != "found":
        return one.share >= ALONE
    return one.share >= AGREED[mode] and (one.by == "model" or one.ruled == "found")


def find_lead(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Returns the one statement that is far likelier meant than any other, if there is one."""
    order = sorted((one for one in verdicts if one.by == "reader"), key=lambda one: -one.share)
    if len(order) < 2:
        return []
    first, next_ = order[0].share, order[1].share
    leads = first >= max(LEAD, LEAD_TIMES * next_) or first >= max(FAINT, FAINT_TIMES * next_)
    return order[:1] if leads else []


def find_agreed(
    verdicts: Sequence[Verdict], wanted: Sought, *, least: float = SAID
) -> list[Verdict]:
    """Returns the one statement that says whom and what a request names, if no other is likelier.

    A reader makes little of a topic, "flight to Paris". What can be undone acts on the words then.
    It must say at least so much of the words.
    """
    found = [one for one in verdicts if one.ruled == "found"]
    if len(found) != 1 or not (wanted.names and wanted.words):
        return []
    (one,) = found
    if any(other.share >= max(one.share, NAMED) for other in verdicts if other is not one):
        return []
    return found if max(score(unit, wanted) for unit in one.units) >= least else []


def is_worth_asking_about(one: Verdict) -> bool:
    """Tells whether a statement may be meant, so that somebody should know of it."""
    return one.share >= MENTION or (one.ruled != "none" and one.by != "model")


def judge(
    asked: Request, meaning: Meant, statements: Sequence[Statement],
    likeness: Mapping[str, float], judges: Judges,
) -> list[Verdict]:  # fmt: skip
    """Returns how likely each statement is meant.

    An identifier that is all a request says settles it by itself, and so does a statement that is
    quoted word for word.
    """
    if asked.empty or is_quoted(asked, meaning):
        return judge_by_rules(meaning)
    if is_settled(asked, meaning):
        return mark_parts(judge_by_rules(meaning), judges)
    chosen = choose_to_read(meaning, statements, likeness)
    verdicts = judge_by_rules(meaning)
    if judges.read and chosen:
        read = list(zip(chosen, judges.read(chosen), strict=True))
        if all(target.shares for _, target in read):
            trusted = find_trust(asked, meaning)
            verdicts = judge_by_reader(meaning, read, judges.reader, trusted=trusted)
            verdicts = [doubt_another(one, asked) for one in verdicts]
            verdicts = confirm(verdicts, chosen, judges)
    if judges.ask and chosen:
        judged = {one.statement.id for one in verdicts}
        unread = [Verdict(one, 0.0, "rules", "") for one in chosen if one.id not in judged]
        verdicts = take_models_word([*verdicts, *unread], judges.ask(chosen))
    return verdicts


def mark_parts(verdicts: Sequence[Verdict], judges: Judges) -> list[Verdict]:
    """Lets the reader mark what is meant of statements that rules found, where it is a part."""
    if judges.read is None or not verdicts or len(verdicts) > MOST_READ:
        return list(verdicts)
    read = judges.read([one.statement for one in verdicts])
    return [add_reading(one, target) for one, target in zip(verdicts, read, strict=True)]


def is_settled(asked: Request, meaning: Meant) -> bool:
    """Tells whether a request says no more than an identifier, and rules found that."""
    sure = all(each.type != "name" or is_unmistakable(each.text) for each in asked.strong)
    found = bool(asked.strong and meaning.found)
    return found and sure and not asked.says_more


def find_trust(asked: Request, meaning: Meant) -> float | None:
    """Returns the share from which on rules are trusted with what they found; none: never.

    An identifier is exact, unless it is so short that other things carry it: room 12, class 5a.
    """
    if asked.strong:
        return 0.0 if all(len(each.key) > SHORT for each in asked.strong) else None
    return NAMED if meaning.named and not asked.words else None


def doubt_another(one: Verdict, asked: Request) -> Verdict:
    """Lowers what the reader says of a statement about another identifier of the same type."""
    return replace(one, share=min(one.share, IN_DOUBT)) if names_another(one, asked) else one


def confirm(
    verdicts: Sequence[Verdict], chosen: Sequence[Statement], judges: Judges
) -> list[Verdict]:
    """Reads a topic a second time, as a sentence, where the reader alone would act upon it.

    Where it takes back what it said, both readings count alike.
    """
    if judges.again is None or not any(_is_only_read(one) for one in verdicts):
        return list(verdicts)
    read = zip(chosen, judges.again(chosen), strict=True)
    second = {one.id: 1 - target.shares[0] for one, target in read}
    return [
        replace(one, share=sqrt(one.share * second[one.statement.id]))
        if _is_only_read(one) and second[one.statement.id] < CONFIRMED
        else one
        for one in verdicts
    ]


def _is_only_read(one: Verdict) -> bool:
    """Tells whether the reader alone would act upon a statement."""
    return one.by == "reader" and one.ruled != "found" and one.share >= LEAD


def is_quoted(asked: Request, meaning: Meant) -> bool:
    """Tells whether a request is one of the statements that rules hold it to mean."""
    plain = normalise(asked.text)
    return any(normalise(unit.statement.text) == plain for unit in meaning.found)


def choose_to_read(
    meaning: Meant, statements: Sequence[Statement], likeness: Mapping[str, float]
) -> list[Statement]:
    """Returns the statements most worth reading, in the order they were told.

    First those that rules hold to be meant, or perhaps; then those that are most like the request.
    """
    ruled = {unit.statement.id for unit in (*meaning.found, *meaning.perhaps)}
    order = sorted(statements, key=lambda one: (one.id not in ruled, -likeness.get(one.id, 0.0)))
    return sorted(order[:MOST_READ], key=lambda one: one.id)


def _remove_named(one: Statement) -> Action:
    return _guard(one, Action("remove", one.id, one.text, "", "named by its id", 1.0, one.version))


def _question(one: Verdict) -> Action:
    said = one.statement
    why, share = f"not certain: {one.why}", round(one.share, 2)
    return Action("ask", said.id, said.text, "", why, share, said.version, one.by)


def _act(one: Verdict, meaning: Meant, request: Request, mode: Mode) -> Action:
    """Returns what becomes of a statement that is meant, in whole or in part."""
    said = one.statement
    new = find_left(one, meaning, request, lasting=mode == "purge")
    if new is None:
        return Action("ask", said.id, said.text, "", UNSAFE, 0.3, said.version, one.by)
    share = round(one.share, 2)
    kind: Kind = "rewrite" if new else "remove"
    action = Action(kind, said.id, said.text, new, one.why, share, said.version, one.by)
    return _guard(said, action, one.units)


def _guard(one: Statement, action: Action, own: Sequence[Unit] = ()) -> Action:
    """A pinned memory is left alone; of a protected one only what is meant is cut out."""
    if one.pinned:
        reason = "it is pinned; unpin it first, then repeat the call"
        return replace(action, kind="refuse", new="", reason=reason)
    if one.protected and action.kind == "remove":
        new = cut_identifiers(one.text, own)
        if not new:
            reason = "it is protected, and nothing would be left of it"
            return replace(action, kind="refuse", reason=reason)
        return replace(action, kind="rewrite", new=new)
    return action

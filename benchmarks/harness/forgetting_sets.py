"""Unseen requests to forget, and what is right, harmful or silent about their outcome.

Each case is a small memory of its own and is played through the public interface. It is

    right      when exactly what should live does, and a purge left no secret anywhere
    harmful    when something that had to stay is gone, or was reworded
    silent     when something that was meant lives on whole, or a secret is still somewhere, and no
               plan mentioned it
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.harness.forgetting_cases import bare, lines
from glymph import Glymph
from glymph.embed.contract import Embedder
from glymph.errors import GlymphError
from glymph.llm import open_model
from glymph.reader.contract import Reader
from glymph.testing import FrozenClock

FOLDER = Path(__file__).parents[1] / "cases" / "forgetting"
SHORT_SECRET = 5  # digits
SETTINGS = {"durability": "normal", "compare": "off", "junk_gate": "off"}
SETS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth",
    "ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth",
    "sixteenth", "seventeenth", "eighteenth", "nineteenth",
    "terse", "terse_late",
    "supersede", "corrections", "amendments", "revisions", "renewals", "replacements",
    "terse_supersede", "terse_supersede_late",
)  # fmt: skip


class Outcome(NamedTuple):
    """What a case came to, and what is wrong, in words."""

    right: bool
    harmful: bool
    silent: bool
    asked: int  # memories that the plans asked about
    told: str = ""


@dataclass(slots=True)
class Play:
    """One case while it is played: its memories, and what plans said of them."""

    glymph: Glymph
    ids: list[str] = field(default_factory=list)
    mentioned: set[str] = field(default_factory=set)
    asked: int = 0
    refusals: list[str] = field(default_factory=list)


def read_set(name: str) -> list[dict[str, Any]]:
    """Reads a set by its name: nothing of one that still lies there as `unseen`."""
    path = FOLDER / f"{name}.jsonl"
    return lines(path) if path.exists() else []


def play(
    folder: Path, case: Mapping[str, Any], model: Embedder | str, reader: Reader | str,
    *, answers: Path | None = None,
) -> Outcome:  # fmt: skip
    """Plays a case in a store of its own, and says what it came to.

    `answers` has those of a strong model, which is asked then.
    """
    clock = FrozenClock()
    url = f"sqlite:///{folder / case['id']}{'' if answers is None else '-asked'}.db"
    judge = None if answers is None else open_model(f"recorded:{answers}")
    with Glymph.open(
        url, embedder=model, model=judge, reader=reader, settings=SETTINGS, clock=clock
    ) as glymph:
        playing = Play(glymph)
        for fact in case["facts"]:
            clock.advance(minutes=1)
            playing.ids.append(glymph.add(fact).id or "")
        glymph.settle()
        for step in case["steps"]:
            clock.advance(minutes=1)
            try:
                _step(playing, step)
            except GlymphError as error:
                playing.refusals.append(str(error))
        return _judge(playing, case)


def _step(playing: Play, step: Sequence[str]) -> None:
    glymph = playing.glymph
    if step[0] == "supersede":
        known = {memory.id for memory in glymph.list(limit=1000).items}
        receipt = glymph.supersede(step[1], step[2])
        playing.mentioned |= {*receipt.succeeded, *(one.id for one in receipt.skipped)}
        questions = [one for one in glymph.questions() if one.newer not in known]
        playing.mentioned |= {one.older for one in questions}
        playing.asked += len(questions)
        return
    plan = glymph.forget(step[1], mode=step[0])
    playing.mentioned |= {action.id for action in plan.actions}
    playing.asked += len(plan.candidates)
    glymph.forget(plan, apply=True)


def _judge(playing: Play, case: Mapping[str, Any]) -> Outcome:
    live = {memory.id: memory.text for memory in playing.glymph.list(limit=1000).items}
    facts = dict(zip(playing.ids, case["facts"], strict=True))
    kept = [playing.ids[at] for at in case["kept"]]
    left = {playing.ids[at]: wordings.split(" || ") for at, wordings in case["becomes"]}
    lost = [facts[one] for one in kept if bare(live.get(one, "")) != bare(facts[one])]
    meant = [one for one in facts if one not in kept]
    wordings = {bare(wording) for several in left.values() for wording in several}
    whole = [one for one in meant if one in live and bare(live[one]) == bare(facts[one])]
    silent = [facts[one] for one in whole if one not in playing.mentioned]
    here = {bare(text) for text in live.values()}
    shortened = {
        one: several for one, several in left.items() if not here & set(map(bare, several))
    }
    left_over = [live[one] for one in meant if one in live and bare(live[one]) not in wordings]
    leaked = _find_secrets(playing.glymph, case)
    asked_about = [live[one] for one in whole if one in playing.mentioned]
    unsaid = [secret for secret in leaked if not any(secret in text for text in asked_about)]
    told = {
        "lost": lost, "silent": silent, "left over": left_over, "not shortened": list(shortened.values()),
        "leaked": leaked, "refused": playing.refusals,
    }  # fmt: skip
    return Outcome(
        not (lost or left_over or shortened or leaked),
        bool(lost)
        or any(one not in whole and _is_gone(several, here) for one, several in shortened.items()),
        bool(silent or unsaid),
        playing.asked,
        "; ".join(f"{name}: {found}" for name, found in told.items() if found),
    )


def _is_gone(wordings: Sequence[str], here: set[str]) -> bool:
    """Tells whether what should be left of a memory stands nowhere any more, not even in the whole."""
    return not any(bare(wording) in text for wording in wordings for text in here)


def _find_secrets(glymph: Glymph, case: Mapping[str, Any]) -> list[str]:
    """Finds what a purge should have taken out of every row, index and journal image."""
    if not case["secret"]:
        return []
    found = set()
    for _, row in glymph.context.store.dump(glymph.space):
        for value in row.values():
            if isinstance(value, str):
                found |= {secret for secret in case["secret"] if _holds(value, secret)}
    return sorted(found)


def _holds(value: str, secret: str) -> bool:
    """Tells whether a value holds a secret; a short number only as a word, for ids hold any of them."""
    if len(secret) >= SHORT_SECRET or not secret.isdecimal():
        return secret in value
    return re.search(rf"(?<!\w){secret}(?!\w)", value) is not None

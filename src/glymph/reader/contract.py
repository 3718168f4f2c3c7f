"""What a reader is: it judges texts, and says how sure it is of each judgement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

from glymph.reader.wording import Said, Span


@dataclass(frozen=True, slots=True)
class Judgement:
    """One judgement and how sure it is, from 0 to 1: of those at 0.95, 95 of 100 are right.

    `shares` says how likely each answer is, in the order of the reader's words. A reader that
    cannot tell is 0 sure.
    """

    kind: str
    sure: float
    shares: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Target(Judgement):
    """How much of a text a request means; of a part also where it stands.

    `exact` says that there is no doubt where: it was read twice, and marked alike.
    """

    spans: tuple[Span, ...] = ()
    exact: bool = True


class Thresholds(NamedTuple):
    """From where on a calibrated judgement of a relation is acted upon.

    A reader may have a `thresholds` of its own, measured on texts like those that it will meet.
    """

    same: float = 0.95  # two statements count as one
    hide: float = 0.95  # the older one is hidden without asking
    doubt: float = 0.5  # the newer one stands above the older, which may be out of date
    ask: float = 0.5  # whether the older one is out of date is a question
    doubt_same: float = 0.5  # the newer one stands above the older, which may say the same
    ask_same: float = 0.5  # whether both say the same is a question


def find_thresholds(reader: Reader) -> Thresholds:
    """Returns the reader's own thresholds, or those of any calibrated one."""
    found: Thresholds = getattr(reader, "thresholds", Thresholds())
    return found


@runtime_checkable
class Reader(Protocol):
    """Reads two texts and tells what they have to do with each other."""

    @property
    def name(self) -> str:
        """The reader's name, with its version."""
        ...

    def relate(self, newer: str, older: Sequence[str]) -> list[Judgement]:
        """Judges what a newer text does to each older one: none, same, replaces, part.

        The older ones are candidates that are judged together: where one of them is meant, the
        others are less likely to be.
        """
        ...

    def find_targets(
        self, verb: str, request: str, texts: Sequence[str], new: str | None = None
    ) -> list[Target]:
        """Judges how much of each text a request means: none, all, part."""
        ...

    def score(self, question: str, texts: Sequence[str]) -> list[float] | None:
        """Returns how likely each text answers the question; None from one that cannot tell."""
        ...

    def grade(self, texts: Sequence[str]) -> list[Judgement]:
        """Judges what each text is worth keeping: noise, passing, lasting, vital."""
        ...

    def sift(self, sentences: Sequence[Said]) -> list[Judgement]:
        """Judges which sentences to keep: none, alone, continued, answering (see KEEPINGS).

        None is 0 sure from a reader that cannot tell.
        """
        ...

    def estimate_ms(self, question: str, texts: Sequence[str]) -> list[float]:
        """Estimates the CPU milliseconds that scoring each text takes."""
        ...


@dataclass(frozen=True, slots=True)
class ReaderProvider:
    """How a spec names a reader of this kind, and what opens it."""

    form: str  # such as "local", or "openai:MODEL" where something follows
    from_spec: Callable[[str], Reader]

"""The reader of "auto": the local one where it works, else the one that knows hard rules only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeVar

from glymph.errors import ReaderFailed
from glymph.reader.contract import Judgement, Reader, Target, Thresholds, find_thresholds
from glymph.reader.no_reader import NoReader
from glymph.reader.weights import explain_absence
from glymph.reader.wording import Said

Result = TypeVar("Result")


def open_automatic() -> Reader:
    """Returns the local reader if it is installed, else the one that knows hard rules only."""
    if lacking := explain_absence():
        say_once(lacking)
        return NoReader()
    return AutomaticReader(_open_local)


def _open_local() -> Reader:
    from glymph.reader.local_reader import LocalReader  # a hook that judges nothing needs no numpy

    return LocalReader()


class AutomaticReader:
    """Asks a reader, opened when it is first needed, until it fails; then one that cannot."""

    def __init__(self, open_it: Callable[[], Reader]) -> None:
        self._open = open_it
        self._reader: Reader | None = None

    @property
    def name(self) -> str:
        """The name of the reader that answers now."""
        return self._opened().name

    def _opened(self) -> Reader:
        if self._reader is None:
            self._reader = self._open()
        return self._reader

    def relate(self, newer: str, older: Sequence[str]) -> list[Judgement]:
        """Judges what a newer text does to each older one."""
        return self._attempt(lambda reader: reader.relate(newer, older))

    @property
    def thresholds(self) -> Thresholds:
        """Those of the reader that answers now."""
        return self._attempt(find_thresholds)

    def find_targets(
        self, verb: str, request: str, texts: Sequence[str], new: str | None = None
    ) -> list[Target]:
        """Judges how much of each text a request means."""
        return self._attempt(lambda reader: reader.find_targets(verb, request, texts, new))

    def score(self, question: str, texts: Sequence[str]) -> list[float] | None:
        """Returns how likely each text answers the question, or None."""
        return self._attempt(lambda reader: reader.score(question, texts))

    def grade(self, texts: Sequence[str]) -> list[Judgement]:
        """Judges what each text is worth keeping."""
        return self._attempt(lambda reader: reader.grade(texts))

    def sift(self, sentences: Sequence[Said]) -> list[Judgement]:
        """Judges which sentences are worth keeping."""
        return self._attempt(lambda reader: reader.sift(sentences))

    def estimate_ms(self, question: str, texts: Sequence[str]) -> list[float]:
        """Estimates the CPU milliseconds that scoring each text takes."""
        return self._attempt(lambda reader: reader.estimate_ms(question, texts))

    def _attempt(self, act: Callable[[Reader], Result]) -> Result:
        try:
            return act(self._opened())
        except ReaderFailed as error:
            say_once(str(error))
            self._reader = NoReader()
            return act(self._reader)


@cache
def say_once(lacking: str) -> None:
    """Logs why there is no reader: once, however many handles a program opens."""
    import logging

    logging.getLogger("glymph").info("%s Until then only hard rules judge texts.", lacking)

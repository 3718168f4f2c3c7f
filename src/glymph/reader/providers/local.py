"""The reader that works offline right after `pip install 'glymph[reader]'`."""

from __future__ import annotations

from glymph.errors import InvalidInput
from glymph.reader.contract import Reader, ReaderProvider
from glymph.reader.local_reader import LocalReader
from glymph.reader.weights import explain_absence


def from_spec(detail: str) -> Reader:
    """Opens the local reader; raises InvalidInput where parts of it are not installed."""
    if problem := explain_absence():
        raise InvalidInput("reader", problem)
    return LocalReader()


PROVIDER = ReaderProvider("local", from_spec)

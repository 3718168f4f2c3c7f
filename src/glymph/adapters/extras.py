"""Imports of a framework: where it is missing, the error names the extra to install."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from glymph.errors import ExtraMissing


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Raises ExtraMissing where what is imported meanwhile is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ExtraMissing(extra, error.name or extra) from error

"""Readers: they read two texts and tell what these have to do with each other.

`open_reader(spec)` opens one, which loads nothing before the first text. A spec is "auto", "none",
or the form of a provider in `glymph.reader.providers`; other packages add theirs there.
"""

from __future__ import annotations

from glymph.errors import InvalidInput
from glymph.extensions import ExtensionPoint
from glymph.reader.contract import Reader, ReaderProvider
from glymph.reader.no_reader import NoReader

PROVIDERS: ExtensionPoint[ReaderProvider] = ExtensionPoint(
    "glymph.readers", ReaderProvider, package="glymph.reader.providers", attribute="PROVIDER"
)


def open_reader(spec: str | Reader) -> Reader:
    """Returns the reader that a spec names, or a program's own as it is.

    "auto" is the local reader; where its weights are missing or not ours, it is the one that knows
    hard rules only, and the log says so once.
    """
    if not isinstance(spec, str):
        return check_own_reader(spec)
    if spec == "none":
        return NoReader()
    if spec == "auto":
        from glymph.reader.automatic import open_automatic  # only "auto" needs it

        return open_automatic()
    provider, detail = _find_provider(spec)
    return provider.from_spec(detail)


def check_reader(spec: str) -> None:
    """Raises InvalidInput if a spec names no reader; opens none."""
    if spec not in ("auto", "none"):
        _find_provider(spec)


def _find_provider(spec: str) -> tuple[ReaderProvider, str]:
    scheme, colon, detail = spec.partition(":")
    provider = PROVIDERS.get(scheme)
    if provider is None or bool(colon and detail) != (":" in provider.form):
        forms = ", ".join(["auto", "none", *(one.form for one in PROVIDERS.members.values())])
        raise InvalidInput("reader", f"{spec!r} is not known. Use one of: {forms}.")
    return provider, detail


def check_own_reader(reader: object) -> Reader:
    """Returns a program's own reader; raises InvalidInput if a method is missing."""
    if isinstance(reader, Reader):
        return reader
    wanted = ("name", "relate", "find_targets", "score", "grade", "sift", "estimate_ms")
    missing = ", ".join(name for name in wanted if not hasattr(reader, name))
    raise InvalidInput(
        "reader",
        f"a {type(reader).__name__} has no {missing}. Pass an object with what "
        "glymph.reader.contract.Reader names.",
    )

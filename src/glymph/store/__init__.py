"""The place where memories are kept; `open_store(url)` picks the database by the URL's scheme.

A built-in scheme is the name of a module in `backends`; a package adds one by an entry point of the
group `glymph.stores`. Either way it is a function `open_store(url, settings, *, create)` that
returns a `Store`, usually `Store(database)` over what `contract.Database` asks for.
"""

from __future__ import annotations

from types import FunctionType

from glymph.errors import UnknownScheme
from glymph.extensions import ExtensionPoint

TYPE_CHECKING = False  # what a hook loads must be little: `typing` alone would cost it milliseconds
if TYPE_CHECKING:
    from glymph.config import Settings
    from glymph.store.store import Store as Store

stores = ExtensionPoint(
    "glymph.stores", FunctionType, package="glymph.store.backends", attribute="open_store"
)


def open_store(url: str, settings: Settings, *, create: bool = True) -> Store:
    """Opens the store behind a URL; one that is missing is made, unless `create` is False.

    There is no fallback: UnknownScheme if nobody serves the scheme.
    """
    opener = stores.get(url.partition(":")[0])
    if opener is None:
        from glymph.text.secrets import mask_url

        known = ", ".join(f"{name}://" for name in stores.names)
        raise UnknownScheme(mask_url(url), known)
    store: Store = opener(url, settings, create=create)
    return store


def __getattr__(name: str) -> object:
    if name != "Store":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from glymph.store.store import Store

    return Store

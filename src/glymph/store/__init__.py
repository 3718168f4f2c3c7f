"""Where memories are kept. `open_store(url)` picks the engine by the URL's scheme."""

from __future__ import annotations

import importlib
import pkgutil

from glymph.config import Settings
from glymph.errors import UnknownScheme
from glymph.store import backends
from glymph.store.store import Store
from glymph.text.masking import masked


def open_store(url: str, settings: Settings, *, create: bool = True) -> Store:
    """The store behind a URL; one that is missing is made, unless `create` is False.

    The scheme is the name of a module in `backends`; there is no fallback.
    """
    scheme = url.partition(":")[0]
    known = [module.name for module in pkgutil.iter_modules(backends.__path__)]
    if scheme not in known:
        raise UnknownScheme(masked(url)[0], ", ".join(f"{name}://" for name in known))
    engine = importlib.import_module(f"glymph.store.backends.{scheme}")
    store: Store = engine.open_store(url, settings, create=create)
    return store

"""A handle over the wire: `Glymph.open("http://…")` calls the methods of a handle on a server.

    methods    which methods go over the wire, in which role; which do not, and what to do instead
    coding     arguments and results as JSON, read back by the annotations of the methods
    line       requests to a server, over a connection that is kept
    remote     the class of a handle whose methods are calls

Each is loaded when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from glymph.lazy import load_on_first_use

if TYPE_CHECKING:
    from glymph.wire import remote as remote
else:
    __getattr__ = load_on_first_use(__name__)

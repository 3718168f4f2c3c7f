"""Looks after a space: leases, its queue of jobs, its status, and the end of its journal.

Other rooms use the modules named here; each is loaded when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from glymph.lazy import load_on_first_use

if TYPE_CHECKING:
    from glymph.upkeep import fold as fold
    from glymph.upkeep import leases as leases
    from glymph.upkeep import overview as overview
    from glymph.upkeep import queue as queue
    from glymph.upkeep import status as status
    from glymph.upkeep import status_result as status_result
else:
    __getattr__ = load_on_first_use(__name__)

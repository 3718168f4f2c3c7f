"""Finds memories: by words, by meaning, by links, now and in the past.

Other rooms use the modules named here; each is loaded when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from glymph.lazy import load_on_first_use

if TYPE_CHECKING:
    from glymph.recall import audit as audit
    from glymph.recall import counter as counter
    from glymph.recall import filters as filters
    from glymph.recall import history as history
    from glymph.recall import recall as recall
    from glymph.recall import search as search
    from glymph.recall import summaries as summaries
else:
    __getattr__ = load_on_first_use(__name__)

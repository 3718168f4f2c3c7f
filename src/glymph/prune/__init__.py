"""Prunes what is stale: rules, groupings, plans, execution, lifecycle, AI prune and the gardener.

Other rooms use the modules named here; each is loaded when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from glymph.lazy import load_on_first_use

if TYPE_CHECKING:
    from glymph.prune import ai_prune as ai_prune
    from glymph.prune import allowance as allowance
    from glymph.prune import analyze as analyze
    from glymph.prune import execute as execute
    from glymph.prune import fading_alerts as fading_alerts
    from glymph.prune import garden as garden
    from glymph.prune import groupings as groupings
    from glymph.prune import idle as idle
    from glymph.prune import lifecycle as lifecycle
    from glymph.prune import marks as marks
    from glymph.prune import material as material
    from glymph.prune import merge_duplicates as merge_duplicates
    from glymph.prune import outcomes as outcomes
    from glymph.prune import plan as plan
    from glymph.prune import plans as plans
    from glymph.prune import results as results
    from glymph.prune import rules as rules
    from glymph.prune import sameness as sameness
    from glymph.prune import schedule as schedule
    from glymph.prune import select as select
    from glymph.prune import stale_groups as stale_groups
    from glymph.prune import staleness as staleness
    from glymph.prune import vectors as vectors
    from glymph.prune import worth as worth
else:
    __getattr__ = load_on_first_use(__name__)

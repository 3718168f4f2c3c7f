"""What Glymph does, one verb per file: services join the pure core to a store.

As an attribute of this package a service is loaded when it is first asked for: a process pays for what it does.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from glymph.services import ai_prune as ai_prune
    from glymph.services import analyze as analyze
    from glymph.services import backfill as backfill
    from glymph.services import certificate as certificate
    from glymph.services import clusters as clusters
    from glymph.services import completing as completing
    from glymph.services import conflicts as conflicts
    from glymph.services import consolidate as consolidate
    from glymph.services import costs as costs
    from glymph.services import dedup as dedup
    from glymph.services import edit as edit
    from glymph.services import exchange as exchange
    from glymph.services import extract as extract
    from glymph.services import fading as fading
    from glymph.services import fit as fit
    from glymph.services import forget as forget
    from glymph.services import garden as garden
    from glymph.services import history as history
    from glymph.services import lifecycle as lifecycle
    from glymph.services import link as link
    from glymph.services import memetics as memetics
    from glymph.services import merge as merge
    from glymph.services import migrate as migrate
    from glymph.services import overview as overview
    from glymph.services import plans as plans
    from glymph.services import playbooks as playbooks
    from glymph.services import prunable as prunable
    from glymph.services import prune as prune
    from glymph.services import purge as purge
    from glymph.services import queue as queue
    from glymph.services import recall as recall
    from glymph.services import remember as remember
    from glymph.services import rescue as rescue
    from glymph.services import restoring as restoring
    from glymph.services import search as search
    from glymph.services import spaces as spaces
    from glymph.services import states as states
    from glymph.services import status as status
    from glymph.services import supersede as supersede
    from glymph.services import surface as surface
    from glymph.services import tombstones as tombstones
    from glymph.services import trash as trash
    from glymph.services import undo as undo
    from glymph.services import verify as verify


def __getattr__(name: str) -> ModuleType:
    path = f"{__name__}.{name}"
    try:
        return import_module(path)
    except ModuleNotFoundError as error:
        if error.name != path:
            raise
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from error

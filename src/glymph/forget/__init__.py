"""Forgets on request: reads the request, plans, purges, and certifies what is gone.

Other rooms use the modules named here; each is loaded when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from glymph.lazy import load_on_first_use

if TYPE_CHECKING:
    from glymph.forget import certificate as certificate
    from glymph.forget import complete_certificates as complete_certificates
    from glymph.forget import forget as forget
    from glymph.forget import import_filter as import_filter
    from glymph.forget import name_keeper as name_keeper
    from glymph.forget import plan as plan
    from glymph.forget import purge as purge
    from glymph.forget import requests as requests
    from glymph.forget import rights as rights
    from glymph.forget import supersede as supersede
    from glymph.forget import tombstones as tombstones
    from glymph.forget import trash as trash
else:
    __getattr__ = load_on_first_use(__name__)

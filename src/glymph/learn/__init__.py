"""Learning: extraction from transcripts, lessons from episodes, playbooks, a session's digest.

Other rooms use the modules named here; each is loaded when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from glymph.lazy import load_on_first_use

if TYPE_CHECKING:
    from glymph.learn import consolidate as consolidate
    from glymph.learn import consolidate_result as consolidate_result
    from glymph.learn import digest as digest
    from glymph.learn import extract as extract
    from glymph.learn import extract_result as extract_result
    from glymph.learn import extract_rules as extract_rules
    from glymph.learn import fit as fit
    from glymph.learn import memetic_figures as memetic_figures
    from glymph.learn import memetics as memetics
    from glymph.learn import playbooks as playbooks
    from glymph.learn import sift as sift
    from glymph.learn import surface as surface
    from glymph.learn import transcript as transcript
    from glymph.learn import transcript_file as transcript_file
else:
    __getattr__ = load_on_first_use(__name__)

"""Takes changes back: undo of any operation, restoring what is archived or in the trash.

Other rooms use the modules named here; each is loaded when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from glymph.lazy import load_on_first_use

if TYPE_CHECKING:
    from glymph.undo import restore as restore
    from glymph.undo import restore_by_hash as restore_by_hash
    from glymph.undo import undo as undo
else:
    __getattr__ = load_on_first_use(__name__)

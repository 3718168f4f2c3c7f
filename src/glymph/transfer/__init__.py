"""Takes spaces elsewhere: export, import, backup, migration, and checks that a copy is the same.

Other rooms use the modules named here; each is loaded when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from glymph.lazy import load_on_first_use

if TYPE_CHECKING:
    from glymph.transfer import export as export
    from glymph.transfer import migrate as migrate
    from glymph.transfer import restore_backup as restore_backup
    from glymph.transfer import verify as verify
else:
    __getattr__ = load_on_first_use(__name__)

"""The space of a project: a name that its folder alone decides."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

SHARED = "global"  # the space that every project may read
SHARED_TOKENS = 400  # of its digest, which stands beside that of the project
_OTHER = re.compile(r"[^a-z0-9]+")


def project_space(folder: str) -> str:
    """Returns the space of the project in this folder: its last part, and a hash of the whole."""
    path = folder.replace("\\", "/").rstrip("/") or "/"
    readable = _OTHER.sub("-", path.rpartition("/")[2].lower()).strip("-")[:40]
    digest = hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{readable or 'project'}-{digest}"


def space_of(where: Mapping[str, object]) -> str:
    """Returns the space that an item or a session names, else that of the project it names."""
    return str(where.get("space") or "") or project_space(str(where["project"]))


def digest_tokens(space: str) -> int | None:
    """Returns the budget of the digest with which a session begins; None for the one set."""
    return SHARED_TOKENS if space == SHARED else None

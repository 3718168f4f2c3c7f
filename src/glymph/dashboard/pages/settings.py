"""Settings: the values in force, and where each comes from. Keys are never shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from starlette.responses import Response

from glymph import environment
from glymph.client import Glymph
from glymph.config import Settings
from glymph.dashboard.page import RUN, Page
from glymph.dashboard.visit import CURATE, Visit, page_router
from glymph.service.access import Role
from glymph.text.secrets import mask_secrets, mask_url

router = page_router()
PAGE = Page("Settings", "/settings", router, group=RUN, order=30, role=Role.CURATE, key="s")
HERE = "this server"
TOPICS = {
    "Texts": "max_text_chars",
    "Trash, journal and pruning": "trash_days",
    "Taking in": "bulk_chunk",
    "Meaning and judgement": "embedder",
    "Language model and budget": "model",
    "Upkeep": "questions_hours",
    "Keeping": "history_folder",
}  # and the first setting of each, in the order in which they are declared


@dataclass(frozen=True, slots=True)
class Shown:
    """A setting as it may be shown."""

    name: str
    value: str
    default: str
    origin: str
    told: str


@router.get("/settings")
async def show(visit: Visit = CURATE) -> Response:
    """Shows every setting."""
    found, url, meaning = await visit.run(lambda g: (_look(g), g.shown_url, g.meaning()))
    changed = [one for one in found if one.origin != "default"]
    return visit.show(
        "settings.html", changed=changed, topics=_group(found), url=url, meaning=meaning
    )


def _group(settings: Sequence[Shown]) -> dict[str, list[Shown]]:
    """Returns settings under their topics."""
    begins = {first: topic for topic, first in TOPICS.items()}
    grouped: dict[str, list[Shown]] = {}
    topic = next(iter(TOPICS))
    for one in settings:
        topic = begins.get(one.name, topic)
        grouped.setdefault(topic, []).append(one)
    return grouped


def _look(glymph: Glymph) -> list[Shown]:
    own, origins = environment.effective_settings()
    found = []
    for field in fields(Settings):
        value = getattr(glymph.settings, field.name)
        same = value == getattr(own, field.name)
        origin = origins[field.name] if same else HERE
        told = str(field.metadata["help"])
        found.append(Shown(field.name, _mask(field.name, value), str(field.default), origin, told))
    return found


def _mask(name: str, value: object) -> str:
    if name in environment.SECRETS:
        return "••••••••" if value else ""
    return mask_url(mask_secrets(str(value))[0]) if "url" in name else mask_secrets(str(value))[0]

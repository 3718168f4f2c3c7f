"""Fields that several tools share."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import AwareDatetime, BeforeValidator, Field, WithJsonSchema

from glymph.decay.edges import DEFAULT_WEIGHTS
from glymph.decay.sections import Section
from glymph.model import State
from glymph.tools.contract import Arguments


def _as_list(value: Any) -> Any:
    """Returns a list for a text: models often pass one text, or the list written as a text."""
    if not isinstance(value, str):
        return value
    try:
        written = json.loads(value) if value.startswith("[") else None
    except (ValueError, RecursionError):
        return [value]
    return written if isinstance(written, list) else [value]


Texts = Annotated[list[str], BeforeValidator(_as_list)]


def _as_numbers(value: Any) -> Any:
    return [value] if isinstance(value, int) else _as_list(value)


def _one_of(*words: str) -> WithJsonSchema:
    """Lists the words a field may be for the model; who says another is told by the library."""
    return WithJsonSchema({"type": "string", "enum": list(words)})


def _some_of(*words: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "array", "items": {"type": "string", "enum": list(words)}})


Removal = Annotated[str, _one_of("archive", "delete")]
ForgetMode = Annotated[str, _one_of("release", "purge")]
Reason = Annotated[str, _one_of("staleness", "low_alignment", "redundancy", "orphan")]
LinkType = Annotated[str, _one_of(*DEFAULT_WEIGHTS)]
Sections = Annotated[Texts, _some_of(*Section)]
States = Annotated[Texts, _some_of(*State)]
Numbers = Annotated[list[int], BeforeValidator(_as_numbers)]


class Paged(Arguments):
    """Arguments of a tool that only looks, and whose answer may be too long for one message."""

    cursor: str | None = Field(
        None, exclude=True, description="next_cursor of an answer that was cut: what follows it."
    )


class Filters(Arguments):
    """Filters of a search."""

    limit: int = Field(10, ge=1, le=1000, description="Most hits to give back.")
    kinds: Texts | None = Field(None, description="Only these kinds.")
    sections: Sections | None = Field(None, description="Only of these sections.")
    tags: Texts | None = Field(None, description="Only with all of these tags.")
    since: AwareDatetime | None = Field(None, description="Not before this ISO 8601 time.")
    until: AwareDatetime | None = Field(None, description="Not after this ISO 8601 time.")
    states: States | None = Field(None, description="LIVE if left out.")
    session: str | None = Field(None, description="Only what was said in this session.")
    at: AwareDatetime | None = Field(None, description="As things stood at this ISO 8601 time.")
    include_superseded: bool = Field(False, description="Also what a newer memory has replaced.")
    budget_tokens: int | None = Field(
        None, ge=1, description="Fit the texts of the hits into this many tokens."
    )
    min_score: float | None = Field(
        None, ge=0, le=1, description="Only hits that answer with at least this score, 0 to 1."
    )

    def drop_empty(self) -> dict[str, Any]:
        """Returns the arguments without empty lists: models send `"kinds": []` for no filter."""
        return {name: value for name, value in self.model_dump().items() if value != []}

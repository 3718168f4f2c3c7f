"""memory_add: remember one thing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import AwareDatetime, Field

from glymph.tools import data
from glymph.tools.arguments import Texts
from glymph.tools.blocks import Line
from glymph.tools.brief import brief_added
from glymph.tools.contract import WORDS, Arguments, Tool, ids_of
from glymph.write.waiting import find_unreconciled

if TYPE_CHECKING:
    from glymph.client import Glymph

FEW = 64  # memories waiting to be compared that this call waits for, too
NEAREST = 3  # older ones that are named


class AddArguments(Arguments):
    text: str = Field(description="What to remember, in full sentences.", json_schema_extra=WORDS)
    title: str | None = Field(None, description="A short title; taken from the text when left out.")
    kind: str = Field(
        "note",
        description="fact, preference, decision, lesson, goal, event, … or your own word.",
    )
    section: str | None = Field(
        None, description="Only for a kind of your own: which section it lives in."
    )
    tags: Texts = Field([], description="Words to find it by.")
    entities: Texts = Field([], description="People, places and things it is about.")
    attributes: dict[str, Any] = Field(
        {}, description='Figures by name, e.g. an outcome: {"success": true}.'
    )
    event_at: AwareDatetime | None = Field(
        None, description="When it happened: ISO 8601 with zone."
    )
    expires_at: AwareDatetime | None = Field(None, description="When it stops being true.")
    salience: float = Field(
        0.5, ge=0, le=1, description="How much it matters: 0 to 1, 0.5 is neutral."
    )
    source: str | None = Field(None, description="Where it comes from.")
    session: str | None = Field(None, description="The conversation it belongs to.")
    trust: float = Field(1.0, ge=0, le=1, description="How far the source can be trusted.")
    links: Texts = Field(
        [], description="Ids of memories to link it to.", json_schema_extra=ids_of("memory")
    )
    pinned: bool = Field(False, description="Keep it from ever being cleaned up.")
    revive: bool = Field(False, description="Take it in although it was removed on request.")


def run(glymph: Glymph, args: AddArguments) -> Mapping[str, Any]:
    soon = len(find_unreconciled(glymph.context, FEW + 1)) <= FEW
    added = glymph.add(**args.model_dump(), wait=soon)
    nearest = glymph.nearest(added.id, limit=NEAREST) if added.id and added.created else []
    return data.dump_added(added, nearest)


def render(result: Mapping[str, Any]) -> Iterator[Line]:
    if result["created"]:
        yield Line(f"remembered {result['id']}")
    else:
        yield Line(f"known already as {result['duplicate_of']}: reinforced instead")
    for memory_id in result["connected_to"]:
        yield Line(f"  linked to {memory_id}")
    for why in result["why"]:
        yield Line(f"  {why}")
    for near in result["nearest"]:
        yield Line(f"  near it: {near['text']} ({near['id']})", "dim")
    for question in result["questions"]:
        yield Line(f"  answer with: glymph questions {question} new_is_current", "dim")


TOOL = Tool(
    name="memory_add",
    command="add",
    description="Remember one thing; says whether it is new, what it updates, and which older ones "
    "are near.",
    arguments=AddArguments,
    run=run,
    brief=brief_added,
    opens_spaces=True,
    profile="core",
    short=("text", "kind", "tags", "attributes", "event_at", "expires_at"),
    render=render,
    keep_chars=150,
)

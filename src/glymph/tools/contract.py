"""What an agent tool is. Each is defined once; MCP, CLI and JSON schemas derive from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from glymph.client import Glymph

Profile = Literal["core", "curator", "full"]


class Arguments(BaseModel):
    """Arguments of a tool. A field marked positional stands without its name on the command line."""

    model_config = ConfigDict(extra="forbid")


POSITIONAL: dict[str, Any] = {"positional": True}


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    command: str  # its name on the command line
    description: str  # one sentence, for the model that chooses
    arguments: type[Arguments]
    run: Callable[[Glymph, Any], Mapping[str, Any]]
    profile: Profile
    read_only: bool = False
    destructive: bool = False  # as MCP means it: it may change or remove what is there
    idempotent: bool = False
    keep_chars: int = 800  # how much of an old result is worth keeping in a conversation
    preview: Callable[[Glymph, Any], Mapping[str, Any]] | None = (
        None  # what a destructive run would do
    )

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        schema = self.arguments.model_json_schema()
        schema.pop("title", None)
        schema.pop("description", None)
        for field in schema.get("properties", {}).values():
            field.pop("title", None)
            field.pop("positional", None)
        return schema

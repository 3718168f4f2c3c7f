"""The contract of a tool, from which its MCP tool, its command and its schema derive."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict

from glymph.tools.blocks import Rendering, render_facts
from glymph.tools.brief import brief_facts
from glymph.tools.schema import select_fields, simplify_schema

if TYPE_CHECKING:
    from glymph.client import Glymph

Profile = Literal["core", "curator", "full"]


class Arguments(BaseModel):
    """Arguments of a tool. A positional field is given without its name on the command line."""

    model_config = ConfigDict(extra="forbid")


POSITIONAL: dict[str, Any] = {"positional": True}
WORDS: dict[str, Any] = {"positional": True, "words": True}  # a text, in quotes for a shell


def ids_of(kind: str, *, positional: bool = False) -> dict[str, Any]:
    """Returns the mark of a field that holds ids, which may be written as unique prefixes."""
    return {"names": kind, **(POSITIONAL if positional else {})}


MEMORY = ids_of("memory", positional=True)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool for agents, and the command of the same job for people.

    `run` returns data that JSON can carry. Ids that were left alone stand under `failed` and
    `skipped`, and the command then ends with status 3; a text under `refused` says why nothing was
    done, and the command then ends with status 1.
    """

    name: str
    command: str  # its name on the command line
    description: str  # one sentence, for the model that chooses
    arguments: type[Arguments]
    run: Callable[[Glymph, Any], Mapping[str, Any]]
    profile: Profile
    render: Callable[[Mapping[str, Any]], Rendering] = render_facts  # the data of a run, for people
    read_only: bool = False
    destructive: bool = False  # as MCP means it: it may change or remove what is there
    idempotent: bool = False
    keep_chars: int = 800  # how much of an old result is worth keeping in a conversation
    # A tool with a preview shows it on the command line, until it is called with --apply.
    preview: Callable[[Glymph, Any], Mapping[str, Any]] | None = None
    render_preview: Callable[[Mapping[str, Any]], Rendering] = render_facts
    cursor_of: str = ""  # the list of operations that a cursor goes on in
    opens_spaces: bool = False  # its first call in a space that a server does not have makes it
    acts_on: str | None = None  # the argument without which a run only shows what it would do

    # The arguments that the profile core shows; the others may be given, too. Empty: all.
    short: tuple[str, ...] = ()
    brief: Callable[[Mapping[str, Any]], str] = brief_facts  # the data of a run, for a model

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        return simplify_schema(self.arguments.model_json_schema())

    def schema_for(self, profile: Profile) -> dict[str, Any]:
        """Returns the schema that a client of a profile sees."""
        whole = self.schema
        if profile == "core":
            return select_fields(whole, self.short or tuple(whole["properties"]))
        return whole

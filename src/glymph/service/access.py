"""Who asks: the spaces that a request may open, and what it may do there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum

from glymph.errors import Forbidden, SpaceNotFound
from glymph.store import guards
from glymph.store.tokens import ALL_SPACES as ALL_SPACES
from glymph.tools.contract import Tool


class Role(IntEnum):
    """What a token allows; each role includes those below it."""

    READ = 1  # look
    WRITE = 2  # add, change and report, and take that back
    CURATE = 3  # plan, prune, merge, forget, run jobs
    ADMIN = 4  # remove for good, and what concerns the whole server

    @property
    def label(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Access:
    """Somebody who was let in: by which token, as whom, into which spaces, and how far."""

    name: str
    actor: str
    spaces: tuple[str, ...]  # or `ALL_SPACES` alone
    role: Role
    token_id: str | None = None  # None: the operator's own secret, or nobody asked for one
    expires_at: datetime | None = None

    @property
    def opens_all(self) -> bool:
        """Whether it opens every space of the store, those to come included."""
        return ALL_SPACES in self.spaces

    def opens(self, space: str) -> bool:
        """Tells whether it opens a space."""
        return self.opens_all or space in self.spaces

    def check_space(self, space: str) -> None:
        """Raises SpaceNotFound unless it opens the space: nobody learns which others there are."""
        if not self.opens(space):
            raise SpaceNotFound(space, made_by="Nothing that this token may do")

    def check_role(self, role: Role) -> None:
        """Raises Forbidden unless it goes as far as the role."""
        if self.role < role:
            raise Forbidden(role.label, self.role.label)

    def may_act_as(self, actor: str) -> bool:
        """Tells whether it may sign with this name: its own, or one below it; an admin with any."""
        return self.role is Role.ADMIN or guards.is_below(actor, self.actor)

    def name_day(self, actor: str) -> str:
        """Returns the name whose day an agent uses up that signs so: the token's own, or all's."""
        own = guards.is_agent(self.actor) and guards.is_below(actor, self.actor)
        return self.actor if own else guards.AGENT


def role_for(tool: Tool) -> Role:
    """Returns the role that a tool needs.

    What an agent does every day needs `write`, and so does the way back from it.
    """
    if tool.read_only:
        return Role.READ
    return Role.WRITE if tool.profile == "core" or tool.name == "undo_operation" else Role.CURATE

"""What all routes share: the tokens, a handle for each space and actor, and a few threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, Protocol, TypeVar

import anyio
from fastapi import Depends, Header, Query
from fastapi.security import HTTPBearer
from starlette.requests import Request

from glymph.checks import checked_text
from glymph.client import Glymph
from glymph.errors import InvalidInput, Unauthorized
from glymph.forget import rights
from glymph.mcp.server import AT_ONCE, LARGE_AT_ONCE
from glymph.mcp.spaces import SPACE_HEADER, Handles, read_space
from glymph.service.access import Access, Role
from glymph.service.limits import Buckets, Limits
from glymph.service.metrics import Metrics

ACTOR_HEADER = "Glymph-Actor"
T = TypeVar("T")


class Gate(Protocol):
    """Knows the tokens."""

    def recall(self, token: str | None) -> Access | None:
        """Returns who shows a token, if that is known without asking the store."""
        ...

    def admit(self, token: str | None) -> Access:
        """Returns who shows a token; raises Unauthorized if nobody known does."""
        ...


@dataclass(frozen=True, slots=True)
class OpenGate:
    """Lets everybody in as one: on loopback, where the operator said so."""

    access: Access

    def recall(self, token: str | None) -> Access | None:
        return self.access

    def admit(self, token: str | None) -> Access:
        return self.access


@dataclass(frozen=True, slots=True)
class Service:
    """The store that is served, who may use it, and the threads in which its work is done.

    The engine is synchronous. There are as many threads as its connections allow for, and those
    for calls that ask for much are fewer.
    """

    handles: Handles
    gate: Gate
    limits: Limits = field(default_factory=Limits)
    metrics: Metrics = field(default_factory=Metrics)
    stopping: threading.Event = field(default_factory=threading.Event)
    limiter: anyio.CapacityLimiter = field(default_factory=partial(anyio.CapacityLimiter, AT_ONCE))
    large: anyio.CapacityLimiter = field(
        default_factory=partial(anyio.CapacityLimiter, LARGE_AT_ONCE)
    )

    buckets: Buckets = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "buckets", Buckets(self.limits.per_second))

    async def admit(self, token: str | None) -> Access:
        """Returns who shows a token and counts the request; raises TooFast if it is too many."""
        access = self.gate.recall(token)
        if access is None:
            access = await anyio.to_thread.run_sync(self.gate.admit, token, limiter=self.limiter)
        self.buckets.take(access.token_id or access.name)
        return access

    async def run(self, work: Callable[[], T], *, large: bool = False) -> T:
        """Runs work in one of the threads."""
        return await anyio.to_thread.run_sync(work, limiter=self.large if large else self.limiter)

    def choose_space(self, access: Access, given: str | None) -> str:
        """Returns the space that a request means; raises SpaceNotFound if it may not open it."""
        if given is not None:
            space = read_space(given)
        elif access.opens(self.handles.first.space):
            space = self.handles.first.space
        elif len(access.spaces) == 1:
            space = access.spaces[0]
        else:
            raise InvalidInput(
                SPACE_HEADER,
                f"this token opens {', '.join(access.spaces)}. Name one of them in the header.",
            )
        access.check_space(space)
        return space

    def open(self, access: Access, space: str, actor: str, *, create: bool) -> Glymph:
        """Returns the handle of a space for somebody who was let in and signs with a name."""
        agents = access.name_day(actor)
        return self.handles.open(space, actor=actor, agents=agents, create=create)

    def choose_actor(self, access: Access, given: str | None) -> str:
        """Returns the name that a request signs with."""
        if given is None:
            return access.actor
        checked_text(ACTOR_HEADER, given, 200)
        if not access.may_act_as(given):
            raise InvalidInput(
                ACTOR_HEADER,
                f"this token signs as {access.actor!r}, or as {access.actor + ':…'!r}. "
                "Leave the header out.",
            )
        return given


@dataclass(frozen=True, slots=True)
class Asked:
    """One request that was let in: who asks, about which space, and the way to its handle."""

    service: Service
    access: Access
    space: str
    actor: str

    async def run(
        self, work: Callable[[Glymph], T], *, create: bool = False, large: bool = False
    ) -> T:
        """Runs work with the handle in a worker thread; `create` makes a space that is missing."""

        def do() -> T:
            with rights.acting_as(self.access.role.label):
                return work(self.service.open(self.access, self.space, self.actor, create=create))

        return await self.service.run(do, large=large)

    def check_spaces(self, spaces: Sequence[str]) -> None:
        """Raises SpaceNotFound unless each of several spaces may be opened."""
        for space in spaces:
            self.access.check_space(space)


SpaceName = Annotated[
    str | None,
    Header(alias=SPACE_HEADER, description="The space; by default the token's own.", min_length=1),
]
ActorName = Annotated[
    str | None,
    Header(alias=ACTOR_HEADER, description="Who signs; by default the token's own name."),
]


def service_of(request: Request) -> Service:
    """Returns the service that a request came to."""
    found: Service = request.app.state.service
    return found


def bearer(request: Request) -> str | None:
    """Returns the token that a request shows; None if it shows none."""
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if not given:
        return None
    if scheme.lower() != "bearer":
        raise Unauthorized(f"the header speaks of {scheme[:20]!r}")
    return given.strip()


async def access_of(
    request: Request, _: Annotated[Any, Depends(HTTPBearer(auto_error=False))] = None
) -> Access:
    """Returns who sent a request; raises Unauthorized if nobody known did.

    What FastAPI knows of tokens only describes them in the OpenAPI document.
    """
    return await service_of(request).admit(bearer(request))


def asked(role: Role, *, pages: bool = False) -> Any:
    """Returns the dependency of a route that needs a role; `pages` name the space in a query."""

    async def check(
        request: Request,
        access: Annotated[Access, Depends(access_of)],
        space: SpaceName = None,
        actor: ActorName = None,
    ) -> Asked:
        service = service_of(request)
        access.check_role(role)
        return Asked(
            service, access, service.choose_space(access, space),
            service.choose_actor(access, actor),
        )  # fmt: skip

    async def check_page(
        request: Request,
        access: Annotated[Access, Depends(access_of)],
        space: Annotated[str | None, Query(min_length=1)] = None,
    ) -> Asked:
        return await check(request, access, space)

    return Depends(check_page if pages else check)


READ, WRITE, CURATE, ADMIN = (asked(role) for role in Role)  # what most routes need

"""AsyncGlymph: the same handle for programs that await.

    async with AsyncGlymph.open("sqlite:///memory.db") as memory:
        await memory.add("The lamps for Bergen leave on Tuesday.")

The engine is synchronous. A call runs in one of a few threads of the handle, while the event loop
goes on; calls beyond that wait for their turn. A task that is cancelled stops waiting: a call that
has not begun never does, one that has begun is finished, and what it wrote stands, with a receipt
in `operations()`. So a write that must be known to have happened is shielded (`asyncio.shield`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from datetime import datetime
from functools import partial, wraps
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Generic,
    Literal,
    ParamSpec,
    Protocol,
    Self,
    TypeVar,
    overload,
)

from glymph.accessors import Clusters, Conversations, Group, Tombstones, Trash
from glymph.client import Glymph
from glymph.config import Settings
from glymph.context import Context
from glymph.embed.contract import Embedder
from glymph.errors import InvalidInput, StoreError
from glymph.llm.contract import Model
from glymph.reader.contract import Reader
from glymph.stores import DEFAULT_URL

if TYPE_CHECKING:
    from pathlib import Path

    from glymph.forget.plan import ForgetPlan, Forgotten
    from glymph.history.history import History
    from glymph.history.policy import HistorySettings

P = ParamSpec("P")
R = TypeVar("R")
Owner = TypeVar("Owner")
THREADS = 4  # calls at once; each may hold two of a handle's sixteen connections
MOST_THREADS = 8


class Caller(Protocol):
    """Whatever runs calls of a synchronous object, its `target`, in threads."""

    @property
    def target(self) -> Any: ...

    async def run(
        self, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs
    ) -> R: ...  # fmt: skip


def awaited(
    method: Callable[Concatenate[Owner, P], R],
) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]:
    """Returns the method as one to await, with the same arguments and the same answer."""

    @wraps(method)
    async def call(self: Caller, /, *args: P.args, **kwargs: P.kwargs) -> R:
        target = self.target
        own: Callable[..., R] = getattr(type(target), method.__name__, method)  # over the wire
        return await self.run(own, target, *args, **kwargs)

    return call


class AsyncGlymph:
    """The long-term memory of one agent, user or project, to be awaited; as `Glymph` otherwise."""

    def __init__(self, glymph: Glymph, *, threads: int = THREADS) -> None:
        """Takes over a handle, which ends with this one; at most `threads` calls run at once."""
        whole = isinstance(threads, int) and not isinstance(threads, bool)
        if not whole or not 1 <= threads <= MOST_THREADS:
            raise InvalidInput("threads", f"pass a whole number from 1 to {MOST_THREADS}.")
        self.target = glymph
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="glymph")
        self._ended = False

    @classmethod
    def open(
        cls, url: str = DEFAULT_URL, *, space: str = "default", actor: str = "user",
        settings: Settings | Mapping[str, Any] | None = None,
        clock: Callable[[], datetime] | None = None,
        embedder: str | Embedder = "auto", model: str | Model | None = None,
        reader: str | Reader = "auto", session: str | None = None, create: bool = True,
        token: str | None = None, threads: int = THREADS,
    ) -> Opening[Self]:  # fmt: skip
        """Opens a store, by `await` or `async with`; the arguments are those of `Glymph.open`."""

        def open_handle() -> Any:
            glymph = Glymph.open(
                url, space=space, actor=actor, settings=settings, clock=clock, embedder=embedder,
                model=model, reader=reader, session=session, create=create, token=token,
            )  # fmt: skip
            return cls(glymph, threads=threads)

        return Opening(open_handle)

    async def run(
        self, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs
    ) -> R:  # fmt: skip
        """Runs any function in a thread of this handle, such as a method of a `History`."""
        if self._ended:
            raise StoreError(
                f"This handle on {self.shown_url} is closed. Open it again with AsyncGlymph.open()."
            )
        call = partial(copy_context().run, partial(function, *args, **kwargs))
        return await asyncio.get_running_loop().run_in_executor(self._threads, call)

    async def close(self) -> None:
        """Ends the handle, once the calls that run have ended; those that wait are cancelled."""
        self._ended = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        await asyncio.shield(asyncio.to_thread(self._finish))

    def _finish(self) -> None:
        self._threads.shutdown(wait=True)
        self.target.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    @property
    def context(self) -> Context:
        """The store, space, actor and clock that rooms and jobs work with."""
        return self.target.context

    @property
    def url(self) -> str:
        """Returns the address of the store as it was given: a password in it is there, too."""
        return self.target.url

    @property
    def shown_url(self) -> str:
        """The URL as it may be shown, without a password."""
        return self.target.shown_url

    @property
    def space(self) -> str:
        return self.target.space

    @property
    def actor(self) -> str:
        return self.target.actor

    @property
    def settings(self) -> Settings:
        return self.target.settings

    # remember
    add = awaited(Glymph.add)
    add_many = awaited(Glymph.add_many)
    settle = awaited(Glymph.settle)
    update = awaited(Glymph.update)
    supersede = awaited(Glymph.supersede)
    unsupersede = awaited(Glymph.unsupersede)
    merge = awaited(Glymph.merge)
    reinforce = awaited(Glymph.reinforce)
    pin = awaited(Glymph.pin)
    unpin = awaited(Glymph.unpin)
    link = awaited(Glymph.link)
    unlink = awaited(Glymph.unlink)
    edges = awaited(Glymph.edges)
    questions = awaited(Glymph.questions)
    answer = awaited(Glymph.answer)
    conflicts = awaited(Glymph.conflicts)
    resolve = awaited(Glymph.resolve)
    find_duplicates = awaited(Glymph.find_duplicates)

    # find
    get = awaited(Glymph.get)
    list = awaited(Glymph.list)
    search = awaited(Glymph.search)
    recall = awaited(Glymph.recall)
    report = awaited(Glymph.report)
    nearest = awaited(Glymph.nearest)
    history = awaited(Glymph.history)
    graph = awaited(Glymph.graph)
    health = awaited(Glymph.health)

    # forget and back
    @overload
    async def forget(
        self, request: str | ForgetPlan, *, mode: str = ..., reason: str = ...,
        apply: Literal[False] = ...,
    ) -> ForgetPlan: ...  # fmt: skip
    @overload
    async def forget(
        self, request: str | ForgetPlan, *, mode: str = ..., reason: str = ..., apply: Literal[True]
    ) -> Forgotten: ...
    @wraps(Glymph.forget)
    async def forget(self, *args: Any, **options: Any) -> ForgetPlan | Forgotten:
        return await self.run(self.target.forget, *args, **options)

    forget_plan = awaited(Glymph.forget_plan)
    archive = awaited(Glymph.archive)
    delete = awaited(Glymph.delete)
    restore = awaited(Glymph.restore)
    restore_from_hash = awaited(Glymph.restore_from_hash)
    undo = awaited(Glymph.undo)
    operations = awaited(Glymph.operations)
    audit = awaited(Glymph.audit)
    certificates = awaited(Glymph.certificates)
    compact = awaited(Glymph.compact)

    # prune
    analyze = awaited(Glymph.analyze)
    plans = awaited(Glymph.plans)
    plan = awaited(Glymph.plan)
    prune = awaited(Glymph.prune)
    batch_prune = awaited(Glymph.batch_prune)
    execute_prune = awaited(Glymph.execute_prune)
    candidates = awaited(Glymph.candidates)

    # while the agent sleeps
    extract = awaited(Glymph.extract)
    lifecycle = awaited(Glymph.lifecycle)
    ai_prune = awaited(Glymph.ai_prune)
    consolidate = awaited(Glymph.consolidate)
    garden = awaited(Glymph.garden)
    fit = awaited(Glymph.fit)
    match_playbooks = awaited(Glymph.match_playbooks)
    fading = awaited(Glymph.fading)
    surface = awaited(Glymph.surface)

    # the agent's page, spaces and files
    page = awaited(Glymph.page)
    write = awaited(Glymph.write)
    spaces = awaited(Glymph.spaces)
    rename_space = awaited(Glymph.rename_space)
    delete_space = awaited(Glymph.delete_space)
    export = awaited(Glymph.export)
    import_ = awaited(Glymph.import_)
    backup = awaited(Glymph.backup)

    # look after
    verify = awaited(Glymph.verify)
    meaning = awaited(Glymph.meaning)
    embed = awaited(Glymph.embed)
    costs = awaited(Glymph.costs)
    memetic_status = awaited(Glymph.memetic_status)
    autonomous_status = awaited(Glymph.autonomous_status)
    unfinished = awaited(Glymph.unfinished)

    # groups of methods
    @property
    def clusters(self) -> AsyncClusters:
        """Named sets of memories; called, all of them."""
        return AsyncClusters(self, self.target.clusters)

    @property
    def tombstones(self) -> AsyncTombstones:
        """The tombstones, which keep purged facts from being learnt again; called, all of them."""
        return AsyncTombstones(self, self.target.tombstones)

    @property
    def trash(self) -> AsyncTrash:
        """The trash; called, what is in it."""
        return AsyncTrash(self, self.target.trash)

    @property
    def conversations(self) -> AsyncConversations:
        """The conversations; called, a `History`, whose methods are awaited through `run`."""
        return AsyncConversations(self, self.target.conversations)


Handle = TypeVar("Handle", bound=AsyncGlymph)


class Opening(Generic[Handle]):
    """A handle about to be opened: `await` it, or enter it by `async with`."""

    def __init__(self, open_handle: Callable[[], Handle]) -> None:
        self._open_handle = open_handle
        self._handle: Handle | None = None

    def __await__(self) -> Generator[Any, None, Handle]:
        return asyncio.to_thread(self._open_handle).__await__()

    async def __aenter__(self) -> Handle:
        self._handle = await self
        return self._handle

    async def __aexit__(self, *error: object) -> None:
        if self._handle is not None:
            await self._handle.close()


class AsyncGroup(Generic[Group]):
    """A group of methods of a handle, to be awaited."""

    def __init__(self, handle: AsyncGlymph, target: Group) -> None:
        self.target = target
        self.run = handle.run


class AsyncClusters(AsyncGroup[Clusters]):
    __call__ = awaited(Clusters.__call__)
    create = awaited(Clusters.create)
    delete = awaited(Clusters.delete)
    add = awaited(Clusters.add)
    remove = awaited(Clusters.remove)


class AsyncTombstones(AsyncGroup[Tombstones]):
    __call__ = awaited(Tombstones.__call__)
    lift = awaited(Tombstones.lift)


class AsyncTrash(AsyncGroup[Trash]):
    __call__ = awaited(Trash.__call__)
    empty = awaited(Trash.empty)


class AsyncConversations(AsyncGroup[Conversations]):
    async def __call__(
        self, folder: str | Path | None = None, *,
        settings: HistorySettings | Mapping[str, Any] | None = None, **more: Any,
    ) -> History:  # fmt: skip
        """Returns the conversations in the usual place, in a folder, or with "store" in the store.

        Their methods are awaited through the handle: `await memory.run(history.append, …)`.
        """
        return await self.run(self.target, folder, settings=settings, **more)

    every = awaited(Conversations.every)
    with_session = awaited(Conversations.with_session)
    folders = awaited(Conversations.folders)
    memories_saying = awaited(Conversations.memories_saying)
    carry_over = awaited(Conversations.carry_over)
    erase = awaited(Conversations.erase)

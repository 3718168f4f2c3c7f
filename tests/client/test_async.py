"""AsyncGlymph: every method of Glymph, to be awaited; bounded, cancellable, closed cleanly."""

from __future__ import annotations

import asyncio
import inspect
import os
import threading
import time

import pytest

from glymph import AsyncGlymph, Glymph
from glymph.accessors import Accessor, OlderName
from glymph.errors import InvalidInput, StoreError


def public(owner):
    """The names of a class, without older ones of what is in a group now."""
    return {
        name: value
        for name, value in inspect.getmembers_static(owner)
        if (not name.startswith("_") or name == "__call__") and not isinstance(value, OlderName)
    }


def arguments(method):
    return [one for one in inspect.signature(method).parameters.values() if one.name != "self"]


def test_it_has_every_name_of_glymph_with_the_same_arguments():
    theirs, own = public(Glymph), public(AsyncGlymph)
    assert theirs.keys() - own.keys() == set()
    assert own.keys() - theirs.keys() == {"run"}
    for name, method in theirs.items():
        if inspect.isfunction(method) and name != "close":
            assert inspect.iscoroutinefunction(own[name]), name
            assert arguments(own[name]) == arguments(method), name
            assert own[name].__doc__ == method.__doc__, name
    assert arguments(AsyncGlymph.open)[:-1] == arguments(Glymph.open)
    assert arguments(AsyncGlymph.open)[-1].name == "threads"


def test_it_has_every_group_with_every_method(url):
    async def look():
        async with AsyncGlymph.open(url) as memory:
            for name in [n for n, v in public(Glymph).items() if isinstance(v, Accessor)]:
                theirs, own = public(getattr(Glymph, name)), public(type(getattr(memory, name)))
                assert theirs.keys() - own.keys() == set(), name
                for method in theirs:
                    assert arguments(own[method]) == arguments(theirs[method]), (name, method)

    asyncio.run(look())


def test_what_is_awaited_is_what_the_handle_answers(url):
    async def use():
        async with AsyncGlymph.open(url, actor="agent:async", session="s1") as memory:
            added = await memory.add("The lamps for Bergen leave on Tuesday.", tags=["bergen"])
            assert [one.id for one in await memory.list(tags=["bergen"])] == [added.id]
            hits = await memory.search("When do the lamps leave?")
            assert [hit.memory.id for hit in hits] == [added.id]
            (operation,) = await memory.operations(verb="add")
            assert (operation.actor, operation.session) == ("agent:async", "s1")
            await memory.clusters.create("lamps")
            await memory.clusters.add("lamps", added.id)
            assert [one.members for one in await memory.clusters()] == [(added.id,)]
            await memory.delete(added.id)
            assert [one.id for one in await memory.trash()] == [added.id]
            plan = await memory.forget("the lamps for Bergen")
            assert plan.request == "the lamps for Bergen"
            history = await memory.conversations()
            await memory.run(history.append, "s1", {"role": "user", "content": "Hello there."})
            assert len(await memory.conversations.every()) == 1
            assert (memory.space, memory.actor, memory.url) == ("default", "agent:async", url)
            assert (await memory.verify()).ok
        with pytest.raises(StoreError, match=r"closed\. Open it again with AsyncGlymph"):
            await memory.search("lamps")
        await memory.close()  # twice is once

    asyncio.run(use())


def test_the_loop_goes_on_and_no_more_calls_run_than_there_are_threads(url):
    running, most = 0, 0
    lock = threading.Lock()

    def hold():
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.02)
        with lock:
            running -= 1

    async def use():
        async with AsyncGlymph.open(url, threads=2) as memory:
            calls = asyncio.gather(*(memory.run(hold) for _ in range(6)))
            ticks = 0
            while not calls.done():
                await asyncio.sleep(0.001)
                ticks += 1
            assert ticks > 1

    asyncio.run(use())
    assert most == 2


def test_many_writers_at_once_lose_nothing(url):
    async def use():
        async with AsyncGlymph.open(url) as memory:
            texts = [f"Crate {number} stands at gate {number % 7}." for number in range(24)]
            added = await asyncio.gather(*(memory.add(text) for text in texts))
            assert len({one.id for one in added}) == 24
            assert {one.text for one in await memory.list()} == set(texts)

    asyncio.run(use())


def test_a_cancelled_call_that_waits_never_runs_and_one_that_runs_is_finished(url):
    begun, go = threading.Event(), threading.Event()
    done = []

    def hold():
        begun.set()
        go.wait(60)
        done.append("first")

    async def use():
        async with AsyncGlymph.open(url, threads=1) as memory:
            first = asyncio.create_task(memory.run(hold))
            await asyncio.to_thread(begun.wait, 60)
            second = asyncio.create_task(memory.add("This was never begun, so it is not stored."))
            await asyncio.sleep(0)
            for task in (second, first):
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            go.set()
            assert len(await memory.list()) == 0
        assert done == ["first"]

    asyncio.run(use())


def test_closing_waits_for_what_runs_and_cancels_what_waits(url):
    begun, go = threading.Event(), threading.Event()

    def hold(glymph):
        begun.set()
        go.wait(60)
        return glymph.add("It was stored before the handle closed.").id

    async def use():
        memory = await AsyncGlymph.open(url, threads=1)
        first = asyncio.create_task(memory.run(hold, memory.target))
        await asyncio.to_thread(begun.wait, 60)
        waiting = asyncio.create_task(memory.list())
        await asyncio.sleep(0)
        closing = asyncio.create_task(memory.close())
        await asyncio.sleep(0)
        go.set()
        await closing
        assert await first is not None
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(use())
    assert [one.name for one in threading.enumerate() if one.name.startswith("glymph_")] == []
    with Glymph.open(url) as glymph:
        assert len(glymph.list()) == 1


def test_one_handle_serves_one_loop_after_another(url):
    memory = asyncio.run(_open(url))
    asyncio.run(_add(memory, "The first loop wrote this sentence."))
    asyncio.run(_add(memory, "The second loop wrote that sentence."))
    asyncio.run(memory.close())
    with Glymph.open(url) as glymph:
        assert len(glymph.list()) == 2


async def _open(url):
    return await AsyncGlymph.open(url)


async def _add(memory, text):
    return await memory.add(text)


@pytest.mark.parametrize("threads", [0, 9, True, "2"])
def test_threads_are_a_small_number(url, threads):
    with pytest.raises(InvalidInput, match="from 1 to 8"):
        asyncio.run(_opened(url, threads))


async def _opened(url, threads):
    return await AsyncGlymph.open(url, threads=threads)


# Glymph itself, among threads and forks.


def test_one_handle_may_be_shared_by_threads(url):
    with Glymph.open(url) as glymph:
        texts = [f"Thread number {number} wrote this." for number in range(8)]
        threads = [threading.Thread(target=glymph.add, args=(text,)) for text in texts]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert {one.text for one in glymph.list()} == set(texts)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_handle_goes_on_in_both_programs_after_a_fork(url):
    with Glymph.open(url) as glymph:
        glymph.add("The parent wrote this before the fork.")
        child = os.fork()
        if child == 0:  # no test may run twice, whatever happens here
            try:
                glymph.add("The child wrote this after the fork.")
                os._exit(0)
            finally:
                os._exit(1)
        assert os.waitpid(child, 0)[1] == 0
        glymph.add("The parent wrote that after the fork.")
        assert len(glymph.list()) == 3
        assert glymph.verify().ok

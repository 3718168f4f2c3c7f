"""The texts given to a session: the digest at its start, and memories about each prompt."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glymph import environment
from glymph.errors import GlymphError, SpaceNotFound, StoreError
from glymph.hooks import compaction, quick
from glymph.hooks.detach import try_start_worker
from glymph.hooks.quick import (
    ACTOR,
    PROMPT_CHARS,
    PROMPT_HITS,
    PROMPT_TOKENS,
    TRUSTED,
    is_about,
    is_steering,
    read_content_words,
)
from glymph.jobs import spool
from glymph.jobs.project import SHARED, digest_tokens
from glymph.store.backends.sqlite.quick_look import NotQuick
from glymph.text.controls import remove_controls
from glymph.text.shown import INTRODUCTION, SHOWN_FROM, SHOWN_TO, line

if TYPE_CHECKING:
    from glymph.client import Glymph
    from glymph.context import Context

NAMES = {"session-start": "SessionStart", "prompt-submit": "UserPromptSubmit"}
FADING = (
    "Fading, unless they are used: recall and report them to keep them, or archive them with "
    "batch_prune."
)


def answer(event: str, sent: dict[str, Any], url: str | None, space: str) -> int:
    """Prints what the host should put before the agent, if anything; returns the exit status.

    A start takes up what an earlier worker left, whether there is anything to print or not.
    """
    parts: list[str] = []
    unfinished: list[str] = []
    problem: GlymphError | None = None
    try:
        parts = quick.find_parts(event, sent, url, space)
    except NotQuick:
        parts, problem = _look_closely(event, sent, url, space, unfinished)
    if parts:
        context = {"hookEventName": NAMES[event], "additionalContext": "\n\n".join(parts)}
        sys.stdout.write(json.dumps({"hookSpecificOutput": context}) + "\n")
    status = 0
    spooled = environment.home() / environment.SPOOL
    if event == "session-start" and (unfinished or spool.count_items(spooled)):
        status = try_start_worker(url, *unfinished)
    if problem is not None:
        sys.stderr.write(f"glymph: {remove_controls(str(problem))}\n")
    # A host drops what a hook printed that did not end well.
    return 0 if parts else 1 if problem is not None else status


def _look_closely(
    event: str, sent: dict[str, Any], url: str | None, space: str, unfinished: list[str]
) -> tuple[list[str], GlymphError | None]:
    """Returns what handles on the spaces have for the agent, and what went wrong."""
    parts: list[str] = []
    problem: GlymphError | None = None
    for name in dict.fromkeys((space, SHARED)):
        try:
            parts += _find_parts(event, sent, url, name, unfinished)
        except GlymphError as error:
            problem = error
    if event == "session-start" and sent.get("source") == "compact":
        try:
            parts += _recap(sent.get("session_id"), url, space)
        except GlymphError as error:
            problem = error
    return parts, problem


def _find_parts(
    event: str, sent: dict[str, Any], url: str | None, space: str, unfinished: list[str]
) -> Iterator[str]:
    """Yields what one space has for the agent. A store or space that does not exist is not made."""
    try:
        glymph = environment.open_glymph(url, space, ACTOR, create=False, quick=True)
    except (SpaceNotFound, StoreError) as error:
        if isinstance(error, SpaceNotFound) or not _store_exists(url):
            return
        raise
    with glymph:
        if event == "prompt-submit":
            yield from _search_prompt(glymph, sent.get("prompt"))
            return
        if glymph.unfinished():
            unfinished.append(space)
        yield from _begin_session(glymph)


def _recap(session: object, url: str | None, space: str) -> Iterator[str]:
    """Yields what the session said before its host compacted it.

    That is done once, and without what was removed on request.
    """
    transcript = compaction.take_transcript(environment.home(), session)
    if transcript is None:
        return
    from glymph.history.build import carry_over

    try:
        glymph = environment.open_glymph(url, space, ACTOR, create=False)
    except (SpaceNotFound, StoreError):  # no memories yet; trouble with a store is told elsewhere
        text = carry_over(transcript)
    else:
        with glymph:
            text = glymph.conversations.carry_over(transcript)
    if text:
        yield text


def _store_exists(url: str | None) -> bool:
    from glymph.stores import DEFAULT_URL

    path = (url or DEFAULT_URL).removeprefix("sqlite:///").partition("?")[0]
    return Path(path).expanduser().exists()


def _begin_session(glymph: Glymph) -> Iterator[str]:
    """Yields the digest, and once a day which lessons fade."""
    from glymph.learn.surface import surface  # only a session that begins needs it

    digest = surface(glymph.context, digest_tokens(glymph.space), reads=False)
    if digest:
        yield digest
        _count_recall(glymph.context)
    fading = [one for one in glymph.fading(announce=True) if not is_steering(one.title)]
    _note_looked(glymph.context)
    if fading:
        yield "\n".join(
            [SHOWN_FROM, FADING, *(f"{line(one.title)} [{one.id}]" for one in fading), SHOWN_TO]
        )


def _note_looked(ctx: Context) -> None:
    """Notes that what fades was looked for: for a day, a quick look need not."""
    from glymph.moments import micros

    if ctx.store.writable:
        with ctx.store.writing(ctx.space, None) as writer:
            writer.set_counter(quick.FADING_LOOKED, micros(ctx.now()))


def _count_recall(ctx: Context) -> None:
    """Counts a digest that was put before an agent: a space that is read so is in use."""
    from glymph.recall.counter import count_recall

    if ctx.store.writable:
        with ctx.store.writing(ctx.space, None) as writer:
            count_recall(writer)


def _search_prompt(glymph: Glymph, prompt: object) -> Iterator[str]:
    """Yields what is remembered about a prompt, and logs it as shown; that reinforces nothing."""
    if not isinstance(prompt, str) or not prompt.strip():
        return
    query = prompt.strip()[:PROMPT_CHARS]
    hits = glymph.search(query, limit=PROMPT_HITS, budget_tokens=PROMPT_TOKENS)
    asked = read_content_words(prompt)
    shown = [
        hit.memory
        for hit in hits
        if hit.memory.trust >= TRUSTED
        and not hit.memory.protected
        and is_about(asked, hit.memory.text)
        and not is_steering(hit.memory.text)
    ]
    if not shown:
        return
    yield "\n".join([SHOWN_FROM, INTRODUCTION, *(line(one.text) for one in shown), SHOWN_TO])
    if glymph.context.store.writable:
        from glymph.recall.recall import log_shown

        log_shown(glymph.context, query, shown)

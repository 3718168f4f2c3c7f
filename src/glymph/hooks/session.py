"""What a session is given: the digest at its start, and what is remembered about each prompt."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from glymph import environment
from glymph.errors import GlymphError, SpaceNotFound, StoreError
from glymph.hooks import begin_work, compaction
from glymph.jobs import spool
from glymph.jobs.project import SHARED, digest_tokens
from glymph.learn.digest import INTRODUCTION, line
from glymph.write.junk import FILLER, SHOWN_FROM, SHOWN_TO

if TYPE_CHECKING:
    from glymph.client import Glymph

ACTOR = "hook"
PROMPT_TOKENS, PROMPT_HITS, PROMPT_CHARS = 400, 5, 2000
TRUSTED = (
    0.3  # as in the digest: what came from a source trusted less is not put before an agent unasked
)
NAMES = {"session-start": "SessionStart", "prompt-submit": "UserPromptSubmit"}
FADING = "Fading, unless they are used: recall and report them to keep them, or archive them with batch_prune."


def answer(event: str, heard: dict[str, Any], url: str | None, space: str) -> int:
    """Prints what the host should put before the agent, if there is anything; gives back the exit
    status.

    A start takes up what an earlier worker left, whether there is anything to print or not.
    """
    parts: list[str] = []
    unfinished: list[str] = []
    problem: GlymphError | None = None
    for name in dict.fromkeys((space, SHARED)):
        try:
            parts += _parts(event, heard, url, name, unfinished)
        except GlymphError as error:
            problem = error
    if event == "session-start" and heard.get("source") == "compact":
        try:
            parts += _carried(heard.get("session_id"), url, space)
        except GlymphError as error:
            problem = error
    if parts:
        context = {"hookEventName": NAMES[event], "additionalContext": "\n\n".join(parts)}
        sys.stdout.write(json.dumps({"hookSpecificOutput": context}) + "\n")
    status = 0
    if event == "session-start" and (
        unfinished or spool.waiting(environment.home() / environment.SPOOL)
    ):
        status = begin_work(url, *unfinished)
    if problem is not None:
        sys.stderr.write(f"glymph: {problem}\n")
    # A host drops what a hook printed that did not end well.
    return 0 if parts else 1 if problem is not None else status


def _parts(
    event: str, heard: dict[str, Any], url: str | None, space: str, unfinished: list[str]
) -> Iterator[str]:
    """What one space has to say. A store or space that does not exist yet has nothing, and is not
    made.
    """
    try:
        glymph = environment.open_glymph(url, space, ACTOR, create=False)
    except (SpaceNotFound, StoreError) as error:
        if isinstance(error, SpaceNotFound) or not _is_there(url):
            return
        raise
    with glymph:
        if event == "prompt-submit":
            yield from _about(glymph, heard.get("prompt"))
            return
        if glymph.unfinished():
            unfinished.append(space)
        yield from _at_the_start(glymph)


def _carried(session: object, url: str | None, space: str) -> Iterator[str]:
    """What the session said before its host compacted it: once, and without what was removed on
    request.
    """
    transcript = compaction.taken(environment.home(), session)
    if transcript is None:
        return
    from glymph.history.build import carry_over

    try:
        glymph = environment.open_glymph(url, space, ACTOR, create=False)
    except (
        SpaceNotFound,
        StoreError,
    ):  # nothing is remembered yet; what is wrong with a store is told elsewhere
        text = carry_over(transcript)
    else:
        with glymph:
            text = glymph.conversations.carry_over(transcript)
    if text:
        yield text


def _is_there(url: str | None) -> bool:
    from glymph.stores import DEFAULT_URL

    return (
        Path((url or DEFAULT_URL).removeprefix("sqlite:///").partition("?")[0])
        .expanduser()
        .exists()
    )


def _at_the_start(glymph: Glymph) -> Iterator[str]:
    """The digest, and once a day which lessons fade."""
    digest = glymph.surface(digest_tokens(glymph.space))
    if digest:
        yield digest
    fading = glymph.fading(announce=True)
    if fading:
        yield "\n".join(
            [SHOWN_FROM, FADING, *(f"{line(one.title)} [{one.id}]" for one in fading), SHOWN_TO]
        )


def _about(glymph: Glymph, prompt: object) -> Iterator[str]:
    """What is remembered about a prompt: a search, which reinforces nothing."""
    if not isinstance(prompt, str) or not prompt.strip():
        return
    hits = glymph.search(
        prompt.strip()[:PROMPT_CHARS], limit=PROMPT_HITS, budget_tokens=PROMPT_TOKENS
    )
    asked = _telling(prompt)
    lines = [
        line(hit.memory.text)
        for hit in hits
        if hit.memory.trust >= TRUSTED
        and not hit.memory.protected
        and _bears_on(asked, hit.memory.text)
    ]
    if lines:
        yield "\n".join([SHOWN_FROM, INTRODUCTION, *lines, SHOWN_TO])


def _telling(text: str) -> frozenset[str]:
    from glymph.text.words import drop_stop_words, split_words

    return frozenset(word for word in drop_stop_words(split_words(text)) if word not in FILLER)


def _bears_on(asked: frozenset[str], text: str) -> bool:
    """Whether a memory shares two telling words with a prompt, or half of them: a search always
    finds some.
    """
    shared = len(asked & _telling(text))
    return shared >= 2 or (shared > 0 and 2 * shared >= len(asked))

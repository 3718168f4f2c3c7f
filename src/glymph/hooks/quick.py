"""Answers a prompt or the start of a session by a quick look into the store's file.

A prompt's memories are found by its words, and a session begins with the digest that was made when
the one before it ended: neither needs numpy, vectors or a handle, which would cost the host half a
second each time. Where a quick look is not enough, `session` answers instead.
"""

from __future__ import annotations

import time
from contextlib import ExitStack, closing
from pathlib import Path

from glymph import environment
from glymph.jobs.project import SHARED, digest_tokens
from glymph.moments import MICROS_PER_DAY
from glymph.store.backends.sqlite.quick_look import NotQuick, QuickLook, Trouble
from glymph.text.shown import INTRODUCTION, SHOWN_FROM, SHOWN_TO, line
from glymph.text.words import UNSPACED_OR_HANGUL, drop_stop_words, split_words
from glymph.write.junk import FILLER

TYPE_CHECKING = False  # `typing` itself would cost a hook some milliseconds
if TYPE_CHECKING:
    from typing import Any

ACTOR = "hook"
USUAL = "sqlite:///~/.glymph/memory.db"
PROMPT_TOKENS, PROMPT_HITS, PROMPT_CHARS = 400, 5, 2000
MOST_WORDS = 24  # of a prompt that are looked up
CHARACTERS_A_TOKEN = 4
# As in the digest: what came from a source trusted less is not put before an agent unasked.
TRUSTED = 0.3
FADING_LOOKED = "fading_looked_at"  # the counter of when somebody last looked for what fades
DIGEST_TOKENS = 1500


def find_parts(event: str, sent: dict[str, Any], url: str | None, space: str) -> list[str]:
    """Returns what to put before the agent; raises NotQuick if a quick look does not tell."""
    path = _find_file(url)
    now = time.time_ns() // 1000
    if event == "session-start" and sent.get("source") == "compact":
        raise NotQuick
    try:
        with ExitStack() as stack:
            looks = []
            for name in dict.fromkeys((space, SHARED)):
                look = QuickLook(path, name)
                stack.enter_context(closing(look))
                looks += [(name, look)] if look.exists else []
            if event == "prompt-submit":
                return _search_prompt([look for _, look in looks], sent.get("prompt"), now)
            return _begin_session(looks, now)
    except Trouble as error:
        raise NotQuick from error


def _find_file(url: str | None) -> str:
    """Returns the path of the store's file; raises NotQuick if it is none, or an unusual one."""
    path = (url or USUAL).removeprefix(environment.SQLITE)
    if path == url or any(mark in path for mark in "?%#"):
        raise NotQuick
    file = Path(path).expanduser()
    if not file.exists():
        raise NotQuick
    return str(file)


def _begin_session(looks: list[tuple[str, QuickLook]], now: int) -> list[str]:
    """Returns the kept digests.

    What waits for a worker, and what is fading once a day, is for a handle to tell.
    """
    parts = []
    for name, look in looks:
        looked = look.counter(FADING_LOOKED)
        if look.is_waiting(now) or looked is None or not 0 <= now - looked < MICROS_PER_DAY:
            raise NotQuick
        digest = look.read_kept_digest(digest_tokens(name) or _read_digest_tokens(), now)
        if digest is None:
            raise NotQuick
        parts.append((look, digest))
    for look, digest in parts:
        if digest:
            look.count_recall()
    return [digest for _, digest in parts if digest]


def _read_digest_tokens() -> int:
    """Returns the setting `surface_tokens`; whoever set it otherwise than as a number is told."""
    given = environment.variable("GLYMPH_SURFACE_TOKENS")
    if not given and environment.config_path().exists():
        given = str(environment.read_config().get("surface_tokens", ""))
    try:
        return int(given or DIGEST_TOKENS)
    except ValueError as error:
        raise NotQuick from error


def _search_prompt(looks: list[QuickLook], prompt: object, now: int) -> list[str]:
    """Returns what is remembered about a prompt, and notes it as shown."""
    if not isinstance(prompt, str) or not prompt.strip():
        return []
    query = prompt.strip()[:PROMPT_CHARS]
    if UNSPACED_OR_HANGUL.search(query):  # which no index of words cuts well
        raise NotQuick
    asked = read_content_words(query)
    if not asked:
        return []
    parts = []
    for look in looks:
        words = sorted(asked, key=lambda word: (-len(word), word))[:MOST_WORDS]
        found = look.find(words, trust=TRUSTED, now=now, limit=PROMPT_HITS)
        about = [row for row in found if is_about(asked, row["text"])]
        shown = _fit([row for row in about if not is_steering(row["text"])])
        if shown:
            lines = (line(row["text"]) for row in shown)
            parts.append("\n".join([SHOWN_FROM, INTRODUCTION, *lines, SHOWN_TO]))
            look.log_shown(query, shown, actor=ACTOR, now=now)
    return parts


def _fit(rows: list[Any]) -> list[Any]:
    """Returns the first of the memories that fit what may be put before an agent unasked."""
    left = PROMPT_TOKENS * CHARACTERS_A_TOKEN
    kept = []
    for row in rows:
        left -= len(line(row["text"]))
        if left < 0:
            break
        kept.append(row)
    return kept


def read_content_words(text: str) -> frozenset[str]:
    """Returns the words of a text that say what it is about."""
    return frozenset(word for word in drop_stop_words(split_words(text)) if word not in FILLER)


def is_steering(text: str) -> bool:
    """Tells whether a memory tries to steer the agent: then it is shown only to who asks for it."""
    from glymph.text.injection import find_order  # only where there is something to show

    return find_order(text) is not None


def is_about(asked: frozenset[str], text: str) -> bool:
    """Tells whether a memory shares two content words with a prompt, or half of them.

    A search alone always finds something.
    """
    shared = len(asked & read_content_words(text))
    return shared >= 2 or (shared > 0 and 2 * shared >= len(asked))

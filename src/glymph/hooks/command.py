"""The command `glymph hook EVENT`, which a host's hooks call.

It reads the host's JSON from standard input and never holds the host up. Exit status 0, or 1 with a
line on standard error if something could not be done; never 2, which would block the host. The end
of a session only drops a file and starts a worker of its own: neither the command line's framework
nor numpy is loaded for it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from glymph import environment
from glymph.hooks import compaction
from glymph.hooks.detach import try_start_worker
from glymph.hooks.host_json import read_hook_json
from glymph.jobs import spool

TYPE_CHECKING = False  # `typing` itself would cost a hook some milliseconds
if TYPE_CHECKING:
    from typing import Any

EVENTS = ("session-start", "session-end", "prompt-submit", "pre-compact")
# After these, what was said so far is gone from the agent's sight.
LEAVING = ("session-end", "pre-compact")
KEPT = ("session_id", "transcript_path", "cwd", "reason")  # of the host's JSON
DEPTH = "GLYMPH_DEPTH"  # set for models that Glymph itself starts: their sessions are none of ours
USAGE = (
    f"Usage: glymph hook EVENT [--url URL] [--space NAME|{environment.PROJECT}]\n"
    f"EVENT is one of {', '.join(EVENTS)}."
)


def main(arguments: list[str]) -> int:
    """Answers one hook; returns the exit status."""
    if {"-h", "--help"} & {*arguments}:
        sys.stdout.write(f"{USAGE}\n\n{__doc__}")
        return 0
    options = _parse(arguments)
    if options is None:
        sys.stderr.write(f"{USAGE}\n")
        return 1
    if environment.variable(DEPTH, "0") != "0":
        return 0
    event, url, space = options
    try:
        status = _answer(event, read_hook_json(), url, space)
        sys.stdout.flush()
    except (OSError, ValueError, RuntimeError) as error:
        sys.stderr.write(
            f"glymph: the hook {event} could not do its work ({error}). The session goes on.\n"
        )
        return 1
    return status


def _parse(arguments: list[str]) -> tuple[str, str | None, str] | None:
    """Returns the event, the store's URL and the space; None if the words make no sense."""
    space = environment.variable("GLYMPH_SPACE", environment.PROJECT)
    found = {"--url": environment.variable("GLYMPH_URL"), "--space": space}
    if not arguments or arguments[0] not in EVENTS or len(arguments) % 2 == 0:
        return None
    for name, value in zip(arguments[1::2], arguments[2::2], strict=True):
        if name not in found:
            return None
        found[name] = value
    return arguments[0], environment.absolute_url(found["--url"]), found["--space"]


def _where(space: str, sent: dict[str, Any]) -> dict[str, str]:
    """Returns what decides the space: its name, or the folder of the session's project."""
    if space != environment.PROJECT:
        return {"space": space}
    return {"project": str(environment.project_folder(_text(sent, "cwd")))}


def _text(sent: dict[str, Any], name: str) -> str | None:
    value = sent.get(name)
    return value if isinstance(value, str) and value else None


def _answer(event: str, sent: dict[str, Any], url: str | None, space: str) -> int:
    where = _where(space, sent)
    if event in LEAVING:
        kept = {name: _text(sent, name) for name in KEPT}
        if (transcript := kept["transcript_path"]) is not None:
            path = Path(kept["cwd"] or Path.cwd(), Path(transcript).expanduser())
            kept["transcript_path"] = str(path)
        item = {"event": event, "url": url, **where, **kept}
        spool.drop(environment.home() / environment.SPOOL, item)
        if event == "pre-compact":
            compaction.note(environment.home(), item)
        return try_start_worker(url)
    from glymph.hooks import session
    from glymph.jobs.project import space_of

    return session.answer(event, sent, url, space_of(where))

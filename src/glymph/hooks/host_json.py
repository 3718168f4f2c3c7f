"""Reads what the host sends on standard input: one JSON object, for which it waits only briefly."""

from __future__ import annotations

import json
import os
import select
import sys

TYPE_CHECKING = False  # `typing` itself would cost a hook some milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MOST_BYTES = 10_000_000  # of the host's JSON
PATIENCE = 1.0  # seconds of silence after which to give up; hosts give some hooks 1.5 in all
PIECE = 1 << 16
NOTHING = "the host sent nothing on standard input; a hook is given one JSON object there"


def read_hook_json() -> dict[str, Any]:
    """Returns the host's JSON object; an empty one when a person calls the hook in a terminal.

    Raises ValueError if it is missing, malformed, no object or too long. A host that never closes
    its end does not hold the hook up.
    """
    if sys.stdin is None:  # closed by the host
        raise ValueError(NOTHING)
    number = sys.stdin.fileno()
    if os.isatty(number):
        return {}
    found, body = _read(_read_in_thread(number) if os.name == "nt" else lambda: _read_piece(number))
    if found is None:
        if not body.strip():
            raise ValueError(NOTHING)
        found = _parse(body)
    if not isinstance(found, dict):
        raise ValueError(f"the host sent JSON of type {type(found).__name__}, not an object")
    return found


def _read(piece: Callable[[], bytes | None]) -> tuple[Any, bytes]:
    """Returns what was sent until its end, or until it is a whole object.

    In that case the end need not be waited for.
    """
    body = b""
    while chunk := piece():
        body += chunk
        if len(body) > MOST_BYTES:
            raise ValueError(f"the host sent more than {MOST_BYTES:,} bytes")
        if len(chunk) < PIECE and body.rstrip().endswith(b"}"):
            try:
                return json.loads(body), body
            except ValueError:
                continue  # the brace was one of many
            except RecursionError:
                break
    return None, body


def _parse(body: bytes) -> Any:
    try:
        return json.loads(body)
    except RecursionError:
        raise ValueError("the host sent JSON that is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"the host sent malformed JSON: {error}") from None


def _read_piece(number: int) -> bytes | None:
    """Returns the next bytes of a file, none at its end; None after a silence."""
    ready, _, _ = select.select([number], [], [], PATIENCE)
    return os.read(number, PIECE) if ready else None


def _read_in_thread(number: int) -> Callable[[], bytes | None]:
    """Returns a `_read_piece` for where `select` knows no pipes.

    A thread reads, and is left behind if nothing comes.
    """
    import threading
    from queue import Empty, SimpleQueue

    pieces: SimpleQueue[bytes] = SimpleQueue()

    def read() -> None:
        while chunk := os.read(number, PIECE):
            pieces.put(chunk)
        pieces.put(b"")

    threading.Thread(target=read, name="glymph-stdin", daemon=True).start()

    def piece() -> bytes | None:
        try:
            return pieces.get(timeout=PATIENCE)
        except Empty:
            return None

    return piece

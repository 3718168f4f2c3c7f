"""Child processes that start warm."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

# By fork on Linux, so that children need not import everything again; elsewhere they start from
# nothing, which
# is slower and measures the same. SQLite connections do not survive a fork: a child opens the store
# itself, and
# its parent has none open meanwhile.
CONTEXT: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


def start(target: Callable[..., None], *arguments: object) -> tuple[BaseProcess, Connection]:
    """A child that runs `target(sender, *arguments)`, and the end of the pipe on which to hear it."""
    receiver, sender = CONTEXT.Pipe(duplex=False)
    child = CONTEXT.Process(target=target, args=(sender, *arguments), daemon=True)
    child.start()
    sender.close()  # the child holds the only other one, so its death ends the pipe
    return child, receiver

"""A model behind a command, such as `claude -p`.

It takes the prompt on its input and prints the answer. It runs without a shell in a group of its
own, and the whole group is ended when the time is up, when the call is called off or interrupted,
when it prints too much, or when this process ends; by SIGTERM and SIGHUP only where the call is
made in its main thread or the process handles them, and never by SIGKILL.

Nothing holds it to a schema or a number of tokens: it is told about both. Nor can it be held to a
price beforehand: what is set aside for a call is an estimate by its tokens, and what the command
then says it cost counts from the moment it says so.

`GLYMPH_DEPTH` tells what runs inside that it does, so that a hook which asks a model again comes to
an end.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import IO, Any

from glymph.errors import InvalidInput, ModelCancelled, ModelFailed, ModelTimedOut
from glymph.llm.contract import TIMEOUT, ModelProvider
from glymph.llm.dialogue import Message, Prices, Reply, Schema, Usage, tokens_of
from glymph.llm.failures import make_failure
from glymph.llm.prices import prices_of
from glymph.text.secrets import mask_secrets
from glymph.text.tokens import tokens

DEPTH, MOST_DEPTH = "GLYMPH_DEPTH", 2
MOST_BYTES = 4_000_000  # of what it prints
MOST_SHOWN = 20_000  # characters of it that are searched for secrets, to show the last of them
TICK = 0.02  # seconds until a call notices that it ended or was called off
FATAL = [signal.SIGTERM] + ([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])
COUNTS_IN = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
ASKED = (
    "Answer with one JSON object and nothing else, in at most {most} tokens. It must fit this JSON "
    "Schema:\n"
)


def from_spec(detail: str, *, url: str, key: str, prices: str) -> CommandModel:
    return CommandModel(detail, key=key, prices=prices)


PROVIDER = ModelProvider("command:COMMAND", from_spec)


class CommandModel:
    """A command line as a model. Opening it starts nothing."""

    def __init__(self, command: str, *, key: str = "", prices: str = "") -> None:
        try:
            self._command = shlex.split(command)
        except ValueError as error:
            raise InvalidInput(
                "model", f"{command!r} is no command ({error}). Close its quotes."
            ) from error
        if not self._command:
            raise InvalidInput(
                "model", "command: names no command. Write it like command:claude -p --model haiku."
            )
        model = _option(self._command, "--model")
        self._key = key
        # Not the whole line: its arguments may hold what does not belong into a ledger.
        self.name = ":".join(filter(None, ["command", PurePath(self._command[0]).name, model]))
        self.prices: Prices = prices_of(model, stated=prices)

    def __repr__(self) -> str:
        return f"CommandModel({self.name!r})"

    def complete(
        self, messages: Sequence[Message], schema: Schema | None = None, *, max_tokens: int = 1024,
        timeout: float = TIMEOUT, cancel: threading.Event | None = None,
    ) -> Reply:  # fmt: skip
        prompt, deadline = _prompt(messages, schema, max_tokens), time.monotonic() + timeout
        with _ended_along(), _Run(self._start(), prompt.encode("utf-8", "replace")) as run:
            self._wait(run, deadline, timeout, cancel)
        if run.process.returncode:
            problem = (
                f"it ended with {run.process.returncode} "
                f"({self._quote(run.complained.text or run.printed.text)})"
            )
            raise make_failure(
                self.name, problem, "Run the command by hand to see what it lacks.", charged=True
            )
        return self._reply(run.printed.text, messages, prompt)

    def close(self) -> None:
        """Nothing outlives a call."""

    def _wait(
        self, run: _Run, deadline: float, timeout: float, cancel: threading.Event | None
    ) -> None:
        """Waits until a command is over.

        Raises one of ModelFailed if that must not be waited for.
        """
        while not run.is_over():
            if cancel is not None and cancel.is_set():
                raise ModelCancelled(self.name)
            if time.monotonic() >= deadline:
                raise ModelTimedOut(self.name, timeout)
            if run.printed.is_full or run.complained.is_full:
                step = "Check the command: it should print the answer and nothing else."
                raise make_failure(
                    self.name, f"it printed more than {MOST_BYTES:,} bytes", step, charged=True
                )
            run.wait(max(0.0, min(TICK, deadline - time.monotonic())))

    def _start(self) -> subprocess.Popen[bytes]:
        # The one place beside the interfaces that reads the environment: a command must inherit it.
        inherited = dict(os.environ)
        depth = int(value) if (value := inherited.get(DEPTH, "")).isdecimal() else 0
        if depth >= MOST_DEPTH:
            step = (
                f"Take Glymph's hooks out of what the command starts, or unset {DEPTH} if it was "
                "set by hand."
            )
            raise ModelFailed(self.name, "it was started from inside itself", step)
        try:
            return subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, start_new_session=True,
                env=inherited | {DEPTH: str(depth + 1)},
            )  # fmt: skip
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            step = "Install it, or give its full path in the setting model."
            problem = f"{self._command[0]} cannot be started ({why})"
            raise make_failure(self.name, problem, step, charged=False) from error

    def _reply(self, printed: str, messages: Sequence[Message], prompt: str) -> Reply:
        told = _parse_printed(printed)
        if told is None:
            return Reply(printed.strip(), Usage(tokens(prompt), tokens(printed)))
        text = told["result"]
        if told.get("is_error"):
            step = "Run the command by hand to see what it lacks."
            raise make_failure(
                self.name, f"it reports an error ({self._quote(text)})", step, charged=True
            )
        return Reply(text, _usage(told) or Usage(tokens_of(messages), tokens(text)))

    def _quote(self, text: str) -> str:
        """Returns the last that was said, on one line and without secrets.

        The key and anything else that looks like a secret is cut out.
        """
        text = text[-MOST_SHOWN:]
        text = mask_secrets(text.replace(self._key, "[key]") if self._key else text)[0]
        return " ".join(text.split())[-300:] or "it said nothing"


class _Pipe(threading.Thread):
    """Reads what a process prints, up to the cap."""

    def __init__(self, pipe: IO[bytes]) -> None:
        super().__init__(name="glymph-command", daemon=True)
        self._pipe, self._read, self.is_full = pipe, bytearray(), False

    @property
    def text(self) -> str:
        return self._read.decode("utf-8", "replace")

    def run(self) -> None:
        with self._pipe:
            while chunk := os.read(self._pipe.fileno(), 65536):
                if len(self._read) + len(chunk) > MOST_BYTES:
                    self.is_full = True
                    return
                self._read += chunk


class _Run:
    """A command under way.

    It counts as over when its output is closed and it has ended, in this order: as long as it has
    not been waited for, its number names it and its group and no other. Left before, it is ended.
    """

    def __init__(self, process: subprocess.Popen[bytes], prompt: bytes) -> None:
        assert process.stdout is not None
        assert process.stderr is not None
        self.process = process
        _RUNNING.add(self)
        self.printed, self.complained = _Pipe(process.stdout), _Pipe(process.stderr)
        feeder = threading.Thread(
            target=self._feed, args=(prompt,), name="glymph-command", daemon=True
        )
        self._threads = (self.printed, self.complained, feeder)

    def __enter__(self) -> _Run:
        try:
            for thread in self._threads:
                thread.start()
        except BaseException:  # an interruption is one, too
            self.end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def is_over(self) -> bool:
        if (
            self.printed.is_alive()
            or self.complained.is_alive()
            or self.printed.is_full
            or self.complained.is_full
        ):
            return False
        return self.process.poll() is not None

    def wait(self, seconds: float) -> None:
        if self.printed.is_alive():
            self.printed.join(seconds)
        else:
            time.sleep(seconds)

    def end(self) -> None:
        """Ends the whole group, unless it is over."""
        self.kill()
        self.process.wait()
        _RUNNING.discard(self)

    def kill(self) -> None:
        if self.process.returncode is None:
            with contextlib.suppress(
                ProcessLookupError, PermissionError
            ):  # the latter for one that just ended
                os.killpg(self.process.pid, signal.SIGKILL)

    def _feed(self, prompt: bytes) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # a command need not read what it is told
            self.process.stdin.write(prompt)
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()


_RUNNING: set[_Run] = set()


@atexit.register
def _end_all() -> None:
    """Ends what runs in other threads when the process ends."""
    for run in tuple(_RUNNING):
        run.kill()


@contextlib.contextmanager
def _ended_along() -> Iterator[None]:
    """While this lasts, a signal that would end this process at once ends its commands first."""
    numbers: list[signal.Signals] = []
    if threading.current_thread() is threading.main_thread():
        numbers = [each for each in FATAL if signal.getsignal(each) is signal.SIG_DFL]
    try:
        for number in numbers:
            signal.signal(number, _end_with_all)
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)


def _end_with_all(number: int, _frame: object) -> None:
    _end_all()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _prompt(messages: Sequence[Message], schema: Schema | None, most: int) -> str:
    parts = [
        f"You answered:\n{m.content}" if m.role == "assistant" else m.content for m in messages
    ]
    if schema is not None:
        parts.append(ASKED.format(most=most) + json.dumps(schema))
    return "\n\n".join(parts)


def _option(command: list[str], name: str) -> str:
    """Returns the value of an option of a command line; empty if it has none."""
    for at, word in enumerate(command):
        if word.startswith(f"{name}="):
            return word.removeprefix(f"{name}=")
        if word == name and at + 1 < len(command):
            return command[at + 1]
    return ""


def _parse_printed(printed: str) -> dict[str, Any] | None:
    """Returns what `claude -p --output-format json` prints; None if it is anything else."""
    try:
        value = json.loads(printed)
    except (ValueError, RecursionError):
        return None
    known = (
        isinstance(value, dict)
        and isinstance(value.get("result"), str)
        and {"usage", "is_error"} & value.keys()
    )
    return value if known else None


def _usage(told: dict[str, Any]) -> Usage | None:
    """Returns the usage that the command reports, cached tokens included; None if it does not."""
    said, cost = told.get("usage"), told.get("total_cost_usd")
    if not isinstance(said, dict):
        return None
    counts = [said.get(name) or 0 for name in (*COUNTS_IN, "output_tokens")]
    if not all(isinstance(count, int) and count >= 0 for count in counts):
        return None
    cost_usd = float(cost) if isinstance(cost, int | float) and cost >= 0 else None
    return Usage(sum(counts[:-1]), counts[-1], cost_usd)

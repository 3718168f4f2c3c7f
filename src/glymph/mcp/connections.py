"""Connections of the HTTP server: each part of a request, and of its answer, has its time."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a client may take, in seconds, and how many may come at once."""

    header_s: float = 10.0  # from the first moment to the last byte of a request's header
    body_s: float = 30.0  # from there to the last byte of its body
    idle_s: int = 5  # between two requests
    reading_s: float = 30.0  # that a client reads nothing of an answer which waits for it
    most_connections: int = 512  # beyond them, requests are answered with 503

    def hold(self) -> type[H11Protocol]:
        """Returns the protocol of connections that are held this long."""
        return type("HeldConnection", (TimedConnection,), {"patience": self})


class TimedConnection(H11Protocol):
    """A connection that is closed when its client takes too long.

    uvicorn itself only limits the time between two requests: a client that sends one byte now and
    then, or reads no answer, would keep its connection for ever.
    """

    patience = Patience()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._timer: asyncio.TimerHandle | None = None
        self._waits_for = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > 2 * self.patience.most_connections:
            transport.abort()  # those above the limit that are told so are many enough
            return
        self._await_client()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._await_client()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._stop_waiting()
        if self.conn.their_state is not h11.IDLE:  # for which uvicorn's own limit holds
            self._await_client()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._wait("reading", self.patience.reading_s)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._waits_for == "reading":
            self._stop_waiting()

    def _await_client(self) -> None:
        """Starts the time for what the client has to send next. More bytes of it give no more."""
        if self.transport.is_closing() or self._waits_for == "reading":
            return
        if self.conn.their_state is h11.IDLE:
            self._wait("header", self.patience.header_s)
        elif self.conn.their_state is h11.SEND_BODY:
            self._wait("body", self.patience.body_s)
        else:
            self._stop_waiting()

    def _wait(self, what: str, seconds: float) -> None:
        if self._waits_for != what:
            self._stop_waiting()
            self._waits_for = what
            self._timer = self.loop.call_later(seconds, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._waits_for = None, ""

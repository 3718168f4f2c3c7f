"""Errors as problem+json (RFC 9457): their codes are the types, and one table has the statuses."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from glymph import errors
from glymph.text.secrets import mask_secrets
from glymph.tools.problems import say_problems

log = logging.getLogger("glymph.service")

MEDIA_TYPE = "application/problem+json"
TYPES = "https://github.com/glymph/glymph/blob/main/docs/reference/errors.md#"
JSON = "application/json"
LONGEST_HEADER = 100  # characters of a header that are quoted
LONGEST = 2000  # characters of a message: it may quote what was sent

# From the particular to the general: the first that fits counts.
STATUS: tuple[tuple[type[errors.GlymphError], int], ...] = (
    (errors.InvalidInput, 422),
    (errors.NotFound, 404),
    (errors.Unauthorized, 401),
    (errors.Forbidden, 403),
    (errors.Isolated, 403),
    (errors.VersionChanged, 412),
    (errors.TooFast, 429),
    (errors.NotOverTheWire, 422),
    (errors.Refused, 409),
    (errors.HistoryGone, 410),
    (errors.TooMuchHistory, 422),
    (errors.ReadOnlyStore, 409),
    (errors.StoreFull, 507),
    (errors.GlymphError, 503),  # a model, an embedder or the store: try again later
)
NOT_JSON = (
    "The body was not read: its Content-Type is {given}, and this address takes JSON. Send the "
    "header `Content-Type: application/json` with it (curl: -H 'Content-Type: application/json')."
)
STATUSES = sorted({400, 405, 413, 415, *(status for _, status in STATUS)})
SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "description": "Where this kind of error is described."},
        "title": {"type": "string", "description": "Its code, which stays the same."},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What happened, and what to do next."},
    },
}


class Unacceptable(HTTPException):
    """A request that is not one of ours: wrong as HTTP, before anything of Glymph's was asked."""


def status_for(error: errors.GlymphError) -> int:
    """Returns the status of an error."""
    return next(status for kind, status in STATUS if isinstance(error, kind))


def problem(
    status: int, code: str, detail: str, headers: Mapping[str, str] | None = None, **more: Any
) -> Response:
    """Returns an answer that says what is wrong."""
    shown = mask_secrets(detail)[0]
    shown = shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "…"
    body = {"type": f"{TYPES}{code}", "title": code, "status": status, "detail": shown, **more}
    # Escaped, for what is quoted may be half of a pair that UTF-8 cannot write.
    return Response(json.dumps(body), status, headers, media_type=MEDIA_TYPE)


def answer_error(request: Request, error: Exception) -> Response:
    """Returns the answer to a request that raised an error of Glymph's."""
    assert isinstance(error, errors.GlymphError)
    headers: dict[str, str] = {}
    if isinstance(error, errors.Unauthorized):
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, errors.TooFast):
        headers["Retry-After"] = str(max(1, round(error.seconds)))
    status = status_for(error)
    if status >= 500:
        log.warning("%s %s: %s", request.method, request.url.path, error)
    return problem(status, error.code, str(error), headers, **facts_of(error))


def facts_of(error: errors.GlymphError) -> dict[str, Any]:
    """Returns what an error knows besides its message, as far as JSON can carry it."""
    told = {name: value for name, value in vars(error).items() if _is_plain(value)}
    return {"facts": told} if told else {}


def _is_plain(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _is_plain(one) for key, one in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | int | float)


def answer_invalid(request: Request, error: Exception) -> Response:
    """Returns the answer to a request whose parts do not fit their schema."""
    assert isinstance(error, RequestValidationError)
    of_body = any(one["loc"][:1] == ("body",) for one in error.errors())
    if of_body and error.body and not _is_json(given := request.headers.get("content-type", "")):
        shown = repr(given[:LONGEST_HEADER]) if given else "missing"
        said = NOT_JSON.format(given=shown)
        return problem(415, "UnsupportedMediaType", said, {"Accept": JSON})
    return problem(422, "InvalidInput", say_problems(error.errors()))


def _is_json(content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    return kind == JSON or (kind.startswith("application/") and kind.endswith("+json"))


def answer_http(request: Request, error: Exception) -> Response:
    """Returns the answer to a request for what is not there, or not in that way."""
    assert isinstance(error, HTTPException)
    words = {404: "NoSuchPage", 405: "MethodNotAllowed", 413: "TooLarge"}
    said = {
        404: "There is nothing here. /v1/openapi.json lists what there is.",
        405: "This address takes other methods; the header Allow names them.",
    }
    detail = said.get(error.status_code, str(error.detail))
    code = words.get(error.status_code, "BadRequest")
    return problem(error.status_code, code, detail, error.headers)


def answer_bug(request: Request, error: Exception) -> Response:
    """Returns the answer to a request that met a bug; the log has the details."""
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    bug = f"{type(error).__name__}; this is a bug in Glymph. The server's log has the details."
    return problem(500, "InternalError", bug)

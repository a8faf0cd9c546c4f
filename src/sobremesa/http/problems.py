"""Problems: maps errors to HTTP statuses and problem details (RFC 9457).

This is the only table from errors to statuses. An error that is not in it is a bug: 500, with the details in the log
only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from sobremesa.core.errors import (
    Busy,
    Clash,
    Forbidden,
    Invalid,
    NotConfigured,
    NotFound,
    Refusal,
    SobremesaError,
    TooBig,
    TooMany,
    Unauthenticated,
)
from sobremesa.http.endpoints import camel
from sobremesa.table.errors import (
    BadCursor,
    BadKey,
    BadValue,
    Conflict,
    OutcomeUnknown,
    StoreError,
    TableError,
    TableMissing,
    Throttled,
    TooLarge,
)

CONTENT_TYPE = b"application/problem+json"
TYPE_PREFIX = "urn:sobremesa:problem:"


class MalformedRequest(Refusal):
    """The request is not valid JSON or not valid HTTP."""

    code = "malformed"
    default_detail = "The request is malformed."


class UnsupportedMedia(Refusal):
    """A body in another format than JSON."""

    code = "unsupported_media_type"
    default_detail = "The body must be JSON, with the content type application/json."


class NotCallable(Refusal):
    """An endpoint with an upload or a download."""

    code = "not_callable"
    default_detail = "Upload and download files over HTTP, not over the gateway."


_STATUS: Mapping[type[SobremesaError | TableError], int] = {
    MalformedRequest: 400,
    Unauthenticated: 401,
    Forbidden: 403,
    NotFound: 404,
    Clash: 409,
    TooBig: 413,
    NotCallable: 415,
    UnsupportedMedia: 415,
    Invalid: 422,
    TooMany: 429,
    NotConfigured: 501,
    Busy: 503,
    # Errors of the table that no service has translated.
    BadCursor: 422,
    BadKey: 422,
    BadValue: 422,
    TooLarge: 413,
    Conflict: 503,
    Throttled: 503,
    OutcomeUnknown: 503,
    StoreError: 503,
    TableMissing: 503,
}

TITLES = {
    400: "Malformed request",
    401: "Not authenticated",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    409: "Conflict",
    413: "Too large",
    415: "Unsupported media type",
    422: "Invalid input",
    429: "Too many requests",
    431: "Header too large",
    500: "Internal error",
    501: "Not configured",
    503: "Unavailable",
    504: "Timed out",
}

_CODES: dict[type[TableError], str] = {
    BadCursor: "bad_cursor",
    BadKey: "invalid",
    BadValue: "invalid",
    TooLarge: "too_large",
    OutcomeUnknown: "outcome_unknown",
}
_RETRY_SECONDS = 1

_encode = msgspec.json.Encoder().encode


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """An error as a client sees it. `data` is added to the top level, next to the standard members."""

    status: int
    code: str
    detail: str
    data: dict[str, Any] = {}

    @property
    def body(self) -> bytes:
        return _encode(
            {
                **{camel(name): value for name, value in self.data.items()},
                "type": TYPE_PREFIX + self.code,
                "title": TITLES[self.status],
                "status": self.status,
                "detail": self.detail,
                "code": self.code,
            }
        )

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        headers = [(b"content-type", CONTENT_TYPE)]
        if self.status == 401:
            headers.append((b"www-authenticate", b"Bearer"))
        if self.status in (429, 503):
            wait = self.data.get("retry_after", _RETRY_SECONDS)
            headers.append((b"retry-after", str(wait).encode()))
        return headers


def problem_of(error: Exception) -> Problem:
    """Return the problem of an error, without internal details."""
    for kind in type(error).__mro__:
        status = _STATUS.get(kind)
        if status is None:
            continue
        if isinstance(error, Refusal):
            return Problem(status=status, code=error.code, detail=str(error), data=error.data)
        code = _CODES.get(kind, "busy")
        # Messages of the store may contain file and host names: they go to the log only.
        detail = str(error) if status < 500 else "The store is temporarily unavailable. Try again."
        return Problem(status=status, code=code, detail=detail)
    return Problem(status=500, code="internal", detail="Internal error. The log contains the request id.")


def status_of(error: type[SobremesaError | TableError]) -> int:
    """Return the status of an error class."""
    return next(_STATUS[kind] for kind in error.__mro__ if kind in _STATUS)

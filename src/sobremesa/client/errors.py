"""The errors of the client.

ClientError
├── ApiError           the server responded with an error: `status`, `code`, `detail`, `data`
│   └── SignedOut          there is no valid token: log in again
├── Unreachable        there was no response, and nothing was changed
├── OutcomeUnknown     there was no response to a request that may have succeeded
└── GatewayRefused     the server refuses this connection permanently
"""

from __future__ import annotations

from typing import Any

import msgspec

_STANDARD = {"type", "title", "status", "detail", "code"}


class ClientError(Exception):
    """Base class of all errors of the client."""


class ApiError(ClientError):
    """The server responded with an error. `code` is stable, for programs; `data` has the problem's further fields."""

    def __init__(self, status: int, code: str, detail: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(f"{status} {code}: {detail}")
        self.status = status
        self.code = code
        self.detail = detail
        self.data = data or {}

    @property
    def retry_after(self) -> float | None:
        """The seconds to wait, if the response has them."""
        seconds = self.data.get("retryAfter")
        return seconds if isinstance(seconds, int | float) else None


class SignedOut(ApiError):
    """The token was refused and cannot be refreshed."""


class Unreachable(ClientError):
    """The server cannot be reached, or did not respond; it is safe to retry."""


class OutcomeUnknown(ClientError):
    """The connection was lost before the response: the request may have succeeded or not."""


class GatewayRefused(ClientError):
    """The server refuses this connection, and a retry would not help."""


def error_of(status: int, problem: Any) -> ApiError:
    """Return the error of a problem (RFC 9457); other bodies, such as a proxy's page, have only a status."""
    if not isinstance(problem, dict) or "code" not in problem:
        return ApiError(status, "unreadable", "The response is not a problem of the API.")
    data = {name: value for name, value in problem.items() if name not in _STANDARD}
    return ApiError(status, str(problem["code"]), str(problem.get("detail", "")), data)


def error_of_body(status: int, body: bytes) -> ApiError:
    """Return the error of a response body."""
    try:
        return error_of(status, msgspec.json.decode(body))
    except msgspec.DecodeError:
        return error_of(status, None)

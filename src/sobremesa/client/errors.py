"""What goes wrong for a client.

ClientError
├── ApiError           the server answered, and the answer is no: `status`, `code`, `detail`, `data`
│   └── SignedOut          nobody is signed in (any more): log in again
├── Unreachable        no answer came, and nothing was done that matters
├── OutcomeUnknown     no answer came to something that may have been done
└── GatewayRefused     the server will not have this connection, now or later
"""

from __future__ import annotations

from typing import Any

import msgspec

_STANDARD = {"type", "title", "status", "detail", "code"}


class ClientError(Exception):
    """Something that a program can understand and act upon."""


class ApiError(ClientError):
    """The server said no. `code` is stable and for programs, `data` is what the problem tells beside the sentence."""

    def __init__(self, status: int, code: str, detail: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(f"{status} {code}: {detail}")
        self.status = status
        self.code = code
        self.detail = detail
        self.data = data or {}

    @property
    def retry_after(self) -> float | None:
        """The seconds to wait, where the answer says so."""
        seconds = self.data.get("retryAfter")
        return seconds if isinstance(seconds, int | float) else None


class SignedOut(ApiError):
    """The token is refused and there is no fresh one to be had."""


class Unreachable(ClientError):
    """The server cannot be reached, or did not answer; trying again changes nothing twice."""


class OutcomeUnknown(ClientError):
    """The connection was lost before the answer: it may have been done or not."""


class GatewayRefused(ClientError):
    """The server does not take this connection, and trying again would not help."""


def error_of(status: int, problem: Any) -> ApiError:
    """The error that a problem (RFC 9457) tells; a proxy's own page has only its status."""
    if not isinstance(problem, dict) or "code" not in problem:
        return ApiError(status, "unreadable", "The answer is no problem of the API's.")
    data = {name: value for name, value in problem.items() if name not in _STANDARD}
    return ApiError(status, str(problem["code"]), str(problem.get("detail", "")), data)


def error_of_body(status: int, body: bytes) -> ApiError:
    """The same, of a body as it came."""
    try:
        return error_of(status, msgspec.json.decode(body))
    except msgspec.DecodeError:
        return error_of(status, None)

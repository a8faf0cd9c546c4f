"""The errors that Sobremesa raises.

SobremesaError
├── Refusal            a rule of the product does not allow the request; nothing was written
│   ├── Unauthenticated    the request has no valid token
│   ├── Forbidden          the actor lacks a permission
│   ├── NotFound           the resource does not exist, or the actor may not know of it
│   ├── Clash              the current state does not allow the request
│   ├── Invalid            the input is not valid
│   ├── TooBig             the input is above a limit
│   ├── TooMany            a rate limit was exceeded
│   └── NotConfigured      the operator has not configured this feature
└── Busy               the same request may succeed later

The toolkit knows nothing of the application: its errors have a tree of their own, `table.errors.TableError`.

An error has a message, a stable `code` for programs, and `data` that a caller may need. Domains subclass these errors;
only `http.problems` knows statuses.
"""

from __future__ import annotations

from typing import Any, ClassVar


class SobremesaError(Exception):
    """The base class of the errors that a caller can handle."""


class Refusal(SobremesaError):
    """A rule of the product does not allow the request."""

    code: ClassVar[str]
    says: ClassVar[str]

    def __init__(self, detail: str | None = None, /, **data: Any) -> None:
        super().__init__(detail or self.says)
        self.data = data


class Unauthenticated(Refusal):
    """The request has no valid token."""

    code = "unauthenticated"
    says = "A valid token is required."


class Forbidden(Refusal):
    """The actor lacks a permission."""

    code = "forbidden"
    says = "You do not have permission to do this."


class NotFound(Refusal):
    """The resource does not exist, or the actor may not know of it: the response is the same."""

    code = "not_found"
    says = "Not found."


class Clash(Refusal):
    """The current state does not allow the request."""

    code = "conflict"
    says = "The current state does not allow this."


class Invalid(Refusal):
    """The input is not valid; `errors` in the data lists the fields."""

    code = "invalid"
    says = "The input is not valid."


class TooBig(Refusal):
    """The input is above a limit; `limit` in the data is that limit."""

    code = "too_large"
    says = "The input is too large."


class TooMany(Refusal):
    """A rate limit was exceeded; `retry_after` in the data is how many seconds to wait."""

    code = "too_many_requests"
    says = "Too many requests. Try again later."


class NotConfigured(Refusal):
    """The operator of this service has not configured this feature."""

    code = "not_configured"
    says = "This feature is not configured."


class Busy(SobremesaError):
    """A temporary failure: the same request may succeed later."""

    code: ClassVar[str] = "busy"
    says: ClassVar[str] = "The service is busy. Try again later."

    def __init__(self, detail: str | None = None) -> None:
        super().__init__(detail or self.says)

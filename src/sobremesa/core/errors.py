"""What Sobremesa raises on purpose.

SobremesaError
├── Refusal            a rule of the product says no; nothing was written
│   ├── Unauthenticated    nobody we know
│   ├── Forbidden          somebody without the right
│   ├── NotFound           nothing there, or nothing that this person may know of
│   ├── Clash              the state of things does not allow it
│   ├── Invalid            input that breaks a rule
│   ├── TooBig             input above a limit
│   ├── TooMany            too often
│   └── NotConfigured      the operator has not set up what this needs
└── Busy               no fault of the caller: the same again later may work

The toolkit knows nothing of the application: its errors have a tree of their own, `table.errors.TableError`.

An error says what happened in its message, has a stable `code` for programs, and carries what a caller may need in
`data`. A domain gives its refusals names by subclassing; only `http.problems` knows statuses.
"""

from __future__ import annotations

from typing import Any, ClassVar


class SobremesaError(Exception):
    """Something that a caller can understand and act upon."""


class Refusal(SobremesaError):
    """A rule of the product says no."""

    code: ClassVar[str]
    says: ClassVar[str]

    def __init__(self, detail: str | None = None, /, **data: Any) -> None:
        super().__init__(detail or self.says)
        self.data = data


class Unauthenticated(Refusal):
    """No token, or one that proves nothing."""

    code = "unauthenticated"
    says = "A valid token is needed."


class Forbidden(Refusal):
    """Known, and without the right."""

    code = "forbidden"
    says = "This needs a right that you do not have here."


class NotFound(Refusal):
    """Nothing there. A stranger gets the same answer as for nothing at all."""

    code = "not_found"
    says = "There is nothing here."


class Clash(Refusal):
    """The state of things does not allow it now."""

    code = "conflict"
    says = "The state of things does not allow this."


class Invalid(Refusal):
    """Input that breaks a rule; `errors` in the data says where."""

    code = "invalid"
    says = "The input breaks a rule."


class TooBig(Refusal):
    """Input above a limit; `limit` in the data is that limit."""

    code = "too_large"
    says = "The input is too large."


class TooMany(Refusal):
    """Too often; `retry_after` in the data is how many seconds to wait."""

    code = "too_many_requests"
    says = "Too many requests: wait a little."


class NotConfigured(Refusal):
    """The operator of this service has not set up what this needs."""

    code = "not_configured"
    says = "This is not set up here."


class Busy(SobremesaError):
    """No fault of the caller: the same request may work in a moment."""

    code: ClassVar[str] = "busy"
    says: ClassVar[str] = "The service is busy: try again in a moment."

    def __init__(self, detail: str | None = None) -> None:
        super().__init__(detail or self.says)

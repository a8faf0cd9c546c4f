"""The errors that Sobremesa raises.

SobremesaError
├── Refusal            a rule of the product does not allow the request; nothing was written
│   ├── Unauthenticated    the request has no valid token
│   ├── Forbidden          the actor lacks a permission
│   │   └── RankTooLow         their role is not above that of the other member
│   ├── NotFound           the resource does not exist, or the actor may not know of it
│   ├── Clash              the current state does not allow the request
│   │   ├── AlreadyMember      the user is a member already
│   │   ├── ChangedMeanwhile   another request changed the same rows first
│   │   └── StaleVersion       there is a newer version than the one that the caller named
│   ├── Invalid            the input is not valid
│   │   └── UnknownUsers       it names users that do not exist in the actor's tenant
│   ├── TooBig             the input is above a limit
│   ├── TooMany            a rate limit was exceeded
│   └── NotConfigured      the operator has not configured this feature
└── Busy               the same request may succeed later

The toolkit knows nothing of the application: its errors have a tree of their own, `table.errors.TableError`.

An error has a message, a stable `code` for programs, and `data` that a caller may need. Domains subclass these errors;
only `http.problems` knows statuses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

MAX_LISTED_USERS = 100
"""How many unknown users an error lists."""


class SobremesaError(Exception):
    """The base class of the errors that a caller can handle."""


class Refusal(SobremesaError):
    """A rule of the product does not allow the request."""

    code: ClassVar[str]
    default_detail: ClassVar[str]

    def __init__(self, detail: str | None = None, /, **data: Any) -> None:
        super().__init__(detail or self.default_detail)
        self.data = data


class Unauthenticated(Refusal):
    """The request has no valid token."""

    code = "unauthenticated"
    default_detail = "A valid token is required."


class Forbidden(Refusal):
    """The actor lacks a permission."""

    code = "forbidden"
    default_detail = "You do not have permission to do this."


class RankTooLow(Forbidden):
    """The role of the actor is not above that of the other member."""

    code = "rank_too_low"
    default_detail = "Only a member with a higher role may do this."


class NotFound(Refusal):
    """The resource does not exist, or the actor may not know of it: the response is the same."""

    code = "not_found"
    default_detail = "Not found."


class Clash(Refusal):
    """The current state does not allow the request."""

    code = "conflict"
    default_detail = "The current state does not allow this."


class AlreadyMember(Clash):
    """The user is a member already."""

    code = "already_member"
    default_detail = "This user is already a member."


class ChangedMeanwhile(Clash):
    """Another request changed the same rows first."""

    code = "changed_meanwhile"
    default_detail = "This was changed at the same time: fetch it again and retry."


class StaleVersion(Clash):
    """There is a newer version than the one that the caller named; `current` in the data is the current state."""

    code = "stale_version"
    default_detail = "This version is out of date: see `current`."


class Invalid(Refusal):
    """The input is not valid; `errors` in the data lists the fields."""

    code = "invalid"
    default_detail = "The input is not valid."


class UnknownUsers(Invalid):
    """The input names users that do not exist in the actor's tenant; `user_ids` in the data lists them as given."""

    code = "unknown_user"
    default_detail = "Some of these users do not exist."

    @classmethod
    def among(cls, user_ids: Sequence[str]) -> Self:
        """Return the error of any number of unknown users: it lists the first of them, and their count."""
        return cls(user_ids=list(user_ids[:MAX_LISTED_USERS]), count=len(user_ids))


class TooBig(Refusal):
    """The input is above a limit; `limit` in the data is that limit."""

    code = "too_large"
    default_detail = "The input is too large."


class TooMany(Refusal):
    """A rate limit was exceeded; `retry_after` in the data is how many seconds to wait."""

    code = "too_many_requests"
    default_detail = "Too many requests. Try again later."


class NotConfigured(Refusal):
    """The operator of this service has not configured this feature."""

    code = "not_configured"
    default_detail = "This feature is not configured."


class Busy(SobremesaError):
    """A temporary failure: the same request may succeed later."""

    code: ClassVar[str] = "busy"
    default_detail: ClassVar[str] = "The service is busy. Try again later."

    def __init__(self, detail: str | None = None) -> None:
        super().__init__(detail or self.default_detail)

"""Custom data: a JSON object that a product stores with a user, a room or a message, within fixed bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Protocol, TypeAlias, get_args

import msgspec

from sobremesa.core.actor import Tenant
from sobremesa.core.errors import Invalid

MAX_BYTES = 4096
"""How large it may be, as compact JSON in UTF-8."""
MAX_DEPTH = 8
"""How deep objects and lists may be nested, including the object itself."""

DataKind: TypeAlias = Literal["user", "server", "channel", "conversation", "thread", "message"]
"""What has custom data."""
KINDS: tuple[DataKind, ...] = get_args(DataKind)

CustomData = Annotated[
    dict[str, Any],
    msgspec.Meta(
        description=f"A JSON object of your own: at most {MAX_BYTES} bytes, nested at most {MAX_DEPTH} deep.",
        examples=[{"orderId": "A-17"}],
    ),
]


class BadData(Invalid):
    """The custom data is too large or deep, has an empty key, or does not match the schema; `errors` has the paths."""

    code = "bad_data"
    default_detail = "The custom data is not valid."


class DataChecks(Protocol):
    """Checks custom data before it is stored."""

    async def check(self, tenant: Tenant, kind: DataKind, data: Mapping[str, Any] | None) -> None:
        """Raise BadData unless the data is within the bounds, and matches the schema of its kind in the tenant."""
        ...


class BoundsOnly:
    """Checks the bounds, without schemas."""

    async def check(self, tenant: Tenant, kind: DataKind, data: Mapping[str, Any] | None) -> None:
        require_bounded(data)


def require_bounded(data: Mapping[str, Any] | None) -> None:
    """Raise BadData if the data is too large, nested too deep, or has an empty key, which the table cannot store."""
    if data is None:
        return
    if depth_of(data, MAX_DEPTH) > MAX_DEPTH:
        raise BadData(errors=[_error(f"It is nested more than {MAX_DEPTH} levels deep.")])
    if _has_empty_key(data):
        raise BadData(errors=[_error("It has an empty key.")])
    size = len(msgspec.json.encode(data))
    if size > MAX_BYTES:
        raise BadData(errors=[_error(f"It has {size} bytes, more than {MAX_BYTES}.")])


def depth_of(value: object, at_most: int) -> int:
    """Return how deep objects and lists are nested; anything deeper than `at_most` counts as one more."""
    if at_most < 0 or not isinstance(value, Mapping | list):
        return 0
    inside = value.values() if isinstance(value, Mapping) else value
    return 1 + max((depth_of(each, at_most - 1) for each in inside), default=0)


def _has_empty_key(value: object) -> bool:
    if isinstance(value, Mapping):
        return "" in value or any(map(_has_empty_key, value.values()))
    return isinstance(value, list) and any(map(_has_empty_key, value))


def _error(detail: str) -> dict[str, str]:
    return {"in": "body", "pointer": "#/data", "detail": detail}

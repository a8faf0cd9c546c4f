"""Options of a store in a service, from its address: where the service is, and how its table is created."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import Meta

DEFAULT_KMS_KEY = "alias/aws/dynamodb"
"""The key that AWS manages for DynamoDB."""


class BadOption(ValueError):
    """An option is not valid."""


class Range(NamedTuple):
    """The least and the most units a second."""

    least: int
    most: int


class ServiceOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of a store in DynamoDB, apart from its region and endpoint.

    Those from `billing` on apply only when the table is created, and `billing` also to its new indexes.
    """

    streams_endpoint: str | None = None
    autoscaling_endpoint: str | None = None
    attempt_seconds: Annotated[float, Meta(gt=0, le=60)] | None = None
    billing: Literal["on-demand", "provisioned"] = "on-demand"
    read_units: str | None = None
    write_units: str | None = None
    utilization: Annotated[int, Meta(ge=20, le=90)] = 70
    warm_reads: Annotated[int, Meta(ge=1)] | None = None
    warm_writes: Annotated[int, Meta(ge=1)] | None = None
    point_in_time_recovery: bool = False
    deletion_protection: bool = False
    kms_key: str | None = None
    tags: str = ""

    def __post_init__(self) -> None:
        given = (self.read_units, self.write_units)
        if self.billing == "provisioned" and None in given:
            raise BadOption("billing=provisioned needs read_units and write_units, such as 5 or 5-500")
        if self.billing == "on-demand" and given != (None, None):
            raise BadOption("read_units and write_units need billing=provisioned")
        if (self.warm_reads is None) != (self.warm_writes is None):
            raise BadOption("warm_reads and warm_writes need each other")
        self.reads, self.writes, self.tag_list  # noqa: B018 - each raises if it is not valid

    @property
    def reads(self) -> Range | None:
        """The provisioned read units: two different numbers are the bounds of autoscaling."""
        return _range("read_units", self.read_units)

    @property
    def writes(self) -> Range | None:
        """The provisioned write units."""
        return _range("write_units", self.write_units)

    @property
    def tag_list(self) -> list[tuple[str, str]]:
        """The tags, as names and values."""
        tags = [tuple(part.partition("=")) for part in self.tags.split(",") if part.strip()]
        if bad := [name for name, equals, _ in tags if not equals or not name.strip()]:
            raise BadOption(f"tags: {bad[0]!r} has no value; tags are written as team=chat,env=prod")
        return [(name.strip(), value.strip()) for name, _, value in tags]


def parse_options(options: Mapping[str, str]) -> ServiceOptions:
    """Return the options of an address; raise BadOption, with the name of the option, if one is not valid."""
    try:
        return msgspec.convert(dict(options), ServiceOptions, strict=False)
    except BadOption:
        raise
    except msgspec.ValidationError as error:
        raise BadOption(str(error).replace("`$.", "`")) from None


def _range(name: str, text: str | None) -> Range | None:
    if text is None:
        return None
    least, dash, most = text.partition("-")
    try:
        found = Range(int(least), int(most) if dash else int(least))
    except ValueError:
        raise BadOption(f"{name} is {text!r}; it must be a number, or two such as 5-500") from None
    if not 1 <= found.least <= found.most:
        raise BadOption(f"{name} is {text!r}; it must be at least 1, and the second number not below the first")
    return found

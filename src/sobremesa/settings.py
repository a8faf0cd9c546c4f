"""Settings: every one has a default that works on a fresh machine, and an environment variable.

`store` is `SOBREMESA_STORE`, `rate_limits` is `SOBREMESA_RATE_LIMITS`, and so on. Lists and structures are JSON, or
for a list of plain texts also `a,b,c`.
"""

from __future__ import annotations

import typing
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from sobremesa.errors import SobremesaError

PREFIX = "SOBREMESA_"
DEFAULT_STORE = "sqlite:///sobremesa.db"


class BadSetting(SobremesaError):
    """A setting that cannot be used; the message names it."""


class Issuer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A product's own issuer of tokens: its people come in by them.

    Exactly one of the three says with which keys it signs. `tenant` is fixed, or read from the claim `tenant_claim`.
    """

    issuer: str
    audience: str
    jwks_url: str | None = None
    jwks_file: str | None = None
    public_key: str | None = None
    tenant: str = "default"
    tenant_claim: str | None = None


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How one server or library instance runs."""

    store: Annotated[
        str,
        Meta(
            description="`sqlite:///folder/file.db`, `sqlite://` for memory, or `dynamodb://TABLE?region=...&endpoint=...`"
        ),
    ] = DEFAULT_STORE
    records: Annotated[
        str | None,
        Meta(
            description="Documents and expenses: `postgresql://user:password@host/database`, or `sqlite:///file.db`; "
            "without it a file beside the store. See [records.md](records.md)."
        ),
    ] = None
    host: Annotated[str, Meta(description="The address to listen on.")] = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535, description="The port to listen on; 0 is any free one.")] = 8080
    public_url: Annotated[
        str, Meta(description="The address that people use: in mails, and as the issuer of tokens.")
    ] = "http://127.0.0.1:8080"
    tenant: Annotated[str, Meta(description="The tenant of people who register here.")] = "default"
    registration: Annotated[
        Literal["open", "closed"], Meta(description="May anybody register? `closed` leaves it to your own issuer.")
    ] = "open"
    issuers: Annotated[
        list[Issuer], Meta(description="Your own issuers of tokens, as JSON; see [accounts.md](accounts.md).")
    ] = []
    cors_origins: Annotated[list[str], Meta(description="Origins whose pages may call the API; `*` is every one.")] = []
    trusted_proxies: Annotated[list[str], Meta(description="Addresses whose `X-Forwarded-For` is believed.")] = []
    rate_limits: Annotated[Literal["on", "off"], Meta(description="Count how often somebody does something?")] = "on"
    redis: Annotated[
        str | None,
        Meta(description="`redis://host:port` for limits that several nodes share; without it each has its own."),
    ] = None
    show_units: Annotated[
        bool, Meta(description="Tell in the header `Sobremesa-Units` of every answer what it cost.")
    ] = False
    log_format: Annotated[
        Literal["auto", "json", "text"], Meta(description="`auto` is text on a terminal and JSON elsewhere.")
    ] = "auto"
    request_seconds: Annotated[float, Meta(gt=0, description="How long a request may take.")] = 30
    drain_seconds: Annotated[float, Meta(gt=0, description="How long requests in flight get when it stops.")] = 10
    max_body_bytes: Annotated[int, Meta(ge=1024, description="How large the body of a request may be.")] = 65_536

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], **given: Any) -> Settings:
        """The settings of these variables; what is `given` and not None goes before them."""
        known = {info.name: info for info in msgspec.structs.fields(cls)}
        values: dict[str, Any] = {}
        for name, text in environment.items():
            field = name.removeprefix(PREFIX).lower()
            if name.startswith(PREFIX) and field in known:
                values[field] = _parsed(name, text, known[field].type)
        values |= {name: value for name, value in given.items() if value is not None}
        try:
            return msgspec.convert(values, cls, strict=False)
        except msgspec.ValidationError as error:
            raise BadSetting(f"a setting cannot be used: {error}") from None


def _parsed(name: str, text: str, kind: Any) -> Any:
    """A variable's value: lists are JSON, or plain texts with commas."""
    if not _is_list(kind):
        return text
    if text.lstrip().startswith("["):
        try:
            return msgspec.json.decode(text)
        except msgspec.DecodeError as error:
            raise BadSetting(f"{name} is no JSON: {error}") from None
    return [part.strip() for part in text.split(",") if part.strip()]


def _is_list(kind: Any) -> bool:
    return typing.get_origin(getattr(kind, "__origin__", kind)) is list

"""Settings: every one has a default that works on a fresh machine, and an environment variable.

`store` is `SOBREMESA_STORE`, `rate_limits` is `SOBREMESA_RATE_LIMITS`, and so on. Lists and structures are JSON, or
for a list of plain texts also `a,b,c`.
"""

from __future__ import annotations

import difflib
import re
import typing
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta

from sobremesa.core.errors import SobremesaError
from sobremesa.table.names import BadNames, Names

PREFIX = "SOBREMESA_"
DEFAULT_STORE = "sqlite:///sobremesa.db"
DEFAULT_ISSUER = "sobremesa"
# The cheapest argon2id that OWASP's password storage cheat sheet recommends: 7 MiB five times over.
MIN_ARGON2_MEMORY_KIB = 7_168
MIN_ARGON2_WORK = 5 * MIN_ARGON2_MEMORY_KIB
OTHER_VARIABLES = frozenset({"LEGACY_ALL_ITEMS"})
"""Variables of commands, which are no settings of a server."""


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
    names: Annotated[
        Names | None,
        Meta(
            description="How a table that is there already names and spells things, as JSON; see [table.md](table.md)."
        ),
    ] = None
    records: Annotated[
        str | None,
        Meta(
            description="Documents and expenses: `postgresql://user:password@host/database`, or `sqlite:///file.db`; "
            "without it a file beside the store. See [records.md](records.md)."
        ),
    ] = None
    host: Annotated[str, Meta(description="The address to listen on.")] = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535, description="The port to listen on; 0 is any free one.")] = 8080
    metrics_port: Annotated[
        int,
        Meta(
            ge=0,
            le=65535,
            description="A port for operators, with health and `/metrics`, which no other port has; 0 is none.",
        ),
    ] = 0
    metrics_host: Annotated[
        str, Meta(description="The address of that port; one that your scraper reaches and the public does not.")
    ] = "127.0.0.1"
    public_url: Annotated[
        str | None,
        Meta(
            description="The address that users reach the service at: in mails, in the API documentation, and as the "
            "issuer of tokens. Without it the documentation shows the address of each request. Set it in production."
        ),
    ] = None
    tenant: Annotated[str, Meta(description="The tenant of people who register here.")] = "default"
    registration: Annotated[
        Literal["open", "verified", "closed"],
        Meta(
            description="May anybody register? `verified`: with an e-mail address that is confirmed by mail, so that "
            "nobody learns which addresses are taken. `closed` leaves it to your own issuer."
        ),
    ] = "open"
    mail: Annotated[
        Literal["off", "console"],
        Meta(
            description="How mail is sent. `off`: not at all, and passwords cannot be reset. `console` writes mails to "
            "the log with the tokens in them: for trying out only. A library user passes a mailer instead."
        ),
    ] = "off"
    argon2_memory_kib: Annotated[int, Meta(ge=8, description="The memory that hashing a password takes, in KiB.")] = (
        19_456
    )
    argon2_time_cost: Annotated[int, Meta(ge=1, description="How often hashing a password goes over that memory.")] = 2
    insecure_passwords: Annotated[
        bool,
        Meta(description="Hash passwords more cheaply than is safe. For tests only: never set it on a server."),
    ] = False
    issuers: Annotated[
        list[Issuer], Meta(description="Your own issuers of tokens, as JSON; see [accounts.md](accounts.md).")
    ] = []
    cors_origins: Annotated[list[str], Meta(description="Origins whose pages may call the API; `*` is every one.")] = []
    trusted_proxies: Annotated[list[str], Meta(description="Addresses whose `X-Forwarded-For` is believed.")] = []
    rate_limits: Annotated[
        Literal["on", "off"],
        Meta(description="`off`: requests are not limited, nor are connections of one address and sockets."),
    ] = "on"
    max_connections: Annotated[
        int,
        Meta(ge=0, description="How many connections there may be in all; 0 is as many as open files allow."),
    ] = 0
    max_connections_per_address: Annotated[
        int,
        Meta(ge=1, description="The same, of one address (IPv6: of a /64 network), unless it is a trusted proxy."),
    ] = 2000
    max_sockets_per_address: Annotated[
        int, Meta(ge=1, description="How many WebSockets one address may have, also behind trusted proxies.")
    ] = 1000
    max_unidentified_sockets: Annotated[
        int, Meta(ge=1, description="How many WebSockets there may be whose clients have not identified.")
    ] = 2000
    max_unidentified_sockets_per_address: Annotated[int, Meta(ge=1, description="The same, of one address.")] = 100
    redis: Annotated[
        str | None,
        Meta(
            description="`redis://host:port` of a Redis or Valkey, for several nodes over one DynamoDB table: events, "
            "presence and limits that they share. Without it there is one process. See [gateway.md](gateway.md)."
        ),
    ] = None
    moderation_policy: Annotated[
        str,
        Meta(
            description="What to look for in messages: `default` is the built-in policy, `off` is none, and anything "
            "else a TOML file of words, links and mentions; see [moderation.md](moderation.md)."
        ),
    ] = "default"
    moderation_seconds: Annotated[
        float, Meta(gt=0, description="How long a judge may think about a message, which is flagged after that.")
    ] = 2
    show_units: Annotated[
        bool, Meta(description="Tell in the header `Sobremesa-Units` of every answer what it cost.")
    ] = False
    log_format: Annotated[
        Literal["auto", "json", "text"], Meta(description="`auto` is text on a terminal and JSON elsewhere.")
    ] = "auto"
    request_seconds: Annotated[float, Meta(gt=0, description="How long a request may take.")] = 30
    drain_seconds: Annotated[float, Meta(gt=0, description="How long requests in flight get when it stops.")] = 10
    files: Annotated[
        str | None,
        Meta(
            description="Where uploads are kept: `file:///folder`, or `s3://bucket/prefix?region=...&endpoint=...`; "
            "without it beside the store. See [attachments.md](attachments.md)."
        ),
    ] = None
    max_upload_bytes: Annotated[int, Meta(ge=1024, description="How large an uploaded file may be.")] = 26_214_400
    max_body_bytes: Annotated[int, Meta(ge=1024, description="How large the body of a request may be.")] = 65_536

    @property
    def metrics_address(self) -> tuple[str, int] | None:
        """Where metrics are served, if they are."""
        return (self.metrics_host, self.metrics_port) if self.metrics_port else None

    def __post_init__(self) -> None:
        work = self.argon2_memory_kib * self.argon2_time_cost
        is_safe = self.argon2_memory_kib >= MIN_ARGON2_MEMORY_KIB and work >= MIN_ARGON2_WORK
        if not is_safe and not self.insecure_passwords:
            raise BadSetting(
                f"passwords would be hashed too cheaply: argon2_memory_kib must be at least {MIN_ARGON2_MEMORY_KIB}, "
                f"and {MIN_ARGON2_WORK} together with argon2_time_cost; only tests may set insecure_passwords"
            )

    def warnings(self) -> list[str]:
        """What can be used, but is probably not meant."""
        found = []
        if self.redis is not None and self.store.startswith("sqlite"):
            found.append(
                f"{PREFIX}REDIS is set, but the store is a file: only rate limits use Redis. Events reach the sockets "
                "of this process; several nodes need a DynamoDB store."
            )
        if self.insecure_passwords:
            found.append(f"{PREFIX}INSECURE_PASSWORDS is set: passwords are hashed too cheaply to be safe.")
        return found

    @property
    def address(self) -> str:
        """Where users reach the service, for links in mails."""
        return self.public_url or f"http://{self.host}:{self.port}"

    @property
    def token_issuer(self) -> str:
        """The `iss` claim of our tokens: the same for every node and port that shares the store."""
        return self.public_url or DEFAULT_ISSUER

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
            raise BadSetting(f"a setting cannot be used: {_with_variable(str(error))}") from None
        except BadNames as error:
            raise BadSetting(str(error)) from None


def unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """What to tell about variables that look like settings and are none, each with the nearest setting."""
    known = [info.name.upper() for info in msgspec.structs.fields(Settings)]
    found = []
    for variable in sorted(environment):
        name = variable.removeprefix(PREFIX)
        if name != variable and name not in known and name not in OTHER_VARIABLES:
            nearest = difflib.get_close_matches(name, known, n=1)
            found.append(f"{variable} is no setting" + (f": did you mean {PREFIX}{nearest[0]}?" if nearest else "."))
    return found


def _with_variable(text: str) -> str:
    """An error of a value, with the variable in place of the path in our structure."""
    return re.sub(r"`\$\.(\w+)([^`]*)`", lambda at: f"{PREFIX}{at[1].upper()}{at[2]}", text)


def _parsed(name: str, text: str, kind: Any) -> Any:
    """A variable's value: lists and structures are JSON, a list also plain texts with commas."""
    is_list = _is_list(kind)
    if not is_list and not _is_structure(kind):
        return text
    if not is_list or text.lstrip().startswith("["):
        try:
            return msgspec.json.decode(text)
        except msgspec.DecodeError as error:
            raise BadSetting(f"{name} is no JSON: {error}") from None
    return [part.strip() for part in text.split(",") if part.strip()]


def _is_list(kind: Any) -> bool:
    return typing.get_origin(getattr(kind, "__origin__", kind)) is list


def _is_structure(kind: Any) -> bool:
    choices = get_args(getattr(kind, "__origin__", kind))
    return any(isinstance(choice, type) and issubclass(choice, msgspec.Struct) for choice in choices)

"""Settings: each has a default that works on a fresh machine, and an environment variable.

`store` is `SOBREMESA_STORE`, `rate_limits` is `SOBREMESA_RATE_LIMITS`, and so on. Lists and structures are JSON; a
list of texts may also be `a,b,c`.
"""

from __future__ import annotations

import difflib
import ipaddress
import re
import typing
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from sobremesa.core.errors import SobremesaError
from sobremesa.core.webhook_signature import secret_bytes
from sobremesa.table.names import BadNames, Names
from sobremesa.table.opening import parse_store

PREFIX = "SOBREMESA_"
DEFAULT_STORE = "sqlite:///sobremesa.db"
DEFAULT_ISSUER = "sobremesa"
# The cheapest argon2id that OWASP's password storage cheat sheet recommends: 7 MiB five times over.
MIN_ARGON2_MEMORY_KIB = 7_168
MIN_ARGON2_WORK = 5 * MIN_ARGON2_MEMORY_KIB
OTHER_VARIABLES = frozenset({"LEGACY_ALL_ITEMS"})
"""Variables of commands, which are not settings of a server."""


class BadSetting(SobremesaError):
    """A setting is not valid; the message names it."""


class Issuer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A product's own token issuer: its users sign in with these tokens.

    Exactly one of the three sets the keys that it signs with. `tenant` is fixed, or read from the claim `tenant_claim`.
    """

    issuer: str
    audience: str
    jwks_url: str | None = None
    jwks_file: str | None = None
    public_key: str | None = None
    tenant: str = "default"
    tenant_claim: str | None = None


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The configuration of one server or library instance."""

    store: Annotated[
        str,
        Meta(
            description="`sqlite:///folder/file.db`, `sqlite://` for memory, or `dynamodb://TABLE?region=...&endpoint=...`"
        ),
    ] = DEFAULT_STORE
    names: Annotated[
        Names | None,
        Meta(description="How an existing table names and encodes things, as JSON; see [table.md](table.md)."),
    ] = None
    records: Annotated[
        str | None,
        Meta(
            description="Where documents and expenses are stored: `postgresql://user:password@host/database` or "
            "`sqlite:///file.db`. Default: a file beside the store. See [records.md](records.md)."
        ),
    ] = None
    host: Annotated[str, Meta(description="The address to listen on.")] = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535, description="The port to listen on; 0 means any free port.")] = 8080
    metrics_port: Annotated[
        int,
        Meta(
            ge=0,
            le=65535,
            description="The port of the health endpoints and `/metrics`, which no other port serves; 0 means none.",
        ),
    ] = 0
    metrics_host: Annotated[
        str, Meta(description="The address of that port: one that your scraper can reach and the public cannot.")
    ] = "127.0.0.1"
    public_url: Annotated[
        str | None,
        Meta(
            description="The public address of the service, with its path if it has one, used in emails, in the API "
            "documentation and as the issuer of tokens. Without it the documentation shows the address of each "
            "request. Set it in production."
        ),
    ] = None
    tenant: Annotated[str, Meta(description="The tenant of users who register.")] = "default"
    registration: Annotated[
        Literal["open", "verified", "closed"],
        Meta(
            description="Who may register. `open`: anyone. `verified`: anyone with an email address that is confirmed "
            "by email, which does not reveal which addresses are taken. `closed`: only users of your own issuers."
        ),
    ] = "open"
    mail: Annotated[
        Literal["off", "console"],
        Meta(
            description="How email is sent. `off`: no email is sent and passwords cannot be reset. `console`: emails "
            "and their tokens are written to the log, for development only. The library takes a mailer instead."
        ),
    ] = "off"
    argon2_memory_kib: Annotated[int, Meta(ge=8, description="The memory that hashing a password uses, in KiB.")] = (
        19_456
    )
    argon2_time_cost: Annotated[
        int, Meta(ge=1, description="The number of passes that hashing a password makes over that memory.")
    ] = 2
    insecure_passwords: Annotated[
        bool,
        Meta(description="Allow argon2 costs that are too low to be safe. For tests only; never set it on a server."),
    ] = False
    issuers: Annotated[
        list[Issuer], Meta(description="Your own token issuers, as JSON; see [accounts.md](accounts.md).")
    ] = []
    cors_origins: Annotated[list[str], Meta(description="Origins whose pages may call the API; `*` allows all.")] = []
    trusted_proxies: Annotated[list[str], Meta(description="Addresses whose `X-Forwarded-For` header is trusted.")] = []
    rate_limits: Annotated[
        Literal["on", "off"],
        Meta(description="`off` disables the limits on requests, on connections of one address and on sockets."),
    ] = "on"
    max_connections: Annotated[
        int,
        Meta(ge=0, description="The maximum number of connections; 0 means as many as the limit of open files allows."),
    ] = 0
    max_connections_per_address: Annotated[
        int,
        Meta(ge=1, description="The same for one address (IPv6: a /64 network) that is not a trusted proxy."),
    ] = 2000
    max_sockets_per_address: Annotated[
        int, Meta(ge=1, description="The maximum number of WebSockets of one address, also behind trusted proxies.")
    ] = 1000
    max_unidentified_sockets: Annotated[
        int, Meta(ge=1, description="The maximum number of WebSockets whose clients have not identified.")
    ] = 2000
    max_unidentified_sockets_per_address: Annotated[int, Meta(ge=1, description="The same for one address.")] = 100
    redis: Annotated[
        str | None,
        Meta(
            description="`redis://host:port` of Redis or Valkey, for several nodes with one DynamoDB table: they share "
            "events, presence and limits. Without it, run one process. See [gateway.md](gateway.md)."
        ),
    ] = None
    moderation_policy: Annotated[
        str,
        Meta(
            description="The moderation policy for messages: `default` (built in), `off`, or the path of a TOML file "
            "with words, links and mentions; see [moderation.md](moderation.md)."
        ),
    ] = "default"
    moderation_seconds: Annotated[
        float,
        Meta(gt=0, description="How many seconds a judge may take for a message; after that the message is flagged."),
    ] = 2
    moderation_url: Annotated[
        str | None,
        Meta(
            description="The URL of a program of yours that judges each message before it is written, within 1.5 "
            "seconds; see [moderation.md](moderation.md). It may be on a private network."
        ),
    ] = None
    moderation_secret: Annotated[
        str | None,
        Meta(description="The secret (`whsec_` and base64) that signs the requests to that program."),
    ] = None
    webhook_allow_networks: Annotated[
        list[str],
        Meta(
            description="Networks (CIDRs such as `10.0.0.0/8`) that webhooks may reach although they are not public, "
            "also by plain http. Without it, webhooks reach public addresses by https only. See "
            "[webhooks.md](webhooks.md)."
        ),
    ] = []
    show_units: Annotated[
        bool, Meta(description="Return the cost of every request in the header `Sobremesa-Units`.")
    ] = False
    log_format: Annotated[
        Literal["auto", "json", "text"], Meta(description="`auto` is text on a terminal and JSON otherwise.")
    ] = "auto"
    request_seconds: Annotated[float, Meta(gt=0, description="How many seconds a request may take.")] = 30
    drain_seconds: Annotated[
        float, Meta(gt=0, description="How many seconds requests in progress may take to finish when the server stops.")
    ] = 10
    files: Annotated[
        str | None,
        Meta(
            description="Where uploads are stored: `file:///folder`, or `s3://bucket/prefix?region=...&endpoint=...`. "
            "Default: a folder beside the store. See [attachments.md](attachments.md)."
        ),
    ] = None
    max_upload_bytes: Annotated[int, Meta(ge=1024, description="The maximum size of an uploaded file.")] = 26_214_400
    max_body_bytes: Annotated[int, Meta(ge=1024, description="The maximum size of a request body.")] = 65_536

    @property
    def metrics_address(self) -> tuple[str, int] | None:
        """The address that metrics are served at, or None."""
        return (self.metrics_host, self.metrics_port) if self.metrics_port else None

    def __post_init__(self) -> None:
        work = self.argon2_memory_kib * self.argon2_time_cost
        is_safe = self.argon2_memory_kib >= MIN_ARGON2_MEMORY_KIB and work >= MIN_ARGON2_WORK
        if not is_safe and not self.insecure_passwords:
            raise BadSetting(
                f"the password hashing is too weak: argon2_memory_kib must be at least {MIN_ARGON2_MEMORY_KIB} and its "
                f"product with argon2_time_cost {MIN_ARGON2_WORK}; only tests may set insecure_passwords"
            )

        self._check_moderation()
        for network in self.webhook_allow_networks:
            try:
                ipaddress.ip_network(network, strict=False)
            except ValueError:
                raise BadSetting(f"webhook_allow_networks: {network!r} is not a network such as 10.0.0.0/8") from None

    def _check_moderation(self) -> None:
        if self.moderation_url is None:
            return
        parts = urlsplit(self.moderation_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadSetting("moderation_url is not a URL that starts with http:// or https://")
        if self.moderation_secret is None:
            raise BadSetting("moderation_url needs moderation_secret, which signs the requests")
        try:
            secret_bytes(self.moderation_secret)
        except ValueError as error:
            raise BadSetting(f"moderation_secret is not valid: {error}") from None

    def warnings(self) -> list[str]:
        """Return warnings about settings that are valid but probably a mistake."""
        found = []
        if self.redis is not None and parse_store(self.store).is_embedded:
            found.append(
                f"{PREFIX}REDIS is set, but the store is a file: only rate limits use Redis. Events reach only the "
                "sockets of this process; several nodes need a DynamoDB store."
            )
        if self.insecure_passwords:
            found.append(f"{PREFIX}INSECURE_PASSWORDS is set: the password hashing is too weak to be safe.")
        return found

    @property
    def address(self) -> str:
        """The address of the service in the links of emails."""
        return self.public_url or f"http://{self.host}:{self.port}"

    @property
    def origin(self) -> str:
        """The origin of the service's own pages: its address without a path."""
        address = urlsplit(self.address)
        return f"{address.scheme}://{address.netloc}"

    @property
    def token_issuer(self) -> str:
        """The `iss` claim of our tokens: the same on every node and port that shares the store."""
        return self.public_url or DEFAULT_ISSUER

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], **given: Any) -> Settings:
        """Return the settings of these variables; a `given` value that is not None overrides them."""
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
            raise BadSetting(f"invalid setting: {_with_variable(str(error))}") from None
        except BadNames as error:
            raise BadSetting(str(error)) from None


def unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """Return a warning for each variable that looks like a setting and is not, with the nearest setting."""
    known = [info.name.upper() for info in msgspec.structs.fields(Settings)]
    found = []
    for variable in sorted(environment):
        name = variable.removeprefix(PREFIX)
        if name != variable and name not in known and name not in OTHER_VARIABLES:
            nearest = difflib.get_close_matches(name, known, n=1)
            found.append(f"{variable} is not a setting" + (f": did you mean {PREFIX}{nearest[0]}?" if nearest else "."))
    return found


def _with_variable(text: str) -> str:
    """Return the text of a validation error with the variable in place of the path in the structure."""
    return re.sub(r"`\$\.(\w+)([^`]*)`", lambda at: f"{PREFIX}{at[1].upper()}{at[2]}", text)


def _parsed(name: str, text: str, kind: Any) -> Any:
    """Return the value of a variable: lists and structures are JSON, a list also texts separated by commas."""
    is_list = _is_list(kind)
    if not is_list and not _is_structure(kind):
        return text
    if not is_list or text.lstrip().startswith("["):
        try:
            return msgspec.json.decode(text)
        except msgspec.DecodeError as error:
            raise BadSetting(f"{name} is not valid JSON: {error}") from None
    return [part.strip() for part in text.split(",") if part.strip()]


def _is_list(kind: Any) -> bool:
    return typing.get_origin(getattr(kind, "__origin__", kind)) is list


def _is_structure(kind: Any) -> bool:
    choices = get_args(getattr(kind, "__origin__", kind))
    return any(isinstance(choice, type) and issubclass(choice, msgspec.Struct) for choice in choices)

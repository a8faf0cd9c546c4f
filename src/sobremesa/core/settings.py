"""Settings: each has a default that works on a fresh machine, an environment variable, and a name in a TOML file.

`store` is `SOBREMESA_STORE` in the environment, `rate_limits` is `SOBREMESA_RATE_LIMITS`, and so on. There lists and
structures are JSON; a list of texts may also be `a,b,c`. `SOBREMESA_CONFIG` names a TOML file, whose values the
environment overrides. A name that is no setting is an error: most often it is misspelled.
"""

from __future__ import annotations

import difflib
import ipaddress
import re
import tomllib
import typing
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
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
CONFIG = "CONFIG"
"""The variable with the path of a TOML file."""
OTHER_VARIABLES = frozenset({CONFIG, "LEGACY_ALL_ITEMS"})
"""Variables that are not settings of a server: the file of settings, and those of commands."""


class BadSetting(SobremesaError):
    """A setting is not valid; the message names it."""


class Issuer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A product's own token issuer: its users sign in with these tokens.

    Exactly one of the three sets the keys that it signs with. `tenant` is fixed, or read from the claim `tenant_claim`.
    With `map_subject`, the `sub` of a token is the external id of its user, which all issuers of a tenant share.
    """

    issuer: str
    audience: str
    jwks_url: str | None = None
    jwks_file: str | None = None
    public_key: str | None = None
    tenant: str = "default"
    tenant_claim: str | None = None
    map_subject: bool = True


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The configuration of one server or library instance."""

    store: Annotated[
        str,
        Meta(
            description="`sqlite:///folder/file.db`, `sqlite://` for memory, or `dynamodb://TABLE?region=...` "
            "([dynamodb.md](dynamodb.md))."
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
    operator_tenant: Annotated[
        str,
        Meta(
            description="The tenant whose administrators, and keys with `table:read`, see rows of all tenants in the "
            "table explorer; empty: none."
        ),
    ] = "default"
    registration: Annotated[
        Literal["open", "verified", "closed"],
        Meta(
            description="Who may register. `open`: anyone. `verified`: anyone with an email address that is confirmed "
            "by email, which does not reveal which addresses are taken. `closed`: only users of your own issuers."
        ),
    ] = "open"
    mail: Annotated[
        Literal["off", "console", "smtp"],
        Meta(
            description="How email is sent. `off`: no email is sent and passwords cannot be reset. `console`: emails "
            "and their tokens are written to the log, for development only. `smtp`: by the server of the settings "
            "below; see [mail.md](mail.md). The library takes a mailer instead."
        ),
    ] = "off"
    mail_from: Annotated[
        str | None, Meta(description="The sender of emails: `name@domain` or `Name <name@domain>`. `smtp` requires it.")
    ] = None
    smtp_url: Annotated[
        str | None,
        Meta(
            description="The mail server: `smtp://user:password@host:587` (STARTTLS), `smtps://...` (TLS), or with "
            "`?tls=none`. In place of the settings below."
        ),
    ] = None
    smtp_host: Annotated[str | None, Meta(description="The host name of the mail server.")] = None
    smtp_port: Annotated[
        int, Meta(ge=0, le=65535, description="Its port; 0 means 587 for `starttls`, 465 for `tls` and 25 for `none`.")
    ] = 0
    smtp_tls: Annotated[
        Literal["starttls", "tls", "none"],
        Meta(
            description="How the connection to the mail server is encrypted. Certificates are always checked. `none` "
            "is for a server on a private network, and takes a password only on this machine."
        ),
    ] = "starttls"
    smtp_username: Annotated[str | None, Meta(description="The user name at the mail server, if it requires one.")] = (
        None
    )
    smtp_password: Annotated[str | None, Meta(description="The password at the mail server.")] = None
    smtp_ca_file: Annotated[
        str | None,
        Meta(description="A PEM file with the authority of the mail server's certificate, if it is private."),
    ] = None
    smtp_seconds: Annotated[
        float, Meta(gt=0, description="How many seconds the mail server may take for one reply.")
    ] = 10
    digest: Annotated[
        Literal["off", "hourly", "daily"],
        Meta(
            description="How often users receive an email about what is unread, unless they have chosen themselves; "
            "see [mail.md](mail.md). Without `mail` there are none."
        ),
    ] = "daily"
    digest_after_minutes: Annotated[
        int, Meta(ge=1, le=1440, description="How long something must be unread before it causes such an email.")
    ] = 30
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
    lazy_delivery_above: Annotated[
        int,
        Meta(
            ge=0,
            description="With more connected members of a server than this on a node, events about a channel go only "
            "to those who watch it. See [gateway.md](gateway.md#watching-channels).",
        ),
    ] = 250
    max_watched_channels: Annotated[
        int, Meta(ge=1, le=100, description="The maximum number of channels that one connection watches.")
    ] = 20
    redis: Annotated[
        str | None,
        Meta(
            description="`redis://host:port` of Redis or Valkey, for several nodes with one DynamoDB table: they share "
            "events, presence and limits. Without it, run one process. See [gateway.md](gateway.md)."
        ),
    ] = None
    event_minutes: Annotated[
        int,
        Meta(
            ge=2,
            le=1440,
            description="With `redis`: for how many minutes events are kept for clients that come back, at most 10,000 "
            "for each topic. Afterwards they get a `gap`. See [gateway.md](gateway.md#resuming).",
        ),
    ] = 60
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
    extensions: Annotated[
        list[str],
        Meta(
            description="Python objects with card types, setting types, a judge or a mailer of your own, as "
            "`module:name`; see [library.md](library.md)."
        ),
    ] = []
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
            description="Networks (CIDRs such as `10.0.0.0/8`) that webhooks may be in although they are not public, "
            "also by plain http. Without it, they reach public addresses by https only. See [webhooks.md](webhooks.md)."
        ),
    ] = []
    import_allow_networks: Annotated[
        list[str],
        Meta(
            description="The same for the files that imports download, whose content can be read afterwards. See "
            "[import.md](import.md)."
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
        _check_networks("webhook_allow_networks", self.webhook_allow_networks)
        _check_networks("import_allow_networks", self.import_allow_networks)

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
        if self.mail != "smtp" and (self.smtp_url or self.smtp_host) is not None:
            found.append(
                f"{PREFIX}SMTP_URL or {PREFIX}SMTP_HOST is set, but {PREFIX}MAIL is `{self.mail}`, not `smtp`."
            )
        if self.mail == "smtp" and self.public_url is None:
            found.append(f"{PREFIX}PUBLIC_URL is not set: the links in mails lead to {self.address}.")
        if self.mail == "smtp" and self.registration == "open" and self.digest != "off":
            found.append(
                f"{PREFIX}REGISTRATION is `open`: addresses are not confirmed, yet digests are sent to them. "
                "Set it to `verified`."
            )
        if self.insecure_passwords:
            found.append(f"{PREFIX}INSECURE_PASSWORDS is set: the password hashing is too weak to be safe.")
        return found

    def require_workable(self) -> None:
        """Raise BadSetting if these settings cannot work together, with the reason.

        Redis is for several nodes. They need a table, a place for files and a database for records that all can reach.
        """
        if self.redis is None:
            return
        if parse_store(self.store).is_embedded:
            raise BadSetting("redis is for several nodes, and a store in a file has one: use DynamoDB, or unset redis")
        missing = []
        if self.files is None:
            missing.append(f"{PREFIX}FILES to s3://bucket, or to the file:///folder of a volume that all nodes mount")
        if self.records is None or not self.records.startswith("postgres"):
            missing.append(f"{PREFIX}RECORDS to postgresql://...")
        if missing:
            raise BadSetting(f"several nodes (redis is set) share everything: set {', and '.join(missing)}")

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
        """Return the settings of these variables and of the TOML file that they name.

        A variable overrides the file, and a `given` value that is not None overrides both. BadSetting for a name that
        is no setting.
        """
        known = {info.name: info for info in msgspec.structs.fields(cls)}
        values = _read_file(environment[PREFIX + CONFIG], known) if environment.get(PREFIX + CONFIG) else {}
        for name, text in sorted(environment.items()):
            setting = name.removeprefix(PREFIX)
            if setting == name or setting in OTHER_VARIABLES:
                continue
            if setting.lower() not in known:
                raise BadSetting(_unknown(setting, map(str.upper, known), PREFIX))
            values[setting.lower()] = _parsed(name, text, known[setting.lower()].type)
        values |= {name: value for name, value in given.items() if value is not None}
        try:
            return msgspec.convert(values, cls, strict=False)
        except msgspec.ValidationError as error:
            raise BadSetting(f"invalid setting: {_with_variable(str(error))}") from None
        except BadNames as error:
            raise BadSetting(str(error)) from None


def _read_file(path: str, known: Iterable[str]) -> dict[str, Any]:
    """Return the settings of a TOML file; BadSetting if it cannot be read or has another name."""
    try:
        with Path(path).open("rb") as file:
            values = tomllib.load(file)
    except OSError as error:
        raise BadSetting(f"the settings file {path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSetting(f"the settings file {path} is not valid TOML: {error}") from None
    for name in values:
        if name not in known:
            raise BadSetting(f"{path}: {_unknown(name, known)}")
    return values


def _unknown(name: str, known: Iterable[str], prefix: str = "") -> str:
    """Return the text about a name that is no setting, with the nearest one."""
    nearest = difflib.get_close_matches(name, list(known), n=1)
    return f"{prefix}{name} is not a setting" + (f": did you mean {prefix}{nearest[0]}?" if nearest else ".")


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


def _check_networks(name: str, networks: Sequence[str]) -> None:
    for network in networks:
        try:
            ipaddress.ip_network(network, strict=False)
        except ValueError:
            raise BadSetting(f"{name}: {network!r} is not a network such as 10.0.0.0/8") from None

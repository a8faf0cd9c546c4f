"""The mail server of the settings, checked when the application starts."""

from __future__ import annotations

import ipaddress
import ssl
from typing import Literal, NamedTuple, TypeAlias
from urllib.parse import parse_qsl, unquote, urlsplit

from sobremesa.core.settings import PREFIX, BadSetting, Settings
from sobremesa.domains.mail.mime import Sender

Tls: TypeAlias = Literal["starttls", "tls", "none"]

PORTS: dict[Tls, int] = {"starttls": 587, "tls": 465, "none": 25}


class SmtpServer(NamedTuple):
    """Where mails are sent, how, and in whose name."""

    host: str
    port: int
    tls: Tls
    sender: Sender
    username: str | None
    password: str | None
    context: ssl.SSLContext | None
    """How the server's certificate is checked; None without TLS."""
    seconds: float

    @classmethod
    def of(cls, settings: Settings) -> SmtpServer:
        """Return the server of the settings; BadSetting names what is missing or contradicts itself."""
        host, port, tls, username, password = _address(settings)
        if host is None:
            raise BadSetting(f"mail is `smtp`, which requires {PREFIX}SMTP_HOST or {PREFIX}SMTP_URL")
        if settings.mail_from is None:
            raise BadSetting(f"mail is `smtp`, which requires the sender: {PREFIX}MAIL_FROM")
        if (username is None) != (password is None):
            raise BadSetting("mail is `smtp`: set both the user name and the password of the mail server, or neither")
        if password is not None and tls == "none" and not _is_this_machine(host):
            raise BadSetting("mail is `smtp`: a password is not sent to another machine without TLS")
        try:
            sender = Sender.parse(settings.mail_from)
        except ValueError:
            raise BadSetting(f"{PREFIX}MAIL_FROM is not an address: `name@domain` or `Name <name@domain>`") from None
        context = None if tls == "none" else _context(settings.smtp_ca_file)
        return cls(host, port or PORTS[tls], tls, sender, username, password, context, settings.smtp_seconds)


def _address(settings: Settings) -> tuple[str | None, int | None, Tls, str | None, str | None]:
    """Return host, port, TLS mode, user name and password: of the URL, or of the separate settings."""
    separate = (settings.smtp_host, settings.smtp_port or None, settings.smtp_username, settings.smtp_password)
    if settings.smtp_url is None:
        host, port, username, password = separate
        return host, port, settings.smtp_tls, username, password
    if any(part is not None for part in separate):
        raise BadSetting(f"set either {PREFIX}SMTP_URL or {PREFIX}SMTP_HOST and the settings beside it, not both")
    # The URL has a password: no error text repeats it.
    wrong = BadSetting(f"{PREFIX}SMTP_URL must be smtp://user:password@host:port?tls=starttls, or smtps:// for TLS")
    try:
        url = urlsplit(settings.smtp_url)
        port = url.port
        options = dict(parse_qsl(url.query, strict_parsing=True)) if url.query else {}
    except ValueError:
        raise wrong from None
    tls = options.pop("tls", "tls" if url.scheme == "smtps" else "starttls")
    if url.scheme not in ("smtp", "smtps") or options or url.path.strip("/") or not url.hostname:
        raise wrong
    if url.scheme == "smtps" and tls != "tls":
        raise wrong
    match tls:
        case "starttls" | "tls" | "none":
            return url.hostname, port, tls, _decoded(url.username), _decoded(url.password)
        case _:
            raise wrong


def _decoded(part: str | None) -> str | None:
    return None if part is None else unquote(part)


def _context(ca_file: str | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca_file)
    except (OSError, ssl.SSLError) as error:
        raise BadSetting(f"{PREFIX}SMTP_CA_FILE cannot be read: {error}") from None


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

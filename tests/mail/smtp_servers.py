"""Real SMTP servers for tests: aiosmtpd on a free port of this machine, in the loop of the test."""

from __future__ import annotations

import asyncio
import datetime
import ipaddress
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any, NamedTuple

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

USERNAME, PASSWORD = "postman", "let me in"


class Received(NamedTuple):
    """A mail as the server received it."""

    sender: str
    recipients: list[str]
    message: EmailMessage
    options: list[str]

    def text(self) -> str:
        return self._part("plain")

    def html(self) -> str:
        return self._part("html")

    def _part(self, subtype: str) -> str:
        part = self.message.get_body((subtype,))
        assert isinstance(part, EmailMessage)
        content: str = part.get_content()
        return content.replace("\r\n", "\n")


class MailSink:
    """Keeps mails; `replies` are what it says to the next ones instead, in order."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.replies: list[str] = []
        self.recipient_replies: list[str] = []
        self.attempts = 0
        self.arrived = asyncio.Event()

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self.attempts += 1
        if self.recipient_replies:
            return self.recipient_replies.pop(0)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        if self.replies:
            return self.replies.pop(0)
        assert isinstance(envelope.content, bytes)
        message = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(message, EmailMessage)
        assert envelope.mail_from is not None
        options = [str(each) for each in envelope.mail_options]
        self.received.append(Received(envelope.mail_from, list(envelope.rcpt_tos), message, options))
        self.arrived.set()
        return "250 OK"


class Certificate(NamedTuple):
    """A certificate for 127.0.0.1 that is its own authority."""

    file: Path
    context: ssl.SSLContext


def certificate_in(folder: Path) -> Certificate:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "mail server of a test")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=30))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), True)
        .sign(key, hashes.SHA256())
    )
    public, private = folder / "certificate.pem", folder / "key.pem"
    public.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(public, private)
    return Certificate(public, context)


@asynccontextmanager
async def smtp_server(
    mail_sink: MailSink, *, starttls: Certificate | None = None, tls: Certificate | None = None, login: bool = False
) -> AsyncIterator[int]:
    """A mail server; yield its port."""
    options: dict[str, Any] = {"enable_SMTPUTF8": True, "hostname": "localhost"}
    if starttls is not None:
        options |= {"tls_context": starttls.context, "require_starttls": True}
    if login:
        options |= {"authenticator": _authenticate, "auth_required": True, "auth_require_tls": starttls is not None}
    protocols: list[SMTP] = []

    def protocol() -> SMTP:
        protocols.append(SMTP(mail_sink, **options))
        return protocols[-1]

    server = await asyncio.get_running_loop().create_server(
        protocol, "127.0.0.1", 0, ssl=None if tls is None else tls.context
    )
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for each in protocols:
            if each.transport is not None:
                each.transport.close()


@asynccontextmanager
async def silent_server(greeting: bytes = b"") -> AsyncIterator[int]:
    """A server that accepts connections and says nothing more; yield its port."""
    done = asyncio.Event()

    async def ignore(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(greeting)
        await done.wait()
        writer.close()

    server = await asyncio.start_server(ignore, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        done.set()
        server.close()


@asynccontextmanager
async def dying_server() -> AsyncIterator[int]:
    """A server that accepts a mail's content and closes the connection without a reply; yield its port."""
    replies = {b"EHLO": b"250 localhost", b"MAIL": b"250 OK", b"RCPT": b"250 OK", b"DATA": b"354 Go on"}

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 localhost ESMTP\r\n")
        while line := await reader.readline():
            if line == b".\r\n":
                break
            if line[:4] in replies:
                writer.write(replies[line[:4]] + b"\r\n")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


def _authenticate(server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any) -> AuthResult:
    is_right = isinstance(data, LoginPassword) and (data.login, data.password) == (USERNAME.encode(), PASSWORD.encode())
    return AuthResult(success=is_right, handled=False)

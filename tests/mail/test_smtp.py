"""Sending by SMTP, to real servers: TLS, login, refusals, and servers that are down, slow or die."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest

from mail.smtp_servers import (
    PASSWORD,
    USERNAME,
    Certificate,
    MailSink,
    certificate_in,
    dying_server,
    silent_server,
    smtp_server,
)
from sobremesa.app import Sobremesa
from sobremesa.core.clock import SetClock
from sobremesa.core.settings import BadSetting, Settings
from sobremesa.domains.mail.content import Mail
from sobremesa.domains.mail.errors import MailNotSent, MailOutcomeUnknown, MailQueueFull, MailRefused
from sobremesa.domains.mail.smtp import SmtpMailer
from sobremesa.domains.mail.smtp_server import SmtpServer

MAIL = Mail(to="ana@example.com", subject="Unread", text="in plain text", html="<p>in HTML</p>")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return certificate_in(tmp_path_factory.mktemp("certificate"))


def mailer_at(port: int, *, max_queued: int = 100, **settings: Any) -> SmtpMailer:
    given = {"mail": "smtp", "smtp_host": "127.0.0.1", "smtp_tls": "none", "mail_from": "Sobremesa <chat@example.com>"}
    server = SmtpServer.of(Settings(**{"smtp_port": port, **given, **settings}))
    return SmtpMailer(server, SetClock(), pauses=(0, 0), max_queued=max_queued)


async def test_a_mail_arrives_in_both_forms_with_its_headers() -> None:
    mail_sink = MailSink()
    async with smtp_server(mail_sink) as port:
        await mailer_at(port).send_mail(MAIL)

    [received] = mail_sink.received
    assert (received.sender, received.recipients) == ("chat@example.com", ["ana@example.com"])
    assert received.message["From"] == "Sobremesa <chat@example.com>"
    assert received.message["To"] == "ana@example.com"
    assert received.message["Date"] == "Thu, 13 Nov 2025 02:13:20 +0000"
    assert received.message["Auto-Submitted"] == "auto-generated"
    assert received.message["Message-ID"].endswith("@example.com>")
    assert received.message.get_content_type() == "multipart/alternative"
    assert (received.text(), received.html()) == ("in plain text\n", "<p>in HTML</p>\n")


async def test_starttls_with_a_login(certificate: Certificate) -> None:
    mail_sink = MailSink()
    async with smtp_server(mail_sink, starttls=certificate, login=True) as port:
        mailer = mailer_at(
            port,
            smtp_tls="starttls",
            smtp_username=USERNAME,
            smtp_password=PASSWORD,
            smtp_ca_file=str(certificate.file),
        )
        await mailer.send_mail(MAIL)
    assert len(mail_sink.received) == 1


async def test_tls_by_url(certificate: Certificate) -> None:
    mail_sink = MailSink()
    async with smtp_server(mail_sink, tls=certificate) as port:
        mailer = mailer_at(
            port, smtp_host=None, smtp_port=0, smtp_url=f"smtps://127.0.0.1:{port}", smtp_ca_file=str(certificate.file)
        )
        await mailer.send_mail(MAIL)
    assert len(mail_sink.received) == 1


@pytest.mark.parametrize("mode", ["starttls", "tls"])
async def test_a_certificate_of_an_unknown_authority_is_not_accepted(certificate: Certificate, mode: str) -> None:
    mail_sink = MailSink()
    starttls, tls = (certificate, None) if mode == "starttls" else (None, certificate)
    async with smtp_server(mail_sink, starttls=starttls, tls=tls) as port:
        with pytest.raises(MailNotSent):
            await mailer_at(port, smtp_tls=mode).send_mail(MAIL)
    assert mail_sink.attempts == 0


async def test_nothing_is_sent_in_clear_text_if_the_server_lost_its_starttls() -> None:
    mail_sink = MailSink()
    async with smtp_server(mail_sink) as port:
        with pytest.raises(MailNotSent):
            await mailer_at(port, smtp_tls="starttls").send_mail(MAIL)
    assert mail_sink.attempts == 0


async def test_a_wrong_password_is_tried_once_and_not_in_the_error(certificate: Certificate) -> None:
    mail_sink = MailSink()
    async with smtp_server(mail_sink, starttls=certificate, login=True) as port:
        mailer = mailer_at(
            port,
            smtp_tls="starttls",
            smtp_username=USERNAME,
            smtp_password="not the one",
            smtp_ca_file=str(certificate.file),
        )
        with pytest.raises(MailNotSent) as failed:
            await mailer.send_mail(MAIL)
    assert failed.value.permanent
    assert not isinstance(failed.value, MailRefused), "another mail would fail as well"
    assert "not the one" not in str(failed.value)


async def test_a_temporary_refusal_is_tried_again() -> None:
    mail_sink = MailSink()
    mail_sink.recipient_replies = ["450 4.2.1 try later"]
    mail_sink.replies = ["451 4.3.0 try later"]
    async with smtp_server(mail_sink) as port:
        await mailer_at(port).send_mail(MAIL)
    assert (mail_sink.attempts, len(mail_sink.received)) == (3, 1)


async def test_attempts_are_bounded() -> None:
    mail_sink = MailSink()
    mail_sink.recipient_replies = ["450 4.2.1 try later"] * 10
    async with smtp_server(mail_sink) as port:
        with pytest.raises(MailNotSent) as failed:
            await mailer_at(port).send_mail(MAIL)
    assert (mail_sink.attempts, failed.value.permanent) == (3, False)


@pytest.mark.parametrize("step", ["recipient_replies", "replies"])
async def test_a_permanent_refusal_is_not_tried_again_and_its_text_not_repeated(step: str) -> None:
    mail_sink = MailSink()
    setattr(mail_sink, step, ["550 5.7.1 spam: in plain text"])
    async with smtp_server(mail_sink) as port:
        with pytest.raises(MailNotSent) as failed:
            await mailer_at(port).send_mail(MAIL)
    assert (mail_sink.attempts, type(failed.value)) == (1, MailRefused)
    assert str(failed.value).endswith("replied 550 5.7.1")


async def test_a_server_that_is_down_is_a_mail_that_was_not_sent() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nothing listens there, and nothing else can
        with pytest.raises(MailNotSent) as failed:
            await mailer_at(taken.getsockname()[1]).send_mail(MAIL)
    assert not failed.value.permanent


@pytest.mark.parametrize("greeting", [b"", b"220 localhost ESMTP\r\n"])
async def test_a_server_that_answers_nothing_is_given_up(greeting: bytes) -> None:
    async with silent_server(greeting) as port:
        with pytest.raises(MailNotSent):
            await mailer_at(port, smtp_seconds=0.05).send_mail(MAIL)


async def test_a_connection_that_ends_after_the_content_is_not_tried_again() -> None:
    async with dying_server() as port:
        with pytest.raises(MailOutcomeUnknown):
            await mailer_at(port).send_mail(MAIL)


async def test_the_queue_is_bounded() -> None:
    async with silent_server() as port:
        mailer = mailer_at(port, max_queued=2, smtp_seconds=0.2)
        waiting = [asyncio.create_task(mailer.send_mail(MAIL)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(MailQueueFull):
            await mailer.send_mail(MAIL)
        results = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(result) for result in results] == [MailNotSent, MailNotSent]
    # Both have left the queue.
    with pytest.raises(MailNotSent) as failed:
        await mailer.send_mail(MAIL)
    assert not isinstance(failed.value, MailQueueFull)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"mail_from": "a@b.org"}, "SMTP_HOST"),
        ({"smtp_host": "mail.example.com"}, "MAIL_FROM"),
        ({"smtp_host": "mail.example.com", "mail_from": "nobody"}, "MAIL_FROM"),
        ({"smtp_host": "mail.example.com", "mail_from": "a@b.org", "smtp_username": "a"}, "password"),
        (
            {"smtp_url": "smtp://a:secret@mail.example.com?tls=none", "mail_from": "a@b.org"},
            "without TLS",
        ),
        ({"smtp_url": "smtp://a:secret@mail.example.com?tsl=none", "mail_from": "a@b.org"}, "SMTP_URL must be"),
        ({"smtp_url": "http://a:secret@mail.example.com", "mail_from": "a@b.org"}, "SMTP_URL must be"),
        ({"smtp_url": "smtps://a:secret@mail.example.com?tls=none", "mail_from": "a@b.org"}, "SMTP_URL must be"),
        ({"smtp_url": "smtp://mail.example.com:port", "mail_from": "a@b.org"}, "SMTP_URL must be"),
        ({"smtp_url": "smtp://mail.example.com", "smtp_host": "other", "mail_from": "a@b.org"}, "either"),
        ({"smtp_host": "mail.example.com", "mail_from": "a@b.org", "smtp_ca_file": "/missing"}, "SMTP_CA_FILE"),
    ],
)
async def test_incomplete_settings_refuse_to_start_with_the_reason(settings: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadSetting, match=reason) as refused:
        async with Sobremesa.open(settings=Settings(store="sqlite://", mail="smtp", **settings), background=False):
            pass
    assert "secret" not in str(refused.value)


def test_the_url_has_the_same_parts_as_the_separate_settings(tmp_path: Path) -> None:
    by_url = SmtpServer.of(Settings(mail="smtp", smtp_url="smtp://a%40b:p%3Aw@mail.example.com", mail_from="a@b.org"))
    assert by_url[:4] == ("mail.example.com", 587, "starttls", ("", "a@b.org"))
    assert (by_url.username, by_url.password) == ("a@b", "p:w")


def test_an_unused_mail_server_is_a_warning() -> None:
    assert any("MAIL" in warning for warning in Settings(smtp_host="mail.example.com").warnings())


def test_what_is_likely_a_mistake_is_a_warning() -> None:
    warnings = Settings(mail="smtp").warnings()
    assert [name for name in ("PUBLIC_URL", "REGISTRATION") if any(name in text for text in warnings)] == [
        "PUBLIC_URL",
        "REGISTRATION",
    ]
    assert Settings(mail="smtp", public_url="https://a.example", registration="verified").warnings() == []

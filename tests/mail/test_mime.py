"""Mails as messages: no content adds a header, and texts of all languages arrive as they were written."""

from __future__ import annotations

from email import message_from_bytes, policy
from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sobremesa.domains.mail.content import Mail
from sobremesa.domains.mail.errors import MailNotSent
from sobremesa.domains.mail.mime import Envelope, Sender, envelope_of

SENDER = Sender("Sobremesa", "chat@example.com")
HEADERS = {"From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "Content-Type", "MIME-Version"}


def parsed(envelope: Envelope) -> EmailMessage:
    message = message_from_bytes(envelope.content, policy=policy.default)
    assert isinstance(message, EmailMessage)
    return message


@given(subject=st.text(max_size=300), text=st.text(max_size=300))
def test_no_subject_or_text_adds_a_header(subject: str, text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    subject = subject.encode("utf-8", "replace").decode()
    message = parsed(envelope_of(Mail(to="ana@example.com", subject=subject, text=text), SENDER, 0))
    assert set(message.keys()) == HEADERS | {"Content-Transfer-Encoding"}
    assert message["To"] == "ana@example.com"


@pytest.mark.parametrize(
    "address",
    [
        "ana@example.com\r\nBcc: all@example.com",
        "ana@example.com, bea@example.com",
        "ana@example.com>\nx",
        "Ana <ana@example.com>",
        "ana@exa mple.com",
        "ana@example.com\u2028",
        "ana\x00@example.com",
        "@example.com",
        "ana@",
        "ana",
        "",
        f"{'a' * 65}@example.com",
    ],
)
def test_what_is_not_one_address_receives_nothing(address: str) -> None:
    with pytest.raises(MailNotSent) as refused:
        envelope_of(Mail(to=address, subject="", text=""), SENDER, 0)
    assert refused.value.permanent


def test_a_subject_in_another_script_is_encoded() -> None:
    envelope = envelope_of(Mail(to="ana@example.com", subject="¡Hola, José! 你好", text="x"), SENDER, 0)
    assert envelope.content.isascii()
    assert parsed(envelope)["Subject"] == "¡Hola, José! 你好"


def test_a_line_break_in_a_subject_is_a_space() -> None:
    envelope = envelope_of(Mail(to="ana@example.com", subject="One\r\nBcc: all@example.com", text="x"), SENDER, 0)
    assert parsed(envelope)["Subject"] == "One Bcc: all@example.com"
    assert parsed(envelope)["Bcc"] is None


def test_a_domain_in_another_script_is_sent_in_ascii() -> None:
    envelope = envelope_of(Mail(to="ana@bücher.example", subject="x", text="x"), SENDER, 0)
    assert (envelope.recipient, envelope.needs_utf8) == ("ana@xn--bcher-kva.example", False)


def test_a_name_in_another_script_needs_a_server_that_supports_it() -> None:
    envelope = envelope_of(Mail(to="josé@example.com", subject="x", text="x"), SENDER, 0)
    assert (envelope.recipient, envelope.needs_utf8) == ("josé@example.com", True)
    assert parsed(envelope)["To"] == "josé@example.com"


def test_texts_of_all_languages_arrive_as_written() -> None:
    text = "Grüße 你好 🎉\n" + "long " * 300
    envelope = envelope_of(Mail(to="ana@example.com", subject="x", text=text, html=f"<p>{text}</p>"), SENDER, 0)
    assert envelope.content.isascii()
    body = parsed(envelope).get_body(("plain",))
    assert isinstance(body, EmailMessage)
    assert body.get_content().replace("\r\n", "\n").rstrip("\n") == text.rstrip("\n")
    assert all(len(line) <= 998 for line in envelope.content.split(b"\r\n"))


def test_the_unsubscribe_headers_are_those_of_rfc_8058() -> None:
    url = "https://chat.example.com/v1/unsubscribe/abc"
    message = parsed(envelope_of(Mail(to="a@b.org", subject="x", text="x", unsubscribe_url=url), SENDER, 0))
    assert message["List-Unsubscribe"] == f"<{url}>"
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


def test_a_sender_has_a_name_or_none() -> None:
    assert Sender.parse("Grüße <chat@example.com>") == ("Grüße", "chat@example.com")
    assert Sender.parse("chat@example.com") == ("", "chat@example.com")
    for text in ("chat", "a@b.org, c@d.org", "x\r\nBcc: <a@b.org>", ""):
        with pytest.raises(ValueError, match="not an address"):
            Sender.parse(text)

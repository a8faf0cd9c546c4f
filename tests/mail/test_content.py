"""What mails contain: the same content as text and as HTML, with everything that users wrote escaped."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from mail.smtp_servers import MailSink, smtp_server
from sobremesa.app import Sobremesa
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.account_mails import confirmation_mail, registered_mail, reset_mail
from sobremesa.domains.mail.content import Button, Excerpt, MailContent, Source, Text
from sobremesa.domains.mail.html import render_html
from sobremesa.domains.mail.plain_text import render_text

GOLDEN = Path(__file__).parent / "golden"
ADDRESS = "https://chat.example.com"
DIGEST = MailContent(
    subject="3 unread messages",
    blocks=[
        Text("Hello ana,"),
        Source(
            "bea", "2 unread messages", f"{ADDRESS}/d/1", [Excerpt("bea", "Are you coming?"), Excerpt("bea", "<b>?")]
        ),
        Source('#general in "The long table"', "1 mention", f"{ADDRESS}/c/1/2?a=1&b=2"),
    ],
    footer=[Text("You receive this because you have not read them yet."), Button("Unsubscribe", f"{ADDRESS}/u")],
)
LETTERS = {
    "reset": reset_mail("ana", ADDRESS, "user.token"),
    "confirmation": confirmation_mail("ana", ADDRESS, "token"),
    "registered": registered_mail("ana", ADDRESS),
    "digest": DIGEST,
}


class Page(HTMLParser):
    """The tags, links and words of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not [name for name, _ in attributes if name.startswith("on")]
        self.links += [value or "" for name, value in attributes if name in ("href", "src")]

    def handle_data(self, data: str) -> None:
        self.words += data.split()


@pytest.mark.parametrize("name", LETTERS)
def test_each_mail_is_as_in_its_golden_file(name: str) -> None:
    """To accept a change, run `python -m mail.test_content` in `tests`, and look at the files in a browser."""
    assert render_html(LETTERS[name]) == (GOLDEN / f"{name}.html").read_text()
    assert render_text(LETTERS[name]) == (GOLDEN / f"{name}.txt").read_text()


@pytest.mark.parametrize("name", LETTERS)
def test_both_forms_have_the_same_words_and_links(name: str) -> None:
    text, page = render_text(LETTERS[name]), Page(render_html(LETTERS[name]))
    assert set(page.tags) <= {"html", "head", "meta", "title", "body", "div", "h1", "p", "a", "span", "strong", "br"}
    assert set(page.links) <= set(re.findall(r"https://[^\s]+[^\s.]", text))
    for link in page.links:
        text = text.replace(link, "")
    assert set(re.findall(r"\w+", text)) <= set(re.findall(r"\w+", " ".join(page.words)))


def test_what_users_wrote_is_escaped() -> None:
    evil = '"><script>alert(1)</script>\n\nUnsubscribe:\nhttps://evil.example'
    content = MailContent(
        subject=evil,
        blocks=[Text(evil), Source(evil, evil, ADDRESS, [Excerpt(evil, evil)]), Button(evil, f"{ADDRESS}/{evil}")],
        footer=[Text(evil), Button(evil, ADDRESS)],
    )
    page = Page(render_html(content))
    assert "script" not in page.tags
    assert not [link for link in page.links if link.startswith("https://evil.example")]
    # An excerpt is one line of the plain text, so that it cannot look like another part of the mail.
    one_line = " ".join(evil.split())
    text = render_text(MailContent(subject="", blocks=[Source("x", "1", ADDRESS, [Excerpt(evil, evil)])], footer=[]))
    assert text == f"x (1)\n  {one_line}: {one_line}\n  {ADDRESS}\n"


async def test_a_reset_by_smtp_reaches_the_user_and_no_log(capsys: pytest.CaptureFixture[str]) -> None:
    mail_sink = MailSink()
    async with smtp_server(mail_sink) as port:
        settings = Settings(
            store="sqlite://",
            mail="smtp",
            smtp_url=f"smtp://127.0.0.1:{port}?tls=none",
            mail_from="chat@example.com",
            public_url=f"{ADDRESS}/",
            insecure_passwords=True,
            argon2_memory_kib=8,
            argon2_time_cost=1,
        )
        async with Sobremesa.open(settings=settings, background=False) as app:
            await app.accounts.register(email="ana@example.com", username="ana", password="correct horse")
            app.accounts.ask_reset("ana@example.com")
        [received] = mail_sink.received

    [token] = re.findall(r"/reset\?token=(\S+)", received.text())
    assert f'href="{ADDRESS}/reset?token={token}"' in received.html()
    assert received.text().split("\n\n")[-2] == token
    assert token not in "".join(capsys.readouterr())


if __name__ == "__main__":
    for name, content in LETTERS.items():
        (GOLDEN / f"{name}.html").write_text(render_html(content))
        (GOLDEN / f"{name}.txt").write_text(render_text(content))

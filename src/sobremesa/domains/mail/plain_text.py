"""Renders mails as plain text: paragraphs, separated by empty lines."""

from __future__ import annotations

from sobremesa.domains.mail.content import Block, Button, Code, MailContent, Source, Text


def render_text(content: MailContent) -> str:
    """Return a content as plain text."""
    return "\n\n".join(_block(block) for block in (*content.blocks, *content.footer)) + "\n"


def _block(block: Block) -> str:
    match block:
        case Text(text) | Code(text):
            return text
        case Button(label, url):
            return f"{label}:\n{url}"
        case Source(title, count, url, excerpts):
            lines = [f"  {one_line(each.author)}: {one_line(each.text)}" for each in excerpts]
            return "\n".join([f"{one_line(title)} ({count})", *lines, f"  {url}"])


def one_line(text: str) -> str:
    """Return a text without line breaks, so that no message can look like another part of the mail."""
    return " ".join(text.split())

"""Bodies of Discord's webhooks: content and embeds. Discord's Markdown is mostly ours."""

from __future__ import annotations

import re
from itertools import chain

import msgspec

from sobremesa.domains.incoming_webhooks.formats.markdown import (
    MAX_TEXT,
    bold,
    cut,
    joined,
    line,
    link,
    paragraphs,
    quote_block,
)

MAX_EMBEDS = 10
MAX_FIELDS = 25

_MENTION = re.compile(r"<(?:@[!&]?|#)(\d{1,20})>|@(everyone|here)\b")
_EMOJI = re.compile(r"<a?:(\w{1,32}):\d{1,20}>")
_TIME = re.compile(r"<t:(\d{1,12})(?::\w)?>")
_HEADING = re.compile(r"^#{1,3} +(.+)$", re.MULTILINE)
_UNDERLINE_OR_SPOILER = re.compile(r"\|\|(.+?)\|\|")
_USERNAME = re.compile(r"(?<![\w\\])@(?=[\w.-]{2})")


class Name(msgspec.Struct):
    """An author, a provider or a footer."""

    name: str | None = None
    text: str | None = None
    url: str | None = None


class Picture(msgspec.Struct):
    """An image."""

    url: str | None = None


class Field(msgspec.Struct):
    """A field of an embed."""

    name: str = ""
    value: str = ""


class Embed(msgspec.Struct):
    """An embed."""

    title: str | None = None
    url: str | None = None
    description: str | None = None
    author: Name | None = None
    fields: list[Field] = []
    image: Picture | None = None
    footer: Name | None = None


class DiscordBody(msgspec.Struct):
    """A message as Discord's webhooks take it."""

    content: str | None = None
    username: str | None = None
    embeds: list[Embed] = []


def render(body: DiscordBody) -> str:
    """Return the message as text."""
    embeds = (_embed(embed) for embed in body.embeds[:MAX_EMBEDS])
    return paragraphs(chain([_markdown(body.content or "")], embeds))


def _markdown(text: str) -> str:
    """Return Discord's Markdown as ours: its mentions, emoji, times, headings and spoilers have no counterpart."""
    text = text[:MAX_TEXT]
    text = _MENTION.sub(lambda found: "\\@" + (found.group(2) or "someone"), text)
    text = _EMOJI.sub(r":\1:", text)
    text = _TIME.sub(r"\1", text)
    text = _UNDERLINE_OR_SPOILER.sub(r"\1", text)
    text = _USERNAME.sub(r"\\@", text)
    return _HEADING.sub(r"**\1**", text)


def _embed(embed: Embed) -> str:
    fields = (f"- {bold(line(field.name))} {_one_line(field.value)}".strip() for field in embed.fields[:MAX_FIELDS])
    title = bold(link(embed.title, embed.url)) if embed.title else ""
    inside = [
        link(embed.author.name, embed.author.url) if embed.author is not None else "",
        title,
        _markdown(embed.description or ""),
        joined(fields),
        link("image", embed.image.url) if embed.image is not None and embed.image.url else "",
        line(embed.footer.text) if embed.footer is not None else "",
    ]
    return cut(quote_block("\n".join(part for part in inside if part)))


def _one_line(text: str) -> str:
    return _markdown(" ".join(text[:MAX_TEXT].split()))

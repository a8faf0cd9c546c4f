"""Bodies of Slack's incoming webhooks: text, attachments and the basic blocks."""

from __future__ import annotations

import re
from itertools import chain
from typing import Any

import msgspec

from sobremesa.domains.incoming_webhooks.formats.markdown import (
    MAX_TEXT,
    address,
    bold,
    code,
    code_block,
    cut,
    escape,
    joined,
    line,
    link,
    paragraphs,
    quote_block,
)

MAX_PARTS = 50

_TOKEN = re.compile(r"<([^<>\n]{1,2000})>|```(.*?)```|`([^`\n]+)`|\*([^*\n]+)\*|~([^~\n]+)~", re.DOTALL)
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))


class Text(msgspec.Struct):
    """A text object."""

    type: str = "mrkdwn"
    text: str = ""


class Field(msgspec.Struct):
    """A field of an attachment."""

    title: str | None = None
    value: str | None = None


class Block(msgspec.Struct):
    """A layout block. What has no text here, such as inputs, is left out."""

    type: str
    text: Text | str | None = None
    fields: list[Text] = []
    elements: list[dict[str, Any]] = []
    title: Text | str | None = None
    alt_text: str | None = None
    image_url: str | None = None


class Attachment(msgspec.Struct):
    """An attachment in the older form."""

    fallback: str | None = None
    pretext: str | None = None
    author_name: str | None = None
    title: str | None = None
    title_link: str | None = None
    text: str | None = None
    fields: list[Field] = []
    image_url: str | None = None
    footer: str | None = None
    blocks: list[Block] = []


class SlackBody(msgspec.Struct):
    """A message as Slack's incoming webhooks take it."""

    text: str | None = None
    username: str | None = None
    blocks: list[Block] = []
    attachments: list[Attachment] = []


def render(body: SlackBody) -> str:
    """Return the message as text. With blocks, `text` is only their summary, as in Slack."""
    shown = joined(_block(block) for block in body.blocks[:MAX_PARTS]) or mrkdwn(body.text or "")
    return paragraphs(chain([shown], (_attachment(attachment) for attachment in body.attachments[:MAX_PARTS])))


def mrkdwn(text: str) -> str:
    """Return Slack's own markup in our Markdown: one asterisk is bold there, and links are `<address|text>`."""
    text = text[:MAX_TEXT]
    found: list[str] = []
    at = 0
    for token in _TOKEN.finditer(text):
        found.append(_plain(text[at : token.start()]))
        found.append(_token(token))
        at = token.end()
    found.append(_plain(text[at:]))
    return "".join(found)


def _token(token: re.Match[str]) -> str:
    angle, fenced, inline, strong, struck = token.groups()
    if angle is not None:
        return _angle(angle)
    if fenced is not None:
        return f"\n{code_block(_unescaped(fenced))}\n"
    if inline is not None:
        return f"`{_unescaped(inline)}`"
    inner, mark = (strong, "**") if strong is not None else (struck, "~~")
    if inner.strip() != inner:
        return _plain(token.group())
    return f"{mark}{mrkdwn(inner)}{mark}"


def _angle(inside: str) -> str:
    """Return a link, or the name in a mention: ids of Slack mean nothing here."""
    target, _, label = inside.partition("|")
    if target[:1] in ("@", "#", "!"):
        return escape(label or target[1:].partition("^")[0])
    if address(_unescaped(target)) is None:
        return _plain(inside)
    return link(_unescaped(label) or _unescaped(target), _unescaped(target))


def _plain(text: str) -> str:
    """Return text outside of tokens; Slack's italics and quotes are written as ours."""
    lines = _unescaped(text).split("\n")
    return "\n".join(f"> {escape(each[1:].lstrip())}" if each.startswith(">") else _italics(each) for each in lines)


def _italics(text: str) -> str:
    return re.sub(r"\\_([^\s_](?:[^_]*[^\s_])?)\\_", r"_\1_", escape(text))


def _unescaped(text: str) -> str:
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    return text


def _text(text: Text | str | None) -> str:
    if text is None:
        return ""
    if isinstance(text, str):
        return mrkdwn(text)
    return escape(text.text[:MAX_TEXT]) if text.type == "plain_text" else mrkdwn(text.text)


def _block(block: Block) -> str:
    match block.type:
        case "header":
            return bold(_text(block.text))
        case "section" | "markdown":
            fields = (f"- {_text(field).replace(chr(10), ' ')}" for field in block.fields[:MAX_PARTS])
            return joined(chain([_text(block.text)], fields))
        case "context":
            return joined((_element(element) for element in block.elements[:MAX_PARTS]), " ")
        case "divider":
            return "———"
        case "image":
            return link(block.alt_text or "image", block.image_url)
        case "rich_text":
            return joined(_rich(element) for element in block.elements[:MAX_PARTS])
        case "actions":
            return joined((_element(element) for element in block.elements[:MAX_PARTS]), " · ")
        case _:
            return ""


def _element(element: dict[str, Any]) -> str:
    text = element.get("text")
    words = text.get("text") if isinstance(text, dict) else text
    if isinstance(element.get("url"), str) and isinstance(words, str):
        return link(words, element["url"])
    if element.get("type") == "image":
        return line(_string(element.get("alt_text")))
    return (
        (escape(words[:MAX_TEXT]) if element.get("type") in ("plain_text", "button") else mrkdwn(words))
        if isinstance(words, str)
        else ""
    )


def _rich(element: dict[str, Any], depth: int = 0) -> str:
    """Return a rich text element: sections, lists, quotes and preformatted text."""
    given = element.get("elements")
    inside = [each for each in (given[:MAX_PARTS] if isinstance(given, list) else ()) if isinstance(each, dict)]
    match element.get("type"):
        case "rich_text_list" if depth < 3:
            return joined(f"- {_rich(each, depth + 1)}" for each in inside)
        case "rich_text_quote":
            return quote_block(joined(map(_run, inside), ""))
        case "rich_text_preformatted":
            return code_block(joined((_string(each.get("text")) for each in inside), ""))
        case _:
            return joined(map(_run, inside), "")


def _run(run: dict[str, Any]) -> str:
    text = _string(run.get("text"))
    if run.get("type") == "link":
        return link(text or _string(run.get("url")), _string(run.get("url")))
    if run.get("type") == "emoji":
        return f":{line(_string(run.get('name')))}:"
    given = run.get("style")
    style: dict[str, Any] = given if isinstance(given, dict) else {}
    shown = code(text, MAX_TEXT) if style.get("code") else escape(text)
    for name, mark in (("bold", "**"), ("italic", "_"), ("strike", "~~")):
        if style.get(name) and text.strip() == text and text:
            shown = f"{mark}{shown}{mark}"
    return shown


def _string(value: Any) -> str:
    return value[:MAX_TEXT] if isinstance(value, str) else ""


def _attachment(attachment: Attachment) -> str:
    fields = (
        f"- {bold(line(field.title))} {mrkdwn(field.value or '').replace(chr(10), ' ')}".strip()
        for field in attachment.fields[:MAX_PARTS]
        if field.title or field.value
    )
    inside = [
        line(attachment.author_name),
        bold(line(attachment.title)) if address(attachment.title_link) is None else _title(attachment),
        mrkdwn(attachment.text or ""),
        joined(fields),
        joined(_block(block) for block in attachment.blocks[:MAX_PARTS]),
        link("image", attachment.image_url) if attachment.image_url else "",
        line(attachment.footer),
    ]
    body = "\n".join(part for part in inside if part) or escape(_string(attachment.fallback))
    return cut("\n".join(part for part in (mrkdwn(attachment.pretext or ""), quote_block(body)) if part))


def _title(attachment: Attachment) -> str:
    return bold(link(attachment.title, attachment.title_link))

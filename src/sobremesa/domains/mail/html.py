"""Renders mails as HTML. Styles are inline, since mail programs drop style sheets; everything is escaped."""

from __future__ import annotations

from html import escape

from sobremesa.domains.mail.content import Block, Button, Code, Excerpt, MailContent, Source, Text

_FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
_PAGE = f"margin:0;padding:24px 12px;background:#f4f1ec;color:#2b2622;{_FONT}"
_CARD = "max-width:560px;margin:0 auto;padding:28px 28px 20px;background:#ffffff;border-radius:12px"
_HEADING = "margin:0 0 20px;font-size:20px;line-height:1.3"
_TEXT = "margin:0 0 16px;font-size:15px;line-height:1.55"
_BUTTON = (
    "display:inline-block;padding:11px 20px;border-radius:8px;background:#9a3412;color:#ffffff;"
    "font-size:15px;font-weight:600;text-decoration:none"
)
_CODE = (
    "margin:0 0 16px;padding:10px 12px;border-radius:8px;background:#f4f1ec;font-family:monospace;font-size:13px;"
    "word-break:break-all"
)
_SOURCE = "margin:0 0 16px;padding:14px 16px;border:1px solid #e4ddd3;border-radius:10px"
_TITLE = "color:#2b2622;font-size:15px;font-weight:600;text-decoration:none"
_COUNT = "color:#6b625a;font-size:13px"
_EXCERPT = "margin:8px 0 0;font-size:14px;line-height:1.5;overflow-wrap:anywhere"
_FOOTER = "max-width:560px;margin:16px auto 0;color:#6b625a;font-size:12px;line-height:1.5;text-align:center"


def render_html(content: MailContent) -> str:
    """Return a content as an HTML document."""
    subject = escape(content.subject)
    blocks = "\n".join(_block(block) for block in content.blocks)
    footer = "<br>\n".join(_small(part) for part in content.footer)
    return f"""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{subject}</title>
</head>
<body style="{_PAGE}">
<div style="{_CARD}">
<h1 style="{_HEADING}">{subject}</h1>
{blocks}
</div>
<div style="{_FOOTER}">
{footer}
</div>
</body>
</html>
"""


def _block(block: Block) -> str:
    match block:
        case Text(text):
            return f'<p style="{_TEXT}">{_lines(text)}</p>'
        case Button(label, url):
            return f'<p style="{_TEXT}"><a href="{escape(url)}" style="{_BUTTON}">{escape(label)}</a></p>'
        case Code(text):
            return f'<p style="{_CODE}">{escape(text)}</p>'
        case Source(title, count, url, excerpts):
            heading = f'<a href="{escape(url)}" style="{_TITLE}">{escape(title)}</a>'
            rows = "".join("\n" + _excerpt(each) for each in excerpts)
            return f'<div style="{_SOURCE}">{heading} <span style="{_COUNT}">{escape(count)}</span>{rows}\n</div>'


def _excerpt(excerpt: Excerpt) -> str:
    return f'<p style="{_EXCERPT}"><strong>{escape(excerpt.author)}</strong> {escape(excerpt.text)}</p>'


def _small(part: Text | Button) -> str:
    match part:
        case Text(text):
            return _lines(text)
        case Button(label, url):
            return f'<a href="{escape(url)}" style="color:#6b625a">{escape(label)}</a>'


def _lines(text: str) -> str:
    return escape(text).replace("\n", "<br>\n")

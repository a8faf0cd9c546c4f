"""Text in the Markdown subset of the web client: escaped, linked, shortened."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote, urlsplit

MAX_LINE = 300
MAX_LINK_TEXT = 200
MAX_ADDRESS = 1500
MAX_CONTENT = 4000
MAX_TEXT = 2 * MAX_CONTENT
"""More than this of one text is not looked at: it would be cut."""
CUT = "…"

# What the parser treats as marks. Underscores inside a word and a # inside a text are not marks.
_MARKS = re.compile(r"[\\`*~\[\]@]|(?<!\w)_|_(?!\w)|(?<!\S)#")
_LINE_START = re.compile(r"^(\s{0,3})([>-])", re.MULTILINE)
_SPACES = re.compile(r"\s+")
_FENCE = re.compile(r"`{3,}")


def escape(text: str) -> str:
    """Return text that is shown as it is: no marks, mentions, lists or quotes."""
    return _LINE_START.sub(r"\1\\\2", _MARKS.sub(lambda found: "\\" + found.group(), text))


def line(text: str | None, at_most: int = MAX_LINE) -> str:
    """Return the text in one line, shortened and escaped."""
    return escape(shortened(_one_line(text), at_most))


def first_line(text: str | None, at_most: int = MAX_LINE) -> str:
    """Return the first line of a text, shortened and escaped."""
    return line((text or "")[:MAX_TEXT].strip().partition("\n")[0], at_most)


def _one_line(text: str | None) -> str:
    return _SPACES.sub(" ", (text or "")[:MAX_TEXT]).strip()


def shortened(text: str, at_most: int) -> str:
    """Return the text, cut at a length."""
    return text if len(text) <= at_most else text[: at_most - 1].rstrip() + CUT


def address(url: str | None) -> str | None:
    """Return an address that can be linked, else None."""
    if not url or len(url) > MAX_ADDRESS:
        return None
    try:
        scheme = urlsplit(url).scheme.lower()
    except ValueError:  # such as an opening bracket without a closing one
        return None
    if scheme not in ("http", "https", "mailto"):
        return None
    # Spaces and parentheses would end the link.
    return quote(url, safe="%/:?#[]@!$&'*+,;=~-._")


def link(text: str | None, url: str | None) -> str:
    """Return a link, or the text alone if the address is not one. The text of a link has no marks."""
    href = address(url)
    if href is None:
        return line(text)
    words = _one_line(text).replace("[", "(").replace("]", ")")
    return f"[{shortened(words or href, MAX_LINK_TEXT)}]({href})"


def bold(text: str) -> str:
    """Return escaped text in bold."""
    return f"**{text.strip()}**" if text.strip() else ""


def code(text: str | None, at_most: int = MAX_LINE) -> str:
    """Return text as code on one line."""
    plain = _one_line(text).replace("`", "'")
    return f"`{shortened(plain, at_most)}`" if plain else ""


def code_block(text: str, language: str = "") -> str:
    """Return text as a block of code."""
    return f"```{language}\n{_FENCE.sub(chr(39) * 3, text.strip(chr(10)))}\n```"


def quote_block(text: str) -> str:
    """Return lines as a quote."""
    return "\n".join(f"> {each}" for each in text.split("\n")) if text.strip() else ""


def paragraphs(parts: Iterable[str | None], between: str = "\n") -> str:
    """Return the parts that are not empty, within the length of a message. Parts beyond it are not even rendered."""
    return cut(joined(parts, between))


def joined(parts: Iterable[str | None], between: str = "\n") -> str:
    """Return the parts that are not empty, up to the first that exceeds the length of a message."""
    found: list[str] = []
    length = 0
    for part in parts:
        if part:
            found.append(part)
            length += len(part)
        if length > MAX_CONTENT:
            break
    return between.join(found)


def cut(text: str, at_most: int = MAX_CONTENT) -> str:
    """Return the text within the length of a message: whole lines, and a block of code is closed."""
    if len(text) <= at_most:
        return text
    kept = text[: at_most - 8]
    whole = kept[: kept.rfind("\n")] if "\n" in kept[at_most // 2 :] else kept
    is_open = sum(each.strip().startswith("```") for each in whole.split("\n")) % 2 == 1
    return whole + ("\n```\n" if is_open else "\n") + CUT

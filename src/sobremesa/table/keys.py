"""Keys: literal templates, and what may stand in their places.

`"USER#{user_id}"` names a field of its entity in braces. A number may be padded, `"CHUNK#{n:05}"`, so that it sorts.
Formatting checks every part, so that no key can be made to mean something else; parsing is its exact inverse.
"""

from __future__ import annotations

import hashlib
import re
import string
import unicodedata
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from sobremesa.table.errors import BadKey

MAX_PK_BYTES = 2048
MAX_SK_BYTES = 1024
SEPARATOR = "#"

_PLAIN = re.compile(r"[A-Za-z0-9_.:@+~=!,;()/-][A-Za-z0-9_.:@+~=!,;()/ -]*")


class Template:
    """A key's text with named places, such as `CONVO#{convo_id}`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._literals: list[str] = []
        self._places: list[tuple[str, int]] = []
        """The fields in their order, each with the digits that a number has at least."""
        self._split()
        self.fields = tuple(field for field, _ in self._places)
        self._form = "%s".join(literal.replace("%", "%%") for literal in self._literals)
        self._pattern = self._compile(self._literals)

    def __repr__(self) -> str:
        return f"Template({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Template) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    @property
    def literal_prefix(self) -> str:
        """The text before the first place."""
        return self._literals[0]

    def format(self, parts: Mapping[str, Any]) -> str:
        """The key with these parts in its places; BadKey if one is missing or not fit for a key."""
        key = self.format_or_none(parts.get)
        if key is None:
            missing = next(field for field in self.fields if parts.get(field) is None)
            raise BadKey(f"the key {self.text} needs {missing}")
        return key

    def format_or_none(self, get: Callable[[str], Any]) -> str | None:
        """The key, or None where a part is None: the item then stays out of that index."""
        pieces = []
        for field, width in self._places:
            part = get(field)
            if part is None:
                return None
            # Most parts are ids: nothing can be wrong with letters and digits.
            if type(part) is not str or not (part.isascii() and part.isalnum()):
                part = _piece(field, part, width)
            pieces.append(part)
        return self._form % tuple(pieces)

    def parse(self, key: str, *, lowered: bool = False) -> dict[str, str] | None:
        """The parts of a key of this template, as text, or None if it is a key of another.

        `lowered` reads a key of a table whose keys are in lower case.
        """
        match = (self._lowered if lowered else self._pattern).fullmatch(key)
        return match.groupdict() if match else None

    def _split(self) -> None:
        literal = ""
        try:
            parsed = list(string.Formatter().parse(self.text))
        except ValueError as error:
            raise BadKey(f"the template {self.text!r} cannot be read: {error}") from None
        for before, field, width, conversion in parsed:
            literal += before
            if field is None:
                continue
            if not field.isidentifier() or conversion or (width and not width.isdigit()):
                raise BadKey(f"the template {self.text!r} has a place that is not a field's name: {field!r}")
            if any(field == other for other, _ in self._places):
                raise BadKey(f"the template {self.text!r} names {field} twice")
            if self._places and SEPARATOR not in literal:
                before_it = self._places[-1][0]
                raise BadKey(f"the template {self.text!r} needs a {SEPARATOR} between {before_it} and {field}")
            self._places.append((field, int(width or 0)))
            self._literals.append(literal)
            literal = ""
        self._literals.append(literal)

    @cached_property
    def _lowered(self) -> re.Pattern[str]:
        return self._compile([literal.lower() for literal in self._literals])

    def _compile(self, literals: list[str]) -> re.Pattern[str]:
        pattern = re.escape(literals[0])
        for field, literal in zip(self.fields, literals[1:], strict=True):
            pattern += f"(?P<{field}>[^{SEPARATOR}]+){re.escape(literal)}"
        return re.compile(pattern)


def check_part(field: str, part: str) -> None:
    """BadKey unless this text may stand in a key."""
    if not part:
        raise BadKey(f"{field} is empty; a part of a key is not")
    if SEPARATOR in part:
        raise BadKey(f"{field} is {part!r}; a part of a key has no {SEPARATOR} (encode it with hex_part or hash_part)")
    if part == "*" or part.startswith("$"):
        raise BadKey(f"{field} is {part!r}; '*' and a leading '$' are reserved in keys")
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in part):
        raise BadKey(f"{field} is {part!r}; a part of a key has no control characters")
    if not unicodedata.is_normalized("NFC", part):
        raise BadKey(f"{field} is {part!r}, which is not in the normal form NFC")


def check_key(pk: str, sk: str, where: str = "the table") -> None:
    """BadKey unless the two are text of a length that a table takes."""
    if (
        type(pk) is type(sk) is str
        and 0 < len(pk) <= MAX_PK_BYTES
        and 0 < len(sk) <= MAX_SK_BYTES
        and (pk + sk).isascii()
    ):
        return
    for name, value, limit in (("pk", pk, MAX_PK_BYTES), ("sk", sk, MAX_SK_BYTES)):
        if type(value) is not str:
            raise BadKey(f"the {name} of {where} is a {type(value).__name__}; a key is text")
        if not value:
            raise BadKey(f"the {name} of {where} is empty")
        if len(value) * 4 > limit and utf8_length(value) > limit:
            raise BadKey(f"the {name} of {where} has {utf8_length(value)} bytes, more than {limit}")
        if not value.isascii():
            utf8_length(value)


def utf8_length(text: str) -> int:
    try:
        return len(text.encode())
    except UnicodeEncodeError:
        raise BadKey(f"{text!r} holds half a character, which has no UTF-8 form") from None


def hex_part(text: str) -> str:
    """Any text as a key part that can be read back with `unhex_part`."""
    return text.encode().hex()


def unhex_part(part: str) -> str:
    return bytes.fromhex(part).decode()


def hash_part(*texts: str) -> str:
    """Any texts as one key part of 32 characters that stands for them."""
    digest = hashlib.blake2b(digest_size=16)
    for text in texts:
        encoded = text.encode()
        digest.update(len(encoded).to_bytes(8, "big") + encoded)
    return digest.hexdigest()


def successor(prefix: str) -> str | None:
    """The least text that sorts after every text with this prefix, by UTF-8 bytes; None if there is none."""
    for place in range(len(prefix) - 1, -1, -1):
        code = ord(prefix[place])
        if code < 0x10FFFF:
            following = 0xE000 if code == 0xD7FF else code + 1
            return prefix[:place] + chr(following)
    return None


def _piece(field: str, part: Any, width: int) -> str:
    """A part as it stands in a key; BadKey if it may not."""
    text = part if type(part) is str else _number_piece(field, part, width)
    if not _PLAIN.fullmatch(text):
        check_part(field, text)
    return text


def _number_piece(field: str, part: Any, width: int) -> str:
    if type(part) is int:
        if part < 0:
            raise BadKey(f"{field} is {part}; a number in a key is not negative, or it would not sort")
        text = f"{part:0{width}d}"
        if width and len(text) > width:
            raise BadKey(f"{field} is {part}, which has more than {width} digits")
        return text
    if isinstance(part, str):
        return str.__str__(part)
    raise BadKey(f"{field} is a {type(part).__name__}; a part of a key is text or a whole number")

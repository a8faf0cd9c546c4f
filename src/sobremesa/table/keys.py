"""Keys: literal templates and their parts.

`"USER#{user_id}"` names a field of its entity in braces. A number may be padded, `"CHUNK#{n:05}"`, so that it sorts.
Formatting checks every part, so that no part can change the meaning of a key; parsing is its exact inverse.
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
    """The text of a key with named fields, such as `CONVO#{convo_id}`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._literals: list[str] = []
        self._slots: list[tuple[str, int]] = []
        """The fields in order, each with the minimum number of digits."""
        self._split()
        self.fields = tuple(field for field, _ in self._slots)
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
        """The text before the first field."""
        return self._literals[0]

    def format(self, parts: Mapping[str, Any]) -> str:
        """Return the key with these parts; raise BadKey if one is missing or invalid."""
        key = self.format_or_none(parts.get)
        if key is None:
            missing = next(field for field in self.fields if parts.get(field) is None)
            raise BadKey(f"the key {self.text} needs {missing}")
        return key

    def format_or_none(self, get: Callable[[str], Any]) -> str | None:
        """Return the key, or None if a part is None: the item is then not in that index."""
        pieces = []
        for field, width in self._slots:
            part = get(field)
            if part is None:
                return None
            # Most parts are ids: letters and digits are always valid.
            if type(part) is not str or not (part.isascii() and part.isalnum()):
                part = _piece(field, part, width)
            pieces.append(part)
        return self._form % tuple(pieces)

    def parse(self, key: str, *, lowered: bool = False) -> dict[str, str] | None:
        """Return the parts of a key, as text, or None if the key does not match this template.

        `lowered` parses a key of a table whose keys are in lower case.
        """
        match = (self._lowered if lowered else self._pattern).fullmatch(key)
        return match.groupdict() if match else None

    def _split(self) -> None:
        literal = ""
        try:
            parsed = list(string.Formatter().parse(self.text))
        except ValueError as error:
            raise BadKey(f"the template {self.text!r} is invalid: {error}") from None
        for before, field, width, conversion in parsed:
            literal += before
            if field is None:
                continue
            if not field.isidentifier() or conversion or (width and not width.isdigit()):
                raise BadKey(f"the template {self.text!r} has a field that is not a name: {field!r}")
            if any(field == other for other, _ in self._slots):
                raise BadKey(f"the template {self.text!r} names {field} twice")
            if self._slots and SEPARATOR not in literal:
                before_it = self._slots[-1][0]
                raise BadKey(f"the template {self.text!r} needs a {SEPARATOR} between {before_it} and {field}")
            self._slots.append((field, int(width or 0)))
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
    """Raise BadKey unless this text is a valid part of a key."""
    if not part:
        raise BadKey(f"{field} is empty; a part of a key must not be")
    if SEPARATOR in part:
        raise BadKey(f"{field} is {part!r}; a part of a key has no {SEPARATOR} (encode it with hex_part or hash_part)")
    if part == "*" or part.startswith("$"):
        raise BadKey(f"{field} is {part!r}; '*' and a leading '$' are reserved in keys")
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in part):
        raise BadKey(f"{field} is {part!r}; a part of a key has no control characters")
    if not unicodedata.is_normalized("NFC", part):
        raise BadKey(f"{field} is {part!r}, which is not in the normal form NFC")


def check_key(pk: str, sk: str, where: str = "the table") -> None:
    """Raise BadKey unless both are texts of a valid length."""
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
        raise BadKey(f"{text!r} contains a lone surrogate, which has no UTF-8 form") from None


def hex_part(text: str) -> str:
    """Return any text as a key part that `unhex_part` decodes."""
    return text.encode().hex()


def unhex_part(part: str) -> str:
    return bytes.fromhex(part).decode()


def hash_part(*texts: str) -> str:
    """Return a hash of any texts, as one key part of 32 characters."""
    digest = hashlib.blake2b(digest_size=16)
    for text in texts:
        encoded = text.encode()
        digest.update(len(encoded).to_bytes(8, "big") + encoded)
    return digest.hexdigest()


def successor(prefix: str) -> str | None:
    """Return the least text that sorts after every text with this prefix, by UTF-8 bytes; None if there is none."""
    for end in range(len(prefix) - 1, -1, -1):
        code = ord(prefix[end])
        if code < 0x10FFFF:
            following = 0xE000 if code == 0xD7FF else code + 1
            return prefix[:end] + chr(following)
    return None


def _piece(field: str, part: Any, width: int) -> str:
    """Return the text of a part; raise BadKey if it is invalid."""
    text = part if type(part) is str else _number_piece(field, part, width)
    if not _PLAIN.fullmatch(text):
        check_part(field, text)
    return text


def _number_piece(field: str, part: Any, width: int) -> str:
    if type(part) is int:
        if part < 0:
            raise BadKey(f"{field} is {part}; a number in a key must not be negative, or it would not sort")
        text = f"{part:0{width}d}"
        if width and len(text) > width:
            raise BadKey(f"{field} is {part}, which has more than {width} digits")
        return text
    if isinstance(part, str):
        return str.__str__(part)
    raise BadKey(f"{field} is a {type(part).__name__}; a part of a key is text or an integer")

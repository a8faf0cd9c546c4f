"""Keys: literal templates and their parts.

`"USER#{user_id}"` names a field of its entity in braces. A number may be padded, `"CHUNK#{n:05}"`, so that the order of
the keys is the order of the numbers. Formatting checks every part, so that no part can change the meaning of a key;
parsing is its exact inverse.
"""

from __future__ import annotations

import difflib
import hashlib
import re
import string
import unicodedata
from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from sobremesa.table.errors import BadKey

MAX_PK_BYTES = 2048
MAX_SK_BYTES = 1024
SEPARATOR = "#"

_PLAIN = re.compile(r"[A-Za-z0-9_.:@+~=!,;()/-][A-Za-z0-9_.:@+~=!,;()/ -]*")


class Slot(NamedTuple):
    """The place of one field: how many digits it has (0: any text or number), and its type, if known."""

    field: str
    digits: int
    kind: type | None


class Template:
    """The text of a key with named fields, such as `CONVO#{convo_id}`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._literals: list[str] = []
        self._slots: list[Slot] = []
        self._split()
        self.fields = tuple(slot.field for slot in self._slots)
        self._prepare()
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

    @property
    def padded(self) -> Mapping[str, int]:
        """The fields that are numbers of a fixed width, and their digits."""
        return {slot.field: slot.digits for slot in self._slots if slot.digits}

    def expect(self, kinds: Mapping[str, type]) -> None:
        """Require these types, `str` or `int`, of fields; a padded field is always an integer."""
        self._slots = [
            Slot(slot.field, slot.digits, kinds.get(slot.field, slot.kind) if not slot.digits else int)
            for slot in self._slots
        ]
        self._prepare()

    def padded_unlike(self, other: Template) -> str | None:
        """Return the first field that the other template, with the same text before it, pads differently."""
        for number, (own, their) in enumerate(zip(self._slots, other._slots, strict=False)):
            if self._literals[number] != other._literals[number]:
                return None
            if own.digits != their.digits:
                return own.field
        return None

    def format(self, parts: Mapping[str, Any]) -> str:
        """Return the key with these parts; raise BadKey if one is missing or invalid."""
        key = self.format_or_none(parts.get)
        if key is None:
            raise wrong_parts(f"the key {self.text}", self.fields, parts)
        return key

    def format_or_none(self, get: Callable[[str], Any]) -> str | None:
        """Return the key, or None if a part is None: the item is then not in that index."""
        if self._only_field is not None:
            part = get(self._only_field)
            if type(part) is str and part.isascii() and part.isalnum():
                return f"{self._literals[0]}{part}{self._literals[1]}"
        pieces = []
        for field, is_number, slot in self._plain_slots:
            part = get(field)
            if part is None:
                return None
            # Most parts are ids: letters and digits are always valid.
            if type(part) is not str or is_number or not (part.isascii() and part.isalnum()):
                part = _piece(slot, part)
            pieces.append(part)
        return self._form % tuple(pieces)

    def parse(self, key: str, *, lowered: bool = False) -> dict[str, str] | None:
        """Return the parts of a key, as text, or None if the key does not match this template.

        `lowered` parses a key of a table whose keys are in lower case.
        """
        if not lowered and not key.startswith(self._literals[0]):
            return None  # most keys that are tried are of another entity
        match = (self._lowered if lowered else self._pattern).fullmatch(key)
        return match.groupdict() if match else None

    def _prepare(self) -> None:
        """Prepare the slots for `format_or_none`: every read and write formats keys, and most have one part."""
        # Python unpacks plain tuples twice as fast.
        self._plain_slots = [(slot.field, slot.kind is int, slot) for slot in self._slots]
        is_one_text = len(self._slots) == 1 and self._slots[0].kind is not int
        self._only_field = self._slots[0].field if is_one_text else None

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
            if any(field == other.field for other in self._slots):
                raise BadKey(f"the template {self.text!r} names {field} twice")
            if self._slots and SEPARATOR not in literal:
                before_it = self._slots[-1].field
                raise BadKey(f"the template {self.text!r} needs a {SEPARATOR} between {before_it} and {field}")
            self._slots.append(Slot(field, int(width or 0), int if int(width or 0) else None))
            self._literals.append(literal)
            literal = ""
        self._literals.append(literal)

    @cached_property
    def _lowered(self) -> re.Pattern[str]:
        return self._compile([literal.lower() for literal in self._literals])

    def _compile(self, literals: list[str]) -> re.Pattern[str]:
        pattern = re.escape(literals[0])
        for slot, literal in zip(self._slots, literals[1:], strict=True):
            part = f"[0-9]{{{slot.digits}}}" if slot.digits else f"[^{SEPARATOR}]+"
            pattern += f"(?P<{slot.field}>{part}){re.escape(literal)}"
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
        and pk.isascii()
        and sk.isascii()
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


def wrong_parts(owner: str, expected: Collection[str], parts: Mapping[str, Any]) -> BadKey:
    """Return the error of parts that do not fit, with everything that is wrong with their names."""
    missing = [name for name in expected if name not in parts]
    problems = [
        f"{name} is not one of them{did_you_mean(name, missing or expected)}" for name in parts if name not in expected
    ]
    problems += [f"{name} is missing" for name in missing]
    problems += [f"{name} is None" for name in expected if parts.get(name, "") is None]
    return BadKey(f"{owner} takes {', '.join(expected) or 'no parts'}; {', '.join(problems)}")


def did_you_mean(name: str, known: Collection[str]) -> str:
    """Return a hint with the most similar of the known names; an empty text if none is similar."""
    similar = difflib.get_close_matches(name, known, 1)
    return f" (did you mean {similar[0]}?)" if similar else ""


def _piece(slot: Slot, part: Any) -> str:
    """Return the text of a part; raise BadKey if it is invalid."""
    field, digits, kind = slot
    if isinstance(part, str) and kind is not int:
        text = str.__str__(part)
    elif type(part) is int and kind is not str:
        text = _digits(field, part, digits)
    else:
        expected = "an integer" if kind is int else "text" if kind is str else "text or an integer"
        raise BadKey(f"{field} has the type {type(part).__name__}; this part of the key is {expected}")
    if not _PLAIN.fullmatch(text):
        check_part(field, text)
    return text


def _digits(field: str, number: int, digits: int) -> str:
    if number < 0:
        raise BadKey(f"{field} is {number}; a number in a key must not be negative, or it would not sort")
    # A bound of the length first: Python refuses to format very long numbers.
    if digits and number >= 10**digits:
        raise BadKey(f"{field} has more than {digits} digits")
    return f"{number:0{digits}d}"

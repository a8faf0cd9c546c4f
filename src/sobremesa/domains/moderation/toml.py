"""TOML files of rules: read into a type, and the line told where they do not fit."""

from __future__ import annotations

import re
import tomllib
from typing import TypeVar

import msgspec

from sobremesa.core.settings import BadSetting

T = TypeVar("T")

_PLACE = re.compile(r"\$\.(\w+)(?:\[(\d+)\])?(?:\.(\w+))?")
_NAMED = re.compile(r"field `(\w+)`")
_HEADER = re.compile(r"\s*\[")


def read_toml(text: str, kind: type[T], name: str) -> T:
    """What a file says, as a type; BadSetting with the line where it cannot be read or does not fit."""
    try:
        return msgspec.convert(tomllib.loads(text), kind)
    except tomllib.TOMLDecodeError as error:
        raise BadSetting(f"{name} is no TOML: {error}") from None
    except msgspec.ValidationError as error:
        raise BadSetting(f"{name}, line {_line(text, str(error))}: {error}") from None


def line_of(text: str, table: str, place: int, field: str) -> int:
    """The line of a field of the so-manyth `[[table]]`; that of the table if the field is not found."""
    header = re.compile(rf"\s*\[\[\s*{re.escape(table)}\s*\]\]")
    lines = text.splitlines()
    headers = [number for number, line in enumerate(lines) if header.match(line)]
    if place >= len(headers):
        return 1
    start = headers[place]
    for number in range(start + 1, len(lines)):
        if _HEADER.match(lines[number]):
            break
        if field and re.match(rf"\s*[\"']?{re.escape(field)}[\"']?\s*=", lines[number]):
            return number + 1
    return start + 1


def _line(text: str, error: str) -> int:
    """The line of what msgspec says, `... - at `$.words[1].action``."""
    named = _NAMED.search(error)
    found = _PLACE.search(error)
    if found is None:
        # At the top: a table or a field that there is not.
        names = [named[1]] if named is not None else []
        places = [re.search(rf"^\s*\[*\s*{name}\b", text, re.MULTILINE) for name in names]
        return next((text.count("\n", 0, place.end()) + 1 for place in places if place is not None), 1)
    table, place, field = found.groups()
    if place is None:
        at = re.search(rf"^\s*\[*\s*{table}\b", text, re.MULTILINE)
        return 1 if at is None else text.count("\n", 0, at.end()) + 1
    return line_of(text, table, int(place), field or (named[1] if named is not None else ""))

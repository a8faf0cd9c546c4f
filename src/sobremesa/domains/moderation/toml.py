"""Reads TOML rule files into a type, and reports the line of an error."""

from __future__ import annotations

import re
import tomllib
from typing import TypeVar

import msgspec

from sobremesa.core.settings import BadSetting

T = TypeVar("T")

_LOCATION = re.compile(r"\$\.(\w+)(?:\[(\d+)\])?(?:\.(\w+))?")
_NAMED = re.compile(r"field `(\w+)`")
_HEADER = re.compile(r"\s*\[")


def read_toml(text: str, kind: type[T], name: str) -> T:
    """Parse a file into a type; BadSetting with the line of an error."""
    try:
        return msgspec.convert(tomllib.loads(text), kind)
    except tomllib.TOMLDecodeError as error:
        raise BadSetting(f"{name} is not valid TOML: {error}") from None
    except msgspec.ValidationError as error:
        raise BadSetting(f"{name}, line {_line(text, str(error))}: {error}") from None


def line_of(text: str, table: str, index: int, field: str) -> int:
    """Return the line of a field of the table at an index; that of the table if the field is not found."""
    header = re.compile(rf"\s*\[\[\s*{re.escape(table)}\s*\]\]")
    lines = text.splitlines()
    headers = [number for number, line in enumerate(lines) if header.match(line)]
    if index >= len(headers):
        return 1
    start = headers[index]
    for number in range(start + 1, len(lines)):
        if _HEADER.match(lines[number]):
            break
        if field and re.match(rf"\s*[\"']?{re.escape(field)}[\"']?\s*=", lines[number]):
            return number + 1
    return start + 1


def _line(text: str, error: str) -> int:
    """Return the line of a msgspec error such as `... - at `$.words[1].action``."""
    named = _NAMED.search(error)
    found = _LOCATION.search(error)
    if found is None:
        # At the top level: an unknown table or field.
        names = [named[1]] if named is not None else []
        matches = [re.search(rf"^\s*\[*\s*{name}\b", text, re.MULTILINE) for name in names]
        return next((text.count("\n", 0, match.end()) + 1 for match in matches if match is not None), 1)
    table, index, field = found.groups()
    if index is None:
        at = re.search(rf"^\s*\[*\s*{table}\b", text, re.MULTILINE)
        return 1 if at is None else text.count("\n", 0, at.end()) + 1
    return line_of(text, table, int(index), field or (named[1] if named is not None else ""))

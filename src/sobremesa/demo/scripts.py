"""Scripts: the messages of the demo, read from text files.

    == mesa/kitchen 27 09:10
    iker: Twelve crates, as promised. [[🍅 marta ana | pin]]
    marta^: You promised eight. [[😂 iker]]

A script has a room and a time. `^` replies to the line before, `^3` to the third before. Brackets contain reactions,
`pin`, `file: NAME` of `pictures`, `was: TEXT` for the text before an edit, and `report: NAME REASON`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib import resources
from random import Random

import msgspec

from sobremesa.demo.calendar import Calendar

FILES = ("mesa.txt", "coop.txt", "studio.txt", "conversations.txt", "threads.txt")
READ_SECONDS = 12
SECONDS_PER_LETTER = 0.45

_HEAD = re.compile(r"== (\S+) (.+)")
_LINE = re.compile(r"(\w+)(\^\d*)?: (.*?)(?: \[\[(.*)\]\])?")


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A message, and the actions on it."""

    room: str
    at_ms: int
    author: str
    text: str
    answers: int | None = None
    """The position of the line that it replies to, within its script."""
    index: int = 0
    reactions: tuple[tuple[str, tuple[str, ...]], ...] = ()
    is_pinned: bool = False
    before: str | None = None
    file: str | None = None
    report: tuple[str, str] | None = None


class BadScript(ValueError):
    """A line with a syntax error."""


def read(calendar: Calendar, random: Random) -> Iterator[list[Line]]:
    """Yield all scripts of the text files."""
    for name in FILES:
        text = resources.files("sobremesa.demo").joinpath("texts", name).read_text(encoding="utf-8")
        yield from scripts_of(text.splitlines(), calendar, random)


def scripts_of(lines: Iterable[str], calendar: Calendar, random: Random) -> Iterator[list[Line]]:
    """Yield the scripts of a text."""
    script: list[Line] = []
    room, moment = "", 0
    for text in lines:
        if head := _HEAD.fullmatch(text):
            if script:
                yield script
            script, room, moment = [], head[1], calendar.moment(head[2])
        elif text.strip():
            line = _line(text, room, min(moment, calendar.now_ms - 1000), len(script))
            script.append(line)
            moment += round(1000 * (READ_SECONDS + len(line.text) * SECONDS_PER_LETTER + random.expovariate(1 / 40)))
    if script:
        yield script


def _line(text: str, room: str, at_ms: int, index: int) -> Line:
    found = _LINE.fullmatch(text)
    if found is None:
        raise BadScript(text)
    author, mark, content, more = found.groups()
    line = Line(room=room, at_ms=at_ms, author=author, text=content, index=index)
    if mark:
        line = msgspec.structs.replace(line, answers=index - int(mark[1:] or 1))
    for part in (more or "").split(" | ") if more else ():
        line = _with(line, part.strip())
    return line


def _with(line: Line, part: str) -> Line:
    word, _, rest = part.partition(" ")
    match word:
        case "pin":
            return msgspec.structs.replace(line, is_pinned=True)
        case "was:":
            return msgspec.structs.replace(line, before=rest)
        case "file:":
            return msgspec.structs.replace(line, file=rest)
        case "report:":
            name, _, reason = rest.partition(" ")
            return msgspec.structs.replace(line, report=(name, reason))
        case _:
            return msgspec.structs.replace(line, reactions=(*line.reactions, (word, tuple(rest.split()))))

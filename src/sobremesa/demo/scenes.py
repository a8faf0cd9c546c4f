"""Scenes: the messages of the demo, read from text files.

    == mesa/kitchen 27 09:10
    iker: Twelve crates, as promised. [[🍅 marta ana | pin]]
    marta^: You promised eight. [[😂 iker]]

A scene has a room and a time. `^` replies to the line before, `^3` to the third before. Brackets contain reactions,
`pin`, `file: NAME` of `pictures`, `was: TEXT` for the text before an edit, `report: NAME REASON`, and `gone` for a
deleted message.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib import resources
from random import Random

import msgspec

from sobremesa.demo.calendar import Calendar

FILES = ("mesa.txt", "coop.txt", "studio.txt", "beside.txt", "dealings.txt")
READ_SECONDS = 12
SECONDS_A_LETTER = 0.45

_HEAD = re.compile(r"== (\S+) (.+)")
_LINE = re.compile(r"(\w+)(\^\d*)?: (.*?)(?: \[\[(.*)\]\])?")


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A message, and the actions on it."""

    room: str
    at_ms: int
    who: str
    text: str
    answers: int | None = None
    """The position of the line that it replies to, within its scene."""
    place: int = 0
    reactions: tuple[tuple[str, tuple[str, ...]], ...] = ()
    is_pinned: bool = False
    is_gone: bool = False
    before: str | None = None
    file: str | None = None
    report: tuple[str, str] | None = None


class BadScene(ValueError):
    """A line with a syntax error."""


def read(calendar: Calendar, chance: Random) -> Iterator[list[Line]]:
    """Yield all scenes of the text files."""
    for name in FILES:
        text = resources.files("sobremesa.demo").joinpath("plays", name).read_text(encoding="utf-8")
        yield from scenes_of(text.splitlines(), calendar, chance)


def scenes_of(lines: Iterable[str], calendar: Calendar, chance: Random) -> Iterator[list[Line]]:
    """Yield the scenes of a text."""
    scene: list[Line] = []
    room, moment = "", 0
    for text in lines:
        if head := _HEAD.fullmatch(text):
            if scene:
                yield scene
            scene, room, moment = [], head[1], calendar.moment(head[2])
        elif text.strip():
            line = _line(text, room, min(moment, calendar.now_ms - 1000), len(scene))
            scene.append(line)
            moment += round(1000 * (READ_SECONDS + len(line.text) * SECONDS_A_LETTER + chance.expovariate(1 / 40)))
    if scene:
        yield scene


def _line(text: str, room: str, at_ms: int, place: int) -> Line:
    found = _LINE.fullmatch(text)
    if found is None:
        raise BadScene(text)
    who, mark, content, more = found.groups()
    line = Line(room=room, at_ms=at_ms, who=who, text=content, place=place)
    if mark:
        line = msgspec.structs.replace(line, answers=place - int(mark[1:] or 1))
    for part in (more or "").split(" | ") if more else ():
        line = _with(line, part.strip())
    return line


def _with(line: Line, part: str) -> Line:
    word, _, rest = part.partition(" ")
    match word:
        case "pin":
            return msgspec.structs.replace(line, is_pinned=True)
        case "gone":
            return msgspec.structs.replace(line, is_gone=True)
        case "was:":
            return msgspec.structs.replace(line, before=rest)
        case "file:":
            return msgspec.structs.replace(line, file=rest)
        case "report:":
            name, _, reason = rest.partition(" ")
            return msgspec.structs.replace(line, report=(name, reason))
        case _:
            return msgspec.structs.replace(line, reactions=(*line.reactions, (word, tuple(rest.split()))))

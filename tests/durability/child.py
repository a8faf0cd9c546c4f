"""Processes that the tests start: each says what it does in lines, and none outlives the block it was started in.

A line is one write to the pipe, so that what was said stays said when the process is killed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from subprocess import PIPE

from commands import Process


@contextmanager
def started(*arguments: str) -> Iterator[Process]:
    """A process that runs one of our modules with these arguments."""
    with Process("-m", *arguments, stdin=PIPE, stdout=PIPE) as process:
        yield process


def say(line: str) -> None:
    """For the process itself."""
    os.write(sys.stdout.fileno(), f"{line}\n".encode())


def line_of(process: Process) -> str:
    """The next line that the process says."""
    assert process.stdout
    line = process.stdout.readline().decode()
    assert line.endswith("\n"), "the process ended by itself"
    return line.removesuffix("\n")


def lines_until(process: Process, last: str) -> list[str]:
    """What the process says before it says this."""
    lines: list[str] = []
    while (line := line_of(process)) != last:
        lines.append(line)
    return lines


def last_lines_of(process: Process) -> list[str]:
    """What a killed process had said; a line that was cut off was never said."""
    assert process.stdout
    *whole, _ = process.stdout.read().decode().split("\n")
    return whole

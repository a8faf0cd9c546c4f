"""Processes that the tests start: each reports what it does in lines, and none survives the block it was started in.

A line is one write to the pipe, so that complete lines survive when the process is killed.
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


def report(line: str) -> None:
    """For the process itself."""
    os.write(sys.stdout.fileno(), f"{line}\n".encode())


def line_of(process: Process) -> str:
    """Return the next line of the process."""
    assert process.stdout
    line = process.stdout.readline().decode()
    assert line.endswith("\n"), "the process ended by itself"
    return line.removesuffix("\n")


def lines_until(process: Process, last: str) -> list[str]:
    """Return the lines of the process before this one."""
    lines: list[str] = []
    while (line := line_of(process)) != last:
        lines.append(line)
    return lines


def last_lines_of(process: Process) -> list[str]:
    """Return the lines of a killed process, without an incomplete one."""
    assert process.stdout
    *whole, _ = process.stdout.read().decode().split("\n")
    return whole

"""Malicious files are refused quickly and with little memory; measured in a separate process."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from attachments import process_upload, samples
from attachments.samples import png, zeros

CPU_SECONDS = 2.0
PEAK_BYTES = 100_000_000
MB = 1 << 20

ABUSES: dict[str, tuple[Callable[[], bytes], str, str]] = {
    "a program that is called a picture": (lambda: b"\x7fELF" + bytes(20 * MB), "image/png", "wrong_type"),
    "an svg with a script": (lambda: samples.SVG, "image/svg+xml", "wrong_type"),
    "an svg with a script that is called a png": (lambda: samples.SVG, "image/png", "wrong_type"),
    "a large svg": (lambda: samples.SVG + b" " * 20 * MB, "", "wrong_type"),
    "large text that is none at its end": (lambda: b"x" * 24 * MB + b"\xff", "text/plain", "wrong_type"),
    "a png that declares 50,000 by 50,000": (lambda: png(50_000, 50_000, zeros(MB)), "image/png", "too_many_pixels"),
    "a png whose data is a bomb": (lambda: png(100, 100, zeros(8192 * MB)), "image/png", "too_many_pixels"),
    "a png at the limit whose data is a bomb": (
        lambda: png(6000, 6000, zeros(8192 * MB)),
        "image/png",
        "too_many_pixels",
    ),
    "a png with a bomb in a text": (
        lambda: png(9, 9, zeros(90), extra=samples.chunk(b"zTXt", b"x\0\0" + zeros(8192 * MB))),
        "image/png",
        "unreadable_image",
    ),
    "a png with a bomb for a profile": (
        lambda: png(9, 9, zeros(90), extra=samples.chunk(b"iCCP", b"x\0\0" + zeros(8192 * MB))),
        "image/png",
        "unreadable_image",
    ),
    "a png of endless little chunks": (
        lambda: png(9, 9, b"", extra=struct.pack(">I4sI", 0, b"teXt", 0) * (2 * MB)),
        "image/png",
        "unreadable_image",
    ),
    "a gif of endless little blocks": (
        lambda: b"GIF89a" + struct.pack("<HH", 9, 9) + b"\0\0\0!\xfe" + b"\x01x" * (12 * MB),
        "image/gif",
        "unreadable_image",
    ),
    "a gif of endless little frames": (
        lambda: b"GIF89a" + struct.pack("<HH", 9, 9) + b"\0\0\0" + (b"," + bytes(9) + b"\x02\0") * (2 * MB),
        "image/gif",
        "too_many_pixels",
    ),
    "a jpeg of endless little segments": (
        lambda: b"\xff\xd8" + b"\xff\xe0\0\x02" * (6 * MB),
        "image/jpeg",
        "unreadable_image",
    ),
    "a picture that ends too early": (
        lambda: samples.picture("JPEG", (4000, 4000))[:3000],
        "image/jpeg",
        "unreadable_image",
    ),
    "a zip bomb of 10 GB that overlaps": (samples.overlapping_bomb, "application/zip", "unsafe_archive"),
    "a zip bomb that declares 12 GB": (samples.lying_bomb, "application/zip", "unsafe_archive"),
    "a zip bomb in a zip bomb": (samples.nested_bomb, "application/zip", "unsafe_archive"),
    "a zip with a directory of 25 MB": (
        lambda: b"PK\x03\x04" + samples.directory_entry(b"", 0, 0, 0) * 560_000 + samples.directory_end(0xFFFF, 0, 4),
        "",
        "unsafe_archive",
    ),
    "a zip with more entries than it declares": (
        lambda: b"PK\x03\x04" + samples.directory_entry(b"", 0, 0, 0) * 500_000 + samples.directory_end(1, 46, 4),
        "",
        "unsafe_archive",
    ),
}


@contextmanager
def processing() -> Iterator[subprocess.Popen[str]]:
    """A process that processes files."""
    # Measured without coverage, which makes Python loops ten times slower.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    command = [sys.executable, process_upload.__file__]
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process


@pytest.fixture(scope="module")
def process() -> Iterator[subprocess.Popen[str]]:
    """One for all malicious files: to start it takes longer than they do. Its peak is that of all files so far."""
    with processing() as process:
        yield process


@pytest.mark.parametrize("name", ABUSES)
def test_malicious_file_is_refused_within_two_seconds_and_100_mb(
    name: str, process: subprocess.Popen[str], tmp_path: Path
) -> None:
    make, declared, code = ABUSES[name]
    outcome = taken(process, tmp_path, make(), declared)

    assert outcome["outcome"] == code
    assert outcome["cpu"] < CPU_SECONDS
    assert outcome["peak"] < PEAK_BYTES
    kept = tmp_path / "kept"
    assert [path for path in kept.rglob("*") if path.is_file()] == [], "nothing of it stays"


def test_largest_allowed_image_is_accepted(tmp_path: Path) -> None:
    with processing() as process:  # its own, since this takes more memory than the others may
        assert taken(process, tmp_path, png(6324, 6324, zeros(6324 * 6325)), "image/png")["outcome"] == "accepted"


def taken(process: subprocess.Popen[str], folder: Path, content: bytes, declared: str) -> dict[str, Any]:
    path = folder / "file"
    path.write_bytes(content)
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps([str(path), declared]) + "\n")
    process.stdin.flush()
    outcome: dict[str, Any] = json.loads(process.stdout.readline())
    return outcome

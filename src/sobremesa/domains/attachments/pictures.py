"""Pictures, by their headers: how large they say they are, before anything is decoded.

Only what is needed for a bound is read: dimensions, the number of frames, and of a PNG how much its data unpacks to.
Every loop has an end that the size of the file does not decide.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping
from itertools import islice
from mmap import mmap
from typing import NamedTuple

from sobremesa.domains.attachments.errors import TooManyPixels, UnreadableImage

MAX_SIDE = 16_384
MAX_PIXELS = 40_000_000
MAX_FRAMES = 1_000
MAX_ANIMATED_PIXELS = 1_000_000_000
"""Of all frames together."""
MAX_STEPS = 500_000
"""Of walking through a file's blocks: more are no picture but a waste of time."""
SLACK_BYTES = 65_536
"""What some encoders add to the data of a PNG."""
STEP = 262_144


class Size(NamedTuple):
    """In pixels."""

    width: int
    height: int


def png_size(data: mmap) -> Size:
    """The size of a PNG whose data unpacks to no more than it should."""
    if data[12:16] != b"IHDR":
        raise UnreadableImage
    width, height, depth, colour, interlace = struct.unpack(">IIBBxxB", data[16:29])
    size = _checked(width, height)
    bound = _raw_bytes(size, depth, colour, interlace) + SLACK_BYTES
    unpacking = _Unpacking(bound)
    for kind, start, end in _png_chunks(data):
        if kind == b"acTL":
            _check_frames(size, int.from_bytes(data[start : start + 4], "big"))
        elif kind == b"IDAT":
            for at in range(start, end, STEP):
                unpacking.take(data[at : min(at + STEP, end)])
    return size


def jpeg_size(data: mmap) -> Size:
    """The size of a JPEG, from its first frame header."""
    at = 2
    for _ in range(MAX_STEPS):
        if at + 9 > len(data) or data[at] != 0xFF:
            break
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return _checked(width, height)
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    raise UnreadableImage


def gif_size(data: mmap) -> Size:
    """The size of a GIF with so many frames that one can bear."""
    if len(data) < 13:
        raise UnreadableImage
    size = _checked(*struct.unpack("<HH", data[6:10]))
    _check_frames(size, sum(1 for _ in islice(_gif_frames(data), MAX_FRAMES + 1)))
    return size


def webp_size(data: mmap) -> Size:
    """The size of a WebP with so many frames that one can bear."""
    kind = data[12:16]
    if len(data) < 30:
        raise UnreadableImage
    if kind == b"VP8X":
        size = _checked(1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little"))
        _check_frames(size, sum(1 for chunk in _riff_chunks(data) if chunk == b"ANMF"))
        return size
    if kind == b"VP8L" and data[20] == 0x2F:
        bits = int.from_bytes(data[21:25], "little")
        return _checked(1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF))
    if kind == b"VP8 " and data[23:26] == b"\x9d\x01\x2a":
        width, height = struct.unpack("<HH", data[26:30])
        return _checked(width & 0x3FFF, height & 0x3FFF)
    raise UnreadableImage


def _checked(width: int, height: int) -> Size:
    if not width or not height:
        raise UnreadableImage
    if max(width, height) > MAX_SIDE or width * height > MAX_PIXELS:
        raise TooManyPixels(width=width, height=height, max_side=MAX_SIDE, max_pixels=MAX_PIXELS)
    return Size(width, height)


def _check_frames(size: Size, frames: int) -> None:
    if frames > MAX_FRAMES or frames * size.width * size.height > MAX_ANIMATED_PIXELS:
        raise TooManyPixels(frames=frames, max_frames=MAX_FRAMES)


class _Unpacking:
    """Counts what a PNG's data unpacks to, a step at a time, and keeps none of it."""

    def __init__(self, bound: int) -> None:
        self._left = bound
        self._inflate = zlib.decompressobj()

    def take(self, packed: bytes) -> None:
        try:
            while packed and not self._inflate.eof:
                self._left -= len(self._inflate.decompress(packed, STEP))
                packed = self._inflate.unconsumed_tail
                if self._left < 0:
                    raise TooManyPixels("The image's data unpacks to more than its size says.")
        except zlib.error:
            raise UnreadableImage from None


_CHANNELS: Mapping[int, int] = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
# Of interlaced images: where each pass begins and how far apart its pixels are, across and down.
_PASSES = ((0, 8, 0, 8), (4, 8, 0, 8), (0, 4, 4, 8), (2, 4, 0, 4), (0, 2, 2, 4), (1, 2, 0, 2), (0, 1, 1, 2))


def _raw_bytes(size: Size, depth: int, colour: int, interlace: int) -> int:
    """How many bytes the rows of a PNG are, each with the byte that names its filter."""
    if colour not in _CHANNELS or depth not in (1, 2, 4, 8, 16):
        raise UnreadableImage
    bits = _CHANNELS[colour] * depth
    passes = _PASSES if interlace else ((0, 1, 0, 1),)
    total = 0
    for left, across, top, down in passes:
        columns = max(0, size.width - left + across - 1) // across
        rows = max(0, size.height - top + down - 1) // down
        total += rows * (1 + (columns * bits + 7) // 8) if columns else 0
    return total


def _png_chunks(data: mmap) -> Iterator[tuple[bytes, int, int]]:
    """The kind of each chunk, and where what it holds begins and ends."""
    at = 8
    for _ in range(MAX_STEPS):
        length, kind = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        if kind == b"IEND":
            return
        if len(kind) < 4 or at + 12 + length > len(data):
            break
        yield kind, at + 8, at + 8 + length
        at += 12 + length
    raise UnreadableImage


def _gif_frames(data: mmap) -> Iterator[int]:
    """Where each frame begins."""
    at = 13 + _colour_table(data[10])
    steps = MAX_STEPS
    while at < len(data) and steps > 0:
        block = data[at]
        if block == 0x3B:
            return
        if block == 0x2C and at + 10 < len(data):
            yield at
            at += 11 + _colour_table(data[at + 9])
        elif block == 0x21:
            at += 2
        else:
            break
        while at < len(data) and data[at] and steps > 0:
            at += 1 + data[at]
            steps -= 1
        at += 1
        steps -= 1
    if steps <= 0:
        raise UnreadableImage


def _colour_table(flags: int) -> int:
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def _riff_chunks(data: mmap) -> Iterator[bytes]:
    at = 12
    for _ in range(MAX_STEPS):
        if at + 8 > len(data):
            return
        length = int.from_bytes(data[at + 4 : at + 8], "little")
        yield data[at : at + 4]
        at += 8 + length + (length & 1)
    raise UnreadableImage

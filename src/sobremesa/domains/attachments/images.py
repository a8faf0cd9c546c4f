"""Reads the declared size of images from their headers, before anything is decoded.

It reads only what the limits need: dimensions, the number of frames, and the decompressed size of a PNG's data. Every
loop has a limit that does not depend on the size of the file.
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
"""How many blocks of a file are read at most; no real image has more."""
SLACK_BYTES = 65_536
"""How many extra bytes some encoders add to the data of a PNG."""
STEP = 262_144


class Size(NamedTuple):
    """The size of an image in pixels."""

    width: int
    height: int


def png_size(data: mmap) -> Size:
    """Return the size of a PNG, after checking that its data decompresses to no more than that size needs."""
    if data[12:16] != b"IHDR":
        raise UnreadableImage
    width, height, depth, color, interlace = struct.unpack(">IIBBxxB", data[16:29])
    size = _checked(width, height)
    bound = _raw_bytes(size, depth, color, interlace) + SLACK_BYTES
    counter = _DecompressionCounter(bound)
    for kind, start, end in _png_chunks(data):
        if kind == b"acTL":
            _check_frames(size, int.from_bytes(data[start : start + 4], "big"))
        elif kind == b"IDAT":
            for at in range(start, end, STEP):
                counter.feed(data[at : min(at + STEP, end)])
    return size


def jpeg_size(data: mmap) -> Size:
    """Return the size of a JPEG, from its first frame header."""
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
    """Return the size of a GIF; TooManyPixels if it has too many frames."""
    if len(data) < 13:
        raise UnreadableImage
    size = _checked(*struct.unpack("<HH", data[6:10]))
    _check_frames(size, sum(1 for _ in islice(_gif_frames(data), MAX_FRAMES + 1)))
    return size


def webp_size(data: mmap) -> Size:
    """Return the size of a WebP; TooManyPixels if it has too many frames."""
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


class _DecompressionCounter:
    """Counts the decompressed bytes of a PNG's data, step by step, and keeps none of them."""

    def __init__(self, bound: int) -> None:
        self._left = bound
        self._inflate = zlib.decompressobj()

    def feed(self, packed: bytes) -> None:
        try:
            while packed and not self._inflate.eof:
                self._left -= len(self._inflate.decompress(packed, STEP))
                packed = self._inflate.unconsumed_tail
                if self._left < 0:
                    raise TooManyPixels("The image data decompresses to more than its declared size.")
        except zlib.error:
            raise UnreadableImage from None


_CHANNELS: Mapping[int, int] = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
# The passes of interlaced images: where each one starts, and the distance of its pixels, across and down.
_PASSES = ((0, 8, 0, 8), (4, 8, 0, 8), (0, 4, 4, 8), (2, 4, 0, 4), (0, 2, 2, 4), (1, 2, 0, 2), (0, 1, 1, 2))


def _raw_bytes(size: Size, depth: int, color: int, interlace: int) -> int:
    """Return the size of a PNG's rows in bytes, each with its filter byte."""
    if color not in _CHANNELS or depth not in (1, 2, 4, 8, 16):
        raise UnreadableImage
    bits = _CHANNELS[color] * depth
    passes = _PASSES if interlace else ((0, 1, 0, 1),)
    total = 0
    for left, across, top, down in passes:
        columns = max(0, size.width - left + across - 1) // across
        rows = max(0, size.height - top + down - 1) // down
        total += rows * (1 + (columns * bits + 7) // 8) if columns else 0
    return total


def _png_chunks(data: mmap) -> Iterator[tuple[bytes, int, int]]:
    """Yield the kind of each chunk, and the start and end of its data."""
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
    """Yield the offset of each frame."""
    at = 13 + _color_table(data[10])
    steps = MAX_STEPS
    while at < len(data) and steps > 0:
        block = data[at]
        if block == 0x3B:
            return
        if block == 0x2C and at + 10 < len(data):
            yield at
            at += 11 + _color_table(data[at + 9])
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


def _color_table(flags: int) -> int:
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

"""Minimal files of every accepted type, and of many that are refused."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from typing import Any

from PIL import Image

TEXT = "Coffee after lunch? ☕\n".encode()
PDF = b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n"
MP4 = struct.pack(">I4s4sI4s4s", 24, b"ftyp", b"isom", 512, b"isom", b"mp41") + b"\0\0\0\x08free"
M4A = struct.pack(">I4s4sI", 16, b"ftyp", b"M4A ", 0)
WEBM = b"\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm\x42\x87\x81\x04"
OGG = b"OggS\0\x02" + bytes(22)
WAV = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0" + bytes(24)
# Two frames of layer III, 128 kbit/s at 44.1 kHz: 417 bytes each.
MP3 = (b"\xff\xfb\x90\x00" + bytes(413)) * 2
MP3_WITH_TAG = b"ID3\x04\0\0\0\0\0\0" + MP3
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
HTML = b"<!doctype html><title>x</title><script>alert(1)</script>"


def picture(kind: str, size: tuple[int, int] = (64, 48), *, mode: str = "RGB", **options: Any) -> bytes:
    """An image with some content."""
    file = io.BytesIO()
    image = Image.linear_gradient("L").resize(size).convert(mode)
    image.save(file, kind, **options)
    return file.getvalue()


def taken_by_a_camera(size: tuple[int, int] = (400, 200)) -> bytes:
    """A rotated JPEG with GPS metadata, which must not be passed on."""
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010F] = "Secret camera"
    image = Image.new("RGB", size, "blue")
    image.paste("red", (0, 0, size[0] // 2, size[1]))
    file = io.BytesIO()
    image.save(file, "JPEG", exif=exif, quality=95)
    return file.getvalue()


def film(frames: int, size: tuple[int, int] = (8, 8), kind: str = "GIF") -> bytes:
    """An animation."""
    images = [Image.new("L", size, number % 2 * 255) for number in range(frames)]
    file = io.BytesIO()
    images[0].save(file, kind, save_all=True, append_images=images[1:], duration=20)
    return file.getvalue()


def png(width: int, height: int, data: bytes, *, extra: bytes = b"") -> bytes:
    """A PNG with any header values: eight bits of gray."""
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + extra + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def zeros(count: int) -> bytes:
    """Compress a number of zeros by repeating one compressed megabyte. (A bomb is refused before its checksum.)"""
    steps, rest = divmod(count, 1 << 20)
    checksum = zlib.adler32(bytes(count)) if steps < 64 else 0
    return b"\x78\x9c" + _block(1 << 20) * steps + _block(rest) + b"\x03\x00" + struct.pack(">I", checksum)


def _block(count: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(bytes(count)) + packer.flush(zlib.Z_FULL_FLUSH)


def archive(**files: bytes) -> bytes:
    """A zip; in names of files two underscores stand for a dot, and three for a slash."""
    return archive_of({name.replace("___", "/").replace("__", "."): content for name, content in files.items()})


def archive_of(files: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return file.getvalue()


def office(part: str, **more: bytes) -> bytes:
    """An office document: an archive with a list of types."""
    return archive_of({"[Content_Types].xml": b"<Types/>", part: b"<x/>", **more})


def overlapping_bomb(entries: int = 1000, unpacked: int = 10_000_000) -> bytes:
    """Many entries that share the same packed bytes: 10 GB of 10 KB."""
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = packed.compress(bytes(unpacked)) + packed.flush()
    local = struct.pack("<4s5H3L2H", b"PK\x03\x04", 20, 0, 8, 0, 0, 0, len(body), unpacked, 4, 0) + b"0000" + body
    names = [f"{number:04}".encode() for number in range(entries)]
    directory = b"".join(directory_entry(name, len(body), unpacked, 0) for name in names)
    return local + directory + directory_end(entries, len(directory), len(local))


def lying_bomb() -> bytes:
    """Consecutive entries that each declare 4 GB."""
    local = struct.pack("<4s5H3L2H", b"PK\x03\x04", 20, 0, 8, 0, 0, 0, 2, 0, 1, 0) + b"x\x03\x00"
    directory = b"".join(
        directory_entry(f"{number}".encode(), 2, 0xFFFFFFF0, number * len(local)) for number in range(3)
    )
    return local * 3 + directory + directory_end(3, len(directory), 3 * len(local))


def directory_entry(name: bytes, packed: int, unpacked: int, offset: int) -> bytes:
    fields = (20, 20, 0, 8, 0, 0, 0, packed, unpacked, len(name), 0, 0, 0, 0, 0, offset)
    return struct.pack("<4s6H3L5H2L", b"PK\x01\x02", *fields) + name


def directory_end(entries: int, length: int, offset: int) -> bytes:
    return struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, entries, entries, length, offset, 0)


def nested_bomb(depth: int = 5) -> bytes:
    """Archives in archives, sixteen per level, like 42.zip."""
    content = archive_of({"0.dll": bytes(1 << 20)})
    for _ in range(depth):
        content = archive_of({f"lib {number}.zip": content for number in range(16)})
    return content

"""Detects the type of a file from its content, and checks it against an allow-list.

Accepted by their first bytes: images, audio and video, PDF, plain text, archives, and the documents that are archives.
Content that could be active in a browser (HTML, SVG, XML) is refused whatever it is called. A declared type must match
the detected one.

It reads headers and directories and keeps no unpacked data, so that the worst file costs a second and a few megabytes.
"""

from __future__ import annotations

import codecs
import struct
from collections.abc import Callable, Mapping
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import NamedTuple

from sobremesa.domains.attachments.archives import OFFICE, ZIP, archive_type
from sobremesa.domains.attachments.errors import WrongType
from sobremesa.domains.attachments.images import Size, gif_size, jpeg_size, png_size, webp_size

TEXT = "text/plain"
UNDECLARED = ("", "application/octet-stream")
IMAGE_TYPES: Mapping[str, Callable[[mmap], Size]] = {
    "image/png": png_size,
    "image/jpeg": jpeg_size,
    "image/gif": gif_size,
    "image/webp": webp_size,
}
MEDIA_TYPES = frozenset(
    {"video/mp4", "audio/mp4", "video/webm", "audio/webm", "audio/mpeg", "audio/ogg", "video/ogg", "audio/wav"}
)
TYPES = frozenset({*IMAGE_TYPES, *MEDIA_TYPES, "application/pdf", TEXT, ZIP, *OFFICE.values()})
"""All accepted types."""

# Other names of the same types, as browsers and operating systems send them.
_SAME = {
    "image/jpg": "image/jpeg",
    "image/pjpeg": "image/jpeg",
    "audio/mp3": "audio/mpeg",
    "audio/x-wav": "audio/wav",
    "audio/wave": "audio/wav",
    "audio/vnd.wave": "audio/wav",
    "audio/x-m4a": "audio/mp4",
    "audio/m4a": "audio/mp4",
    "audio/opus": "audio/ogg",
    "application/ogg": "audio/ogg",
    "application/x-zip-compressed": ZIP,
    "application/json": TEXT,
}
# A container does not reveal whether it holds audio or video: the declared type decides.
_CONTAINERS = (
    frozenset({"video/mp4", "audio/mp4"}),
    frozenset({"video/webm", "audio/webm"}),
    frozenset({"audio/ogg", "video/ogg"}),
)
_MP4_BRANDS = (b"isom", b"iso", b"mp4", b"avc1", b"M4A", b"M4V", b"MSNV", b"dash", b"f4v", b"3gp")
_ACTIVE_TEXT = ("text/html", "text/xml", "text/xsl")
_SPACE = b" \t\r\n\x0c"
# Bytes that do not occur in text.
_BINARY = bytes([*range(9), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x7F])
_MP3_BITRATES = (
    (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0),
    (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0),
)
_MP3_RATES = (44_100, 48_000, 32_000)
_TEXT_STEP = 1_048_576


class Found(NamedTuple):
    """The detected type of a file, and its size if it is an image."""

    mime: str
    size: Size | None = None


def inspect(path: Path, declared: str) -> Found:
    """Return the type of a file; a refusal if it is not accepted or contradicts the declared type."""
    if path.stat().st_size == 0:
        raise WrongType("The file is empty.")
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        try:
            mime = _agreed(_type_of(data), declared)
            return Found(mime, IMAGE_TYPES[mime](data) if mime in IMAGE_TYPES else None)
        except (IndexError, ValueError, struct.error):
            raise WrongType from None


def plain_type(declared: str) -> str:
    """Return a declared type without parameters, by its usual name."""
    bare = declared.partition(";")[0].strip().lower()
    return _SAME.get(bare, bare)


def _agreed(found: str, declared: str) -> str:
    """Return the type if content and declaration agree; WrongType otherwise."""
    plain = plain_type(declared)
    if plain in UNDECLARED or plain == found:
        return found
    if any(found in container and plain in container for container in _CONTAINERS):
        return plain
    if found == TEXT and plain.startswith("text/") and plain not in _ACTIVE_TEXT:
        return found
    raise WrongType(f"The content is {found}.", found=found)


def _type_of(data: mmap) -> str:
    head = data[:64]
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if head.startswith(b"%PDF-"):
        return "application/pdf"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return archive_type(data)
    return _playable_type(head, data) or _text_type(data)


def _playable_type(head: bytes, data: mmap) -> str | None:
    if head.startswith(b"RIFF"):
        return {b"WEBP": "image/webp", b"WAVE": "audio/wav"}.get(head[8:12])
    if head[4:8] == b"ftyp" and head[8:12].startswith(_MP4_BRANDS):
        return "audio/mp4" if head.startswith(b"M4A", 8) else "video/mp4"
    if head.startswith(b"\x1a\x45\xdf\xa3") and b"\x42\x82" in head and b"webm" in head:
        return "video/webm"
    if head.startswith(b"OggS"):
        return "audio/ogg"
    if head.startswith(b"ID3") or _is_mp3(data):
        return "audio/mpeg"
    return None


def _is_mp3(data: mmap) -> bool:
    """Return whether the data starts with two audio frames; one could be chance."""
    length = _mp3_frame(data[:4])
    return bool(length) and _mp3_frame(data[length : length + 4]) > 0


def _mp3_frame(header: bytes) -> int:
    """Return the length of the layer III frame with this header; 0 if it is none."""
    if len(header) < 4 or header[0] != 0xFF or header[1] & 0xE6 != 0xE2 or header[1] & 0x18 == 0x08:
        return 0
    is_first = header[1] & 0x18 == 0x18
    rate_index = header[2] >> 2 & 3
    kilobits = _MP3_BITRATES[0 if is_first else 1][header[2] >> 4]
    if rate_index == 3 or not kilobits:
        return 0
    rate = _MP3_RATES[rate_index] // (1 if is_first else 2 if header[1] & 0x10 else 4)
    return (144 if is_first else 72) * kilobits * 1000 // rate + (header[2] >> 1 & 1)


def _text_type(data: mmap) -> str:
    """Return the plain text type if all data is UTF-8 and does not start like markup; WrongType otherwise."""
    start = data[:1024].removeprefix(codecs.BOM_UTF8).lstrip(_SPACE)
    if start.startswith(b"<") and (start[1:2].isalpha() or start[1:2] in (b"!", b"?", b"/")):
        raise WrongType("Markup is not accepted.")
    if not start and len(data) > 1024:
        # So much leading white space is a way to hide markup.
        raise WrongType
    decoder = codecs.getincrementaldecoder("utf-8")()
    for at in range(0, len(data), _TEXT_STEP):
        piece = data[at : at + _TEXT_STEP]
        if len(piece.translate(None, _BINARY)) < len(piece):
            raise WrongType
        decoder.decode(piece)
    decoder.decode(b"", final=True)
    return TEXT

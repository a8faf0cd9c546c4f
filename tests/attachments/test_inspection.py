"""The content of a file determines its type; other types and contradictions are refused."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from attachments import samples
from attachments.samples import archive, archive_of, film, office, picture, png, zeros
from sobremesa.core.errors import Refusal
from sobremesa.domains.attachments.errors import TooManyPixels, UnreadableImage, UnsafeArchive, WrongType
from sobremesa.domains.attachments.inspection import Found, inspect
from sobremesa.domains.attachments.uploads import clean_name

TAKEN = {
    "png": (picture("PNG"), "image/png"),
    "png with a palette": (picture("PNG", mode="P"), "image/png"),
    "jpeg": (picture("JPEG"), "image/jpeg"),
    "progressive jpeg": (picture("JPEG", progressive=True), "image/jpeg"),
    "gif": (picture("GIF"), "image/gif"),
    "webp": (picture("WEBP"), "image/webp"),
    "webp without loss": (picture("WEBP", lossless=True), "image/webp"),
    "webp with alpha": (picture("WEBP", mode="RGBA"), "image/webp"),
    "pdf": (samples.PDF, "application/pdf"),
    "text": (samples.TEXT, "text/plain"),
    "text that begins with a heart": (b"<3 and less\n", "text/plain"),
    "text of a program": (b'print("<html>")\n', "text/plain"),
    "mp4": (samples.MP4, "video/mp4"),
    "m4a": (samples.M4A, "audio/mp4"),
    "webm": (samples.WEBM, "video/webm"),
    "mp3": (samples.MP3, "audio/mpeg"),
    "mp3 with a tag": (samples.MP3_WITH_TAG, "audio/mpeg"),
    "ogg": (samples.OGG, "audio/ogg"),
    "wav": (samples.WAV, "audio/wav"),
    "zip": (archive(a__txt=b"hello"), "application/zip"),
    "empty zip": (archive(), "application/zip"),
    "docx": (
        office("word/document.xml"),
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ),
    "xlsx": (office("xl/workbook.xml"), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "pptx": (
        office("ppt/presentation.xml"),
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ),
}

REFUSED: dict[str, tuple[bytes, type[Refusal]]] = {
    "nothing": (b"", WrongType),
    "svg": (samples.SVG, WrongType),
    "svg behind a comment": (b"<!-- x -->" + samples.SVG, WrongType),
    "svg behind space": (b"\xef\xbb\xbf \n\t" + samples.SVG, WrongType),
    "svg behind much space": (b" " * 5000 + samples.SVG, WrongType),
    "xml": (b'<?xml version="1.0"?><x/>', WrongType),
    "html": (samples.HTML, WrongType),
    "a fragment of html": (b"<b>bold</b>", WrongType),
    "html in utf-16": ("\ufeff<html>".encode("utf-16-le"), WrongType),
    "a program": (b"\x7fELF\x02\x01\x01" + bytes(64), WrongType),
    "text with zeros": (b"hello\0world", WrongType),
    "latin-1": ("Málaga".encode("latin-1"), WrongType),
    "text cut within a letter": ("☕".encode()[:2], WrongType),
    "avif": (struct.pack(">I4s4s", 24, b"ftyp", b"avif") + bytes(12), WrongType),
    "matroska": (samples.WEBM.replace(b"webm", b"matr"), WrongType),
    "one frame of sound": (samples.MP3[:417] + bytes(400), WrongType),
    "a png without an end": (picture("PNG")[:-12], UnreadableImage),
    "a png without a head": (b"\x89PNG\r\n\x1a\n" + bytes(20), UnreadableImage),
    "a png of a few bytes": (b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", WrongType),
    "a png without a width": (png(0, 9, b""), UnreadableImage),
    "a jpeg without a frame": (b"\xff\xd8\xff\xe0\0\x10" + bytes(64), UnreadableImage),
    "a gif of a few bytes": (b"GIF89a", UnreadableImage),
    "a webp of another kind": (b"RIFF\x20\0\0\0WEBPVP9 " + bytes(30), UnreadableImage),
    "a png that is too wide": (png(16_385, 1, b""), TooManyPixels),
    "a png that is too large": (png(8000, 8000, b""), TooManyPixels),
    "a png with too much inside": (png(10, 10, zeros(10 << 20)), TooManyPixels),
    "a png with too many frames": (png(10, 10, b"", extra=samples.chunk(b"acTL", b"\0\0\x10\0" * 2)), TooManyPixels),
    "a gif with too many frames": (film(1001), TooManyPixels),
    "a gif with large frames": (
        b"GIF89a" + struct.pack("<HH", 6000, 6000) + b"\0\0\0" + (b"," + bytes(8) + b"\0\x02\0") * 30 + b";",
        TooManyPixels,
    ),
    "a webp with too many frames": (
        b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\x02" + bytes(9) + b"ANMF\0\0\0\0" * 1001,
        TooManyPixels,
    ),
    "a zip without a directory": (archive(a__txt=b"x")[:30], UnsafeArchive),
    "a zip with a cut directory": (archive(a__txt=b"x").replace(b"PK\x01\x02", b"PK\x01\x03"), UnsafeArchive),
    "a zip with too many entries": (archive_of({str(number): b"" for number in range(10_001)}), UnsafeArchive),
    "a zip that unpacks to too much": (archive(a__txt=bytes(30 << 20)), UnsafeArchive),
    "a zip whose entries overlap": (samples.overlapping_bomb(2, 1000), UnsafeArchive),
    "a zip in a zip": (archive_of({"inner.ZIP": b"x"}), UnsafeArchive),
    "a document with macros": (office("word/document.xml", **{"word/vbaProject.bin": b"x"}), WrongType),
}


@pytest.mark.parametrize("name", TAKEN)
def test_content_determines_the_type(name: str, tmp_path: Path) -> None:
    content, mime = TAKEN[name]
    found = looked_at(tmp_path, content)

    assert found.mime == mime
    assert (found.size is not None) == mime.startswith("image/")
    if found.size is not None:
        assert found.size == (64, 48)


@pytest.mark.parametrize("name", REFUSED)
def test_types_outside_the_allow_list_are_refused(name: str, tmp_path: Path) -> None:
    content, why = REFUSED[name]
    with pytest.raises(why) as refused:
        looked_at(tmp_path, content)
    assert type(refused.value) is why


@pytest.mark.parametrize(
    ("content", "declared"),
    [
        (picture("PNG"), "image/jpeg"),
        (picture("PNG"), "text/html"),
        (picture("PNG"), "image/svg+xml"),
        (samples.TEXT, "text/html"),
        (samples.TEXT, "image/png"),
        (samples.TEXT, "application/javascript"),
        (samples.MP4, "audio/mpeg"),
        (archive(a__txt=b"x"), "application/pdf"),
        (office("word/document.xml"), "application/zip"),
    ],
)
def test_declared_type_that_contradicts_the_content_is_refused(content: bytes, declared: str, tmp_path: Path) -> None:
    with pytest.raises(WrongType):
        looked_at(tmp_path, content, declared)


@pytest.mark.parametrize(
    ("content", "declared", "mime"),
    [
        (picture("PNG"), "application/octet-stream", "image/png"),
        (picture("PNG"), "IMAGE/PNG; charset=binary", "image/png"),
        (picture("JPEG"), "image/jpg", "image/jpeg"),
        (samples.TEXT, "text/markdown", "text/plain"),
        (samples.TEXT, "text/plain; charset=utf-8", "text/plain"),
        (b"{}", "application/json", "text/plain"),
        (samples.WEBM, "audio/webm", "audio/webm"),
        (samples.MP4, "audio/mp4", "audio/mp4"),
        (samples.WAV, "audio/x-wav", "audio/wav"),
    ],
)
def test_declared_type_may_be_an_alias(content: bytes, declared: str, mime: str, tmp_path: Path) -> None:
    assert looked_at(tmp_path, content, declared).mime == mime


def test_any_prefix_of_any_file_is_accepted_or_refused(tmp_path: Path) -> None:
    """A truncated file must not cause an internal error."""
    for content, _ in TAKEN.values():
        for length in [*range(1, 64), len(content) // 2, len(content) - 1]:
            try:
                looked_at(tmp_path, content[:length])
            except Refusal:
                continue


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("table.png", "table.png"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\ana\\table.png", "table.png"),
        ("..", "file"),
        ("", "file"),
        ("/", "file"),
        (" a\r\nb\0.txt ", "ab.txt"),
        ("photo\u202egnp.exe", "photognp.exe"),
        ("café.txt", "café.txt"),
        ("x" * 300 + ".png", "x" * 196 + ".png"),
        ("y" * 300, "y" * 200),
    ],
)
def test_file_name_is_cleaned(given: str, shown: str) -> None:
    assert clean_name(given) == shown


def looked_at(folder: Path, content: bytes, declared: str = "") -> Found:
    path = folder / "file"
    path.write_bytes(content)
    return inspect(path, declared)

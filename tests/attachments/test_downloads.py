"""Downloads over HTTP, on both engines: signed URLs, access checks and safe headers."""

from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import Image

from api.calling import UNKNOWN_ID, Caller
from attachments import samples
from attachments.http_client import ON_ONE_ENGINE, Fetched, fetch, upload
from attachments.samples import picture

PNG = picture("PNG", (300, 200))


def check_harmless(fetched: Fetched) -> None:
    headers = fetched.headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers.getall("Content-Security-Policy") == ["sandbox; default-src 'none'"]
    assert headers.getall("Cache-Control") == ["private, max-age=300"]


async def test_file_is_returned_unchanged_with_safe_headers(ana: Caller) -> None:
    for content, name, type, how in (
        (PNG, "table.png", "image/png", "inline"),
        (picture("JPEG"), "table.jpg", "image/jpeg", "inline"),
        (picture("GIF"), "table.gif", "image/gif", "inline"),
        (picture("WEBP"), "table.webp", "image/webp", "inline"),
        (samples.MP4, "film.mp4", "video/mp4", "inline"),
        (samples.MP3, "song.mp3", "audio/mpeg", "inline"),
        (samples.PDF, "bill.pdf", "application/pdf", "attachment"),
        (samples.TEXT, "page.html", "application/octet-stream", "attachment"),
        (samples.archive(a__txt=b"x"), "all.zip", "application/octet-stream", "attachment"),
        (samples.office("word/document.xml"), "letter.docx", "application/octet-stream", "attachment"),
    ):
        created = await upload(ana, content, name=name)
        fetched = await fetch(ana, created["url"])

        assert (fetched.status, fetched.content) == (200, content), name
        check_harmless(fetched)
        assert fetched.headers["Content-Type"] == type
        assert fetched.headers["Content-Disposition"] == f"{how}; filename*=UTF-8''{name}"


@ON_ONE_ENGINE
async def test_file_name_cannot_break_out_of_its_header(ana: Caller) -> None:
    created = await upload(ana, samples.MP4, name='a"; filename=evil.html; ☕.mp4')
    fetched = await fetch(ana, created["url"])
    assert (
        fetched.headers["Content-Disposition"]
        == "inline; filename*=UTF-8''a%22%3B%20filename%3Devil.html%3B%20%E2%98%95.mp4"
    )


@ON_ONE_ENGINE
async def test_preview_is_small_upright_and_without_metadata(ana: Caller) -> None:
    created = await upload(ana, samples.taken_by_a_camera((2000, 1000)), name="me.jpg")
    assert (created["width"], created["height"]) == (1000, 2000)

    fetched = await fetch(ana, created["previewUrl"])
    check_harmless(fetched)
    assert fetched.headers["Content-Type"] == "image/webp"
    with Image.open(io.BytesIO(fetched.content)) as preview:
        assert preview.size == (320, 640)
        assert dict(preview.getexif()) == {}
        # The red left side is on top once the image is upright.
        assert preview.convert("RGB").getpixel((160, 100))[0] > 200  # type: ignore[index]
        assert preview.convert("RGB").getpixel((160, 540))[2] > 200  # type: ignore[index]
    assert b"Secret camera" not in fetched.content


@ON_ONE_ENGINE
@pytest.mark.parametrize("kind", ["PNG", "GIF", "WEBP", "JPEG"])
async def test_every_image_type_has_a_preview(ana: Caller, kind: str) -> None:
    for mode in {"JPEG": ("RGB", "L", "CMYK"), "GIF": ("P", "L")}.get(kind, ("RGB", "RGBA", "L")):
        created = await upload(ana, picture(kind, (800, 400), mode=mode))
        fetched = await fetch(ana, created["previewUrl"])
        with Image.open(io.BytesIO(fetched.content)) as preview:
            assert preview.size == (640, 320)


async def test_range_request_returns_a_part_or_if_unsatisfiable_the_whole_file(ana: Caller) -> None:
    created = await upload(ana, PNG)
    parts: list[tuple[str, int, int | None]] = [
        ("bytes=0-9", 0, 10),
        ("bytes=100-", 100, None),
        ("bytes=-5", -5, None),
        ("bytes=5-99999999", 5, None),
    ]
    for asked, start, end in parts:
        fetched = await fetch(ana, created["url"], headers={"Range": asked})

        part = PNG[start:end]
        first = start % len(PNG)
        assert (fetched.status, fetched.content) == (206, part), asked
        assert fetched.headers["Content-Range"] == f"bytes {first}-{first + len(part) - 1}/{len(PNG)}"
        check_harmless(fetched)

    for asked in ("bytes=9-3", "bytes=99999999-", "bytes=0-1,5-6", "lines=1-2", "bytes=-", "bytes=-0"):
        fetched = await fetch(ana, created["url"], headers={"Range": asked})
        assert (fetched.status, fetched.content) == (200, PNG), asked


async def test_head_returns_the_size_without_a_body(ana: Caller) -> None:
    created = await upload(ana, PNG)
    fetched = await fetch(ana, created["url"], method="HEAD")
    assert (fetched.status, fetched.headers["Content-Length"], fetched.content) == (200, str(len(PNG)), b"")


async def test_other_users_get_the_same_404_as_for_a_missing_file(ana: Caller, ben: Caller) -> None:
    created = await upload(ana, PNG)

    of_another = await ben.call("GET", f"/attachments/{created['fileId']}")
    of_unknown_file = await ben.call("GET", f"/attachments/{UNKNOWN_ID}")
    assert (of_another.status, of_another.raw) == (404, of_unknown_file.raw)
    assert (await ben.call("DELETE", f"/attachments/{created['fileId']}")).raw == of_unknown_file.raw
    assert (await ben.call("POST", f"/attachments/{created['fileId']}/complete")).raw == of_unknown_file.raw


async def test_only_a_url_signed_for_the_file_is_accepted(ana: Caller, ben: Caller) -> None:
    created, other = await upload(ana, PNG), await upload(ana, PNG)
    theirs = await upload(ben, PNG)
    path, token = created["url"].split("?token=")

    wrong = [
        f"{path}?token={token[:-2]}",
        f"{path}?token={token[:60]}{'A' if token[60] != 'A' else 'B'}{token[61:]}",
        f"{path}?token=x",
        f"{path}?token=%00",
        f"{path}?token=é",
        f"{path}?token={other['url'].split('?token=')[1]}",
        f"{path}?token={theirs['url'].split('?token=')[1]}",
        created["previewUrl"].replace("/preview", "/content"),
        created["url"].replace("/content", "/preview"),
        created["url"].replace(created["fileId"], other["fileId"]),
    ]
    for url in wrong:
        assert (await fetch(ana, url)).status == 404, url
    assert (await fetch(ana, path)).status == 422
    # The URL alone grants access while it is valid, as an <img> needs it.
    assert (await fetch(ben, created["url"])).status == 200


async def test_url_of_a_deleted_file_is_not_found(ana: Caller) -> None:
    created = await upload(ana, PNG)
    await ana.delete(f"/attachments/{created['fileId']}")

    assert (await fetch(ana, created["url"])).status == 404
    await ana.get(f"/attachments/{created['fileId']}", expect=404)
    await ana.delete(f"/attachments/{created['fileId']}", expect=404)


async def test_text_has_no_preview(ana: Caller) -> None:
    created = await upload(ana, samples.TEXT)
    fresh: dict[str, Any] = await ana.get(f"/attachments/{created['fileId']}")
    assert fresh["previewUrl"] is None
    assert fresh["url"] != created["url"] or fresh["expiresAt"] == created["expiresAt"]


async def test_list_of_files_leaves_out_those_of_others(ana: Caller, ben: Caller) -> None:
    face = await upload(ana, PNG, name="face.png", purpose="avatar")
    note = await upload(ana, b"Hello", name="note.txt")
    ids = [face["fileId"], note["fileId"], UNKNOWN_ID, face["fileId"]]

    mine = await ana.get("/attachments", ids=",".join(ids))
    theirs = await ben.get("/attachments", ids=",".join(ids))

    assert [each["fileId"] for each in mine["items"]] == [face["fileId"], note["fileId"]]
    assert [each["fileId"] for each in theirs["items"]] == [face["fileId"]]
    assert (await fetch(ben, theirs["items"][0]["previewUrl"])).status == 200


@ON_ONE_ENGINE
async def test_invalid_or_too_many_ids_are_refused(ana: Caller) -> None:
    for ids in ("", "nonsense", ",".join([UNKNOWN_ID] * 51)):
        assert await ana.get("/attachments", expect=422, ids=ids)


async def test_avatar_url_stays_the_same_so_that_it_is_cached(ana: Caller) -> None:
    face = await upload(ana, PNG, name="face.png", purpose="avatar")
    again = await ana.get(f"/attachments/{face['fileId']}")
    fetched = await fetch(ana, again["previewUrl"])

    assert again["previewUrl"] == face["previewUrl"]
    assert fetched.headers["Cache-Control"] == "private, max-age=21600, immutable"

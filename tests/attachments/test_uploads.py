"""Uploads over HTTP, on both engines: as a form or as bytes, with limits, cleaned names and detected types."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import aiohttp
import pytest

from api.calling import ULID, Caller, client_of, register
from api.running import Server, serving
from attachments import samples
from attachments.http_client import MAX_BYTES, ON_ONE_ENGINE, fetch, upload, upload_form
from attachments.samples import picture

PNG = picture("PNG", (1200, 800))
SMALL = picture("PNG", (30, 20))


async def test_form_upload_creates_a_file_with_a_preview(ana: Caller) -> None:
    created = await upload_form(ana, PNG, name="table.png", type="image/png")

    assert ULID.fullmatch(created["fileId"])
    assert {name: created[name] for name in ("name", "kind", "mime", "size", "width", "height")} == {
        "name": "table.png",
        "kind": "preview",
        "mime": "image/png",
        "size": len(PNG),
        "width": 1200,
        "height": 800,
    }
    assert set(created) == {
        *("fileId", "name", "kind", "mime", "size", "width", "height", "url", "previewUrl", "expiresAt")
    }


async def test_raw_body_creates_a_file(ana: Caller) -> None:
    created = await upload(ana, samples.TEXT, type="text/plain", name="notes.txt")
    nameless = await upload(ana, samples.PDF)

    assert (created["name"], created["kind"], created["mime"], created["previewUrl"]) == (
        "notes.txt",
        "manifest",
        "text/plain",
        None,
    )
    assert (nameless["name"], nameless["mime"]) == ("file", "application/pdf")


@ON_ONE_ENGINE
async def test_curl_uploads_with_its_usual_options(ana: Caller, server: Server, tmp_path: Path) -> None:
    path = tmp_path / "Málaga table.png"
    path.write_bytes(PNG)
    url = f"{server.url}/v1/attachments"
    process = await asyncio.create_subprocess_exec(
        *("curl", "-sS", "-H", f"Authorization: Bearer {ana.token}", "-F", f"file=@{path}", url),
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await process.communicate()

    assert b'"mime":"image/png"' in output
    assert "Málaga table.png" in output.decode()


@ON_ONE_ENGINE
@pytest.mark.parametrize(
    ("given", "kept"),
    [("../../../etc/passwd", "passwd"), ("..\\..\\x.png", "x.png"), ("a\x01b.png", "ab.png"), ("☕.png", "☕.png")],
)
async def test_file_name_is_never_a_path(ana: Caller, folder: Path, given: str, kept: str) -> None:
    created = await upload(ana, SMALL, name=given)

    assert created["name"] == kept
    stored = [key for key in kept_in(folder) if created["fileId"] in key]
    assert len(stored) == 2
    assert all(re.fullmatch(rf"{created['fileId']}\.[0-9a-f]{{32}}", key) for key in stored)


async def test_no_response_contains_a_storage_key(ana: Caller, folder: Path) -> None:
    created = await upload_form(ana, SMALL, name="table.png")
    responses = f"{created}{await ana.get('/attachments/' + created['fileId'])}"
    fetched = await fetch(ana, created["url"])

    for key in kept_in(folder):
        assert key.partition(".")[2] not in responses + str(fetched.headers)
    assert "torageKey" not in responses


@ON_ONE_ENGINE
@pytest.mark.parametrize(
    ("content", "type", "code"),
    [
        (samples.SVG, "image/svg+xml", "wrong_type"),
        (samples.SVG, "image/png", "wrong_type"),
        (samples.HTML, "text/plain", "wrong_type"),
        (PNG, "image/jpeg", "wrong_type"),
        (b"", "image/png", "wrong_type"),
        (samples.png(50_000, 50_000, b""), "image/png", "too_many_pixels"),
        (PNG[:2000] + PNG[-12:], "image/png", "unreadable_image"),
        (samples.overlapping_bomb(), "application/zip", "unsafe_archive"),
    ],
)
async def test_refused_upload_leaves_nothing(ana: Caller, folder: Path, content: bytes, type: str, code: str) -> None:
    before = kept_in(folder)
    refused = await upload_form(ana, content, type=type, name="table.png", expect=422)

    assert refused["code"] == code
    assert kept_in(folder) == before


@ON_ONE_ENGINE
async def test_size_limit_applies_to_the_file_not_the_form(ana: Caller, folder: Path) -> None:
    text = b"x" * MAX_BYTES
    created = await upload_form(ana, text, name="long.txt")
    assert created["size"] == MAX_BYTES

    before = kept_in(folder)
    for refused in (
        await upload_form(ana, text + b"x", expect=413),
        await upload(ana, text + b"x", expect=413),
        await upload(ana, text * 3, expect=413),
    ):
        assert refused["code"] == "too_large"
    assert kept_in(folder) == before


@ON_ONE_ENGINE
async def test_form_has_exactly_one_file(ana: Caller) -> None:
    def form(*names: str) -> aiohttp.FormData:
        form = aiohttp.FormData()
        for name in names:
            form.add_field(name, PNG, filename="x.png", content_type="image/png")
        return form

    for names in (("picture",), ("file", "file"), ("file", "other")):
        refused = await posted(ana, form(*names))
        assert refused == (422, "one_file"), names


@ON_ONE_ENGINE
async def test_malformed_form_is_refused(ana: Caller) -> None:
    for body, content_type in (
        (b"no form at all", "multipart/form-data; boundary=x"),
        (b"--x\r\nContent-Disposition: form-data; name=file\r\n\r\nabc", "multipart/form-data; boundary=x"),
        (b"--x\r\n\r\n", "multipart/form-data"),
        (b"--x\r\n" + b"a" * 20_000 + b": b\r\n\r\n", "multipart/form-data; boundary=x"),
        (b"--x\r\n\r\n", f"multipart/form-data; boundary={'x' * 300}"),
    ):
        assert (await posted(ana, body, {"Content-Type": content_type}))[0] in (400, 422), (body, content_type)


async def test_aborted_upload_leaves_nothing(ana: Caller, server: Server, folder: Path) -> None:
    before = kept_in(folder)
    port = int(server.url.rpartition(":")[2])
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    head = (
        f"POST /v1/attachments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ana.token}\r\nContent-Length: 100000\r\n"
    )
    writer.write(head.encode() + b"Content-Type: image/png\r\n\r\n" + PNG[:1000])
    await writer.drain()
    writer.close()
    await writer.wait_closed()

    for _ in range(500):
        if kept_in(folder) == before:
            return
        await asyncio.sleep(0.02)
    raise AssertionError("the beginning of a file stays")


async def test_presigned_upload_to_a_disk_is_refused(ana: Caller) -> None:
    wanted = {"name": "table.png", "mime": "image/png", "size": 1000}
    assert (await ana.post("/attachments", wanted, expect=409))["code"] == "no_presigned_uploads"
    assert (await ana.post("/attachments", {"name": "x"}, expect=422))["code"] == "invalid"


async def test_avatar_is_a_small_image_that_all_users_may_fetch(ana: Caller, ben: Caller) -> None:
    created = await upload_form(ana, samples.taken_by_a_camera((1600, 800)), name="me.jpg", purpose="avatar")
    assert (created["mime"], created["width"], created["height"]) == ("image/webp", 320, 640)

    seen = await ben.get(f"/attachments/{created['fileId']}")
    face = await fetch(ben, seen["url"])
    assert (face.status, face.headers["Content-Type"]) == (200, "image/webp")
    assert b"Secret camera" not in face.content
    assert (await upload(ana, samples.TEXT, purpose="avatar", expect=422))["code"] == "wrong_type"
    assert (await upload(ana, PNG, purpose="banner", expect=422))["code"] == "invalid"


async def test_files_are_next_to_the_table_by_default(tmp_path: Path) -> None:
    with serving(f"sqlite:///{tmp_path / 'chat.db'}", tmp_path / "log") as running:
        async with client_of(running.url) as http:
            ana = await register(http, "ana")
            created = await upload(ana, PNG)
            assert (await fetch(ana, created["url"])).content == PNG
        beside = tmp_path / "chat.db.files"
        assert len(kept_in(beside)) == 2
        assert beside.stat().st_mode & 0o077 == 0
        running.stop()
    with serving(f"sqlite:///{tmp_path / 'chat.db'}", tmp_path / "log") as running:
        async with client_of(running.url) as http:
            assert (await fetch(Caller(http), created["url"])).content == PNG, "a URL stays valid across a restart"


async def posted(caller: Caller, body: object, headers: dict[str, str] | None = None) -> tuple[int, str]:
    bearer = {"Authorization": f"Bearer {caller.token}"}
    async with caller.http.post("/v1/attachments", data=body, headers=bearer | (headers or {})) as answer:
        return answer.status, (await answer.json(content_type=None))["code"]


def kept_in(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*") if path.is_file()}

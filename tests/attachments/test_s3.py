"""Files in a bucket: a real server of Sobremesa over moto's S3, direct uploads by presigned requests too."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import aiohttp
import pytest

from api.calling import TIMEOUT, Caller, client_of, register
from api.conftest import ENGINES, store_of
from api.running import Server, serving
from attachments import samples
from attachments.http_client import MAX_BYTES, fetch, upload, upload_form
from attachments.test_in_messages import DAY, uploaded
from communities.conftest import Ahead
from communities.environment import actor_of
from servers import Endpoint
from sobremesa.app import Sobremesa
from sobremesa.core.settings import Settings
from sobremesa.domains.attachments import s3
from sobremesa.domains.attachments.errors import FilesUnavailable

PNG = samples.picture("PNG", (1200, 800))


@pytest.fixture(scope="module", params=ENGINES)
def s3_server(
    request: pytest.FixtureRequest, bucket: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    settings = {"files": bucket, "max_upload_bytes": str(MAX_BYTES)}
    log = tmp_path_factory.mktemp("log") / "server.log"
    with serving(store_of(request.param, request), log, **settings) as running:
        yield running


@pytest.fixture
async def ana(s3_server: Server) -> AsyncIterator[Caller]:
    async with client_of(s3_server.url) as http:
        yield await register(http, f"ana-{uuid.uuid4().hex[:10]}")


async def keys_in(bucket: str, file: Any = None) -> list[str]:
    """Return the keys in the bucket (of one file), from S3."""
    endpoint = parse_qs(urlsplit(bucket).query)["endpoint"][0]
    url = f"{endpoint}/{urlsplit(bucket).netloc}?list-type=2"
    async with aiohttp.ClientSession() as session, session.get(url) as answer:
        keys = [part.partition("<")[0] for part in (await answer.text()).split("<Key>")[1:]]
    return [key for key in keys if file is None or file["fileId"] in key]


async def put(presigned: dict[str, Any], content: bytes) -> int:
    """Send a presigned request, as a client does."""
    async with (
        aiohttp.ClientSession() as session,
        session.request(
            presigned["method"], presigned["url"], headers=presigned["headers"], data=content, timeout=TIMEOUT
        ) as answer,
    ):
        return answer.status


async def asked(caller: Caller, *, expect: int = 201, **wanted: Any) -> dict[str, Any]:
    body = {"name": "table.png", "mime": "image/png", "size": len(PNG), **wanted}
    bearer = {"Authorization": f"Bearer {caller.token}"}
    async with caller.http.post("/v1/attachments", json=body, headers=bearer) as answer:
        assert answer.status == expect, await answer.text()
        created: dict[str, Any] = await answer.json(content_type=None)
        return created


async def test_upload_is_stored_in_and_fetched_from_the_bucket(ana: Caller, bucket: str) -> None:
    created = await upload_form(ana, PNG, name="table ☕.png")
    kept = await keys_in(bucket, created)
    assert len(kept) == 2
    assert all(key.startswith(f"uploads/{created['fileId']}.") for key in kept)

    content = b""
    for url, mime in ((created["url"], "image/png"), (created["previewUrl"], "image/webp")):
        moved = await fetch(ana, url)
        assert (moved.status, moved.content, moved.headers["Cache-Control"]) == (302, b"", "no-store")
        query = parse_qs(urlsplit(moved.headers["Location"]).query)
        assert query["X-Amz-Expires"] == ["60"]
        assert query["response-content-type"] == [mime]
        async with aiohttp.ClientSession() as session, session.get(moved.headers["Location"]) as answer:
            assert answer.status == 200
            content = await answer.read()
            assert answer.headers["Content-Type"] == mime
            assert answer.headers["Content-Disposition"] == "inline; filename*=UTF-8''table%20%E2%98%95.png"
    assert content[8:12] == b"WEBP"


async def test_active_content_is_sent_as_a_download(ana: Caller) -> None:
    created = await upload(ana, samples.TEXT, name="page.html")
    moved = await fetch(ana, created["url"])
    async with aiohttp.ClientSession() as session, session.get(moved.headers["Location"]) as answer:
        assert await answer.read() == samples.TEXT
        assert answer.headers["Content-Type"] == "application/octet-stream"
        assert answer.headers["Content-Disposition"].startswith("attachment;")


async def test_deleted_file_is_removed_from_the_bucket(ana: Caller, bucket: str) -> None:
    created = await upload(ana, PNG)
    await ana.delete(f"/attachments/{created['fileId']}")
    assert await keys_in(bucket, created) == []


async def test_refused_file_never_reaches_the_bucket(ana: Caller, bucket: str) -> None:
    before = await keys_in(bucket)
    await upload(ana, samples.SVG, expect=422)
    assert await keys_in(bucket) == before


async def test_client_uploads_directly_and_completes(ana: Caller, bucket: str) -> None:
    invited = await asked(ana)
    assert set(invited) == {"fileId", "presigned"}
    assert set(invited["presigned"]) == {"method", "url", "headers", "expiresAt"}
    file = f"/attachments/{invited['fileId']}"
    await ana.get(file, expect=404)
    assert (await ana.post(f"{file}/complete", expect=409))["code"] == "upload_missing"

    assert await put(invited["presigned"], PNG) == 200
    created = await ana.post(f"{file}/complete", expect=200)

    assert (created["kind"], created["mime"], created["size"], created["width"]) == (
        "preview",
        "image/png",
        len(PNG),
        1200,
    )
    assert (await ana.post(f"{file}/complete", expect=200))["fileId"] == invited["fileId"]
    assert (await ana.get(file))["name"] == "table.png"
    assert len(await keys_in(bucket, created)) == 2


async def test_concurrent_completions_create_one_file(ana: Caller, bucket: str) -> None:
    invited = await asked(ana)
    await put(invited["presigned"], PNG)
    path = f"/attachments/{invited['fileId']}/complete"

    created = await asyncio.gather(*(ana.post(path, expect=200) for _ in range(5)))

    assert {one["fileId"] for one in created} == {invited["fileId"]}
    assert len(await keys_in(bucket, invited)) == 2
    assert (await fetch(ana, created[-1]["url"])).status == 302


async def test_upload_after_the_inspection_is_never_served(ana: Caller, bucket: str) -> None:
    invited = await asked(ana)
    await put(invited["presigned"], PNG)
    created = await ana.post(f"/attachments/{invited['fileId']}/complete", expect=200)

    assert await put(invited["presigned"], samples.SVG.ljust(len(PNG))) == 200

    moved = await fetch(ana, created["url"])
    async with aiohttp.ClientSession() as session, session.get(moved.headers["Location"]) as answer:
        assert await answer.read() == PNG


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (samples.SVG.ljust(len(PNG)), "wrong_type"),
        (PNG + b"x", "wrong_size"),
        (PNG[:-1], "wrong_size"),
        (PNG[:2000].ljust(len(PNG)), "unreadable_image"),
    ],
)
async def test_direct_upload_is_inspected(ana: Caller, bucket: str, content: bytes, code: str) -> None:
    invited = await asked(ana)
    await put(invited["presigned"], content)
    file = f"/attachments/{invited['fileId']}"

    assert (await ana.post(f"{file}/complete", expect=422))["code"] == code
    await ana.post(f"{file}/complete", expect=404)
    assert await keys_in(bucket, invited) == []


async def test_direct_upload_has_limits_of_size_and_type(ana: Caller) -> None:
    assert (await asked(ana, size=MAX_BYTES + 1, expect=413))["code"] == "too_large"
    assert (await asked(ana, mime="image/svg+xml", expect=422))["code"] == "wrong_type"
    assert (await asked(ana, size=0, expect=422))["code"] == "invalid"
    url = (await asked(ana))["presigned"]["url"]
    # Length and type are signed, so the bucket accepts nothing else.
    assert parse_qs(urlsplit(url).query)["X-Amz-SignedHeaders"] == ["content-length;content-type;host"]


async def test_user_cannot_complete_a_file_of_another(ana: Caller) -> None:
    invited = await asked(ana)
    await put(invited["presigned"], PNG)
    ben = await register(ana.http, f"ben-{uuid.uuid4().hex[:10]}")
    await ben.post(f"/attachments/{invited['fileId']}/complete", expect=404)


async def test_direct_avatar_is_small_and_does_not_expire(ana: Caller, bucket: str) -> None:
    body = {"name": "me.png", "mime": "image/png", "size": len(PNG)}
    bearer = {"Authorization": f"Bearer {ana.token}"}
    async with ana.http.post("/v1/attachments?purpose=avatar", json=body, headers=bearer) as answer:
        invited = await answer.json()
    await put(invited["presigned"], PNG)
    created = await ana.post(f"/attachments/{invited['fileId']}/complete", expect=200)
    assert (created["mime"], created["width"]) == ("image/webp", 640)
    ben = await register(ana.http, f"ben-{uuid.uuid4().hex[:10]}")
    assert await ben.get(f"/attachments/{invited['fileId']}")
    assert len(await keys_in(bucket, created)) == 1


async def test_sweep_reads_all_pages_of_a_bucket(
    bucket: str, moto_server: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(s3, "PAGE_KEYS", 4)
    name = f"swept-{uuid.uuid4().hex}"
    # A prefix with a space: keys come back encoded.
    bucket = bucket.replace(urlsplit(bucket).netloc, name).replace("/uploads", "/our%20uploads")
    clock = Ahead()
    settings = Settings(rate_limits="off", files=bucket)
    ana = actor_of("ana")
    async with (
        aiohttp.ClientSession(moto_server.url) as session,
        Sobremesa.open("sqlite://", settings=settings, clock=clock, background=False) as app,
    ):
        async with session.put(f"/{name}") as created:
            assert created.status == 200
        for _ in range(3):
            await uploaded(app, ana)
        old = [f"our uploads/01JGSYB3ZZ{number:016}.x" for number in range(10)]
        for key in (*old, "others/01JGSYB3ZZ0000000000000000.x"):
            async with session.put(f"/{name}/{key}", data=b"old") as created:
                assert created.status == 200

        assert await app.attachments.sweep() == 10
        clock.move(seconds=DAY + 3700)
        assert await app.attachments.sweep() == 3
    assert await keys_in(bucket) == ["others/01JGSYB3ZZ0000000000000000.x"]


async def test_unavailable_bucket_is_reported_as_unavailable(bucket: str) -> None:
    missing = bucket.replace("s3://files", "s3://no-such")
    async with Sobremesa.open(
        "sqlite://", settings=Settings(rate_limits="off", files=missing), background=False
    ) as app:
        with pytest.raises(FilesUnavailable):
            await uploaded(app, actor_of("ana"))
    nowhere = f"s3://bucket?endpoint=http://127.0.0.1:{1}"
    async with Sobremesa.open(
        "sqlite://", settings=Settings(rate_limits="off", files=nowhere), background=False
    ) as app:
        with pytest.raises(FilesUnavailable):
            await uploaded(app, actor_of("ana"))

"""The web client behind HTTP: names, caching, encodings, and what is not served."""

from __future__ import annotations

import gzip
import re
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from edge.running import connected, running, site_of, status_of
from sobremesa.web import Client, read_build, with_meta
from sobremesa.web.client import SCREENS

WEB = Path(__file__).parents[2] / "web" / "src"
PAGE = b"<!doctype html><title>Sobremesa</title>"
SCRIPT = b"console.log('hello')" * 50


@pytest.fixture
def build(tmp_path: Path) -> Path:
    dist = tmp_path / "dist"
    (dist / "assets").mkdir(parents=True)
    (dist / "index.html").write_bytes(PAGE)
    (dist / "icon.svg").write_bytes(b"<svg/>")
    (dist / "assets" / "index-abc.js").write_bytes(SCRIPT)
    (dist / "assets" / "index-abc.js.br").write_bytes(b"brotli, to the browser")
    (dist / "assets" / "index-abc.js.gz").write_bytes(gzip.compress(SCRIPT))
    (tmp_path / "secret.html").write_bytes(b"not for you")
    return dist


@pytest.fixture
async def client(build: Path) -> AsyncIterator[aiohttp.ClientSession]:
    async with running(site_of(client=Client(read_build(build)))) as session:
        # The test looks at the bytes as they come.
        session._auto_decompress = False
        yield session


def test_every_screen_of_the_client_has_a_page() -> None:
    sources = [(WEB / name).read_text() for name in ("App.tsx", "screens/routes.tsx")]
    routes = re.findall(r"""(?:path=|\{ path: )"(/[^"]*)""", "".join(sources))
    assert {route.split("/")[1] for route in routes} == SCREENS


@pytest.mark.parametrize("path", ["/nothing", "/chat/abc", "/%2e%2e/%2e%2e/etc/passwd"])
async def test_unknown_path_is_not_found(client: aiohttp.ClientSession, path: str) -> None:
    async with client.get(path, headers={"accept": "application/json"}) as response:
        assert (response.status, (await response.json(content_type=None))["code"]) == (404, "not_found")
    async with client.get(path, headers={"accept": "text/html"}) as response:
        assert response.status == 404
        assert await response.read() == PAGE, "the client shows that there is nothing"


@pytest.mark.parametrize("path", ["/", "/c/SERVER/CHANNEL", "/invite/abc", "/settings/"])
async def test_every_place_of_the_client_is_its_page(client: aiohttp.ClientSession, path: str) -> None:
    async with client.get(path) as response:
        assert response.status == 200
        assert response.headers["content-type"] == "text/html; charset=utf-8"
        assert response.headers["cache-control"] == "no-cache"
        assert await response.read() == PAGE


async def test_the_page_runs_no_script_but_its_own(client: aiohttp.ClientSession) -> None:
    async with client.get("/") as response:
        policy = response.headers["content-security-policy"]
        assert response.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'; script-src 'self'; style-src 'self';" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy


async def test_what_has_a_hash_in_its_name_is_kept_for_good(client: aiohttp.ClientSession) -> None:
    async with client.get("/assets/index-abc.js", headers={"accept-encoding": "identity"}) as response:
        assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert response.headers["content-type"] == "text/javascript; charset=utf-8"
        assert "content-encoding" not in response.headers
        assert response.headers["vary"] == "accept-encoding"
        assert await response.read() == SCRIPT
    async with client.get("/icon.svg") as response:
        assert response.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip", "gzip"),
        ("br;q=0, gzip;q=0.5", "gzip"),
        ("br; q=0.000", None),
        ("deflate", None),
        ("broken", None),
    ],
)
async def test_the_browser_gets_the_smallest_that_it_takes(
    client: aiohttp.ClientSession, accepted: str, encoding: str | None
) -> None:
    async with client.get("/assets/index-abc.js", headers={"accept-encoding": accepted}) as response:
        assert response.headers.get("content-encoding") == encoding
        assert len(await response.read()) == int(response.headers["content-length"])


async def test_what_the_browser_has_is_not_sent_again(client: aiohttp.ClientSession) -> None:
    async with client.get("/", headers={"accept-encoding": "identity"}) as response:
        tag = response.headers["etag"]
    async with client.get("/", headers={"if-none-match": tag, "accept-encoding": "identity"}) as response:
        assert response.status == 304
        assert response.headers["etag"] == tag
        assert await response.read() == b""


async def test_each_encoding_has_a_tag_of_its_own(client: aiohttp.ClientSession) -> None:
    tags = set()
    for encoding in ("identity", "gzip", "br"):
        async with client.get("/assets/index-abc.js", headers={"accept-encoding": encoding}) as response:
            tags.add(response.headers["etag"])
    assert len(tags) == 3


async def test_head_answers_without_a_body(client: aiohttp.ClientSession) -> None:
    async with client.head("/", headers={"accept-encoding": "identity"}) as response:
        assert response.status == 200
        assert int(response.headers["content-length"]) == len(PAGE)
        assert await response.read() == b""


async def test_a_page_takes_only_get_and_head(client: aiohttp.ClientSession) -> None:
    async with client.post("/", data=b"x") as response:
        assert response.status == 405
        assert response.headers["allow"] == "GET, HEAD"
        assert (await response.json(content_type=None))["code"] == "method_not_allowed"


@pytest.mark.parametrize(
    "path", ["/assets/index-old.js", "/assets/", "/favicon.ico", "/wp-login.php", "/v1/chairs", "/v1"]
)
async def test_what_is_not_there_is_not_the_page(client: aiohttp.ClientSession, path: str) -> None:
    assert await status_of(client.get(path)) == 404


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.html",
        "/assets/../../secret.html",
        "/assets/..%2f..%2fsecret.html",
        "/%2e%2e/secret.html",
        "/assets/%2e%2e/%2e%2e/secret.html",
        "//secret.html",
        "/assets/index-abc.js.br",
        "/assets/index-abc.js%00.html",
        "/..\\secret.html",
    ],
)
async def test_no_path_leads_out_of_the_build(client: aiohttp.ClientSession, path: str) -> None:
    reader, writer = await connected(client)
    writer.write(f"GET {path} HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    assert b" 404 " in answer.splitlines()[0]
    assert b"not for you" not in answer


async def test_the_api_and_its_pages_stay_where_they_are(client: aiohttp.ClientSession) -> None:
    for path in ("/v1/tables", "/docs", "/openapi.json", "/healthz", "/health", "/livez"):
        async with client.get(path) as response:
            assert response.status == 200
            assert PAGE not in await response.read()


async def test_without_a_build_the_page_explains_how_to_build(tmp_path: Path) -> None:
    async with running(site_of(client=Client(read_build(tmp_path)))) as client:
        async with client.get("/") as response:
            assert response.status == 200
            assert "make install" in await response.text()
            assert "script-src 'self'" in response.headers["content-security-policy"]
        assert await status_of(client.get("/c/SERVER")) == 404


async def test_a_page_with_data_has_it_as_text_and_every_other_page_has_none(build: Path) -> None:
    (build / "index.html").write_bytes(b"<!doctype html><head><title>Sobremesa</title></head>")
    files = with_meta(read_build(build), "sobremesa-demo", '{"name": "<script>"}')

    async with running(site_of(client=Client(files))) as client, client.get("/signin") as response:
        page = await response.text()
    async with running(site_of(client=Client(read_build(build)))) as client, client.get("/signin") as response:
        plain = await response.text()

    assert '<meta name="sobremesa-demo" content="{&quot;name&quot;: &quot;&lt;script&gt;&quot;}"></head>' in page
    assert "sobremesa-demo" not in plain


async def test_data_for_a_page_that_is_not_built_is_left_out(tmp_path: Path) -> None:
    assert with_meta(read_build(tmp_path), "sobremesa-demo", "{}") == {}

"""A site that is mounted under a path of another application, on a real server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal, cast
from urllib.parse import quote

import aiohttp
import pytest
import structlog
import uvicorn
from fastapi import FastAPI
from fastapi.exceptions import FastAPIDeprecationWarning
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from yarl import URL

from sobremesa import Settings, Sobremesa
from sobremesa.http.mounting import inside_mount, mount_prefix
from sobremesa.http.site import Site
from sobremesa.web import Client, read_build

PAGE = b'<html><head><link rel="icon" href="/icon.svg"><script src="/assets/a.js"></script></head></html>'
PASSWORD = "correct horse battery"


async def outer_page(_request: Request) -> PlainTextResponse:
    return PlainTextResponse("the outer application")


@pytest.fixture(params=[Starlette, FastAPI])
def framework(request: pytest.FixtureRequest) -> type[Starlette]:
    """The class of the outer application; FastAPI is a subclass of Starlette with a router of its own."""
    return cast("type[Starlette]", request.param)


def mounted_at(
    prefix: str, site: Site, framework: type[Starlette] = Starlette, *, started: bool = True, **options: Any
) -> Starlette:
    @asynccontextmanager
    async def lifespan(_outer: Starlette) -> AsyncIterator[None]:
        if started:
            async with site.started():
                yield
        else:
            yield

    outer = framework(routes=[Route("/", outer_page)], lifespan=lifespan, **options)
    outer.mount(prefix, site)
    return outer


@asynccontextmanager
async def served(outer: Starlette, *, root_path: str = "") -> AsyncIterator[aiohttp.ClientSession]:
    """A client of the outer application, which an ordinary server runs until the end of the block."""
    server = uvicorn.Server(uvicorn.Config(outer, port=0, lifespan="on", log_config=None, root_path=root_path))
    running = asyncio.create_task(server.serve())
    try:
        while not server.started:
            await asyncio.wait([running], timeout=0.01)
            assert not running.done(), "the server did not start"
        port = server.servers[0].sockets[0].getsockname()[1]
        async with aiohttp.ClientSession(f"http://127.0.0.1:{port}") as client:
            yield client
    finally:
        server.should_exit = True
        await running


@pytest.fixture
def client(tmp_path: Path) -> Client:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_bytes(PAGE)
    (tmp_path / "assets" / "a.js").write_bytes(b"1")
    return Client(read_build(tmp_path))


@pytest.fixture
async def app() -> AsyncIterator[Sobremesa]:
    settings = Settings(store="sqlite://", argon2_memory_kib=8, argon2_time_cost=1, insecure_passwords=True)
    async with Sobremesa.open(settings=settings) as app:
        yield app


async def test_the_api_answers_under_the_prefix_only(app: Sobremesa, framework: type[Starlette]) -> None:
    async with served(mounted_at("/chat", app.site(), framework)) as http:
        body = {"email": "ana@example.com", "username": "ana", "password": PASSWORD}
        async with http.post("/chat/v1/auth/register", json=body) as response:
            assert response.status == 201
            token = (await response.json())["accessToken"]
        headers = {"authorization": f"Bearer {token}"}
        async with http.get("/chat/v1/users/me", headers=headers) as response:
            assert (await response.json())["username"] == "ana"
        async with http.get("/v1/users/me", headers=headers) as response:
            assert response.status == 404
        async with http.get("/chat/chat/v1/users/me", headers=headers) as response:
            assert response.status == 404, "the prefix is removed once"
        async with http.get("/") as response:
            assert await response.text() == "the outer application"


@pytest.mark.parametrize(
    ("prefix", "requested"),
    [
        ("/@team", "/@team"),
        ("/@team", "/%40team"),
        ("/t/{tenant}", "/t/a:b"),
        ("/chat", "/%63hat"),
        ("/café", "/caf%c3%a9"),
        ("/p/{parts:path}/chat", "/p/a%2Fb/chat"),
    ],
)
async def test_the_api_answers_under_every_spelling_of_the_prefix(app: Sobremesa, prefix: str, requested: str) -> None:
    ana = await app.accounts.register(email="ana@example.com", username="ana", password=PASSWORD)
    headers = {"authorization": f"Bearer {ana.access_token}"}
    url = URL(f"{requested}/v1/users/me", encoded=True)
    async with served(mounted_at(prefix, app.site())) as http, http.get(url, headers=headers) as response:
        assert (response.status, (await response.json())["username"]) == (200, "ana")


@pytest.mark.parametrize(
    ("root_path", "path", "raw_path", "inner", "prefix"),
    [
        ("/chat", "/chat/v1/me", b"/chat/v1/me", ("/v1/me", b"/v1/me"), "/chat"),
        ("/chat/", "/chat/v1/me", b"/chat/v1/me", ("/v1/me", b"/v1/me"), "/chat"),
        ("/chat", "/chat/", b"/chat/", ("/", b"/"), "/chat"),
        ("/@team", "/@team/v1/me", b"/@team/v1/me", ("/v1/me", b"/v1/me"), "/%40team"),
        ("/chat", "/chat/v1/me", b"/%63hat/v1/me", ("/v1/me", b"/v1/me"), "/chat"),
        ("/a/b", "/a/b/v1/me", b"/a%2fb/v1/me", ("/v1/me", b"/v1/me"), "/a/b"),
        # The spelling of the rest is kept: an encoded slash does not separate.
        ("/é", "/é/v1/x/y:z", b"/%c3%a9/v1/x%2Fy:z", ("/v1/x/y:z", b"/v1/x%2Fy:z"), "/%C3%A9"),
        # The slash after the prefix is encoded.
        ("/chat", "/chat/v1/x/y", b"/chat%2fv1/x%2Fy", ("/v1/x/y", b"/v1/x%2Fy"), "/chat"),
        # The path is the prefix itself, with or without a slash at the end; other slashes are kept.
        ("/chat", "/chat", b"/chat", ("/", b"/"), "/chat"),
        ("/chat//", "/chat", b"/chat", ("/", b"/"), "/chat"),
        ("/chat", "/chat//v1/me/", b"/chat//v1/me/", ("//v1/me/", b"//v1/me/"), "/chat"),
        ("/chat", "/chatter", b"/chatter", ("/chatter", b"/chatter"), "/chat"),
        # One character is several bytes, in the prefix and in the rest.
        (
            "/日本",
            "/日本/v1/é",
            b"/%e6%97%a5%E6%9C%AC/v1/%c3%a9",
            ("/v1/é", b"/v1/%c3%a9"),
            "/%E6%97%A5%E6%9C%AC",
        ),
        # Bytes that are not UTF-8 are kept as they were sent.
        ("/chat", "/chat/v1/\ufffd", b"/chat/v1/%ff", ("/v1/\ufffd", b"/v1/%ff"), "/chat"),
        # The prefix was removed from `path`, or from both.
        ("/chat", "/v1/me", b"/chat/v1/me", ("/v1/me", b"/v1/me"), "/chat"),
        ("/chat", "/v1/me", b"/v1/me", ("/v1/me", b"/v1/me"), "/chat"),
        # There is no `raw_path`, or one of another path.
        ("/chat", "/chat/v1/a b", None, ("/v1/a b", b"/v1/a%20b"), "/chat"),
        ("/chat", "/v1/a b", None, ("/v1/a b", b"/v1/a%20b"), "/chat"),
        ("/chat", "/chat/v1/me", b"/other", ("/v1/me", b"/v1/me"), "/chat"),
        # A link that starts with two slashes would name another host.
        ("//evil.com/chat", "//evil.com/chat/v1/me", b"//evil.com/chat/v1/me", ("/v1/me", b"/v1/me"), "/evil.com/chat"),
        ("//", "/v1/me", b"/v1/me", ("/v1/me", b"/v1/me"), ""),
    ],
)
def test_both_paths_of_a_request_lose_the_prefix(
    root_path: str, path: str, raw_path: bytes | None, inner: tuple[str, bytes], prefix: str
) -> None:
    scope: dict[str, Any] = {"type": "http", "root_path": root_path, "path": path}
    if raw_path is not None:
        scope["raw_path"] = raw_path

    with inside_mount(scope) as seen:
        assert (seen["path"], seen["raw_path"]) == inner
        assert (seen["root_path"], mount_prefix()) == ("", prefix)
    assert mount_prefix() == ""


@pytest.mark.parametrize(
    ("path", "raw_path"),
    [
        ("/api/chat/v1/me", b"/api/chat/v1/me"),  # the server adds the prefix of the proxy again
        ("/chat/v1/me", b"/chat/v1/me"),  # the framework knows it, the server does not
        ("/v1/me", b"/v1/me"),  # an older framework removes all of it
    ],
)
@pytest.mark.parametrize("proxy_prefix", ["/api", "/api/"])
def test_links_have_the_prefix_that_a_proxy_removed(path: str, raw_path: bytes, proxy_prefix: str) -> None:
    scope = {
        "type": "http",
        "root_path": "/api/chat",
        "app_root_path": proxy_prefix,
        "path": path,
        "raw_path": raw_path,
    }
    with inside_mount(scope) as seen:
        assert (seen["path"], seen["raw_path"], mount_prefix()) == ("/v1/me", b"/v1/me", "/api/chat")


def _spellings(text: str) -> st.SearchStrategy[str]:
    """The ways in which a client may encode this text: each character as itself, or by its bytes."""
    return st.tuples(
        *(
            st.sampled_from([quote(one, safe=""), quote(one, safe="/:@"), "".join(f"%{b:02x}" for b in one.encode())])
            for one in text
        )
    ).map("".join)


_SEGMENTS = st.lists(st.text("aé日 %/:@", min_size=1, max_size=3), min_size=1, max_size=3)


@given(st.data(), _SEGMENTS, _SEGMENTS)
def test_any_spelling_of_the_prefix_is_removed_and_the_rest_is_kept(
    data: st.DataObject, prefix: list[str], rest: list[str]
) -> None:
    root_path = "".join(f"/{segment}" for segment in prefix).rstrip("/")
    path = "".join(f"/{segment}" for segment in rest)
    raw_prefix = data.draw(_spellings(root_path))
    raw_rest = "/" + data.draw(_spellings(path[1:]))
    scope = {
        "type": "http",
        "root_path": root_path,
        "path": root_path + path,
        "raw_path": (raw_prefix + raw_rest).encode(),
    }
    with inside_mount(scope) as seen:
        assert (seen["path"], seen["raw_path"].decode()) == (path, raw_rest)


async def test_a_prefix_never_names_another_host(app: Sobremesa, client: Client) -> None:
    async with served(mounted_at("/{parts:path}/chat", app.site(client=client))) as http:
        async with http.get("/a/chat/") as response:
            origin = response.url.origin()
        async with http.get(URL(f"{origin}//evil.com/chat/", encoded=True)) as response:
            page = await response.text()
            assert response.status == 200
    assert 'src="/evil.com/chat/assets/a.js"' in page
    assert '<meta name="sobremesa-base" content="/evil.com/chat">' in page
    assert "//evil.com" not in page


async def test_the_gateway_is_under_the_prefix(app: Sobremesa, framework: type[Starlette]) -> None:
    ana = await app.accounts.register(email="ana@example.com", username="ana", password=PASSWORD)
    async with (
        served(mounted_at("/chat", app.site(), framework)) as http,
        http.ws_connect("/chat/v1/gateway") as socket,
    ):
        assert (await socket.receive_json())["op"] == 10
        await socket.send_json({"op": 2, "d": {"token": ana.access_token}})
        ready = await socket.receive_json()
        assert (ready["t"], ready["d"]["user"]["username"]) == ("ready", "ana")


async def test_signed_urls_of_files_have_the_prefix_and_work(app: Sobremesa, framework: type[Starlette]) -> None:
    ana = await app.accounts.register(email="ana@example.com", username="ana", password=PASSWORD)
    headers = {"authorization": f"Bearer {ana.access_token}"}
    async with served(mounted_at("/chat", app.site(), framework)) as http:
        async with http.post("/chat/v1/attachments?name=note.txt", data=b"remember", headers=headers) as response:
            file_id = (await response.json())["fileId"]
        async with http.get(f"/chat/v1/attachments/{file_id}", headers=headers) as response:
            url = (await response.json())["url"]
        assert url.startswith("/chat/v1/attachments/")
        async with http.get(url) as response:
            assert await response.read() == b"remember"
    [view] = await app.attachments.get_several(ana.actor, [file_id])
    assert view.url.startswith("/v1/attachments/"), "outside of a request there is no prefix"


async def test_the_documentation_names_the_address_with_the_prefix(app: Sobremesa, framework: type[Starlette]) -> None:
    async with served(mounted_at("/chat", app.site(), framework)) as http:
        async with http.get("/chat/openapi.json") as response:
            [server] = (await response.json())["servers"]
            assert server["url"] == f"{response.url.origin()}/chat"
        async with http.get("/chat/docs") as response:
            page = await response.text()
            assert 'href="openapi.json"' in page
            assert 'href="/' not in page
        async with http.get("/chat/docs/style.css") as response:
            assert response.status == 200


@pytest.mark.parametrize("prefix", ["/chat", "/a/b%20c"])
async def test_the_web_client_loads_its_files_under_the_prefix(
    app: Sobremesa, client: Client, framework: type[Starlette], prefix: str
) -> None:
    async with served(mounted_at(prefix.replace("%20", " "), app.site(client=client), framework)) as http:
        for path in ("/", "/c/SERVER/CHANNEL"):
            async with http.get(prefix + path) as response:
                page = await response.text()
                assert response.status == 200
            assert f'href="{prefix}/icon.svg"' in page
            assert f'src="{prefix}/assets/a.js"' in page
            assert f'<meta name="sobremesa-base" content="{prefix}">' in page
        async with http.get(f"{prefix}/assets/a.js") as response:
            assert await response.read() == b"1"
        async with http.get(prefix, allow_redirects=True) as response:
            assert response.status == 200


async def test_a_site_that_was_not_started_explains_what_to_do(app: Sobremesa, framework: type[Starlette]) -> None:
    with structlog.testing.capture_logs() as logged:
        async with served(mounted_at("/chat", app.site(), framework, started=False)) as http:
            for path in ("/chat/v1/users/me", "/chat/", "/chat/readyz"):
                async with http.get(path) as response:
                    problem = await response.json(content_type=None)
                    assert (response.status, problem["code"]) == (503, "not_started")
                    assert "async with site.started()" in problem["detail"]
            async with http.ws_connect("/chat/v1/gateway") as socket:
                closed = await socket.receive()
                assert (closed.data, closed.extra) == (1013, "The site was not started.")
    assert sum("was not started" in line["event"] for line in logged) == 4


async def test_a_site_is_started_once_at_a_time_and_can_start_again(app: Sobremesa) -> None:
    site = app.site()
    for _ in range(2):
        async with site.started():
            with pytest.raises(RuntimeError, match="already started"):
                async with site.started():
                    pass


async def test_a_site_starts_and_stops_with_the_outer_application(app: Sobremesa, framework: type[Starlette]) -> None:
    site = app.site()
    async with served(mounted_at("/chat", site, framework)) as http, http.get("/chat/readyz") as response:
        assert response.status == 200
        with pytest.raises(RuntimeError, match="already started"):
            async with site.started():
                pass
    async with site.started():
        pass


async def test_the_pages_of_fastapi_itself_stay_beside_the_site(app: Sobremesa) -> None:
    async with served(mounted_at("/chat", app.site(), FastAPI, title="Outer")) as http:
        async with http.get("/openapi.json") as response:
            document = await response.json()
            assert (document["info"]["title"], document["paths"]) == ("Outer", {})
        async with http.get("/docs") as response:
            assert "Outer" in await response.text()
        async with http.get("/chat/openapi.json") as response:
            assert (await response.json())["info"]["title"] == "Sobremesa"


@pytest.mark.parametrize("where", ["server", "framework"])
async def test_a_site_behind_a_proxy_that_removes_a_prefix_knows_it(
    app: Sobremesa, client: Client, where: Literal["server", "framework"]
) -> None:
    ana = await app.accounts.register(email="ana@example.com", username="ana", password=PASSWORD)
    headers = {"authorization": f"Bearer {ana.access_token}"}
    site = app.site(client=client)
    if where == "server":
        outer = served(mounted_at("/chat", site, FastAPI), root_path="/api")
    else:
        with pytest.warns(FastAPIDeprecationWarning):
            outer = served(mounted_at("/chat", site, FastAPI, root_path="/api"))
    async with outer as http:
        async with http.get("/chat/v1/users/me", headers=headers) as response:
            assert (response.status, (await response.json())["username"]) == (200, "ana")
        async with http.get("/chat/") as response:
            assert 'src="/api/chat/assets/a.js"' in await response.text()
        async with http.ws_connect("/chat/v1/gateway") as socket:
            assert (await socket.receive_json())["op"] == 10

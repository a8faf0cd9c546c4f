"""The pages beside the endpoints, CORS, and how the site starts and stops."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import aiohttp
import pytest

from edge.running import ANA, running, site_of, status_of
from sobremesa.core.errors import Busy
from sobremesa.http import openapi
from sobremesa.http.connection import MAX_HEAD_BYTES
from sobremesa.http.openapi import document
from sobremesa.http.server import CannotListen, CannotStart, serve

APP = "https://chat.example.com"


async def test_healthz_reports_a_running_process(client: aiohttp.ClientSession) -> None:
    async with client.get("/healthz") as response:
        assert response.status == 200
        assert await response.json() == {"status": "ok"}


async def test_health_has_the_names_that_others_use(client: aiohttp.ClientSession) -> None:
    for path in ("/health", "/livez"):
        async with client.get(path) as response:
            assert (response.status, await response.json()) == (200, {"status": "ok"})


async def test_metrics_are_served_on_the_port_of_the_operators_only() -> None:
    site = site_of(client=page_for_everything)
    async with running(site, metrics=("127.0.0.1", 0)) as client:
        operators = f"http://127.0.0.1:{site.metrics_port}"
        async with client.get("/metrics") as response:
            assert response.status == 404
            assert response.content_type == "application/problem+json"
        async with client.get(operators + "/metrics") as response:
            assert response.status == 200
            assert "sobremesa_http_requests_total" in await response.text()
        for path in ("/healthz", "/readyz"):
            assert await status_of(client.get(operators + path)) == 200
        for path in ("/", "/docs", "/v1/tables", "/openapi.json"):
            assert await status_of(client.get(operators + path)) == 404
        assert await status_of(client.post(operators + "/metrics")) == 405


async def page_for_everything(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"<!doctype html>"})


async def test_metrics_need_a_port_of_their_own() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(CannotListen):
        await serve(site_of(), host="127.0.0.1", port=port, drain_seconds=1, metrics=("127.0.0.2", port))


async def test_it_is_ready_when_the_store_answers(client: aiohttp.ClientSession) -> None:
    async with client.get("/readyz") as response:
        assert response.status == 200


async def test_it_is_not_ready_while_the_store_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sobremesa.http.site.READY_WITHIN_SECONDS", 0.05)

    async def fail() -> None:
        raise Busy("secret.host is down")

    async def hang() -> None:
        await asyncio.sleep(60)

    for ready in (fail, hang):
        async with running(site_of(ready=ready)) as client, client.get("/readyz") as response:
            assert response.status == 503
            body = await response.text()
        assert '"code":"not_ready"' in body
        assert "secret.host" not in body


async def test_it_is_not_ready_while_it_leaves_though_it_lives() -> None:
    site = site_of()
    async with running(site) as client:
        site.drain()
        async with client.get("/readyz") as response:
            assert response.status == 503
            assert (await response.json(content_type=None))["code"] == "stopping"
        async with client.get("/healthz") as response:
            assert response.status == 200
        async with client.get("/v1/tables") as response:
            assert response.status == 200


async def test_pages_are_read_only(client: aiohttp.ClientSession) -> None:
    for path in ("/healthz", "/readyz", "/docs", "/openapi.json"):
        async with client.post(path) as response:
            assert response.status == 405
            assert {part.strip() for part in response.headers["Allow"].split(",")} == {"GET", "HEAD"}
            assert (await response.json(content_type="application/problem+json"))["code"] == "method_not_allowed"
        async with client.head(path) as response:
            assert response.status == 200
            assert await response.read() == b""


async def test_the_document_and_the_page_are_kept_by_those_who_have_them(client: aiohttp.ClientSession) -> None:
    for path in ("/openapi.json", "/docs", "/docs/style.css"):
        async with client.get(path) as response:
            tag = response.headers["ETag"]
        async with client.get(path, headers={"If-None-Match": tag}) as response:
            assert response.status == 304


async def test_the_document_is_built_once_for_the_first_requests_and_not_at_the_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    built: list[str] = []

    def counted(*endpoints: Any, **about: Any) -> Any:
        built.append(about["title"])
        return document(*endpoints, **about)

    monkeypatch.setattr(openapi, "document", counted)
    async with running(site_of()) as client:
        assert await status_of(client.get("/healthz")) == 200
        assert built == []
        assert await asyncio.gather(*(status_of(client.get("/openapi.json")) for _ in range(5))) == [200] * 5
        assert built == ["Sobremesa"]


async def test_the_page_has_no_script_and_loads_nothing_else(client: aiohttp.ClientSession) -> None:
    async with client.get("/docs") as response:
        policy = response.headers["Content-Security-Policy"]
        html = await response.text()
    assert policy.startswith("default-src 'none'; style-src 'self';")
    assert "<script" not in html
    assert "style=" not in html
    assert 'src="' not in html
    assert 'href="http' not in html


async def preflight(client: aiohttp.ClientSession, origin: str, method: str = "POST") -> aiohttp.ClientResponse:
    asked = "authorization,content-type,idempotency-key,x-request-id"
    headers = {"Origin": origin, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": asked}
    response = await client.options("/v1/tables", headers=headers)
    await response.read()
    return response


async def test_another_origin_may_call_when_the_setting_names_it() -> None:
    async with running(site_of(cors_origins=[APP])) as client:
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
            allowed = await preflight(client, APP, method)
            assert allowed.status == 200
            assert allowed.headers["Access-Control-Allow-Origin"] == APP
            assert method in allowed.headers["Access-Control-Allow-Methods"]
            assert "Access-Control-Allow-Credentials" not in allowed.headers
            assert allowed.headers["X-Content-Type-Options"] == "nosniff"
        async with client.get("/v1/tables", headers={"Origin": APP}) as response:
            assert response.headers["Access-Control-Allow-Origin"] == APP
            exposed = {name.strip() for name in response.headers["Access-Control-Expose-Headers"].split(",")}
            assert {"ratelimit", "ratelimit-policy", "etag", "x-request-id", "retry-after"} <= exposed
            assert "Origin" in response.headers["Vary"]
        async with client.get("/v1/tables/T1", headers={"Origin": APP}) as response:
            assert response.status == 401
            assert response.headers["Access-Control-Allow-Origin"] == APP


async def test_an_unlisted_origin_is_refused(client: aiohttp.ClientSession) -> None:
    for origins in ([], [APP]):
        async with running(site_of(cors_origins=origins)) as other:
            refused = await preflight(other, "https://evil.example.com")
            assert refused.status in (400, 405)
            assert "Access-Control-Allow-Origin" not in refused.headers
            async with other.get("/v1/tables", headers={"Origin": "https://evil.example.com"}) as response:
                assert "Access-Control-Allow-Origin" not in response.headers


async def test_callbacks_run_in_order_on_start_and_stop() -> None:
    steps = []

    def step(name: str, error: Exception | None = None) -> Any:
        async def take() -> None:
            steps.append(name)
            if error is not None:
                raise error

        return take

    starts = [step("open"), step("warm")]
    stops = [step("wait", RuntimeError("too long")), step("close")]
    async with running(site_of(on_start=starts, on_stop=stops)) as client:
        assert await status_of(client.get("/healthz")) == 200
        assert steps == ["open", "warm"]
    assert steps == ["open", "warm", "wait", "close"]


async def test_a_failed_start_reports_its_cause() -> None:
    async def fail() -> None:
        raise Busy("no disk")

    with pytest.raises(CannotStart) as caught:
        await serve(site_of(on_start=[fail]), host="127.0.0.1", port=0, drain_seconds=1)
    assert isinstance(caught.value.__cause__, Busy)


async def test_an_address_in_use_is_reported_before_anything_starts() -> None:
    started = []

    async def start() -> None:
        started.append(True)

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CannotListen, match=str(port)):
            await serve(site_of(on_start=[start]), host="127.0.0.1", port=port, drain_seconds=1)
    assert not started


async def test_a_large_body_is_no_large_head(client: aiohttp.ClientSession) -> None:
    for _ in range(3):
        async with client.post("/v1/tables", headers=ANA, data=b"x" * 3 * MAX_HEAD_BYTES) as response:
            assert response.status == 413
    async with client.get("/healthz") as response:
        assert response.status == 200


async def test_only_a_trusted_proxy_may_name_the_client() -> None:
    asked = {"X-Forwarded-For": "203.0.113.7"}
    for trusted, seen in (([], "127.0.0.1"), (["127.0.0.1"], "203.0.113.7"), (["192.0.2.1"], "127.0.0.1")):
        async with running(site_of(), trusted_proxies=trusted) as client:
            response = await client.get("/v1/kitchen/caller", headers=asked)
            assert (await response.json())["address"] == seen


async def test_a_websocket_is_refused_until_there_is_a_gateway() -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    await site_of()({"type": "websocket", "path": "/v1/gateway", "headers": []}, receive, send)
    assert [message["type"] for message in sent] == ["websocket.close"]


async def test_the_documentation_shows_the_address_of_the_request() -> None:
    async with running(site_of(public_url=None)) as client:
        address = str(client._base_url).rstrip("/")
        async with client.get("/docs") as response:
            assert f"curl {address}/v1/tables" in await response.text()
            tag = response.headers["etag"]
        async with client.get("/docs", headers={"If-None-Match": tag}) as response:
            assert response.status == 304
        async with client.get("/openapi.json", headers={"Host": "chat.example.com"}) as response:
            assert (await response.json())["servers"] == [{"url": "http://chat.example.com"}]


@pytest.mark.parametrize("host", ['"><script>', "a b", "x" * 300, "user@host", "host/path"])
async def test_a_strange_host_header_does_not_reach_the_documentation(host: str) -> None:
    async with running(site_of(public_url=None)) as client:
        address = str(client._base_url).rstrip("/")
        async with client.get("/openapi.json", headers={"Host": host}) as response:
            assert response.status == 400 or (await response.json())["servers"] == [{"url": address}]


async def test_the_documentation_shows_the_public_address_where_one_is_set() -> None:
    site = site_of(public_url="https://chat.example.com")
    headers = {"Host": "elsewhere.example.com"}
    async with running(site) as client, client.get("/openapi.json", headers=headers) as response:
        assert (await response.json())["servers"] == [{"url": "https://chat.example.com"}]

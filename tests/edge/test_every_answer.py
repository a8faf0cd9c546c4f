"""What every answer has, whatever it is: an id, headers that protect, a line in the log, a count in the metrics."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import aiohttp
import pytest
from prometheus_client import CollectorRegistry

from edge.running import ANA, running, site_of
from sobremesa.http.metrics import Metrics
from sobremesa.http.middleware import RequestMiddleware
from sobremesa.table.capacity import Capacity, Meter

ANSWERS = {
    "/v1/tables": 200,
    "/v1/tables/T1": 401,
    "/v1/chairs": 404,
    "/chairs": 404,
    "/v1/kitchen/slow": 504,
    "/v1/kitchen/busy": 503,
    "/docs": 200,
    "/docs/style.css": 200,
    "/openapi.json": 200,
    "/healthz": 200,
    "/metrics": 404,
}
SECRET = "s3cr3t"


async def line_of(logged: list[dict[str, Any]], *, count: int = 1) -> dict[str, Any]:
    """The last line about a request, once there are so many of them."""
    for _ in range(200):
        lines = [line for line in logged if line["event"] == "request"]
        if len(lines) >= count:
            return lines[-1]
        await asyncio.sleep(0.01)
    raise AssertionError(f"fewer than {count} requests were logged")


@pytest.mark.parametrize("path", ANSWERS)
async def test_every_answer_has_the_headers_that_protect(client: aiohttp.ClientSession, path: str) -> None:
    async with client.get(path) as response:
        assert response.status == ANSWERS[path]
        headers = response.headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert len(headers.getall("Cache-Control")) == 1
    assert len(headers.getall("Content-Security-Policy")) == 1
    assert re.fullmatch(r"[0-9a-f]{12}-[0-9a-f]+", headers["X-Request-Id"])
    assert "Server" not in headers
    assert headers["Date"]


async def test_a_response_without_cache_control_is_not_cached(client: aiohttp.ClientSession) -> None:
    async with client.get("/v1/tables/T1", headers=ANA) as response:
        assert response.headers["Cache-Control"] == "no-store"
    async with client.get("/docs") as response:
        assert response.headers["Cache-Control"] == "no-cache"


async def test_a_fault_of_ours_is_a_problem_without_details(
    client: aiohttp.ClientSession, logged: list[dict[str, Any]]
) -> None:
    async with client.post("/v1/tables", headers=ANA, json={"name": "broken"}) as response:
        assert response.status == 500
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        body = await response.text()
        request_id = response.headers["X-Request-Id"]
    assert '"code":"internal"' in body
    assert "hunter2" not in body
    (failure,) = [line for line in logged if line["event"] == "request failed"]
    assert failure["request_id"] == request_id
    assert "hunter2" in str(failure["exc_info"])


async def test_the_middleware_responds_to_uncaught_errors(logged: list[dict[str, Any]]) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("hunter2")

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        raise AssertionError("no request is read")

    await RequestMiddleware(broken, Metrics())(
        {"type": "http", "method": "GET", "path": "/", "headers": []}, receive, send
    )

    assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]
    assert sent[0]["status"] == 500
    assert (b"x-content-type-options", b"nosniff") in sent[0]["headers"]
    assert b"internal" in sent[1]["body"]
    assert b"hunter2" not in sent[1]["body"]
    assert [line["event"] for line in logged] == ["request failed", "request"]


@pytest.mark.parametrize("given", ["a", "A1._-", "x" * 64])
async def test_the_client_may_name_its_request(
    client: aiohttp.ClientSession, logged: list[dict[str, Any]], given: str
) -> None:
    async with client.get("/healthz", headers={"X-Request-Id": given}) as response:
        assert response.headers["X-Request-Id"] == given
    assert (await line_of(logged))["request_id"] == given


@pytest.mark.parametrize("given", ["", "x" * 65, "a b", "a/b", "ñ", '{"level":"info"}'])
async def test_a_name_that_a_log_should_not_hold_is_replaced(client: aiohttp.ClientSession, given: str) -> None:
    async with client.get("/healthz", headers={"X-Request-Id": given}) as response:
        assert response.headers["X-Request-Id"] != given


async def test_no_two_requests_have_the_same_id(client: aiohttp.ClientSession) -> None:
    seen = set()
    for _ in range(20):
        async with client.get("/healthz") as response:
            seen.add(response.headers["X-Request-Id"])
    assert len(seen) == 20


async def test_each_request_is_one_line_in_the_log(client: aiohttp.ClientSession, logged: list[dict[str, Any]]) -> None:
    async with client.post("/v1/tables", headers=ANA, json={"name": "taken"}) as response:
        request_id = response.headers["X-Request-Id"]
    line = await line_of(logged)
    assert line.pop("ms") >= 0
    assert line == {
        "event": "request",
        "log_level": "info",
        "method": "POST",
        "route": "/v1/tables",
        "status": 409,
        "code": "table_occupied",
        "request_id": request_id,
        "actor": "user:01ARZ3NDEKTSV4RRFFQ69G5FAV",
    }
    assert len([line for line in logged if line["event"] == "request"]) == 1


async def test_the_log_names_the_route_and_never_what_was_sent(
    client: aiohttp.ClientSession, logged: list[dict[str, Any]]
) -> None:
    async with client.get(f"/v1/tables/{SECRET}?token={SECRET}", headers={"Authorization": f"Bearer {SECRET}"}):
        pass
    async with client.get(f"/v1/tables/{SECRET}", headers={**ANA, "Cookie": SECRET, "User-Agent": SECRET}):
        pass
    async with client.post("/v1/tables", headers=ANA, json={"name": "taken", "email": f"{SECRET}@example.com"}):
        pass
    async with client.get(f"/{SECRET}"):
        pass
    await line_of(logged, count=4)
    assert [line["route"] for line in logged] == ["/v1/tables/{tableId}"] * 2 + ["/v1/tables", "(none)"]
    assert SECRET not in str(logged)


async def test_metrics_count_by_route_method_and_status() -> None:
    metrics = Metrics(CollectorRegistry())
    site = site_of(metrics=metrics)
    async with running(site, metrics=("127.0.0.1", 0)) as client:
        for _ in range(3):
            await (await client.get("/v1/tables/T1", headers=ANA)).read()
        await (await client.get("/v1/tables/nowhere", headers=ANA)).read()
        await (await client.post("/v1/tables", headers=ANA, json={})).read()
        await (await client.get("/not/a/page")).read()
        async with client.get(f"http://127.0.0.1:{site.metrics_port}/metrics") as response:
            assert response.headers["Content-Type"].startswith("text/plain; version=0.0.4")
            text = await response.text()
    assert 'sobremesa_http_requests_total{method="GET",route="/v1/tables/{tableId}",status="200"} 3.0' in text
    assert 'sobremesa_http_requests_total{method="GET",route="/v1/tables/{tableId}",status="404"} 1.0' in text
    assert 'sobremesa_http_requests_total{method="POST",route="/v1/tables",status="422"} 1.0' in text
    assert 'sobremesa_http_requests_total{method="GET",route="(none)",status="404"} 1.0' in text
    assert 'sobremesa_http_request_seconds_count{route="/v1/tables/{tableId}"} 4.0' in text
    assert 'sobremesa_http_request_seconds_bucket{le="+Inf",route="/v1/tables/{tableId}"} 4.0' in text
    assert "sobremesa_http_in_flight 1.0" in text
    assert "process_resident_memory_bytes" in text


def test_metrics_show_what_was_used_of_the_table() -> None:
    meter = Meter()
    meter.record("who_is_here", Capacity(1.5, 0))
    meter.record("who_is_here", Capacity(0.5, 2))
    metrics = Metrics(CollectorRegistry())
    metrics.watch_table(meter.totals)
    text = metrics.text().decode()
    assert 'sobremesa_table_calls_total{pattern="who_is_here"} 2.0' in text
    assert 'sobremesa_table_read_units_total{pattern="who_is_here"} 2.0' in text
    assert 'sobremesa_table_write_units_total{pattern="who_is_here"} 2.0' in text


def test_the_time_of_a_request_is_in_the_bucket_of_its_length() -> None:
    metrics = Metrics(CollectorRegistry())
    for seconds in (0.001, 0.0011, 0.3, 100):
        metrics.record("/x", "BREW", 418, seconds)
    text = metrics.text().decode()
    for bound, count in (("0.001", 1), ("0.0025", 2), ("0.25", 2), ("0.5", 3), ("30.0", 3), ("+Inf", 4)):
        assert f'sobremesa_http_request_seconds_bucket{{le="{bound}",route="/x"}} {count}.0' in text
    assert 'sobremesa_http_requests_total{method="OTHER",route="/x",status="418"} 4.0' in text

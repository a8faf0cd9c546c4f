"""What is known when no whole answer comes: what may have been done, and what surely was not."""

from __future__ import annotations

import asyncio
import socket
import zlib
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import pytest

from dynamodb.rows import KEY, delete, put
from dynamodb.scripted import (
    Answering,
    ScriptedEndpoint,
    answers,
    answers_bytes,
    answers_half,
    hangs_up,
    rejects,
)
from sobremesa.core.clock import SetClock
from sobremesa.table import OLDEST, Layout
from sobremesa.table.engines.dynamodb import DynamoEngine, transport
from sobremesa.table.errors import OutcomeUnknown, StoreClosed, StoreFailed

Call: TypeAlias = Callable[[DynamoEngine], Awaitable[object]]

READS: dict[str, Call] = {
    "get": lambda engine: engine.get(KEY, consistent=True, fields=None),
    "batch_get": lambda engine: engine.batch_get([KEY], consistent=True),
    "describe": lambda engine: engine.describe_table(),
    "changes": lambda engine: engine.changes(OLDEST),
}
WRITES: dict[str, Call] = {
    "put": lambda engine: engine.write(put()),
    "delete": lambda engine: engine.write(delete("s")),
    "transaction": lambda engine: engine.transact([put(), delete("t")], "token"),
    "batch": lambda engine: engine.batch_write([put(), delete("t")]),
    "create": lambda engine: engine.create_table(),
    "drop": lambda engine: engine.drop_table(),
}
SILENCES: dict[str, Answering] = {
    "a hang-up": hangs_up,
    "half an answer": answers_half,
    "no JSON": answers_bytes(b'{"Item": {'),
    "JSON of another shape": answers_bytes(b'["Item"]'),
    "no text": answers_bytes(b"\xff\xfe\x00"),
    "another checksum": answers_bytes(b"{}", x_amz_crc32="1"),
    "an internal error": rejects("InternalServerError", status=500),
    "an unavailable service": rejects("ServiceUnavailable", status=503),
    "a gateway's own page": answers_bytes(b"<html>502 Bad Gateway", status=502),
    "nothing with status 504": answers_bytes(b"", status=504),
}


async def open_engine(endpoint: str, clock: SetClock) -> DynamoEngine:
    return await DynamoEngine.open(Layout(table="notes"), region="eu-west-1", endpoint=endpoint, clock=clock)


@pytest.fixture(params=SILENCES)
def silent(request: pytest.FixtureRequest, scripted: ScriptedEndpoint) -> ScriptedEndpoint:
    """An endpoint that takes every request and gives no answer that could be understood."""
    scripted.answers_always(SILENCES[request.param])
    return scripted


async def test_write_without_a_response_may_have_been_done(engine: DynamoEngine, silent: ScriptedEndpoint) -> None:
    for name, write in WRITES.items():
        with pytest.raises(OutcomeUnknown):
            await write(engine)
        assert silent.received, name


async def test_read_without_a_response_has_failed(engine: DynamoEngine, silent: ScriptedEndpoint) -> None:
    for name, read in READS.items():
        with pytest.raises(StoreFailed):
            await read(engine)
        assert silent.received, name


async def test_request_without_a_response_is_sent_once(engine: DynamoEngine, silent: ScriptedEndpoint) -> None:
    silent.answers_next(answers())
    await engine.get(KEY, consistent=True, fields=None)  # so that the next one goes over a connection kept alive

    with pytest.raises(OutcomeUnknown):
        await engine.write(put())

    assert silent.actions() == ["GetItem", "PutItem"]


async def test_request_that_times_out_may_have_been_done(
    scripted: ScriptedEndpoint, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "LOCAL_RESPOND_SECONDS", 0.05)
    scripted.answers_always(scripted.never)
    engine = await open_engine(scripted.url, clock)

    with pytest.raises(OutcomeUnknown, match="TimeoutError"):
        await engine.write(put())
    with pytest.raises(StoreFailed, match="TimeoutError"):
        await engine.get(KEY, consistent=True, fields=None)

    await engine.close()
    assert scripted.actions() == ["PutItem", "GetItem"]


async def test_a_hang_up_before_the_request_was_read_may_have_been_done_for_all_we_know(clock: SetClock) -> None:
    async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    engine = await open_engine(f"http://{host}:{port}", clock)

    with pytest.raises(OutcomeUnknown):
        await engine.write(put())
    with pytest.raises(StoreFailed):
        await engine.get(KEY, consistent=True, fields=None)

    await engine.close()
    server.close()
    await server.wait_closed()


async def test_request_without_a_listener_was_not_sent(clock: SetClock) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # taken, but not listening
        engine = await open_engine(f"http://127.0.0.1:{taken.getsockname()[1]}", clock)

        for call in (*READS.values(), *WRITES.values()):
            with pytest.raises(StoreFailed, match="was not sent"):
                await call(engine)

        await engine.close()


async def test_a_request_that_waits_too_long_for_its_connection_surely_was_not_done(
    scripted: ScriptedEndpoint, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(transport, "CONNECT_SECONDS", 0.05)
    engine = await open_engine(scripted.url, clock)
    monkeypatch.setattr(asyncio.get_running_loop(), "sock_connect", never)

    with pytest.raises(StoreFailed, match="was not sent"):
        await engine.write(put())

    await engine.close()
    assert scripted.received == []


async def test_unknown_host_means_the_request_was_not_sent(clock: SetClock, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> list[object]:
        raise socket.gaierror(socket.EAI_NONAME, "unknown name")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    engine = await open_engine("http://db.localhost:8000", clock)

    with pytest.raises(StoreFailed, match=r"was not sent.*db\.localhost:8000"):
        await engine.write(put())

    await engine.close()


@pytest.mark.parametrize(("region", "domain"), [("eu-west-1", "amazonaws.com"), ("cn-north-1", "amazonaws.com.cn")])
async def test_without_an_endpoint_the_region_selects_the_host(
    region: str, domain: str, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, int]] = []

    def unknown(host: str, port: int, *_: object) -> list[object]:
        asked.append((host, port))
        raise socket.gaierror(socket.EAI_NONAME, "unknown name")

    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    engine = await DynamoEngine.open(Layout(), region=region, endpoint=None, clock=clock)

    with pytest.raises(StoreFailed):
        await engine.get(KEY, consistent=True, fields=None)

    await engine.close()
    assert asked == [(f"dynamodb.{region}.{domain}", 443)]


async def test_response_with_a_valid_checksum_is_accepted(engine: DynamoEngine, scripted: ScriptedEndpoint) -> None:
    content = b'{"Item": {"text": {"S": "hola"}}}'
    scripted.answers_next(answers_bytes(content, x_amz_crc32=str(zlib.crc32(content))), answers_bytes(content))

    checked = await engine.get(KEY, consistent=True, fields=None)
    unchecked = await engine.get(KEY, consistent=True, fields=None)

    assert checked.item == unchecked.item == {"text": "hola"}


async def test_response_that_is_not_text_is_an_error(engine: DynamoEngine, scripted: ScriptedEndpoint) -> None:
    scripted.answers_always(answers_bytes(b'{"Item": {"text": {"S": "\xff"}}}'))

    with pytest.raises(StoreFailed, match="cannot be read"):
        await engine.get(KEY, consistent=True, fields=None)


async def test_an_error_that_is_no_text_is_one_all_the_same(engine: DynamoEngine, scripted: ScriptedEndpoint) -> None:
    scripted.answers_always(answers_bytes(b'{"message": "caf\xe9 is closed"}', status=500))

    with pytest.raises(OutcomeUnknown):
        await engine.write(put())


async def test_a_redirection_is_not_followed(engine: DynamoEngine, scripted: ScriptedEndpoint) -> None:
    scripted.answers_always(answers_bytes(b"", status=307, Location=f"{scripted.url}/"))

    with pytest.raises(StoreFailed):
        await engine.write(put())

    assert scripted.actions() == ["PutItem"]


async def test_connections_are_kept_and_used_again(engine: DynamoEngine, scripted: ScriptedEndpoint) -> None:
    scripted.answers_always(answers())

    for _ in range(5):
        await engine.get(KEY, consistent=True, fields=None)

    assert len({received.request.transport for received in scripted.received}) == 1


async def test_requests_run_concurrently(engine: DynamoEngine, scripted: ScriptedEndpoint) -> None:
    scripted.answers_next(scripted.never)
    scripted.answers_always(answers())

    first = asyncio.create_task(engine.get(KEY, consistent=True, fields=None))
    await scripted.has_received(1)
    await engine.get(KEY, consistent=True, fields=None)

    assert not first.done()
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)


async def test_a_write_under_way_when_the_engine_is_closed_may_have_been_done(
    engine: DynamoEngine, scripted: ScriptedEndpoint
) -> None:
    scripted.answers_always(scripted.never)
    writing = asyncio.create_task(engine.write(put()))
    await scripted.has_received(1)

    await engine.close()

    with pytest.raises(OutcomeUnknown):
        await writing


async def test_a_closed_engine_takes_nothing(engine: DynamoEngine, scripted: ScriptedEndpoint) -> None:
    await engine.close()
    await engine.close()

    for call in (*READS.values(), *WRITES.values()):
        with pytest.raises(StoreClosed):
            await call(engine)
    assert scripted.received == []

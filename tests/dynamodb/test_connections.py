"""HTTP as the engine speaks it: which answers are whole, which connections are used again, and who has to wait."""

from __future__ import annotations

import asyncio
import datetime
import ipaddress
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from dynamodb.rows import KEY, put
from sobremesa.core.clock import SetClock
from sobremesa.table import Layout
from sobremesa.table.engines.dynamodb import DynamoEngine, connections, transport
from sobremesa.table.errors import OutcomeUnknown, StoreFailed

Conversation: TypeAlias = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

HOLA = b'{"Item":{"text":{"S":"hola"}}}'
WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(HOLA), HOLA)


class RawServer:
    """Speaks bytes; counts its connections."""

    def __init__(self, converse: Conversation) -> None:
        self.connections = 0
        self.url = ""
        self._converse = converse

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            await self._converse(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def serving(converse: Conversation, tls: ssl.SSLContext | None = None) -> AsyncIterator[RawServer]:
    server = RawServer(converse)
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0, ssl=tls)
    scheme = "http" if tls is None else "https"
    server.url = f"{scheme}://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    try:
        yield server
    finally:
        listening.close()
        await listening.wait_closed()


@asynccontextmanager
async def engine_of(server: RawServer) -> AsyncIterator[DynamoEngine]:
    engine = await DynamoEngine.open(Layout(), region="eu-west-1", endpoint=server.url, clock=SetClock())
    try:
        yield engine
    finally:
        await engine.close()


async def read_request(reader: asyncio.StreamReader) -> bytes:
    """The body of the next request."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(line for line in head.split(b"\r\n") if line.startswith(b"Content-Length:"))
    return await reader.readexactly(int(length.partition(b":")[2]))


def always(answer: bytes, *, then_close: bool = False) -> Conversation:
    """Every request gets these bytes."""

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await read_request(reader)
            writer.write(answer)
            await writer.drain()
            if then_close:
                return

    return converse


async def text_of(engine: DynamoEngine) -> object:
    found = await engine.get(KEY, consistent=True, fields=None)
    return found.item and found.item["text"]


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\n%s\r\n14\r\n%s\r\n0\r\n\r\n" % (
    HOLA[:10],
    HOLA[10:],
)
WHOLES = {
    "with its length": (always(WHOLE), 1),
    "in chunks": (always(CHUNKED), 1),
    "after a word on the way": (always(b"HTTP/1.1 100 Continue\r\n\r\n" + WHOLE), 1),
    "as the last of its connection": (always(WHOLE.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)), 2),
    "by an old server": (always(WHOLE.replace(b"1.1", b"1.0")), 2),
    "up to the end of the connection": (always(b"HTTP/1.1 200 OK\r\n\r\n" + HOLA, then_close=True), 2),
}


@pytest.mark.parametrize("name", WHOLES)
async def test_response_is_read_with_any_framing(name: str) -> None:
    converse, connected = WHOLES[name]
    async with serving(converse) as server, engine_of(server) as engine:
        assert await text_of(engine) == "hola"
        assert await text_of(engine) == "hola"

    assert server.connections == connected


async def test_response_in_pieces_is_one_response() -> None:
    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        for byte in WHOLE:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0)
        await reader.read()

    async with serving(converse) as server, engine_of(server) as engine:
        assert await text_of(engine) == "hola"


@pytest.mark.parametrize(
    "answer", [b"SSH-2.0-OpenSSH\r\n\r\n", b"HTTP/1.1 101 Other\r\nUpgrade: x\r\n\r\n", b"\x00" * 64]
)
async def test_invalid_http_is_no_response(answer: bytes) -> None:
    async with serving(always(answer, then_close=True)) as server, engine_of(server) as engine:
        with pytest.raises(OutcomeUnknown):
            await engine.write(put())
        with pytest.raises(StoreFailed):
            await engine.get(KEY, consistent=True, fields=None)


async def test_a_connection_that_was_closed_meanwhile_is_not_used() -> None:
    closed = asyncio.Event()

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(WHOLE)
        writer.close()
        await writer.wait_closed()
        closed.set()

    async with serving(converse) as server, engine_of(server) as engine:
        await text_of(engine)
        await closed.wait()
        await asyncio.sleep(0.01)  # until the word of it has come
        await engine.write(put())

    assert server.connections == 2


async def test_a_connection_that_was_idle_for_long_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "KEEP_ALIVE_SECONDS", 0.0)
    async with serving(always(WHOLE)) as server, engine_of(server) as engine:
        await text_of(engine)
        await text_of(engine)

    assert server.connections == 2


async def test_late_response_is_never_taken_for_that_of_another_request() -> None:
    first_came, answer_it = asyncio.Event(), asyncio.Event()

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        if not first_came.is_set():
            first_came.set()
            await answer_it.wait()
            writer.write(WHOLE.replace(b"hola", b"late"))
        else:
            writer.write(WHOLE)
        await writer.drain()

    async with serving(converse) as server, engine_of(server) as engine:
        given_up = asyncio.create_task(text_of(engine))
        await first_came.wait()
        given_up.cancel()
        await asyncio.gather(given_up, return_exceptions=True)
        answer_it.set()

        assert await text_of(engine) == "hola"


async def test_a_request_that_was_given_up_ends_its_connection() -> None:
    came, ended = asyncio.Event(), asyncio.Event()

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        came.set()
        try:
            await reader.read()
        finally:
            ended.set()

    async with serving(converse) as server, engine_of(server) as engine:
        given_up = asyncio.create_task(text_of(engine))
        await came.wait()
        given_up.cancel()
        await asyncio.gather(given_up, return_exceptions=True)

        await asyncio.wait_for(ended.wait(), 60)


async def test_unexpected_response_closes_the_connection() -> None:
    twice = always(WHOLE + WHOLE.replace(b"hola", b"more"))
    async with serving(twice) as server, engine_of(server) as engine:
        for _ in range(3):
            assert await text_of(engine) == "hola"

    assert server.connections == 3


async def test_number_of_connections_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 3)
    async with serving(always(WHOLE)) as server, engine_of(server) as engine:
        found = await asyncio.gather(*(text_of(engine) for _ in range(20)))

    assert found == ["hola"] * 20
    assert server.connections == 3


async def test_who_waits_too_long_for_a_connection_surely_did_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 0)  # as if all of them were taken
    monkeypatch.setattr(transport, "SLOT_SECONDS", 0.05)
    async with serving(always(WHOLE)) as server, engine_of(server) as engine:
        with pytest.raises(StoreFailed, match="was not sent"):
            await engine.write(put())

    assert server.connections == 0


async def test_lock_is_released_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 1)
    async with serving(always(b"nonsense\r\n\r\n", then_close=True)) as server, engine_of(server) as engine:
        for _ in range(3):
            with pytest.raises(StoreFailed):
                await text_of(engine)

    assert server.connections == 3


async def test_a_request_with_a_line_break_in_its_head_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "token\r\nX-Other: header")
    async with serving(always(WHOLE)) as server, engine_of(server) as engine:
        with pytest.raises(StoreFailed, match="was not sent"):
            await engine.write(put())

    assert server.connections == 0


@pytest.mark.parametrize("endpoint", ["localhost:8000", "ftp://127.0.0.1", "http://", "http://127.0.0.1:none"])
async def test_an_endpoint_that_is_no_address_is_refused(endpoint: str, clock: SetClock) -> None:
    with pytest.raises(StoreFailed):
        await DynamoEngine.open(Layout(), region="eu-west-1", endpoint=endpoint, clock=clock)


# Over TLS


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A self-signed certificate for this machine's own address, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "endpoint")])
    now = datetime.datetime.now(datetime.UTC)
    created = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path / "certificate.pem"
    file.write_bytes(
        created.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return file


@pytest.fixture
def tls(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


async def test_endpoint_is_called_over_tls_if_its_certificate_is_trusted(
    certificate: Path, tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    async with serving(always(WHOLE), tls) as server, engine_of(server) as engine:
        await engine.batch_write([put(f"{number}", text="x" * 399_000) for number in range(5)])
        assert await text_of(engine) == "hola"

    assert server.connections == 1


async def test_endpoint_with_an_untrusted_certificate_is_not_called(tls: ssl.SSLContext) -> None:
    async with serving(always(WHOLE), tls) as server, engine_of(server) as engine:
        with pytest.raises(StoreFailed, match=r"was not sent.*certificate"):
            await engine.write(put())


async def test_response_that_has_begun_has_time_of_its_own_to_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "RECEIVE_SECONDS", 0.05)

    async def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(WHOLE[:-1])
        await reader.read()  # until the client gives up

    async with serving(begin) as server, engine_of(server) as engine:
        with pytest.raises(StoreFailed, match="TimeoutError"):
            await text_of(engine)

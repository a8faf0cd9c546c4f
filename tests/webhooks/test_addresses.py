"""No webhook reaches an address that is not public, whatever its URL, its redirects or its DNS say."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Sequence

import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult

from sobremesa.domains.webhooks import requests
from sobremesa.domains.webhooks.requests import MAX_RESPONSE_BYTES, WebhookRequests
from sobremesa.http.outgoing import AddressRules, BadUrl, ForbiddenAddress
from webhooks.receiver import LOOPBACK, Received, Receiver

PRIVATE = (
    "127.0.0.1", "127.8.8.8", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1",
    "169.254.169.254",
    "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.250", "240.0.0.1",
    "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:8.8.8.8",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::1", "2001:db8::1", "2001::1", "2002:7f00:1::1", "2002:a00:1::",
    "fc00::1",
    "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "ff0e::1",
)  # fmt: skip
PUBLIC = ("8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "2a00:1450:4001::1")


class Scripted(AbstractResolver):
    """Answers with these addresses, one list for each question, then with the last."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self._answers = list(answers)

    def next(self) -> Sequence[str]:
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]

    async def names(self, host: str) -> Sequence[str]:
        return self.next()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in self.next()
        ]

    async def close(self) -> None:
        pass


@pytest.mark.parametrize("address", PRIVATE)
async def test_address_that_is_not_public_is_refused_in_a_url_by_a_name_and_at_the_connection(address: str) -> None:
    resolver = Scripted([address])
    rules = AddressRules(resolve=resolver.names)
    literal = f"[{address}]" if ":" in address else address
    with pytest.raises(ForbiddenAddress):
        rules.require_reachable(address, is_secure=True)
    for host in ("internal.example", *([] if "%" in address else [literal])):
        with pytest.raises(BadUrl):
            await rules.require_url(f"https://{host}/hook")
    client = WebhookRequests(rules, resolver=resolver)
    response = await client.post("https://internal.example/hook", b"{}", {})
    await client.close()
    assert (response.status, response.error) == (None, f"{address} is not a public address")


@pytest.mark.parametrize("address", PUBLIC)
async def test_public_address_is_allowed_by_https_only(address: str) -> None:
    rules = AddressRules(["127.0.0.0/8"])
    rules.require_reachable(address, is_secure=True)
    with pytest.raises(ForbiddenAddress):
        rules.require_reachable(address, is_secure=False)


async def test_allowed_networks_may_be_reached_and_no_others() -> None:
    rules = AddressRules(["10.1.0.0/16", "fd00::/8"])
    for address in ("10.1.2.3", "::ffff:10.1.2.3", "fd00::1"):
        rules.require_reachable(address, is_secure=False)
    for address in ("10.2.0.1", "127.0.0.1", "fe80::1"):
        with pytest.raises(ForbiddenAddress):
            rules.require_reachable(address, is_secure=True)


@pytest.mark.parametrize(
    "url",
    [
        "", "hook", "//example.com/hook", "ftp://example.com/hook", "file:///etc/passwd", "javascript:alert(1)",
        "http://example.com/hook", "https://", "https:///hook", "https://user@example.com/", "https://a:b@example.com/",
        "https://example.com\\@127.0.0.1/", "https://example.com/#part", "https://exa mple.com/",
        "https://example.com/\r\nX: 1",
        "https://example.com:99999/", "https://example.com:abc/", "https://[::1/", "https://localhost/", "https://127.1/",
        "https://2130706433/", "https://0x7f.1/", "https://0177.0.0.1/", "https://[::ffff:127.0.0.1]/",
        "https://münchen.example/", f"https://example.com/{'x' * 2000}",
    ],
)  # fmt: skip
async def test_url_that_could_reach_something_else_is_refused(url: str) -> None:
    with pytest.raises(BadUrl):
        await AddressRules().require_url(url)


async def test_name_that_is_public_when_checked_and_private_when_used_is_refused(receiver: Receiver) -> None:
    resolver = Scripted(["93.184.215.14"], ["127.0.0.1"])
    rules = AddressRules(resolve=resolver.names)
    port = receiver.url.rpartition(":")[2]
    url = await rules.require_url(f"https://rebinding.example:{port}/")
    client = WebhookRequests(rules, resolver=resolver)

    response = await client.post(url, b"{}", {})

    await client.close()
    assert response.error == "127.0.0.1 is not a public address"
    assert receiver.requests == []


@pytest.fixture
async def client() -> AsyncIterator[WebhookRequests]:
    client = WebhookRequests(AddressRules([LOOPBACK]), seconds=5)
    yield client
    await client.close()


async def test_redirects_are_not_followed(client: WebhookRequests, receiver: Receiver) -> None:
    def answer(received: Received) -> web.Response:
        return web.Response(status=307, headers={"Location": f"{receiver.url}/other"})

    receiver.answer = answer
    response = await client.post(f"{receiver.url}/first", b"{}", {})
    assert not response.is_accepted
    assert response.error == "responded with 307; redirects are not followed"
    assert [each.path for each in receiver.requests] == ["/first"]


async def test_proxy_of_the_environment_is_not_used(
    client: WebhookRequests, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert (await client.post(receiver.url, b"{}", {})).is_accepted


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
async def test_huge_response_is_read_up_to_a_limit(client: WebhookRequests, encoding: str) -> None:
    sent = 0

    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        head = f"HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\nContent-Length: 999999999999\r\n\r\n"
        writer.write(head.encode())
        with contextlib.suppress(ConnectionError):
            while True:
                writer.write(b"x" * MAX_RESPONSE_BYTES)
                await writer.drain()
                sent += MAX_RESPONSE_BYTES
        writer.close()

    async with await asyncio.start_server(endless, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        response = await client.post(f"http://127.0.0.1:{port}/", b"{}", {})

    assert response.is_accepted
    assert sent < 200 * MAX_RESPONSE_BYTES, "what the buffers of sockets take, and no more"


async def test_slow_response_ends_at_the_time_limit(receiver: Receiver) -> None:
    client = WebhookRequests(AddressRules([LOOPBACK]), seconds=0.2)
    never = asyncio.Event()

    async def slow(received: Received) -> web.Response:
        await never.wait()
        return web.Response()

    receiver.answer = slow
    response = await client.post(receiver.url, b"{}", {})
    never.set()
    await client.close()
    assert (response.status, response.error) == (None, "no response within 0.2 s")
    assert requests.TOTAL_SECONDS == 10


async def test_connection_that_is_refused_or_cut_is_a_failure(client: WebhookRequests) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    response = await client.post(f"http://127.0.0.1:{port}/", b"{}", {})
    assert response.status is None
    assert response.error is not None

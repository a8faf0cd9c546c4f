"""One signed POST, the only kind of request to DynamoDB and its streams.

A pool of kept-alive connections and two timeouts. It does not retry: callers decide what is safe to repeat, and
`NoResponse` states whether the request may have arrived.
"""

from __future__ import annotations

import zlib
from typing import NamedTuple

import msgspec

from sobremesa.table.clock import Clock
from sobremesa.table.engines.dynamodb.connections import Address, BrokenOff, Connections, NotSent
from sobremesa.table.engines.dynamodb.credentials import Credentials
from sobremesa.table.engines.dynamodb.responses import Rejection
from sobremesa.table.engines.dynamodb.signature import Signer
from sobremesa.table.errors import StoreClosed, StoreFailed

CONNECT_SECONDS = 3.0
TOTAL_SECONDS = 15.0

_rejections = msgspec.json.Decoder(Rejection)


class Service(NamedTuple):
    """One of the two services behind an endpoint: the prefix of its targets, and the start of its host's name."""

    prefix: str
    host: str


TABLES = Service("DynamoDB_20120810", "dynamodb")
STREAMS = Service("DynamoDBStreams_20120810", "streams.dynamodb")


class NoResponse(Exception):
    """No complete response arrived. `may_have_been_done` is False only if the request was certainly not sent."""

    def __init__(self, message: str, *, may_have_been_done: bool) -> None:
        super().__init__(message)
        self.may_have_been_done = may_have_been_done


class Rejected(Exception):
    """The service rejected the request."""

    def __init__(self, status: int, rejection: Rejection) -> None:
        super().__init__(f"{status} {rejection.code}: {rejection.message}")
        self.status = status
        self.rejection = rejection


class Transport:
    """Sends requests to one endpoint, or to one region of AWS."""

    def __init__(self, *, region: str, endpoint: str | None, credentials: Credentials, clock: Clock) -> None:
        self._credentials = credentials
        self._clock = clock
        self._signer = Signer(region)
        self._closed = False
        self._hosts: dict[Service, str] = {}
        self._connections: dict[Service, Connections] = {}
        for service in (TABLES, STREAMS):
            address = _address(endpoint or _url(service, region))
            self._hosts[service] = address.host_header
            self._connections[service] = Connections(
                address, connect_seconds=CONNECT_SECONDS, total_seconds=TOTAL_SECONDS
            )

    async def post(self, service: Service, action: str, body: bytes) -> bytes:
        """Return the body of the response; raise Rejected for an error, NoResponse if none arrived."""
        target = f"{service.prefix}.{action}"
        keys = await self._credentials.current()
        if self._closed:
            raise StoreClosed("the engine has been closed")
        headers = self._signer.headers(
            keys, host=self._hosts[service], target=target, body=body, now_ms=self._clock.now_ms()
        )
        try:
            status, fields, content = await self._connections[service].post(headers, body)
        except NotSent as error:
            raise NoResponse(f"{target} was not sent: {error}", may_have_been_done=False) from error
        except BrokenOff as error:
            raise NoResponse(f"{target} got no response: {error}", may_have_been_done=True) from error
        checksum = fields.get(b"x-amz-crc32")
        if checksum is not None and checksum != b"%d" % zlib.crc32(content):
            raise NoResponse(f"the response to {target} is damaged", may_have_been_done=True)
        if status != 200:
            raise Rejected(status, _rejection(content))
        return content

    async def close(self) -> None:
        """Close every connection; requests in progress fail."""
        self._closed = True
        for connections in self._connections.values():
            await connections.close()


def _url(service: Service, region: str) -> str:
    domain = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    return f"https://{service.host}.{region}.{domain}/"


def _address(url: str) -> Address:
    try:
        return Address.of(url)
    except ValueError as error:
        raise StoreFailed(f"this is not an address of DynamoDB: {error}") from None


def _rejection(content: bytes) -> Rejection:
    try:
        return _rejections.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError):
        # A proxy between us and the service responded, in its own format.
        return Rejection(lower_message=content[:200].decode("utf-8", "replace"))

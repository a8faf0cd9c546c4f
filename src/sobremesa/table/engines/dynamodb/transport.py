"""One signed POST, the only kind of request to DynamoDB and its streams.

Each service has a pool of kept-alive connections and its own time limits. It does not retry: callers decide what is
safe to repeat, and `NoResponse` states whether the request may have arrived.
"""

from __future__ import annotations

import zlib
from typing import NamedTuple

import msgspec

from sobremesa.table.clock import Clock
from sobremesa.table.engines.dynamodb.connections import Address, BrokenOff, Connections, NotSent, TimeLimits
from sobremesa.table.engines.dynamodb.credentials import Credentials, is_loopback
from sobremesa.table.engines.dynamodb.responses import Rejection
from sobremesa.table.engines.dynamodb.signature import Signer
from sobremesa.table.errors import StoreClosed, StoreFailed

CONNECT_SECONDS = 1.0
LOCAL_CONNECT_SECONDS = 10.0
SLOT_SECONDS = 5.0
RECEIVE_SECONDS = 10.0
RESPOND_SECONDS = 2.0
"""DynamoDB answers in milliseconds: an attempt that takes this long is lost, and another one soon succeeds."""
LOCAL_RESPOND_SECONDS = 10.0
"""For an emulator on this machine, as the limit above to connect: it is slow because it shares the machine, and more
requests would slow it down."""
STREAM_RESPOND_SECONDS = 5.0
"""A read of a shard that has no changes may look through a long part of it."""
CONTROL_RESPOND_SECONDS = 15.0
"""Creating and changing tables takes longer than reading and writing items."""

_rejections = msgspec.json.Decoder(Rejection)


class Service(NamedTuple):
    """One service of AWS: its name in botocore, the prefix of its targets, the name in signatures, its content type."""

    name: str
    prefix: str
    signing_name: str = "dynamodb"
    content_type: str = "application/x-amz-json-1.0"


TABLES = Service("dynamodb", "DynamoDB_20120810")
STREAMS = Service("dynamodbstreams", "DynamoDBStreams_20120810")
CONTROL = TABLES._replace(name="control")
"""The same service as the tables, with connections and time limits of its own for calls that manage tables."""
AUTOSCALING = Service(
    "application-autoscaling", "AnyScaleFrontendService", "application-autoscaling", "application/x-amz-json-1.1"
)


class Endpoints(NamedTuple):
    """The URLs of the services."""

    tables: str
    streams: str
    autoscaling: str

    def of(self, service: Service) -> str:
        """Return the URL of a service."""
        return {STREAMS: self.streams, AUTOSCALING: self.autoscaling}.get(service, self.tables)


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
    """Sends requests to the services of one region."""

    def __init__(
        self,
        *,
        region: str,
        endpoints: Endpoints,
        credentials: Credentials,
        clock: Clock,
        respond_seconds: float | None = None,
    ) -> None:
        self._region = region
        self._endpoints = endpoints
        self._credentials = credentials
        self._clock = clock
        self._respond_seconds = respond_seconds
        self._closed = False
        self._routes: dict[Service, _Route] = {}
        for service in (TABLES, STREAMS, CONTROL, AUTOSCALING):
            self._routes[service] = self._route(service)

    async def post(self, service: Service, action: str, body: bytes) -> bytes:
        """Return the body of the response; raise Rejected for an error, NoResponse if none arrived."""
        target = f"{service.prefix}.{action}"
        keys = await self._credentials.current()
        if self._closed:
            raise StoreClosed("the engine has been closed")
        route = self._routes[service]
        headers = route.signer.headers(keys, host=route.host, target=target, body=body, now_ms=self._clock.now_ms())
        try:
            status, fields, content = await route.connections.post(headers, body)
        except NotSent as error:
            raise NoResponse(f"{target} was not sent: {error}", may_have_been_done=False) from error
        except BrokenOff as error:
            raise NoResponse(f"{target} got no response from {route.host}: {error}", may_have_been_done=True) from error
        checksum = fields.get(b"x-amz-crc32")
        if checksum is not None and checksum != b"%d" % zlib.crc32(content):
            raise NoResponse(f"the response to {target} is damaged", may_have_been_done=True)
        if status != 200:
            raise Rejected(status, _rejection(content))
        return content

    async def close(self) -> None:
        """Close every connection; requests in progress fail."""
        self._closed = True
        for route in self._routes.values():
            await route.connections.close()

    def _route(self, service: Service) -> _Route:
        url = self._endpoints.of(service)
        address = _address(url)
        connect_seconds = LOCAL_CONNECT_SECONDS if is_loopback(url) else CONNECT_SECONDS
        limits = TimeLimits(SLOT_SECONDS, connect_seconds, self._respond_limit(service, url), RECEIVE_SECONDS)
        signer = Signer(self._region, service.signing_name, service.content_type)
        return _Route(address.host_header, signer, Connections(address, limits))

    def _respond_limit(self, service: Service, url: str) -> float:
        if service in (CONTROL, AUTOSCALING):
            return CONTROL_RESPOND_SECONDS
        usual = STREAM_RESPOND_SECONDS if service == STREAMS else RESPOND_SECONDS
        if self._respond_seconds is not None:
            return self._respond_seconds
        return LOCAL_RESPOND_SECONDS if is_loopback(url) else usual


class _Route(NamedTuple):
    """How requests reach one service."""

    host: str
    signer: Signer
    connections: Connections


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

"""One signed POST: DynamoDB and its streams are both spoken to in this way and no other.

A pool of kept-alive connections and two time-outs. It does not retry: what is safe to send again is for others to say,
and `NoAnswer` tells them whether the request can have arrived.
"""

from __future__ import annotations

import io
import zlib
from typing import NamedTuple

import aiohttp
import msgspec
import yarl

from sobremesa.clock import Clock
from sobremesa.table.engines.dynamodb.answers import Rejection
from sobremesa.table.engines.dynamodb.credentials import Credentials
from sobremesa.table.engines.dynamodb.signature import Signer
from sobremesa.table.errors import StoreClosed

CONNECT_SECONDS = 3.0
TOTAL_SECONDS = 15.0
KEEP_ALIVE_SECONDS = 20.0
"""Less than DynamoDB keeps an idle connection, so that a request seldom meets a connection just closed."""

MAX_CONNECTIONS = 128
LARGE_BODY_BYTES = 256 * 1024

_rejections = msgspec.json.Decoder(Rejection)


class Service(NamedTuple):
    """One of the two services behind an endpoint: the prefix of its targets, and the start of its host's name."""

    prefix: str
    host: str


TABLES = Service("DynamoDB_20120810", "dynamodb")
STREAMS = Service("DynamoDBStreams_20120810", "streams.dynamodb")


class NoAnswer(Exception):
    """No whole answer came. `may_have_been_done` is False only if the request surely never left."""

    def __init__(self, message: str, *, may_have_been_done: bool) -> None:
        super().__init__(message)
        self.may_have_been_done = may_have_been_done


class Rejected(Exception):
    """The service answered that it did not do it."""

    def __init__(self, status: int, rejection: Rejection) -> None:
        super().__init__(f"{status} {rejection.code}: {rejection.message}")
        self.status = status
        self.rejection = rejection


class Transport:
    """Carries requests to one endpoint, or to one region of AWS."""

    def __init__(self, *, region: str, endpoint: str | None, credentials: Credentials, clock: Clock) -> None:
        self._credentials = credentials
        self._clock = clock
        self._signer = Signer(region)
        self._urls = {service: _url(service, region, endpoint) for service in (TABLES, STREAMS)}
        self._hosts = {service: _host_header(url) for service, url in self._urls.items()}
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=MAX_CONNECTIONS, keepalive_timeout=KEEP_ALIVE_SECONDS),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=TOTAL_SECONDS, sock_connect=CONNECT_SECONDS),
            skip_auto_headers=("Accept", "Accept-Encoding", "User-Agent"),
        )

    async def post(self, service: Service, action: str, body: bytes) -> bytes:
        """The body of the answer; Rejected if it is an error, NoAnswer if none came."""
        target = f"{service.prefix}.{action}"
        keys = await self._credentials.current()
        if self._session.closed:
            raise StoreClosed("the engine has been closed")
        headers = self._signer.headers(
            keys, host=self._hosts[service], target=target, body=body, now_ms=self._clock.now_ms()
        )
        try:
            async with self._session.post(
                self._urls[service],
                # Large bytes at once would hold up the event loop; as a file they go in pieces.
                data=body if len(body) <= LARGE_BODY_BYTES else io.BytesIO(body),
                headers=headers,
                allow_redirects=False,
            ) as response:
                content = await response.read()
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise NoAnswer(f"{target} was not sent: {error}", may_have_been_done=False) from error
        except (aiohttp.ClientError, OSError) as error:  # a TimeoutError is an OSError
            problem = f"{type(error).__name__} {error}".rstrip()
            raise NoAnswer(f"{target} got no answer: {problem}", may_have_been_done=True) from error
        checksum = response.headers.get("x-amz-crc32")
        if checksum is not None and checksum != str(zlib.crc32(content)):
            raise NoAnswer(f"the answer to {target} came damaged", may_have_been_done=True)
        if response.status != 200:
            raise Rejected(response.status, _rejection(content))
        return content

    async def close(self) -> None:
        """Close every connection; requests under way get no answer."""
        await self._session.close()


def _url(service: Service, region: str, endpoint: str | None) -> yarl.URL:
    if endpoint is not None:
        return yarl.URL(endpoint).with_path("/")
    domain = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    return yarl.URL(f"https://{service.host}.{region}.{domain}/")


def _host_header(url: yarl.URL) -> str:
    return (url.host_subcomponent or "") if url.is_default_port() else url.authority


def _rejection(content: bytes) -> Rejection:
    try:
        return _rejections.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError):
        # Something between us and the service answered, in its own words.
        return Rejection(lower_message=content[:200].decode("utf-8", "replace"))

"""Requests to URLs that others choose: they reach public addresses, and networks that the operator allows.

A tenant chooses the URL of a webhook or of an imported file, and the server is inside a network that the tenant is not
in: without these rules a request could reach the metadata service of a cloud, or a database. A host name may resolve to
another address later, so each address is checked again at the moment of the connection (`GuardedClient`).
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias
from urllib.parse import urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver

from sobremesa.core.errors import Invalid

MAX_URL = 2000
RESOLVE_SECONDS = 3.0
MAX_CONNECTIONS = 64
MAX_CONNECTIONS_PER_HOST = 16
MAX_REASON = 200

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
ResolveHost: TypeAlias = Callable[[str], Awaitable[Sequence[str]]]
"""From a host name to its addresses; raises OSError if there are none."""

_PRINTABLE = re.compile(r"[!-\[\]-~]+")
"""Visible ASCII without the backslash, which some parsers of URLs take for a slash."""
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_IPV4_COMPATIBLE = ipaddress.IPv6Network("::/96")


class BadUrl(Invalid):
    code = "bad_url"
    default_detail = "The URL must be https, without credentials, and lead to a public address."


class ForbiddenAddress(OSError):
    """An address that requests may not reach."""

    def __init__(self, address: str) -> None:
        super().__init__(f"{address} is not a public address")


class AddressRules:
    """Decides about URLs and addresses."""

    def __init__(self, allowed_networks: Sequence[str] = (), resolve: ResolveHost | None = None) -> None:
        self._allowed = [ipaddress.ip_network(network, strict=False) for network in allowed_networks]
        self._resolve = resolve or resolve_host

    def require_reachable(self, address: str, *, is_secure: bool) -> None:
        """Raise ForbiddenAddress unless a request may connect to this address."""
        parsed = _parsed(address)
        if any(each.version == network.version and each in network for each in parsed for network in self._allowed):
            return
        if not is_secure or len(parsed) > 1 or not _is_public(parsed[0]):
            raise ForbiddenAddress(address)

    async def require_url(self, url: str) -> str:
        """Return the URL; raise BadUrl unless a request may go there now.

        A name that does not resolve at the moment is accepted: the request will fail.
        """
        host, is_secure = self._host_of(url)
        try:
            ipaddress.ip_address(host)
            found: Sequence[str] = [host]
        except ValueError:
            try:
                async with asyncio.timeout(RESOLVE_SECONDS):
                    found = await self._resolve(host)
            except (OSError, UnicodeError):  # a timeout is an OSError
                found = []
        for address in found:
            try:
                self.require_reachable(address, is_secure=is_secure)
            except ForbiddenAddress as error:
                raise BadUrl(f"{host}: {error}.") from None
        return url

    def _host_of(self, url: str) -> tuple[str, bool]:
        """Return the host of a URL, and whether it is https; raise BadUrl if its form is not allowed."""
        if len(url) > MAX_URL or not _PRINTABLE.fullmatch(url):
            raise BadUrl(f"A URL has at most {MAX_URL} characters of visible ASCII.")
        try:
            parts = urlsplit(url)
            host, _ = parts.hostname, parts.port
        except ValueError:
            raise BadUrl("This is not a URL.") from None
        if parts.scheme not in ("https", "http") or not host:
            raise BadUrl
        if "@" in parts.netloc:
            raise BadUrl("A URL must not contain credentials.")
        if parts.fragment:
            raise BadUrl("A URL must not have a fragment.")
        if parts.scheme == "http" and not self._allowed:
            raise BadUrl("The URL must be https.")
        return host, parts.scheme == "https"


async def resolve_host(host: str) -> Sequence[str]:
    """Return the addresses of a host name, by the system's resolver in a thread."""
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


class GuardedClient:
    """Opens sessions that connect only to addresses that the rules allow.

    The rules are applied to the address that a socket is about to connect to. A host name that resolves to a public
    address when it is checked and to a private one when it is used fails therefore too. It takes no proxy from the
    environment, since a proxy would connect to any address. Redirects are the caller's: `allow_redirects=False`.
    """

    def __init__(
        self, rules: AddressRules, user_agent: str, *, seconds: float, resolver: AbstractResolver | None = None
    ) -> None:
        self.rules = rules
        self.seconds = seconds
        self._user_agent = user_agent
        self._resolver = resolver

    def session(self, *, is_secure: bool) -> aiohttp.ClientSession:
        """Return a new session for URLs of one scheme."""

        def create(found: aiohttp.connector.AddrInfoType) -> socket.socket:
            family, kind, protocol, _, address = found
            self.rules.require_reachable(str(address[0]), is_secure=is_secure)
            created = socket.socket(family, kind, protocol)
            created.setblocking(False)
            return created

        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=MAX_CONNECTIONS,
                limit_per_host=MAX_CONNECTIONS_PER_HOST,
                resolver=self._resolver,
                socket_factory=create,
            ),
            timeout=aiohttp.ClientTimeout(total=self.seconds),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trust_env=False,
            headers={"user-agent": self._user_agent},
        )


def reason_of(failure: BaseException) -> str:
    """Return why a request failed; the reason of a refused address is behind the error of the client."""
    cause: BaseException | None = failure
    while cause is not None:
        if isinstance(cause, ForbiddenAddress):
            return str(cause)[:MAX_REASON]
        cause = cause.__cause__ or cause.__context__
    return f"{type(failure).__name__}: {failure}"[:MAX_REASON]


def _parsed(address: str) -> list[Address]:
    """Return an address, and the IPv4 address that is embedded in it, if there is one."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        raise ForbiddenAddress(address) from None
    if isinstance(parsed, ipaddress.IPv4Address):
        return [parsed]
    inner = parsed.ipv4_mapped or parsed.sixtofour or (parsed.teredo and parsed.teredo[1])
    if inner is None and (parsed in _NAT64 or parsed in _IPV4_COMPATIBLE) and int(parsed) > 1:
        inner = ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF)
    return [parsed] if inner is None else [parsed, inner]


def _is_public(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address) and address.is_site_local:
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)

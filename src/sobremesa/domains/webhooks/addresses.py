"""Which addresses a webhook may reach: public ones, and networks that the operator allows.

A tenant chooses the URL, and the server is inside a network that the tenant is not in: without these rules a webhook
could reach the metadata service of a cloud, or a database. A host name may resolve to another address later, so each
address is checked again at the moment of the connection (`requests`).
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias
from urllib.parse import urlsplit

from sobremesa.domains.webhooks.errors import BadWebhookUrl

MAX_URL = 2000
RESOLVE_SECONDS = 3.0

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
ResolveHost: TypeAlias = Callable[[str], Awaitable[Sequence[str]]]
"""From a host name to its addresses; raises OSError if there are none."""

_PRINTABLE = re.compile(r"[!-\[\]-~]+")
"""Visible ASCII without the backslash, which some parsers of URLs take for a slash."""
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_IPV4_COMPATIBLE = ipaddress.IPv6Network("::/96")


class ForbiddenAddress(OSError):
    """An address that webhooks may not reach."""

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
        """Return the URL; raise BadWebhookUrl unless it is one that a webhook may have now.

        A name that does not resolve at the moment is accepted: the attempts will fail and be repeated.
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
                raise BadWebhookUrl(f"{host}: {error}.") from None
        return url

    def _host_of(self, url: str) -> tuple[str, bool]:
        """Return the host of a URL, and whether it is https; raise BadWebhookUrl if its form is not allowed."""
        if len(url) > MAX_URL or not _PRINTABLE.fullmatch(url):
            raise BadWebhookUrl(f"A URL has at most {MAX_URL} characters of visible ASCII.")
        try:
            parts = urlsplit(url)
            host, _ = parts.hostname, parts.port
        except ValueError:
            raise BadWebhookUrl("This is not a URL.") from None
        if parts.scheme not in ("https", "http") or not host:
            raise BadWebhookUrl
        if "@" in parts.netloc:
            raise BadWebhookUrl("A URL must not contain credentials.")
        if parts.fragment:
            raise BadWebhookUrl("A URL must not have a fragment.")
        if parts.scheme == "http" and not self._allowed:
            raise BadWebhookUrl("The URL must be https.")
        return host, parts.scheme == "https"


async def resolve_host(host: str) -> Sequence[str]:
    """Return the addresses of a host name, by the system's resolver in a thread."""
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


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

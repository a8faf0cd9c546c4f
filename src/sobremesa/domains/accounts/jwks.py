"""Key sets: the public keys of an issuer, from a URL or a file."""

from __future__ import annotations

import asyncio
import ipaddress
import urllib.error
import urllib.request
from http.client import HTTPMessage
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

FETCH_SECONDS = 5.0
MAX_BYTES = 256 * 1024


async def fetch(url: str) -> bytes:
    """Fetch the key set at a URL; OSError or ValueError if that fails."""
    check_address(url)
    return await asyncio.wait_for(asyncio.to_thread(_fetch, url), 2 * FETCH_SECONDS)


async def read(path: str) -> bytes:
    """Read the key set in a file."""
    return await asyncio.to_thread(Path(path).read_bytes)


def check_address(url: str) -> None:
    """Raise ValueError unless the URL is https or local, so that the response cannot be modified in transit."""
    address = urlsplit(url)
    if address.scheme == "https" and address.hostname:
        return
    if address.scheme != "http" or not _is_loopback(address.hostname or ""):
        raise ValueError(f"{url} is neither https nor on this machine")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, which could lead from https to http."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirects)


def _fetch(url: str) -> bytes:
    try:
        with _opener.open(url, timeout=FETCH_SECONDS) as answer:
            body: bytes = answer.read(MAX_BYTES + 1)
    except urllib.error.HTTPError as error:
        error.close()
        raise OSError(f"{url} responded with {error.code}") from None
    if len(body) > MAX_BYTES:
        raise ValueError(f"{url} returned more than {MAX_BYTES} bytes")
    return body

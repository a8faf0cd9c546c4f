"""Downloads the files that imported messages name by URL."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from urllib.parse import urldefrag, urljoin

import aiohttp
from aiohttp.abc import AbstractResolver

from sobremesa.domains.imports.errors import AttachmentRefused
from sobremesa.http.outgoing import AddressRules, BadUrl, GuardedClient, reason_of

TOTAL_SECONDS = 30.0
MAX_REDIRECTS = 3
PIECE_BYTES = 64 * 1024
REDIRECTS = (301, 302, 303, 307, 308)
# Files are stored as they are sent, so the server of a file must not compress them.
_HEADERS = {"accept-encoding": "identity"}


class Downloads:
    """Downloads files from addresses that the rules allow. Each redirect is checked like the first URL."""

    def __init__(
        self, rules: AddressRules, *, resolver: AbstractResolver | None = None, seconds: float = TOTAL_SECONDS
    ) -> None:
        self._client = GuardedClient(rules, "Sobremesa-Import", seconds=seconds, resolver=resolver)

    async def fetch(self, url: str) -> AsyncGenerator[bytes, None]:
        """Yield the content of a file; AttachmentRefused with the reason if it cannot be downloaded."""
        try:
            for _ in range(1 + MAX_REDIRECTS):
                is_secure = (await self._client.rules.require_url(url)).startswith("https:")
                async with (
                    self._client.session(is_secure=is_secure) as session,
                    session.get(url, headers=_HEADERS, allow_redirects=False) as answer,
                ):
                    if answer.status in REDIRECTS:
                        url = urldefrag(urljoin(url, answer.headers.get("location", ""))).url
                        continue
                    _require_content(answer)
                    async for piece in answer.content.iter_chunked(PIECE_BYTES):
                        yield piece
                    return
            raise AttachmentRefused(f"The file is behind more than {MAX_REDIRECTS} redirects.")
        except BadUrl as refusal:
            raise AttachmentRefused(str(refusal)) from None
        except TimeoutError:
            raise AttachmentRefused(f"The file was not downloaded within {self._client.seconds:g} s.") from None
        except (aiohttp.ClientError, OSError, ValueError) as failure:
            raise AttachmentRefused(f"The file could not be downloaded: {reason_of(failure)}.") from None


def _require_content(answer: aiohttp.ClientResponse) -> None:
    if answer.status != 200:
        raise AttachmentRefused(f"{answer.url.host} responded with {answer.status}.")
    if answer.headers.get("content-encoding", "identity").lower() != "identity":
        raise AttachmentRefused(f"{answer.url.host} compressed the file, although it was asked not to.")

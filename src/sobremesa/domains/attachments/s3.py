"""The file store in S3, or in a service with the same API.

All requests are presigned by botocore, without network access. The store sends some of them itself, and gives others
to clients.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import shutil
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote_plus, urlsplit
from xml.etree import ElementTree

import aiohttp
import botocore.session
import yarl
from botocore.config import Config
from botocore.exceptions import BotoCoreError

from sobremesa.core.clock import Clock, instant
from sobremesa.core.gather import gather_bounded
from sobremesa.domains.attachments.errors import FilesUnavailable
from sobremesa.domains.attachments.stores import Presigned, StorageKey

DOWNLOAD_URL_SECONDS = 60
"""How long a download URL is valid."""
UPLOAD_URL_SECONDS = 900
"""How long a client may start an upload."""
CACHE = "private, max-age=300"
PIECE_BYTES = 262_144
DELETES_AT_ONCE = 8
PAGE_KEYS = 1_000
"""How many keys S3 lists in one response."""
LOCAL_REGION = "us-east-1"
TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=5, sock_read=30)


class Bucket(NamedTuple):
    """A bucket, and the prefix of the files in it."""

    name: str
    prefix: str
    region: str | None
    endpoint: str | None


class S3Store:
    """The files in a bucket, which must exist."""

    def __init__(self, bucket: Bucket, client: Any, clock: Clock) -> None:
        self._bucket = bucket
        self._client = client
        self._clock = clock
        self._folder: Path | None = None
        self._http = aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar(), timeout=TIMEOUT)

    @classmethod
    async def open(cls, bucket: Bucket, clock: Clock) -> S3Store:
        """Open a bucket with the credentials of this process."""
        return cls(bucket, await asyncio.to_thread(_client, bucket), clock)

    async def spool(self, name: str) -> Path:
        if self._folder is None:
            self._folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="sobremesa-files-"))
        return self._folder / name

    async def put(self, key: StorageKey, path: Path, mime: str) -> None:
        url = await self._signed("put_object", key, ContentType=mime)
        with await asyncio.to_thread(path.open, "rb") as file:
            async with self._request("PUT", url, data=file, headers={"Content-Type": mime}) as answer:
                _require(answer, 200)
        await asyncio.to_thread(path.unlink)

    async def size(self, key: StorageKey) -> int | None:
        async with self._request("HEAD", await self._signed("head_object", key)) as answer:
            if answer.status == 404:
                return None
            _require(answer, 200)
            return answer.content_length

    async def read(self, key: StorageKey, start: int, end: int) -> AsyncGenerator[bytes, None]:
        headers = {"Range": f"bytes={start}-{end - 1}"}
        async with self._request("GET", await self._signed("get_object", key), headers=headers) as answer:
            _require(answer, 200, 206)
            async for piece in answer.content.iter_chunked(PIECE_BYTES):
                yield piece

    async def presign_download(self, key: StorageKey, mime: str, disposition: str) -> str | None:
        # These override the headers that were stored with the object.
        return await self._signed(
            "get_object",
            key,
            DOWNLOAD_URL_SECONDS,
            ResponseContentType=mime,
            ResponseContentDisposition=disposition,
            ResponseCacheControl=CACHE,
        )

    async def presign_upload(self, key: StorageKey, mime: str, size: int) -> Presigned | None:
        # Type and length are signed: the bucket accepts nothing else.
        url = await self._signed("put_object", key, UPLOAD_URL_SECONDS, ContentType=mime, ContentLength=size)
        expires_at = instant(self._clock.now_ms() + UPLOAD_URL_SECONDS * 1000)
        return Presigned(method="PUT", url=url, headers={"Content-Type": mime}, expires_at=expires_at)

    async def fetch(self, key: StorageKey, path: Path, limit: int) -> int | None:
        size = 0
        async with self._request("GET", await self._signed("get_object", key)) as answer:
            if answer.status == 404:
                return None
            _require(answer, 200)
            with await asyncio.to_thread(path.open, "wb") as file:
                async for piece in answer.content.iter_chunked(PIECE_BYTES):
                    size += len(piece)
                    await asyncio.to_thread(file.write, piece)
                    if size > limit:
                        break
        return size

    async def delete(self, keys: Sequence[StorageKey]) -> None:
        async def delete(key: StorageKey) -> None:
            async with self._request("DELETE", await self._signed("delete_object", key)) as answer:
                _require(answer, 200, 204, 404)

        await gather_bounded(DELETES_AT_ONCE, delete, keys)

    async def iter_keys(self) -> AsyncIterator[list[StorageKey]]:
        more: dict[str, str] = {}
        while True:
            asked = {"Prefix": self._bucket.prefix, "MaxKeys": PAGE_KEYS, **more}
            url = await self._presigned("list_objects_v2", DOWNLOAD_URL_SECONDS, **asked)
            async with self._request("GET", url) as answer:
                _require(answer, 200)
                keys, token = _listed(await answer.read())
            yield [StorageKey(key.removeprefix(self._bucket.prefix)) for key in keys]
            if token is None:
                return
            more = {"ContinuationToken": token}

    async def close(self) -> None:
        await self._http.close()
        if self._folder is not None:
            await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)

    async def _signed(self, action: str, key: StorageKey, seconds: int = DOWNLOAD_URL_SECONDS, **more: Any) -> str:
        return await self._presigned(action, seconds, Key=self._bucket.prefix + key, **more)

    async def _presigned(self, action: str, seconds: int, **parameters: Any) -> str:
        """Return a presigned URL. It is signed in a thread, since the credentials may have to be renewed."""
        try:
            url: str = await asyncio.to_thread(
                self._client.generate_presigned_url,
                action,
                {"Bucket": self._bucket.name, **parameters},
                seconds,
            )
        except BotoCoreError as error:
            raise FilesUnavailable(f"a request to S3 cannot be signed: {error}") from error
        return url

    @contextlib.asynccontextmanager
    async def _request(self, method: str, url: str, **options: Any) -> AsyncIterator[aiohttp.ClientResponse]:
        try:
            # It is signed as it is encoded now.
            target = yarl.URL(url, encoded=True)
            async with self._http.request(method, target, allow_redirects=False, **options) as answer:
                yield answer
        except (aiohttp.ClientError, OSError) as error:
            raise FilesUnavailable(f"S3 does not respond: {type(error).__name__} {error}") from error


def _require(answer: aiohttp.ClientResponse, *statuses: int) -> None:
    if answer.status not in statuses:
        raise FilesUnavailable(f"S3 responds with status {answer.status} to {answer.method}")


def _listed(page: bytes) -> tuple[list[str], str | None]:
    """Return the keys of a page, and the token of the next one."""
    # The response is trusted: only this process can sign the request.
    tree = ElementTree.fromstring(page)  # noqa: S314
    # botocore requests URL-encoded keys, since XML cannot represent every character.
    keys = [unquote_plus(element.text or "") for element in tree.iterfind("{*}Contents/{*}Key")]
    return keys, tree.findtext("{*}NextContinuationToken")


def _client(bucket: Bucket) -> Any:
    """Return a client that only signs requests."""
    session = botocore.session.Session()
    keys: dict[str, str] = {}
    is_local = bucket.endpoint is not None and _is_loopback(bucket.endpoint)
    if is_local:
        # Without a metadata service, looking for a role takes seconds.
        session.get_component("credential_provider").remove("iam-role")
    try:
        if session.get_credentials() is None:
            if not is_local:
                raise FilesUnavailable("no AWS credentials were found: not in the environment, a profile or a role")
            # A local endpoint accepts any credentials.
            keys = {"aws_access_key_id": "local", "aws_secret_access_key": "local"}
        region = bucket.region or session.get_config_variable("region")
        return session.create_client(
            "s3",
            region_name=region or LOCAL_REGION,
            endpoint_url=bucket.endpoint,
            config=Config(signature_version="s3v4", s3={"addressing_style": "path" if bucket.endpoint else "virtual"}),
            **keys,
        )
    except (BotoCoreError, ValueError) as error:
        raise FilesUnavailable(f"S3 cannot be used: {error}") from error


def _is_loopback(endpoint: str) -> bool:
    host = urlsplit(endpoint).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")

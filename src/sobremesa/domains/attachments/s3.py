"""Files in a bucket of S3, or of anything that speaks as S3 does.

Every request is one that was signed beforehand, by botocore and without a network: we send some of them ourselves,
and give others to clients.
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
from sobremesa.domains.attachments.errors import FilesUnavailable
from sobremesa.domains.attachments.stores import Presigned, StorageKey

ADDRESS_SECONDS = 60
"""How long a client may fetch from an address."""
INVITE_SECONDS = 900
"""How long a client may begin to upload."""
CACHE = "private, max-age=300"
PIECE_BYTES = 262_144
DELETES_AT_ONCE = 8
PAGE_KEYS = 1_000
"""How many keys S3 lists at most in one answer."""
LOCAL_REGION = "us-east-1"
TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=5, sock_read=30)


class Bucket(NamedTuple):
    """Where the files are."""

    name: str
    prefix: str
    region: str | None
    endpoint: str | None


class S3Store:
    """A bucket, which must be there."""

    def __init__(self, bucket: Bucket, client: Any, clock: Clock) -> None:
        self._bucket = bucket
        self._client = client
        self._clock = clock
        self._folder: Path | None = None
        self._http = aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar(), timeout=TIMEOUT)

    @classmethod
    async def open(cls, bucket: Bucket, clock: Clock) -> S3Store:
        """The bucket, with the credentials of this process."""
        return cls(bucket, await asyncio.to_thread(_client, bucket), clock)

    async def spool(self, name: str) -> Path:
        if self._folder is None:
            self._folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="sobremesa-files-"))
        return self._folder / name

    async def put(self, key: StorageKey, path: Path, mime: str) -> None:
        url = await self._signed("put_object", key, ContentType=mime)
        with await asyncio.to_thread(path.open, "rb") as file:
            async with self._asked("PUT", url, data=file, headers={"Content-Type": mime}) as answer:
                _require(answer, 200)
        await asyncio.to_thread(path.unlink)

    async def size(self, key: StorageKey) -> int | None:
        async with self._asked("HEAD", await self._signed("head_object", key)) as answer:
            if answer.status == 404:
                return None
            _require(answer, 200)
            return answer.content_length

    async def read(self, key: StorageKey, start: int, end: int) -> AsyncGenerator[bytes, None]:
        headers = {"Range": f"bytes={start}-{end - 1}"}
        async with self._asked("GET", await self._signed("get_object", key), headers=headers) as answer:
            _require(answer, 200, 206)
            async for piece in answer.content.iter_chunked(PIECE_BYTES):
                yield piece

    async def address(self, key: StorageKey, mime: str, disposition: str) -> str | None:
        # What the bucket says of the bytes is not what it was told when they came, but what we say now.
        return await self._signed(
            "get_object",
            key,
            ADDRESS_SECONDS,
            ResponseContentType=mime,
            ResponseContentDisposition=disposition,
            ResponseCacheControl=CACHE,
        )

    async def invite(self, key: StorageKey, mime: str, size: int) -> Presigned | None:
        # Type and length are part of what is signed: the bucket takes nothing else.
        url = await self._signed("put_object", key, INVITE_SECONDS, ContentType=mime, ContentLength=size)
        expires_at = instant(self._clock.now_ms() + INVITE_SECONDS * 1000)
        return Presigned(method="PUT", url=url, headers={"Content-Type": mime}, expires_at=expires_at)

    async def fetch(self, key: StorageKey, path: Path, limit: int) -> int | None:
        size = 0
        async with self._asked("GET", await self._signed("get_object", key)) as answer:
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
        turn = asyncio.Semaphore(DELETES_AT_ONCE)

        async def delete(key: StorageKey) -> None:
            async with turn, self._asked("DELETE", await self._signed("delete_object", key)) as answer:
                _require(answer, 200, 204, 404)

        await asyncio.gather(*map(delete, keys))

    async def every_key(self) -> AsyncIterator[list[StorageKey]]:
        more: dict[str, str] = {}
        while True:
            asked = {"Prefix": self._bucket.prefix, "MaxKeys": PAGE_KEYS, **more}
            url = await self._presigned("list_objects_v2", ADDRESS_SECONDS, **asked)
            async with self._asked("GET", url) as answer:
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

    async def _signed(self, action: str, key: StorageKey, seconds: int = ADDRESS_SECONDS, **more: Any) -> str:
        return await self._presigned(action, seconds, Key=self._bucket.prefix + key, **more)

    async def _presigned(self, action: str, seconds: int, **parameters: Any) -> str:
        """The address of a request. In a thread, since credentials may have to be renewed for it."""
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
    async def _asked(self, method: str, url: str, **options: Any) -> AsyncIterator[aiohttp.ClientResponse]:
        try:
            # Encoded already, as it was signed.
            target = yarl.URL(url, encoded=True)
            async with self._http.request(method, target, allow_redirects=False, **options) as answer:
                yield answer
        except (aiohttp.ClientError, OSError) as error:
            raise FilesUnavailable(f"S3 does not answer: {type(error).__name__} {error}") from error


def _require(answer: aiohttp.ClientResponse, *statuses: int) -> None:
    if answer.status not in statuses:
        raise FilesUnavailable(f"S3 answers {answer.status} to {answer.method}")


def _listed(page: bytes) -> tuple[list[str], str | None]:
    """The keys of a page, and with what to ask for the next."""
    # The bucket is ours and it answered a request that only we can sign.
    tree = ElementTree.fromstring(page)  # noqa: S314
    # botocore asks for keys that are encoded, since XML cannot hold every character.
    keys = [unquote_plus(element.text or "") for element in tree.iterfind("{*}Contents/{*}Key")]
    return keys, tree.findtext("{*}NextContinuationToken")


def _client(bucket: Bucket) -> Any:
    """Something that signs; it never sends."""
    session = botocore.session.Session()
    keys: dict[str, str] = {}
    is_local = bucket.endpoint is not None and _is_loopback(bucket.endpoint)
    if is_local:
        # Asking a machine's metadata service for a role takes seconds where there is none.
        session.get_component("credential_provider").remove("iam-role")
    try:
        if session.get_credentials() is None:
            if not is_local:
                raise FilesUnavailable("no AWS credentials were found: not in the environment, a profile or a role")
            # An endpoint on this machine takes anything.
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

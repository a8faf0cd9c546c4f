"""Uploads and downloads over HTTP, as clients do them."""

from __future__ import annotations

import io
from typing import Any, NamedTuple

import aiohttp
import pytest
from multidict import CIMultiDict

from api.calling import TIMEOUT, Caller, Reply, check_form

MAX_BYTES = 2_000_000
"""The upload limit of the servers in these tests."""
ON_ONE_ENGINE = pytest.mark.parametrize("engine", ["embedded"], indirect=True, scope="package")
"""Marks tests of what happens before or after the table: forms, types, pictures, headers."""


class Fetched(NamedTuple):
    """A downloaded body, with its headers."""

    status: int
    headers: CIMultiDict[str]
    content: bytes


async def upload(
    caller: Caller, content: bytes, *, type: str = "", name: str | None = None, expect: int = 201, **query: str
) -> Any:
    """Upload bytes as the body of a request."""
    headers = {"Content-Type": type} if type else {}
    asked = query | ({} if name is None else {"name": name})
    return await _posted(caller, io.BytesIO(content), headers, asked, expect)


async def upload_form(
    caller: Caller, content: bytes, *, type: str | None = None, name: str = "file", expect: int = 201, **query: str
) -> Any:
    """Upload a form with one file, as a browser does."""
    form = aiohttp.FormData(quote_fields=False)
    form.add_field("file", io.BytesIO(content), filename=name, content_type=type or "application/octet-stream")
    return await _posted(caller, form, {}, query, expect)


async def _posted(caller: Caller, body: Any, headers: dict[str, str], query: dict[str, str], expect: int) -> Any:
    bearer = {} if caller.token is None else {"Authorization": f"Bearer {caller.token}"}
    skipped = () if headers else ("Content-Type",)
    async with caller.http.post(
        "/v1/attachments",
        data=body,
        headers=bearer | headers,
        params=query,
        timeout=TIMEOUT,
        skip_auto_headers=skipped if isinstance(body, io.BytesIO) else (),
    ) as answer:
        reply = Reply(answer.status, {k.lower(): v for k, v in answer.headers.items()}, await answer.read())
    check_form(reply)
    assert reply.status == expect, f"{reply.status}, not {expect}: {reply.raw[:500]!r}"
    return reply.json


async def fetch(caller: Caller, url: str, *, headers: dict[str, str] | None = None, method: str = "GET") -> Fetched:
    """Download a signed URL, without a bearer token."""
    async with caller.http.request(
        method, url, headers=headers or {}, timeout=TIMEOUT, allow_redirects=False
    ) as answer:
        return Fetched(answer.status, CIMultiDict(answer.headers), await answer.read())

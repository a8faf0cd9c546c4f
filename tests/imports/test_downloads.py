"""Files by URL: downloaded once, bounded, inspected like uploads, and never from an address that is not public."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from cheap import CHEAP
from imports.environment import LONG_AGO, Environment, create_environment, run_import
from imports.test_command import PNG
from sobremesa.app import Sobremesa
from sobremesa.core.settings import Settings
from sobremesa.domains.imports.downloads import MAX_REDIRECTS, Downloads
from sobremesa.domains.imports.errors import AttachmentRefused
from sobremesa.http.outgoing import AddressRules, BadUrl
from webhooks.receiver import LOOPBACK
from webhooks.test_addresses import Scripted

MAX_BYTES = 4096


class Source:
    """A server with files, which counts the requests for each."""

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[str] = []
        self.never = asyncio.Event()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        name = request.path.removeprefix("/")
        self.requests.append(name)
        match name:
            case "dot.png":
                return web.Response(body=PNG)
            case "moved":
                return web.Response(status=302, headers={"location": "/dot.png#part"})
            case "inside":
                return web.Response(status=307, headers={"location": "https://10.0.0.1/dot.png"})
            case "to-a-file":
                return web.Response(status=307, headers={"location": "file:///etc/hostname"})
            case "around":
                return web.Response(status=301, headers={"location": "/around"})
            case "page":
                return web.Response(text="<html><script>alert(1)</script></html>")
            case "compressed":
                return web.Response(body=PNG, headers={"content-encoding": "gzip"})
            case "large":
                return web.Response(body=b"x" * (MAX_BYTES + 1))
            case "slow":
                await self.never.wait()
                return web.Response()
            case _:
                return web.Response(status=404)


@pytest.fixture
async def source() -> AsyncIterator[Source]:
    source = Source()
    application = web.Application()
    application.router.add_get("/{name}", source.answer)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    source.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield source
    source.never.set()
    await runner.cleanup()


@pytest.mark.parametrize(("setting", "imported"), [("webhook_allow_networks", 0), ("import_allow_networks", 1)])
async def test_network_that_webhooks_may_reach_is_not_open_to_imports(
    source: Source, tmp_path: Path, setting: str, imported: int
) -> None:
    """What an import downloads can be read afterwards; what a webhook sends cannot."""
    settings = Settings(**CHEAP | {setting: [LOOPBACK]}, files=(tmp_path / "files").as_uri())
    async with Sobremesa.open("sqlite://", settings=settings, background=False) as app:
        env = await create_environment(app)
        line = env.rooms["channel"].line("one", LONG_AGO, attachments=[{"url": f"{source.url}/dot.png"}])
        assert (await run_import(app, [line])).summary.imported == imported
    assert len(source.requests) == imported


async def test_files_are_downloaded_once_and_a_refused_one_does_not_stop_the_others(
    env: Environment, source: Source
) -> None:
    app, room = env.app, env.rooms["conversation"]
    app.imports._downloads = Downloads(AddressRules([LOOPBACK]))
    app.attachments._processor._max_bytes = MAX_BYTES
    refusals = {
        "missing": ("attachment_refused", "127.0.0.1 responded with 404."),
        "inside": ("attachment_refused", "10.0.0.1: 10.0.0.1 is not a public address."),
        "to-a-file": ("attachment_refused", BadUrl.default_detail),
        "around": ("attachment_refused", f"The file is behind more than {MAX_REDIRECTS} redirects."),
        "compressed": ("attachment_refused", "127.0.0.1 compressed the file, although it was asked not to."),
        "page": ("wrong_type", None),
        "large": ("too_large", None),
    }
    names = ["dot.png", "moved", *refusals]
    lines = [
        room.line(name, LONG_AGO + at, attachments=[{"url": f"{source.url}/{name}"}]) for at, name in enumerate(names)
    ]

    first = await run_import(app, [*lines, room.line("last", LONG_AGO + 99)])
    requests = list(source.requests)
    again = await run_import(app, lines[:2])

    assert {each.nonce: each.code for each in first.problems} == {name: code for name, (code, _) in refusals.items()}
    details = {each.nonce: each.detail for each in first.problems}
    assert {name: details[name] for name, (_, detail) in refusals.items() if detail} == {
        name: detail for name, (_, detail) in refusals.items() if detail
    }
    assert (first.counts, again.counts) == ((3, 0, len(refusals)), (0, 2, 0))
    assert source.requests == requests
    assert requests.count("around") == 1 + MAX_REDIRECTS
    rows = [row for row in await room.rows(app) if row.imported]
    assert [(row.content, row.attachments and row.attachments[0]["name"]) for row in rows] == [
        ("dot.png", "dot.png"),
        ("moved", "moved"),
        ("last", None),
    ]


async def test_a_call_downloads_a_limited_number_of_files(env: Environment, source: Source) -> None:
    app, room = env.app, env.rooms["channel"]
    app.imports._downloads = Downloads(AddressRules([LOOPBACK]))
    lines = [
        room.line(str(each), LONG_AGO + each, attachments=[{"url": f"{source.url}/dot.png"}, {"path": "/etc/hostname"}])
        for each in range(2)
    ]

    result = await run_import(app, [*lines, room.line("one", LONG_AGO + 9, attachments=[])], max_downloads=1)

    assert [each.code for each in result.problems] == ["attachment_refused"] * 2
    assert result.summary.imported == 1
    assert source.requests == ["dot.png"]


async def test_a_download_ends_at_the_time_limit(source: Source) -> None:
    downloads = Downloads(AddressRules([LOOPBACK]), seconds=0.2)
    with pytest.raises(AttachmentRefused, match=r"not downloaded within 0\.2 s"):
        await anext(downloads.fetch(f"{source.url}/slow"))


@pytest.mark.parametrize("address", ["127.0.0.1", "169.254.169.254", "::ffff:10.0.0.1", "fd00:ec2::254"])
async def test_a_name_that_is_public_when_checked_and_private_when_used_is_refused(
    address: str, source: Source
) -> None:
    resolver = Scripted(["93.184.215.14"], [address])
    downloads = Downloads(AddressRules(resolve=resolver.names), resolver=resolver)
    with pytest.raises(AttachmentRefused, match="is not a public address"):
        await anext(downloads.fetch(f"https://rebinding.example:{source.url.rpartition(':')[2]}/dot.png"))
    assert source.requests == []


@pytest.mark.parametrize("url", ["http://example.com/x", "https://127.0.0.1/x", "https://a:b@example.com/", "x.png"])
async def test_a_url_that_is_not_of_a_public_file_is_refused(url: str) -> None:
    with pytest.raises(AttachmentRefused):
        await anext(Downloads(AddressRules()).fetch(url))

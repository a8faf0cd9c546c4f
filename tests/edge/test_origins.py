"""Where requests come from: what limits take for one place, and who may take how long to speak."""

from __future__ import annotations

import asyncio

import pytest

from edge.running import connected, running, site_of
from sobremesa.http.limits import network_of


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::9", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("unknown", "unknown"),
    ],
)
def test_a_network_of_ipv6_addresses_is_one_place(address: str, origin: str) -> None:
    assert network_of(address) == origin


async def test_an_incomplete_head_ends_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sobremesa.http.connection.HEAD_SECONDS", 0.2)
    async with running(site_of()) as client:
        reader, writer = await connected(client)
        writer.write(b"G")
        assert await asyncio.wait_for(reader.read(), 60) == b""
        writer.close()

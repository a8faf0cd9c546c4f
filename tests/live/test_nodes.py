"""Several nodes over one table: what happens at one is received at all, and none of them can take anything with it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from live.nodes import Client, Node, Town, Valkey, eventually, listening, nodes, valkey_program
from servers import Endpoint, _free_port


async def test_what_is_said_at_one_node_is_heard_at_all_and_a_kick_silences_all(
    town: Town, store: str, valkey: Endpoint, tmp_path: Path
) -> None:
    with nodes(3, store, tmp_path, valkey.url) as [one, two, three]:
        clients = [Client(town, "carl", lambda node=node: node) for node in (one, two, three)]  # type: ignore[misc]
        async with listening(*clients), town.visit(two, "bea") as bea:
            await bea.identify()
            said = [await town.say(node, "ana", "hello") for node in (one, two, three) for _ in range(5)]
            for client in clients:
                await client.until(*said)
                assert client.received == said
            await town.call(one, "ana", "POST", f"/channels/{town.channel_id}/typing")
            assert (await bea.hear("typing.started"))["username"] == "ana"

            await town.call(
                three, "ana", "DELETE", f"/servers/{town.server_id}/members/{town.people['bea'].user.user_id}"
            )
            await bea.hear("member.left")
            said.append(await town.say(three, "ana", "bea is gone"))
            await clients[1].until(said[-1])
            assert await bea.is_quiet()


async def test_a_new_message_is_heard_without_the_change_stream(
    town: Town, store: str, valkey: Endpoint, tmp_path: Path
) -> None:
    """No node reads the stream, so what is received came directly from the node that took the message."""
    with nodes(2, store, tmp_path, valkey.url, relays=False) as [one, two]:
        clients = [Client(town, "bea", lambda: one), Client(town, "carl", lambda: two)]
        async with listening(*clients):
            said = [await town.say(one, "ana", f"{number}") for number in range(5)]
            for client in clients:
                await client.until(*said)


@asynccontextmanager
async def chatter(town: Town, node: Callable[[], Node]) -> AsyncIterator[list[str]]:
    """Some people in full swing; the messages that were acknowledged, in the order of the answers of each."""
    acknowledged: list[str] = []
    stop = asyncio.Event()

    async def talk(who: str) -> None:
        number = 0
        while not stop.is_set():
            with contextlib.suppress(aiohttp.ClientError, TimeoutError):
                acknowledged.append(await town.say(node(), who, f"{who} {(number := number + 1)}"))
                continue
            await asyncio.sleep(0.01)

    talking = [asyncio.create_task(talk(who)) for who in ("ana", "carl") for _ in range(2)]
    try:
        yield acknowledged
    finally:
        stop.set()
        await asyncio.gather(*talking)


async def test_a_node_that_is_killed_under_load_takes_nothing_with_it(
    town: Town, store: str, valkey: Endpoint, tmp_path: Path
) -> None:
    """The first node hands on the changes of the table as well: another takes that over."""
    with nodes(1, store, tmp_path, valkey.url) as [first], nodes(1, store, tmp_path, valkey.url) as [second]:
        current = first
        wanders = Client(town, "bea", lambda: current)
        stays = Client(town, "carl", lambda: second)
        async with listening(wanders, stays):
            async with chatter(town, lambda: current) as acknowledged:
                await eventually(lambda: len(acknowledged) >= 60)
                first.kill()
                current = second
                killed_at = len(acknowledged)
                await eventually(lambda: len(acknowledged) >= killed_at + 60)
            await wanders.until(*acknowledged)
            await stays.until(*acknowledged)
            # What the change log alone tells goes on, too.
            await town.call(second, "ana", "PATCH", f"/channels/{town.channel_id}", {"topic": "after the fall"})
            async with town.visit(second, "carl") as carl:
                await carl.identify()
                await town.call(second, "ana", "PATCH", f"/channels/{town.channel_id}", {"topic": "and after"})
                while (await carl.hear("channel.updated"))["topic"] != "and after":
                    pass
        assert wanders.gaps == 0
        assert wanders.breaks > 0
        assert stays.breaks == 0
        assert in_order(wanders.received[: killed_at // 2])


async def test_what_a_node_acknowledged_and_had_no_time_to_tell_is_told_by_another(
    town: Town, store: str, valkey: Endpoint, tmp_path: Path
) -> None:
    """It tells nothing itself, as if it were always killed between the commit and the event."""
    with (
        nodes(1, store, tmp_path, valkey.url) as [pumps],
        nodes(1, store, tmp_path, valkey.url) as [other],
        nodes(1, store, tmp_path, valkey.url, fast=False, relays=False) as [mute],
    ):
        client = Client(town, "bea", lambda: other)
        async with listening(client):
            said = [await town.say(mute, "ana", f"{number}") for number in range(10)]
            await client.until(*said)
            # Nor does the one that hands on what others say; until the other takes that over.
            pumps.kill()
            said += [await town.say(mute, "ana", f"{number}") for number in range(10)]
            mute.kill()
            await client.until(*said)
            assert client.received == said


@pytest.mark.parametrize("fast", [True, False])
async def test_a_valkey_that_comes_back_empty_loses_no_event(
    town: Town, store: str, tmp_path: Path, fast: bool
) -> None:
    valkey = Valkey(valkey_program(), _free_port())
    valkey.start()
    try:
        with nodes(2, store, tmp_path, valkey.url, fast=fast) as [one, two]:
            here, there = Client(town, "bea", lambda: one), Client(town, "carl", lambda: two)
            async with listening(here, there):
                async with chatter(town, lambda: one) as acknowledged:
                    await eventually(lambda: len(acknowledged) >= 40)
                    valkey.stop()
                    stopped_at = len(acknowledged)
                    await eventually(lambda: len(acknowledged) >= stopped_at + 40)
                    valkey.start()
                    back_at = len(acknowledged)
                    await eventually(lambda: len(acknowledged) >= back_at + 40)
                await here.until(*acknowledged)
                await there.until(*acknowledged)
                assert (here.breaks, there.breaks) == (0, 0)

                # A node that has not seen the events of before knows that it cannot tell them.
                async with town.visit(one, "bea") as talk:
                    ready = await talk.identify()
                    place = talk.s
                valkey.stop()
                valkey.start()
                said = await town.say(two, "ana", "said anew")
                await there.until(said)
                with nodes(1, store, tmp_path, valkey.url) as [three]:
                    async with town.visit(three, "bea") as back:
                        await back.frame()
                        await back.send(6, {"token": back.token, "sessionId": ready["sessionId"], "s": place})
                        gap = await back.event("gap")
                        assert said in [room["until"] for room in gap["d"]["rooms"]]
                        await back.event("ready")
    finally:
        valkey.stop()


def in_order(ids: list[str]) -> bool:
    return ids == sorted(ids)

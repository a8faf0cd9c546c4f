"""Life: the demo's people talk while somebody looks, and are quiet while nobody does."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from random import Random

from sobremesa.app import Sobremesa
from sobremesa.client import Client, ClientError, Pace
from sobremesa.core.actor import DEFAULT_TENANT, UserId
from sobremesa.demo import phrases
from sobremesa.demo.bots import Allowance, Bot, Tempo, arrive
from sobremesa.demo.notices import HOUSE

KEY_SECONDS = 7 * 86_400
OPEN_OFFERS = 3
"""With so many of its own that nobody has answered, the studio makes no other."""
OFFER_STANDS = timedelta(hours=6)

log = logging.getLogger("sobremesa.demo")


@asynccontextmanager
async def living(
    app: Sobremesa, address: str, *, tempo: Tempo | None = None, pace: Pace | None = None
) -> AsyncIterator[Life]:
    """People who talk at the address where this application is served, until the end of the block."""
    tempo, pace, chance = tempo or Tempo(), pace or Pace(), Random()  # noqa: S311 - small talk
    allowance = Allowance(tempo.answers_an_hour, pace)
    async with AsyncExitStack() as leaving:
        key = await app.server_keys.create_key(
            DEFAULT_TENANT, ["inbox:publish"], label="demo", expires_in_seconds=KEY_SECONDS
        )
        leaving.push_async_callback(app.server_keys.revoke_key, key.key.key_id)
        publisher = await leaving.enter_async_context(Client(address, token=key.text))
        bots = {}
        for name in phrases.BOTS:
            client = await leaving.enter_async_context(Client(address))
            await arrive(client, name)
            live = await leaving.enter_async_context(client.gateway())
            bots[name] = Bot(name, client, live, tempo=tempo, pace=pace, chance=chance, allowance=allowance)
            await bots[name].look_around()
        life = Life(bots, publisher, audience=app.live.hub.audience, tempo=tempo, pace=pace, chance=chance)
        leaving.push_async_callback(life.stop)
        life.start()
        yield life


class Life:
    """What goes on by itself."""

    def __init__(
        self,
        bots: Mapping[str, Bot],
        publisher: Client,
        *,
        audience: Callable[[], Counter[UserId]],
        tempo: Tempo,
        pace: Pace,
        chance: Random,
    ) -> None:
        self._bots = bots
        self._publisher = publisher
        self._audience = audience
        self._tempo = tempo
        self._pace = pace
        self._chance = chance
        self._allowance = Allowance(tempo.talk_an_hour, pace)
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._running = asyncio.create_task(self._run())

    async def ended(self) -> None:
        """Wait until it ends, which it does by itself only if something is wrong."""
        if self._running is not None:
            await self._running

    async def stop(self) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    def is_watched(self) -> bool:
        """Does anybody listen beside the bots themselves?"""
        return bool(self._audience() - Counter(UserId(bot.user_id) for bot in self._bots.values()))

    async def _run(self) -> None:
        """Talk, answer, offer and tell, until cancelled."""
        everybody = sorted(bot.user_id for bot in self._bots.values())
        async with asyncio.TaskGroup() as group:
            for bot in self._bots.values():
                group.create_task(bot.listen(everybody))
            group.create_task(self._talk())
            group.create_task(self._offer())
            group.create_task(self._tell())

    async def _talk(self) -> None:
        """One exchange after the other, each as often as all others."""
        while True:
            for exchange in self._chance.sample(phrases.EXCHANGES, len(phrases.EXCHANGES)):
                for who, text in exchange.lines:
                    await self._turn(self._tempo.between)
                    room = self._bots[who].rooms.get(exchange.room)
                    if room is None or not self._allowance.take():
                        continue  # a visitor has taken the room away, or it is enough for this hour
                    with _unless_it_fails("talk"):
                        await self._bots[who].say(room, text)

    async def _offer(self) -> None:
        """The studio has an idea now and then, and does not insist."""
        noor = self._bots["noor"]
        room = noor.rooms["project/winter"]
        while True:
            await self._turn(self._tempo.offers)
            with _unless_it_fails("make an offer"):
                cards = await noor.client.request("GET", f"{room.path}/cards", query={"limit": 100})
                waiting = [
                    card
                    for card in cards["items"]
                    if (card["type"], card["state"], card["createdBy"]) == ("offer", "open", noor.user_id)
                ]
                if len(waiting) >= OPEN_OFFERS:
                    last = waiting[-1]
                    moved = {"to": "withdrawn", "version": last["version"]}
                    await noor.client.request("POST", f"{room.path}/cards/{last['messageId']}/transitions", moved)
                    continue
                amount, note = self._chance.choice(phrases.OFFERS)
                until = f"{datetime.now(UTC) + OFFER_STANDS:%Y-%m-%dT%H:%M:%S}Z"
                payload = {"amount": amount * 100, "currency": "EUR", "note": note, "expiresAt": until}
                await noor.client.typing(room)
                await noor.client.request("POST", f"{room.path}/cards", {"type": "offer", "payload": payload})

    async def _tell(self) -> None:
        """News for everyone."""
        while True:
            for category, sender, title, body in self._chance.sample(phrases.NOTICES, len(phrases.NOTICES)):
                await self._turn(self._tempo.notices)
                told = {
                    "audience": {"kind": "everyone"},
                    "sender": sender,
                    "title": title,
                    "body": body,
                    "category": category,
                }
                with _unless_it_fails("tell everyone"):
                    path = f"/tenants/{DEFAULT_TENANT}/inboxes/{HOUSE}/messages"
                    await self._publisher.request("POST", path, told)

    async def _turn(self, within: tuple[float, float]) -> None:
        """Wait for some seconds, and for as long after that as nobody looks."""
        while True:
            await self._pace.sleep(self._chance.uniform(*within))
            if self.is_watched():
                return


@contextmanager
def _unless_it_fails(what: str) -> Iterator[None]:
    """What fails is told to the log; the next turn may go better."""
    try:
        yield
    except ClientError as error:
        log.warning("nobody could %s: %s", what, error)

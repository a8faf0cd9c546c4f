"""The activity of the bots: they chat while a user is connected, and pause otherwise."""

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
from sobremesa.demo.bots import Bot, HourlyBudget, Tempo, log_in
from sobremesa.demo.notices import HOUSE

KEY_SECONDS = 7 * 86_400
OPEN_OFFERS = 3
"""The studio creates no further offer while this many are open."""
OFFER_LIFETIME = timedelta(hours=6)

log = logging.getLogger("sobremesa.demo")


@asynccontextmanager
async def run_bots(
    app: Sobremesa, address: str, *, tempo: Tempo | None = None, pace: Pace | None = None
) -> AsyncIterator[BotActivity]:
    """Run the bots against the address of this application until the end of the block."""
    tempo, pace, random = tempo or Tempo(), pace or Pace(), Random()  # noqa: S311 - small talk
    budget = HourlyBudget(tempo.answers_per_hour, pace)
    async with AsyncExitStack() as stack:
        key = await app.accounts.server_keys.create_key(
            DEFAULT_TENANT, ["inbox:publish"], label="demo", expires_in_seconds=KEY_SECONDS
        )
        stack.push_async_callback(app.accounts.server_keys.revoke_key, key.key.key_id)
        publisher = await stack.enter_async_context(Client(address, token=key.text))
        bots = {}
        for name in phrases.BOTS:
            client = await stack.enter_async_context(Client(address))
            await log_in(client, name)
            live = await stack.enter_async_context(client.gateway())
            bots[name] = Bot(name, client, live, tempo=tempo, pace=pace, random=random, budget=budget)
            await bots[name].find_rooms()
        activity = BotActivity(bots, publisher, audience=app.live.hub.audience, tempo=tempo, pace=pace, random=random)
        stack.push_async_callback(activity.stop)
        activity.start()
        yield activity


class BotActivity:
    """The scripted messages, offers and notices of all bots."""

    def __init__(
        self,
        bots: Mapping[str, Bot],
        publisher: Client,
        *,
        audience: Callable[[], Counter[UserId]],
        tempo: Tempo,
        pace: Pace,
        random: Random,
    ) -> None:
        self._bots = bots
        self._publisher = publisher
        self._audience = audience
        self._tempo = tempo
        self._pace = pace
        self._random = random
        self._budget = HourlyBudget(tempo.messages_per_hour, pace)
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._running = asyncio.create_task(self._run())

    async def ended(self) -> None:
        """Wait until the bots end, which happens only on an error."""
        if self._running is not None:
            await self._running

    async def stop(self) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    def is_watched(self) -> bool:
        """Return whether any user other than the bots is connected."""
        return bool(self._audience() - Counter(UserId(bot.user_id) for bot in self._bots.values()))

    async def _run(self) -> None:
        """Run all bots until cancelled."""
        bot_ids = sorted(bot.user_id for bot in self._bots.values())
        async with asyncio.TaskGroup() as group:
            for bot in self._bots.values():
                group.create_task(bot.run(bot_ids))
            group.create_task(self._chat())
            group.create_task(self._create_offers())
            group.create_task(self._publish_notices())

    async def _chat(self) -> None:
        """Play the scripted exchanges in random order, each equally often."""
        while True:
            for exchange in self._random.sample(phrases.EXCHANGES, len(phrases.EXCHANGES)):
                for author, text in exchange.lines:
                    await self._wait(self._tempo.between)
                    room = self._bots[author].rooms.get(exchange.room)
                    if room is None or not self._budget.take():
                        continue  # a user deleted the room, or the budget of this hour is spent
                    with _log_errors("send a message"):
                        await self._bots[author].send(room, text)

    async def _create_offers(self) -> None:
        """Create an offer every few minutes, and withdraw the oldest when too many are open."""
        noor = self._bots["noor"]
        room = noor.rooms["project/winter"]
        while True:
            await self._wait(self._tempo.offers)
            with _log_errors("create an offer"):
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
                amount, note = self._random.choice(phrases.OFFERS)
                until = f"{datetime.now(UTC) + OFFER_LIFETIME:%Y-%m-%dT%H:%M:%S}Z"
                payload = {"amount": amount * 100, "currency": "EUR", "note": note, "expiresAt": until}
                await noor.client.typing(room)
                await noor.client.request("POST", f"{room.path}/cards", {"type": "offer", "payload": payload})

    async def _publish_notices(self) -> None:
        """Publish a notice to all users every few minutes."""
        while True:
            for category, sender, title, body in self._random.sample(phrases.NOTICES, len(phrases.NOTICES)):
                await self._wait(self._tempo.notices)
                notice = {
                    "audience": {"kind": "everyone"},
                    "sender": sender,
                    "title": title,
                    "body": body,
                    "category": category,
                }
                with _log_errors("publish a notice"):
                    path = f"/tenants/{DEFAULT_TENANT}/inboxes/{HOUSE}/messages"
                    await self._publisher.request("POST", path, notice)

    async def _wait(self, within: tuple[float, float]) -> None:
        """Wait for a random time within a range, and until a user is connected."""
        while True:
            await self._pace.sleep(self._random.uniform(*within))
            if self.is_watched():
                return


@contextmanager
def _log_errors(what: str) -> Iterator[None]:
    """Log a failed request: the next one may succeed."""
    try:
        yield
    except ClientError as error:
        log.warning("the bots could not %s: %s", what, error)

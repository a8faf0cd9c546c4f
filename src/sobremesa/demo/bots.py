"""A bot of the demo, which uses the typed client like any other program."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Collection
from random import Random

import msgspec

from sobremesa.client import Client, ClientError, Message, Pace, Room
from sobremesa.client.gateway import Gateway
from sobremesa.client.models import Json
from sobremesa.demo import phrases
from sobremesa.demo.communities import COMMUNITIES
from sobremesa.demo.users import PASSWORD, email_of

RECENT_ANSWERS = 3
RECENT_MESSAGES = 100
HOUR_SECONDS = 3600.0

log = logging.getLogger("sobremesa.demo")


class Tempo(msgspec.Struct, frozen=True, kw_only=True):
    """The pace of the bots: ranges in seconds, and the maximum number of messages and answers per hour."""

    between: tuple[float, float] = (4, 15)
    writing: tuple[float, float] = (1, 3)
    reading: tuple[float, float] = (1, 4)
    offers: tuple[float, float] = (150, 300)
    notices: tuple[float, float] = (120, 240)
    messages_per_hour: int = 240
    answers_per_hour: int = 600


class HourlyBudget:
    """A budget of messages per hour."""

    def __init__(self, most: int, pace: Pace) -> None:
        self._most = most
        self._pace = pace
        self._sent_at: deque[float] = deque()

    def take(self) -> bool:
        """Spend one message, and return whether the budget allows it."""
        now = self._pace.now()
        while self._sent_at and now - self._sent_at[0] >= HOUR_SECONDS:
            self._sent_at.popleft()
        if len(self._sent_at) >= self._most:
            return False
        self._sent_at.append(now)
        return True


class Bot:
    """A user of the demo that answers, reads, reacts and sends scripted messages."""

    def __init__(
        self,
        name: str,
        client: Client,
        live: Gateway,
        *,
        tempo: Tempo,
        pace: Pace,
        random: Random,
        budget: HourlyBudget,
    ) -> None:
        self.name = name
        self.user_id = client.user.user_id
        self.client = client
        self.rooms: dict[str, Room] = {}
        """The rooms of the demo, by their names in its data."""
        self._live = live
        self._tempo = tempo
        self._pace = pace
        self._random = random
        self._budget = budget
        self._unread: dict[Room, str] = {}
        self._answers: deque[str] = deque(maxlen=RECENT_ANSWERS)
        self._answered: deque[str] = deque(maxlen=RECENT_MESSAGES)

    async def find_rooms(self) -> None:
        """Find the rooms of the demo."""
        keys = {community.name: community.key for community in COMMUNITIES}
        async for server in self.client.servers():
            async for channel in self.client.channels(server.server_id):
                self.rooms[f"{keys.get(server.name, server.server_id)}/{channel.name}"] = channel.room
        async for thread in self.client.every("/threads", dict[str, object]):
            if thread.get("legId") == "winter-menu":
                self.rooms["project/winter"] = Room("thread", str(thread["threadId"]))

    async def send(self, room: Room, text: str, *, reply_to: str | None = None) -> None:
        """Show the typing indicator for a moment, then send a message."""
        await self.client.typing(room)
        await self._pace.sleep(self._random.uniform(*self._tempo.writing))
        await self._live.send(room, text, reply_to=reply_to)

    async def run(self, bots: Collection[str]) -> None:
        """React to messages until cancelled. `bots` are the user ids of all bots, in a fixed order."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._read())
            group.create_task(self._catch_up(bots))
            try:
                async for message in self._live.messages():
                    if message.author_id != self.user_id:
                        self._unread[message.room] = message.message_id
                        group.create_task(self._respond(message, bots))
            except ClientError as error:
                log.warning("%s disconnected: %s", self.name, error)

    async def _catch_up(self, bots: Collection[str]) -> None:
        """Answer direct messages that arrived while the bot was offline."""
        try:
            async for conversation in self.client.conversations():
                if conversation.type == "direct" and conversation.unread.count:
                    last = await anext(self.client.messages(conversation.room))
                    self._unread[last.room] = last.message_id
                    await self._respond(last, bots)
        except ClientError as error:
            log.warning("%s could not catch up: %s", self.name, error)

    async def _respond(self, message: Message, bots: Collection[str]) -> None:
        try:
            if message.author_id in bots:
                if self._random.random() < 1 / 12:
                    await self._like(message)
            elif message.action is not None:
                await self._answer_card(message.room, message.action)
            elif self.user_id in message.mentions or await self.client.is_direct(message.room):
                await self._answer(message)
            elif not message.mentions and await self._is_chosen(message, bots):
                await (self._answer(message) if "?" in message.content else self._like(message))
        except ClientError as error:
            log.warning("%s could not answer: %s", self.name, error)

    async def _answer(self, message: Message) -> None:
        if message.message_id in self._answered:
            return  # received twice: live, and while catching up
        self._answered.append(message.message_id)
        if not self._budget.take():
            return
        text = phrases.answer(self.name, message.content, self._random, self._answers)
        self._answers.append(text)
        direct = await self.client.is_direct(message.room)
        await self.send(message.room, text, reply_to=None if direct else message.message_id)

    async def _answer_card(self, room: Room, action: Json) -> None:
        text = phrases.ABOUT_CARDS.get(str(action.get("state")))
        if text is not None and room == self.rooms.get("project/winter") and self._budget.take():
            await self.send(room, text)

    async def _like(self, message: Message) -> None:
        await self._pace.sleep(self._random.uniform(*self._tempo.reading))
        await self.client.react(message, self._random.choice(phrases.REACTIONS))

    async def _is_chosen(self, message: Message, bots: Collection[str]) -> bool:
        """Return whether this bot answers a message without a mention: all bots of a room choose the same one."""
        path = f"{message.room.path}/participants"
        if message.room.kind == "channel":
            channel = await self.client.request("GET", message.room.path)
            path = f"/servers/{channel['serverId']}/members"
        present = {str(each["userId"]) async for each in self.client.every(path, dict[str, object])}
        here = sorted(present.intersection(bots))
        return here[sum(map(ord, message.message_id)) % len(here)] == self.user_id

    async def _read(self) -> None:
        """Mark received messages as read, every few seconds."""
        while True:
            await self._pace.sleep(self._random.uniform(*self._tempo.reading))
            while self._unread:
                room, message_id = self._unread.popitem()
                try:
                    await self.client.mark_read(room, message_id)
                except ClientError as error:
                    log.warning("%s could not mark a room as read: %s", self.name, error)


async def log_in(client: Client, name: str) -> None:
    """Log in as a user of the demo."""
    await client.login(email_of(name), PASSWORD, device="bot")

"""One cycle: a fresh cluster, users who are busy while things fail, healing, and the checks."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import chaos.checks as live_checks
from chaos.cluster import Cluster, cluster_of
from chaos.faults import Faults, plan
from chaos.notices import Inbox, check_notices, inbox_differences
from chaos.observations import Observations, ShownMessage
from chaos.requests import Refused, Requests, Unanswered
from chaos.subscribers import Subscriber
from chaos.workload import INBOX, OWNER, Memberships, Product, Writer
from gateway.connection import Closed
from live.nodes import LOOK_SECONDS, SOON_SECONDS, Community, community_beside
from simulation import checks
from simulation.clients import PAGE
from simulation.history import History
from sobremesa.core.actor import DEFAULT_TENANT, UserId
from sobremesa.core.clock import milliseconds
from sobremesa.core.ids import MessageId, RoomId, first_of
from sobremesa.work.jobs.service import LEASE_SECONDS, POLL_SECONDS

STABLE = ("bea", "carl")
REMOVABLE = ("dora", "emil", "fay")
KEPT = (40, 10_000)
"""How many events of a topic a cluster keeps: with few of them, clients that were away get a gap."""
SHARDS = (1, 2, 4)
JOBS_SECONDS = LEASE_SECONDS + 2 * POLL_SECONDS
"""How long an interrupted job may wait."""

Room = dict[MessageId, ShownMessage]


class Outcome(NamedTuple):
    """The result of one cycle."""

    seed: int
    history: History
    counts: dict[str, int]


class Cycle:
    """What the parts of one cycle share."""

    def __init__(self, seed: int, busy_seconds: float, community: Community, cluster: Cluster) -> None:
        self.seed = seed
        self.community = community
        self.cluster = cluster
        self.history = History(asyncio.get_running_loop().time())
        self.observations = Observations()
        self.requests = Requests(community.http, self.history)
        self.channels: list[RoomId] = []
        self.groups: list[RoomId] = []
        self.removable = REMOVABLE
        self.subscribers: list[Subscriber] = []
        self.is_busy = True
        self.faults_caused = 0
        self._busy_seconds = busy_seconds

    @property
    def rooms(self) -> list[RoomId]:
        return self.channels + self.groups

    def path(self, room: RoomId) -> str:
        """Return the path of a room."""
        return f"/{'conversations' if room in self.groups else 'channels'}/{room}"

    async def ask(self, who: str, chance: random.Random, method: str, path: str, body: Any = None) -> Any:
        """Send a request of a user to any node."""
        token = self.community.users[who].access_token
        return await self.requests.ask(self.cluster.any_member(chance), who, token, method, path, body)

    async def get(self, who: str, chance: random.Random, path: str) -> Any:
        """Return what a user reads, from whichever node answers."""
        while True:
            with contextlib.suppress(Unanswered):
                return await self.ask(who, chance, "GET", path)

    async def page(self, who: str, room: RoomId, chance: random.Random, query: str) -> list[dict[str, Any]]:
        """Return a page of a room."""
        items: list[dict[str, Any]] = (await self.get(who, chance, f"{self.path(room)}/messages?{query}"))["items"]
        return items

    async def load_room(self, who: str, room: RoomId, chance: random.Random) -> Room:
        """Return all messages of a room, as a user sees them."""
        return {
            MessageId(each["messageId"]): ShownMessage.of(each) for each in await self.load_messages(who, room, chance)
        }

    async def load_inbox(self, who: str, chance: random.Random) -> list[dict[str, Any]]:
        """Return all messages in the inbox of a user, once every node shows the last broadcast."""
        await asyncio.sleep(self.observations.until_inboxes_are_complete(asyncio.get_running_loop().time()))
        found: list[dict[str, Any]] = []
        cursor = ""
        while True:
            page = await self.get(who, chance, f"{INBOX}/messages?limit={PAGE}{cursor}")
            found += page["items"]
            if page.get("next") is None:
                return found
            cursor = f"&cursor={quote(page['next'])}"

    async def load_messages(self, who: str, room: RoomId, chance: random.Random) -> list[dict[str, Any]]:
        """Return all messages of a room, newest first."""
        found: list[dict[str, Any]] = []
        query = f"limit={PAGE}"
        while True:
            page = await self.page(who, room, chance, query)
            found += page
            if len(page) < PAGE:
                return found
            query = f"limit={PAGE}&before={page[-1]['messageId']}"

    async def run(self) -> Outcome:
        """Run everything, and check what must hold."""
        invite, key = await self._create()
        for member in self.cluster.members:
            await self.cluster.start(member)
        people = (OWNER, *STABLE, *REMOVABLE)
        self.subscribers = [Subscriber(self, who, "web") for who in people]
        self.subscribers.append(Subscriber(self, STABLE[0], "phone"))
        connected = [asyncio.create_task(subscriber.run()) for subscriber in self.subscribers]
        writers = [Writer(self, who) for who in people]
        memberships, product = Memberships(self, invite), Product(self, key)
        work = [asyncio.create_task(writer.run()) for writer in writers]
        work += [asyncio.create_task(memberships.run()), asyncio.create_task(product.run())]
        try:
            faults = asyncio.create_task(Faults(self, plan(self.seed, self._busy_seconds)).run())
            await asyncio.sleep(self._busy_seconds)
            self.is_busy = False
            await asyncio.gather(faults, *work)
            self.history.note("cycle", "healed")
            await memberships.settle()
            for room in self.rooms:
                await writers[0].send(room)
            await product.publish()
            await self._check(connected)
        finally:
            tasks = [*connected, *work]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return Outcome(self.seed, self.history, self._counts())

    async def _create(self) -> tuple[str, str]:
        """Create the rooms; return the code of an invite, and the key of the product's backend."""
        community, app = self.community, self.community.app
        for who in REMOVABLE:
            await community.register(who)
            await community.join(OWNER, who)
        owner = community.users[OWNER].actor
        second = await app.communities.create_channel(owner, community.server_id, name="second")
        self.channels = [community.channel_id, RoomId(second.channel.channel_id)]
        others = [community.users[who].user.user_id for who in (*STABLE, *REMOVABLE)]
        group = await app.conversations.create_group(owner, others)
        self.groups = [RoomId(group.conversation_id)]
        self.observations.members = {user.user.user_id: "in" for user in community.users.values()}
        key = await app.accounts.server_keys.create_key(DEFAULT_TENANT, ["inbox:publish"])
        return (await app.communities.invites.create(owner, community.server_id)).code, key.text

    # Checks

    async def _check(self, connected: list[asyncio.Task[None]]) -> None:
        chance = random.Random("checks")
        listed = {room: await self.load_messages(OWNER, room, chance) for room in self.rooms}
        rooms = {
            room: {MessageId(each["messageId"]): ShownMessage.of(each) for each in messages}
            for room, messages in listed.items()
        }
        plain = {room: {id: each.without_reactions for id, each in shown.items()} for room, shown in rooms.items()}
        checks.check_sends(self.history, self.observations.sends, plain)
        live_checks.check_reactions(self.history, self.observations.reactions, rooms)
        inboxes = {user.user.user_id: await self.load_inbox(who, chance) for who, user in self.community.users.items()}
        check_notices(self.history, self.observations.notices, inboxes)
        await self._check_clients(rooms, inboxes, connected)
        observed = self.observations
        live_checks.check_order(self.history, observed.deliveries, observed.sends)
        live_checks.check_removals(
            self.history, observed.sends, observed.deliveries, observed.absences, self.channels, observed.outages
        )
        await self._check_counts()
        authors = {
            room: {MessageId(each["messageId"]): str(each["authorId"]) for each in messages if not each["deleted"]}
            for room, messages in listed.items()
        }
        for who in self.community.users:
            await self._check_fresh(who, rooms, authors)

    async def _check_counts(self) -> None:
        """A recount finds no drift, once the background jobs that faults have interrupted are done."""
        deadline = asyncio.get_running_loop().time() + JOBS_SECONDS
        while asyncio.get_running_loop().time() < deadline:
            before = History()
            await checks.check_counts(before, self.community.app)
            if not before.violations:
                return
            await asyncio.sleep(1)
        await checks.check_counts(self.history, self.community.app)

    async def _check_clients(
        self, rooms: Mapping[RoomId, Room], inboxes: Mapping[UserId, Inbox], connected: list[asyncio.Task[None]]
    ) -> None:
        """Every client shows what is there, once the events of the last messages have come."""
        deadline = asyncio.get_running_loop().time() + SOON_SECONDS
        while any(self._differences(each, rooms, inboxes) for each in self.subscribers):
            if asyncio.get_running_loop().time() > deadline:
                break
            await asyncio.sleep(LOOK_SECONDS)
        for subscriber, task in zip(self.subscribers, connected, strict=True):
            if task.done():
                self.history.violate("clients come back", f"{subscriber.name} ended: {task.exception()!r}")
            for difference in self._differences(subscriber, rooms, inboxes):
                self.history.violate("snapshot and events are the present", f"{subscriber.name} {difference}")

    def _differences(
        self, subscriber: Subscriber, rooms: Mapping[RoomId, Room], inboxes: Mapping[UserId, Inbox]
    ) -> list[str]:
        of_inbox = inbox_differences(subscriber.inbox, subscriber.inbox_counts, inboxes[subscriber.user_id])
        return of_inbox + [
            f"{difference} in {room}"
            for room, expected in rooms.items()
            for difference in live_checks.differences(
                subscriber.messages.get(room, {}), expected, fetched_until=subscriber.fetched_until.get(room, "")
            )
        ]

    async def _check_fresh(
        self, who: str, rooms: Mapping[RoomId, Room], authors: dict[RoomId, dict[MessageId, str]]
    ) -> None:
        """A fresh snapshot has every message, and unread counts that equal a recount."""
        user_id = self.community.users[who].user.user_id
        chance = random.Random(who)
        # What was sent before the membership is never unread.
        members = await self.get(OWNER, chance, f"/servers/{self.community.server_id}/members?limit=100")
        [joined_at] = [member["joinedAt"] for member in members["items"] if member["userId"] == user_id]
        joined_id = first_of(milliseconds(joined_at))
        for member in self.cluster.members:
            assert member.process is not None
            try:
                async with self.community.connect(member.process, who) as connection:
                    ready = await connection.identify()
            except Closed as closed:
                self.history.violate("clients come back", f"{who} is closed by {member.incarnation}: {closed}")
                continue
            channels = [channel for server in ready["servers"] for channel in server["channels"]]
            for channel in channels:
                room = RoomId(channel["channelId"])
                read_up_to = max(joined_id, channel["lastReadMessageId"] or "")
                expected = live_checks.recounted(authors[room], user_id, read_up_to)
                found = (channel["unread"]["count"], channel["unread"]["capped"])
                if found != expected:
                    detail = f"{who} has {found} unread in {room} on {member.incarnation}, not {expected}"
                    self.history.violate("counts are right", detail)
            if {channel["channelId"] for channel in channels} != set(self.channels):
                self.history.violate("members have access", f"{who} sees {channels} on {member.incarnation}")
        for room, expected_room in rooms.items():
            try:
                shown = await self.load_room(who, room, chance)
            except Refused as refused:
                self.history.violate("members have access", f"{who} is refused in {room}: {refused}")
                continue
            for difference in live_checks.differences(shown, expected_room):
                self.history.violate("snapshot and events are the present", f"a new client of {who} {difference}")

    def _counts(self) -> dict[str, int]:
        deliveries = self.observations.deliveries
        return {
            "requests": self.requests.count,
            "messages acknowledged": sum(send.message_id is not None for send in self.observations.sends.values()),
            "messages not acknowledged": sum(send.message_id is None for send in self.observations.sends.values()),
            "removals": len(self.observations.absences),
            "edits": sum(send.tried_version for send in self.observations.sends.values()),
            "deletions": sum(send.may_be_deleted for send in self.observations.sends.values()),
            "reactions": len(self.observations.reactions),
            "publishes": len(self.observations.notices),
            "deliveries": len(deliveries),
            "live deliveries": sum(delivery.is_live for delivery in deliveries),
            "resumes": sum(subscriber.resumes for subscriber in self.subscribers),
            "snapshots": sum(subscriber.snapshots for subscriber in self.subscribers),
            "gaps": sum(subscriber.gaps for subscriber in self.subscribers),
            "faults": self.faults_caused,
        }


async def run_cycle(seed: int, busy_seconds: float, folder: Path) -> Outcome:
    """Run one cycle on a cluster of its own."""
    chance = random.Random(f"cycle {seed}")
    shards, kept = chance.choice(SHARDS), chance.choice(KEPT)
    async with (
        cluster_of(folder, seed, shards=shards, kept=kept) as cluster,
        community_beside(cluster.store, folder) as community,
    ):
        return await Cycle(seed, busy_seconds, community, cluster).run()

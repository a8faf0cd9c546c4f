"""What users do: they send with nonces until they are answered, edit, delete, react and read, the product publishes to
their inboxes, and an owner removes members who rejoin.
"""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

from chaos.observations import Notice, Reacted, TimedSend
from chaos.requests import Refused, Unanswered
from simulation.oracle import content_of
from sobremesa.core.ids import MessageId, RoomId

if TYPE_CHECKING:
    from chaos.cycle import Cycle

OWNER = "ana"
GONE = 404
ALREADY_THERE = 409
SENDS_A_SECOND = 1.5
NOTICES_A_SECOND = 0.7
ATTEMPTS = 60
RECENT = 30
"""Users react to one of so many last messages."""
BROADCASTS = 0.3
"""Which part of the product's messages are to all users."""
EMOJI = ("🙂", "🎉")
INBOX = "/tenants/default/inboxes/orders"


class Writer:
    """One user who writes."""

    def __init__(self, cycle: Cycle, who: str) -> None:
        self._cycle = cycle
        self._who = who
        self._chance = random.Random(f"{who} {cycle.seed}")
        self._sent: list[TimedSend] = []
        self._number = 0

    async def run(self) -> None:
        """Write until users are quiet."""
        while self._cycle.is_busy:
            await asyncio.sleep(self._chance.expovariate(SENDS_A_SECOND))
            verbs = (self.send, self._edit, self._delete, self._react, self._read, self._read_notice)
            verb = self._chance.choices(verbs, (60, 14, 4, 14, 6, 6))[0]
            try:
                await verb()
            except (Unanswered, Refused):
                continue

    async def send(self, room: RoomId | None = None) -> None:
        """Send a message, again and again until it is answered or refused."""
        self._number += 1
        room = room or self._chance.choice(self._cycle.rooms)
        user_id = self._cycle.community.users[self._who].user.user_id
        now = asyncio.get_running_loop().time()
        send = TimedSend(f"{self._who}-{self._number}", room, user_id, began_at=now)
        self._cycle.observations.sends[send.nonce] = send
        body = {"content": content_of(send.nonce, 0), "nonce": send.nonce}
        for _ in range(ATTEMPTS):
            try:
                answer = await self._ask("POST", f"{self._cycle.path(room)}/messages", body)
            except Unanswered:
                continue
            self._cycle.history.note(self._who, "sent", f"{send.nonce} is {answer['messageId']}")
            message_id = MessageId(answer["messageId"])
            send.message_id = message_id
            self._sent.append(send)
            return

    async def _edit(self) -> None:
        if not self._sent:
            return
        send = self._chance.choice(self._sent)
        send.tried_version += 1
        version = send.tried_version
        body = {"content": content_of(send.nonce, version)}
        try:
            await self._ask("PATCH", f"{self._cycle.path(send.room)}/messages/{send.message_id}", body)
        except Unanswered:
            # A paused node may still do it, after a later edit: this one is the last.
            self._sent.remove(send)
            raise
        send.version = version

    async def _delete(self) -> None:
        if not self._sent:
            return
        send = self._chance.choice(self._sent)
        self._sent.remove(send)
        send.may_be_deleted = True
        await self._ask("DELETE", f"{self._cycle.path(send.room)}/messages/{send.message_id}")
        send.is_deleted = True

    async def _react(self) -> None:
        """Add a reaction to a message of any user, or remove the own one."""
        observed = self._cycle.observations
        sent = [send for send in observed.sends.values() if send.message_id is not None and not send.may_be_deleted]
        if not sent:
            return
        send, emoji = self._chance.choice(sent[-RECENT:]), self._chance.choice(EMOJI)
        assert send.message_id is not None
        what = Reacted(send.message_id, emoji, self._cycle.community.users[self._who].user.user_id)
        if observed.reactions.get(what) == "unknown":
            return  # a paused node may still do it
        is_there = observed.reactions.get(what) == "there"
        after: Literal["there", "gone"] = "gone" if is_there else "there"
        path = f"{self._cycle.path(send.room)}/messages/{send.message_id}/reactions/{quote(emoji)}"
        observed.reactions[what] = "unknown"
        try:
            await self._ask("DELETE" if is_there else "PUT", path)
        except Refused:
            observed.reactions[what] = "there" if is_there else "gone"
            raise
        observed.reactions[what] = after

    async def _read_notice(self) -> None:
        user_id = self._cycle.community.users[self._who].user.user_id
        notices = self._cycle.observations.notices.values()
        received = [each.message_id for each in notices if each.message_id is not None and user_id in each.recipients]
        if received:
            await self._ask("PUT", f"{INBOX}/messages/{self._chance.choice(received)}/read")

    async def _read(self) -> None:
        if self._sent:
            send = self._chance.choice(self._sent)
            await self._ask("PUT", f"{self._cycle.path(send.room)}/read", {"messageId": send.message_id})

    async def _ask(self, method: str, path: str, body: Any = None) -> Any:
        return await self._cycle.ask(self._who, self._chance, method, path, body)


class Product:
    """The product's backend, which publishes to the inboxes of users, with an id of its own until it is answered."""

    def __init__(self, cycle: Cycle, key: str) -> None:
        self._cycle = cycle
        self._key = key
        self._chance = random.Random(f"product {cycle.seed}")
        self._number = 0

    async def run(self) -> None:
        """Publish until users are quiet."""
        while self._cycle.is_busy:
            await asyncio.sleep(self._chance.expovariate(NOTICES_A_SECOND))
            await self.publish()

    async def publish(self) -> None:
        """Publish to some users, or to all, again and again until it is answered."""
        self._number += 1
        everyone = sorted(user.user.user_id for user in self._cycle.community.users.values())
        is_broadcast = self._chance.random() < BROADCASTS
        recipients = everyone if is_broadcast else self._chance.sample(everyone, self._chance.randint(1, 3))
        notice = Notice(f"notice-{self._number}", frozenset(recipients))
        self._cycle.observations.notices[notice.host_id] = notice
        audience = {"kind": "everyone"} if is_broadcast else {"kind": "users", "userIds": recipients}
        body = {
            "audience": audience,
            "sender": "shop",
            "title": notice.host_id,
            "body": "",
            "hostSystemId": notice.host_id,
        }
        for _ in range(ATTEMPTS):
            try:
                answer = await self._cycle.requests.ask(
                    self._cycle.cluster.any_member(self._chance),
                    "product",
                    self._key,
                    "POST",
                    f"{INBOX}/messages",
                    body,
                )
            except Unanswered:
                continue
            finally:
                if is_broadcast:
                    self._cycle.observations.broadcast(asyncio.get_running_loop().time())
            notice.message_id = answer["messageId"]
            self._cycle.history.note("product", "published", f"{notice.host_id} is {notice.message_id}")
            return


class Memberships:
    """The owner removes members, who join again by an invite.

    A request without an answer may still be done by a node that was paused, so its user is left alone until everything
    has healed.
    """

    def __init__(self, cycle: Cycle, invite: str) -> None:
        self._cycle = cycle
        self._invite = invite
        self._chance = random.Random(f"memberships {cycle.seed}")

    async def run(self) -> None:
        """Remove and add members until users are quiet."""
        members = self._cycle.observations.members
        while self._cycle.is_busy:
            await asyncio.sleep(self._chance.uniform(0.5, 4.0))
            certain = [who for who in self._cycle.removable if members[self._id(who)] != "unknown"]
            if not certain:
                return
            who = self._chance.choice(certain)
            try:
                await (self._remove(who) if members[self._id(who)] == "in" else self.join(who))
            except Unanswered:
                members[self._id(who)] = "unknown"

    async def settle(self) -> None:
        """Make certain that all users are members, whatever was not answered."""
        for who in self._cycle.removable:
            while True:
                try:
                    await self.join(who)
                except Unanswered:
                    continue
                break

    async def join(self, who: str) -> None:
        """Let a user join by the invite."""
        user_id, observations = self._id(who), self._cycle.observations
        observations.joining(user_id, asyncio.get_running_loop().time())
        try:
            await self._cycle.ask(who, self._chance, "POST", f"/invites/{self._invite}/redeem")
        except Refused as refused:
            if refused.status != ALREADY_THERE:
                raise
        observations.has_joined(user_id, asyncio.get_running_loop().time())
        self._cycle.history.note(who, "is a member")

    async def _remove(self, who: str) -> None:
        user_id, cycle = self._id(who), self._cycle
        member = cycle.cluster.any_member(self._chance)
        run = "" if member is None else member.incarnation
        path = f"/servers/{cycle.community.server_id}/members/{user_id}"
        token = cycle.community.users[OWNER].access_token
        await cycle.requests.ask(member, OWNER, token, "DELETE", path)
        cycle.observations.removed(user_id, asyncio.get_running_loop().time(), run)
        cycle.history.note(OWNER, "removed", f"{who} on {run}")

    def _id(self, who: str) -> Any:
        return self._cycle.community.users[who].user.user_id

"""A tenant with a server key, an inbox, and users with or without accounts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from communities.conftest import Ahead
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, KeyId, Tenant, UserId
from sobremesa.core.clock import SetClock
from sobremesa.domains.accounts.entities import User, user_by_id
from sobremesa.domains.inboxes.counting import CategoryCount, InboxCount
from sobremesa.domains.inboxes.entities import InboxKey
from sobremesa.domains.inboxes.listing import Entry
from sobremesa.domains.inboxes.message_ids import InboxMessageId
from sobremesa.domains.inboxes.publish_entities import Publish
from sobremesa.domains.inboxes.publishing import Notice
from sobremesa.domains.inboxes.service import Inboxes
from sobremesa.table import Put, RawKey
from sobremesa.table.engines.protocol import DeleteItem, RawChange
from sobremesa.table.values import Item

NOW_MS = 2_500_000_000_000
"""The time of the tests: in the future, so that no endpoint expires rows, and fixed until a test moves it."""
SHOP = Tenant("shop")
NEWS = InboxKey("news")
SCOPES = frozenset({"inbox:publish", "inbox:admin", "inbox:read"})
KEY = Actor(tenant=SHOP, key_id=KeyId("key"), scopes=SCOPES)


def reader(name: str, tenant: Tenant = SHOP) -> Actor:
    return Actor.of_user(UserId(name), name, tenant)


ANA, BEN, CLEO = map(reader, ("ana", "ben", "cleo"))


class Shop:
    """The tenant, and the operations of its backend and users."""

    def __init__(
        self, app: Sobremesa, clock: Ahead | SetClock, inbox: InboxKey = NEWS, inboxes: Inboxes | None = None
    ) -> None:
        self.app = app
        self.clock = clock
        self.inbox = inbox
        self.inboxes = inboxes or app.inboxes
        self._with_account: set[str] = set()

    async def create_users(self, *users: Actor, **fields: Any) -> None:
        """Create accounts now."""
        now = self.clock.now()
        await self.app.table.write_many(
            Put(User(user_id=who.user_id, username=who.username, tenant=who.tenant, created_at=now, **fields))
            for who in users
        )

    async def send(self, *users: Actor, **notice: Any) -> InboxMessageId:
        """Publish to these users, or a broadcast without any; return the id of the message."""
        return (await self.publish(*users, **notice)).message_id

    async def publish(self, *users: Actor, **notice: Any) -> Publish:
        given = {"sender": "shop", "title": "News", "body": "Something new"} | notice
        if not users:
            return await self.inboxes.publish_to_everyone(KEY, SHOP, self.inbox, Notice(**given))
        uids = [who.user_id for who in users]
        await self.require_accounts(uids)
        return await self.inboxes.publish_to_users(KEY, SHOP, self.inbox, Notice(**given), uids)

    async def require_accounts(self, user_ids: Sequence[str]) -> None:
        """Create accounts, as of an issuer of the product, for those who have none: a recipient needs one."""
        unsure = [user_id for user_id in dict.fromkeys(user_ids) if user_id not in self._with_account]
        found = await self.app.table.get_many([user_by_id(user_id=user_id) for user_id in unsure], consistent=True)
        missing = [user_id for user_id, user in zip(unsure, found, strict=True) if user is None]
        if missing:
            await self.create_users(*map(reader, missing), identity="issuer-and-subject")
        self._with_account.update(unsure)

    async def publish_to(self, user_ids: Sequence[str], **notice: Any) -> Publish:
        given = {"sender": "shop", "title": "News", "body": "Something new"} | notice
        uids = [UserId(user_id) for user_id in user_ids]
        await self.require_accounts(uids)
        return await self.inboxes.publish_to_users(KEY, SHOP, self.inbox, Notice(**given), uids)

    async def entries(self, who: Actor, **options: Any) -> list[Entry]:
        """Return all visible messages of a user, page by page."""
        found: list[Entry] = []
        cursor: str | None = None
        while True:
            page, cursor = await self.inboxes.list_messages(
                who, who.tenant, self.inbox, cursor=cursor, **{"limit": 100, **options}
            )
            found += page
            if cursor is None:
                return found

    async def ids(self, who: Actor, **options: Any) -> list[str]:
        return [entry.message_id for entry in await self.entries(who, **options)]

    async def count(self, who: Actor) -> InboxCount:
        return await self.inboxes.count(who, who.tenant, self.inbox)

    async def numbers(self, who: Actor) -> tuple[int, int]:
        count = await self.count(who)
        return count.total, count.unread

    async def read(self, who: Actor, message_id: str) -> bool:
        return await self.inboxes.mark_read(who, who.tenant, self.inbox, InboxMessageId(message_id))

    async def archive(self, who: Actor, message_id: str) -> bool:
        return await self.inboxes.archive(who, who.tenant, self.inbox, InboxMessageId(message_id))

    async def snooze(self, who: Actor, message_id: str, *, seconds: int) -> bool:
        until_ms = self.clock.now_ms() + seconds * 1000
        return await self.inboxes.snooze(who, who.tenant, self.inbox, InboxMessageId(message_id), until_ms=until_ms)

    async def mute(self, who: Actor, category: str, *, muted: bool = True) -> None:
        await self.inboxes.set_preference(who, who.tenant, self.inbox, category, muted=muted)

    async def recount(self, who: Actor) -> InboxCount:
        """Return the counts of the listed messages."""
        entries = await self.entries(who)
        muted = {row["category"] for row in await self.rows("p#") if row["uid"] == who.user_id and row["muted"]}
        totals = Counter(entry.message.category for entry in entries)
        unread = Counter(entry.message.category for entry in entries if entry.readat is None)
        return InboxCount(
            len(entries),
            sum(number for category, number in unread.items() if category not in muted),
            {
                category: CategoryCount(totals[category], unread[category], category in muted)
                for category in sorted(filter(None, totals))
            },
        )

    async def rows(self, prefix: str = "") -> list[Item]:
        """Return all inbox rows whose sort key starts with a prefix."""
        return [
            item
            async for item in self.app.table.scan(consistent=True)
            if item["pk"].startswith("t#") and item["sk"].startswith(prefix)
        ]

    async def removed_by_the_store(self) -> list[RawChange]:
        """Remove expired rows as DynamoDB's time to live does, and return their stream records."""
        now = self.clock.now_ms() // 1000
        changes = []
        for item in await self.rows("m#"):
            if item.get("ttl", now + 1) <= now:
                key = RawKey(item["pk"], item["sk"])
                await self.app.table.engine.write(DeleteItem(key))
                changes.append(RawChange(f"event-{key.pk}-{key.sk}", now * 1000, key, item, None, expired=True))
        return changes

    async def consume(self, *changes: RawChange) -> None:
        """Consume stream records."""
        for change in changes:
            self.inboxes.expiring.collect(change)
        await self.inboxes.expiring.flush()

"""Create, list and delete bots, and change their tokens."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, TypeAlias

from sobremesa.core.actor import DEFAULT_TENANT, Actor, PublicProfile, Tenant, UserId
from sobremesa.core.clock import Clock
from sobremesa.core.errors import ChangedMeanwhile, NotFound
from sobremesa.domains.accounts.audit import Audit, tenant_scope
from sobremesa.domains.accounts.bot_accounts import NewBot
from sobremesa.domains.accounts.entities import profile_of
from sobremesa.domains.accounts.errors import UsernameTaken
from sobremesa.domains.accounts.service import Accounts
from sobremesa.domains.bots.entities import (
    ServerBot,
    TenantBot,
    bots_of_server,
    bots_of_tenant,
    create_server_bot,
    create_tenant_bot,
    remove_bot,
    server_bot,
    tenant_bot,
)
from sobremesa.domains.bots.errors import TooManyBots
from sobremesa.domains.communities.access import Access
from sobremesa.domains.communities.entities import ServerId, ServerMembership, server_by_id
from sobremesa.domains.communities.permissions import Right
from sobremesa.table import Check, Create, Delete, Operation, Table, WritePattern, absent_or_null, present
from sobremesa.table.errors import ConditionFailed
from sobremesa.work.quotas import Quotas, guard_of

MAX_SERVER_BOTS = 50
MAX_TENANT_BOTS = 500
MANAGE: Right = "manage_server"

BotRow: TypeAlias = ServerBot | TenantBot


class Bot(NamedTuple):
    """A bot, with its profile."""

    row: BotRow
    profile: PublicProfile


class CreatedBot(NamedTuple):
    """A new bot, and its token, which is available only here."""

    bot: Bot
    token: str


class Bots:
    """The bots of servers and tenants."""

    def __init__(self, table: Table, clock: Clock, *, accounts: Accounts, access: Access, audit: Audit) -> None:
        self._table = table
        self._clock = clock
        self._accounts = accounts
        self._access = access
        self._audit = audit
        self._quotas = Quotas(table, clock)

    # Of servers

    async def create_in_server(
        self, actor: Actor, server_id: ServerId, *, username: str, display_name: str | None = None
    ) -> CreatedBot:
        """Create a bot that is a member of a server; UsernameTaken, TooManyBots."""
        actor.require_person()
        member = await self._access.require_member(actor, server_id, MANAGE)
        tenant = member.server.tenant or DEFAULT_TENANT
        new = await self._accounts.bots.new(tenant, username=username, display_name=display_name)
        user_id, now = new.user.user_id, new.user.created_at
        row = ServerBot(server_id=server_id, user_id=user_id, created_by=actor.user_id, created_at=now)

        async def reserve() -> Operation:
            return _room_for(
                await self._quotas.reserve("bots", server_id, bots_of_server(server_id=server_id), MAX_SERVER_BOTS),
                MAX_SERVER_BOTS,
            )

        seat = ServerMembership(user_id=user_id, server_id=server_id, role="member", joined_at=now)
        await self._write(
            reserve,
            new,
            create_server_bot,
            bot=Create(row),
            member=Create(seat),
            server=Check(server_by_id(server_id=server_id), when=present() & absent_or_null("deleted_at")),
            actor=self._access.role_check(member),
            audit=self._audit.entry(server_id, actor, "bot.create", target=user_id),
        )
        return CreatedBot(Bot(row, profile_of(user_id, new.user)), new.token.text)

    async def list_in_server(
        self, actor: Actor, server_id: ServerId, *, limit: int = 50, cursor: str | None = None
    ) -> tuple[list[Bot], str | None]:
        """Return a page of the bots that belong to a server."""
        await self._access.require_member(actor, server_id)
        page = await self._table.query(bots_of_server(server_id=server_id), limit=limit, cursor=cursor)
        return await self._with_profiles(page.items), page.cursor

    async def rotate_in_server(self, actor: Actor, server_id: ServerId, user_id: UserId) -> str:
        """Return a new token of a bot of a server; the old one is refused from now on."""
        await self._managed_in_server(actor, server_id, user_id)
        audit = self._audit.entry(server_id, actor, "bot.rotate", target=user_id)
        return await self._accounts.bots.rotate(user_id, audit)

    async def revoke_in_server(self, actor: Actor, server_id: ServerId, user_id: UserId) -> None:
        """Revoke the token of a bot of a server, and close its sockets."""
        await self._managed_in_server(actor, server_id, user_id)
        audit = self._audit.entry(server_id, actor, "bot.revoke", target=user_id)
        await self._accounts.bots.revoke(user_id, audit)

    async def delete_in_server(self, actor: Actor, server_id: ServerId, user_id: UserId) -> None:
        """Delete a bot of a server with its account."""
        row = await self._managed_in_server(actor, server_id, user_id)
        await self._delete(row, self._audit.entry(server_id, actor, "bot.delete", target=user_id))

    # Of tenants

    async def create_in_tenant(
        self, actor: Actor, tenant: Tenant, *, username: str, display_name: str | None = None
    ) -> CreatedBot:
        """Create a bot of a tenant, which is in no server yet; UsernameTaken, TooManyBots."""
        actor.require_tenant(tenant)
        new = await self._accounts.bots.new(tenant, username=username, display_name=display_name)
        user_id = new.user.user_id
        row = TenantBot(tenant=tenant, user_id=user_id, created_by=_name_of(actor), created_at=new.user.created_at)

        async def reserve() -> Operation:
            return _room_for(
                await self._quotas.reserve("bots", f"t:{tenant}", bots_of_tenant(tenant=tenant), MAX_TENANT_BOTS),
                MAX_TENANT_BOTS,
            )

        audit = self._audit.entry(tenant_scope(tenant), actor, "bot.create", target=user_id)
        await self._write(reserve, new, create_tenant_bot, bot=Create(row), audit=audit)
        return CreatedBot(Bot(row, profile_of(user_id, new.user)), new.token.text)

    async def list_in_tenant(
        self, actor: Actor, tenant: Tenant, *, limit: int = 50, cursor: str | None = None
    ) -> tuple[list[Bot], str | None]:
        """Return a page of the bots that belong to a tenant."""
        actor.require_tenant(tenant)
        page = await self._table.query(bots_of_tenant(tenant=tenant), limit=limit, cursor=cursor)
        return await self._with_profiles(page.items), page.cursor

    async def rotate_in_tenant(self, actor: Actor, tenant: Tenant, user_id: UserId) -> str:
        """Return a new token of a bot of a tenant; the old one is refused from now on."""
        await self._managed_in_tenant(actor, tenant, user_id)
        audit = self._audit.entry(tenant_scope(tenant), actor, "bot.rotate", target=user_id)
        return await self._accounts.bots.rotate(user_id, audit)

    async def revoke_in_tenant(self, actor: Actor, tenant: Tenant, user_id: UserId) -> None:
        """Revoke the token of a bot of a tenant, and close its sockets."""
        await self._managed_in_tenant(actor, tenant, user_id)
        audit = self._audit.entry(tenant_scope(tenant), actor, "bot.revoke", target=user_id)
        await self._accounts.bots.revoke(user_id, audit)

    async def delete_in_tenant(self, actor: Actor, tenant: Tenant, user_id: UserId) -> None:
        """Delete a bot of a tenant with its account."""
        row = await self._managed_in_tenant(actor, tenant, user_id)
        await self._delete(row, self._audit.entry(tenant_scope(tenant), actor, "bot.delete", target=user_id))

    # Deleted servers

    async def clean_server(self, subject: str) -> None:
        """Delete the bots of a deleted server. It can be repeated at any point."""
        server_id = ServerId(subject)
        async for row in self._table.every(bots_of_server(server_id=server_id)):
            with contextlib.suppress(NotFound):
                await self._accounts.delete_bot(row.user_id)
            await self._table.write_many([Delete(row.own_key())], pattern=remove_bot)
        await self._table.write_many([Delete(guard_of(quota="bots", owner_id=server_id))], pattern=remove_bot)

    # Internals

    async def _managed_in_server(self, actor: Actor, server_id: ServerId, user_id: UserId) -> ServerBot:
        """Return a bot that the actor manages; a bot never manages bots, whatever its role."""
        actor.require_person()
        await self._access.require_member(actor, server_id, MANAGE)
        row = await self._table.get(server_bot(server_id=server_id, user_id=user_id))
        if row is None:
            raise NotFound
        return row

    async def _managed_in_tenant(self, actor: Actor, tenant: Tenant, user_id: UserId) -> TenantBot:
        actor.require_tenant(tenant)
        row = await self._table.get(tenant_bot(tenant=tenant, user_id=user_id))
        if row is None:
            raise NotFound
        return row

    async def _write(
        self,
        reserve: Callable[[], Awaitable[Operation]],
        new: NewBot,
        pattern: WritePattern,
        **more: Operation | Sequence[Operation],
    ) -> None:
        try:
            await self._quotas.create(reserve, claims=new.claims, rows=new.rows, **more, pattern=pattern)
        except ConditionFailed as failed:
            raise (UsernameTaken if "claims" in failed else ChangedMeanwhile) from None

    async def _delete(self, row: BotRow, audit: Operation) -> None:
        # The account first: if this fails in between, the bot is still listed, and is deleted by the next attempt.
        with contextlib.suppress(NotFound):
            await self._accounts.delete_bot(row.user_id)
        with contextlib.suppress(ConditionFailed):
            await self._table.write(bot=Delete(row.own_key()), audit=audit, pattern=remove_bot)

    async def _with_profiles(self, rows: Sequence[BotRow]) -> list[Bot]:
        profiles = await self._accounts.profiles(row.user_id for row in rows)
        return [Bot(row, profiles[row.user_id]) for row in rows]


def _room_for(reserved: Operation | None, limit: int) -> Operation:
    if reserved is None:
        raise TooManyBots(limit=limit)
    return reserved


def _name_of(actor: Actor) -> str:
    return actor.user or str(actor.key_id)

"""Blocks: a user does not receive direct messages of a user that they have blocked."""

from __future__ import annotations

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.errors import NotFound
from sobremesa.domains.accounts.context import AccountContext
from sobremesa.domains.accounts.entities import Block, block_of, block_user, blocks_of
from sobremesa.domains.accounts.errors import SelfBlock
from sobremesa.table import Create, Delete, Page
from sobremesa.table.errors import ConditionFailed


class Blocks:
    """Which users each user has blocked."""

    def __init__(self, context: AccountContext) -> None:
        self._table = context.table
        self._clock = context.clock
        self._directory = context.directory

    async def block(self, actor: Actor, user_id: UserId) -> Block:
        """Block a user of the actor's tenant and return the block, which may exist already."""
        if user_id == actor.user_id:
            raise SelfBlock
        await self._directory.get_user(user_id, actor.tenant)

        try:
            return await self._table.write(
                Create(Block(user_id=actor.user_id, blocked_id=user_id, created_at=self._clock.now())),
                pattern=block_user,
            )
        except ConditionFailed:
            return await self.get_block(actor, user_id)

    async def unblock(self, actor: Actor, user_id: UserId) -> None:
        """Unblock a user; NotFound if they were not blocked."""
        try:
            await self._table.write(Delete(Block.key(user_id=actor.user_id, blocked_id=user_id)), pattern=block_user)
        except ConditionFailed:
            raise NotFound from None

    async def get_block(self, actor: Actor, user_id: UserId) -> Block:
        """Return the actor's block of a user; NotFound if there is none."""
        block = await self._table.get(block_of(user_id=actor.user_id, blocked_id=user_id))
        if block is None:
            raise NotFound
        return block

    async def has_blocked(self, user_id: UserId, other: UserId) -> bool:
        """Return whether a user has blocked another."""
        return await self._table.get(block_of(user_id=user_id, blocked_id=other)) is not None

    async def list_blocks(self, actor: Actor, *, limit: int = 50, cursor: str | None = None) -> Page[Block]:
        """Return a page of the actor's blocks."""
        return await self._table.query(blocks_of(user_id=actor.user_id), limit=limit, cursor=cursor)

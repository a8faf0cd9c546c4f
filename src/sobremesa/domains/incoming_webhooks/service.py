"""Create, list and delete incoming webhooks, and post by them."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.clock import Clock
from sobremesa.core.errors import ChangedMeanwhile, NotFound
from sobremesa.core.ids import Ids, RoomId, RoomKindName
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.accounts.entities import User
from sobremesa.domains.accounts.errors import require_own_picture
from sobremesa.domains.accounts.secret_hash import secret_hash
from sobremesa.domains.communities.entities import ServerId, channels_of
from sobremesa.domains.incoming_webhooks.entities import (
    HookId,
    IncomingHook,
    clean_hooks,
    create_hook,
    delete_hook,
    hook_by_id,
    hooks_of,
)
from sobremesa.domains.incoming_webhooks.errors import NothingToPost, TooManyHooks
from sobremesa.domains.incoming_webhooks.rooms import HookRooms
from sobremesa.http.limits import Limits
from sobremesa.rooms.context import RoomContext
from sobremesa.rooms.posting import Posting
from sobremesa.rooms.sending import Draft
from sobremesa.rooms.views import SentView
from sobremesa.table import Check, Create, Delete, Operation, Table, equals
from sobremesa.table.errors import BadKey, ConditionFailed
from sobremesa.work.quotas import Quotas, guard_of

MAX_HOOKS = 20
SECRET_BYTES = 24
MAX_TOKEN = 200
MAX_MENTIONS = 10
DEFAULT_NAME = "Webhook"

_NO_HASH = secret_hash("no webhook has this token")


class CreatedHook(NamedTuple):
    """A new webhook, and its token, which is available only here."""

    hook: IncomingHook
    token: str


class Post(NamedTuple):
    """What to post, in the room's own Markdown."""

    content: str
    username: str | None = None
    nonce: str | None = None
    data: dict[str, Any] | None = None
    """Custom data, within the tenant's schema of messages."""
    may_mention: bool = False
    """Whether user names in it are mentions. Texts of other products have names of their own."""


class IncomingWebhooks:
    """The incoming webhooks of all rooms."""

    def __init__(self, context: RoomContext, *, rooms: Sequence[HookRooms], audit: Audit, limits: Limits) -> None:
        self._table: Table = context.table
        self._clock: Clock = context.clock
        self._ids: Ids = context.ids
        self._audit = audit
        self._limits = limits
        self._quotas = Quotas(context.table, context.clock)
        self._rooms: Mapping[RoomKindName, HookRooms] = {each.kind.name: each for each in rooms}
        self._posting = {each.kind.name: Posting.of(each.kind, context, each) for each in rooms}

    # For those who manage the room

    async def create(
        self,
        actor: Actor,
        room_kind: RoomKindName,
        room_id: RoomId,
        *,
        name: str | None = None,
        avatar_url: str | None = None,
    ) -> CreatedHook:
        """Create a webhook of a room; TooManyHooks, Invalid if the picture is not the address of an upload."""
        require_own_picture("avatarUrl", avatar_url)
        managed = await self._rooms[room_kind].require_manager(actor, room_id)
        hook_id = HookId(self._ids.mint())
        token = f"{room_id}_{hook_id}_{secrets.token_hex(SECRET_BYTES)}"
        hook = IncomingHook(
            room_id=room_id,
            hook_id=hook_id,
            room_kind=room_kind,
            user_id=UserId(self._ids.mint()),
            name=name or DEFAULT_NAME,
            avatar_url=avatar_url,
            tenant=actor.tenant,
            hash=secret_hash(token),
            created_by=actor.user_id,
            created_at=self._clock.now(),
        )

        async def reserve() -> Operation:
            reserved = await self._quotas.reserve("hooks", room_id, hooks_of(room_id=room_id), MAX_HOOKS)
            if reserved is None:
                raise TooManyHooks(limit=MAX_HOOKS)
            return reserved

        try:
            await self._quotas.create(
                reserve,
                hook=Create(hook),
                author=Create(_author_of(hook)),
                actor=managed.still,
                audit=self._audit.entry(managed.scope, actor, "hook.create", target=hook_id),
                pattern=create_hook,
            )
        except ConditionFailed:
            raise ChangedMeanwhile from None
        return CreatedHook(hook, token)

    async def list_hooks(
        self, actor: Actor, room_kind: RoomKindName, room_id: RoomId, *, limit: int = 50, cursor: str | None = None
    ) -> tuple[list[IncomingHook], str | None]:
        """Return a page of the webhooks of a room."""
        await self._rooms[room_kind].require_manager(actor, room_id)
        page = await self._table.query(hooks_of(room_id=room_id), limit=limit, cursor=cursor)
        return [hook for hook in page.items if hook.room_kind == room_kind], page.cursor

    async def delete(self, actor: Actor, room_kind: RoomKindName, room_id: RoomId, hook_id: HookId) -> None:
        """Delete a webhook. Its messages stay; NotFound if there is none."""
        managed = await self._rooms[room_kind].require_manager(actor, room_id)
        try:
            await self._table.write(
                hook=Delete(hook_by_id(room_id=room_id, hook_id=hook_id)),
                actor=managed.still,
                audit=self._audit.entry(managed.scope, actor, "hook.delete", target=hook_id),
                pattern=delete_hook,
            )
        except ConditionFailed as failed:
            if "hook" in failed:
                raise NotFound from None
            raise ChangedMeanwhile from None

    # For programs with the address

    async def require_hook(self, token: str) -> IncomingHook:
        """Return the webhook of a token; NotFound if there is none, after the same work.

        It counts the request, so that one webhook cannot fill a room.
        """
        token = token if token.isascii() else ""
        hook = await self._find(token)
        known = hmac.compare_digest(_NO_HASH if hook is None else hook.hash, secret_hash(token))
        if hook is None or not known:
            raise NotFound
        await self._limits.consume("send", f"hook:{hook.hook_id}")
        return hook

    async def post(self, hook: IncomingHook, post: Post) -> SentView:
        """Post a message to the room of a webhook; NothingToPost without text."""
        if not post.content.strip():
            raise NothingToPost
        author = Actor(tenant=hook.tenant, user=hook.user_id, username=post.username or hook.name, is_bot=True)
        draft = Draft(post.content, nonce=post.nonce, data=post.data)
        seat = await self._rooms[hook.room_kind].authorize_send(author, hook.room_id)
        guard = Check(hook.own_key(), when=equals("hash", hook.hash))
        max_mentions = MAX_MENTIONS if post.may_mention else 0
        try:
            return await self._posting[hook.room_kind].send(seat, draft, guards=[guard], max_mentions=max_mentions)
        except ConditionFailed:
            raise NotFound from None  # it was deleted meanwhile

    # Deleted rooms

    async def clean_room(self, subject: str) -> None:
        """Remove the webhooks of a deleted room, and their authors."""
        room_id = RoomId(subject)
        async for hook in self._table.every(hooks_of(room_id=room_id)):
            removed = [Delete(User.key(user_id=hook.user_id)), Delete(hook.own_key())]
            await self._table.write_many(removed, pattern=clean_hooks)
        await self._table.write_many([Delete(guard_of(quota="hooks", owner_id=room_id))], pattern=clean_hooks)

    async def clean_server(self, subject: str) -> None:
        """Remove the webhooks of all channels of a deleted server."""
        async for channel in self._table.every(channels_of(server_id=ServerId(subject))):
            await self.clean_room(channel.channel_id)

    # Internals

    async def _find(self, token: str) -> IncomingHook | None:
        # From the right: the ids of rooms of other writers may contain the separator.
        parts = token.rsplit("_", 2)
        room_id, hook_id = parts[:2] if len(parts) == 3 and len(token) <= MAX_TOKEN else ("none", "none")
        try:
            return await self._table.get(hook_by_id(room_id=RoomId(room_id), hook_id=HookId(hook_id)))
        except BadKey:
            return await self._table.get(hook_by_id(room_id=RoomId("none"), hook_id=HookId("none")))


def _author_of(hook: IncomingHook) -> User:
    """Return the author of a webhook's messages. No user is found by its name, which is not claimed."""
    return User(
        user_id=hook.user_id,
        username=f"hook-{hook.hook_id.lower()}",
        display_name=hook.name,
        avatar_url=hook.avatar_url,
        tenant=hook.tenant,
        is_bot=True,
        created_at=hook.created_at,
        updated_at=hook.created_at,
    )

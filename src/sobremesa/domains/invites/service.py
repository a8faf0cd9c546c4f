"""The verbs of invites, for everything that an invite can lead to.

A domain describes itself by an `InviteKind`: its rows, who may do what, and what else must be true when somebody
joins. The order of a redemption's operations is the order in which its refusals are looked for.
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from sobremesa.core.actor import Actor, UserId
from sobremesa.core.clock import Clock, Instant, instant
from sobremesa.core.errors import Busy, NotFound, Unauthenticated
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.accounts.entities import user_by_id
from sobremesa.domains.invites.codes import InviteCode, new_code
from sobremesa.domains.invites.entities import InviteRow
from sobremesa.domains.invites.errors import AlreadyMember, InviteUsedUp
from sobremesa.domains.invites.rules import has_null_uses, is_open, is_over, use
from sobremesa.table import Check, Create, Delete, Entity, Key, Operation, Table, WritePattern, absent_or_null
from sobremesa.table.errors import ConditionFailed
from sobremesa.work.idempotency import Idempotency
from sobremesa.work.quotas import ATTEMPTS, CountChanged

USE_ATTEMPTS = 3
"""A row whose `uses` is NULL turns into one with a number once, so the third attempt cannot fail for it."""

InviteT = TypeVar("InviteT", bound=InviteRow)
TargetT = TypeVar("TargetT")
FoundT = TypeVar("FoundT")
JoinedT = TypeVar("JoinedT")


class NewInvite(NamedTuple):
    """What a new invite stores, beside what it leads to."""

    code: InviteCode
    created_by: UserId
    expires_at: Instant | None
    max_uses: int | None
    created_at: Instant
    ttl: int | None
    creator_joined_at: Instant | None


class Permit(NamedTuple):
    """That an actor may create or list invites of a target."""

    conditions: Sequence[Operation]
    """What must still be true when it is written."""
    member_since: Instant | None = None


class Guard(NamedTuple):
    """One operation of a redemption, and the refusal if its condition does not hold."""

    operation: Operation
    refusal: Callable[[], Exception]


class Joining(NamedTuple, Generic[JoinedT]):
    """How somebody joins: the row that makes them a member, what else must be true, and the answer."""

    member: Entity
    guards: Sequence[Guard]
    answer: JoinedT


class InviteKind(ABC, Generic[InviteT, TargetT, FoundT, JoinedT]):
    """What a domain says of its invites."""

    claims_as: str
    """The name under which idempotency keys of new invites are kept."""
    create: WritePattern
    redeem: WritePattern
    revoke: WritePattern

    @abstractmethod
    async def authorize(self, actor: Actor, target_id: str, act: Literal["create", "list"]) -> Permit:
        """Return a permit; raise NotFound or Forbidden if the actor may not do this."""

    @abstractmethod
    async def authorize_revoke(self, actor: Actor, invite: InviteT) -> Sequence[Operation]:
        """Return what must be true when this invite is revoked; raise NotFound or Forbidden if the actor may not."""

    @abstractmethod
    def rows(self, target_id: str, new: NewInvite) -> tuple[InviteT, Entity]:
        """The row of a new invite, and the row by which it is found or listed."""

    @abstractmethod
    async def companion(self, invite: InviteT) -> Key[Any] | None:
        """The key of the row that goes with this invite; None where another writer made none."""

    @abstractmethod
    async def page(self, target_id: str, limit: int, cursor: str | None) -> tuple[list[InviteT], str | None]:
        """A page of the invites of a target, used up and expired ones among them."""

    @abstractmethod
    async def find(self, code: InviteCode) -> InviteT | None:
        """The invite of a code, if it leads to a target of this kind."""

    @abstractmethod
    async def find_target(self, invite: InviteT) -> TargetT | None:
        """What an invite leads to, unless it is gone."""

    @abstractmethod
    async def disowned(self, invites: Sequence[InviteT]) -> set[InviteCode]:
        """The codes among these that ended with the membership of their creator."""

    @abstractmethod
    async def joining(self, actor: Actor, invite: InviteT, target: TargetT, now: Instant) -> Joining[JoinedT]:
        """How the actor joins the target; one guard says the same as `disowned`."""

    @abstractmethod
    def scope_of(self, invite: InviteT) -> str:
        """The scope of the audit log in which a revocation is noted."""

    @abstractmethod
    def found(self, invite: InviteT, target: TargetT) -> FoundT:
        """The answer to what a code leads to."""


class Invites(Generic[InviteT, TargetT, FoundT, JoinedT]):
    """Invites of one kind."""

    def __init__(
        self,
        kind: InviteKind[InviteT, TargetT, FoundT, JoinedT],
        table: Table,
        clock: Clock,
        audit: Audit,
        idempotency: Idempotency,
    ) -> None:
        self._kind = kind
        self._table = table
        self._clock = clock
        self._audit = audit
        self._idempotency = idempotency

    async def create(
        self,
        actor: Actor,
        target_id: str,
        *,
        max_uses: int | None = None,
        expires_in_seconds: int | None = None,
        key: str | None = None,
    ) -> InviteT:
        """Create a code that lets people in, so often and for so long."""
        permit = await self._kind.authorize(actor, target_id, "create")
        claim = self._idempotency.claim(actor, key, self._kind.claims_as, [target_id, max_uses, expires_in_seconds])

        invite, companion = self._kind.rows(target_id, self._new(actor, permit, max_uses, expires_in_seconds))
        try:
            await self._table.write(
                Create(invite),
                Create(companion),
                *permit.conditions,
                *claim.operations(invite.code),
                pattern=self._kind.create,
            )
        except ConditionFailed as failed:
            made = await claim.made(failed)
            if made is None:
                raise NotFound from None
            return (await self._get(InviteCode(made)))[0]

        return invite

    async def list_invites(
        self, actor: Actor, target_id: str, *, limit: int, cursor: str | None = None
    ) -> tuple[list[InviteT], str | None]:
        """The invites of a target that can still be used."""
        await self._kind.authorize(actor, target_id, "list")
        invites, after = await self._kind.page(target_id, limit, cursor)
        open_ones = [invite for invite in invites if is_open(invite, self._clock.now())]
        disowned = await self._kind.disowned(open_ones)
        return [invite for invite in open_ones if invite.code not in disowned], after

    async def find(self, code: InviteCode) -> InviteT | None:
        """The invite of a code, whether or not it can be used; None if it leads to nothing of this kind."""
        return await self._kind.find(code)

    async def get(self, actor: Actor, code: InviteCode) -> FoundT:
        """What a code leads to; everybody who has it may know."""
        return self._kind.found(*await self._get(code))

    async def redeem(self, actor: Actor, code: InviteCode) -> JoinedT:
        """Join by an invite: one transaction, which spends one use and makes one member."""
        invite, target = await self._look_at(code)

        for _ in range(ATTEMPTS):
            now = self._clock.now()
            joining = await self._kind.joining(actor, invite, target, now)
            guards = [
                Guard(Create(joining.member), AlreadyMember),
                Guard(Check(user_by_id(user_id=actor.user_id), when=absent_or_null("deleted_at")), Unauthenticated),
                *joining.guards,
            ]
            with contextlib.suppress(CountChanged):
                await self._write_redemption(invite, guards, now)
                return joining.answer
        raise Busy

    async def revoke(self, actor: Actor, code: InviteCode) -> None:
        """Make a code useless."""
        invite = await self._kind.find(code)
        if invite is None:
            raise NotFound
        still_allowed = await self._kind.authorize_revoke(actor, invite)

        companion = await self._kind.companion(invite)
        try:
            await self._table.write(
                Delete(invite.own_key()),
                *still_allowed,
                self._audit.entry(self._kind.scope_of(invite), actor, "invite.revoke", target=code),
                *([] if companion is None else [Delete(companion)]),
                pattern=self._kind.revoke,
            )
        except ConditionFailed:
            raise NotFound from None

    # Inside

    async def _write_redemption(self, invite: InviteT, guards: Sequence[Guard], now: Instant) -> None:
        is_null = False
        for _ in range(USE_ATTEMPTS):
            operations = [guard.operation for guard in guards]
            try:
                await self._table.write(
                    *operations, use(invite.own_key(), now, is_null=is_null), pattern=self._kind.redeem
                )
            except ConditionFailed as failed:
                if not _counts_otherwise(failed, at=len(guards), is_null=is_null):
                    raise _refusal(failed, guards) from None
                is_null = not is_null
            else:
                return
        raise Busy

    async def _get(self, code: InviteCode) -> tuple[InviteT, TargetT]:
        invite, target = await self._look_at(code)
        if not is_open(invite, self._clock.now()) or await self._kind.disowned([invite]):
            raise NotFound
        return invite, target

    async def _look_at(self, code: InviteCode) -> tuple[InviteT, TargetT]:
        """What a code leads to, or has led to until it was used up; NotFound if it leads nowhere any more."""
        invite = await self._kind.find(code)
        if invite is None or is_over(invite, self._clock.now()):
            raise NotFound
        target = await self._kind.find_target(invite)
        if target is None:
            raise NotFound
        return invite, target

    def _new(self, actor: Actor, permit: Permit, max_uses: int | None, expires_in_seconds: int | None) -> NewInvite:
        now_ms = self._clock.now_ms()
        ends_ms = None if expires_in_seconds is None else now_ms + expires_in_seconds * 1000
        return NewInvite(
            code=new_code(),
            created_by=actor.user_id,
            expires_at=None if ends_ms is None else instant(ends_ms),
            max_uses=max_uses,
            created_at=instant(now_ms),
            # Rounded up: `expires_at` decides to the millisecond, this one only removes the row.
            ttl=None if ends_ms is None else -(-ends_ms // 1000),
            creator_joined_at=permit.member_since,
        )


def _counts_otherwise(failed: ConditionFailed, *, at: int, is_null: bool) -> bool:
    """Did nothing stand in the way but that `uses` is NULL and was taken for a number, or the other way round?"""
    return all(
        failure.index == at and failure.item is not None and has_null_uses(failure.item) is not is_null
        for failure in failed.failures
    )


def _refusal(failed: ConditionFailed, guards: Sequence[Guard]) -> Exception:
    for place, guard in enumerate(guards):
        if failed.at(place):
            return guard.refusal()
    return InviteUsedUp()

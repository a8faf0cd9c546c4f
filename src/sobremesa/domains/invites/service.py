"""The operations of invites, for every kind of target.

A domain implements `InviteKind`: its rows, its rights, and its conditions when a user joins. The order of a
redemption's operations is the order in which their refusals are checked.
"""

from __future__ import annotations

import contextlib
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from sobremesa.core.actor import Actor, Tenant, UserId
from sobremesa.core.clock import Clock, Instant, instant
from sobremesa.core.errors import AlreadyMember, Busy, NotFound, Unauthenticated
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.accounts.entities import user_by_id
from sobremesa.domains.invites.codes import InviteCode, new_code
from sobremesa.domains.invites.counting import UseCounts
from sobremesa.domains.invites.entities import InviteRow
from sobremesa.domains.invites.errors import InviteUsedUp
from sobremesa.domains.invites.rules import has_null_uses, is_open, is_over, use, use_share
from sobremesa.table import Check, Create, Delete, Entity, Key, Operation, Table, WritePattern, absent_or_null, always
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
    """The fields of a new invite, without its target."""

    code: InviteCode
    created_by: UserId
    expires_at: Instant | None
    max_uses: int | None
    created_at: Instant
    ttl: int | None
    creator_joined_at: Instant | None


class Permit(NamedTuple):
    """Permission to create or list the invites of a target."""

    conditions: Sequence[Operation]
    """Checks that the permission still holds when the invite is written."""
    member_since: Instant | None = None


class Guard(NamedTuple):
    """One operation of a redemption, and the refusal if its condition does not hold."""

    operation: Operation
    refusal: Callable[[], Exception]


class Joining(NamedTuple, Generic[JoinedT]):
    """How a user joins: the membership row, the conditions, and the result."""

    member: Entity
    guards: Sequence[Guard]
    answer: JoinedT


class InviteKind(ABC, Generic[InviteT, TargetT, FoundT, JoinedT]):
    """The invites of one kind of target."""

    claims_as: str
    """The name of the operation for idempotency keys of new invites."""
    create: WritePattern
    redeem: WritePattern
    revoke: WritePattern
    count: WritePattern | None = None
    """Counts uses beside the redemptions, except those of invites with few uses; None: in their transactions."""

    @abstractmethod
    async def authorize(self, actor: Actor, target_id: str, act: Literal["create", "list"]) -> Permit:
        """Return a permit; raise NotFound or Forbidden if the actor may not do this."""

    @abstractmethod
    async def authorize_revoke(self, actor: Actor, invite: InviteT) -> Sequence[Operation]:
        """Return the checks of a revocation; raise NotFound or Forbidden if the actor may not revoke the invite."""

    @abstractmethod
    def rows(self, target_id: str, new: NewInvite) -> tuple[InviteT, Sequence[Entity]]:
        """Return the row of a new invite, and those that belong to it, such as the one by which it is found."""

    def share(self, invite: InviteT, share: int) -> Key[Any]:
        """Return the key of a share of the uses of an invite that has shares."""
        raise NotImplementedError

    @abstractmethod
    async def companion(self, invite: InviteT) -> Key[Any] | None:
        """Return the key of the row that belongs to this invite; None if another writer created none."""

    @abstractmethod
    async def page(self, target_id: str, limit: int, cursor: str | None) -> tuple[list[InviteT], str | None]:
        """Return a page of the invites of a target, including used up and expired ones."""

    @abstractmethod
    async def find(self, code: InviteCode) -> InviteT | None:
        """Return the invite of a code, or None if it leads to no target of this kind."""

    @abstractmethod
    async def find_target(self, invite: InviteT) -> TargetT | None:
        """Return the target of an invite, or None if it was deleted."""

    @abstractmethod
    def tenant_of(self, target: TargetT) -> Tenant | None:
        """Return the tenant that a target is stored with: None is the default one."""

    @abstractmethod
    async def ended_with_creator(self, invites: Sequence[InviteT]) -> set[InviteCode]:
        """Return the codes of invites that ended with the membership of their creator."""

    @abstractmethod
    async def joining(self, actor: Actor, invite: InviteT, target: TargetT, now: Instant) -> Joining[JoinedT]:
        """Return how the actor joins the target; one guard checks the same as `ended_with_creator`."""

    async def confirm(self, joined: JoinedT) -> bool:
        """Return whether the target still exists, after a join that did not check it; otherwise undo the join."""
        return True

    @abstractmethod
    def scope_of(self, invite: InviteT) -> str:
        """Return the scope of the audit log for a revocation."""

    @abstractmethod
    def found(self, invite: InviteT, target: TargetT) -> FoundT:
        """Return an invite and its target, as the result of a lookup."""


class Invites(Generic[InviteT, TargetT, FoundT, JoinedT]):
    """Creates, lists, redeems and revokes invites of one kind."""

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
        self._counts = None if kind.count is None else UseCounts(table, kind.count)

    async def create(
        self,
        actor: Actor,
        target_id: str,
        *,
        max_uses: int | None = None,
        expires_in_seconds: int | None = None,
        key: str | None = None,
    ) -> InviteT:
        """Create an invite, with an optional number of uses and lifetime."""
        permit = await self._kind.authorize(actor, target_id, "create")
        claim = self._idempotency.claim(actor, key, self._kind.claims_as, [target_id, max_uses, expires_in_seconds])

        invite, companions = self._kind.rows(target_id, self._new(actor, permit, max_uses, expires_in_seconds))
        try:
            await self._table.write(
                invite=Create(invite),
                companions=[Create(row) for row in companions],
                permit=permit.conditions,
                idempotency=claim.operations(invite.code),
                pattern=self._kind.create,
            )
        except ConditionFailed as failed:
            existing = await claim.created(failed)
            if existing is None:
                raise NotFound from None
            return (await self._get(actor, InviteCode(existing)))[0]

        return invite

    async def list_invites(
        self, actor: Actor, target_id: str, *, limit: int, cursor: str | None = None
    ) -> tuple[list[InviteT], str | None]:
        """Return a page of the invites of a target that can still be used."""
        await self._kind.authorize(actor, target_id, "list")
        invites, after = await self._kind.page(target_id, limit, cursor)
        open_ones = [invite for invite in invites if is_open(invite, self._clock.now())]
        ended_with_creator = await self._kind.ended_with_creator(open_ones)
        return [invite for invite in open_ones if invite.code not in ended_with_creator], after

    async def find(self, code: InviteCode) -> InviteT | None:
        """Return the invite of a code, usable or not; None if it leads to no target of this kind."""
        return await self._kind.find(code)

    async def get(self, actor: Actor, code: InviteCode) -> FoundT:
        """Return the invite of a code and its target, for every user of its tenant who has the code."""
        return self._kind.found(*await self._get(actor, code))

    async def redeem(self, actor: Actor, code: InviteCode) -> JoinedT:
        """Join by an invite, in one transaction that creates the membership, and takes one use if those are limited."""
        invite, target = await self._find_valid(actor, code)

        for _ in range(ATTEMPTS):
            now = self._clock.now()
            joining = await self._kind.joining(actor, invite, target, now)
            guards = [
                Guard(Create(joining.member), AlreadyMember),
                Guard(Check(user_by_id(user_id=actor.user_id), when=absent_or_null("deleted_at")), Unauthenticated),
                *joining.guards,
            ]
            if is_over(invite, now := self._clock.now()):
                raise NotFound
            with contextlib.suppress(CountChanged):
                await self._use(invite, guards, now)
                if not await self._kind.confirm(joining.answer):
                    raise NotFound
                return joining.answer
        raise Busy

    async def revoke(self, actor: Actor, code: InviteCode) -> None:
        """Revoke an invite."""
        invite = await self._kind.find(code)
        if invite is None:
            raise NotFound
        still_allowed = await self._kind.authorize_revoke(actor, invite)

        companion = await self._kind.companion(invite)
        try:
            await self._table.write(
                invite=Delete(invite.own_key()),
                permit=still_allowed,
                audit=self._audit.entry(self._kind.scope_of(invite), actor, "invite.revoke", target=code),
                companion=None if companion is None else Delete(companion),
                shares=[Delete(key, when=always()) for key in self._shares(invite)],
                pattern=self._kind.revoke,
            )
        except ConditionFailed:
            raise NotFound from None

    # Internal

    async def _use(self, invite: InviteT, guards: Sequence[Guard], now: Instant) -> None:
        """Write a redemption, and count it where its transaction does not."""
        if self._counts is None or (invite.max_uses is not None and invite.shares is None):
            await self._write_redemption(invite, guards, now)
            return
        if invite.shares is None:
            await self._write_with(guards)
        else:
            await self._use_share(invite, guards)
        await self._counts.add(invite.own_key())

    async def _use_share(self, invite: InviteT, guards: Sequence[Guard]) -> None:
        """Write a redemption that takes a use of any share that has one left; InviteUsedUp if none has."""
        keys = self._shares(invite)
        for _ in range(ATTEMPTS):
            try:
                await self._write_with(guards, use_share(secrets.choice(keys)))
            except InviteUsedUp:
                found = await self._table.get_many(self._shares(invite), consistent=True)
                keys = [share.own_key() for share in found if share is not None and share.left > 0]
                if not keys:
                    raise
            else:
                return
        raise Busy

    async def _write_with(self, guards: Sequence[Guard], use: Operation | None = None) -> None:
        operations = [guard.operation for guard in guards]
        try:
            await self._table.write(guards=operations, invite=use, pattern=self._kind.redeem)
        except ConditionFailed as failed:
            raise _refusal(failed, guards) from None

    def _shares(self, invite: InviteT) -> list[Key[Any]]:
        return [self._kind.share(invite, share) for share in range(invite.shares or 0)]

    async def _write_redemption(self, invite: InviteT, guards: Sequence[Guard], now: Instant) -> None:
        is_null = False
        for _ in range(USE_ATTEMPTS):
            try:
                await self._table.write(
                    guards=[guard.operation for guard in guards],
                    invite=use(invite.own_key(), now, is_null=is_null),
                    pattern=self._kind.redeem,
                )
            except ConditionFailed as failed:
                if not _counts_otherwise(failed, is_null=is_null):
                    raise _refusal(failed, guards) from None
                is_null = not is_null
            else:
                return
        raise Busy

    async def _get(self, actor: Actor, code: InviteCode) -> tuple[InviteT, TargetT]:
        invite, target = await self._find_valid(actor, code)
        if not is_open(invite, self._clock.now()) or await self._kind.ended_with_creator([invite]):
            raise NotFound
        return invite, target

    async def _find_valid(self, actor: Actor, code: InviteCode) -> tuple[InviteT, TargetT]:
        """Return an invite, even if it is used up, and its target; NotFound if it was revoked or has expired.

        To users of another tenant the code is unknown. The write need not check it again: neither the user nor the
        target ever changes tenants.
        """
        invite = await self._kind.find(code)
        if invite is None or is_over(invite, self._clock.now()):
            raise NotFound
        target = await self._kind.find_target(invite)
        if target is None or not actor.is_of(self._kind.tenant_of(target)):
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
            # Rounded up: `expires_at` decides to the millisecond, `ttl` only removes the row.
            ttl=None if ends_ms is None else -(-ends_ms // 1000),
            creator_joined_at=permit.member_since,
        )


def _counts_otherwise(failed: ConditionFailed, *, is_null: bool) -> bool:
    """Return whether the only failed condition is that `uses` is NULL, or is not, contrary to `is_null`."""
    invite = failed.item("invite")
    return failed.is_only("invite") and invite is not None and has_null_uses(invite) is not is_null


def _refusal(failed: ConditionFailed, guards: Sequence[Guard]) -> Exception:
    refusals = (guard.refusal() for guard in guards if guard.operation in failed)
    return next(refusals, InviteUsedUp())

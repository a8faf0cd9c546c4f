"""Accounts: registration, login, profiles, blocks, passwords and deletion.

`sessions`, `login`, `registration`, `verification`, `recovery` and `account_deletion` implement the longer operations.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Iterable
from typing import Any

from msgspec import UNSET, UnsetType

from sobremesa.core.actor import Actor, PublicProfile, SessionId, Tenant, UserId
from sobremesa.core.clock import Clock
from sobremesa.core.errors import Busy, NotFound, Unauthenticated
from sobremesa.core.ids import Ids
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.account_deletion import AccountDeletion
from sobremesa.domains.accounts.actor_cache import ActorCache
from sobremesa.domains.accounts.audit import OPERATOR, SYSTEM_SCOPE, Audit, tenant_scope
from sobremesa.domains.accounts.authentication import Authentication
from sobremesa.domains.accounts.deletion_hooks import JobQueue, PendingDeletions, UserDataOfDomains
from sobremesa.domains.accounts.entities import (
    Block,
    Session,
    User,
    UsernameClaim,
    block_of,
    block_user,
    blocks_of,
    change_profile,
    email_claim,
    grant_admin,
    profile_of,
    record_act,
    user_by_email,
    user_by_id,
    username_claim,
)
from sobremesa.domains.accounts.errors import SelfBlock, UsernameTaken, require_own_picture
from sobremesa.domains.accounts.exporting import export_user
from sobremesa.domains.accounts.keyring import Keyring
from sobremesa.domains.accounts.known_addresses import KnownAddresses
from sobremesa.domains.accounts.login import Login
from sobremesa.domains.accounts.mail import MailTasks
from sobremesa.domains.accounts.mailed_tokens import MailedTokens
from sobremesa.domains.accounts.names import check_device, folded, lookalike_of, normal_email, normal_username
from sobremesa.domains.accounts.passwords import Passwords
from sobremesa.domains.accounts.recovery import Recovery
from sobremesa.domains.accounts.registration import Registration, lookalike_checks
from sobremesa.domains.accounts.server_keys import ServerKeys
from sobremesa.domains.accounts.sessions import Sessions, SignedIn
from sobremesa.domains.accounts.tokens import Tokens
from sobremesa.domains.accounts.unclaimed_names import UnclaimedNames
from sobremesa.domains.accounts.verification import Verification
from sobremesa.domains.mail.mailers import Transport
from sobremesa.http.large_requests import LargeRequests
from sobremesa.http.limits import Limits
from sobremesa.table import (
    Create,
    Delete,
    Page,
    Table,
    Update,
    absent_or_null,
    equals,
    set_to,
)
from sobremesa.table.errors import BadKey, ConditionFailed
from sobremesa.table.updates import Changes

ATTEMPTS = 4
"""How often an operation is retried after a concurrent change of the same rows."""


class Accounts:
    """The users of one table."""

    def __init__(
        self,
        table: Table,
        clock: Clock,
        ids: Ids,
        *,
        passwords: Passwords,
        tokens: Tokens,
        keyring: Keyring,
        actor_cache: ActorCache,
        audit: Audit,
        limits: Limits,
        transport: Transport | None,
        jobs: JobQueue,
        settings: Settings,
        authentication: Authentication,
        server_keys: ServerKeys,
        domains: UserDataOfDomains,
        unclaimed: UnclaimedNames,
    ) -> None:
        self._table = table
        self._clock = clock
        self._ids = ids
        self._passwords = passwords
        self._actor_cache = actor_cache
        self._limits = limits
        self._keyring = keyring
        self._audit = audit
        self._large_requests = LargeRequests()
        self._unclaimed = unclaimed
        self._domains = domains
        self.server_keys = server_keys
        self.authenticate, self.authenticate_until = authentication.authenticate, authentication.authenticate_until
        self.pending_deletions = PendingDeletions(table, clock)
        self._sessions = Sessions(table, clock, ids, tokens, keyring, actor_cache)
        addresses = KnownAddresses(keyring.secret("addresses"))
        self._registration = Registration(
            table,
            clock,
            ids,
            directory=self,
            passwords=passwords,
            sessions=self._sessions,
            addresses=addresses,
            settings=settings,
            unclaimed=self._unclaimed,
        )
        mail = MailTasks(transport)
        mailed = MailedTokens(clock, limits, mail)
        self._verification = Verification(
            table,
            registration=self._registration,
            directory=self,
            passwords=passwords,
            tokens=mailed,
            public_url=settings.address,
        )
        self._login = Login(
            table,
            clock,
            directory=self,
            passwords=passwords,
            sessions=self._sessions,
            limits=limits,
            addresses=addresses,
        )
        self._recovery = Recovery(
            table,
            clock,
            passwords=passwords,
            sessions=self._sessions,
            audit=audit,
            limits=limits,
            tokens=mailed,
            addresses=addresses,
            public_url=settings.address,
            find_by_email=self.find_by_email,
        )
        self._account_deletion = AccountDeletion(
            table,
            clock,
            sessions=self._sessions,
            actor_cache=actor_cache,
            recovery=self._recovery,
            jobs=jobs,
            pending_deletions=self.pending_deletions,
            domains=domains,
        )

    async def prepare(self) -> None:
        """Do in advance what would make the first login slower than others."""
        self._passwords.prepare()

    async def close(self) -> None:
        """Finish the work that runs after responses."""
        await self._recovery.close()
        self._passwords.close()

    # Login and registration

    async def register(
        self, *, email: str, username: str, password: str, device: str | None = None, address: str = "here"
    ) -> SignedIn:
        """Create a user with a session; EmailTaken or UsernameTaken if another user was first."""
        check_device(device)
        return await self._registration.register(email, username, password, device=device, address=address)

    async def ask_registration(self, *, email: str, username: str, password: str) -> None:
        """Mail a registration token; the owner of a taken address receives a notice instead."""
        await self._verification.ask(email, username, password)

    async def confirm_registration(self, token: str, *, device: str | None = None, address: str = "here") -> SignedIn:
        """Create the user of a registration token, with a session."""
        check_device(device)
        return await self._verification.confirm(token, device=device, address=address)

    async def login(self, *, email: str, password: str, device: str | None = None, address: str = "here") -> SignedIn:
        """Create a session; BadCredentials, after the same work, for an unknown user and for a wrong password.

        `email` may also be a username. `address` is the IP address of the client: wrong passwords from other addresses
        do not lock a user out at an address of an earlier login.
        """
        check_device(device)
        return await self._login.open_session(email, password, device=device, address=address)

    async def refresh(self, refresh_token: str) -> SignedIn:
        """Return the next pair of tokens; if this token was used before, end the session and raise SessionEnded."""
        return await self._sessions.refresh(refresh_token)

    async def logout(self, actor: Actor) -> None:
        """End the session of the actor; an actor of another issuer has none."""
        if actor.session_id is not None:
            with contextlib.suppress(NotFound):
                await self._sessions.end(actor.user_id, actor.session_id)

    async def list_sessions(self, actor: Actor, *, limit: int = 50, cursor: str | None = None) -> Page[Session]:
        """Return a page of the actor's sessions."""
        return await self._sessions.list_sessions(actor.user_id, limit=limit, cursor=cursor)

    async def end_session(self, actor: Actor, session_id: SessionId) -> None:
        """End one of the actor's sessions; NotFound if there is none."""
        await self._sessions.end(actor.user_id, session_id)

    # Profiles

    async def get_me(self, actor: Actor) -> User:
        """Return the actor's profile; Unauthenticated if it was just deleted."""
        try:
            return await self.get_user(actor.user_id)
        except NotFound:
            raise Unauthenticated from None

    async def get_user(self, user_id: UserId) -> User:
        """Return a user's profile; NotFound if there is none or it is deleted."""
        user = await self._table.get(user_by_id(user_id=user_id))
        if user is None or user.deleted_at is not None:
            raise NotFound
        return user

    async def find_by_email(self, email: str) -> User | None:
        """Return the user with this e-mail address, by the claim, or by the index on a table without claims."""
        claim = await self._table.get(email_claim(email=email))
        if claim is None:
            page = await self._table.query(user_by_email(email=email), limit=1)
            user_id = page.items[0].user_id if page.items else None
        else:
            user_id = claim.user_id
        user = await self._table.get(user_by_id(user_id=user_id)) if user_id is not None else None
        return user if user is not None and user.deleted_at is None and user.email == email else None

    async def find_by_username(self, username: str) -> User | None:
        """Return the user with this username, ignoring case."""
        found = await self.find_by_usernames([username])
        if not found and await self._unclaimed.claim(username):
            found = await self.find_by_usernames([username])
        user_id = next(iter(found.values()), None)
        user = await self._table.get(user_by_id(user_id=user_id)) if user_id is not None else None
        return user if user is not None and user.deleted_at is None else None

    async def find_by_usernames(self, usernames: Iterable[str]) -> dict[str, UserId]:
        """Return the users with these names, by the given names; unknown names are omitted."""
        keys = {}
        for name in usernames:
            try:
                keys[name] = username_claim(username=folded(name.strip()))
            except BadKey:
                continue  # an invalid name belongs to no user
        claims = await self._table.get_many(list(keys.values()), consistent=True)
        return {name: claim.user_id for name, claim in zip(keys, claims, strict=True) if claim is not None}

    async def profiles(self, user_ids: Iterable[UserId]) -> dict[UserId, PublicProfile]:
        """Return the public profiles of these users; missing ones appear as deleted users."""
        wanted = list(dict.fromkeys(user_ids))
        users = await self._table.get_many([user_by_id(user_id=user_id) for user_id in wanted])
        return {user_id: profile_of(user_id, user) for user_id, user in zip(wanted, users, strict=True)}

    async def find_tenant(self, user_id: UserId) -> Tenant | None:
        """Return the tenant of a user, or None if there is no such profile. Also of a deleted user."""
        user = await self._table.get(user_by_id(user_id=user_id))
        return None if user is None else user.tenant

    async def users_being_deleted(self) -> frozenset[UserId]:
        """Return the users whose deletion is running, whose names must be masked."""
        return await self.pending_deletions.user_ids()

    async def change_profile(
        self, actor: Actor, *, username: str | None = None, avatar_url: str | UnsetType | None = UNSET
    ) -> User:
        """Change the actor's username or picture (None removes it); UsernameTaken if another user has that name.

        A picture is the URL of an upload: Invalid for any other URL.
        """
        require_own_picture("avatarUrl", avatar_url)
        wanted = normal_username(username) if username is not None else None
        for _ in range(ATTEMPTS):
            user = await self.get_me(actor)
            name = wanted if wanted is not None else user.username
            changes = set_to(username=name, updated_at=self._clock.now())
            if avatar_url is not UNSET:
                changes += set_to(avatar_url=avatar_url)

            try:
                changed = await self._write_profile(user, name, changes)
            except ConditionFailed as failed:
                if "claim" in failed or "lookalikes" in failed:
                    raise UsernameTaken from None
                continue  # the name was changed by another request in between

            self._actor_cache.invalidate(user.user_id)
            return changed
        raise Busy

    async def grant_admin(self, username_or_email: str, *, granted: bool = True) -> User:
        """Grant or revoke administrator rights; NotFound if there is no such user."""
        user = await self._find_by_either(username_or_email)
        if user is None:
            raise NotFound(f"There is no user {username_or_email}.")

        action = "admin.grant" if granted else "admin.revoke"
        await self._table.write(
            user=Update(
                User.key(user_id=user.user_id),
                set_to(is_admin=granted or None, updated_at=self._clock.now()),
                when=absent_or_null("deleted_at"),
            ),
            audit=self._audit.entry(tenant_scope(user.tenant), OPERATOR, action, target=user.user_id),
            pattern=grant_admin,
        )

        self._actor_cache.invalidate(user.user_id)
        return await self.get_user(user.user_id)

    async def rotate_signing_key(self) -> str:
        """Create a new signing key and return its id. With a key file, the audit entry is written after it."""
        kid = await self._keyring.rotate()
        entry = self._audit.entry(SYSTEM_SCOPE, OPERATOR, "signing_key.rotate", target=kid)
        await self._table.write(entry, pattern=record_act)
        return kid

    # Blocks

    async def block(self, actor: Actor, user_id: UserId) -> Block:
        """Block a user and return the block, which may exist already."""
        if user_id == actor.user_id:
            raise SelfBlock
        await self.get_user(user_id)

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

    # Passwords

    async def change_password(self, actor: Actor, *, current: str, next: str) -> None:
        """Set a new password and end all other sessions; WrongPassword if `current` is wrong."""
        await self._recovery.change(await self.get_me(actor), current=current, next=next, keep=actor.session_id)

    def ask_reset(self, email: str) -> None:
        """Mail a reset token to the user with this address, if there is one, in the background.

        MailNotConfigured without a mailer. The duration does not reveal whether the address is known.
        """
        self._recovery.ask(email)

    async def confirm_reset(self, *, token: str, password: str, address: str = "here") -> None:
        """Set a new password with a mailed token, which is used once; all sessions end.

        `address` becomes the only known address of the user.
        """
        await self._recovery.confirm(token, password, address)

    # Deletion and export

    async def delete_me(self, actor: Actor, *, password: str | None = None) -> None:
        """Delete the actor's account: sessions end at once, other data is removed in the background."""
        with self._large_requests.one_at_a_time(actor.user_id):
            await self._account_deletion.start(await self.get_me(actor), password)

    async def finish_deletion(self, subject: str) -> None:
        """Run the job that removes the data of a deleted user. It can be repeated at any point."""
        await self._account_deletion.finish(UserId(subject))

    async def export(self, actor: Actor) -> AsyncGenerator[Any, None]:
        """Yield all data of the actor, as JSON values."""
        user = await self.get_me(actor)
        lines = export_user(self._table, user, self._domains())
        with self._large_requests.one_at_a_time(actor.user_id):
            async with contextlib.aclosing(lines):
                async for line in lines:
                    yield line

    # Internals

    async def _write_profile(self, user: User, name: str, changes: Changes) -> User:
        """Change a profile; if the name differs, move the claim from the old name to the new one."""
        key = User.key(user_id=user.user_id)
        update = Update(key, changes, when=equals("username", user.username) & absent_or_null("deleted_at"))
        if folded(name) == folded(user.username):
            return await self._table.write(update, pattern=change_profile)
        await self._unclaimed.claim(name)
        old = username_claim(username=folded(user.username))
        held = await self._table.get(old)
        has_old = held is not None and held.user_id == user.user_id
        await self._table.write(
            user=update,
            claim=Create(UsernameClaim(username=folded(name), user_id=user.user_id)),
            lookalikes=lookalike_checks(name) if lookalike_of(name) != folded(user.username) else None,
            old_claim=Delete(old, when=equals("user_id", user.user_id)) if has_old else None,
            pattern=change_profile,
        )
        return await self.get_user(user.user_id)

    async def _find_by_either(self, username_or_email: str) -> User | None:
        if "@" not in username_or_email:
            return await self.find_by_username(username_or_email)
        return await self.find_by_email(normal_email(username_or_email))

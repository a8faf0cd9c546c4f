"""Changing and resetting a password. Both end the existing sessions."""

from __future__ import annotations

import hmac

from sobremesa.core.actor import SessionId, UserId
from sobremesa.domains.accounts.account_mails import reset_mail
from sobremesa.domains.accounts.context import AccountContext
from sobremesa.domains.accounts.entities import (
    Credential,
    PasswordReset,
    User,
    ask_reset,
    change_password,
    credential_of,
    reset_of,
    reset_password,
    sessions_of,
    user_by_id,
)
from sobremesa.domains.accounts.errors import BadResetToken, NoPassword, WrongPassword
from sobremesa.domains.accounts.known_addresses import KnownAddresses
from sobremesa.domains.accounts.mailed_tokens import MailedTokens, hash_of, owner_of
from sobremesa.domains.accounts.names import check_password
from sobremesa.domains.accounts.passwords import Passwords
from sobremesa.domains.mail.mailers import Transport, mail_of
from sobremesa.table import (
    Delete,
    Operation,
    Put,
    Update,
    absent_or_null,
    always,
    equals,
    remove,
    set_to,
)
from sobremesa.table.errors import BadKey, ConditionFailed

SESSIONS_AT_ONCE = 90
"""How many sessions end in the transaction that changes the password; the rest end right after it."""


class Recovery:
    """Changes and resets passwords."""

    def __init__(
        self, context: AccountContext, passwords: Passwords, addresses: KnownAddresses, tokens: MailedTokens
    ) -> None:
        self._table = context.table
        self._clock = context.clock
        self._passwords = passwords
        self._sessions = context.sessions
        self._audit = context.audit
        self._limits = context.limits
        self._tokens = tokens
        self._addresses = addresses
        self._public_url = context.settings.address.rstrip("/")
        self._find_by_email = context.directory.find_by_email

    async def close(self) -> None:
        """Wait for the mails that are being sent."""
        await self._tokens.close()

    async def change(self, user: User, *, current: str, next: str, keep: SessionId | None) -> None:
        """Change the password and end all sessions except one."""
        check_password(next, "next")
        hashed = await self.require_password(user, current)
        fresh = await self._passwords.hash(next)

        try:
            await self._table.write(
                password=await self._set_hash(user, fresh, hashed),
                audit=self._audit.entry(user.user_id, user.user_id, "password.change"),
                sessions=await self._session_deletes(user.user_id, keep),
                pattern=change_password,
            )
        except ConditionFailed:
            raise WrongPassword from None

        await self._sessions.end_all(user.user_id, keep=keep)

    async def require_password(self, user: User, password: str) -> str:
        """Return the hash of a correct password; WrongPassword if it is wrong, NoPassword if there is none."""
        await self._limits.consume("credentials", f"password:{user.user_id}")
        hashed = await self.find_hash(user)
        if hashed is None:
            raise NoPassword
        if not await self._passwords.matches(password, hashed):
            raise WrongPassword
        return hashed

    async def find_hash(self, user: User) -> str | None:
        """Return the password hash of a user, legacy or not; None for users of another issuer."""
        credential = await self._table.get(credential_of(user_id=user.user_id))
        return credential.hash if credential is not None else user.password_hash

    def ask(self, email: str) -> None:
        """Start mailing a token to the user with this address; MailNotConfigured without a mailer."""
        self._tokens.start("reset", email, self._send_token)

    async def confirm(self, token: str, password: str, address: str) -> None:
        """Set the password of the token's owner; BadResetToken unless the token is valid and unused."""
        check_password(password)
        user_id, hashed = UserId(owner_of(token)), hash_of(token)
        if not user_id or hashed is None:
            raise BadResetToken
        user, reset = await self._load(user_id)
        if not hmac.compare_digest(reset.hash, hashed):
            raise BadResetToken
        fresh = Credential(
            user_id=user_id,
            hash=await self._passwords.hash(password),
            addresses=[self._addresses.mark(user_id, address)],
            updated_at=self._clock.now(),
        )

        try:
            await self._table.write(
                reset=Delete(PasswordReset.key(user_id=user_id), when=equals("hash", hashed)),
                password=Put(fresh),
                user=Update(user.own_key(), remove("password_hash"), when=absent_or_null("deleted_at")),
                audit=self._audit.entry(user_id, user_id, "password.reset"),
                sessions=await self._session_deletes(user_id, None),
                pattern=reset_password,
            )
        except ConditionFailed:
            raise BadResetToken from None

        await self._sessions.end_all(user_id)

    async def _set_hash(self, user: User, fresh: str, hashed: str) -> list[Operation]:
        """Return the operations that store a new hash if the stored one is still the verified one."""
        if await self._table.get(credential_of(user_id=user.user_id)) is not None:
            changes = set_to(hash=fresh, updated_at=self._clock.now())
            return [Update(Credential.key(user_id=user.user_id), changes, when=equals("hash", hashed))]
        moved = Update(user.own_key(), remove("password_hash"), when=equals("password_hash", hashed))
        return [Put(Credential(user_id=user.user_id, hash=fresh, updated_at=self._clock.now())), moved]

    async def _session_deletes(self, user_id: UserId, keep: SessionId | None) -> list[Operation]:
        """Return the deletes of the open sessions, for the transaction, so that no crash leaves them open."""
        page = await self._table.query(sessions_of(user_id=user_id), limit=SESSIONS_AT_ONCE)
        return [Delete(session.own_key(), when=always()) for session in page.items if session.session_id != keep]

    async def _load(self, user_id: UserId) -> tuple[User, PasswordReset]:
        try:
            user = await self._table.get(user_by_id(user_id=user_id))
            reset = await self._table.get(reset_of(user_id=user_id))
        except BadKey:
            raise BadResetToken from None
        if user is None or user.deleted_at is not None or reset is None:
            raise BadResetToken
        return user, reset

    async def _send_token(self, transport: Transport, email: str) -> None:
        user = await self._find_by_email(email)
        if user is None or await self.find_hash(user) is None:
            return
        minted = self._tokens.mint(user.user_id)
        reset = PasswordReset(
            user_id=user.user_id, hash=minted.hash, created_at=minted.created_at, expires_at=minted.expires_at
        )

        await self._table.write(Put(reset), pattern=ask_reset)

        content = reset_mail(user.username, self._public_url, minted.token)
        await transport.send_mail(mail_of(email, content))

"""Login by password, with an e-mail address or a username. Unknown users cost the same work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sobremesa.core.errors import Busy, Invalid
from sobremesa.domains.accounts.context import AccountContext
from sobremesa.domains.accounts.entities import Credential, User, credential_of, log_in
from sobremesa.domains.accounts.errors import AccountDisabled, BadCredentials
from sobremesa.domains.accounts.known_addresses import KnownAddresses
from sobremesa.domains.accounts.names import folded, normal_email
from sobremesa.domains.accounts.passwords import Passwords
from sobremesa.domains.accounts.sessions import SignedIn
from sobremesa.table import Check, Create, Operation, Update, equals, hash_part, remove, set_to
from sobremesa.table.errors import ConditionFailed
from sobremesa.table.updates import Changes

ATTEMPTS = 4
"""How often a login is retried after a concurrent change of the credential."""


class Name(NamedTuple):
    """The normalized login name. A username never contains an `@`."""

    text: str
    is_email: bool

    @classmethod
    def parse(cls, text: str) -> Name:
        """Parse an e-mail address or a username; the name is empty if it is neither."""
        if "@" not in text:
            return cls(folded(text.strip()), is_email=False)
        try:
            return cls(normal_email(text), is_email=True)
        except Invalid:
            return cls("", is_email=True)


class Login:
    """Creates sessions for users who log in with their password."""

    def __init__(self, context: AccountContext, passwords: Passwords, addresses: KnownAddresses) -> None:
        self._table = context.table
        self._clock = context.clock
        self._directory = context.directory
        self._passwords = passwords
        self._sessions = context.sessions
        self._limits = context.limits
        self._addresses = addresses

    async def open_session(self, login: str, password: str, *, device: str | None, address: str) -> SignedIn:
        """Create a session; BadCredentials, after the same work, for an unknown name and for a wrong password."""
        name = Name.parse(login)
        for attempt in range(ATTEMPTS):
            user = await self._find(name)
            credential = await self._table.get(credential_of(user_id=user.user_id)) if user else None
            if attempt == 0:
                await self._limits.consume("credentials", self._counted_as(name, credential, address))
            hashed = credential.hash if credential else user.password_hash if user else None
            if user is None or hashed is None:
                await self._passwords.match_nothing(password)
                raise BadCredentials
            if not await self._passwords.matches(password, hashed):
                raise BadCredentials
            if user.disabled_at is not None:
                raise AccountDisabled
            created = self._sessions.new(user.user_id, device)
            operations = await self._opening(user, credential, hashed, password, address)

            try:
                await self._table.write(session=Create(created.session), opening=operations, pattern=log_in)
            except ConditionFailed:
                # The password was changed or moved since it was read: retry.
                continue

            return await self._sessions.signed_in(user, created.session.session_id, created.refresh_token)
        raise Busy

    async def _find(self, name: Name) -> User | None:
        if not name.text:
            return None
        if name.is_email:
            return await self._directory.find_by_email(name.text)
        return await self._directory.find_by_username(name.text)

    def _counted_as(self, name: Name, credential: Credential | None, address: str) -> str:
        """Return the limit key: of this address if it is known, else of all unknown addresses.

        It uses the login name, not the user: otherwise the limit would reveal which username and e-mail address belong
        to the same account.
        """
        counted = f"account:{hash_part(name.text)}"
        if credential is None or self._addresses.mark(credential.user_id, address) not in credential.addresses:
            return counted
        return f"{counted}:{address}"

    async def _opening(
        self, user: User, credential: Credential | None, hashed: str, password: str, address: str
    ) -> Sequence[Operation]:
        """Return what a login writes: the check of the password hash, an upgraded hash, the known address."""
        key = Credential.key(user_id=user.user_id)
        unchanged = equals("hash", hashed)
        mark = self._addresses.mark(user.user_id, address)
        if credential is None:
            fresh = Credential(
                user_id=user.user_id,
                hash=await self._passwords.hash(password),
                addresses=[mark],
                updated_at=self._clock.now(),
            )
            moved = Update(
                User.key(user_id=user.user_id), remove("password_hash"), when=equals("password_hash", hashed)
            )
            return [Create(fresh), moved]
        changes: Changes = ()
        if self._passwords.is_outdated(hashed):
            changes += set_to(hash=await self._passwords.hash(password), updated_at=self._clock.now())
        if mark not in credential.addresses:
            changes += set_to(addresses=self._addresses.with_mark(credential.addresses, mark))
        return [Update(key, changes, when=unchanged) if changes else Check(key, when=unchanged)]

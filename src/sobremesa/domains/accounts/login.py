"""Logging in by password: with an e-mail address or a user name, and the same work for one that does not exist."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from sobremesa.core.clock import Clock
from sobremesa.core.errors import Busy, Invalid
from sobremesa.domains.accounts.entities import Credential, User, credential_of, log_in
from sobremesa.domains.accounts.errors import BadCredentials
from sobremesa.domains.accounts.known_addresses import KnownAddresses
from sobremesa.domains.accounts.names import folded, normal_email
from sobremesa.domains.accounts.passwords import Passwords
from sobremesa.domains.accounts.sessions import Sessions, SignedIn
from sobremesa.http.limits import Limits
from sobremesa.table import Check, Create, Operation, Table, Update, equals, hash_part, remove, set_to
from sobremesa.table.errors import ConditionFailed
from sobremesa.table.updates import Changes

ATTEMPTS = 4
"""How often a login starts over because the password was changed or moved at the same moment."""


class Directory(Protocol):
    """Finds users by the names they log in with."""

    async def find_by_email(self, email: str) -> User | None: ...

    async def find_by_username(self, username: str) -> User | None: ...


class Name(NamedTuple):
    """What a user typed to say who they are, normalized. A user name never contains an `@`."""

    text: str
    is_email: bool

    @classmethod
    def parse(cls, text: str) -> Name:
        """The e-mail address or user name in a text; an empty name if it can be neither."""
        if "@" not in text:
            return cls(folded(text.strip()), is_email=False)
        try:
            return cls(normal_email(text), is_email=True)
        except Invalid:
            return cls("", is_email=True)


class Login:
    """Opens sessions for users who know their password."""

    def __init__(
        self,
        table: Table,
        clock: Clock,
        *,
        directory: Directory,
        passwords: Passwords,
        sessions: Sessions,
        limits: Limits,
        addresses: KnownAddresses,
    ) -> None:
        self._table = table
        self._clock = clock
        self._directory = directory
        self._passwords = passwords
        self._sessions = sessions
        self._limits = limits
        self._addresses = addresses

    async def open_session(self, login: str, password: str, *, device: str | None, address: str) -> SignedIn:
        """Open a session; BadCredentials, after the same work, for an unknown name and for a wrong password."""
        name = Name.parse(login)
        for attempt in range(ATTEMPTS):
            user = await self._find(name)
            credential = await self._table.get(credential_of(user_id=user.user_id)) if user else None
            if attempt == 0:
                await self._limits.take("credentials", self._counted_as(name, credential, address))
            hashed = credential.hash if credential else user.password_hash if user else None
            if user is None or hashed is None:
                await self._passwords.match_nothing(password)
                raise BadCredentials
            if not await self._passwords.matches(password, hashed):
                raise BadCredentials
            created = self._sessions.new(user.user_id, device)
            operations = await self._opening(user, credential, hashed, password, address)

            try:
                await self._table.write(Create(created.session), *operations, pattern=log_in)
            except ConditionFailed:
                # The password was changed, or moved, since it was read: look again.
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
        """Whose attempts this one counts with: those from this address if it is known, else all from unknown ones.

        By the name that was typed, not by the user: else a count would tell which name and address belong together.
        """
        counted = f"account:{hash_part(name.text)}"
        if credential is None or self._addresses.mark(credential.user_id, address) not in credential.addresses:
            return counted
        return f"{counted}:{address}"

    async def _opening(
        self, user: User, credential: Credential | None, hashed: str, password: str, address: str
    ) -> Sequence[Operation]:
        """What goes with a new session: that the password is still this one, its hash in today's form, the address."""
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

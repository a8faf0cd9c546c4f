"""Registering: a user, the password and both claims in one transaction."""

from __future__ import annotations

from sobremesa.accounts.entities import Credential, EmailClaim, User, UsernameClaim, register, username_claim
from sobremesa.accounts.errors import EmailTaken, RegistrationClosed, UsernameTaken
from sobremesa.accounts.known_addresses import KnownAddresses
from sobremesa.accounts.login import Directory
from sobremesa.accounts.names import check_password, folded, normal_email, normal_username, twin_of
from sobremesa.accounts.passwords import Passwords
from sobremesa.accounts.sessions import Sessions, SignedIn
from sobremesa.accounts.unclaimed import UnclaimedNames
from sobremesa.clock import Clock, instant
from sobremesa.ids import Ids
from sobremesa.people import Tenant, UserId
from sobremesa.settings import Settings
from sobremesa.table import Check, Create, Table, absent
from sobremesa.table.errors import ConditionFailed


class Registration:
    """Makes users who log in here."""

    def __init__(
        self,
        table: Table,
        clock: Clock,
        ids: Ids,
        *,
        directory: Directory,
        passwords: Passwords,
        sessions: Sessions,
        addresses: KnownAddresses,
        settings: Settings,
        unclaimed: UnclaimedNames,
    ) -> None:
        self._table = table
        self._clock = clock
        self._ids = ids
        self._directory = directory
        self._passwords = passwords
        self._sessions = sessions
        self._addresses = addresses
        self._settings = settings
        self._unclaimed = unclaimed

    async def register(self, email: str, username: str, password: str, *, device: str | None, address: str) -> SignedIn:
        """Make a user with an open session; EmailTaken or UsernameTaken if another user was first."""
        if self._settings.registration == "closed":
            raise RegistrationClosed
        email, username = normal_email(email), normal_username(username)
        check_password(password)
        await self._refuse_taken(email, username)
        user = self._new_user(email, username)
        credential = Credential(
            user_id=user.user_id,
            hash=await self._passwords.hash(password),
            addresses=[self._addresses.mark(user.user_id, address)],
            updated_at=user.created_at,
        )
        begun = self._sessions.begin(user.user_id, device)

        try:
            await self._table.write(
                Create(EmailClaim(email=email, user_id=user.user_id)),
                Create(UsernameClaim(username=folded(username), user_id=user.user_id)),
                Create(user),
                Create(credential),
                Create(begun.session),
                *free_twin(username),
                pattern=register,
            )
        except ConditionFailed as failed:
            raise (EmailTaken if failed.at(0) else UsernameTaken) from None

        return await self._sessions.signed_in(user, begun.session.session_id, begun.refresh_token)

    def _new_user(self, email: str, username: str) -> User:
        now = instant(self._clock.now_ms())
        return User(
            user_id=UserId(self._ids.mint()),
            username=username,
            email=email,
            tenant=Tenant(self._settings.tenant),
            created_at=now,
            updated_at=now,
        )

    async def _refuse_taken(self, email: str, username: str) -> None:
        """Say so before the work of hashing; that nobody gets in between is the transaction's promise."""
        if await self._directory.find_by_email(email) is not None:
            raise EmailTaken
        await self._unclaimed.settle(username)
        names = [folded(username), *filter(None, [twin_of(username)])]
        if any(await self._table.get_many([username_claim(username=name) for name in names], consistent=True)):
            raise UsernameTaken


def free_twin(username: str) -> list[Check[UsernameClaim]]:
    """That nobody has the Latin name that this one looks like."""
    twin = twin_of(username)
    return [] if twin is None else [Check(UsernameClaim.key(username=twin), when=absent())]

"""Registration: the user, the password and both claims in one transaction."""

from __future__ import annotations

from collections.abc import Sequence

from sobremesa.core.actor import UserId
from sobremesa.domains.accounts.context import AccountContext
from sobremesa.domains.accounts.digest_listing import listed
from sobremesa.domains.accounts.entities import Credential, EmailClaim, User, register
from sobremesa.domains.accounts.errors import EmailTaken, RegistrationByMail, RegistrationClosed, UsernameTaken
from sobremesa.domains.accounts.known_addresses import KnownAddresses
from sobremesa.domains.accounts.names import check_password, lookalike_of, normal_email, normal_username
from sobremesa.domains.accounts.passwords import Passwords
from sobremesa.domains.accounts.sessions import SignedIn
from sobremesa.domains.accounts.username_claims import claim_name, lookalike_checks, name_key
from sobremesa.table import Create, Operation
from sobremesa.table.errors import ConditionFailed


class Registration:
    """Creates users with a password."""

    def __init__(self, context: AccountContext, passwords: Passwords, addresses: KnownAddresses) -> None:
        self._table = context.table
        self._clock = context.clock
        self._ids = context.ids
        self._directory = context.directory
        self._passwords = passwords
        self._sessions = context.sessions
        self._addresses = addresses
        self._settings = context.settings
        self._unclaimed = context.unclaimed

    async def register(self, email: str, username: str, password: str, *, device: str | None, address: str) -> SignedIn:
        """Create a user with a session; EmailTaken or UsernameTaken if another user was first."""
        self.require_open()
        if self._settings.registration == "verified":
            raise RegistrationByMail
        email, username = normal_email(email), normal_username(username)
        check_password(password)
        await self._refuse_taken(email, username)
        return await self.create(email, username, await self._passwords.hash(password), device=device, address=address)

    async def create(
        self,
        email: str,
        username: str,
        hashed: str,
        *,
        device: str | None,
        address: str,
        also: Sequence[Operation] = (),
    ) -> SignedIn:
        """Create a user with this password hash; ConditionFailed if one of the operations `also` failed."""
        user = self._new_user(email, username)
        created = self._sessions.new(user.user_id, device)
        credential = Credential(
            user_id=user.user_id,
            hash=hashed,
            addresses=[self._addresses.mark(user.user_id, address)],
            updated_at=user.created_at,
        )

        try:
            await self._table.write(
                email=Create(EmailClaim(email=email, user_id=user.user_id)),
                username=claim_name(user.tenant, username, user.user_id),
                user=Create(user),
                credential=Create(credential),
                session=Create(created.session),
                lookalikes=lookalike_checks(user.tenant, username),
                also=also,
                pattern=register,
            )
        except ConditionFailed as failed:
            if "also" in failed:
                raise
            raise (EmailTaken if "email" in failed else UsernameTaken) from None

        return await self._sessions.signed_in(user, created.session.session_id, created.refresh_token)

    def require_open(self) -> None:
        """Raise RegistrationClosed if users are created by another system."""
        if self._settings.registration == "closed":
            raise RegistrationClosed

    async def require_free_name(self, username: str) -> None:
        """Raise UsernameTaken if another user has this name, or the Latin name that it looks like."""
        tenant = self._directory.tenant
        await self._unclaimed.claim(username, tenant)
        names = [username, *filter(None, [lookalike_of(username)])]
        if any(await self._table.get_many([name_key(tenant, name) for name in names], consistent=True)):
            raise UsernameTaken

    def _new_user(self, email: str, username: str) -> User:
        now = self._clock.now()
        user = User(
            user_id=UserId(self._ids.mint()),
            username=username,
            email=email,
            tenant=self._directory.tenant,
            created_at=now,
            updated_at=now,
        )
        return listed(user)

    async def _refuse_taken(self, email: str, username: str) -> None:
        """Refuse taken names before the cost of hashing; the transaction checks them again."""
        if await self._directory.find_by_email(email) is not None:
            raise EmailTaken
        await self.require_free_name(username)

"""Registration by mail: the account is created when its e-mail address is confirmed.

Direct registration reveals whether an address is taken. Here the response is always the same: a free address receives a
token, the owner of a taken one receives a notice. Usernames are public, and taken ones are refused at once.
"""

from __future__ import annotations

from sobremesa.domains.accounts.account_mails import confirmation_mail, registered_mail
from sobremesa.domains.accounts.context import AccountContext
from sobremesa.domains.accounts.entities import PendingRegistration, ask_registration, pending_registration
from sobremesa.domains.accounts.errors import BadRegistrationToken
from sobremesa.domains.accounts.mailed_tokens import MailedTokens, hash_of
from sobremesa.domains.accounts.names import check_password, normal_email, normal_username
from sobremesa.domains.accounts.passwords import Passwords
from sobremesa.domains.accounts.registration import Registration
from sobremesa.domains.accounts.sessions import SignedIn
from sobremesa.domains.mail.mailers import Transport, mail_of
from sobremesa.table import Create, Delete
from sobremesa.table.errors import ConditionFailed


class Verification:
    """Registers users whose e-mail address is confirmed."""

    def __init__(
        self, context: AccountContext, registration: Registration, passwords: Passwords, tokens: MailedTokens
    ) -> None:
        self._table = context.table
        self._registration = registration
        self._directory = context.directory
        self._passwords = passwords
        self._tokens = tokens
        self._public_url = context.settings.address.rstrip("/")

    async def ask(self, email: str, username: str, password: str) -> None:
        """Mail a token to a free address, or a notice to its owner, in the background; UsernameTaken at once."""
        self._registration.require_open()
        email, username = normal_email(email), normal_username(username)
        check_password(password)
        await self._registration.require_free_name(username)
        self._tokens.start("register", email, lambda transport, to: self._send(transport, to, username, password))

    async def confirm(self, token: str, *, device: str | None, address: str) -> SignedIn:
        """Create the user with a session; BadRegistrationToken unless the token is valid and unused."""
        self._registration.require_open()
        hashed = hash_of(token)
        pending = None if hashed is None else await self._table.get(pending_registration(token_hash=hashed))
        if pending is None:
            raise BadRegistrationToken
        try:
            return await self._registration.create(
                pending.email,
                pending.username,
                pending.hash,
                device=device,
                address=address,
                also=[Delete(pending.own_key())],
            )
        except ConditionFailed:
            raise BadRegistrationToken from None

    async def _send(self, transport: Transport, email: str, username: str, password: str) -> None:
        # Before the lookup, so that both cases take the same time.
        hashed = await self._passwords.hash(password)
        owner = await self._directory.find_by_email(email)
        if owner is not None:
            await transport.send_mail(mail_of(email, registered_mail(owner.username, self._public_url)))
            return
        minted = self._tokens.mint()
        pending = PendingRegistration(
            token_hash=minted.hash,
            email=email,
            username=username,
            hash=hashed,
            created_at=minted.created_at,
            expires_at=minted.expires_at,
        )
        await self._table.write(Create(pending), pattern=ask_registration)
        content = confirmation_mail(username, self._public_url, minted.token)
        await transport.send_mail(mail_of(email, content))

"""Registering by mail: the account is made when its e-mail address is confirmed.

Who registers directly learns whether an address is taken. Here the answer is always the same: a free address gets a
token, the owner of a taken one gets a mail that says so. User names are public, and are refused at once.
"""

from __future__ import annotations

from sobremesa.domains.accounts.entities import PendingRegistration, ask_registration, pending_registration
from sobremesa.domains.accounts.errors import BadRegistrationToken
from sobremesa.domains.accounts.login import Directory
from sobremesa.domains.accounts.mail import Mailer
from sobremesa.domains.accounts.mailed_tokens import MailedTokens, hash_of
from sobremesa.domains.accounts.names import check_password, normal_email, normal_username
from sobremesa.domains.accounts.passwords import Passwords
from sobremesa.domains.accounts.registration import Registration
from sobremesa.domains.accounts.sessions import SignedIn
from sobremesa.table import Create, Delete, Table
from sobremesa.table.errors import ConditionFailed


class Verification:
    """Registers users whose e-mail address was confirmed."""

    def __init__(
        self,
        table: Table,
        *,
        registration: Registration,
        directory: Directory,
        passwords: Passwords,
        tokens: MailedTokens,
        public_url: str,
    ) -> None:
        self._table = table
        self._registration = registration
        self._directory = directory
        self._passwords = passwords
        self._tokens = tokens
        self._public_url = public_url.rstrip("/")

    async def ask(self, email: str, username: str, password: str) -> None:
        """Mail a token to a free address, or a note to its owner, after returning; UsernameTaken at once."""
        self._registration.require_open()
        email, username = normal_email(email), normal_username(username)
        check_password(password)
        await self._registration.require_free_name(username)
        self._tokens.start("register", email, lambda mailer, to: self._send(mailer, to, username, password))

    async def confirm(self, token: str, *, device: str | None, address: str) -> SignedIn:
        """Make the user with an open session; BadRegistrationToken unless the token is fresh and unused."""
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

    async def _send(self, mailer: Mailer, email: str, username: str, password: str) -> None:
        # Before the look, so that both ways take as long.
        hashed = await self._passwords.hash(password)
        owner = await self._directory.find_by_email(email)
        if owner is not None:
            await mailer.send(
                email,
                "You have an account already",
                f"Hello {owner.username},\n\nsomebody tried to register at {self._public_url} with your e-mail "
                "address. You have an account there already: log in, or reset your password.\n\n"
                "If it was not you, do nothing.\n",
            )
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
        await mailer.send(
            email,
            "Confirm your e-mail address",
            f"Hello {username},\n\nto register at {self._public_url}, open this address within an hour:\n\n"
            f"{self._public_url}/register?token={minted.token}\n\n"
            f"Or use the token itself:\n\n{minted.token}\n\nIf you did not ask for it, do nothing.\n",
        )

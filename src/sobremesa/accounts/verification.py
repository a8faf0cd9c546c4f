"""Registering by mail: the account is made when its e-mail address is confirmed.

Who registers directly learns whether an address is taken. Here the answer is always the same: a free address gets a
token, the owner of a taken one gets a mail that says so. User names are public, and are refused at once.
"""

from __future__ import annotations

import secrets

from sobremesa.accounts.entities import PendingRegistration, ask_registration, pending_registration
from sobremesa.accounts.errors import BadRegistrationToken
from sobremesa.accounts.login import Directory
from sobremesa.accounts.mail import Mailer, MailTasks
from sobremesa.accounts.names import check_password, normal_email, normal_username
from sobremesa.accounts.passwords import Passwords
from sobremesa.accounts.registration import Registration
from sobremesa.accounts.sessions import SignedIn
from sobremesa.clock import Clock, instant
from sobremesa.http.limits import Limits
from sobremesa.table import Create, Delete, Table, hash_part
from sobremesa.table.errors import ConditionFailed

PENDING_SECONDS = 3600
SECRET_BYTES = 32


class Verification:
    """Registers users whose e-mail address was confirmed."""

    def __init__(
        self,
        table: Table,
        clock: Clock,
        *,
        registration: Registration,
        directory: Directory,
        passwords: Passwords,
        limits: Limits,
        mail: MailTasks,
        public_url: str,
    ) -> None:
        self._table = table
        self._clock = clock
        self._registration = registration
        self._directory = directory
        self._passwords = passwords
        self._limits = limits
        self._mail = mail
        self._public_url = public_url.rstrip("/")

    async def ask(self, email: str, username: str, password: str) -> None:
        """Mail a token to a free address, or a note to its owner, after returning; UsernameTaken at once."""
        self._registration.require_open()
        email, username = normal_email(email), normal_username(username)
        check_password(password)
        await self._registration.require_free_name(username)
        self._mail.start(lambda mailer: self._send(mailer, email, username, password))

    async def confirm(self, token: str, *, device: str | None, address: str) -> SignedIn:
        """Make the user with an open session; BadRegistrationToken unless the token is fresh and unused."""
        self._registration.require_open()
        pending = await self._table.get(pending_registration(token_hash=hash_part(token)))
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
        # By address too, so that no mailbox can be filled from many places.
        await self._limits.take("credentials", f"register:{hash_part(email)}")
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
        token = secrets.token_urlsafe(SECRET_BYTES)
        now = self._clock.now_ms()
        pending = PendingRegistration(
            token_hash=hash_part(token),
            email=email,
            username=username,
            hash=hashed,
            created_at=instant(now),
            expires_at=now // 1000 + PENDING_SECONDS,
        )
        await self._table.write(Create(pending), pattern=ask_registration)
        await mailer.send(
            email,
            "Confirm your e-mail address",
            f"Hello {username},\n\nto register at {self._public_url}, use this token within an hour:\n\n{token}\n\n"
            "If you did not ask for it, do nothing.\n",
        )

"""Users with a password: registration, login, and a new password."""

from __future__ import annotations

from sobremesa.core.actor import Actor
from sobremesa.domains.accounts.context import AccountContext
from sobremesa.domains.accounts.known_addresses import KnownAddresses
from sobremesa.domains.accounts.login import Login
from sobremesa.domains.accounts.mail import MailTasks
from sobremesa.domains.accounts.mailed_tokens import MailedTokens
from sobremesa.domains.accounts.names import check_device
from sobremesa.domains.accounts.passwords import Passwords
from sobremesa.domains.accounts.recovery import Recovery
from sobremesa.domains.accounts.registration import Registration
from sobremesa.domains.accounts.sessions import SignedIn
from sobremesa.domains.accounts.verification import Verification
from sobremesa.domains.mail.mailers import Transport


class PasswordAccounts:
    """Registers users, logs them in, and changes their passwords."""

    def __init__(self, context: AccountContext, passwords: Passwords, transport: Transport | None) -> None:
        addresses = KnownAddresses(context.keyring.secret("addresses"))
        tokens = MailedTokens(context.clock, context.limits, MailTasks(transport))
        self._passwords = passwords
        self._get_me = context.directory.get_me
        self._registration = Registration(context, passwords, addresses)
        self._verification = Verification(context, self._registration, passwords, tokens)
        self._login = Login(context, passwords, addresses)
        self.recovery = Recovery(context, passwords, addresses, tokens)

    def prepare(self) -> None:
        """Do in advance what would make the first login slower than others."""
        self._passwords.prepare()

    async def close(self) -> None:
        """Wait for the mails that are being sent."""
        await self.recovery.close()
        self._passwords.close()

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

    async def change_password(self, actor: Actor, *, current: str, next: str) -> None:
        """Set a new password and end all other sessions; WrongPassword if `current` is wrong."""
        await self.recovery.change(await self._get_me(actor), current=current, next=next, keep=actor.session_id)

    def ask_reset(self, email: str) -> None:
        """Mail a reset token to the user with this address, if there is one, in the background.

        MailNotConfigured without a mailer. The duration does not reveal whether the address is known.
        """
        self.recovery.ask(email)

    async def confirm_reset(self, *, token: str, password: str, address: str = "here") -> None:
        """Set a new password with a mailed token, which is used once; all sessions end.

        `address` becomes the only known address of the user.
        """
        await self.recovery.confirm(token, password, address)

"""The routes of accounts."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from sobremesa.core.actor import PICTURE_ADDRESS, Actor, SessionId, UserId
from sobremesa.core.errors import Clash, Invalid, NotFound
from sobremesa.domains.accounts.errors import (
    BadCredentials,
    BadRegistrationToken,
    BadResetToken,
    EmailTaken,
    MailNotConfigured,
    NoPassword,
    OwnsServers,
    OwnsWorkspaces,
    RegistrationByMail,
    RegistrationClosed,
    SelfBlock,
    SessionEnded,
    UsernameTaken,
    WrongPassword,
)
from sobremesa.domains.accounts.names import (
    MAX_DEVICE,
    MAX_EMAIL,
    MAX_PASSWORD,
    MAX_USERNAME,
    MIN_PASSWORD,
    MIN_USERNAME,
)
from sobremesa.domains.accounts.service import Accounts
from sobremesa.domains.accounts.views import (
    Accepted,
    BlockView,
    Me,
    SessionView,
    SignedInView,
    UserView,
    block_view,
    own_view,
    session_view,
    signed_in_view,
    user_view,
)
from sobremesa.http.endpoints import Input, Lines, Listed, PageQuery, Routes

Email = Annotated[
    str,
    Meta(max_length=MAX_EMAIL, description="An e-mail address, case-insensitive.", examples=["ana@example.com"]),
]
Username = Annotated[
    str,
    Meta(
        min_length=MIN_USERNAME,
        max_length=MAX_USERNAME,
        description="Letters and digits of one script, `_`, `.` and `-`. Unique, ignoring case.",
        examples=["ana"],
    ),
]
NewPassword = Annotated[str, Meta(min_length=MIN_PASSWORD, max_length=MAX_PASSWORD, examples=["correct horse battery"])]
GivenPassword = Annotated[str, Meta(max_length=MAX_PASSWORD, examples=["correct horse battery"])]
Device = Annotated[str, Meta(max_length=MAX_DEVICE, description="A label for this device.")]
AvatarUrl = Annotated[
    str,
    Meta(
        pattern=PICTURE_ADDRESS,
        description="The URL of an upload of yours.",
        examples=["/v1/attachments/01JGSYB3ZZ4Q0X5V6W7E8R9T0A"],
    ),
]
GivenToken = Annotated[str, Meta(max_length=1024)]


class Registration(Input):
    """An account to create."""

    email: Email
    username: Username
    password: NewPassword
    device: Device | None = None


class NewRegistration(Input):
    """An account to create once the e-mail address is confirmed."""

    email: Email
    username: Username
    password: NewPassword


class RegistrationConfirmation(Input):
    """The mailed token."""

    token: GivenToken
    device: Device | None = None


class Login(Input):
    """The credentials of a user."""

    email: Annotated[
        str, Meta(max_length=1024, description="The e-mail address or the username.", examples=["ana@example.com"])
    ]
    password: GivenPassword
    device: Device | None = None


class Refresh(Input):
    """The current refresh token of the session."""

    refresh_token: GivenToken


class ResetRequest(Input):
    """The e-mail address of the account."""

    email: Annotated[str, Meta(max_length=1024, examples=["ana@example.com"])]


class ResetConfirmation(Input):
    """The mailed token, and the new password."""

    token: GivenToken
    password: NewPassword


class PasswordChange(Input):
    """The current password, and the new one."""

    current: GivenPassword
    next: NewPassword


class ProfileChange(Input):
    """The fields to change; omitted fields stay as they are. A null picture removes it."""

    username: Username | UnsetType = UNSET
    avatar_url: AvatarUrl | UnsetType | None = UNSET


class AccountDeletionRequest(Input):
    """The password, required for accounts that have one."""

    password: GivenPassword | None = None


class UserQuery(Input):
    """The user to find."""

    username: Annotated[str, Meta(max_length=200, description="The complete username, case-insensitive.")]


def routes(accounts: Accounts) -> Routes:
    """The routes of accounts."""
    api = Routes("Accounts", "Registration, sessions, profiles and blocks.")

    @api.post(
        "/auth/register",
        status=201,
        limit="credentials",
        errors=[EmailTaken, UsernameTaken, RegistrationClosed, RegistrationByMail, Invalid],
    )
    async def register(body: Registration, address: str) -> SignedInView:
        """Create an account and log in."""
        return signed_in_view(
            await accounts.register(
                email=body.email, username=body.username, password=body.password, device=body.device, address=address
            )
        )

    @api.post(
        "/auth/registrations",
        status=202,
        limit="credentials",
        errors=[UsernameTaken, RegistrationClosed, MailNotConfigured, Invalid],
    )
    async def ask_registration(body: NewRegistration) -> Accepted:
        """Request an account whose e-mail address is confirmed by mail.

        A token is mailed to the address. If the address is taken, its owner receives a notice instead; the response is
        the same.
        """
        await accounts.ask_registration(email=body.email, username=body.username, password=body.password)
        return Accepted()

    @api.post(
        "/auth/registrations/confirm",
        status=201,
        limit="credentials",
        errors=[BadRegistrationToken, EmailTaken, UsernameTaken, RegistrationClosed],
    )
    async def confirm_registration(body: RegistrationConfirmation, address: str) -> SignedInView:
        """Create the account with the mailed token and log in."""
        return signed_in_view(await accounts.confirm_registration(body.token, device=body.device, address=address))

    @api.post("/auth/login", limit="credentials", errors=[BadCredentials])
    async def login(body: Login, address: str) -> SignedInView:
        """Log in.

        `email` is the e-mail address or the username. An unknown user and a wrong password get the same response.
        """
        return signed_in_view(
            await accounts.login(email=body.email, password=body.password, device=body.device, address=address)
        )

    @api.post("/auth/refresh", errors=[SessionEnded])
    async def refresh(body: Refresh) -> SignedInView:
        """Exchange a refresh token for a new pair of tokens.

        A refresh token is for one use. Within ten seconds, while its successor is unused, the same request returns the
        same pair again. Any later use ends the session.
        """
        return signed_in_view(await accounts.refresh(body.refresh_token))

    @api.post("/auth/logout", status=204)
    async def logout(actor: Actor) -> None:
        """Log out: end the session of this request."""
        await accounts.logout(actor)

    @api.post("/auth/reset", status=202, limit="credentials", errors=[MailNotConfigured])
    async def ask_reset(body: ResetRequest) -> Accepted:
        """Request a password reset by mail.

        The response is the same whether the address is known or not. It is refused if mail is not configured.
        """
        accounts.ask_reset(body.email)
        return Accepted()

    @api.post("/auth/reset/confirm", status=204, limit="credentials", errors=[BadResetToken])
    async def confirm_reset(body: ResetConfirmation, address: str) -> None:
        """Set a new password with the mailed token.

        The token is for one use within an hour. All sessions of the user end.
        """
        await accounts.confirm_reset(token=body.token, password=body.password, address=address)

    _declare_own(api, accounts)
    _declare_blocks(api, accounts)
    _declare_users(api, accounts)
    return api


def _declare_own(api: Routes, accounts: Accounts) -> None:
    @api.get("/users/me")
    async def get_me(actor: Actor) -> Me:
        """Return your account."""
        return own_view(await accounts.get_me(actor))

    @api.patch("/users/me", errors=[UsernameTaken, Invalid])
    async def change_me(actor: Actor, body: ProfileChange) -> Me:
        """Change your username or picture."""
        return own_view(
            await accounts.change_profile(
                actor,
                username=None if body.username is UNSET else body.username,
                avatar_url=body.avatar_url,
            )
        )

    @api.delete("/users/me", limit="credentials", errors=[WrongPassword, OwnsServers, OwnsWorkspaces, Clash])
    async def delete_me(actor: Actor, body: AccountDeletionRequest) -> None:
        """Delete your account.

        All sessions end at once, and personal data is removed in the background. Your messages stay, with a deleted
        user as their author.
        """
        await accounts.delete_me(actor, password=body.password)

    @api.put("/users/me/password", status=204, limit="credentials", errors=[WrongPassword, NoPassword, Invalid])
    async def change_password(actor: Actor, body: PasswordChange) -> None:
        """Change your password and end all other sessions."""
        await accounts.change_password(actor, current=body.current, next=body.next)

    @api.get("/users/me/sessions")
    async def list_sessions(actor: Actor, query: PageQuery) -> Listed[SessionView]:
        """List your sessions, oldest first."""
        page = await accounts.list_sessions(actor, limit=query.limit, cursor=query.cursor)
        return Listed([session_view(session, actor) for session in page.items], page.cursor)

    @api.delete("/users/me/sessions/{session_id}", errors=[NotFound])
    async def end_session(actor: Actor, session_id: SessionId) -> None:
        """End one of your sessions."""
        await accounts.end_session(actor, session_id)

    @api.get("/users/me/export", limit="heavy")
    async def export(actor: Actor) -> Lines:
        """Export all of your data, one JSON value per line."""
        return Lines(accounts.export(actor))


def _declare_blocks(api: Routes, accounts: Accounts) -> None:
    @api.get("/users/me/blocks")
    async def list_blocks(actor: Actor, query: PageQuery) -> Listed[BlockView]:
        """List the users that you have blocked."""
        page = await accounts.list_blocks(actor, limit=query.limit, cursor=query.cursor)
        profiles = await accounts.profiles(block.blocked_id for block in page.items)
        return Listed([block_view(block, profiles[block.blocked_id]) for block in page.items], page.cursor)

    @api.get("/users/me/blocks/{user_id}", errors=[NotFound])
    async def get_block(actor: Actor, user_id: UserId) -> BlockView:
        """Return your block of a user, if there is one."""
        block = await accounts.get_block(actor, user_id)
        return block_view(block, (await accounts.profiles([user_id]))[user_id])

    @api.put("/users/me/blocks/{user_id}", errors=[NotFound, SelfBlock])
    async def block(actor: Actor, user_id: UserId) -> BlockView:
        """Block a user. It is idempotent."""
        created = await accounts.block(actor, user_id)
        return block_view(created, (await accounts.profiles([user_id]))[user_id])

    @api.delete("/users/me/blocks/{user_id}", errors=[NotFound])
    async def unblock(actor: Actor, user_id: UserId) -> None:
        """Unblock a user."""
        await accounts.unblock(actor, user_id)


def _declare_users(api: Routes, accounts: Accounts) -> None:
    @api.get("/users")
    async def find_users(actor: Actor, query: UserQuery) -> Listed[UserView]:
        """Find the user with this username."""
        user = await accounts.find_by_username(query.username, actor.tenant)
        return Listed([user_view(user)] if user is not None else [])

    @api.get("/users/{user_id}", errors=[NotFound])
    async def get_user(actor: Actor, user_id: UserId) -> UserView:
        """Return a user."""
        return user_view(await accounts.get_user(user_id, actor.tenant))

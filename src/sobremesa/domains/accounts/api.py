"""The routes of accounts: what a client sends and gets, and which verb answers."""

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
    Meta(max_length=MAX_EMAIL, description="An e-mail address; capitals do not matter.", examples=["ana@example.com"]),
]
Username = Annotated[
    str,
    Meta(
        min_length=MIN_USERNAME,
        max_length=MAX_USERNAME,
        description="Letters and digits of one script, `_`, `.` and `-`; unique whatever its capitals.",
        examples=["ana"],
    ),
]
NewPassword = Annotated[str, Meta(min_length=MIN_PASSWORD, max_length=MAX_PASSWORD, examples=["correct horse battery"])]
GivenPassword = Annotated[str, Meta(max_length=MAX_PASSWORD, examples=["correct horse battery"])]
Device = Annotated[str, Meta(max_length=MAX_DEVICE, description="What the person calls this device.")]
AvatarUrl = Annotated[
    str,
    Meta(
        pattern=PICTURE_ADDRESS,
        description="The address of an upload of yours.",
        examples=["/v1/attachments/01JGSYB3ZZ4Q0X5V6W7E8R9T0A"],
    ),
]
GivenToken = Annotated[str, Meta(max_length=1024)]


class Registration(Input):
    """Who wants to be known here."""

    email: Email
    username: Username
    password: NewPassword
    device: Device | None = None


class NewRegistration(Input):
    """Who wants to be known here, once the address is confirmed."""

    email: Email
    username: Username
    password: NewPassword


class RegistrationConfirmation(Input):
    """The token of the mail."""

    token: GivenToken
    device: Device | None = None


class Login(Input):
    """Who says they are known here."""

    email: Annotated[
        str, Meta(max_length=1024, description="The e-mail address or the user name.", examples=["ana@example.com"])
    ]
    password: GivenPassword
    device: Device | None = None


class Refresh(Input):
    """The last refresh token that the session got."""

    refresh_token: GivenToken


class ResetRequest(Input):
    """Whose password was forgotten."""

    email: Annotated[str, Meta(max_length=1024, examples=["ana@example.com"])]


class ResetConfirmation(Input):
    """The token of the mail, and the new password."""

    token: GivenToken
    password: NewPassword


class PasswordChange(Input):
    """The password of today, and that of tomorrow."""

    current: GivenPassword
    next: NewPassword


class ProfileChange(Input):
    """What is to change; what is left out stays. A null picture takes it away."""

    username: Username | UnsetType = UNSET
    avatar_url: AvatarUrl | UnsetType | None = UNSET


class AccountDeletionRequest(Input):
    """People with a password give it once more."""

    password: GivenPassword | None = None


class UserQuery(Input):
    """Whom to look for."""

    username: Annotated[str, Meta(max_length=200, description="The whole name; capitals do not matter.")]


def routes(accounts: Accounts) -> Routes:
    """The routes of accounts."""
    api = Routes("Accounts")

    @api.post(
        "/auth/register",
        status=201,
        limit="credentials",
        errors=[EmailTaken, UsernameTaken, RegistrationClosed, RegistrationByMail, Invalid],
    )
    async def register(body: Registration, address: str) -> SignedInView:
        """Register, and be logged in."""
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
        """Register with an e-mail address that is confirmed by mail.

        A token is mailed to the address. If it is taken, its owner gets a note instead; the answer is the same.
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
        """Register with the token of the mail, and be logged in."""
        return signed_in_view(await accounts.confirm_registration(body.token, device=body.device, address=address))

    @api.post("/auth/login", limit="credentials", errors=[BadCredentials])
    async def login(body: Login, address: str) -> SignedInView:
        """Log in.

        `email` is the e-mail address or the user name. An unknown one and a wrong password get the same answer.
        """
        return signed_in_view(
            await accounts.login(email=body.email, password=body.password, device=body.device, address=address)
        )

    @api.post("/auth/refresh", errors=[SessionEnded])
    async def refresh(body: Refresh) -> SignedInView:
        """Get the next pair of tokens.

        Every refresh token is for one use. Within ten seconds, while its successor is unused, the same request gets the
        same answer again; any later use ends the session.
        """
        return signed_in_view(await accounts.refresh(body.refresh_token))

    @api.post("/auth/logout", status=204)
    async def logout(actor: Actor) -> None:
        """End this session."""
        await accounts.logout(actor)

    @api.post("/auth/reset", status=202, limit="credentials", errors=[MailNotConfigured])
    async def ask_reset(body: ResetRequest) -> Accepted:
        """Ask for a new password by mail.

        The answer is the same whether the address is known or not. Where no mail is set up it is refused.
        """
        accounts.ask_reset(body.email)
        return Accepted()

    @api.post("/auth/reset/confirm", status=204, limit="credentials", errors=[BadResetToken])
    async def confirm_reset(body: ResetConfirmation, address: str) -> None:
        """Set a new password with the token of the mail.

        It is for one use within an hour, and ends all sessions.
        """
        await accounts.confirm_reset(token=body.token, password=body.password, address=address)

    _declare_own(api, accounts)
    _declare_blocks(api, accounts)
    _declare_people(api, accounts)
    return api


def _declare_own(api: Routes, accounts: Accounts) -> None:
    @api.get("/users/me")
    async def get_me(actor: Actor) -> Me:
        """One's own account."""
        return own_view(await accounts.get_me(actor))

    @api.patch("/users/me", errors=[UsernameTaken, Invalid])
    async def change_me(actor: Actor, body: ProfileChange) -> Me:
        """Change one's name or picture."""
        return own_view(
            await accounts.change_profile(
                actor,
                username=None if body.username is UNSET else body.username,
                avatar_url=body.avatar_url,
            )
        )

    @api.delete("/users/me", limit="credentials", errors=[WrongPassword, OwnsServers, OwnsWorkspaces, Clash])
    async def delete_me(actor: Actor, body: AccountDeletionRequest) -> None:
        """Delete one's account.

        Nobody can log in to it from now on. What one wrote stays, as by a deleted user; personal data is removed in the
        background.
        """
        await accounts.delete_me(actor, password=body.password)

    @api.put("/users/me/password", status=204, limit="credentials", errors=[WrongPassword, NoPassword, Invalid])
    async def change_password(actor: Actor, body: PasswordChange) -> None:
        """Change one's password, which ends all other sessions."""
        await accounts.change_password(actor, current=body.current, next=body.next)

    @api.get("/users/me/sessions")
    async def list_sessions(actor: Actor, query: PageQuery) -> Listed[SessionView]:
        """The devices on which one is logged in, oldest first."""
        page = await accounts.list_sessions(actor, limit=query.limit, cursor=query.cursor)
        return Listed([session_view(session, actor) for session in page.items], page.cursor)

    @api.delete("/users/me/sessions/{session_id}", errors=[NotFound])
    async def end_session(actor: Actor, session_id: SessionId) -> None:
        """Log out one device."""
        await accounts.end_session(actor, session_id)

    @api.get("/users/me/export", limit="heavy")
    async def export(actor: Actor) -> Lines:
        """All of one's own data, one JSON value a line."""
        return Lines(accounts.export(actor))


def _declare_blocks(api: Routes, accounts: Accounts) -> None:
    @api.get("/users/me/blocks")
    async def list_blocks(actor: Actor, query: PageQuery) -> Listed[BlockView]:
        """The people whom one has blocked."""
        page = await accounts.list_blocks(actor, limit=query.limit, cursor=query.cursor)
        profiles = await accounts.profiles(block.blocked_id for block in page.items)
        return Listed([block_view(block, profiles[block.blocked_id]) for block in page.items], page.cursor)

    @api.get("/users/me/blocks/{user_id}", errors=[NotFound])
    async def get_block(actor: Actor, user_id: UserId) -> BlockView:
        """Has one blocked this person?"""
        block = await accounts.get_block(actor, user_id)
        return block_view(block, (await accounts.profiles([user_id]))[user_id])

    @api.put("/users/me/blocks/{user_id}", errors=[NotFound, SelfBlock])
    async def block(actor: Actor, user_id: UserId) -> BlockView:
        """Block a person. Doing it twice is the same as once."""
        made = await accounts.block(actor, user_id)
        return block_view(made, (await accounts.profiles([user_id]))[user_id])

    @api.delete("/users/me/blocks/{user_id}", errors=[NotFound])
    async def unblock(actor: Actor, user_id: UserId) -> None:
        """No longer block a person."""
        await accounts.unblock(actor, user_id)


def _declare_people(api: Routes, accounts: Accounts) -> None:
    @api.get("/users")
    async def find_users(actor: Actor, query: UserQuery) -> Listed[UserView]:
        """The person with this name, if there is one."""
        user = await accounts.find_by_username(query.username)
        return Listed([user_view(user)] if user is not None else [])

    @api.get("/users/{user_id}", errors=[NotFound])
    async def get_user(actor: Actor, user_id: UserId) -> UserView:
        """A person."""
        return user_view(await accounts.get_user(user_id))

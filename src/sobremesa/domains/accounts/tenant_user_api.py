"""The routes of a tenant's users, for the product's backend with a server key."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from sobremesa.core.actor import Actor, Tenant, UserId, own_picture
from sobremesa.core.clock import Instant
from sobremesa.core.custom_data import BadData, CustomData
from sobremesa.core.errors import Clash, Invalid, NotFound, TooBig, UnknownUsers
from sobremesa.domains.accounts.api import AvatarUrl, DisplayName, Email, Username
from sobremesa.domains.accounts.entities import User
from sobremesa.domains.accounts.errors import ExternalIdTaken, HasExternalId, OwnsServers, OwnsWorkspaces, UsernameTaken
from sobremesa.domains.accounts.external_ids import MAX_EXTERNAL_ID, ExternalId
from sobremesa.domains.accounts.service import Accounts
from sobremesa.domains.accounts.tenant_users import Upserted
from sobremesa.domains.accounts.user_batches import MAX_BATCH_BYTES, Line, Result, read_lines
from sobremesa.domains.accounts.user_fields import LOCALE, MAX_LOCALE, UserFields
from sobremesa.http.decoding import body_error
from sobremesa.http.endpoints import Answer, Input, Lines, Output, Routes, Upload
from sobremesa.http.problems import MalformedRequest, problem_of
from sobremesa.rooms.api import CountUnread, UnreadEverywhere

Locale = Annotated[str, Meta(max_length=MAX_LOCALE, pattern=LOCALE, examples=["pt-BR"])]
TimeZone = Annotated[str, Meta(max_length=100, description="An IANA time zone.", examples=["Europe/Berlin"])]


class UserUpsert(Input):
    """The fields to set; omitted fields stay as they are, and null removes a value.

    Without a username, a new user gets one that is derived from the display name or the external id. With `userId`, the
    user of the tenant with that id, who has no external id yet, gets this one.
    """

    user_id: Annotated[UserId, Meta(min_length=1, max_length=200)] | None = None
    username: Username | UnsetType = UNSET
    display_name: DisplayName | UnsetType | None = UNSET
    email: Email | UnsetType | None = UNSET
    avatar_url: AvatarUrl | UnsetType | None = UNSET
    data: CustomData | UnsetType | None = UNSET
    locale: Locale | UnsetType | None = UNSET
    time_zone: TimeZone | UnsetType | None = UNSET


class BatchUser(UserUpsert, kw_only=True):
    """A line of a batch: the external id of a user, and the fields to set."""

    external_id: Annotated[str, Meta(min_length=1, max_length=MAX_EXTERNAL_ID)]


class TenantUser(Output):
    """A user, as the product's backend sees it."""

    user_id: UserId
    external_id: str | None
    username: str
    display_name: str | None
    email: Annotated[str | None, Meta(description="For mail only; users cannot log in with it.")]
    avatar_url: str | None
    data: dict[str, Any] | None
    locale: str | None
    time_zone: str | None
    is_bot: bool
    disabled: bool
    created_at: Instant
    updated_at: Instant


class LineError(Output):
    """Why a line was refused."""

    code: str
    detail: str


class LineResult(Output, omit_defaults=True):
    """The result of one line of a batch."""

    line: int
    external_id: str | None
    status: int
    user_id: UserId | None = None
    error: LineError | None = None


UPSERT_ERRORS = [BadData, ExternalIdTaken, HasExternalId, Invalid, UnknownUsers, UsernameTaken]
_decode_line = msgspec.json.Decoder(BatchUser).decode


def routes(accounts: Accounts, count_unread: CountUnread) -> Routes:
    """Return the routes of a tenant's users; `count_unread` counts what is unread in all rooms of a user."""
    api = Routes("Users", "The users of a tenant, by the ids that they have in your product.")
    user = "/tenants/{tenant}/users/{external_id}"

    @api.put(user, scope="users:write", also_status=201, errors=UPSERT_ERRORS)
    async def upsert_user(
        actor: Actor, tenant: Tenant, external_id: ExternalId, body: UserUpsert
    ) -> Answer[TenantUser]:
        """Create or change the user with this external id.

        A new user is 201, an existing one 200. A user who registered here gets the external id by `userId`. Tokens of
        your issuer whose `sub` is this id belong to the user.
        """
        upserted = await accounts.upsert_user(actor, tenant, external_id, _fields(body))
        return Answer(_view(upserted.user), status=201 if upserted.is_new else 200)

    @api.get(user, scope="users:read", also_scopes=["users:write"], errors=[NotFound])
    async def get_tenant_user(actor: Actor, tenant: Tenant, external_id: ExternalId) -> TenantUser:
        """Return the user with this external id."""
        return _view(await accounts.get_tenant_user(actor, tenant, external_id))

    @api.delete(user, scope="users:write", errors=[NotFound, OwnsServers, OwnsWorkspaces, Clash])
    async def delete_user(actor: Actor, tenant: Tenant, external_id: ExternalId) -> None:
        """Delete the user with this external id.

        Tokens that were issued before are refused from then on. A later upsert creates another user.
        """
        await accounts.delete_user(actor, tenant, external_id)

    @api.post(f"{user}/disable", scope="users:write", errors=[NotFound])
    async def disable_user(actor: Actor, tenant: Tenant, external_id: ExternalId) -> TenantUser:
        """Refuse all tokens and logins of a user, and close the sockets, until the user is enabled."""
        return _view(await accounts.disable_user(actor, tenant, external_id))

    @api.post(f"{user}/enable", scope="users:write", errors=[NotFound])
    async def enable_user(actor: Actor, tenant: Tenant, external_id: ExternalId) -> TenantUser:
        """Accept tokens and logins of a user again."""
        return _view(await accounts.enable_user(actor, tenant, external_id))

    @api.post(f"{user}/revoke", scope="users:write", errors=[NotFound])
    async def revoke_tokens(actor: Actor, tenant: Tenant, external_id: ExternalId) -> TenantUser:
        """Log a user out everywhere: refuse all tokens issued before now, end all sessions and close the sockets.

        The time of issue has whole seconds in most tokens. One of the same second is refused as well.
        """
        return _view(await accounts.revoke_tokens(actor, tenant, external_id))

    @api.get(f"{user}/unread", scope="users:read", also_scopes=["users:write"], limit="write", errors=[NotFound])
    async def count_unread_of_user(actor: Actor, tenant: Tenant, external_id: ExternalId) -> UnreadEverywhere:
        """Count what is unread in all rooms and inboxes of a user."""
        found = await accounts.get_tenant_user(actor, tenant, external_id)
        return await count_unread(Actor.of_user(found.user_id, found.username, found.tenant))

    @api.post("/tenants/{tenant}/users:batch", scope="users:write", max_upload=MAX_BATCH_BYTES, errors=[TooBig])
    async def upsert_users(actor: Actor, tenant: Tenant, upload: Upload) -> Lines:
        """Create or change up to 1,000 users: one JSON object per line, each with an `externalId` and the fields.

        The response has one line for each, in the same order: `{line, externalId, status, userId?, error?}`. A line
        with an error does not stop the others.
        """
        actor.require_tenant(tenant)
        lines = await read_lines(upload.pieces, _line)
        return Lines(_results(accounts.upsert_users(actor, tenant, lines)))

    return api


def _line(number: int, raw: bytes | None) -> Line:
    """Return a line of a batch, or why it cannot be read."""
    if raw is None:
        return Line(number, None, TooBig("The line is too long."))
    try:
        body = _decode_line(raw)
    except msgspec.ValidationError as error:
        return Line(number, None, body_error(error))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Line(number, None, MalformedRequest("The line is not valid JSON."))
    return Line(number, body.external_id, _fields(body))


async def _results(results: AsyncGenerator[Result, None]) -> AsyncGenerator[LineResult, None]:
    try:
        async for line, outcome in results:
            if isinstance(outcome, Upserted):
                status = 201 if outcome.is_new else 200
                yield LineResult(line.number, line.external_id, status, outcome.user.user_id)
            else:
                problem = problem_of(outcome)
                error = LineError(problem.code, _detail(problem.detail, problem.data))
                yield LineResult(line.number, line.external_id, problem.status, error=error)
    finally:
        await results.aclose()


def _detail(detail: str, data: dict[str, Any]) -> str:
    """Return the detail of a refusal with the place of the mistake, if it has one."""
    found = data.get("errors") or [{}]
    pointer = found[0].get("pointer")
    return detail if pointer is None else f"{pointer}: {found[0].get('detail', detail)}"


def _fields(body: UserUpsert) -> UserFields:
    return UserFields(
        user_id=body.user_id,
        username=body.username,
        display_name=body.display_name,
        email=body.email,
        avatar_url=body.avatar_url,
        data=body.data,
        locale=body.locale,
        time_zone=body.time_zone,
    )


def _view(user: User) -> TenantUser:
    return TenantUser(
        user_id=user.user_id,
        external_id=user.external_id,
        username=user.username,
        display_name=user.display_name,
        email=user.contact_email or user.email,
        avatar_url=own_picture(user.avatar_url),
        data=user.data,
        locale=user.locale,
        time_zone=user.time_zone,
        is_bot=user.is_bot,
        disabled=user.disabled_at is not None,
        created_at=user.created_at,
        updated_at=user.updated_at,
    )

"""Users, credentials, sessions and keys: stored rows and access patterns."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from sobremesa.core.actor import (
    DEFAULT_TENANT,
    DELETED_NAME,
    KeyId,
    PublicProfile,
    SessionId,
    Tenant,
    UserId,
    own_picture,
)
from sobremesa.core.clock import EPOCH, Instant
from sobremesa.table import Entity, Index, Keys, Lookup, Pattern, WritePattern, gsi1, gsi2

DigestChoice: TypeAlias = Literal["off", "hourly", "daily"]

DIGEST_SHARDS = 16


class User(Entity):
    """A user's profile. The row of a deleted user remains as a tombstone without personal data."""

    keys = Keys(pk="USER#{user_id}", sk="PROFILE")
    by_email = Index(gsi1, pk="EMAIL#{email}", sk="USER#{user_id}")
    for_digests = Index(gsi2, pk="t#{tenant}DIGEST#{digest_shard}", sk="{user_id}")
    redacted = ("password_hash",)

    user_id: UserId
    username: str = ""
    display_name: str | None = None
    email: str | None = None
    """The address that the user logs in with, which is claimed and indexed."""
    contact_email: str | None = None
    """The address that the product's backend set, for mail only: it is neither unique nor proof of anything."""
    avatar_url: str | None = None
    tenant: Tenant = DEFAULT_TENANT
    external_id: str | None = None
    """The id of the user in the product, which an ExternalIdClaim reserves."""
    data: dict[str, Any] | None = None
    locale: str | None = None
    time_zone: str | None = None
    is_bot: bool = False
    is_admin: bool = False
    disabled_at: Instant | None = None
    tokens_valid_after: Instant | None = None
    """Tokens of other issuers that were issued before this are refused."""
    identity: str | None = None
    """The key of the ExternalIdentity, for a user of another issuer."""
    identities: frozenset[str] = frozenset()
    """The keys of further ones: of other issuers of the tenant, or of a user whom the backend created."""
    password_hash: str | None = None
    """Only on legacy rows; it moves to the Credential at the next login."""
    digest_choice: DigestChoice | None = None
    """The choice in the notification settings, here as well, so that a change of the address knows it."""
    digest_shard: int | None = None
    """Lists the user among those who can receive digests; None without an address, or if digests are turned off."""
    created_at: Instant = EPOCH
    updated_at: Instant = EPOCH
    deleted_at: Instant | None = None


class Credential(Entity):
    """The hash of a user's password, in a row of its own so that no profile read returns it."""

    keys = Keys(pk="USER#{user_id}", sk="AUTH")
    redacted = ("hash", "addresses")

    user_id: UserId
    hash: str
    addresses: list[str] = []
    """Keyed hashes of the IP addresses of earlier logins, newest last; see `known_addresses`."""
    updated_at: Instant


class EmailClaim(Entity):
    """Reserves an e-mail address for one user."""

    keys = Keys(pk="EMAIL#{email}", sk="UNIQUE")

    email: str
    user_id: UserId


class UsernameClaim(Entity):
    """Reserves a username of the default tenant, in its case-folded form, for one user."""

    keys = Keys(pk="UNAME#{username}", sk="UNIQUE")

    username: str
    user_id: UserId


class TenantUsernameClaim(UsernameClaim):
    """Reserves a username of another tenant, in its case-folded form, for one user."""

    keys = Keys(pk="t#{tenant}UNAME#{username}", sk="UNIQUE")

    tenant: Tenant


class ExternalIdClaim(Entity):
    """Reserves an external id of a tenant for one user."""

    keys = Keys(pk="t#{tenant}EXT#{external_id}", sk="UNIQUE")
    expires = "expires_at"

    tenant: Tenant
    external_id: str
    user_id: UserId
    created_at: Instant
    ended_at: Instant | None = None
    """When the account was deleted. The row stays until old tokens expire, so that none creates the user again."""
    expires_at: int | None = None


class Session(Entity):
    """A session of a user, with the hashes of its current and previous refresh tokens."""

    keys = Keys(pk="USER#{user_id}", sk="SESSION#{session_id}")
    expires = "expires_at"
    redacted = ("token_hash", "previous_hash")

    user_id: UserId
    session_id: SessionId
    token_hash: str
    previous_hash: str | None = None
    device: str | None = None
    created_at: Instant
    rotated_at: Instant
    expires_at: int


class ExternalIdentity(Entity):
    """Maps a subject of another issuer to a user."""

    keys = Keys(pk="IDENT#{identity}", sk="UNIQUE")
    expires = "expires_at"

    identity: str
    user_id: UserId
    issuer: str
    created_at: Instant
    ended_at: Instant | None = None
    """When the account was deleted. The row stays until old tokens expire, so that none creates the user again."""
    expires_at: int | None = None


class ApiKey(Entity):
    """A server key, with its scopes in a tenant. Only the hash of its secret is stored."""

    keys = Keys(pk="KEY#{key_id}", sk="META")
    by_tenant = Index(gsi1, pk="t#{tenant}", sk="KEY#{key_id}")
    expires = "expires_at"
    redacted = ("hash",)

    key_id: KeyId
    tenant: Tenant
    hash: str
    scopes: frozenset[str] = frozenset()
    label: str | None = None
    created_at: Instant
    expires_at: int | None = None


class Block(Entity):
    """A user's block of another user."""

    keys = Keys(pk="USER#{user_id}", sk="BLOCK#{blocked_id}")

    user_id: UserId
    blocked_id: UserId
    created_at: Instant


class PasswordReset(Entity):
    """A password reset token that was mailed to a user: its hash, for one use."""

    keys = Keys(pk="USER#{user_id}", sk="RESET")
    expires = "expires_at"
    redacted = ("hash",)

    user_id: UserId
    hash: str
    created_at: Instant
    expires_at: int


class PendingRegistration(Entity):
    """A registration whose e-mail address is not confirmed yet, by the hash of the mailed token."""

    keys = Keys(pk="PENDING#{token_hash}", sk="REGISTRATION")
    expires = "expires_at"
    redacted = ("hash",)

    token_hash: str
    email: str
    username: str
    hash: str
    created_at: Instant
    expires_at: int


class SigningKey(Entity):
    """A key that signs access tokens, on stores without a key file."""

    keys = Keys(pk="SYSTEM", sk="SIGNKEY#{kid}")
    redacted = ("private",)

    kid: str
    private: str
    public: str
    created_ms: int


class ServerSecret(Entity):
    """A named secret of the server, on stores without a key file."""

    keys = Keys(pk="SYSTEM", sk="SECRET#{name}")
    redacted = ("value",)

    name: str
    value: str


class Departing(Entity):
    """The users whose account is deleted and whose data is still being removed."""

    keys = Keys(pk="SYSTEM", sk="DEPARTING")

    user_ids: frozenset[UserId] = frozenset()


class AuditEntry(Entity):
    """An entry of the audit log: actor, action and target, never content."""

    keys = Keys(pk="AUDIT#{scope}#{month}", sk="{entry_id}")

    scope: str
    month: str
    entry_id: str
    at: Instant
    actor: str
    action: str
    target: str | None = None
    details: dict[str, Any] = {}


user_by_id = Lookup("S2.1", "Who is this user?", User, consistent=True)
user_by_email = Pattern("S2.2", "Who has this e-mail address?", User, index="by_email", prefix="USER#")

credential_of = Lookup("ACC.1", "What is the password hash of this user?", Credential, consistent=True)
email_claim = Lookup("ACC.2", "Which user has claimed this e-mail address?", EmailClaim, consistent=True)
username_claim = Lookup(
    "ACC.3", "Which user of the default tenant has claimed this username?", UsernameClaim, consistent=True
)
tenant_username_claim = Lookup(
    "ACC.17", "Which user of this tenant has claimed this username?", TenantUsernameClaim, consistent=True
)
external_id_claim = Lookup(
    "ACC.18", "Which user of this tenant has this external id?", ExternalIdClaim, consistent=True
)
session_by_id = Lookup("ACC.4", "Is this session still open?", Session, consistent=True)
sessions_of = Pattern("ACC.5", "Which sessions does this user have?", Session, prefix="SESSION#", consistent=True)
identity_by_key = Lookup("ACC.6", "Which user is this subject of another issuer?", ExternalIdentity, consistent=True)
api_key_by_id = Lookup("ACC.7", "What may this server key do?", ApiKey, consistent=True)
api_keys_of = Pattern("ACC.8", "Which server keys does this tenant have?", ApiKey, index="by_tenant", prefix="KEY#")
block_of = Lookup("ACC.9", "Has this user blocked that one?", Block, consistent=True)
blocks_of = Pattern("ACC.10", "Which users has this user blocked?", Block, prefix="BLOCK#", consistent=True)
reset_of = Lookup("ACC.11", "Which password reset is pending for this user?", PasswordReset, consistent=True)
signing_keys = Pattern("ACC.12", "Which keys sign tokens?", SigningKey, prefix="SIGNKEY#", consistent=True)
server_secrets = Pattern(
    "ACC.13", "Which secrets does the server have?", ServerSecret, prefix="SECRET#", consistent=True
)
pending_deletions = Lookup("ACC.14", "Which users are being deleted?", Departing, consistent=True)
audit_of = Pattern("ACC.15", "What was recorded in this scope and month?", AuditEntry, newest_first=True)
pending_registration = Lookup(
    "ACC.16", "Which registration does this token confirm?", PendingRegistration, consistent=True
)
users_for_digests = Pattern(
    "ACC.19", "Which users of this tenant can receive digests, in one shard?", User, index="for_digests"
)

register = WritePattern(
    "ACC.20", "Register", User, Credential, EmailClaim, UsernameClaim, TenantUsernameClaim, Session, PendingRegistration
)
log_in = WritePattern("ACC.21", "Log in", Session, Credential, User, EmailClaim)
refresh_session = WritePattern("ACC.22", "Refresh a session", Session)
end_session = WritePattern("ACC.23", "End sessions", Session)
change_profile = WritePattern("ACC.24", "Change a profile", User, UsernameClaim, TenantUsernameClaim)
change_password = WritePattern("ACC.25", "Change a password", Credential, User, Session, AuditEntry)
ask_reset = WritePattern("ACC.26", "Request a password reset", PasswordReset)
reset_password = WritePattern("ACC.27", "Reset a password", PasswordReset, Credential, User, Session, AuditEntry)
provision = WritePattern(
    "ACC.28",
    "Create a user of another issuer",
    User,
    ExternalIdentity,
    UsernameClaim,
    TenantUsernameClaim,
    ExternalIdClaim,
)
change_bot_token = WritePattern("ACC.60", "Replace or revoke the token of a bot", Session, AuditEntry)
block_user = WritePattern("ACC.29", "Block or unblock a user", Block)
create_api_key = WritePattern("ACC.30", "Create a server key", ApiKey, AuditEntry)
revoke_api_key = WritePattern("ACC.31", "Revoke a server key", ApiKey, AuditEntry)
grant_admin = WritePattern("ACC.32", "Grant or revoke administrator rights", User, AuditEntry)
ask_registration = WritePattern("ACC.37", "Request a registration by mail", PendingRegistration)
record_act = WritePattern("ACC.36", "Record an action of the operator", AuditEntry)
upsert_user = WritePattern(
    "ACC.38",
    "Create or change a user of a tenant",
    User,
    ExternalIdClaim,
    UsernameClaim,
    TenantUsernameClaim,
    AuditEntry,
)
revoke_tokens = WritePattern("ACC.39", "Revoke the tokens of a user, disable or enable the user", User, AuditEntry)
store_keys = WritePattern("ACC.33", "Store signing keys and secrets", SigningKey, ServerSecret)
delete_account = WritePattern(
    "ACC.34",
    "Delete an account",
    User,
    Credential,
    EmailClaim,
    UsernameClaim,
    TenantUsernameClaim,
    ExternalIdentity,
    ExternalIdClaim,
    Departing,
    AuditEntry,
)
delete_user_data = WritePattern("ACC.35", "Remove the data of a deleted user", Session, Block, PasswordReset, Departing)


def profile_of(user_id: UserId, user: User | None) -> PublicProfile:
    """Return the public profile of a user; a missing or deleted one appears as a deleted user."""
    if user is None or user.deleted_at is not None:
        return PublicProfile(user_id=user_id, username=DELETED_NAME)
    return PublicProfile(
        user_id=user_id,
        username=user.username,
        display_name=user.display_name,
        avatar_url=own_picture(user.avatar_url),
        bot=user.is_bot,
    )

"""People: who they are, how they prove it, and what can be asked about them."""

from __future__ import annotations

from typing import Any

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
from sobremesa.table import Entity, Index, Keys, Lookup, Pattern, WritePattern, gsi1


class User(Entity):
    """A person's profile. A deleted person's row stays as a tombstone, without anything personal."""

    keys = Keys(pk="USER#{user_id}", sk="PROFILE")
    by_email = Index(gsi1, pk="EMAIL#{email}", sk="USER#{user_id}")

    user_id: UserId
    username: str = ""
    email: str | None = None
    avatar_url: str | None = None
    tenant: Tenant = DEFAULT_TENANT
    is_admin: bool = False
    identity: str | None = None
    """Whoever came by another issuer's token: the key of that ExternalIdentity."""
    password_hash: str | None = None
    """Only on rows of an older program; it moves to the Credential at the next login."""
    created_at: Instant = EPOCH
    updated_at: Instant = EPOCH
    deleted_at: Instant | None = None


class Credential(Entity):
    """The hash of a person's password, apart from the profile so that no profile read meets it."""

    keys = Keys(pk="USER#{user_id}", sk="AUTH")

    user_id: UserId
    hash: str
    addresses: list[str] = []
    """Marks of the addresses that the user has logged in from, newest last; see `known_addresses`."""
    updated_at: Instant


class EmailClaim(Entity):
    """An e-mail address is somebody's: no second person can have it."""

    keys = Keys(pk="EMAIL#{email}", sk="UNIQUE")

    email: str
    user_id: UserId


class UsernameClaim(Entity):
    """A user name, in its case-folded form, is somebody's."""

    keys = Keys(pk="UNAME#{username}", sk="UNIQUE")

    username: str
    user_id: UserId


class Session(Entity):
    """One device of a person, with the hashes of its refresh token and of the one before."""

    keys = Keys(pk="USER#{user_id}", sk="SESSION#{session_id}")
    expires = "expires_at"

    user_id: UserId
    session_id: SessionId
    token_hash: str
    previous_hash: str | None = None
    device: str | None = None
    created_at: Instant
    rotated_at: Instant
    expires_at: int


class ExternalIdentity(Entity):
    """A person of another issuer, and who they are here."""

    keys = Keys(pk="IDENT#{identity}", sk="UNIQUE")
    expires = "expires_at"

    identity: str
    user_id: UserId
    issuer: str
    created_at: Instant
    ended_at: Instant | None = None
    """The person deleted their account; the row stays until old tokens are out, so that none brings them back."""
    expires_at: int | None = None


class ApiKey(Entity):
    """A server key: what a product's own server may do in a tenant. Only the hash of its secret is kept."""

    keys = Keys(pk="KEY#{key_id}", sk="META")
    by_tenant = Index(gsi1, pk="t#{tenant}", sk="KEY#{key_id}")
    expires = "expires_at"

    key_id: KeyId
    tenant: Tenant
    hash: str
    scopes: frozenset[str] = frozenset()
    label: str | None = None
    created_at: Instant
    expires_at: int | None = None


class Block(Entity):
    """A person does not want to hear from another."""

    keys = Keys(pk="USER#{user_id}", sk="BLOCK#{blocked_id}")

    user_id: UserId
    blocked_id: UserId
    created_at: Instant


class PasswordReset(Entity):
    """The way back in that was mailed to a person: the hash of its secret, for one use."""

    keys = Keys(pk="USER#{user_id}", sk="RESET")
    expires = "expires_at"

    user_id: UserId
    hash: str
    created_at: Instant
    expires_at: int


class PendingRegistration(Entity):
    """A registration whose e-mail address is still to be confirmed, by the hash of the token that was mailed."""

    keys = Keys(pk="PENDING#{token_hash}", sk="REGISTRATION")
    expires = "expires_at"

    token_hash: str
    email: str
    username: str
    hash: str
    created_at: Instant
    expires_at: int


class SigningKey(Entity):
    """A key that signs access tokens, where no file beside the store can keep it."""

    keys = Keys(pk="SYSTEM", sk="SIGNKEY#{kid}")

    kid: str
    private: str
    public: str
    created_ms: int


class ServerSecret(Entity):
    """A named secret of the server, where no file beside the store can keep it."""

    keys = Keys(pk="SYSTEM", sk="SECRET#{name}")

    name: str
    value: str


class Departing(Entity):
    """The people whose deletion has begun and whose traces are still being removed."""

    keys = Keys(pk="SYSTEM", sk="DEPARTING")

    user_ids: frozenset[UserId] = frozenset()


class AuditEntry(Entity):
    """Who did what to whom; never what was said."""

    keys = Keys(pk="AUDIT#{scope}#{month}", sk="{entry_id}")

    scope: str
    month: str
    entry_id: str
    at: Instant
    actor: str
    action: str
    target: str | None = None
    details: dict[str, Any] = {}


user_by_id = Lookup("S2.1", "Who is this person?", User, consistent=True)
user_by_email = Pattern("S2.2", "Who has this e-mail address?", User, index="by_email", prefix="USER#")

credential_of = Lookup("ACC.1", "Which password has this person?", Credential, consistent=True)
email_claim = Lookup("ACC.2", "Whose is this e-mail address?", EmailClaim, consistent=True)
username_claim = Lookup("ACC.3", "Whose is this user name?", UsernameClaim, consistent=True)
session_by_id = Lookup("ACC.4", "Is this session still open?", Session, consistent=True)
sessions_of = Pattern("ACC.5", "On which devices is this person?", Session, prefix="SESSION#", consistent=True)
identity_by_key = Lookup("ACC.6", "Who is this person of another issuer?", ExternalIdentity, consistent=True)
api_key_by_id = Lookup("ACC.7", "What may this server key do?", ApiKey, consistent=True)
api_keys_of = Pattern("ACC.8", "Which server keys has this tenant?", ApiKey, index="by_tenant", prefix="KEY#")
block_of = Lookup("ACC.9", "Has this person blocked that one?", Block, consistent=True)
blocks_of = Pattern("ACC.10", "Whom has this person blocked?", Block, prefix="BLOCK#", consistent=True)
reset_of = Lookup("ACC.11", "May this person set a new password?", PasswordReset, consistent=True)
signing_keys = Pattern("ACC.12", "Which keys sign tokens?", SigningKey, prefix="SIGNKEY#", consistent=True)
server_secrets = Pattern("ACC.13", "Which secrets has the server?", ServerSecret, prefix="SECRET#", consistent=True)
pending_deletions = Lookup("ACC.14", "Whose traces are being removed?", Departing, consistent=True)
audit_of = Pattern("ACC.15", "What was done here in this month?", AuditEntry, newest_first=True)
pending_registration = Lookup(
    "ACC.16", "Which registration does this token confirm?", PendingRegistration, consistent=True
)

register = WritePattern("ACC.20", "Register", User, Credential, EmailClaim, UsernameClaim, Session, PendingRegistration)
log_in = WritePattern("ACC.21", "Log in", Session, Credential, User, EmailClaim)
refresh_session = WritePattern("ACC.22", "Refresh a session", Session)
end_session = WritePattern("ACC.23", "End sessions", Session)
change_profile = WritePattern("ACC.24", "Change a profile", User, UsernameClaim)
change_password = WritePattern("ACC.25", "Change a password", Credential, User, Session, AuditEntry)
ask_reset = WritePattern("ACC.26", "Ask for a way back in", PasswordReset)
reset_password = WritePattern(
    "ACC.27", "Set a forgotten password", PasswordReset, Credential, User, Session, AuditEntry
)
provision = WritePattern("ACC.28", "Meet a person of another issuer", User, ExternalIdentity, UsernameClaim)
block_user = WritePattern("ACC.29", "Block or unblock a person", Block)
create_api_key = WritePattern("ACC.30", "Make a server key", ApiKey, AuditEntry)
revoke_api_key = WritePattern("ACC.31", "Revoke a server key", ApiKey, AuditEntry)
grant_admin = WritePattern("ACC.32", "Make a person an administrator, or no longer one", User, AuditEntry)
ask_registration = WritePattern("ACC.37", "Ask to register by mail", PendingRegistration)
record_act = WritePattern("ACC.36", "Record an act of the operator", AuditEntry)
keep_keys = WritePattern("ACC.33", "Keep signing keys and secrets", SigningKey, ServerSecret)
delete_account = WritePattern("ACC.34", "Delete an account", User, Credential, EmailClaim, UsernameClaim, Departing)
delete_user_data = WritePattern(
    "ACC.35", "Remove a departed person's traces", Session, Block, PasswordReset, ExternalIdentity, User, Departing
)


def profile_of(user_id: UserId, user: User | None) -> PublicProfile:
    """What others see of a person; whoever is gone is a deleted user."""
    if user is None or user.deleted_at is not None:
        return PublicProfile(user_id=user_id, username=DELETED_NAME)
    return PublicProfile(user_id=user_id, username=user.username, avatar_url=own_picture(user.avatar_url))

"""The notification settings of users and the schedule of digests: stored rows and access patterns."""

from __future__ import annotations

from typing import Literal, TypeAlias

from sobremesa.core.actor import Tenant, UserId
from sobremesa.core.clock import Instant
from sobremesa.core.ids import RoomId
from sobremesa.domains.accounts.entities import DigestChoice, User
from sobremesa.table import Entity, Keys, Lookup, Pattern, WritePattern

Level: TypeAlias = Literal["all", "mentions", "none"]


class NotificationSettings(Entity):
    """What a user has chosen."""

    keys = Keys(pk="USER#{user_id}", sk="NOTIFY")

    user_id: UserId
    digest: DigestChoice | None = None
    quiet_start: str | None = None
    """The local time at which quiet hours start, as `22:00`."""
    quiet_end: str | None = None
    time_zone: str | None = None
    """An IANA name."""
    levels: dict[RoomId, Level] = {}
    updated_at: Instant | None = None


class DigestState(Entity):
    """When a user is looked at next, and when the last digest was sent."""

    keys = Keys(pk="USER#{user_id}", sk="DIGEST")

    user_id: UserId
    choice: DigestChoice | None = None
    """The user's choice, here as well, so that scheduling reads this row alone."""
    due_ms: int | None = None
    """The time of the one row that is valid for this user; None if nothing is scheduled."""
    rests_until_ms: int = 0
    """Nothing is scheduled before this time: the user has no address."""
    shown_until_ms: int = 0
    """The time of the newest message that a digest has shown."""
    window_ends_ms: int = 0
    """There is no other digest before this time."""
    failures: int = 0
    """How often in a row the mail server has not accepted a digest."""


class DueDigest(Entity):
    """A user to look at, at a time."""

    keys = Keys(pk="DIGEST#{bucket}#{shard}", sk="{due_ms:013}#{user_id}")
    expires = "ttl"

    bucket: int
    shard: int
    due_ms: int
    user_id: UserId
    ttl: int


class DigestSweep(Entity):
    """The bucket from which a shard is swept, and the lease of one process."""

    keys = Keys(pk="SYSTEM", sk="DIGESTS#{shard}")

    shard: int
    bucket: int | None = None
    holder: str | None = None
    leased_until_ms: int = 0


class DigestWalk(Entity):
    """How far the users of a tenant are walked for a broadcast. It remains, so that a broadcast is walked once."""

    keys = Keys(pk="t#{tenant}DIGESTWALK#{inbox}", sk="{message_id}")
    expires = "ttl"

    tenant: Tenant
    inbox: str
    message_id: str
    received_ms: int
    """Since when the broadcast is unread."""
    part: int = 0
    """The job that walks: each does a part, so that other jobs have their turn."""
    shard: int = 0
    """The shard of the listing to continue with; all are done if there is no such shard."""
    after: str | None = None
    """The last user who is done in that shard."""
    ttl: int


settings_of = Lookup("NOT.1", "What has this user chosen about notifications?", NotificationSettings, consistent=True)
digest_state_of = Lookup("NOT.2", "When is this user looked at for a digest?", DigestState, consistent=True)
due_digests = Pattern("NOT.3", "Which users are looked at in this time bucket and shard?", DueDigest, consistent=True)
sweep_of = Lookup("NOT.4", "How far is this shard of the digests swept?", DigestSweep, consistent=True)
walk_of = Lookup("NOT.5", "How far are the users of this tenant walked for a broadcast?", DigestWalk, consistent=True)

change_settings = WritePattern("NOT.20", "Change the notification settings", NotificationSettings, DigestState, User)
schedule_digest = WritePattern("NOT.21", "Schedule a look at a user", DigestState, DueDigest)
claim_digest = WritePattern("NOT.22", "Claim the digest of a window", DigestState, DueDigest)
drop_digest = WritePattern("NOT.23", "Drop a look at a user", DigestState, DueDigest)
keep_sweep = WritePattern("NOT.24", "Acquire or renew the lease of a shard of the digests", DigestSweep)
clean_up = WritePattern("NOT.25", "Delete the notification settings of a user", NotificationSettings, DigestState)
start_walk = WritePattern("NOT.26", "Start the walk of a broadcast", DigestWalk)
continue_walk = WritePattern("NOT.27", "Save how far the walk of a broadcast is", DigestWalk)
list_user = WritePattern("NOT.28", "List a user for digests, or remove one from the list", User, NotificationSettings)

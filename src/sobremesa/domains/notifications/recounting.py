"""Checks whether users are listed for digests as their address and their choice require."""

from __future__ import annotations

from functools import partial

import msgspec

from sobremesa.domains.accounts.digest_listing import is_unchanged, listing, shard_of
from sobremesa.domains.accounts.entities import User, user_by_id
from sobremesa.domains.notifications.entities import NotificationSettings, list_user, settings_of
from sobremesa.table import Check, Table, Update, absent, absent_or_null, set_to
from sobremesa.work.recounts import Drift, Found, Recount


def recount(table: Table) -> Recount[User]:
    """Return the recount of users; it lists those who were written before there was a list."""

    def label(row: User) -> str:
        return f"user {row.user_id}"

    return Recount(User, partial(_check, table), label=label, once_for=label)


async def _check(table: Table, row: User) -> Found | None:
    user = await table.get(user_by_id(user_id=row.user_id))
    if user is None or user.deleted_at is not None:
        return None
    settings = await table.get(settings_of(user_id=user.user_id))
    true = msgspec.structs.replace(user, digest_choice=None if settings is None else settings.digest)
    stored = {"digest choice": user.digest_choice, "digest shard": user.digest_shard}
    should_be = {"digest choice": true.digest_choice, "digest shard": shard_of(true)}
    drift = [Drift(what, stored[what], value) for what, value in should_be.items() if stored[what] != value]
    if not drift:
        return None
    as_seen = absent_or_null("deleted_at") & is_unchanged(user, "contact_email") & is_unchanged(user, "digest_choice")
    listed = Update(user.own_key(), set_to(digest_choice=true.digest_choice), listing(true), when=as_seen)
    same = absent() if settings is None else is_unchanged(settings, "updated_at")
    chosen = Check(NotificationSettings.key(user_id=user.user_id), when=same)
    return Found(drift, partial(table.write, user=listed, settings=chosen, pattern=list_user))

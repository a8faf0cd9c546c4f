"""Completes the users of a table without claims: claims their e-mail addresses and usernames."""

from __future__ import annotations

from collections.abc import Sequence

from sobremesa.core.actor import DEFAULT_TENANT
from sobremesa.core.errors import Invalid
from sobremesa.domains.accounts.digest_listing import is_unchanged, listing, shard_of
from sobremesa.domains.accounts.entities import EmailClaim, User, email_claim
from sobremesa.domains.accounts.names import folded, normal_email
from sobremesa.domains.accounts.username_claims import claim_name, name_key
from sobremesa.table import Check, Create, Delete, Operation, Table, Update, absent_or_null, equals, present, set_to
from sobremesa.table.errors import BadKey
from sobremesa.work.migration import Companions, Move, Step


def moves(table: Table) -> Sequence[Move]:
    """Return what completes users. The first claim wins; a second user of the same name is reported."""

    async def missing(user: User) -> Sequence[Step]:
        if user.deleted_at is not None:
            return ()
        return (*await _email(table, user), *await claim_username(table, user), *_unlisted(user))

    return (Companions(User, missing),)


async def _email(table: Table, user: User) -> Sequence[Step]:
    if user.email is None:
        return ()
    try:
        email = normal_email(user.email)
    except Invalid:
        return (Step("its e-mail address is invalid"),)
    claim = await table.get(email_claim(email=email))
    if claim is not None and claim.user_id != user.user_id:
        return (Step("its e-mail address belongs to another user"),)
    if claim is not None and email == user.email:
        return ()
    # A row may have its address in the index key only.
    still = (equals("email", user.email) | absent_or_null("email")) & present() & absent_or_null("deleted_at")
    # The key has the normalized address. The profile gets it too, since lookups compare both.
    profile: Operation = (
        Check(user.own_key(), when=still)
        if email == user.email
        else Update(user.own_key(), set_to(email=email), when=still)
    )
    claims = [] if claim is not None else [Create(EmailClaim(email=email, user_id=user.user_id))]
    return (Step("its e-mail address is not claimed", [*claims, profile]),)


def _unlisted(user: User) -> Sequence[Step]:
    if user.digest_shard == shard_of(user):
        return ()
    still = present() & absent_or_null("deleted_at")
    still &= is_unchanged(user, "digest_choice") & is_unchanged(user, "contact_email")
    return (Step("it is not listed for digests", [Update(user.own_key(), listing(user), when=still)]),)


async def claim_username(table: Table, user: User) -> Sequence[Step]:
    """Return the step that claims a user's name, unless it is claimed."""
    if not folded(user.username.strip()):
        return ()
    try:
        key = name_key(user.tenant, user.username)
    except BadKey:
        return (Step("its username is invalid"),)
    claim = await table.get(key)
    if claim is not None:
        return () if claim.user_id == user.user_id else (Step("its username belongs to another user"),)
    still = equals("username", user.username) & absent_or_null("deleted_at")
    claimed = claim_name(user.tenant, user.username, user.user_id)
    operations = [claimed, Check(user.own_key(), when=still), *await _former_claim(table, user)]
    return (Step("its username is not claimed", operations),)


async def _former_claim(table: Table, user: User) -> list[Operation]:
    """Return the delete of the claim that earlier versions wrote for a user of another tenant than the default."""
    if user.tenant == DEFAULT_TENANT:
        return []
    key = name_key(DEFAULT_TENANT, user.username)
    former = await table.get(key)
    is_own = former is not None and former.user_id == user.user_id
    return [Delete(key, when=equals("user_id", user.user_id))] if is_own else []

"""Completes the users of a table without claims: claims their e-mail addresses and usernames."""

from __future__ import annotations

from collections.abc import Sequence

from sobremesa.core.errors import Invalid
from sobremesa.domains.accounts.entities import EmailClaim, User, UsernameClaim, email_claim, username_claim
from sobremesa.domains.accounts.names import folded, normal_email
from sobremesa.table import Check, Create, Operation, Table, Update, absent_or_null, equals, present, set_to
from sobremesa.table.errors import BadKey
from sobremesa.work.migration import Companions, Move, Step


def moves(table: Table) -> Sequence[Move]:
    """Return what completes users. The first claim wins; a second user of the same name is reported."""

    async def missing(user: User) -> Sequence[Step]:
        if user.deleted_at is not None:
            return ()
        return (*await _email(table, user), *await claim_username(table, user))

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


async def claim_username(table: Table, user: User) -> Sequence[Step]:
    """Return the step that claims a user's name, unless it is claimed."""
    name = folded(user.username.strip())
    if not name:
        return ()
    try:
        key = username_claim(username=name)
    except BadKey:
        return (Step("its username is invalid"),)
    claim = await table.get(key)
    if claim is not None:
        return () if claim.user_id == user.user_id else (Step("its username belongs to another user"),)
    still = equals("username", user.username) & absent_or_null("deleted_at")
    claimed = Create(UsernameClaim(username=name, user_id=user.user_id))
    return (Step("its username is not claimed", [claimed, Check(user.own_key(), when=still)]),)

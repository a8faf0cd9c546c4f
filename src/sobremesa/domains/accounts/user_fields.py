"""The fields of a user that the product's backend sets, and their rules."""

from __future__ import annotations

import asyncio
import re
import zoneinfo
from functools import cache
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from sobremesa.core.actor import UserId
from sobremesa.domains.accounts.errors import invalid, require_own_picture
from sobremesa.domains.accounts.names import normal_display_name, normal_email, normal_username

MAX_LOCALE = 35
LOCALE = r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$"
"""The shape of a language tag of BCP 47: `de`, `pt-BR`, `zh-Hant-TW`."""

_LOCALE = re.compile(LOCALE)


class UserFields(msgspec.Struct, frozen=True, kw_only=True):
    """What to change: an unset field stays as it is, None removes it."""

    user_id: UserId | None = None
    """The user without an external id who gets this one; None: the one who has it, or a new user."""
    username: str | UnsetType = UNSET
    display_name: str | UnsetType | None = UNSET
    email: str | UnsetType | None = UNSET
    avatar_url: str | UnsetType | None = UNSET
    data: dict[str, Any] | UnsetType | None = UNSET
    locale: str | UnsetType | None = UNSET
    time_zone: str | UnsetType | None = UNSET

    def stored(self) -> dict[str, Any]:
        """Return the given fields by the names of the stored user, without the username."""
        given = {
            "display_name": self.display_name,
            "contact_email": self.email,
            "avatar_url": self.avatar_url,
            "data": self.data,
            "locale": self.locale,
            "time_zone": self.time_zone,
        }
        return {name: value for name, value in given.items() if value is not UNSET}


async def checked(fields: UserFields) -> UserFields:
    """Return the fields in their stored form; Invalid if one breaks its rule."""
    require_own_picture("avatarUrl", fields.avatar_url)
    locale, zone = fields.locale, fields.time_zone
    if isinstance(locale, str) and (len(locale) > MAX_LOCALE or not _LOCALE.fullmatch(locale)):
        raise invalid("locale", "Expected a language tag, such as de or pt-BR")
    # The first call reads the names of all zones from the disk.
    if isinstance(zone, str) and zone not in await asyncio.to_thread(_zones):
        raise invalid("timeZone", "Expected an IANA time zone, such as Europe/Berlin")
    return msgspec.structs.replace(
        fields,
        username=UNSET if fields.username is UNSET else normal_username(fields.username),
        display_name=UNSET if fields.display_name is UNSET else normal_display_name(fields.display_name),
        email=normal_email(fields.email) if isinstance(fields.email, str) else fields.email,
    )


@cache
def _zones() -> frozenset[str]:
    return frozenset(zoneinfo.available_timezones())

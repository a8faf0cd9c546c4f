"""The routes of notifications."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from sobremesa.core.actor import Actor
from sobremesa.core.errors import NotFound
from sobremesa.core.ids import RoomId
from sobremesa.domains.accounts.entities import DigestChoice
from sobremesa.domains.notifications.entities import Level
from sobremesa.domains.notifications.errors import NoQuietHours, UnknownTimeZone
from sobremesa.domains.notifications.quiet_hours import MAX_ZONE
from sobremesa.domains.notifications.service import Notifications
from sobremesa.domains.notifications.unsubscribing import done_page, question_page
from sobremesa.domains.notifications.views import NotificationsView, notifications_view
from sobremesa.http.endpoints import HtmlPage, Input, Routes

MAX_LEVELS = 500

TimeOfDay = Annotated[str, Meta(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$", description="A local time, as `22:00`.")]
TimeZone = Annotated[str, Meta(min_length=1, max_length=MAX_ZONE, description="An IANA name, as `Europe/Madrid`.")]
LevelRoom = Annotated[RoomId, Meta(min_length=1, max_length=64)]
Levels = Annotated[
    dict[LevelRoom, Level],
    Meta(max_length=MAX_LEVELS, description="What of a room notifies you, by room id; it replaces all levels."),
]


class NewQuietHours(Input):
    """The hours of each day in which no digest is sent."""

    start: TimeOfDay
    end: TimeOfDay


class NewNotifications(Input):
    """The settings to change."""

    digest: DigestChoice | UnsetType = UNSET
    quiet_hours: NewQuietHours | UnsetType | None = UNSET
    time_zone: TimeZone | UnsetType | None = UNSET
    levels: Levels | UnsetType = UNSET


def routes(notifications: Notifications) -> Routes:
    """Return the routes of notifications."""
    api = Routes("Notifications", "Digests by mail, quiet hours and levels.")

    @api.get("/users/me/notifications")
    async def get_notifications(actor: Actor) -> NotificationsView:
        """Return your notification settings."""
        return notifications_view(await notifications.find_settings(actor), notifications.default)

    @api.put("/users/me/notifications", errors=[UnknownTimeZone, NoQuietHours])
    async def set_notifications(actor: Actor, body: NewNotifications) -> NotificationsView:
        """Change your notification settings. What is left out stays as it is; null removes it.

        `levels` has the rooms whose level differs from the default: `all` in conversations and threads, `mentions` in
        channels.
        """
        quiet = body.quiet_hours
        changed = await notifications.change_settings(
            actor,
            digest=body.digest,
            quiet_hours=(quiet.start, quiet.end) if isinstance(quiet, NewQuietHours) else quiet,
            time_zone=body.time_zone,
            levels=body.levels,
        )
        return notifications_view(changed, notifications.default)

    @api.get("/unsubscribe/{token}", errors=[NotFound])
    async def ask_unsubscribe(token: str) -> HtmlPage:
        """Return the page of a digest's unsubscribe link, which asks for a confirmation and changes nothing."""
        notifications.check_token(token)
        return question_page()

    @api.post("/unsubscribe/{token}", errors=[NotFound])
    async def unsubscribe(token: str) -> HtmlPage:
        """End the digests of the user whom the link was mailed to, without a login (RFC 8058). It can be repeated."""
        await notifications.unsubscribe(token)
        return done_page()

    return api

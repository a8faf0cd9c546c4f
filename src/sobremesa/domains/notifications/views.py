"""Notification settings, as clients see them."""

from __future__ import annotations

from sobremesa.core.ids import RoomId
from sobremesa.domains.accounts.entities import DigestChoice
from sobremesa.domains.notifications.entities import Level, NotificationSettings
from sobremesa.http.endpoints import Output


class QuietHoursView(Output):
    """Local times as `22:00`; over midnight if the end is the earlier one."""

    start: str
    end: str


class NotificationsView(Output):
    """The user's choices. `timeZone` is null until they choose one: then it is that of their profile, or UTC."""

    digest: DigestChoice
    quiet_hours: QuietHoursView | None
    time_zone: str | None
    levels: dict[RoomId, Level]


def notifications_view(settings: NotificationSettings | None, default: DigestChoice) -> NotificationsView:
    """Return the settings of a user, with the default of the server in place of what they have not chosen."""
    if settings is None:
        return NotificationsView(default, None, None, {})
    quiet = None
    if settings.quiet_start is not None and settings.quiet_end is not None:
        quiet = QuietHoursView(settings.quiet_start, settings.quiet_end)
    return NotificationsView(settings.digest or default, quiet, settings.time_zone, settings.levels)

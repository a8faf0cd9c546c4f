"""The refusals of notifications."""

from __future__ import annotations

from sobremesa.core.errors import Invalid


class UnknownTimeZone(Invalid):
    """The name is not that of a time zone."""

    code = "unknown_time_zone"
    default_detail = "This is not the IANA name of a time zone, such as Europe/Madrid."


class NoQuietHours(Invalid):
    """Quiet hours end at another time than they start."""

    code = "no_quiet_hours"
    default_detail = "Quiet hours must end at another time than they start."

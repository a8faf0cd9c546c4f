"""Quiet hours are local times: they keep their place in the day when clocks change."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sobremesa.domains.notifications.errors import UnknownTimeZone
from sobremesa.domains.notifications.quiet_hours import QuietHours, require_zone

MADRID = ZoneInfo("Europe/Madrid")
NIGHT = QuietHours.parse("22:00", "07:00")


def ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def end_of(quiet: QuietHours, moment: datetime, zone: ZoneInfo = MADRID) -> datetime | None:
    end = quiet.end_ms(ms(moment), zone)
    return None if end is None else datetime.fromtimestamp(end / 1000, UTC)


@pytest.mark.parametrize(
    ("at", "end"),
    [
        # In winter Madrid is one hour ahead of UTC, in summer two.
        ("2026-01-10T20:59:59", None),
        ("2026-01-10T21:00:00", "2026-01-11T06:00:00"),
        ("2026-01-11T05:59:59", "2026-01-11T06:00:00"),
        ("2026-01-11T06:00:00", None),
        ("2026-07-10T20:00:00", "2026-07-11T05:00:00"),
        # The night in which clocks are set forward has one hour less, and the one in which they are set back one more.
        ("2026-03-28T21:00:00", "2026-03-29T05:00:00"),
        ("2026-03-29T20:00:00", "2026-03-30T05:00:00"),
        ("2026-10-24T20:00:00", "2026-10-25T06:00:00"),
        ("2026-10-25T20:59:00", None),
    ],
)
def test_the_night_of_madrid(at: str, end: str | None) -> None:
    expected = None if end is None else datetime.fromisoformat(end).replace(tzinfo=UTC)
    assert end_of(NIGHT, datetime.fromisoformat(at).replace(tzinfo=UTC)) == expected


def test_an_end_that_does_not_occur_is_after_the_jump() -> None:
    """Clocks go from 02:00 to 03:00 at 01:00 UTC."""
    quiet = QuietHours.parse("22:00", "02:30")
    assert end_of(quiet, datetime(2026, 3, 29, 0, 30, tzinfo=UTC)) == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)


def test_an_end_that_occurs_twice_ends_both_times() -> None:
    """Clocks go from 03:00 back to 02:00 at 01:00 UTC: 02:30 is at 00:30 and at 01:30 UTC."""
    quiet = QuietHours.parse("22:00", "02:30")
    assert end_of(quiet, datetime(2026, 10, 25, 0, 10, tzinfo=UTC)) == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert end_of(quiet, datetime(2026, 10, 25, 0, 40, tzinfo=UTC)) is None
    assert end_of(quiet, datetime(2026, 10, 25, 1, 10, tzinfo=UTC)) == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)


def test_hours_within_a_day() -> None:
    quiet = QuietHours.parse("09:00", "17:00")
    assert end_of(quiet, datetime(2026, 1, 10, 8, tzinfo=UTC)) == datetime(2026, 1, 10, 16, tzinfo=UTC)
    assert end_of(quiet, datetime(2026, 1, 10, 16, tzinfo=UTC)) is None


@given(
    moment=st.datetimes(datetime(2020, 1, 1), datetime(2035, 1, 1)),
    zone=st.sampled_from(["Europe/Madrid", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "UTC"]),
    start=st.times().map(lambda time: time.replace(second=0, microsecond=0)),
    end=st.times().map(lambda time: time.replace(second=0, microsecond=0)),
)
def test_an_end_is_later_and_within_a_day(moment: datetime, zone: str, start: object, end: object) -> None:
    quiet = QuietHours.parse(str(start), str(end))
    at = moment.replace(tzinfo=UTC)
    found = end_of(quiet, at, ZoneInfo(zone)) if start != end else None
    assert found is None or at < found <= at + timedelta(hours=25)


@pytest.mark.parametrize("name", ["Europe/Madrid", "America/Argentina/Buenos_Aires", "UTC", "Etc/GMT+5"])
def test_names_of_time_zones(name: str) -> None:
    assert require_zone(name).key == name


@pytest.mark.parametrize(
    "name", ["", "Madrid", "localtime", "Europe/Nowhere", "../../etc/passwd", "Europe", "Europe/", "x" * 100, "A/../B"]
)
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(UnknownTimeZone):
        require_zone(name)

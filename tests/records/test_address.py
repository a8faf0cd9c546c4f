"""The address of the records follows from the settings."""

from __future__ import annotations

import pytest

from sobremesa.core.settings import BadSetting, Settings
from sobremesa.domains.records.address import RecordsAddress, parse_records, records_address


@pytest.mark.parametrize(
    ("store", "where"),
    [
        ("sqlite:///chat.db", "sqlite:///chat.db.records"),
        ("sqlite:////var/lib/chat.db", "sqlite:////var/lib/chat.db.records"),
        ("sqlite://", "sqlite://"),
        ("dynamodb://TABLE?region=eu-west-1", "sqlite:///sobremesa-records.db"),
    ],
)
def test_records_are_next_to_the_table_by_default(store: str, where: str) -> None:
    assert str(records_address(Settings(store=store))) == where


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+asyncpg"])
def test_postgresql_url_is_accepted_and_its_password_never_shown(scheme: str) -> None:
    settings = Settings(records=f"{scheme}://ana:hunter2@db.example:5433/chat?sslmode=require")

    address = records_address(settings)

    assert address.postgres == "postgresql+asyncpg://ana:hunter2@db.example:5433/chat?ssl=require"
    assert str(address) == "postgresql://ana@db.example:5433/chat"


def test_url_may_name_a_file_or_memory() -> None:
    assert parse_records("sqlite:///folder/records.db") == RecordsAddress(file="folder/records.db")
    assert parse_records("sqlite://") == RecordsAddress()


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("mysql://ana:hunter2@host/chat", "is not the URL of a records store"),
        ("records.db", "is not the URL of a records store"),
        ("sqlite://records.db", "three slashes"),
        ("sqlite:/records.db", "three slashes"),
        ("postgresql://ana:hunter2@host", "names no database"),
        ("postgresql://ana:hunter2@host:port/chat", "is not a valid URL"),
    ],
)
def test_invalid_url_is_refused_without_showing_its_password(url: str, reason: str) -> None:
    with pytest.raises(BadSetting, match=reason) as refused:
        records_address(Settings(records=url))

    assert "hunter2" not in str(refused.value)

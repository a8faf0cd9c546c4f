"""The address of the records store: next to the table, or from a setting."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from sobremesa.core.settings import BadSetting, Settings
from sobremesa.table.opening import parse_store, require_extra

DYNAMODB_FILE = "sobremesa-records.db"
SUFFIX = ".records"
_KNOWN = "it must start with postgresql:// or sqlite:///"


class RecordsAddress(NamedTuple):
    """An SQLite file, memory (neither file nor URL), or a PostgreSQL database."""

    file: str | None = None
    postgres: str | None = None

    def __str__(self) -> str:
        """Return the address without its password."""
        if self.postgres is not None:
            parts = urlsplit(self.postgres)
            user = f"{parts.username}@" if parts.username else ""
            port = f":{parts.port}" if parts.port else ""
            return f"postgresql://{user}{parts.hostname or ''}{port}{parts.path}"
        return f"sqlite:///{self.file}" if self.file else "sqlite://"

    def may_exist(self) -> bool:
        """Return whether records may exist already, before they are opened."""
        return self.postgres is not None or (self.file is not None and Path(self.file).exists())


def records_address(settings: Settings) -> RecordsAddress:
    """Return the address of the records of these settings; BadSetting if it is not valid."""
    if settings.records is not None:
        return parse_records(settings.records)
    store = parse_store(settings.store)
    if store.path is None:
        return RecordsAddress(file=DYNAMODB_FILE)
    return RecordsAddress() if store.in_memory else RecordsAddress(file=store.path + SUFFIX)


def parse_records(url: str) -> RecordsAddress:
    """Parse the URL of a records store; BadSetting states what is wrong, without the password."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise BadSetting(f"records is not a valid URL: {error}") from None
    match parts.scheme:
        case "sqlite" | "sqlite+aiosqlite":
            if parts.netloc or "://" not in url:
                raise BadSetting("records: write a file with three slashes, sqlite:///folder/file.db")
            return RecordsAddress(file=unquote(parts.path.removeprefix("/")) or None)
        case "postgresql" | "postgres" | "postgresql+asyncpg":
            if not parts.path.strip("/"):
                raise BadSetting(f"records names no database: postgresql://HOST{f':{port}' if port else ''}/DATABASE")
            require_extra("asyncpg", "postgres", "a PostgreSQL records store")
            # asyncpg calls `ssl` what other drivers call `sslmode`.
            options = {"ssl" if name == "sslmode" else name: value for name, value in parse_qsl(parts.query)}
            url_parts = ("postgresql+asyncpg", parts.netloc, parts.path, urlencode(options), "")
            return RecordsAddress(postgres=urlunsplit(url_parts))
        case _:
            raise BadSetting(f"records is not the URL of a records store: {_KNOWN}")

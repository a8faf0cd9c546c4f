"""Opens the file store of a URL: `file:///folder`, or `s3://bucket/prefix?region=...&endpoint=...`.

Without a URL, files are stored next to the table: in `FILE.db.files` for SQLite, in a temporary folder for a table in
memory, and in `sobremesa-files` in the working directory for DynamoDB.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from sobremesa.core.clock import Clock
from sobremesa.core.settings import BadSetting
from sobremesa.domains.attachments.disk import DiskStore
from sobremesa.domains.attachments.stores import FileStore
from sobremesa.table.opening import parse_store, require_extra

BESIDE_DYNAMODB = "sobremesa-files"


async def open_files(files: str | None, store: str, clock: Clock) -> FileStore:
    """Open the file store; BadSetting states what is wrong with its URL."""
    if files is None:
        return DiskStore(_beside(store))
    address = urlsplit(files)
    match address.scheme:
        case "file":
            if address.netloc or len(address.path) < 2:
                raise BadSetting(f"files: {files!r} names no folder; write three slashes, file:///folder")
            return DiskStore(Path(unquote(address.path)))
        case "s3":
            return await _open_s3(files, address, clock)
        case _:
            raise BadSetting(f"files: {files!r} must start with file:// or s3://")


def _beside(store: str) -> Path | None:
    address = parse_store(store)
    if address.in_memory:
        return None
    return Path(BESIDE_DYNAMODB if address.path is None else f"{address.path}.files")


async def _open_s3(files: str, address: SplitResult, clock: Clock) -> FileStore:
    require_extra("botocore", "s3", "an S3 file store")
    from sobremesa.domains.attachments.s3 import Bucket, S3Store

    options = {name: values[-1] for name, values in parse_qs(address.query).items()}
    unknown = options.keys() - {"region", "endpoint"}
    if not address.netloc or unknown:
        raise BadSetting(f"files: {files!r} must be s3://bucket/prefix?region=...&endpoint=...")
    prefix = unquote(address.path).strip("/")
    bucket = Bucket(address.netloc, f"{prefix}/" if prefix else "", options.get("region"), options.get("endpoint"))
    return await S3Store.open(bucket, clock)

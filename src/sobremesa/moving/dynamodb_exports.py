"""The format of DynamoDB's own exports to S3 (DYNAMODB_JSON): written here, and read wherever they come from.

A folder has `AWSDynamoDB/ID/` with the data files, `manifest-files.json`, which lists them with their checksums, and
`manifest-summary.json`. Copied to a bucket, it can be imported by DynamoDB itself.
"""

from __future__ import annotations

import gzip
import hashlib
import secrets
import zlib
from base64 import b64encode
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import msgspec

from sobremesa.moving.errors import BrokenExport
from sobremesa.moving.exports import Part
from sobremesa.moving.state_files import load_state, save_state, write_private
from sobremesa.table import RawKey

ROOT = "AWSDynamoDB"
SUMMARY = "manifest-summary.json"
FILES = "manifest-files.json"
STATE = "export.state"
FORMAT_VERSION = "2020-06-30"
OWNER_ONLY_FOLDER = 0o700
LINES_A_PART = 5_000
READ_BYTES = 1 << 20


class DataFile(msgspec.Struct, kw_only=True, rename="camel"):
    """A line of the list of data files."""

    item_count: int
    md5_checksum: str
    etag: str = ""
    data_file_s3_key: str = msgspec.field(name="dataFileS3Key")


class Summary(msgspec.Struct, kw_only=True, rename="camel"):
    """The fields of the summary that are known without a service."""

    version: str = FORMAT_VERSION
    export_arn: str | None = None
    start_time: str
    end_time: str
    table_arn: str | None = None
    table_id: str | None = None
    export_time: str
    s3_bucket: str | None = msgspec.field(default=None, name="s3Bucket")
    s3_prefix: str | None = msgspec.field(default=None, name="s3Prefix")
    s3_sse_algorithm: str | None = msgspec.field(default=None, name="s3SseAlgorithm")
    s3_sse_kms_key_id: str | None = msgspec.field(default=None, name="s3SseKmsKeyId")
    manifest_files_s3_key: str = msgspec.field(name="manifestFilesS3Key")
    billed_size_bytes: int = 0
    item_count: int
    output_format: str
    export_type: str = "FULL_EXPORT"


class FolderState(msgspec.Struct, kw_only=True):
    """How far an export has come."""

    address: str
    export_id: str
    at: str
    files: list[DataFile] = []
    size: int = 0
    start: tuple[str, str] | None = None

    @property
    def rows(self) -> int:
        return sum(file.item_count for file in self.files)

    @property
    def parts(self) -> int:
        return len(self.files)

    @property
    def start_key(self) -> RawKey | None:
        return None if self.start is None else RawKey(*self.start)


class ExportFolder:
    """An export in the format of DynamoDB that is being written; it is complete when it has a summary."""

    def __init__(self, path: Path, state: FolderState, now: str) -> None:
        self._path = path
        self._now = now
        self.state = state
        self._key = f"{ROOT}/{state.export_id}"
        (path / self._key / "data").mkdir(mode=OWNER_ONLY_FOLDER, parents=True, exist_ok=True)
        for folder in (path, path / ROOT, path / self._key):
            folder.chmod(OWNER_ONLY_FOLDER)

    def write_part(self, rows: Sequence[bytes], last: RawKey | None) -> None:
        """Write a data file durably, and save that the scan has come up to `last`."""
        state = self.state
        # The name follows from the number: a file that was written just before a kill is replaced.
        name = f"{self._key}/data/{state.export_id[-8:]}{state.parts + 1:08}.json.gz"
        body = gzip.compress(b"".join(rows), compresslevel=6, mtime=0)
        write_private(self._path / name, body)
        file = DataFile(item_count=len(rows), md5_checksum=_md5(body), etag=_etag(body), data_file_s3_key=name)
        self.state = msgspec.structs.replace(
            state,
            files=[*state.files, file],
            size=state.size + sum(map(len, rows)),
            start=None if last is None else tuple(last),
        )
        save_state(self._path / STATE, self.state)

    def finish(self) -> None:
        """Write the manifests."""
        state = self.state
        self._write(FILES, b"".join(msgspec.json.encode(file) + b"\n" for file in state.files))
        summary = Summary(
            start_time=state.at,
            end_time=self._now,
            export_time=state.at,
            manifest_files_s3_key=f"{self._key}/{FILES}",
            billed_size_bytes=state.size,
            item_count=state.rows,
            output_format="DYNAMODB_JSON",
        )
        self._write(SUMMARY, msgspec.json.encode(summary))
        (self._path / STATE).unlink(missing_ok=True)

    def close(self) -> None:
        """Do nothing: no file is open between two parts."""

    def _write(self, name: str, content: bytes) -> None:
        folder = self._path / self._key
        write_private(folder / name.replace(".json", ".checksum"), _md5(content).encode())
        write_private(folder / name, content)


def new_export_id(now_ms: int) -> str:
    """Return an id as DynamoDB makes them: the time and something random."""
    return f"{now_ms:014}-{secrets.token_hex(4)}"


def saved_folder_state(path: Path) -> FolderState | None:
    """Return the progress of an export that was interrupted; None if there is none."""
    return load_state(path / STATE, FolderState)


class FolderReader:
    """Reads an export in the format of DynamoDB, and refuses it where it is not as it was written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._folder = _folder_of(path)
        self.summary = _decode(self._folder / SUMMARY, msgspec.json.Decoder(Summary))
        if self.summary.output_format != "DYNAMODB_JSON" or self.summary.export_type != "FULL_EXPORT":
            kind = f"{self.summary.export_type} in {self.summary.output_format}"
            raise BrokenExport(f"{path} is a {kind}; only a FULL_EXPORT in DYNAMODB_JSON can be imported")
        try:
            listed = msgspec.json.Decoder(DataFile).decode_lines((self._folder / FILES).read_bytes())
        except (OSError, msgspec.DecodeError) as error:
            raise BrokenExport(f"{self._folder / FILES} cannot be read: {error}") from None
        self._files = listed
        if sum(file.item_count for file in self._files) != self.summary.item_count:
            raise BrokenExport(f"{path} is incomplete: its data files do not have the {self.summary.item_count} rows")

    @property
    def rows(self) -> int:
        return self.summary.item_count

    @property
    def checksum(self) -> str:
        """A text that differs for other content."""
        return hashlib.sha256("".join(file.md5_checksum for file in self._files).encode()).hexdigest()

    def check(self) -> None:
        """Check every data file against its checksum."""
        for file in self._files:
            path = self._path_of(file)
            digest = hashlib.md5(usedforsecurity=False)
            try:
                with path.open("rb") as content:
                    while piece := content.read(READ_BYTES):
                        digest.update(piece)
            except FileNotFoundError:
                raise BrokenExport(f"{path} is missing") from None
            if b64encode(digest.digest()).decode() != file.md5_checksum:
                raise BrokenExport(f"{path} is damaged: it does not have the checksum that the manifest says")

    def parts(self) -> Iterator[Part]:
        """Yield the lines of all data files, in parts of bounded size."""
        number = 0
        for file in self._files:
            path = self._path_of(file)
            found = 0
            try:
                with gzip.open(path, "rb") as content:
                    while lines := list(islice(content, LINES_A_PART)):
                        number += 1
                        found += len(lines)
                        yield Part(number, lines)
            except (OSError, EOFError, zlib.error) as error:
                raise BrokenExport(f"{path} is damaged: {error}") from None
            if found != file.item_count:
                raise BrokenExport(f"{path} has {found} rows, not {file.item_count}")

    def _path_of(self, file: DataFile) -> Path:
        """Return where a data file is: beside the manifest, whatever its prefix in the bucket was."""
        return self._folder / "data" / file.data_file_s3_key.rpartition("/")[2]


def is_folder_export(path: Path) -> bool:
    """Return whether a path is one of DynamoDB's exports, not a file of `sobremesa export`."""
    return path.is_dir() or path.name == SUMMARY


def _folder_of(path: Path) -> Path:
    if path.name == SUMMARY:
        return path.parent
    if (path / SUMMARY).exists():
        return path
    found = [summary.parent for summary in sorted(path.glob(f"**/{ROOT}/*/{SUMMARY}"))]
    if len(found) == 1:
        return found[0]
    if found:
        raise BrokenExport(f"{path} has {len(found)} exports: name the folder of one, such as {found[0]}")
    raise BrokenExport(f"{path} has no {SUMMARY}: it is not a complete export of DynamoDB")


def _decode(path: Path, decoder: msgspec.json.Decoder[Summary]) -> Summary:
    try:
        return decoder.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError) as error:
        raise BrokenExport(f"{path} cannot be read: {error}") from None


def _md5(content: bytes) -> str:
    return b64encode(hashlib.md5(content, usedforsecurity=False).digest()).decode()


def _etag(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()

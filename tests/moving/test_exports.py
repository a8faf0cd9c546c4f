"""`sobremesa export` and `sobremesa import`: nothing is lost, a broken file is refused, a kill continues."""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import sqlite3
import sys
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from lengths import MOVED_ROWS, SEED
from moving.data import (
    VALUES,
    assert_private,
    done,
    dynamodb_store,
    fill,
    keys_in,
    killed_until_done,
    put_rows,
    refused,
    row_of,
    rows_in,
    sqlite_store,
)
from servers import Endpoint
from sobremesa.app import Sobremesa
from sobremesa.app.services import CHANGE_CONSUMERS
from sobremesa.core.settings import Settings
from sobremesa.moving.errors import BrokenExport
from sobremesa.moving.exports import ExportReader
from sobremesa.moving.importing import check_export
from sobremesa.table import RawChange
from sobremesa.table.typed_items import dump_item
from sobremesa.work.consumers import PUBLISHER, ChangeConsumer

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


@pytest.mark.parametrize("form", ["sobremesa", "dynamodb"])
async def test_all_rows_go_from_a_file_to_dynamodb_and_back(
    form: str, tmp_path: Path, dynamodb_endpoint: Endpoint
) -> None:
    first, table, last = sqlite_store(tmp_path), dynamodb_store(dynamodb_endpoint), sqlite_store(tmp_path, "last")
    await fill(first, 300)
    rows = await rows_in(first)

    exported = await done("export", tmp_path / "one", "--format", form, "--store", first)
    imported = await done("import", tmp_path / "one", "--store", table)
    in_table = await rows_in(table)
    await done("export", tmp_path / "two", "--format", form, "--store", table)
    await done("import", "table", tmp_path / "two", "--store", last)

    assert dump_item(row_of(7)) == rows[next(key for key in rows if key.sk == "ROW#0000007")]
    assert len(rows) > 320
    assert in_table == rows
    assert await rows_in(last) == rows
    assert await keys_in(first) == await keys_in(table) == await keys_in(last) != []
    assert f"Exported {len(rows) + len(await keys_in(first))} rows" in exported
    assert f"Imported {len(rows) + len(await keys_in(first))} rows" in imported
    assert names_in(tmp_path) == ["one", "two"]
    assert_private(tmp_path / "one")
    assert_private(tmp_path / "two")


def names_in(folder: Path) -> list[str]:
    """Return the names in a folder, without those of stores."""
    return sorted(path.name for path in folder.iterdir() if ".db" not in path.name)


class Collecting:
    """A handler that collects the keys of changed rows."""

    def __init__(self) -> None:
        self.keys: list[str] = []

    def collect(self, change: RawChange) -> None:
        if change.key.pk != "STREAM":
            self.keys.append(change.key.sk)

    async def flush(self) -> None:
        pass


@pytest.mark.parametrize("engine", ["embedded", "dynamodb"])
async def test_accounts_can_sign_in_after_an_import_and_imported_rows_are_no_news(
    engine: str, tmp_path: Path, dynamodb_endpoint: Endpoint
) -> None:
    first = sqlite_store(tmp_path)
    last = sqlite_store(tmp_path, "last") if engine == "embedded" else dynamodb_store(dynamodb_endpoint)
    await fill(first, 100)
    await done("export", tmp_path / "one", "--store", first)
    await done("import", tmp_path / "one", "--store", last)

    async with Sobremesa.open(last, settings=Settings(rate_limits="off"), background=False) as app:
        news = Collecting()
        consumer = ChangeConsumer(app.table, app.clock, app.ids, {"webhooks": news})
        await app.accounts.login(email="ana@example.com", password="correct horse battery")
        await put_rows(last, range(1000, 1001))
        await consumer.catch_up()

    assert set(CHANGE_CONSUMERS) >= {"webhooks", PUBLISHER}
    assert "ROW#0001000" in news.keys
    assert not [key for key in news.keys if key.startswith("ROW#") and key != "ROW#0001000"]


async def test_all_consumers_of_a_server_start_after_an_import(tmp_path: Path) -> None:
    settings = Settings(mail="console", mail_from="a@example.com", public_url="http://example.com")
    async with Sobremesa.open(sqlite_store(tmp_path), settings=settings, background=False) as app:
        names = {consumer.options.name for consumer in app.change_consumer._consumers}

    assert names | {PUBLISHER} == set(CHANGE_CONSUMERS)


async def test_rows_of_processes_are_left_out_of_an_export(tmp_path: Path) -> None:
    store = sqlite_store(tmp_path)
    await fill(store, 3)
    with sqlite3.connect(tmp_path / "chat.db") as database:
        kept = {pk for (pk,) in database.execute("SELECT pk FROM items")}
    async with Sobremesa.open(store, settings=Settings(rate_limits="off"), background=False) as app:
        await app.change_consumer.prepare()
    await done("export", tmp_path / "one", "--store", store)

    lines = [json.loads(line) for part in ExportReader(tmp_path / "one").parts() for line in part.lines]
    exported = {line["Item"]["pk"]["S"] for line in lines}
    with sqlite3.connect(tmp_path / "chat.db") as database:
        now = {pk for (pk,) in database.execute("SELECT pk FROM items")}
    assert "STREAM" in now
    assert "STREAM" not in exported
    assert kept - {"STREAM"} <= exported
    assert len([line for line in lines if line["Item"].get("long", {}).get("N") == str(VALUES["long"])]) == 3


async def test_a_truncated_or_changed_file_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    store, file = sqlite_store(tmp_path), tmp_path / "one"
    await fill(store, 5000)
    await done("export", file, "--store", store)
    whole = file.read_bytes()
    chance = random.Random(SEED)
    print(f"TESTS_SEED={SEED}")
    sizes = sorted(chance.sample(range(1, len(whole)), 8))
    broken = [whole[:size] for size in (*sizes, len(whole) - 1)]
    flipped: list[bytes] = []
    for _ in range(20):
        at = chance.randrange(len(whole))
        flipped.append(whole[:at] + bytes([whole[at] ^ (1 << chance.randrange(8))]) + whole[at + 1 :])
    frames = [content async for content in _frames(file)]
    assert len(frames) > 4
    without_a_part = [*frames[:2], *frames[3:]]
    swapped = [*frames[:1], frames[2], frames[1], *frames[3:]]
    broken += [b"".join(map(zstd.compress, parts)) for parts in (without_a_part, swapped, frames[:-1], frames * 2)]
    broken += [b"", b"hello", b"".join(map(zstd.compress, frames))[:-4]]

    for content in broken:
        file.write_bytes(content)
        with pytest.raises(BrokenExport):
            check_export(file)
    for content in flipped:
        file.write_bytes(content)
        # zstd ignores one bit of a frame's header: the content is the same.
        with suppress(BrokenExport):
            check_export(file)
            assert [frame async for frame in _frames(file)] == frames
    file.write_bytes(broken[0])
    line = await refused("import", file, "--store", sqlite_store(tmp_path, "new"))

    assert "truncated" in line
    assert not (tmp_path / "new.db").exists()


async def _frames(file: Path) -> AsyncIterator[bytes]:
    for frame in ExportReader(file)._frames():
        yield frame


async def test_a_changed_row_in_an_otherwise_valid_file_is_refused(tmp_path: Path) -> None:
    store, file = sqlite_store(tmp_path), tmp_path / "one"
    await fill(store, 10)
    await done("export", file, "--store", store)
    changed = [content.replace(b"Message 3", b"Message 4") async for content in _frames(file)]
    file.write_bytes(b"".join(map(zstd.compress, changed)))

    line = await refused("import", file, "--store", sqlite_store(tmp_path, "new"))

    assert "part 1" in line
    assert "checksum" in line


async def test_a_broken_dynamodb_export_is_refused(tmp_path: Path) -> None:
    store, folder = sqlite_store(tmp_path), tmp_path / "one"
    await fill(store, 5000)
    await done("export", folder, "--format", "dynamodb", "--store", store)
    [summary] = folder.glob("AWSDynamoDB/*/manifest-summary.json")
    files = sorted(summary.parent.glob("data/*.json.gz"))
    assert len(files) > 1
    content = files[0].read_bytes()

    files[0].write_bytes(gzip.compress(gzip.decompress(content).replace(b"Message 3", b"Message 4")))
    with pytest.raises(BrokenExport, match="damaged"):
        check_export(folder)
    files[0].unlink()
    with pytest.raises(BrokenExport, match="missing"):
        check_export(folder)
    files[0].write_bytes(content)
    assert check_export(folder).rows == check_export(summary).rows > 5000
    summary.unlink()
    with pytest.raises(BrokenExport, match="not a complete export"):
        check_export(folder)


async def test_an_export_as_dynamodb_writes_it_is_imported(tmp_path: Path) -> None:
    """With fields, names and a number format that only the service writes."""
    folder = tmp_path / "bucket" / "prefix" / "AWSDynamoDB" / "01693685827463-2d8752fd"
    (folder / "data").mkdir(parents=True)
    lines = [
        {
            "Item": {
                "pk": {"S": "A"},
                "sk": {"S": "B"},
                "n": {"N": "1.50"},
                "s": {"NS": ["3", "1e2"]},
                "b": {"B": "AA=="},
            }
        }
    ]
    data = gzip.compress(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    (folder / "data" / "asdl123dasas.json.gz").write_bytes(data)
    (folder / "data" / "empty.json.gz").write_bytes(gzip.compress(b""))
    listed = [("asdl123dasas", data, 1), ("empty", gzip.compress(b"", mtime=0), 0)]
    (folder / "data" / "empty.json.gz").write_bytes(listed[1][1])
    (folder / "manifest-files.json").write_text(
        "".join(
            json.dumps(
                {
                    "itemCount": count,
                    "md5Checksum": b64encode(hashlib.md5(content).digest()).decode(),
                    "etag": "af83d6f217c19b8b0fff8023d8ca4716-1",
                    "dataFileS3Key": f"prefix/AWSDynamoDB/01693685827463-2d8752fd/data/{name}.json.gz",
                }
            )
            + "\n"
            for name, content, count in listed
        )
    )
    (folder / "manifest-summary.json").write_text(
        json.dumps(
            {
                "version": "2023-08-01", "exportArn": "arn:aws:dynamodb:eu-west-1:123456789012:table/T/export/0169",
                "startTime": "2023-09-02T20:17:07.463Z", "endTime": "2023-09-02T20:22:07.463Z",
                "tableArn": "arn:aws:dynamodb:eu-west-1:123456789012:table/T", "tableId": "id",
                "exportTime": "2023-09-02T20:17:07.463Z", "s3Bucket": "bucket", "s3Prefix": "prefix",
                "s3SseAlgorithm": "AES256", "s3SseKmsKeyId": None, "billedSizeBytes": 53, "itemCount": 1,
                "manifestFilesS3Key": "prefix/AWSDynamoDB/01693685827463-2d8752fd/manifest-files.json",
                "outputFormat": "DYNAMODB_JSON", "exportType": "FULL_EXPORT",
            }
        )
    )  # fmt: skip

    await done("import", tmp_path / "bucket", "--store", sqlite_store(tmp_path))

    assert [*(await rows_in(sqlite_store(tmp_path))).values()] == [
        {"pk": {"S": "A"}, "sk": {"S": "B"}, "n": {"N": "1.5"}, "s": {"NS": ["3", "100"]}, "b": {"B": b"\x00"}}
    ]


async def test_import_writes_over_nothing_unless_it_is_wanted(tmp_path: Path) -> None:
    first, second, file = sqlite_store(tmp_path), sqlite_store(tmp_path, "second"), tmp_path / "one"
    await fill(first, 10)
    await fill(second, 3)
    await done("export", file, "--store", first)
    await put_rows(sqlite_store(tmp_path, "third"), range(1))

    assert "is not empty" in await refused("import", file, "--store", second)
    assert "keys of its own" in await refused("import", file, "--existing", "--store", second)
    assert "is not empty" in await refused("import", file, "--store", sqlite_store(tmp_path, "third"))
    assert "already exists" in await refused("export", file, "--store", first)
    assert "does not exist" in await refused("import", tmp_path / "nothing", "--store", second)
    for _ in range(2):
        await done("import", file, "--existing", "--store", sqlite_store(tmp_path, "third"))

    assert await rows_in(sqlite_store(tmp_path, "third")) == await rows_in(first)


async def test_names_must_be_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, named = tmp_path / "one", sqlite_store(tmp_path, "named")
    await fill(sqlite_store(tmp_path), 1)
    await done("export", file, "--store", sqlite_store(tmp_path))
    monkeypatch.setenv("SOBREMESA_NAMES", '{"pk": "PK", "indexes": {"gsi1": {"name": "GSI1", "pk": "GSI1PK"}}}')
    await done("table", "create", "--store", named)

    line = await refused("import", file, "--store", named)
    await done("export", tmp_path / "two", "--store", named)
    await done("import", tmp_path / "two", "--store", sqlite_store(tmp_path, "copy"))

    assert "gsi1.pk is gsi1pk there and GSI1PK here; pk is pk there and PK here" in line


@pytest.mark.long
@pytest.mark.timeout(180 + MOVED_ROWS // 50)
@pytest.mark.parametrize("form", ["sobremesa", "dynamodb"])
async def test_killed_exports_and_imports_continue_and_lose_nothing(form: str, tmp_path: Path) -> None:
    chance = random.Random(SEED)
    first, last, file = sqlite_store(tmp_path), sqlite_store(tmp_path, "last"), tmp_path / "one"
    await fill(first, MOVED_ROWS)
    longest = 0.1 + MOVED_ROWS / 20_000
    state = tmp_path / "one.state" if form == "sobremesa" else file / "export.state"
    export = ("export", file, "--format", form, "--store", first)
    load = ("import", file, "--store", last)
    exports = await killed_until_done(*export, state=state, chance=chance, longest=longest)
    loads = await killed_until_done(*load, state=tmp_path / "one.importing", chance=chance, longest=longest)

    print(f"TESTS_SEED={SEED}: {MOVED_ROWS} rows as {form}, killed {exports} and {loads} times")
    assert await rows_in(last) == await rows_in(first)
    assert await keys_in(last) == await keys_in(first)

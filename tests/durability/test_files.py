"""Which files are opened, which are refused, and that a refused one stays as it was."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from durability.chat import LAYOUT, SENDERS, Message, has, send, talk
from durability.inspection import inspect
from sobremesa.core.clock import SystemClock
from sobremesa.table.engines.embedded import EmbeddedEngine, file
from sobremesa.table.engines.embedded.schema import FORMAT
from sobremesa.table.engines.protocol import PutItem, QueryRequest, RawKey
from sobremesa.table.errors import StoreDamaged, StoreError, StoreFailed, StoreForeign, StoreTooNew
from sobremesa.table.layout import IndexLayout, IndexName, Layout, gsi1, gsi2

OTHER_UID = 65534
INCREMENTAL = 2
by_length = IndexName("byLength")


async def opened(store: Path, layout: Layout = LAYOUT) -> EmbeddedEngine:
    return await EmbeddedEngine.open(str(store), layout, clock=SystemClock(), janitor=False)


async def refused(store: Path, layout: Layout = LAYOUT) -> StoreError:
    """Return the error of opening this store, which must change no byte."""
    before = contents(store.parent)
    with pytest.raises(StoreError) as raised:
        await opened(store, layout)
    assert contents(store.parent) == before
    return raised.value


def contents(folder: Path) -> dict[str, bytes]:
    """The files that have something in them; shared memory is nothing that stays."""
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and path.suffix != ".db-shm"}
    return {name: data for name, data in files.items() if data}


def put(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def change(path: Path, change_bytes: Callable[[bytes], bytes]) -> None:
    put(path, change_bytes(path.read_bytes()))


def allow(path: Path, mode: int) -> None:
    path.chmod(mode)


def page_size(whole: bytes) -> int:
    return int.from_bytes(whole[16:18], "big")


def flipped(page: int) -> Callable[[bytes], bytes]:
    """Every bit of one page, counted from 1, turned over."""

    def flip(whole: bytes) -> bytes:
        size = page_size(whole)
        start, end = (page - 1) * size, page * size
        return whole[:start] + bytes(byte ^ 0xFF for byte in whole[start:end]) + whole[end:]

    return flip


@pytest.fixture
async def store(tmp_path: Path) -> Path:
    """A store that was closed cleanly, with a message of every user."""
    path = tmp_path / "chat.db"
    engine = await opened(path)
    await talk(engine, "before", lambda message: None, messages=3)
    await engine.close()
    return path


def other_application(path: Path, *, journal: str = "DELETE", keep_log: bool = False) -> apsw.Connection:
    """A database of something else; its connection, so that its log can be kept from being folded in."""
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", journal)
    connection.execute("CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('gazpacho')")
    if not keep_log:
        connection.close()
    return connection


async def test_every_setting_of_the_engine_is_in_force(tmp_path: Path) -> None:
    engine = await opened(tmp_path / "chat.db")

    settings = {name: engine._connection.pragma(name) for name in ("journal_mode", "synchronous", "temp_store")}
    sizes = {name: engine._connection.pragma(name) for name in ("page_size", "cache_size", "wal_autocheckpoint")}
    auto_vacuum = engine._connection.pragma("auto_vacuum")
    await engine.close()

    assert settings == {"journal_mode": "wal", "synchronous": 2, "temp_store": 2}
    assert sizes == {"page_size": 8192, "cache_size": -32768, "wal_autocheckpoint": 2000}
    assert auto_vacuum == INCREMENTAL


async def test_a_closed_store_is_one_file(store: Path) -> None:
    assert set(contents(store.parent)) == {"chat.db"}


async def test_a_store_of_a_newer_format_is_refused_and_left_as_it_was(store: Path) -> None:
    connection = apsw.Connection(str(store))
    connection.pragma("user_version", FORMAT + 1)
    connection.close()

    error = await refused(store)

    assert isinstance(error, StoreTooNew)
    assert str(FORMAT + 1) in str(error)


async def test_a_newer_format_is_seen_in_the_log_of_a_store_that_was_not_closed(store: Path, tmp_path: Path) -> None:
    connection = apsw.Connection(str(store))
    connection.pragma("user_version", FORMAT + 1)
    left = tmp_path / "left"
    left.mkdir()
    for suffix in ("", "-wal"):
        shutil.copy(f"{store}{suffix}", left)
    connection.close()

    assert isinstance(await refused(left / "chat.db"), StoreTooNew)


@pytest.mark.parametrize("journal", ["DELETE", "WAL"])
async def test_a_database_of_another_application_is_refused_and_left_as_it_was(tmp_path: Path, journal: str) -> None:
    other_application(tmp_path / "recipes.db", journal=journal)

    assert isinstance(await refused(tmp_path / "recipes.db"), StoreForeign)


async def test_a_database_that_another_application_has_open_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    connection = other_application(tmp_path / "recipes.db", journal="WAL", keep_log=True)

    with pytest.raises(StoreForeign):
        await opened(tmp_path / "recipes.db")

    assert connection.execute("SELECT name FROM recipes").get == "gazpacho"
    connection.execute("INSERT INTO recipes VALUES ('tortilla')")
    assert connection.execute("PRAGMA integrity_check").get == "ok"
    connection.close()


async def test_an_empty_database_marked_by_another_application_is_refused(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "recipes.db"))
    connection.pragma("application_id", 12345)
    connection.close()

    assert isinstance(await refused(tmp_path / "recipes.db"), StoreForeign)


async def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    (tmp_path / "chat.db").touch()

    engine = await opened(tmp_path / "chat.db")
    await send(engine, Message("first", 0, 0))
    await engine.close()

    assert len(inspect(tmp_path / "chat.db").messages) == 1


@pytest.mark.parametrize("size", [2, 99, 100, 4096, 100_000])
async def test_garbage_is_damaged_and_left_as_it_was(tmp_path: Path, size: int) -> None:
    (tmp_path / "chat.db").write_bytes(b"Dear diary, " * (size // 12) + b"x" * (size % 12))

    assert isinstance(await refused(tmp_path / "chat.db"), StoreDamaged)


def _to(size: float) -> Callable[[bytes], bytes]:
    """Cut to so many bytes, or pages if it is a fraction."""
    return lambda whole: whole[: size if isinstance(size, int) else int(size * page_size(whole))]


@pytest.mark.parametrize(
    "cut",
    [_to(50), _to(100), _to(0.25), _to(1.0), _to(3.0), _to(5.1), lambda whole: whole[: -page_size(whole)]],
    ids=[
        "half a header",
        "a header",
        "part of a page",
        "one page",
        "three pages",
        "five and a bit",
        "all but the last",
    ],
)
async def test_a_truncated_store_is_damaged_and_left_as_it_was(store: Path, cut: Callable[[bytes], bytes]) -> None:
    change(store, cut)

    assert isinstance(await refused(store), StoreDamaged)


async def test_a_store_with_any_page_flipped_is_damaged_and_left_as_it_was(store: Path) -> None:
    whole = contents(store.parent)["chat.db"]
    for page in range(1, len(whole) // page_size(whole) + 1):
        put(store, flipped(page)(whole))

        assert isinstance(await refused(store), StoreDamaged), f"page {page}"


async def test_damage_in_a_large_store_is_reported_when_it_is_read(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file, "SMALL_ENOUGH_TO_CHECK", 0)
    connection = apsw.Connection(str(store))
    root: int = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'items'").get
    connection.close()
    change(store, flipped(root))

    engine = await opened(store)
    with pytest.raises(StoreDamaged):
        await has(engine, Message("before", 0, 0))
    with pytest.raises(StoreDamaged):
        await engine.query(QueryRequest(pk="CONVO#0"))
    with pytest.raises(StoreDamaged):
        await send(engine, Message("after", 0, 0))
    await engine.close()


async def test_missing_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(StoreFailed, match="folder"):
        await opened(tmp_path / "nowhere" / "chat.db")


async def test_folder_in_place_of_the_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(StoreFailed):
        await opened(tmp_path)


@contextmanager
def without_rights() -> Iterator[None]:
    """Run as a user to whom permissions apply, unlike root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(OTHER_UID)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def read_only_folder() -> Iterator[Path]:
    """A folder that all users may read and none may write; not below pytest's own, which is private."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o555)
        yield folder
        folder.chmod(0o700)


async def test_read_only_folder_is_reported(read_only_folder: Path) -> None:
    with without_rights(), pytest.raises(StoreFailed):
        await opened(read_only_folder / "chat.db")

    assert os.listdir(read_only_folder) == []


async def test_read_only_store_is_reported(store: Path, read_only_folder: Path) -> None:
    allow(read_only_folder, 0o755)
    target = read_only_folder / "chat.db"
    shutil.copy(store, target)
    allow(target, 0o444)
    allow(read_only_folder, 0o555)
    before = contents(read_only_folder)

    with without_rights(), pytest.raises(StoreFailed):
        await opened(target)

    assert contents(read_only_folder) == before


async def test_folder_without_access_is_reported(read_only_folder: Path) -> None:
    allow(read_only_folder, 0o000)

    with without_rights(), pytest.raises(StoreFailed):
        await opened(read_only_folder / "chat.db")


@pytest.mark.parametrize("layout", [Layout(pk="PK"), Layout(sk="SK"), Layout(ttl="expiresAt")], ids=["pk", "sk", "ttl"])
async def test_a_store_with_other_attribute_names_is_refused_and_left_as_it_was(store: Path, layout: Layout) -> None:
    error = await refused(store, layout)

    assert isinstance(error, StoreForeign)
    assert "pk, sk, ttl" in str(error)


def with_index(names: IndexLayout) -> Layout:
    return Layout(indexes={**LAYOUT.indexes, by_length: names})


async def test_an_index_that_is_added_is_filled_from_the_rows(store: Path) -> None:
    layout = with_index(IndexLayout("by-text", "text", "messageId"))

    engine = await opened(store, layout)
    page = await engine.query(QueryRequest(pk="Is there any coffee left?", index=by_length))
    await send(engine, Message("after", 0, 0))
    later = await engine.query(QueryRequest(pk="Is there any coffee left?", index=by_length))
    await engine.close()

    assert (page.count, later.count) == (3 * SENDERS, 3 * SENDERS + 1)
    inspect(store, layout=layout)


async def test_moved_and_removed_indexes_follow_the_layout(store: Path) -> None:
    turned = Layout(indexes={gsi2: LAYOUT.indexes[gsi2], gsi1: LAYOUT.indexes[gsi1]})
    fewer = Layout(indexes={gsi2: LAYOUT.indexes[gsi2]})
    for layout in (turned, fewer, LAYOUT):
        engine = await opened(store, layout)
        page = await engine.query(QueryRequest(pk="AUTHOR#before.000", index=gsi2))
        await engine.close()

        assert page.count == 3
        inspect(store, layout=layout)


async def test_rows_that_cannot_stand_in_an_added_index_are_left_out_of_it(tmp_path: Path) -> None:
    strange = [7, b"bytes", ["list"], {"map": 1}, "", None, True, "x" * 3000]
    engine = await opened(tmp_path / "chat.db")
    for place, value in enumerate(strange):
        key = RawKey("STRANGE", str(place))
        item = {"pk": key.pk, "sk": key.sk, "topic": value, "at": "now"}
        await engine.write(PutItem(key, item))
    await engine.write(PutItem(RawKey("PLAIN", "0"), {"pk": "PLAIN", "sk": "0", "topic": "soup", "at": "now"}))
    await engine.close()

    engine = await opened(tmp_path / "chat.db", with_index(IndexLayout("by-topic", "topic", "at")))
    entries = engine._connection.execute("SELECT pk, base_pk FROM index_3").fetchall()
    await engine.close()

    assert entries == [("soup", "PLAIN")]

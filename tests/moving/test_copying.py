"""`sobremesa copy`: while rows change, on both engines, killed at any point; nothing is lost."""

from __future__ import annotations

import asyncio
import random
import signal
import subprocess
from collections import Counter
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

import commands
from commands import SOBREMESA
from lengths import MOVED_ROWS, SEED
from moving.data import (
    assert_private,
    done,
    dynamodb_store,
    fill,
    key_of,
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
from sobremesa.core.clock import SystemClock
from sobremesa.core.settings import Settings
from sobremesa.domains.attachments.uploads import UploadedFile
from sobremesa.moving import copying
from sobremesa.moving.errors import StillInUse
from sobremesa.moving.stores import MovedStore
from sobremesa.rooms.sending import Draft
from sobremesa.table import RawKey, Table, open_engine
from sobremesa.table.engines.protocol import DeleteItem, PutItem

PAUSE_SECONDS = 0.005


class Writing:
    """Puts, changes and deletes rows at random until stopped."""

    def __init__(self, store: str, rows: int, chance: random.Random) -> None:
        self.store = store
        self.rows = rows
        self.chance = chance
        self.done: Counter[str] = Counter()
        self.is_over = asyncio.Event()

    async def run(self) -> None:
        engine = await open_engine(self.store, janitor=False)
        try:
            table = Table(engine)
            while not self.is_over.is_set():
                number = self.chance.randrange(self.rows + self.rows // 10)
                version = sum(self.done.values())
                if self.chance.random() < 0.2:
                    await table.raw.write_many([DeleteItem(key_of(number))])
                    self.done["deletes"] += 1
                else:
                    row = row_of(number, version)
                    await table.raw.write_many([PutItem(RawKey(row["pk"], row["sk"]), row)])
                    self.done["puts"] += 1
                await asyncio.sleep(PAUSE_SECONDS)
        finally:
            await engine.close()


@pytest.mark.long
@pytest.mark.timeout(300 + MOVED_ROWS // 20)
async def test_a_killed_copy_to_dynamodb_and_back_loses_no_live_write(
    tmp_path: Path, dynamodb_endpoint: Endpoint
) -> None:
    chance = random.Random(SEED)
    first, table, last = sqlite_store(tmp_path), dynamodb_store(dynamodb_endpoint), sqlite_store(tmp_path, "last")
    rows = MOVED_ROWS // 3
    await fill(first, rows)
    for source, target in ((first, table), (table, last)):
        state = tmp_path / f"state{target[:3]}"
        writing = Writing(source, rows, chance)
        task = asyncio.create_task(writing.run())
        copy = ("copy", "--store", source, "--to", target, "--state", state)

        kills = await killed_until_done(*copy, state=state, chance=chance, longest=0.5)
        assert_private(state)
        until_done = await done(*copy)
        writing.is_over.set()
        await task
        finished = await done(*copy, "--finish")
        proof = await done("verify", "--store", source, "--to", target)

        print(f"TESTS_SEED={SEED}: {rows} rows, {kills} kills, meanwhile {dict(writing.done)}: {finished}{proof}")
        assert writing.done["deletes"] > 0
        assert "To cut over" in until_done
        assert "Done in" in finished
        assert "0 missing, 0 extra, 0 different" in proof
        assert await rows_in(target) == await rows_in(source)
        assert await keys_in(target) == await keys_in(source)
        assert not state.exists()


def saved_in(state: Path) -> dict[str, Any]:
    return msgspec.json.decode(state.read_bytes()) if state.exists() else {}


async def until(happened: Callable[[], bool | None]) -> None:
    while not happened():  # noqa: ASYNC110 - another process does it
        await asyncio.sleep(0.05)


async def test_a_copy_follows_until_it_is_stopped(tmp_path: Path) -> None:
    first, second, state = sqlite_store(tmp_path), sqlite_store(tmp_path, "second"), tmp_path / "state"
    await fill(first, 10)
    copy = ("copy", "--store", first, "--to", second, "--state", state)
    with commands.Process(SOBREMESA, *copy, "--follow", stdout=subprocess.PIPE) as process:
        async with asyncio.timeout(60):
            await until(lambda: saved_in(state).get("is_scanned"))
            await put_rows(first, range(10, 20))
            await until(lambda: saved_in(state)["changed"] >= 10)
            while await rows_in(second) != await rows_in(first):  # noqa: ASYNC110 - another process does it
                await asyncio.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert await process.wait_async() == 0
    await put_rows(first, range(20, 30))
    await done(*copy, "--finish")

    assert await rows_in(second) == await rows_in(first)


async def test_a_served_store_is_cut_over_with_its_files_and_sessions(
    tmp_path: Path, dynamodb_endpoint: Endpoint
) -> None:
    first, table = sqlite_store(tmp_path), dynamodb_store(dynamodb_endpoint)
    files = (tmp_path / "moved").as_uri()
    settings = Settings(rate_limits="off")
    copy = ("copy", "--store", first, "--to", table, "--to-files", files, "--state", tmp_path / "state")

    async def content() -> AsyncIterator[bytes]:
        yield b"Two eggs"

    async with Sobremesa.open(first, settings=settings) as app:
        ana = (await app.accounts.register(email="ana@example.com", username="ana", password="correct horse")).actor
        ben = (await app.accounts.register(email="ben@example.com", username="ben", password="correct horse")).actor
        file = await app.attachments.receive(ana, UploadedFile("recipe.txt", "text/plain", content()))
        room = (await app.conversations.create_direct(ana, ben.user_id)).conversation_id
        await app.conversations.send(ana, room, Draft("Before"))
        await done(*copy, folder=tmp_path)
        await app.conversations.send(ana, room, Draft("After"))
    await done(*copy, "--finish", folder=tmp_path)

    moved = Settings(rate_limits="off", files=files)
    async with Sobremesa.open(table, settings=moved) as app:
        again = (await app.accounts.login(email="ben@example.com", password="correct horse")).actor
        page = await app.conversations.page(again, room, limit=10)
        found = await app.attachments.get(ana, file.file_id)

    assert [message.content for message in page.messages][::-1] == ["Before", "After"]
    assert found.name == "recipe.txt"
    assert files_in(tmp_path / "moved") == files_in(tmp_path / "chat.db.files") != {}
    assert_private(tmp_path / "moved")


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


async def test_what_cannot_be_copied_is_refused(tmp_path: Path) -> None:
    first, second, state = sqlite_store(tmp_path), sqlite_store(tmp_path, "second"), tmp_path / "state"
    await fill(first, 3)
    await put_rows(second, range(1))
    copy = ("copy", "--store", first, "--state", state)

    assert "is not empty" in await refused(*copy, "--to", second)
    await done(*copy, "--to", sqlite_store(tmp_path, "third"))
    assert "is of a copy of" in await refused(*copy, "--to", second)
    assert "in memory" in await refused(*copy, "--to", "sqlite://")


async def test_a_store_that_servers_use_is_not_cut_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = sqlite_store(tmp_path)
    async with Sobremesa.open(store, settings=Settings(rate_limits="off")) as app:
        async with asyncio.timeout(60):
            while not app.change_consumer.shards:  # noqa: ASYNC110 - a background task does it
                await asyncio.sleep(0.01)
        async with MovedStore.open(store, None) as opened:
            monkeypatch.setattr(copying, "LEASE_WAIT_SECONDS", 0.2)
            with pytest.raises(StillInUse):
                await copying.require_unused(opened, SystemClock())
    async with MovedStore.open(store, None) as opened:
        monkeypatch.undo()
        await copying.require_unused(opened, SystemClock())


async def test_a_copy_whose_changes_are_no_longer_kept_is_refused(tmp_path: Path) -> None:
    first, second, state = sqlite_store(tmp_path), sqlite_store(tmp_path, "second"), tmp_path / "state"
    await fill(first, 3)
    copy = ("copy", "--store", first, "--to", second, "--state", state)
    await done(*copy)
    saved = msgspec.json.decode(state.read_bytes())
    state.write_bytes(msgspec.json.encode(saved | {"position": "0123456789abcdef-1"}))

    assert "no longer kept" in await refused(*copy)

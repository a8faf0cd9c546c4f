"""The keyring: created once, stored with the data, shared by every node, and rotated without an interruption."""

from __future__ import annotations

import asyncio
import base64
import multiprocessing
import os
import stat
from pathlib import Path

import pytest

from accounts.environment import Environment
from servers import Endpoint
from sobremesa.core.actor import SessionId, Tenant, UserId
from sobremesa.core.clock import SetClock, SystemClock
from sobremesa.core.errors import Unauthenticated
from sobremesa.domains.accounts.key_stores import BadKeyFile, FileKeys, KeyStore, MemoryKeys, TableKeys
from sobremesa.domains.accounts.keyring import RELOAD_SECONDS, RETIRED_AFTER_SECONDS, Keyring, open_keyring
from sobremesa.domains.accounts.tokens import Tokens
from sobremesa.table import Table, measure
from table.engines import dynamo, embedded


async def _token(keyring: Keyring, clock: SetClock) -> str:
    return await Tokens(keyring, clock, "us").issue(UserId("u"), SessionId("s"), Tenant("t"))


async def _verifies(keyring: Keyring, clock: SetClock, token: str) -> bool:
    try:
        await Tokens(keyring, clock, "us").verify(token)
    except Unauthenticated:
        return False
    return True


async def test_key_file_is_beside_the_database_and_readable_by_its_owner_only(clock: SetClock, tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    async with embedded(path, clock) as engine:
        before = os.umask(0)
        try:
            keyring = await open_keyring(f"sqlite:///{path}", Table(engine), clock)
        finally:
            os.umask(before)
        again = await open_keyring(f"sqlite:///{path}", Table(engine), clock)
        assert [row async for row in Table(engine).scan()] == []

    kept = tmp_path / "chat.db.keys"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert not (tmp_path / "chat.db.keys.new").exists()
    assert await _verifies(again, clock, await _token(keyring, clock))
    for name in ("refresh", "cursors"):
        assert keyring.secret(name) == again.secret(name)
        assert len(keyring.secret(name)) == 32
    assert keyring.secret("refresh") != keyring.secret("cursors")


async def test_store_in_memory_has_its_keys_in_memory(
    clock: SetClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with embedded(None, clock) as engine:
        one = await open_keyring("sqlite://", Table(engine), clock)
        two = await open_keyring("sqlite://", Table(engine), clock)
        assert [row async for row in Table(engine).scan()] == []
    assert one.secret("refresh") != two.secret("refresh")
    assert os.listdir(tmp_path) == []


async def test_on_dynamodb_the_keys_are_rows_that_all_nodes_share(clock: SetClock, dynamodb_endpoint: Endpoint) -> None:
    async with dynamo(dynamodb_endpoint, clock) as engine:
        table = Table(engine, clock=clock)
        store = "dynamodb://any?region=eu-west-1"
        nodes = await asyncio.gather(*(open_keyring(store, table, clock) for _ in range(8)))
        assert len({node.secret("refresh") for node in nodes}) == 1
        for node in nodes:
            token = await _token(node, clock)
            assert all([await _verifies(other, clock, token) for other in nodes])
        names = {row["sk"].partition("#")[0] async for row in table.scan()}
        assert names == {"SIGNKEY", "SECRET"}


async def test_two_concurrent_first_starts_share_keys_and_secrets(table: Table, clock: SetClock) -> None:
    nodes = await asyncio.gather(*(Keyring.open(TableKeys(table), clock) for _ in range(8)))
    assert len({(node.secret("refresh"), node.secret("cursors")) for node in nodes}) == 1
    assert len({(await node.signing_key())[0] for node in nodes}) == 1


def _first_start(path: str, barrier: object, answers: object) -> None:
    async def run() -> tuple[str, str]:
        barrier.wait()  # type: ignore[attr-defined]
        keyring = await Keyring.open(FileKeys(path), SystemClock())
        return (await keyring.signing_key())[0], base64.b64encode(keyring.secret("refresh")).decode()

    answers.put(asyncio.run(run()))  # type: ignore[attr-defined]


def test_concurrent_processes_create_one_key_file(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    barrier, answers = context.Barrier(3), context.Queue()
    path = str(tmp_path / "chat.db.keys")
    processes = [context.Process(target=_first_start, args=(path, barrier, answers)) for _ in range(3)]
    for process in processes:
        process.start()
    found = {answers.get(timeout=60) for _ in processes}
    for process in processes:
        process.join()
    assert len(found) == 1


async def test_concurrent_threads_create_one_key_file(clock: SetClock, tmp_path: Path) -> None:
    path = tmp_path / "keys"
    nodes = await asyncio.gather(*(Keyring.open(FileKeys(path), clock) for _ in range(8)))
    assert len({(await node.signing_key())[0] for node in nodes}) == 1
    assert len({node.secret("refresh") for node in nodes}) == 1


async def test_abandoned_key_file_does_not_block_other_processes(clock: SetClock, tmp_path: Path) -> None:
    left = tmp_path / "keys.new"
    left.write_bytes(b"{")
    os.utime(left, (0, 0))
    keyring = await Keyring.open(FileKeys(tmp_path / "keys"), clock)
    assert keyring.secret("refresh")
    assert not left.exists()


async def test_file_without_keys_is_not_overwritten(clock: SetClock, tmp_path: Path) -> None:
    path = tmp_path / "keys"
    path.write_bytes(b"something else")
    with pytest.raises(BadKeyFile):
        await Keyring.open(FileKeys(path), clock)
    assert path.read_bytes() == b"something else"


@pytest.fixture(params=["file", "table"])
def key_store(request: pytest.FixtureRequest, tmp_path: Path, embedded_env: Environment) -> KeyStore:
    return FileKeys(tmp_path / "keys") if request.param == "file" else TableKeys(embedded_env.table)


async def test_after_a_rotation_the_new_key_signs_and_the_old_one_still_verifies(
    clock: SetClock, key_store: KeyStore
) -> None:
    keyring = await Keyring.open(key_store, clock)
    node = await Keyring.open(key_store, clock)
    old = await _token(keyring, clock)
    clock.move(seconds=10)

    kid = await keyring.rotate()

    assert (await keyring.signing_key())[0] == kid
    new = await _token(keyring, clock)
    for each in (keyring, node):
        assert await _verifies(each, clock, old)
        assert await _verifies(each, clock, new)
    assert (await node.signing_key())[0] == kid


async def test_other_nodes_sign_with_the_new_key_within_a_minute(clock: SetClock, key_store: KeyStore) -> None:
    keyring = await Keyring.open(key_store, clock)
    node = await Keyring.open(key_store, clock)
    kid = await keyring.rotate()
    assert (await node.signing_key())[0] != kid
    clock.move(seconds=RELOAD_SECONDS)
    assert (await node.signing_key())[0] == kid


async def test_key_is_retired_when_its_tokens_have_expired_and_dropped_at_the_next_rotation(
    clock: SetClock, key_store: KeyStore
) -> None:
    keyring = await Keyring.open(key_store, clock)
    first, _ = await keyring.signing_key()
    second = await keyring.rotate()
    clock.move(seconds=RETIRED_AFTER_SECONDS - 1)
    assert await keyring.find_key(first) is not None
    clock.move(seconds=2)
    assert await keyring.find_key(first) is None
    third = await keyring.rotate()
    assert set((await key_store.load()).keys) == {second, third}


async def test_unknown_key_reloads_the_keyring_at_most_every_five_seconds(
    embedded_env: Environment, clock: SetClock
) -> None:
    keyring = await Keyring.open(TableKeys(embedded_env.table), clock)
    clock.move(seconds=5)
    with measure() as measured:
        for number in range(20):
            assert await keyring.find_key(f"unknown{number}") is None
    assert measured.calls == 2  # one reload: keys and secrets


async def test_tokens_of_a_rotated_key_are_still_accepted(embedded_env: Environment) -> None:
    signed_in = await embedded_env.register("ana")
    await embedded_env.keyring.rotate()
    await embedded_env.authenticate(signed_in.access_token)
    fresh = await embedded_env.login("ana")
    assert fresh.access_token.partition(".")[0] != signed_in.access_token.partition(".")[0]
    await embedded_env.authenticate(fresh.access_token)


async def test_concurrent_rotations_lose_no_key(clock: SetClock, tmp_path: Path) -> None:
    path = tmp_path / "keys"
    nodes = [await Keyring.open(FileKeys(path), clock) for _ in range(4)]
    kids = await asyncio.gather(*(node.rotate() for node in nodes))
    assert set(kids) < set((await FileKeys(path).load()).keys)


async def test_keys_in_memory_can_be_rotated(clock: SetClock) -> None:
    keyring = await Keyring.open(MemoryKeys(), clock)
    old = await _token(keyring, clock)
    await keyring.rotate()
    assert await _verifies(keyring, clock, old)

"""`sobremesa demo`, as a person runs it."""

from __future__ import annotations

import html
import json
import os
import re
from pathlib import Path

import aiohttp
import apsw
import pytest

import commands
from api.running import Server
from commands import SOBREMESA
from demo.running import Login, copied, demo_running, environment_of
from sobremesa.app import Sobremesa
from sobremesa.core.settings import Settings
from sobremesa.demo import store as demo_store
from sobremesa.demo.store import NotADemo
from sobremesa.demo.users import ADMINISTRATOR, PASSWORD, email_of
from sobremesa.table.opening import BadStore, open_embedded


async def rows_in(store: str) -> int:
    engine = await open_embedded(store, janitor=False)
    try:
        return (await engine.describe_table()).items
    finally:
        await engine.close()


def messages_in(store: str) -> set[tuple[str, str]]:
    """Return the keys of the messages of channels."""
    connection = apsw.Connection(store.removeprefix("sqlite:///"))
    try:
        return set(connection.execute("SELECT pk, sk FROM items WHERE pk LIKE 'CHANNEL#%' AND sk LIKE 'MSG#%'"))
    finally:
        connection.close()


def refused(*arguments: str, folder: Path, **settings: str) -> str:
    """Return what the demo prints when it does not start."""
    done = commands.run(SOBREMESA, "demo", *arguments, folder=folder, environment=environment_of(**settings))
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    return " ".join(done.stderr.split())


async def register(store: str, email: str) -> None:
    async with Sobremesa.open(store, background=False) as app:
        await app.accounts.register(email=email, username=email.partition("@")[0], password=PASSWORD)


async def test_it_prints_where_it_is_and_who_can_log_in_and_answers(demo: Server, logins: dict[str, Login]) -> None:
    printed = demo.log.read_text()

    assert f"Sobremesa demo running at {demo.url}" in printed
    assert "The passwords of this demo are public" in printed
    assert all(login.password == PASSWORD and login.sees for login in logins.values())
    async with aiohttp.ClientSession(demo.url) as http, http.get("/readyz") as answer:
        assert answer.status == 200


async def test_its_page_has_the_logins_that_work(demo: Server, logins: dict[str, Login]) -> None:
    async with aiohttp.ClientSession(demo.url) as http:
        async with http.get("/signin") as answer:
            meta = re.search(r'<meta name="sobremesa-demo" content="([^"]*)">', await answer.text())
        assert meta is not None
        users = json.loads(html.unescape(meta[1]))["people"]
        for person in users:
            body = {"email": person["username"], "password": person["password"]}
            async with http.post("/v1/auth/login", json=body) as answer:
                assert answer.status == 200

    assert {person["username"] for person in users} == set(logins)


async def test_a_world_that_is_there_is_used_as_it_is(seeded: str, tmp_path: Path) -> None:
    store = copied(seeded, tmp_path)
    before = messages_in(store)

    with demo_running(store, tmp_path / "again.log", "--quiet") as server:
        assert "Creating the demo" not in server.log.read_text()
        assert server.stop() == 0

    # Only what users have: jobs that were left over are done by any server that runs.
    assert messages_in(store) == before != set()


async def test_it_never_touches_a_store_that_is_not_its_own(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'shop.db'}"
    await register(store, "another@example.com")
    before = await rows_in(store)

    with pytest.raises(NotADemo):
        await demo_store.is_seeded(Settings(store=store))
    printed = refused("--store", store, "--fresh", "--port", "0", folder=tmp_path)
    assert "holds other data than the demo" in printed
    assert await rows_in(store) == before


async def test_half_a_world_is_not_taken_for_one_and_goes(tmp_path: Path) -> None:
    settings = Settings(store=f"sqlite:///{tmp_path / 'world.db'}")
    await register(settings.store, email_of(ADMINISTRATOR))

    assert not await demo_store.is_seeded(settings)
    await demo_store.clear(settings)

    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("store", ["sqlite://", "dynamodb://some-table?region=eu-west-1"])
def test_it_lives_in_a_file_only(store: str) -> None:
    with pytest.raises(BadStore, match="demo needs a file"):
        demo_store.path_of(store)


def test_demo_ignores_settings_of_a_server_and_refuses_an_address_in_use(demo: Server, tmp_path: Path) -> None:
    port = demo.url.rpartition(":")[2]
    printed = refused("--port", port, folder=tmp_path, store="nonsense://x", files="nonsense://x", host="0.0.0.0")

    assert f"cannot listen on 127.0.0.1:{port}" in printed
    assert os.listdir(tmp_path) == []

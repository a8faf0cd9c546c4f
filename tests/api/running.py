"""A server as its own process, on a free port of this machine, until the end of a block."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import aiohttp
import msgspec

import commands
from api.calling import PASSWORD, Caller, register, signed_in
from cheap import CHEAP, CHEAP_VARIABLES
from commands import SOBREMESA
from sobremesa.app import Sobremesa
from sobremesa.core.actor import DEFAULT_TENANT, Tenant, UserId
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.views import signed_in_view

READY_WITHIN_SECONDS = 30.0
STOP_WITHIN_SECONDS = 15.0
COMMAND_WITHIN_SECONDS = 30.0
MAIL_WITHIN_SECONDS = 5.0
POLL_SECONDS = 0.01

_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+(?=/docs)")


class Server:
    """A running `sobremesa serve`."""

    def __init__(
        self,
        store: str,
        process: commands.Process,
        log: Path,
        *,
        ready_within: float = READY_WITHIN_SECONDS,
    ) -> None:
        self.store = store
        self.process = process
        self.log = log
        self.url = self.wait_for(_ADDRESS, ready_within)

    def mailed_token_of(self, email: str) -> str:
        """The token of the newest mail that the console got for this address."""
        self.wait_for(re.compile(rf'"to":"{re.escape(email)}"'), MAIL_WITHIN_SECONDS)
        lines = [json.loads(line) for line in self.log.read_text().splitlines() if '"event":"mail"' in line]
        text: str = [line["text"] for line in lines if line["to"] == email][-1]
        return text.split("\n\n")[-2]

    def stop(self) -> int:
        """Ask it to stop, as an operator does; its exit status."""
        self.process.terminate()
        return self.process.wait(STOP_WITHIN_SECONDS)

    def kill(self) -> None:
        """Stop it as a power cut does."""
        self.process.kill()
        self.process.wait(STOP_WITHIN_SECONDS)

    def wait_for(self, wanted: re.Pattern[str], seconds: float) -> str:
        """Return the match in the log, as soon as there is one."""
        deadline = time.monotonic() + seconds
        while True:
            ended = self.process.poll()
            output = self.log.read_text(errors="replace")
            if found := wanted.search(output):
                return found.group()
            assert ended is None, f"the server ended with {ended}:\n{output[-2000:]}"
            assert time.monotonic() < deadline, f"the log never contained {wanted.pattern}:\n{output[-2000:]}"
            time.sleep(POLL_SECONDS)


@contextmanager
def serving(store: str, log: Path, **settings: str) -> Iterator[Server]:
    """A server of a store, without limits unless `settings` (such as `rate_limits="on"`) set them."""
    chosen = {"rate_limits": "off", "log_format": "json", "mail": "console"} | CHEAP_VARIABLES | settings
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SOBREMESA_")}
    environment |= {f"SOBREMESA_{name.upper()}": value for name, value in chosen.items()}
    arguments = ("serve", "--port", "0", "--store", store)
    with running(*arguments, environment=environment, log=log) as process:
        yield Server(store, process, log)


@contextmanager
def running(*arguments: str, environment: dict[str, str], log: Path) -> Iterator[commands.Process]:
    """A `sobremesa` that writes to a log, and keeps beside it what has no place of its own."""
    with (
        log.open("wb") as file,
        commands.Process(
            SOBREMESA,
            *arguments,
            folder=log.parent,
            environment=environment,
            stdout=file,
            stderr=subprocess.STDOUT,
        ) as process,
    ):
        yield process


async def sobremesa(*arguments: str) -> str:
    """What a command prints, run beside whatever runs already."""
    done = await commands.run_async(SOBREMESA, *arguments, within=COMMAND_WITHIN_SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


async def new_key(server: Server, *scopes: str, tenant: str = DEFAULT_TENANT) -> str:
    """A server key, made by the library's door beside the running server."""
    async with Sobremesa.open(server.store, background=False) as app:
        return (await app.accounts.server_keys.create_key(Tenant(tenant), scopes)).text


async def unsubscribe_token(server: Server, user_id: str) -> str:
    """The token in the digests of a user, made by the library's door beside the running server."""
    async with Sobremesa.open(server.store, background=False) as app:
        return app.notifications.unsubscribe_token(UserId(user_id))


async def grant_admin(server: Server, username: str, *, tenant: str = DEFAULT_TENANT) -> None:
    """Make a user an administrator, by the library's door beside the running server."""
    async with Sobremesa.open(server.store, background=False) as app:
        await app.accounts.grant_admin(username, tenant=Tenant(tenant))


async def register_in(server: Server, http: aiohttp.ClientSession, tenant: str, *names: str) -> list[Caller]:
    """New users of a tenant: by HTTP in the default one, by the library's door beside the running server in others."""
    if tenant == DEFAULT_TENANT:
        return list(await asyncio.gather(*(register(http, name) for name in names)))
    settings = Settings(tenant=tenant, **CHEAP)
    async with Sobremesa.open(server.store, settings=settings, background=False) as app:
        callers = []
        for name in names:
            outcome = await app.accounts.register(email=f"{name}@example.com", username=name, password=PASSWORD)
            callers.append(signed_in(http, msgspec.to_builtins(signed_in_view(outcome))))
        return callers

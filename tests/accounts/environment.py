"""Accounts over one table, with cheap password hashing, a mailbox and a job queue for tests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from sobremesa.core.actor import Actor
from sobremesa.core.clock import Instant, SetClock
from sobremesa.core.ids import Ids
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.deletion_hooks import UserData
from sobremesa.domains.accounts.key_stores import MemoryKeys
from sobremesa.domains.accounts.keyring import Keyring
from sobremesa.domains.accounts.opening import open_accounts
from sobremesa.domains.accounts.passwords import Passwords
from sobremesa.domains.accounts.sessions import SignedIn
from sobremesa.http.limits import Limits, NoLimits
from sobremesa.table import Create, Entity, Keys, Table

PASSWORD = "correct horse"


class QueuedJob(Entity):
    """A queued job."""

    keys = Keys(pk="QUEUED", sk="{job_id}")

    job_id: str
    kind: str
    subject: str
    created_at: Instant


class JobQueue:
    """A job queue that only stores jobs."""

    def __init__(self, clock: SetClock, ids: Ids) -> None:
        self._clock = clock
        self._ids = ids
        self.nudges = 0

    def new(self, kind: str, subject: str) -> Create[Any]:
        now = self._clock.now()
        return Create(QueuedJob(job_id=self._ids.mint(), kind=kind, subject=subject, created_at=now))

    def nudge(self) -> None:
        self.nudges += 1


class SentMail(msgspec.Struct):
    to: str
    subject: str
    text: str

    @property
    def token(self) -> str:
        return self.text.split("\n\n")[-2]


class Mailbox:
    """Stores sent mails."""

    def __init__(self) -> None:
        self.mails: list[SentMail] = []

    async def send(self, to: str, subject: str, text: str) -> None:
        await asyncio.sleep(0)
        self.mails.append(SentMail(to, subject, text))


class Environment:
    """Accounts and their dependencies."""

    def __init__(
        self, table: Table, clock: SetClock, keyring: Keyring, limits: Limits | None = None, **settings: Any
    ) -> None:
        self.table = table
        self.clock = clock
        self.keyring = keyring
        self.ids = Ids(clock)
        self.jobs = JobQueue(clock, self.ids)
        self.mailbox = Mailbox()
        self.settings = Settings(**settings)
        self.domains: list[UserData] = []
        self.accounts = open_accounts(
            table,
            clock,
            self.ids,
            keyring=keyring,
            limits=limits or NoLimits(),
            jobs=self.jobs,
            settings=self.settings,
            mailer=self.mailbox,
            passwords=Passwords(time_cost=1, memory_kib=8),
            domains=lambda: self.domains,
        )
        self.authenticate, self.server_keys = self.accounts.authenticate, self.accounts.server_keys

    def other_node(self, **settings: Any) -> Environment:
        """Another node over the same table and keys."""
        return Environment(self.table, self.clock, self.keyring, **settings)

    async def register(self, name: str = "ana", **given: Any) -> SignedIn:
        words = {"email": f"{name}@example.com", "username": name, "password": PASSWORD, **given}
        return await self.accounts.register(**words)

    async def login(self, name: str = "ana", password: str = PASSWORD, device: str | None = None) -> SignedIn:
        return await self.accounts.login(email=f"{name}@example.com", password=password, device=device)

    async def actor(self, name: str = "ana") -> Actor:
        """Register a user and return the actor of their first session."""
        return await self.authenticate((await self.register(name)).access_token)


@asynccontextmanager
async def environment_on(table: Table, clock: SetClock, **options: Any) -> AsyncIterator[Environment]:
    env = Environment(table, clock, await Keyring.open(MemoryKeys(), clock), **options)
    try:
        yield env
    finally:
        await env.accounts.close()

"""Passwords: argon2id in a few threads with a bounded queue.

Hashing is slow and takes memory on purpose. A bounded pool keeps a rush of logins from taking all of either; whoever
would wait too long is told to come again. Hashes of an older program (bcrypt) are only checked, never made.
"""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import bcrypt
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from sobremesa.core.errors import Busy
from sobremesa.core.settings import Settings

T = TypeVar("T")

TIME_COST = 2
MEMORY_KIB = 19_456
PARALLELISM = 1
WORKERS = 2
MAX_WAITING = 256
BCRYPT_BYTES = 72
"""How much of a password bcrypt has ever looked at; its library refuses longer ones."""


class Passwords:
    """Makes and checks the hashes of passwords."""

    def __init__(
        self,
        *,
        time_cost: int = TIME_COST,
        memory_kib: int = MEMORY_KIB,
        workers: int = WORKERS,
        max_waiting: int = MAX_WAITING,
    ) -> None:
        self._hasher = PasswordHasher(time_cost=time_cost, memory_cost=memory_kib, parallelism=PARALLELISM)
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="passwords")
        self._max_waiting = max_waiting
        self._waiting = 0
        self._nobodys_hash: Future[str] | None = None

    def prepare(self) -> None:
        """Make the hash that unknown users are checked against, so that the first check takes no longer than others."""
        self._nobody()

    async def hash(self, password: str) -> str:
        """A new hash of this password."""
        return await self._run(lambda: self._hasher.hash(_normal(password)))

    async def matches(self, password: str, hashed: str) -> bool:
        """Is this the password of that hash?"""
        return await self._run(lambda: self._verify(password, hashed))

    async def match_nothing(self, password: str) -> None:
        """As much work as a check, for a person who does not exist: the time tells nobody who does."""
        nobody = self._nobody()
        await self._run(lambda: self._verify(password, nobody.result()))

    def is_outdated(self, hashed: str) -> bool:
        """Was this hash made in another way than new ones are?"""
        return is_bcrypt(hashed) or self._hasher.check_needs_rehash(hashed)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _nobody(self) -> Future[str]:
        if self._nobodys_hash is None:
            self._nobodys_hash = self._pool.submit(self._hasher.hash, b"nobody's password")
        return self._nobodys_hash

    def _verify(self, password: str, hashed: str) -> bool:
        if is_bcrypt(hashed):
            try:
                return bcrypt.checkpw(password.encode(errors="surrogatepass")[:BCRYPT_BYTES], hashed.encode())
            except ValueError:
                return False
        try:
            return self._hasher.verify(hashed, _normal(password))
        except (VerificationError, InvalidHashError):
            return False

    async def _run(self, work: Callable[[], T]) -> T:
        if self._waiting >= self._max_waiting:
            raise Busy("Too many people are logging in at this moment: try again.")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        finally:
            self._waiting -= 1


def passwords_of(settings: Settings) -> Passwords:
    """Hashing as costly as the settings say."""
    return Passwords(time_cost=settings.argon2_time_cost, memory_kib=settings.argon2_memory_kib)


def is_bcrypt(hashed: str) -> bool:
    """Was this hash made by an older program?"""
    return hashed.startswith(("$2a$", "$2b$", "$2y$"))


def _normal(password: str) -> bytes:
    """The same bytes for the same characters, however a keyboard composes them."""
    return unicodedata.normalize("NFC", password).encode(errors="surrogatepass")

"""Passwords: argon2id in a few threads with a bounded queue.

Hashing is slow and uses memory on purpose. The pool limits both, and requests beyond the queue are refused as busy.
Legacy bcrypt hashes are verified but never created.
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
"""The length that bcrypt uses of a password; its library refuses longer ones."""


class Passwords:
    """Creates and verifies password hashes."""

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
        self._dummy_future: Future[str] | None = None

    def prepare(self) -> None:
        """Create the dummy hash in advance, so that the first check of an unknown user takes no longer."""
        self._dummy_hash()

    async def hash(self, password: str) -> str:
        """Return a new hash of a password."""
        return await self._run(lambda: self._hasher.hash(_normal(password)))

    async def matches(self, password: str, hashed: str) -> bool:
        """Return whether a password matches a hash."""
        return await self._run(lambda: self._verify(password, hashed))

    async def match_nothing(self, password: str) -> None:
        """Do the work of a check for an unknown user, so that timing does not reveal which users exist."""
        dummy = self._dummy_hash()
        await self._run(lambda: self._verify(password, dummy.result()))

    def is_outdated(self, hashed: str) -> bool:
        """Return whether a hash has other parameters than new ones."""
        return is_bcrypt(hashed) or self._hasher.check_needs_rehash(hashed)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _dummy_hash(self) -> Future[str]:
        if self._dummy_future is None:
            self._dummy_future = self._pool.submit(self._hasher.hash, b"dummy password")
        return self._dummy_future

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
            raise Busy("Too many users are logging in. Try again.")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        finally:
            self._waiting -= 1


def passwords_of(settings: Settings) -> Passwords:
    """Return a hasher with the costs of the settings."""
    return Passwords(time_cost=settings.argon2_time_cost, memory_kib=settings.argon2_memory_kib)


def is_bcrypt(hashed: str) -> bool:
    """Return whether a hash is a legacy bcrypt hash."""
    return hashed.startswith(("$2a$", "$2b$", "$2y$"))


def _normal(password: str) -> bytes:
    """Return the normalized bytes of a password: keyboards compose the same characters differently."""
    return unicodedata.normalize("NFC", password).encode(errors="surrogatepass")

"""The rows of the change log in the file: one for each commit, compressed.

The images of a change repeat each other, and those of the changes before. All transactions of a commit are compressed
together. A commit of one transaction has little to repeat, so rows are compressed with a dictionary: the newest changes
at the time when it was made, which the file keeps as long as a row needs it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, NamedTuple

import apsw
import msgspec

from sobremesa.table.cache import Cache
from sobremesa.table.errors import StoreDamaged

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

DICTIONARY_BYTES = 16 * 1024
MOST_BYTES_WITH_DICTIONARY = 16 * 1024
"""A larger row, of many transactions, repeats itself: a dictionary would take more time than it saves space."""
FIRST_DICTIONARY_LOG_BYTES, DICTIONARY_LOG_BYTES = 128 * 1024, 16 * 1024 * 1024
"""How many bytes a process logs before it makes another dictionary, first and later: each time twice as many.

The first changes of a store, or of a process, may be unlike those that follow.
"""
DICTIONARY_MS = 60 * 60 * 1000
"""How long a dictionary is used. It has changes, which are not to stay in the file much longer than a day."""
TRIM_SECONDS = 0.002
TRIMMED_AT_ONCE = 250
CACHED_DICTIONARIES = 8

_NO_DICTIONARY = 0
_OPTIONS: dict[int, int] = {zstd.CompressionParameter.compression_level: 1, zstd.CompressionParameter.checksum_flag: 1}


class LoggedChange(msgspec.Struct, frozen=True, array_like=True):
    """One changed item of a transaction."""

    pk: str
    sk: str
    old: bytes | None
    new: bytes | None
    expired: bool


class LoggedTransaction(msgspec.Struct, frozen=True, array_like=True):
    """One transaction of a row."""

    at_ms: int
    changes: list[LoggedChange]


class Trimmed(NamedTuple):
    """The number of the last transaction that was deleted, if any, and whether more may be due."""

    last: int | None
    more: bool


encode_transaction = msgspec.msgpack.Encoder().encode
"""Return the bytes of a tuple with the fields of a LoggedTransaction."""
_encode_row = msgspec.msgpack.Encoder().encode
_decode_row = msgspec.msgpack.Decoder(list[LoggedTransaction]).decode
_decode_format_1 = msgspec.msgpack.Decoder(list[LoggedChange]).decode


class _Dictionary:
    """The dictionary that rows are written with, and its compressor; the bytes may be empty."""

    def __init__(self, since: int, made_at_ms: int, body: bytes) -> None:
        self.since = since
        self.made_at_ms = made_at_ms
        self.body = body
        prepared = zstd.ZstdDict(body, is_raw=True).as_digested_dict if body else None
        self.compressor = zstd.ZstdCompressor(options=_OPTIONS, zstd_dict=prepared)


class LogRows:
    """The tables of the change log and of its dictionaries, through one connection."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._execute = connection.cursor().execute
        self._plain = zstd.ZstdCompressor(options=_OPTIONS)
        self._current = _Dictionary(0, 0, b"")
        self._sample = b""
        """The newest changes that this process has logged since the last dictionary."""
        self._logged_bytes = 0
        """How much this process has logged since then."""
        self._log_bytes = FIRST_DICTIONARY_LOG_BYTES
        """How much it logs with one dictionary."""
        self._read_with: Cache[int, zstd.ZstdDict] = Cache(CACHED_DICTIONARIES)

    def append(self, transactions: Sequence[bytes], at_ms: int) -> int:
        """Add a row with the transactions of a commit, inside of it; return the number of the last one."""
        found: list[Any] = self._execute(
            "SELECT (SELECT coalesce(max(seq), 0) FROM changes), (SELECT coalesce(max(since), 0) FROM dictionaries)"
        ).fetchall()
        [(newest, since)] = found
        # Every process uses the newest dictionary: no row after it needs an older one.
        if since != self._current.since:
            self._load(since)
        if self._needs_another(at_ms):
            self._make(newest, at_ms)
        row = _encode_row([msgspec.Raw(each) for each in transactions])
        last: int = newest + len(transactions)
        self._execute(
            "INSERT INTO changes (seq, at_ms, transactions, dictionary, body) VALUES (?, ?, ?, ?, ?)",
            (last, at_ms, len(transactions), *self._compressed(row)),
        )
        self._sample = (self._sample + row)[-DICTIONARY_BYTES:]
        self._logged_bytes += len(row)
        return last

    def forget_uncommitted(self) -> None:
        """Forget the dictionary, which may have been made in the transaction that was rolled back."""
        self._use(_Dictionary(0, 0, b""))

    def oldest(self) -> int:
        """Return the number before that of the first transaction."""
        return int(self._execute("SELECT seq - transactions FROM changes ORDER BY seq LIMIT 1").get or 0)

    def newest(self) -> int:
        """Return the number of the last transaction."""
        return int(self._execute("SELECT max(seq) FROM changes").get or 0)

    def after(self, number: int) -> Generator[tuple[int, LoggedTransaction]]:
        """Yield the transactions after this number, each with its own."""
        rows: Iterator[Any] = self._connection.execute(
            "SELECT seq, at_ms, transactions, dictionary, body FROM changes WHERE seq > ? ORDER BY seq", (number,)
        )
        for last, at_ms, count, dictionary, body in rows:
            for own, transaction in enumerate(self._transactions(at_ms, dictionary, body), last - count + 1):
                if own > number:
                    yield own, transaction

    def trim(self, before_ms: int, stopwatch: Callable[[], float]) -> Trimmed:
        """Delete rows from before this time, for some milliseconds; the newest row stays, and with it its number."""
        until = stopwatch() + TRIM_SECONDS
        last: int | None = None
        rows: list[Any] = self._execute(
            "SELECT seq, at_ms FROM changes WHERE seq < (SELECT max(seq) FROM changes) ORDER BY seq LIMIT ?",
            (TRIMMED_AT_ONCE,),
        ).fetchall()
        more = bool(rows)
        for number, at_ms in rows:
            # Only from the start: a clock that was set back must not leave a hole.
            if at_ms >= before_ms:
                more = False
                break
            self._execute("DELETE FROM changes WHERE seq = ?", (number,))
            last = number
            if stopwatch() > until:
                break
        if last is not None:
            # The first row that is left needs the last dictionary before it, and the rows after it need no older one.
            self._execute(
                "DELETE FROM dictionaries WHERE since < ("
                "SELECT max(since) FROM dictionaries WHERE since < (SELECT min(seq) FROM changes))"
            )
        return Trimmed(last, more)

    def _compressed(self, row: bytes) -> tuple[int, bytes]:
        """Return the number of the dictionary that was used, and the compressed row."""
        if self._current.body and len(row) <= MOST_BYTES_WITH_DICTIONARY:
            return self._current.since, self._current.compressor.compress(row, zstd.ZstdCompressor.FLUSH_FRAME)
        return _NO_DICTIONARY, self._plain.compress(row, zstd.ZstdCompressor.FLUSH_FRAME)

    def _needs_another(self, at_ms: int) -> bool:
        current = self._current
        if len(current.body) < DICTIONARY_BYTES <= len(self._sample) or self._logged_bytes >= self._log_bytes:
            return True
        return bool(current.body) and not 0 <= at_ms - current.made_at_ms < DICTIONARY_MS

    def _make(self, newest: int, at_ms: int) -> None:
        """Make a dictionary of what was logged last, for the rows after a number."""
        if self._logged_bytes >= self._log_bytes:
            self._log_bytes = min(2 * self._log_bytes, DICTIONARY_LOG_BYTES)
        self._execute("INSERT INTO dictionaries VALUES (?, ?, ?)", (newest, at_ms, self._sample))
        self._use(_Dictionary(newest, at_ms, self._sample))

    def _load(self, since: int) -> None:
        rows: list[Any] = self._execute(
            "SELECT since, at_ms, body FROM dictionaries WHERE since = ?", (since,)
        ).fetchall()
        self._use(_Dictionary(*rows[0]) if rows else _Dictionary(0, 0, b""))

    def _use(self, dictionary: _Dictionary) -> None:
        self._current = dictionary
        self._sample = b""
        self._logged_bytes = 0

    def _transactions(self, at_ms: int, dictionary: int | None, body: bytes) -> list[LoggedTransaction]:
        """Return the transactions of a row; one without a dictionary is of format 1."""
        if dictionary is None:
            return [LoggedTransaction(at_ms, _decode_format_1(body))]
        try:
            return _decode_row(zstd.decompress(body, self._dictionary(dictionary)))
        except zstd.ZstdError as error:
            raise StoreDamaged(f"the change log is damaged ({error}); restore the store from a backup") from error

    def _dictionary(self, number: int) -> zstd.ZstdDict | None:
        if number == _NO_DICTIONARY:
            return None
        found = self._read_with.find(number)
        if found is None:
            body = self._execute("SELECT body FROM dictionaries WHERE since = ?", (number,)).get
            if body is None:
                raise StoreDamaged("a dictionary of the change log is missing; restore the store from a backup")
            found = zstd.ZstdDict(body, is_raw=True)
            self._read_with.keep(number, found)
        return found

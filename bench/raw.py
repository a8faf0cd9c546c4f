"""The bounds: raw SQLite, the same rows, by hand.

`RawContender` has everything else done beforehand. `GroupCommitContender` is the same with senders: each makes its row
and waits, and all that wait are encoded and committed together, as one would do it without an engine.

It opens the file as the engine does (same schema, same pragmas) and does for each send what no engine of this design
can leave out: read the three old rows, since conditions and changes depend on them, insert the message and its index
entry, change the conversation and the seat; commit so many sends at once as there are senders; and log these with
their old and new images in one compressed row. `verify` shows that the rows are those that the engine writes, byte for
byte.

Left out, and so the price of an engine: making ids and operations, checking them, decoding the old rows, evaluating
conditions and changes, weighing and encoding the new rows, capacity, queues, futures and the event loop. Pages, gets
and counts fetch the same rows and leave them undecoded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from itertools import cycle, islice
from time import perf_counter
from typing import NamedTuple, TypeAlias

from bench.contender import Question, Rate
from bench.workload import (
    COUNT,
    EPOCH_MS,
    PAGE,
    SEATS,
    Rooms,
    Send,
    convo_id,
    first_items,
    head_key,
    message_item,
    message_key,
    seat_key,
)
from sobremesa.table import Layout, RawKey
from sobremesa.table.engines.embedded.codec import pack
from sobremesa.table.engines.embedded.file import open_file
from sobremesa.table.engines.embedded.log_rows import LogRows, encode_transaction
from sobremesa.table.values import Item, weigh

CHUNK = 256
FULL = 2

SELECT = "SELECT size, body FROM items WHERE pk = ? AND sk = ?"
INSERT = "INSERT INTO items VALUES (?, ?, ?, ?, ?)"
UPDATE = "UPDATE items SET size = ?3, ttl = ?4, body = ?5 WHERE pk = ?1 AND sk = ?2"
INDEX = "INSERT INTO index_1 VALUES (?, ?, ?, ?)"
RANGE = (
    "SELECT pk, sk, size, body FROM items AS x WHERE x.pk = ? AND x.sk >= 'MSG#' AND x.sk < 'MSG$'"
    " ORDER BY x.sk DESC LIMIT ?"
)
COUNTED = f"SELECT count(*), sum(size) FROM ({RANGE.replace('pk, sk, size, body', 'size', 1)})"

Bindings: TypeAlias = tuple[str | int | bytes | None, ...]


class Prepared(NamedTuple):
    """The bindings of one send's statements."""

    keys: tuple[RawKey, RawKey, RawKey]
    message: Bindings
    entry: Bindings
    head: Bindings
    seat: Bindings
    log: bytes


class Encoder:
    """Tracks the rows of the conversations, and encodes each send before its time is measured."""

    def __init__(self, rooms: Rooms) -> None:
        self._rows: dict[RawKey, tuple[Item, bytes]] = {}
        for room in range(len(rooms.sent)):
            for item in first_items(room):
                self._rows[RawKey(item["pk"], item["sk"])] = (item, pack(item))

    def prepare(self, send: Send) -> Prepared:
        item = message_item(send)
        key = RawKey(item["pk"], item["sk"])
        head, head_old, head_new = self._change(
            head_key(send.room),
            {"lastMessageId": send.message_id, "lastMessageAt": send.at, "preview": send.content[:80]},
        )
        seat, seat_old, seat_new = self._change(
            seat_key(send.room, send.number % SEATS), {"lastReadMessageId": send.message_id, "lastReadAt": send.at}
        )
        message = _row(key, item)
        log = [
            (*key, None, message[4], False),
            (*head, head_old, head_new[4], False),
            (*seat, seat_old, seat_new[4], False),
        ]
        return Prepared(
            (key, head, seat),
            message,
            (item["gsi1pk"], item["gsi1sk"], *key),
            head_new,
            seat_new,
            encode_transaction((EPOCH_MS, log)),
        )

    def _change(self, key: RawKey, values: Item) -> tuple[RawKey, bytes, Bindings]:
        old, old_body = self._rows[key]
        new = old | values
        if "sent" in old:
            new["sent"] = old["sent"] + 1
        row = _row(key, new)
        body = row[4]
        assert isinstance(body, bytes)
        self._rows[key] = (new, body)
        return key, old_body, row


class RawContender:
    """SQLite by hand."""

    def __init__(self, name: str, path: str, layout: Layout, rooms: Rooms, readable: list[str]) -> None:
        self.name = name
        self.rooms = rooms
        self._readable = readable
        self._connection, _ = open_file(path, layout)
        # One kept cursor is quicker than a new one for each statement.
        self._execute = self._connection.cursor().execute
        self._log = LogRows(self._connection)
        self._encoder = Encoder(rooms)

    async def send(self, senders: int, seconds: float) -> Rate:
        done = 0
        spent = 0.0
        places = cycle(range(len(self.rooms.sent)))
        while spent < seconds:
            chunk = [self._encoder.prepare(self.rooms.next_send(room)) for room in islice(places, CHUNK)]
            started = perf_counter()
            for first in range(0, CHUNK, senders):
                self._commit(chunk[first : first + senders])
            spent += perf_counter() - started
            done += CHUNK
        return Rate(done, spent)

    async def read(self, question: Question, readers: int, seconds: float) -> Rate:
        ask: Callable[[int], None] = {"page": self._page, "get": self._get, "count": self._count}[question]
        started = perf_counter()
        done = 0
        for room in cycle(range(len(self._readable))):
            ask(room)
            done += 1
            if perf_counter() - started >= seconds:
                break
        return Rate(done, perf_counter() - started)

    @property
    def is_durable(self) -> bool:
        """Whether a commit waits for the disk."""
        pragma = self._connection.pragma
        return bool(pragma("journal_mode") == "wal" and pragma("synchronous") == FULL)

    def close(self) -> None:
        self._connection.close()

    def commit(self, sends: Sequence[Send]) -> None:
        """Encode and write these sends together."""
        self._commit([self._encoder.prepare(send) for send in sends])

    def _commit(self, sends: Sequence[Prepared]) -> None:
        execute = self._execute
        execute("BEGIN IMMEDIATE")
        for send in sends:
            for key in send.keys:
                execute(SELECT, key).fetchall()
            execute(INSERT, send.message)
            execute(INDEX, send.entry)
            execute(UPDATE, send.head)
            execute(UPDATE, send.seat)
        self._log.append([send.log for send in sends], EPOCH_MS)
        execute("COMMIT")

    def _page(self, room: int) -> None:
        rows = self._execute(RANGE, (f"CONVO#{convo_id(room)}", PAGE)).fetchall()
        assert len(rows) == PAGE

    def _get(self, room: int) -> None:
        rows = self._execute(SELECT, message_key(room, self._readable[room])).fetchall()
        assert rows

    def _count(self, room: int) -> None:
        [(count, _)] = self._execute(COUNTED, (f"CONVO#{convo_id(room)}", COUNT)).fetchall()
        assert count == COUNT


class GroupCommitContender(RawContender):
    """Group commit by hand: what is left of an engine without conditions, checks, sizes, limits and errors."""

    async def send(self, senders: int, seconds: float) -> Rate:
        loop = asyncio.get_running_loop()
        waiting: list[tuple[Send, asyncio.Future[None]]] = []
        end = perf_counter() + seconds
        done = 0

        def commit() -> None:
            taken = waiting.copy()
            waiting.clear()
            self.commit([send for send, _ in taken])
            for _, future in taken:
                future.set_result(None)

        async def sender(number: int) -> None:
            nonlocal done
            rooms = cycle(range(number, len(self.rooms.sent), senders))
            while perf_counter() < end:
                if not waiting:
                    loop.call_soon(commit)
                future = loop.create_future()
                waiting.append((self.rooms.next_send(next(rooms)), future))
                await future
                done += 1

        started = perf_counter()
        await asyncio.gather(*map(sender, range(senders)))
        return Rate(done, perf_counter() - started)


def _row(key: RawKey, item: Item) -> Bindings:
    _, size = weigh(item)
    return (*key, size, None, pack(item))

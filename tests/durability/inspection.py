"""What must be true of a store's file, whatever happened to the process or the disk before.

The file is read by plain SQL, beside the engine, so that a mistake of the engine cannot hide itself. The change log is
played from its beginning: the result must equal the tables, to the last attribute.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import msgspec

from durability.chat import LAYOUT, Message
from sobremesa.table.engines.embedded.codec import unpack
from sobremesa.table.engines.protocol import RawKey
from sobremesa.table.layout import Layout
from sobremesa.table.values import Item, weigh

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_OPERATIONS_A_SEND = 3


class AcknowledgedLost(AssertionError):
    """An acknowledged write is missing."""


class Found(NamedTuple):
    """The messages of a whole store, in the order of the log."""

    messages: list[Message]
    items: dict[RawKey, Item]


def inspect(path: Path, acknowledged: Iterable[Message] = (), *, layout: Layout = LAYOUT) -> Found:
    """Check all of a chat's store; every acknowledged message must be in it."""
    connection = apsw.Connection(str(path))
    try:
        # One moment for all of the looking, also beside a process that writes.
        with connection:
            assert connection.execute("PRAGMA integrity_check").get == "ok"
            items = _stored_items(connection)
            _check_indexes(connection, items, layout)
            messages = _played_log(connection, items)
    finally:
        connection.close()
    _check_conversations(items, messages)
    _check_senders(messages)
    lost = set(acknowledged) - set(messages)
    if lost:
        raise AcknowledgedLost(f"{len(lost)} messages, such as {min(lost).id}")
    return Found(messages, items)


def inspect_trimmed(path: Path, acknowledged: Iterable[Message]) -> None:
    """Check a chat's store whose log has lost its start; every acknowledged message must be in the tables."""
    connection = apsw.Connection(str(path))
    try:
        with connection:
            assert connection.execute("PRAGMA integrity_check").get == "ok"
            items = _stored_items(connection)
            _check_indexes(connection, items, LAYOUT)
            _check_rest_of_log(connection, items)
    finally:
        connection.close()
    lost = {message for message in acknowledged if message.key not in items}
    if lost:
        raise AcknowledgedLost(f"{len(lost)} messages, such as {min(lost).id}")


def _check_rest_of_log(connection: apsw.Connection, items: dict[RawKey, Item]) -> None:
    """Check that the log has no gap, that its images follow each other, and that they lead to what is stored."""
    bodies: dict[RawKey, bytes] = {}
    expected: int = connection.execute("SELECT seq - transactions FROM changes ORDER BY seq LIMIT 1").get
    for sequence, changes in logged(connection):
        expected += 1
        assert sequence == expected, f"transaction {expected} is not in the log"
        for pk, sk, old, new, _ in changes:
            assert bodies.get(RawKey(pk, sk), old) == old, f"the log does not know what {pk} {sk} was before"
            bodies[RawKey(pk, sk)] = new
    assert {key: unpack(body) for key, body in bodies.items()} == {key: items[key] for key in bodies}


def _stored_items(connection: apsw.Connection) -> dict[RawKey, Item]:
    items: dict[RawKey, Item] = {}
    for pk, sk, size, body in connection.execute("SELECT pk, sk, size, body FROM items"):
        item = unpack(body)
        assert (item["pk"], item["sk"]) == (pk, sk)
        assert weigh(item)[1] == size
        items[RawKey(pk, sk)] = item
    return items


def _check_indexes(connection: apsw.Connection, items: dict[RawKey, Item], layout: Layout) -> None:
    for place, names in enumerate(layout.indexes.values(), 1):
        stored = set(connection.execute(f"SELECT pk, sk, base_pk, base_sk FROM index_{place}"))
        expected = {
            (item[names.pk], item[names.sk], *key)
            for key, item in items.items()
            if names.pk in item and names.sk in item
        }
        assert stored == expected, f"index {names.name} does not fit the items: {stored ^ expected}"


def _played_log(connection: apsw.Connection, items: dict[RawKey, Item]) -> list[Message]:
    """The messages by the log, after checking that it leads from nothing to what is stored, one whole send a row."""
    bodies: dict[RawKey, bytes] = {}
    messages: list[Message] = []
    for expected, (sequence, entries) in enumerate(logged(connection), 1):
        assert sequence == expected, f"transaction {expected} is not in the log"
        assert len(entries) == _OPERATIONS_A_SEND
        for pk, sk, old, new, expired in entries:
            assert bodies.get(RawKey(pk, sk)) == old, f"the log does not know what {pk} {sk} was before"
            assert new is not None
            assert not expired
            bodies[RawKey(pk, sk)] = new
        messages.append(Message.of_id(unpack(entries[0][3])["messageId"]))
    assert {key: unpack(body) for key, body in bodies.items()} == items, "the log and the items differ"
    assert len(set(messages)) == len(messages), "a message is there twice"
    return messages


def logged(connection: apsw.Connection) -> Iterator[tuple[int, list[list[Any]]]]:
    """The transactions of the log, each with its number and its changes."""
    stored: list[Any] = connection.execute("SELECT since, body FROM dictionaries WHERE length(body) > 0").fetchall()
    dictionaries = {since: zstd.ZstdDict(body, is_raw=True) for since, body in stored}
    for last, count, dictionary, body in connection.execute(
        "SELECT seq, transactions, dictionary, body FROM changes ORDER BY seq"
    ):
        if dictionary is None:
            yield last, msgspec.msgpack.decode(body)
        else:
            row = msgspec.msgpack.decode(zstd.decompress(body, dictionaries[dictionary] if dictionary else None))
            assert len(row) == count
            yield from ((last - count + number, changes) for number, (_, changes) in enumerate(row, 1))


def _check_conversations(items: dict[RawKey, Item], messages: list[Message]) -> None:
    stored = {Message.of_id(item["messageId"]) for key, item in items.items() if key.sk.startswith("MSG#")}
    assert stored == set(messages)
    heads = {key.pk: item for key, item in items.items() if key.sk == "HEAD"}
    counts = Counter(message.conversation for message in messages)
    newest = {message.conversation: message.id for message in messages}
    assert {pk: head["messages"] for pk, head in heads.items()} == counts
    assert {pk: head["lastMessageId"] for pk, head in heads.items()} == newest
    seats = {item["gsi1pk"]: item["sent"] for key, item in items.items() if key.sk.startswith("PARTICIPANT#")}
    assert seats == Counter(f"USER#{message.author}" for message in messages)


def _check_senders(messages: list[Message]) -> None:
    """Check that no user's messages have a gap or another order: each waits for the acknowledgment of the last."""
    numbers: dict[str, int] = {}
    for message in messages:
        assert message.number == numbers.get(message.author, 0), f"before {message.id} there is one missing"
        numbers[message.author] = message.number + 1

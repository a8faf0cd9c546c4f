"""Positions are text that another process can go on from, and nothing else is taken for one."""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamodb.scripted import ScriptedEndpoint
from dynamodb.scripted_stream import ScriptedStream
from sobremesa.core.clock import SetClock
from sobremesa.table import Position
from sobremesa.table.engines.dynamodb import DynamoEngine
from sobremesa.table.engines.dynamodb.positions import Checkpoint, StreamPosition, position_from
from sobremesa.table.errors import BadCursor

checkpoints = st.builds(
    Checkpoint, after=st.text(max_size=40), iterator=st.text(max_size=40), since_ms=st.integers(0), done=st.booleans()
).filter(lambda checkpoint: checkpoint.since_ms < 2**63)
positions = st.builds(
    StreamPosition,
    label=st.text(max_size=30),
    at_ms=st.integers(0, 2**62),
    shards=st.dictionaries(st.text(max_size=30), checkpoints, max_size=4),
)


@given(positions)
def test_position_is_text_and_decodes_to_itself(position: StreamPosition) -> None:
    text = position.to_text()

    assert re.fullmatch(r"[A-Za-z0-9_-]+", text)
    assert position_from(text) == position


def test_a_shard_that_was_read_to_its_end_takes_little_room() -> None:
    shard_id = "shardId-00000001414576573621-f55eea83"
    one = StreamPosition("2026-01-01T00:00:00.000", 1_763_000_000_000, {shard_id: Checkpoint(done=True)})
    two = StreamPosition(one.label, one.at_ms, one.shards | {shard_id + "2": Checkpoint(done=True)})

    assert len(two.to_text()) - len(one.to_text()) < 70


FORGED = [
    "",
    "x",
    "garbage!",
    "ñandú",
    "\x00",
    "oldest ",
    urlsafe_b64encode(b"no msgpack").decode(),
    urlsafe_b64encode(msgspec.msgpack.encode([])).decode(),
    urlsafe_b64encode(msgspec.msgpack.encode(["label", 1, {"shard": "text"}])).decode(),
    urlsafe_b64encode(msgspec.msgpack.encode(["label", "time", {}])).decode(),
    urlsafe_b64encode(msgspec.msgpack.encode(["label", 1, {"shard": {"a": b"\xff"}}])).decode(),
    urlsafe_b64encode(b"\x93\xa1\xff\x01\x80").decode(),
]


@pytest.mark.parametrize("text", FORGED)
async def test_invalid_position_is_refused(
    text: str, engine: DynamoEngine, scripted: ScriptedEndpoint, clock: SetClock
) -> None:
    scripted.answers_always(ScriptedStream(clock).answer)

    with pytest.raises(BadCursor):
        await engine.changes(Position(text))


@given(st.text())
def test_any_text_is_a_position_or_rejected(text: str) -> None:
    try:
        position_from(Position(text))
    except BadCursor:
        return

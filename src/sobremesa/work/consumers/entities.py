"""How far the consumers have come in each shard of the change stream, and which node reads which shard."""

from __future__ import annotations

import msgspec

from sobremesa.table import Entity, Keys, Lookup, Pattern, Position, WritePattern

PARTITION = "STREAM"


class ShardProgress(Entity):
    """How far each consumer has come in a shard of the change stream, and the lease of the node that reads it."""

    keys = Keys(pk="STREAM", sk="SHARD#{stream}#{shard_id}")

    stream: str
    shard_id: str
    parent: str | None = None
    created_ms: int = 0
    newest_since_ms: int = 0
    """When the installation first listed the shard, if consumers of new changes start there."""
    checkpoints: dict[str, Position] = msgspec.field(default_factory=dict)
    """For each consumer, the number of the last change that it has processed, or END."""
    finished: tuple[str, ...] = ()
    """The consumers that may read the children of the shard."""
    holder: str | None = None
    leased_until_ms: int = 0


class StreamNode(Entity):
    """A node that reads shards of the change stream, and until when it counts as alive."""

    keys = Keys(pk="STREAM", sk="NODE#{node_id}")
    expires = "ttl"

    node_id: str
    leased_until_ms: int
    ttl: int


class Progress(Entity):
    """The position of earlier versions, which read the whole stream with one reader."""

    keys = Keys(pk="SYSTEM", sk="FOLLOW#{name}")

    name: str
    position: str | None = None
    holder: str | None = None
    leased_until_ms: int = 0


progress_of = Lookup("FOL.1", "How far had the change consumer of an earlier version read?", Progress, consistent=True)
stream_rows = Pattern(
    "FOL.3",
    "Which shards does the change stream have, which nodes read them, and how far?",
    ShardProgress,
    StreamNode,
    consistent=True,
)
shard_progress = Lookup("FOL.4", "How far has a shard been read?", ShardProgress, consistent=True)
add_shard = WritePattern(
    "FOL.5", "Add a shard of the change stream, or remove one that is no longer kept", ShardProgress
)
keep_shard = WritePattern("FOL.6", "Save the checkpoints of a shard and renew the lease on it", ShardProgress)
keep_stream_node = WritePattern("FOL.7", "Renew or remove a node that reads shards", StreamNode)

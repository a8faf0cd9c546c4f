"""The rows of live events: the checkpoints of a feed, and the nodes."""

from __future__ import annotations

from sobremesa.table import Entity, Index, Keys, Lookup, Pattern, WritePattern, gsi1

HOUR_MS = 3_600_000


class TrailMark(Entity):
    """A checkpoint: the position of a server run in the change stream after this many events."""

    keys = Keys(pk="TRAIL#{hour}", sk="MARK#{at_ms:013}#{run}#{number:012}")
    expires = "ttl"

    hour: int
    at_ms: int
    run: str
    number: int
    position: str
    begins: bool = False
    """Whether what came before it is unknown."""
    ttl: int


class Node(Entity):
    """A process that holds sockets, and until when it counts as alive."""

    keys = Keys(pk="NODE#{node_id}", sk="LEASE")
    among_all = Index(gsi1, pk="NODES", sk="NODE#{node_id}")
    expires = "ttl"

    node_id: str
    leased_until_ms: int
    buried_by: str | None = None
    """The node that cleans up after it."""
    buried_until_ms: int = 0
    ttl: int


class PumpProgress(Entity):
    """The position of earlier versions, in which one node published the events of the whole stream."""

    keys = Keys(pk="SYSTEM", sk="PUMP")

    position: str | None = None
    holder: str | None = None
    leased_until_ms: int = 0


marks_in = Pattern("LIV.1", "Which checkpoints were saved in this hour?", TrailMark, consistent=True)
leave_mark = WritePattern("LIV.2", "Save a checkpoint of the change stream", TrailMark)
nodes = Pattern("LIV.3", "Which nodes are registered?", Node, index="among_all", prefix="NODE#")
node_by_id = Lookup("LIV.4", "Is this node alive?", Node, consistent=True)
keep_lease = WritePattern("LIV.5", "Renew the lease of a node", Node)
bury_node = WritePattern("LIV.6", "Claim or remove a dead node", Node)
pump_progress = Lookup(
    "LIV.7", "How far had an earlier version published the change stream?", PumpProgress, consistent=True
)

"""What live events keep in the table: the trail of a feed, and which nodes there are."""

from __future__ import annotations

from sobremesa.table import Entity, Index, Keys, Lookup, Pattern, WritePattern, gsi1

HOUR_MS = 3_600_000


class TrailMark(Entity):
    """Where in the change stream a run of the server was when it had told this many events."""

    keys = Keys(pk="TRAIL#{hour}", sk="MARK#{at_ms:013}#{run}#{number:012}")
    expires = "ttl"

    hour: int
    at_ms: int
    run: str
    number: int
    position: str
    begins: bool = False
    """Is nothing known of what came before it?"""
    ttl: int


class Node(Entity):
    """A process that holds sockets, and until when it is believed to live."""

    keys = Keys(pk="NODE#{node_id}", sk="LEASE")
    among_all = Index(gsi1, pk="NODES", sk="NODE#{node_id}")
    expires = "ttl"

    node_id: str
    leased_until_ms: int
    buried_by: str | None = None
    """Who clears away what it left behind."""
    buried_until_ms: int = 0
    ttl: int


class PumpProgress(Entity):
    """How far the change stream was handed on to all nodes; and until when one of them does that."""

    keys = Keys(pk="SYSTEM", sk="PUMP")

    position: str | None = None
    holder: str | None = None
    leased_until_ms: int = 0


marks_in = Pattern("LIV.1", "Where in the change stream was the server in this hour?", TrailMark, consistent=True)
leave_mark = WritePattern("LIV.2", "Write down where in the change stream the server is", TrailMark)
nodes = Pattern("LIV.3", "Which nodes are there?", Node, index="among_all", prefix="NODE#")
node_by_id = Lookup("LIV.4", "Does this node live?", Node, consistent=True)
keep_lease = WritePattern("LIV.5", "Say that a node lives", Node)
bury_node = WritePattern("LIV.6", "Clear away what a dead node left behind", Node)
pump_progress = Lookup("LIV.7", "How far was the change stream handed on to all nodes?", PumpProgress, consistent=True)
keep_pump = WritePattern("LIV.8", "Write down how far the change stream was handed on, and keep doing it", PumpProgress)

"""Change consumers: work triggered by the change stream, so that it is done for every writer, also after a crash.

- `entities`: the progress of the consumers in each shard, and the leases of the nodes
- `assignment`: how many shards a node reads
- `shard_rows`: the rows that list the shards and the nodes
- `deliveries`: the progress of one consumer in one shard
- `handlers`: what the consumers are, and how they are called
- `reading`: the reading of one shard for all consumers
- `service`: the change consumer of a node
- `starting`: where the consumers start in a table whose rows were imported
"""

from sobremesa.work.consumers.handlers import ChangeHandler, ChangePublisher
from sobremesa.work.consumers.service import PUBLISHER, ChangeConsumer, ConsumerLag, ReaderTimes

__all__ = ["PUBLISHER", "ChangeConsumer", "ChangeHandler", "ChangePublisher", "ConsumerLag", "ReaderTimes"]

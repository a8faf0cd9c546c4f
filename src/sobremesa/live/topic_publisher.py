"""Publishes changes of the table as events: adds them to the streams of their topics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from sobremesa.core.ids import is_ulid, time_of
from sobremesa.live.events import Publication, Topic
from sobremesa.live.repeated_changes import RepeatedChanges
from sobremesa.live.topic_routes import routes_of
from sobremesa.live.topic_streams import Addition, Lost, TopicStreams
from sobremesa.table import RawChange

SEQUENCE_DIGITS = 40
"""The numbers of DynamoDB's stream have at most 40 digits."""
MAX_SHARDS = 10_000

_encode = msgspec.msgpack.Encoder().encode


class TopicPublisher:
    """Adds events to the streams of their topics, whose scripts drop what is there already."""

    def __init__(self, streams: TopicStreams, changes: RepeatedChanges) -> None:
        self._streams = streams
        self._changes = changes
        self._epochs: dict[str, str] = {}
        """The epoch in which each shard was published; empty: new messages. Each must notice that its epoch is over."""

    async def publish(self, shard_id: str, changes: Sequence[RawChange]) -> None:
        """Publish changes of one shard, in its order; those that were published before add nothing.

        Raises Lost if the streams were lost: then the changes of the last seconds must be published again, too.
        """
        shard_id = shard_id or "0"  # without one is what the writers of new messages publish
        epoch = await self._epoch_of(shard_id)
        found: dict[Topic, list[Addition]] = defaultdict(list)
        for change, publications in await self._changes.publications_of(changes, epoch):
            for number, publication in enumerate(publications):
                sequence = f"{change.sequence:0>{SEQUENCE_DIGITS}}.{number:03}"
                # Only what has an id of its own may have been published by its writer.
                written_ms = None if publication.id.startswith(change.id) else _written_ms(publication)
                addition = _addition(publication, shard_id, sequence, written_ms)
                for topic in routes_of(publication):
                    found[topic].append(addition)
        # Without events too: that finds out whether the last ones are still there.
        await self._add(shard_id, epoch, found)

    async def publish_new(self, publications: Iterable[Publication]) -> None:
        """Publish new messages of this process, before the change stream does; raises Lost as above."""
        found: dict[Topic, list[Addition]] = defaultdict(list)
        for publication in publications:
            for topic in routes_of(publication):
                found[topic].append(_addition(publication, "", "", _written_ms(publication)))
        if found:
            await self._add("", await self._epoch_of(""), found)

    async def reset(self) -> None:
        """Begin a new epoch: changes were lost, so positions from before are void."""
        await self._streams.reset()
        self._epochs.clear()

    async def _epoch_of(self, shard_id: str) -> str:
        epoch = self._epochs.get(shard_id)
        if epoch is None:
            epoch, _ = await self._streams.open()
            self._epochs[shard_id] = epoch
            if len(self._epochs) > MAX_SHARDS:
                del self._epochs[next(iter(self._epochs))]  # read elsewhere, or to its end
        return epoch

    async def _add(self, shard_id: str, epoch: str, additions: Mapping[Topic, Sequence[Addition]]) -> None:
        try:
            await self._streams.add(epoch, additions)
        except Lost:
            self._epochs.pop(shard_id, None)
            raise


def _addition(publication: Publication, shard: str, sequence: str, written_ms: int | None) -> Addition:
    return Addition(publication.id, shard, sequence, written_ms, _encode(publication))


def _written_ms(publication: Publication) -> int:
    """Return when a new message was written; 0, too late for its writer to publish it, if its id does not say."""
    return time_of(publication.id) if is_ulid(publication.id) else 0

"""Watching channels: what clients say they show, so that crowded servers deliver only that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sobremesa.core.actor import Actor
from sobremesa.core.errors import Invalid
from sobremesa.core.ids import MessageId, RoomId
from sobremesa.http.endpoints import Output
from sobremesa.live.events import Topic
from sobremesa.live.socket import Socket


class TooManyChannels(Invalid):
    """More channels than one connection may watch; `limit` in the data is how many it may."""

    code = "too_many_channels"
    default_detail = "One connection cannot watch so many channels."


class WatchedChannel(Output):
    """A channel that you watch, with its last message: you receive everything that follows it."""

    channel_id: RoomId
    server_id: str
    last_message_id: MessageId | None


class WatchedChannels(Output):
    """The channels that you watch now: those of the request that you see."""

    channels: list[WatchedChannel]


class Watching(Protocol):
    """What the gateway asks of the application."""

    def admit(self, channel_ids: Sequence[RoomId]) -> frozenset[str]:
        """Return these channels as a set; TooManyChannels if a connection may not watch so many."""
        ...

    async def watch(self, socket: Socket, actor: Actor, channel_ids: Sequence[RoomId]) -> WatchedChannels:
        """Replace what an attached socket watches, and return what it watches now."""
        ...

    def lost_topic(self, socket: Socket, topic: Topic) -> None:
        """Note that a socket is no longer subscribed to a topic: it stops watching its channels."""
        ...

    def closed(self, socket: Socket) -> None:
        """Note that a socket was closed: it watches nothing."""
        ...

    async def settle(self) -> None:
        """Wait until it is recorded that closed sockets watch nothing."""
        ...

"""What must hold once everything is quiet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from simulation.clients import Shown, load_room
from simulation.history import History
from simulation.oracle import Send
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor
from sobremesa.core.clock import instant, lenient_ms
from sobremesa.core.errors import NotFound
from sobremesa.core.ids import MessageId, RoomId, time_of
from sobremesa.domains.conversations.entities import PLACE_MS, ConversationId, participants_of

if TYPE_CHECKING:
    from simulation.scenario import Scenario


async def check(scenario: Scenario) -> None:
    """Check the table, what every client shows, the order of the rooms, and the stored counts."""
    node = scenario.gateway
    rooms = {room: await load_room(scenario, node, scenario.owner, room) for room in scenario.rooms}
    check_sends(scenario.history, scenario.oracle.sends, rooms)
    await _check_clients(scenario, rooms)
    _check_order(scenario)
    if scenario.has_broker and not scenario.loses_events:
        _check_same_order(scenario)
    await check_counts(scenario.history, scenario.gateway.app)
    if scenario.keeps_changes:
        await _check_inboxes(scenario, rooms)


def check_sends(history: History, sends: Mapping[str, Send], rooms: Mapping[RoomId, Mapping[MessageId, Shown]]) -> None:
    """Every answered send is one message, every other one at most one, with an edit that may be the last."""
    by_id = {send.message_id: send for send in sends.values() if send.message_id is not None}
    found: dict[str, int] = defaultdict(int)
    for room, messages in rooms.items():
        for message_id, shown in messages.items():
            send = by_id.get(message_id) or sends.get(shown.content.split(" ")[0])
            if send is None:
                if not shown.is_deleted:
                    history.violate("exactly once", f"{message_id} {shown.content!r} was never sent")
                continue
            found[send.nonce] += 1
            _check_message(history, send, room, message_id, shown)
    for send in sends.values():
        if send.message_id is not None and found[send.nonce] != 1:
            history.violate("exactly once", f"{send.nonce} was answered and is there {found[send.nonce]} times")
        elif found[send.nonce] > 1:
            history.violate("exactly once", f"{send.nonce} is there {found[send.nonce]} times")


def _check_message(history: History, send: Send, room: RoomId, message_id: MessageId, shown: Shown) -> None:
    if send.message_id not in (None, message_id) or send.room != room:
        history.violate("exactly once", f"{send.nonce} was answered as {send.message_id}, not {message_id}")
    if shown.is_deleted:
        if not send.may_be_deleted:
            history.violate("what was answered stays", f"{send.nonce} is deleted")
    elif send.is_deleted:
        history.violate("what was answered stays", f"{send.nonce} was deleted and is there")
    elif shown.content not in send.contents:
        history.violate("what was answered stays", f"{send.nonce} v{send.version} shows {shown.content!r}")


async def _check_clients(scenario: Scenario, rooms: dict[RoomId, dict[MessageId, Shown]]) -> None:
    """What a client shows, from its snapshot and the events since, is what a fresh snapshot shows."""
    for client in scenario.clients:
        if not client.is_connected:
            scenario.history.violate("clients come back", f"{client.name} is not connected")
            continue
        is_member = scenario.oracle.members[client.actor.user_id] == "in"
        for room, messages in rooms.items():
            if room in scenario.channels:
                await _check_access(scenario, client.actor, is_member=is_member, room=room)
            shown = client.messages.get(room, {})
            expected = messages if is_member or room in scenario.groups else {}
            for message_id in expected.keys() | shown.keys():
                if shown.get(message_id) != expected.get(message_id):
                    scenario.history.violate(
                        "snapshot and events are the present",
                        f"{client.name} shows {shown.get(message_id)} of {message_id} in {room[-6:]}, "
                        f"not {expected.get(message_id)}",
                    )


async def _check_access(scenario: Scenario, actor: Actor, *, is_member: bool, room: RoomId) -> None:
    try:
        await scenario.gateway.app.communities.page(actor, room, limit=1)
    except NotFound:
        if is_member:
            scenario.history.violate("members have access", f"{actor.username} is refused")
    else:
        if not is_member:
            scenario.history.violate("members have access", f"{actor.username} was removed and is not refused")


def _check_order(scenario: Scenario) -> None:
    """Every connection receives the messages of a room in the order of their ids.

    There are the two exceptions that docs/gateway.md names: what another process wrote, and what a process wrote that
    could not publish it, since it crashed or had no answer. Both come with the stream, and others may overtake them.
    Who joins again while the stream is behind gets some messages with the stream, too.
    A deleted message is left out of what a client missed, and may still come with the stream, before its deletion.
    What is published again after a loss may come after newer messages.
    """
    if scenario.loses_events:
        return
    own = {send.message_id: send.published_by for send in scenario.oracle.sends.values() if not send.may_be_deleted}
    for (connection, room), ids in scenario.oracle.orders.items():
        if scenario.mode != "sqlite" and connection.user_id in scenario.oracle.rejoined:
            continue
        published = [id for id in ids if own.get(id) == connection.gateway]
        for before, after in pairwise(published):
            if after < before:
                scenario.history.violate("one order", f"{connection.name} received {after} after {before} in {room}")


def _check_same_order(scenario: Scenario) -> None:
    """No two connections receive new messages of a room in different orders, whichever their nodes are."""
    for room, orders in scenario.oracle.live_orders.items():
        own = {to.name: ids for to, ids in orders.items() if to.user_id not in scenario.oracle.rejoined}
        for (one, ids), (two, others) in combinations(own.items(), 2):
            places = {message_id: place for place, message_id in enumerate(ids)}
            common = [places[message_id] for message_id in others if message_id in places]
            if common != sorted(common):
                scenario.history.violate("one order", f"{one} and {two} received {room} in different orders")


async def check_counts(history: History, app: Sobremesa) -> None:
    """A recount finds no drift."""
    async for counted in app.recounts().run(dry=True):
        for drift in counted.drift:
            history.violate("counts are right", f"{counted.label}: {drift}")


async def _check_inboxes(scenario: Scenario, rooms: dict[RoomId, dict[MessageId, Shown]]) -> None:
    """A conversation is where a message puts it in every inbox that is at most five minutes older than the last."""
    for room in scenario.groups:
        last = max(rooms[room], default=None)
        page = await scenario.gateway.app.table.query(participants_of(room_id=ConversationId(room)), limit=100)
        for seat in page.items:
            at_ms = (seat.last_message_at and lenient_ms(seat.last_message_at)) or 0
            if last is not None and not 0 <= time_of(last) - at_ms <= PLACE_MS:
                moved = f"{seat.user_id} has {room} at {seat.last_message_at}, not {instant(time_of(last))}"
                scenario.history.violate("inboxes move", moved)

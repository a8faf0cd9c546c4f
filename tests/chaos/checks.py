"""What must hold of the deliveries of a cycle, and of what clients show at its end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Literal

from chaos.observations import Absence, Delivery, Outage, Reacted, ShownMessage, TimedSend
from simulation.history import History
from sobremesa.core.ids import MessageId, RoomId

REMOTE_SECONDS = 1.0
"""How long after the answer to a removal other nodes may deliver what is sent; if Redis was down, after it is back."""
JOINING_SECONDS = 10.0
"""How long after a join messages may come late: docs/gateway.md has the exception."""
MOST_COUNTED = 100


def check_order(history: History, deliveries: Sequence[Delivery], sends: Mapping[str, TimedSend]) -> None:
    """No two clients received two messages of a room live in different orders."""
    for room, sequences in _live_sequences(deliveries, sends).items():
        reported: set[tuple[MessageId, MessageId]] = set()
        for one, two in combinations(sequences, 2):
            places = {delivery.message_id: place for place, delivery in enumerate(one)}
            common = [delivery for delivery in two if delivery.message_id in places]
            for before, after in pairwise(common):
                pair = (before.message_id, after.message_id)
                if places[pair[0]] > places[pair[1]] and pair not in reported and pair[::-1] not in reported:
                    reported.add(pair)
                    here = f"{before.client} received {before.nonce} before {after.nonce} in {room}"
                    history.violate("one order", f"{here}, {one[0].client} the other way around")


def _live_sequences(
    deliveries: Sequence[Delivery], sends: Mapping[str, TimedSend]
) -> dict[RoomId, list[list[Delivery]]]:
    """Return what each client received live in each room, one sequence for each membership.

    What was sent before the membership may come again after Redis lost its data: those who were members then know it.
    """
    found: defaultdict[tuple[RoomId, str, float | None], list[Delivery]] = defaultdict(list)
    for delivery in deliveries:
        joined_at, send = delivery.joined_at, sends.get(delivery.nonce)
        is_settled = joined_at is None or (
            delivery.at > joined_at + JOINING_SECONDS and (send is None or send.began_at > joined_at)
        )
        if delivery.is_live and is_settled:
            found[delivery.room, delivery.client, delivery.joined_at].append(delivery)
    rooms: defaultdict[RoomId, list[list[Delivery]]] = defaultdict(list)
    for (room, _, _), sequence in found.items():
        rooms[room].append(sequence)
    return rooms


def check_removals(
    history: History,
    sends: Mapping[str, TimedSend],
    deliveries: Sequence[Delivery],
    absences: Sequence[Absence],
    channels: Collection[RoomId],
    outages: Sequence[Outage] = (),
) -> None:
    """Nothing that was sent after the removal of a user was answered is delivered to them."""
    for delivery in deliveries:
        send = sends.get(delivery.nonce)
        if send is None or delivery.room not in channels:
            continue
        for absence in absences:
            effective = absence.since if absence.by == delivery.node else _known_elsewhere(absence, outages)
            if absence.user_id == delivery.user_id and effective < send.began_at <= delivery.at < absence.until:
                history.violate(
                    "nothing after a removal",
                    f"{delivery.client} received {send.nonce} from {delivery.node}, sent "
                    f"{send.began_at - absence.since:.3f} s after {absence.by} answered the removal",
                )


def _known_elsewhere(absence: Absence, outages: Sequence[Outage]) -> float:
    """Return from when on other nodes must know a removal: docs/gateway.md has the exception."""
    known = absence.since + REMOTE_SECONDS
    for outage in sorted(outages, key=lambda each: each.began):
        if outage.began < known:
            known = max(known, outage.ended + REMOTE_SECONDS)
    return known


def differences(
    shown: Mapping[MessageId, ShownMessage], expected: Mapping[MessageId, ShownMessage], *, fetched_until: str = ""
) -> list[str]:
    """Return how what a client shows of a room differs from what is there.

    A gap names messages to fetch, and no edits of older ones, so up to its end only the presence is compared.
    """
    found = []
    for message_id in sorted(shown.keys() | expected.keys()):
        here, there = shown.get(message_id), expected.get(message_id)
        is_same = (here is None) == (there is None) if message_id <= fetched_until else here == there
        if not is_same:
            found.append(f"shows {here} of {message_id}, not {there}")
    return found


def check_reactions(
    history: History,
    reactions: Mapping[Reacted, Literal["there", "gone", "unknown"]],
    rooms: Mapping[RoomId, Mapping[MessageId, ShownMessage]],
) -> None:
    """An acknowledged reaction is there unless its removal, or that of its message, was; and its count is right."""
    shown = {message_id: each for messages in rooms.values() for message_id, each in messages.items()}
    for message_id, message in shown.items():
        for emoji, count, users in message.reactions:
            if count != len(users):
                history.violate("counts are right", f"{message_id} has {count} {emoji}, of {len(users)} users")
    for (message_id, emoji, user_id), state in reactions.items():
        found = shown.get(message_id)
        if found is None or found.is_deleted or state == "unknown":
            continue
        users = next((each[2] for each in found.reactions if each[0] == emoji), ())
        if (user_id in users) != (state == "there"):
            history.violate("what was answered stays", f"{emoji} of {user_id} to {message_id} should be {state}")


def recounted(authors: Mapping[MessageId, str], reader: str, read_up_to: str) -> tuple[int, bool]:
    """Return how many messages of others come after a read position, up to the most that is counted."""
    count = sum(author != reader and message_id > read_up_to for message_id, author in authors.items())
    return min(count, MOST_COUNTED), count > MOST_COUNTED

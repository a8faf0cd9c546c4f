"""What events change in rooms: messages, reactions, pins, cursors, previews and what is unread."""

from __future__ import annotations

from collections.abc import Callable

from sobremesa.client.shapes import Json, Room
from sobremesa.client.state.known import Known, by, newest_first, room_of, some, without

MAX_PREVIEW = 200
MAX_COUNTED = 100
NOTHING_UNREAD = {"count": 0, "capped": False, "mentions": 0}

_PARTICIPANT = ("userId", "username", "avatarUrl", "role", "roleContext", "joinedAt", "blockedUntil")


def as_message(d: Json) -> Json:
    """A message without what is a reader's own, its reactions in one order."""
    reactions = sorted((without(reaction, "me") for reaction in d["reactions"]), key=lambda each: each["emoji"])
    return {**without(d, "replayed"), "reactions": reactions}


def as_pin(d: Json) -> Json:
    """Who pinned a message, and when."""
    return some(d, ("messageId", "pinnedBy", "pinnedAt"))


def as_participant(d: Json) -> Json:
    """Somebody in a room, without how far they have read."""
    told = {name: value for name, value in some(d, _PARTICIPANT).items() if value is not None or name == "avatarUrl"}
    if "roleContext" in told:
        told["role"] = told.pop("roleContext")
    return told


def message_created(known: Known, d: Json) -> None:
    room = room_of(d)
    if room in known.messages:
        known.messages[room][d["messageId"]] = as_message(d)
    entry = known.entry(room)
    if entry is None:
        return
    if d["messageId"] > (entry["lastMessageId"] or ""):
        entry["lastMessageId"] = d["messageId"]
        if room.kind != "channel":
            entry["lastMessageAt"] = entry["updatedAt"] = d["createdAt"]
        if room.kind == "conversation":
            entry["lastMessageSender"] = d["authorId"]
            entry["lastMessageBody"] = _preview(d)
    # A snapshot may be newer than the first events after it: what it counted is not counted again.
    if d["messageId"] > known.counted.get(room, ""):
        known.count_up_to(room, d["messageId"])
        if d["authorId"] != known.user_id and d["type"] != "system" and not _is_gone(d):
            _count(entry, mentioned=known.user_id in d["mentions"])


def message_updated(known: Known, d: Json) -> None:
    room = room_of(d)
    if d["messageId"] in known.messages.get(room, {}):
        known.messages[room][d["messageId"]] = as_message(d)
        _recount(known, room)
    _show(known, room, d["messageId"], _preview(d))


def message_deleted(known: Known, d: Json) -> None:
    room = room_of(d)
    gone = known.messages.get(room, {}).get(d["messageId"])
    if gone is not None:
        tombstone = {"content": "", "deleted": True, "attachments": [], "reactions": [], "mentions": []}
        known.messages[room][d["messageId"]] = gone | tombstone
        _recount(known, room)
    _show(known, room, d["messageId"], None)


def reaction_changed(known: Known, d: Json) -> None:
    message = known.messages.get(room_of(d), {}).get(d["messageId"])
    if message is None or message["deleted"]:
        return
    others = [reaction for reaction in message["reactions"] if reaction["emoji"] != d["emoji"]]
    mine = [some(d, ("emoji", "count", "userIds"))] if d["count"] else []
    message["reactions"] = sorted(others + mine, key=lambda reaction: reaction["emoji"])


def pin_added(known: Known, d: Json) -> None:
    room = room_of(d)
    if room in known.pins:
        known.pins[room][d["messageId"]] = as_pin(d)


def pin_removed(known: Known, d: Json) -> None:
    known.pins.get(room_of(d), {}).pop(d["messageId"], None)


def read_updated(known: Known, d: Json) -> None:
    """Somebody has read on; a cursor never moves back."""
    room, read = room_of(d), d["lastReadMessageId"]
    if room in known.cursors:
        known.cursors[room][d["userId"]] = max(known.cursors[room].get(d["userId"]) or "", read or "") or None
    entry = known.entry(room)
    if entry is None or d["userId"] != known.user_id:
        return
    known.count_up_to(room, read)
    if "lastReadMessageId" in entry:
        entry["lastReadMessageId"] = max(entry["lastReadMessageId"] or "", read or "") or None
    if (read or "") >= (entry["lastMessageId"] or ""):
        entry["unread"] = dict(NOTHING_UNREAD)
    else:
        _recount(known, room, read)


def preferences_updated(known: Known, d: Json) -> None:
    entry = known.entry(room_of(d))
    if entry is not None:
        entry["muted"] = d["muted"]


def participant_came(known: Known, d: Json) -> None:
    """Somebody came into a room, or is something else in it now."""
    room = room_of(d)
    if room in known.participants:
        known.participants[room][d["userId"]] = as_participant(d)
    entry = known.entry(room)
    if entry is not None and d["userId"] == known.user_id:
        entry["roleContext" if room.kind == "thread" else "role"] = as_participant(d)["role"]


def participant_left(known: Known, d: Json) -> None:
    room = room_of(d)
    if d["userId"] == known.user_id:
        known.forget_room(room)
        return
    known.participants.get(room, {}).pop(d["userId"], None)
    known.cursors.get(room, {}).pop(d["userId"], None)


def typing_started(known: Known, d: Json) -> None:
    """It is over in a moment, and nobody is told when: nothing to keep."""


def typing_stopped(known: Known, d: Json) -> None:
    """Nothing was kept of the start either."""


def presence_updated(known: Known, d: Json) -> None:
    if d["status"] == "online":
        known.online.add(d["userId"])
    else:
        known.online.discard(d["userId"])


def _show(known: Known, room: Room, message_id: str, preview: str | None) -> None:
    entry = known.entry(room)
    if entry is not None and room.kind == "conversation" and entry["lastMessageId"] == message_id:
        entry["lastMessageBody"] = preview


def _preview(d: Json) -> str | None:
    return None if _is_gone(d) else str(d["content"])[:MAX_PREVIEW]


def _is_gone(d: Json) -> bool:
    """Was it taken back, or is it kept from ordinary readers?"""
    return bool(d["deleted"]) or (d.get("flags") or {}).get("moderation") == "blocked"


def _count(entry: Json, *, mentioned: bool) -> None:
    unread = entry["unread"]
    if unread["count"] < MAX_COUNTED:
        entry["unread"] = unread | {"count": unread["count"] + 1, "mentions": unread["mentions"] + mentioned}
    else:
        entry["unread"] = unread | {"capped": True}


def _recount(known: Known, room: Room, read: str | None = None) -> None:
    """Count again what is unread, if it is known how far one has read, and everything since then is loaded."""
    entry, messages = known.entry(room), known.messages.get(room)
    if entry is None or not messages:
        return
    read = read or entry.get("lastReadMessageId") or known.cursors.get(room, {}).get(known.user_id)
    if read is None or min(messages) > read:
        return
    known.count_up_to(room, max(messages))
    since = [message for message in newest_first(messages) if message["messageId"] > read]
    others = [message for message in since if message["authorId"] != known.user_id and not _is_gone(message)]
    counted = others[::-1][:MAX_COUNTED]
    mentions = sum(known.user_id in message["mentions"] for message in counted)
    entry["unread"] = {"count": len(counted), "capped": len(others) > MAX_COUNTED, "mentions": mentions}


def load(known: Known, room: Room, what: str, items: list[Json]) -> bool:
    """Take what was fetched of a room; False if it is nothing that is kept."""
    match what:
        case "messages":
            known.messages.setdefault(room, {}).update(by(map(as_message, items), "messageId"))
        case "pins":
            pins = ({**item, "messageId": item["message"]["messageId"]} for item in items)
            known.pins[room] = by(map(as_pin, pins), "messageId")
        case "readers":
            known.cursors[room] = {item["userId"]: item["lastReadMessageId"] for item in items}
        case "participants":
            known.participants[room] = by(map(as_participant, items), "userId")
        case "cards":
            known.cards[room.room_id] = by(items, "messageId")
        case _:
            return False
    return True


CHANGES: dict[str, Callable[[Known, Json], None]] = {
    "message.created": message_created,
    "message.updated": message_updated,
    "message.deleted": message_deleted,
    "reaction.added": reaction_changed,
    "reaction.removed": reaction_changed,
    "pin.added": pin_added,
    "pin.removed": pin_removed,
    "read.updated": read_updated,
    "preferences.updated": preferences_updated,
    "participant.joined": participant_came,
    "participant.updated": participant_came,
    "participant.left": participant_left,
    "typing.started": typing_started,
    "typing.stopped": typing_stopped,
    "presence.updated": presence_updated,
}

"""How events change rooms: messages, reactions, pins, cursors, previews and unread counts."""

from __future__ import annotations

from collections.abc import Callable

from sobremesa.client.models import Json, Room
from sobremesa.client.state.data import StateData, by, newest_first, room_of, some, without

MAX_PREVIEW = 200
MAX_COUNTED = 100
NOTHING_UNREAD = {"count": 0, "capped": False, "mentions": 0}

_PARTICIPANT = ("userId", "username", "displayName", "avatarUrl", "role", "roleContext", "joinedAt", "blockedUntil")


def as_message(d: Json) -> Json:
    """Return a message without what is specific to a reader, its reactions sorted."""
    reactions = sorted((without(reaction, "me") for reaction in d["reactions"]), key=lambda each: each["emoji"])
    return {**without(d, "replayed", "nonce"), "reactions": reactions}


def as_pin(d: Json) -> Json:
    """Return which user pinned a message, and when."""
    return some(d, ("messageId", "pinnedBy", "pinnedAt"))


def as_participant(d: Json) -> Json:
    """Return a participant without their read cursor."""
    fields = {name: value for name, value in some(d, _PARTICIPANT).items() if value is not None or name == "avatarUrl"}
    if "roleContext" in fields:
        fields["role"] = fields.pop("roleContext")
    return fields


def message_created(state: StateData, d: Json) -> None:
    room = room_of(d)
    if room in state.messages:
        state.messages[room][d["messageId"]] = as_message(d)
    entry = state.entry(room)
    if entry is None:
        return
    if d["messageId"] > (entry["lastMessageId"] or ""):
        entry["lastMessageId"] = d["messageId"]
        if room.kind != "channel":
            entry["lastMessageAt"] = entry["updatedAt"] = d["createdAt"]
        if room.kind == "conversation":
            entry["lastMessageSender"] = d["authorId"]
            entry["lastMessageBody"] = _preview(d)
    # A snapshot may be newer than the first events after it: do not count messages twice.
    if d["messageId"] > state.counted.get(room, ""):
        state.count_up_to(room, d["messageId"])
        if d["authorId"] != state.user_id and d["type"] != "system" and not _is_gone(d):
            _count(entry, mentioned=state.user_id in d["mentions"])


def message_updated(state: StateData, d: Json) -> None:
    room = room_of(d)
    if d["messageId"] in state.messages.get(room, {}):
        state.messages[room][d["messageId"]] = as_message(d)
        _recount(state, room)
    _show(state, room, d["messageId"], _preview(d))


def message_deleted(state: StateData, d: Json) -> None:
    room = room_of(d)
    gone = state.messages.get(room, {}).get(d["messageId"])
    if gone is not None:
        tombstone = {"content": "", "deleted": True, "attachments": [], "reactions": [], "mentions": []}
        state.messages[room][d["messageId"]] = gone | tombstone
        _recount(state, room)
    _show(state, room, d["messageId"], None)


def reaction_changed(state: StateData, d: Json) -> None:
    message = state.messages.get(room_of(d), {}).get(d["messageId"])
    if message is None or message["deleted"]:
        return
    others = [reaction for reaction in message["reactions"] if reaction["emoji"] != d["emoji"]]
    mine = [some(d, ("emoji", "count", "userIds"))] if d["count"] else []
    message["reactions"] = sorted(others + mine, key=lambda reaction: reaction["emoji"])


def channel_activity(state: StateData, d: Json) -> None:
    """Note what happened in channels that are not watched, and want what no event carries."""
    for each in d["channels"]:
        room = Room("channel", each["channelId"])
        entry = state.entry(room)
        if entry is None:
            continue
        if each["until"] is not None:
            entry["lastMessageId"] = max(entry["lastMessageId"] or "", each["until"])
        state.wanted.add(f"{room.path}/unread")
        if room in state.messages:
            state.wanted.add(f"{room.path}/messages")
        if room in state.pins:
            state.wanted.add(f"{room.path}/pins")


def pin_added(state: StateData, d: Json) -> None:
    room = room_of(d)
    if room in state.pins:
        state.pins[room][d["messageId"]] = as_pin(d)


def pin_removed(state: StateData, d: Json) -> None:
    state.pins.get(room_of(d), {}).pop(d["messageId"], None)


def read_updated(state: StateData, d: Json) -> None:
    """Move a read cursor; never back."""
    room, read = room_of(d), d["lastReadMessageId"]
    if room in state.cursors:
        state.cursors[room][d["userId"]] = max(state.cursors[room].get(d["userId"]) or "", read or "") or None
    entry = state.entry(room)
    if entry is None or d["userId"] != state.user_id:
        return
    state.count_up_to(room, read)
    if "lastReadMessageId" in entry:
        entry["lastReadMessageId"] = max(entry["lastReadMessageId"] or "", read or "") or None
    if (read or "") >= (entry["lastMessageId"] or ""):
        entry["unread"] = dict(NOTHING_UNREAD)
    else:
        _recount(state, room, read)


def preferences_updated(state: StateData, d: Json) -> None:
    entry = state.entry(room_of(d))
    if entry is not None:
        entry["muted"] = d["muted"]


def participant_changed(state: StateData, d: Json) -> None:
    """Add or change a participant."""
    room = room_of(d)
    if room in state.participants:
        state.participants[room][d["userId"]] = as_participant(d)
    entry = state.entry(room)
    if entry is not None and d["userId"] == state.user_id:
        entry["roleContext" if room.kind == "thread" else "role"] = as_participant(d)["role"]


def participant_left(state: StateData, d: Json) -> None:
    room = room_of(d)
    if d["userId"] == state.user_id:
        state.forget_room(room)
        return
    state.participants.get(room, {}).pop(d["userId"], None)
    state.cursors.get(room, {}).pop(d["userId"], None)


def typing_started(state: StateData, d: Json) -> None:
    """Ignored: it lasts a moment, and no event ends it."""


def typing_stopped(state: StateData, d: Json) -> None:
    """Ignored, as its start was."""


def presence_updated(state: StateData, d: Json) -> None:
    if d["status"] == "online":
        state.online.add(d["userId"])
    else:
        state.online.discard(d["userId"])


def _show(state: StateData, room: Room, message_id: str, preview: str | None) -> None:
    entry = state.entry(room)
    if entry is not None and room.kind == "conversation" and entry["lastMessageId"] == message_id:
        entry["lastMessageBody"] = preview


def _preview(d: Json) -> str | None:
    return None if _is_gone(d) else str(d["content"])[:MAX_PREVIEW]


def _is_gone(d: Json) -> bool:
    """Return whether it was deleted, or is withheld from ordinary readers."""
    return bool(d["deleted"]) or (d.get("flags") or {}).get("moderation") == "blocked"


def _count(entry: Json, *, mentioned: bool) -> None:
    unread = entry["unread"]
    if unread["count"] < MAX_COUNTED:
        entry["unread"] = unread | {"count": unread["count"] + 1, "mentions": unread["mentions"] + mentioned}
    else:
        entry["unread"] = unread | {"capped": True}


def _recount(state: StateData, room: Room, read: str | None = None) -> None:
    """Count unread messages again, if the read cursor is known and everything since is loaded."""
    entry, messages = state.entry(room), state.messages.get(room)
    if entry is None or not messages:
        return
    read = read or entry.get("lastReadMessageId") or state.cursors.get(room, {}).get(state.user_id)
    if read is None or min(messages) > read:
        return
    state.count_up_to(room, max(messages))
    since = [message for message in newest_first(messages) if message["messageId"] > read]
    others = [message for message in since if message["authorId"] != state.user_id and not _is_gone(message)]
    counted = others[::-1][:MAX_COUNTED]
    mentions = sum(state.user_id in message["mentions"] for message in counted)
    entry["unread"] = {"count": len(counted), "capped": len(others) > MAX_COUNTED, "mentions": mentions}


def load_unread(state: StateData, room: Room, unread: Json) -> None:
    """Store the unread count of a room. Messages that it includes are not counted again by their events."""
    entry = state.entry(room)
    if entry is not None:
        entry["unread"] = unread
        state.count_up_to(room, entry["lastMessageId"])


def load(state: StateData, room: Room, what: str, items: list[Json]) -> bool:
    """Store what was fetched of a room; False if nothing is kept of it."""
    match what:
        case "messages":
            state.messages.setdefault(room, {}).update(by(map(as_message, items), "messageId"))
        case "pins":
            pins = ({**item, "messageId": item["message"]["messageId"]} for item in items)
            state.pins[room] = by(map(as_pin, pins), "messageId")
        case "readers":
            state.cursors[room] = {item["userId"]: item["lastReadMessageId"] for item in items}
        case "participants":
            state.participants[room] = by(map(as_participant, items), "userId")
        case "cards":
            state.cards[room.room_id] = by(items, "messageId")
        case _:
            return False
    return True


CHANGES: dict[str, Callable[[StateData, Json], None]] = {
    "message.created": message_created,
    "message.updated": message_updated,
    "channel.activity": channel_activity,
    "message.deleted": message_deleted,
    "reaction.added": reaction_changed,
    "reaction.removed": reaction_changed,
    "pin.added": pin_added,
    "pin.removed": pin_removed,
    "read.updated": read_updated,
    "preferences.updated": preferences_updated,
    "participant.joined": participant_changed,
    "participant.updated": participant_changed,
    "participant.left": participant_left,
    "typing.started": typing_started,
    "typing.stopped": typing_stopped,
    "presence.updated": presence_updated,
}

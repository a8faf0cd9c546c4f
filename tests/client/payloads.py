"""Snapshots and events of a server, for tests of the client's state."""

from __future__ import annotations

import itertools
from typing import Any

from sobremesa.client import Event, Room

ME = "u-me"
BEN = "u-ben"
TIME = "2026-11-16T09:30:00.000Z"
GENERAL = Room("channel", "c-general")
PAIR = Room("conversation", "d-pair")
DEAL = Room("thread", "t-deal")
NOTHING = {"count": 0, "capped": False, "mentions": 0}

_numbers = itertools.count(1)


def new_event(t: str, **d: Any) -> Event:
    """An event."""
    number = next(_numbers)
    return Event(t, d, f"s{number}", f"e{number}")


def room_event(t: str, room: Room, **d: Any) -> Event:
    """An event about a room."""
    return new_event(t, roomKind=room.kind, roomId=room.room_id, **d)


def new_message(room: Room, message_id: str, content: str = "Hello", author: str = BEN, **more: Any) -> dict[str, Any]:
    """A message."""
    return {
        "messageId": message_id,
        "roomId": room.room_id,
        "roomKind": room.kind,
        "type": "text",
        "authorId": author,
        "username": author.removeprefix("u-"),
        "content": content,
        "edited": False,
        "editedAt": None,
        "deleted": False,
        "replyTo": None,
        "attachments": [],
        "reactions": [],
        "mentions": [],
        "createdAt": TIME,
        "action": None,
        "flags": None,
        "nsfwBand": None,
    } | more


def server(server_id: str = "s-table", **more: Any) -> dict[str, Any]:
    times = {"createdAt": TIME, "updatedAt": None}
    return {"serverId": server_id, "name": "The long table", "ownerId": BEN, "iconUrl": None} | times | more


def channel(channel_id: str = GENERAL.room_id, server_id: str = "s-table", **more: Any) -> dict[str, Any]:
    times = {"createdAt": TIME, "updatedAt": None}
    named = {"channelId": channel_id, "serverId": server_id, "name": "general", "topic": None, "lastMessageId": None}
    return named | times | more


def conversation(convo_id: str = PAIR.room_id, **more: Any) -> dict[str, Any]:
    last = {"lastMessageId": None, "lastMessageBody": None, "lastMessageSender": None, "lastMessageAt": None}
    created = {"participantCount": 2, "createdBy": BEN, "createdAt": TIME, "updatedAt": None}
    return {"convoId": convo_id, "type": "direct", "name": None} | last | created | more


def thread(thread_id: str = DEAL.room_id, **more: Any) -> dict[str, Any]:
    sides = {"buyerUserId": ME, "sellerUserId": BEN, "participants": [ME, BEN]}
    last = {"lastMessageId": None, "lastMessageAt": None, "createdAt": TIME, "updatedAt": None}
    return {"threadId": thread_id, "kind": "project", "status": "open", "lockedBy": None} | sides | last | more


def member(user_id: str = BEN, role: str = "member", **more: Any) -> dict[str, Any]:
    name = user_id.removeprefix("u-")
    return {"userId": user_id, "username": name, "avatarUrl": None, "role": role, "joinedAt": TIME} | more


def workspace(workspace_id: str = "w-plan", **more: Any) -> dict[str, Any]:
    return {"workspaceId": workspace_id, "name": "Plan", "createdBy": ME, "createdAt": TIME, "updatedAt": None} | more


def ready(**more: Any) -> dict[str, Any]:
    """Return a snapshot of a user who is in one room of each kind."""
    of_mine: dict[str, Any] = {"unread": NOTHING, "muted": False}
    other = {"userId": BEN, "username": "ben", "avatarUrl": None}
    return {
        "sessionId": "session",
        "user": {"userId": ME, "username": "me", "avatarUrl": None, "updatedAt": TIME},
        "servers": [server(role="member", channels=[channel(**of_mine, lastReadMessageId=None)])],
        "conversations": [conversation(**of_mine, other=other, role="member")],
        "threads": [thread(**of_mine, roleContext="buyer")],
        "inboxes": [
            {"tenant": "default", "inbox": "news", "title": "News", "description": None}
            | {"total": 0, "unread": 0, "categories": {}}
        ],
        "workspaces": [workspace(role="owner")],
        "presences": [{"userId": BEN, "status": "online"}],
    } | more

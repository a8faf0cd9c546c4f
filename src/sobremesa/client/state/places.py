"""What events change about places and the people in them: servers, channels, conversations, threads, workspaces."""

from __future__ import annotations

from collections.abc import Callable

from sobremesa.client.shapes import Json, Room
from sobremesa.client.state.known import Known, without
from sobremesa.client.state.rooms import NOTHING_UNREAD


def server_changed(known: Known, d: Json) -> None:
    """A server that is new to one, or another name for it; its channels, and what one is in it, are to be fetched."""
    server_id = d["serverId"]
    if server_id not in known.servers:
        known.wanted |= {f"/servers/{server_id}/channels", f"/servers/{server_id}/members/{known.user_id}"}
    known.servers[server_id] = known.servers.get(server_id, {"role": None}) | d


def server_deleted(known: Known, d: Json) -> None:
    _leave_server(known, d["serverId"])


def channel_changed(known: Known, d: Json) -> None:
    if d["serverId"] not in known.servers:
        return
    before = known.channels.get(d["channelId"], new_channel())
    # A message may have been heard of before the channel that it is in.
    last = max(before.get("lastMessageId") or "", d["lastMessageId"] or "") or None
    known.channels[d["channelId"]] = before | d | {"lastMessageId": last}


def channel_deleted(known: Known, d: Json) -> None:
    known.forget_room(Room("channel", d["channelId"]))


def member_changed(known: Known, d: Json) -> None:
    server_id = d["serverId"]
    if server_id in known.members:
        known.members[server_id][d["userId"]] = d
    if d["userId"] == known.user_id and server_id in known.servers:
        known.servers[server_id]["role"] = d["role"]


def member_left(known: Known, d: Json) -> None:
    if d["userId"] == known.user_id:
        _leave_server(known, d["serverId"])
    else:
        known.members.get(d["serverId"], {}).pop(d["userId"], None)


def conversation_changed(known: Known, d: Json) -> None:
    """A conversation that is new to one, or another name for it; with whom it is, is to be fetched."""
    convo_id = d["convoId"]
    if convo_id not in known.conversations:
        known.wanted.add(f"/conversations/{convo_id}")
        known.conversations[convo_id] = {"other": None, "role": None, "muted": False, "unread": dict(NOTHING_UNREAD)}
        known.conversations[convo_id] |= d
        return
    entry = known.conversations[convo_id]
    if (d["lastMessageId"] or "") < (entry["lastMessageId"] or ""):
        d = {name: value for name, value in d.items() if not name.startswith("lastMessage")}
    entry |= d


def conversation_deleted(known: Known, d: Json) -> None:
    known.forget_room(Room("conversation", d["convoId"]))


def thread_changed(known: Known, d: Json) -> None:
    """A thread that is new to one, or something else about it; what one is in it is to be fetched."""
    thread_id = d["threadId"]
    if thread_id not in known.threads:
        known.wanted.add(f"/threads/{thread_id}")
        known.threads[thread_id] = {"roleContext": None, "muted": False, "unread": dict(NOTHING_UNREAD)} | d
        return
    entry = known.threads[thread_id]
    if (d["lastMessageId"] or "") < (entry["lastMessageId"] or ""):
        d = {name: value for name, value in d.items() if not name.startswith("lastMessage")}
    entry |= d


def card_updated(known: Known, d: Json) -> None:
    cards = known.cards.get(d["threadId"])
    # A card's version only grows: an older one may come after a newer list.
    if cards is not None and d["version"] >= cards.get(d["messageId"], {"version": 0})["version"]:
        cards[d["messageId"]] = d


def tab_updated(known: Known, d: Json) -> None:
    if d["threadId"] in known.tabs:
        known.tabs[d["threadId"]][d["tab"]] = d


def workspace_changed(known: Known, d: Json) -> None:
    """A workspace that is new to one, or another name for it; what one is in it is to be fetched."""
    workspace_id = d["workspaceId"]
    if workspace_id not in known.workspaces:
        known.wanted.add(f"/workspaces/{workspace_id}/members")
    known.workspaces[workspace_id] = known.workspaces.get(workspace_id, {"role": None}) | d


def workspace_deleted(known: Known, d: Json) -> None:
    _leave_workspace(known, d["workspaceId"])


def workspace_member_changed(known: Known, d: Json) -> None:
    workspace_id = d["workspaceId"]
    if workspace_id in known.workspace_members:
        known.workspace_members[workspace_id][d["userId"]] = d
    if d["userId"] == known.user_id and workspace_id in known.workspaces:
        known.workspaces[workspace_id]["role"] = d["role"]


def workspace_member_left(known: Known, d: Json) -> None:
    if d["userId"] == known.user_id:
        _leave_workspace(known, d["workspaceId"])
    else:
        known.workspace_members.get(d["workspaceId"], {}).pop(d["userId"], None)


def item_changed(known: Known, d: Json) -> None:
    items = known.items.get(d["workspaceId"])
    if items is not None and d["version"] >= items.get(d["itemId"], {"version": 0})["version"]:
        items[d["itemId"]] = d


def item_deleted(known: Known, d: Json) -> None:
    known.items.get(d["workspaceId"], {}).pop(d["itemId"], None)


def setting_updated(known: Known, d: Json) -> None:
    if d["workspaceId"] in known.settings:
        known.settings[d["workspaceId"]][d["name"]] = without(d, "workspaceId")


def setting_deleted(known: Known, d: Json) -> None:
    known.settings.get(d["workspaceId"], {}).pop(d["name"], None)


def user_updated(known: Known, d: Json) -> None:
    known.user |= d


def new_channel() -> Json:
    """What is one's own about a channel that is new."""
    return {"unread": dict(NOTHING_UNREAD), "lastReadMessageId": None, "muted": False}


def _leave_server(known: Known, server_id: str) -> None:
    known.servers.pop(server_id, None)
    known.members.pop(server_id, None)
    for channel_id in [each["channelId"] for each in known.channels.values() if each["serverId"] == server_id]:
        known.forget_room(Room("channel", channel_id))
    known.no_longer_wanted(f"/servers/{server_id}")


def _leave_workspace(known: Known, workspace_id: str) -> None:
    known.workspaces.pop(workspace_id, None)
    for of_workspaces in (known.workspace_members, known.items, known.settings):
        of_workspaces.pop(workspace_id, None)
    known.no_longer_wanted(f"/workspaces/{workspace_id}")


CHANGES: dict[str, Callable[[Known, Json], None]] = {
    "server.created": server_changed,
    "server.updated": server_changed,
    "server.deleted": server_deleted,
    "channel.created": channel_changed,
    "channel.updated": channel_changed,
    "channel.deleted": channel_deleted,
    "member.joined": member_changed,
    "member.updated": member_changed,
    "member.left": member_left,
    "conversation.created": conversation_changed,
    "conversation.updated": conversation_changed,
    "conversation.deleted": conversation_deleted,
    "thread.created": thread_changed,
    "thread.updated": thread_changed,
    "card.updated": card_updated,
    "tab.updated": tab_updated,
    "workspace.created": workspace_changed,
    "workspace.updated": workspace_changed,
    "workspace.deleted": workspace_deleted,
    "workspace.member.joined": workspace_member_changed,
    "workspace.member.updated": workspace_member_changed,
    "workspace.member.left": workspace_member_left,
    "workspace.item.created": item_changed,
    "workspace.item.updated": item_changed,
    "workspace.item.deleted": item_deleted,
    "workspace.setting.updated": setting_updated,
    "workspace.setting.deleted": setting_deleted,
    "user.updated": user_updated,
}

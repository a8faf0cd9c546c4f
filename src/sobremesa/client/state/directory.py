"""How events change servers, channels, conversations, threads, workspaces and their members."""

from __future__ import annotations

from collections.abc import Callable

from sobremesa.client.models import Json, Room
from sobremesa.client.state.data import StateData, without
from sobremesa.client.state.rooms import NOTHING_UNREAD


def server_changed(state: StateData, d: Json) -> None:
    """Add or change a server; for a new one, its channels and the user's role must be fetched."""
    server_id = d["serverId"]
    if server_id not in state.servers:
        state.wanted |= {f"/servers/{server_id}/channels", f"/servers/{server_id}/members/{state.user_id}"}
    state.servers[server_id] = state.servers.get(server_id, {"role": None}) | d


def server_deleted(state: StateData, d: Json) -> None:
    _leave_server(state, d["serverId"])


def channel_changed(state: StateData, d: Json) -> None:
    if d["serverId"] not in state.servers:
        return
    before = state.channels.get(d["channelId"], new_channel())
    # The event of a message may come before that of its channel.
    last = max(before.get("lastMessageId") or "", d["lastMessageId"] or "") or None
    state.channels[d["channelId"]] = before | d | {"lastMessageId": last}


def channel_deleted(state: StateData, d: Json) -> None:
    state.forget_room(Room("channel", d["channelId"]))


def member_changed(state: StateData, d: Json) -> None:
    server_id = d["serverId"]
    if server_id in state.members:
        state.members[server_id][d["userId"]] = d
    if d["userId"] == state.user_id and server_id in state.servers:
        state.servers[server_id]["role"] = d["role"]


def member_left(state: StateData, d: Json) -> None:
    if d["userId"] == state.user_id:
        _leave_server(state, d["serverId"])
    else:
        state.members.get(d["serverId"], {}).pop(d["userId"], None)


def conversation_changed(state: StateData, d: Json) -> None:
    """Add or change a conversation; for a new one, its participants must be fetched."""
    convo_id = d["convoId"]
    if convo_id not in state.conversations:
        state.wanted.add(f"/conversations/{convo_id}")
        state.conversations[convo_id] = {"other": None, "role": None, "muted": False, "unread": dict(NOTHING_UNREAD)}
        state.conversations[convo_id] |= d
        return
    entry = state.conversations[convo_id]
    if (d["lastMessageId"] or "") < (entry["lastMessageId"] or ""):
        d = {name: value for name, value in d.items() if not name.startswith("lastMessage")}
    entry |= d


def conversation_deleted(state: StateData, d: Json) -> None:
    state.forget_room(Room("conversation", d["convoId"]))


def thread_changed(state: StateData, d: Json) -> None:
    """Add or change a thread; for a new one, the user's role must be fetched."""
    thread_id = d["threadId"]
    if thread_id not in state.threads:
        state.wanted.add(f"/threads/{thread_id}")
        state.threads[thread_id] = {"roleContext": None, "muted": False, "unread": dict(NOTHING_UNREAD)} | d
        return
    entry = state.threads[thread_id]
    if (d["lastMessageId"] or "") < (entry["lastMessageId"] or ""):
        d = {name: value for name, value in d.items() if not name.startswith("lastMessage")}
    entry |= d


def card_updated(state: StateData, d: Json) -> None:
    cards = state.cards.get(d["threadId"])
    # A card's version only grows: an older one may come after a newer list.
    if cards is not None and d["version"] >= cards.get(d["messageId"], {"version": 0})["version"]:
        cards[d["messageId"]] = d


def tab_updated(state: StateData, d: Json) -> None:
    if d["threadId"] in state.tabs:
        state.tabs[d["threadId"]][d["tab"]] = d


def workspace_changed(state: StateData, d: Json) -> None:
    """Add or change a workspace; for a new one, the user's role must be fetched."""
    workspace_id = d["workspaceId"]
    if workspace_id not in state.workspaces:
        state.wanted.add(f"/workspaces/{workspace_id}/members")
    state.workspaces[workspace_id] = state.workspaces.get(workspace_id, {"role": None}) | d


def workspace_deleted(state: StateData, d: Json) -> None:
    _leave_workspace(state, d["workspaceId"])


def workspace_member_changed(state: StateData, d: Json) -> None:
    workspace_id = d["workspaceId"]
    if workspace_id in state.workspace_members:
        state.workspace_members[workspace_id][d["userId"]] = d
    if d["userId"] == state.user_id and workspace_id in state.workspaces:
        state.workspaces[workspace_id]["role"] = d["role"]


def workspace_member_left(state: StateData, d: Json) -> None:
    if d["userId"] == state.user_id:
        _leave_workspace(state, d["workspaceId"])
    else:
        state.workspace_members.get(d["workspaceId"], {}).pop(d["userId"], None)


def item_changed(state: StateData, d: Json) -> None:
    items = state.items.get(d["workspaceId"])
    if items is not None and d["version"] >= items.get(d["itemId"], {"version": 0})["version"]:
        items[d["itemId"]] = d


def item_deleted(state: StateData, d: Json) -> None:
    state.items.get(d["workspaceId"], {}).pop(d["itemId"], None)


def setting_updated(state: StateData, d: Json) -> None:
    if d["workspaceId"] in state.settings:
        state.settings[d["workspaceId"]][d["name"]] = without(d, "workspaceId")


def setting_deleted(state: StateData, d: Json) -> None:
    state.settings.get(d["workspaceId"], {}).pop(d["name"], None)


def user_updated(state: StateData, d: Json) -> None:
    state.user |= d


def new_channel() -> Json:
    """Return the user's own fields of a new channel."""
    return {"unread": dict(NOTHING_UNREAD), "lastReadMessageId": None, "muted": False}


def _leave_server(state: StateData, server_id: str) -> None:
    state.servers.pop(server_id, None)
    state.members.pop(server_id, None)
    for channel_id in [each["channelId"] for each in state.channels.values() if each["serverId"] == server_id]:
        state.forget_room(Room("channel", channel_id))
    state.no_longer_wanted(f"/servers/{server_id}")


def _leave_workspace(state: StateData, workspace_id: str) -> None:
    state.workspaces.pop(workspace_id, None)
    for of_workspaces in (state.workspace_members, state.items, state.settings):
        of_workspaces.pop(workspace_id, None)
    state.no_longer_wanted(f"/workspaces/{workspace_id}")


def nothing_changed(state: StateData, d: Json) -> None:
    """Change nothing: commands and their private responses are in no snapshot."""


CHANGES: dict[str, Callable[[StateData, Json], None]] = {
    "command.invoked": nothing_changed,
    "command.responded": nothing_changed,
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

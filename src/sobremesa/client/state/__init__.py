"""The state of a client, from a snapshot and the events since. It equals a fresh snapshot once all events are applied.

    state = State.of(ready.d)
    async for event in live.events():
        state.apply(event)
        for path in list(state.wanted):
            state.load(path, await client.request("GET", path))

It does no input or output. What is not in a snapshot, such as the messages of a room, is kept up to date once it is
loaded: `state.load("/channels/ID/messages", page)`. Fetch between two events, as above: events that happen meanwhile
wait, and do no harm if what was fetched includes them. Nor do events that come twice.
"""

from __future__ import annotations

from typing import Any

import msgspec

from sobremesa.client.errors import ClientError
from sobremesa.client.frames import Event
from sobremesa.client.models import Json, Room
from sobremesa.client.state import directory, inboxes, rooms
from sobremesa.client.state.data import StateData, by, newest_first, without

CHANGES = rooms.CHANGES | directory.CHANGES | inboxes.CHANGES
"""Every event that changes the state, and how. A new event without a rule is an error, so that none is forgotten."""
ABOUT_THE_CONNECTION = frozenset({"ready", "resumed", "gap"})

_ROOMS: dict[str, Any] = {"channels": "channel", "conversations": "conversation", "threads": "thread"}


class UnknownEvent(ClientError):
    """There is no rule for what this event changes."""


class State(StateData):
    """The state of one user's client. Two are equal if they have the same content."""

    @classmethod
    def of(cls, ready: Json) -> State:
        """Return the state of a snapshot."""
        ready = msgspec.json.decode(msgspec.json.encode(ready))  # a copy, since it is changed from here on
        channels = [channel for server in ready["servers"] for channel in server["channels"]]
        state = cls(
            user=ready["user"],
            servers=by((without(server, "channels") for server in ready["servers"]), "serverId"),
            channels=by(channels, "channelId"),
            conversations=by(ready["conversations"], "convoId"),
            threads=by(ready["threads"], "threadId"),
            inboxes=by(ready["inboxes"], "tenant", "inbox"),
            workspaces=by(ready["workspaces"], "workspaceId"),
            online={presence["userId"] for presence in ready.get("presences", ()) if presence["status"] == "online"},
        )
        for room, entry in state.rooms():
            state.count_up_to(room, entry["lastMessageId"])
        return state

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and not self.differences(other)

    __hash__ = None  # type: ignore[assignment] # it changes

    def differences(self, other: State) -> list[str]:
        """Return the names of the fields that differ."""
        names = [name for name in self.__struct_fields__ if name != "counted"]
        return [name for name in names if getattr(self, name) != getattr(other, name)]

    def apply(self, event: Event) -> None:
        """Apply an event. A new `ready` replaces everything; raises UnknownEvent if there is no rule."""
        if event.t == "ready":
            fresh = State.of(event.d)
            for name in self.__struct_fields__:
                setattr(self, name, getattr(fresh, name))
        elif event.t in CHANGES:
            CHANGES[event.t](self, msgspec.json.decode(msgspec.json.encode(event.d)))
        elif event.t not in ABOUT_THE_CONNECTION:
            raise UnknownEvent(f"there is no rule for {event.t}")

    def history(self, room: Room) -> list[Json]:
        """Return the loaded messages of a room, oldest first."""
        return list(newest_first(self.messages.get(room, {})))[::-1]

    def load(self, path: str, answer: Json | None) -> None:
        """Store the response of a path; raises ValueError if nothing is kept of it.

        None means that it no longer exists (404), which an event has reported or will report.
        """
        if answer is None:
            self.wanted.discard(path)
            return
        answer = msgspec.json.decode(msgspec.json.encode(answer))
        self.wanted.discard(path)
        match path.strip("/").split("/"):
            case ["servers", server_id, "channels"]:
                for channel in answer["items"]:
                    channel_state = self.channels.get(channel["channelId"], directory.new_channel())
                    self.channels[channel["channelId"]] = channel_state | channel
            case ["servers", server_id, "members"]:
                self.members[server_id] = by(answer["items"], "userId")
            case ["servers", _, "members", _]:
                directory.member_changed(self, answer)
            case ["conversations", convo_id]:
                self.conversations[convo_id] = answer
                self.count_up_to(Room("conversation", convo_id), answer["lastMessageId"])
            case ["threads", thread_id]:
                self.threads[thread_id] = answer
                self.count_up_to(Room("thread", thread_id), answer["lastMessageId"])
            case ["threads", thread_id, "panel"]:
                self.tabs[thread_id] = by(answer["tabs"], "tab")
            case ["tenants", tenant, "inboxes", inbox, "messages"]:
                self.inbox_messages[tenant, inbox] = by(answer["items"], "messageId")
            case ["workspaces", workspace_id, *what]:
                self._load_workspace(workspace_id, what, answer)
            case [plural, room_id, "unread"] if plural in _ROOMS:
                rooms.load_unread(self, Room(_ROOMS[plural], room_id), answer)
            case [plural, room_id, what] if plural in _ROOMS and rooms.load(
                self, Room(_ROOMS[plural], room_id), what, answer["items"]
            ):
                pass
            case _:
                raise ValueError(f"nothing is kept of {path}")

    def _load_workspace(self, workspace_id: str, what: list[str], answer: Json) -> None:
        match what:
            case []:
                self.workspace_members[workspace_id] = by(answer["members"], "userId")
                self.items[workspace_id] = by(answer["items"], "itemId")
                self.settings[workspace_id] = by(answer["settings"], "name")
            case ["members"]:
                for member in answer["items"]:
                    directory.workspace_member_changed(self, member)
            case ["items"]:
                self.items[workspace_id] = by(answer["items"], "itemId")
            case ["settings"]:
                self.settings[workspace_id] = by(answer["items"], "name")
            case _:
                raise ValueError(f"nothing is kept of /workspaces/{workspace_id}/{'/'.join(what)}")

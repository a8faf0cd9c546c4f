"""The client's state, from a snapshot and the events since."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.payloads import (
    BEN,
    DEAL,
    GENERAL,
    ME,
    PAIR,
    TIME,
    channel,
    conversation,
    member,
    new_event,
    new_message,
    ready,
    room_event,
    server,
    thread,
    workspace,
)
from sobremesa.client import Event, Room
from sobremesa.client.state import State, UnknownEvent


def state_after(*events: Event, **snapshot: Any) -> State:
    """Return the state after a snapshot and these events."""
    state = State.of(ready(**snapshot))
    for event in events:
        state.apply(event)
    return state


def test_an_event_without_a_rule_is_an_error() -> None:
    with pytest.raises(UnknownEvent):
        state_after(new_event("message.sung"))


def test_states_with_the_same_content_are_equal() -> None:
    assert state_after() == state_after()
    assert state_after() != state_after(new_event("user.updated", userId=ME, username="other"))
    assert (
        state_after(
            new_event("resumed"), room_event("typing.started", GENERAL, userId=BEN, username="ben"), new_event("gap")
        )
        == state_after()
    )


def test_a_new_snapshot_replaces_everything() -> None:
    state = state_after(new_event("server.deleted", serverId="s-table"))
    state.load("/conversations/d-pair/messages", {"items": [new_message(PAIR, "m1")]})

    state.apply(new_event("ready", **ready()))

    assert state == state_after()


def test_a_message_moves_the_preview_and_is_unread() -> None:
    state = state_after(new_event("message.created", **new_message(PAIR, "m1", "Hello, @me", mentions=[ME])))

    entry = state.conversations[PAIR.room_id]
    assert (entry["lastMessageId"], entry["lastMessageBody"], entry["lastMessageSender"]) == ("m1", "Hello, @me", BEN)
    assert entry["unread"] == {"count": 1, "capped": False, "mentions": 1}


def test_a_message_does_not_keep_the_nonce_of_its_event() -> None:
    message = new_message(PAIR, "m1", author=ME)
    live, fetched = state_after(), state_after(new_event("message.created", **message))
    live.load("/conversations/d-pair/messages", {"items": []})
    live.apply(new_event("message.created", **message, nonce="n"))
    fetched.load("/conversations/d-pair/messages", {"items": [message]})

    assert live == fetched


def test_a_preview_follows_its_message_and_no_other() -> None:
    events = [
        new_event("message.created", **new_message(PAIR, "m1")),
        new_event("message.created", **new_message(PAIR, "m2", "x" * 300)),
    ]
    state = state_after(*events)
    shown = [state.conversations[PAIR.room_id]["lastMessageBody"]]
    for event in (
        new_event("message.updated", **new_message(PAIR, "m1", "older", edited=True)),
        new_event("message.updated", **new_message(PAIR, "m2", "newer", edited=True)),
        room_event("message.deleted", PAIR, messageId="m1"),
        room_event("message.deleted", PAIR, messageId="m2"),
    ):
        state.apply(event)
        shown.append(state.conversations[PAIR.room_id]["lastMessageBody"])

    assert shown == ["x" * 200, "x" * 200, "newer", "newer", None]


def test_message_counted_by_the_snapshot_is_not_counted_again() -> None:
    counted = conversation(lastMessageId="m2", unread={"count": 2, "capped": False, "mentions": 0})
    state = state_after(new_event("message.created", **new_message(PAIR, "m2")), conversations=[counted])

    assert state.conversations[PAIR.room_id]["unread"]["count"] == 2


def test_unread_count_is_capped_and_excludes_own_messages() -> None:
    events = [new_event("message.created", **new_message(GENERAL, f"m{number:03}")) for number in range(101)]
    state = state_after(*events, new_event("message.created", **new_message(GENERAL, "n", author=ME)))

    assert state.channels[GENERAL.room_id]["unread"] == {"count": 100, "capped": True, "mentions": 0}


def test_reading_clears_unread_and_the_cursor_never_moves_back() -> None:
    def read(message_id: str) -> Event:
        return room_event("read.updated", GENERAL, userId=ME, lastReadMessageId=message_id, readAt=TIME)

    state = state_after(new_event("message.created", **new_message(GENERAL, "m1")), read("m1"), read("m0"))

    entry = state.channels[GENERAL.room_id]
    assert (entry["lastReadMessageId"], entry["unread"]["count"]) == ("m1", 0)


def test_unread_messages_are_recounted_where_loaded() -> None:
    state = state_after()
    state.load("/channels/c-general/messages", {"items": [new_message(GENERAL, "m0", author=ME)]})
    for number in (1, 2, 3):
        state.apply(
            new_event("message.created", **new_message(GENERAL, f"m{number}", mentions=[ME] if number == 3 else []))
        )

    state.apply(room_event("read.updated", GENERAL, userId=ME, lastReadMessageId="m1", readAt=TIME))
    after_reading = state.channels[GENERAL.room_id]["unread"]
    state.apply(room_event("message.deleted", GENERAL, messageId="m3"))

    assert after_reading == {"count": 2, "capped": False, "mentions": 1}
    assert state.channels[GENERAL.room_id]["unread"] == {"count": 1, "capped": False, "mentions": 0}


def test_reactions_follow_the_last_event() -> None:
    state = state_after()
    reacted = [{"emoji": "☕", "count": 1, "userIds": [BEN], "me": False}]
    state.load("/channels/c-general/messages", {"items": [new_message(GENERAL, "m1", reactions=reacted)]})

    def reaction(t: str, emoji: str, *user_ids: str) -> Event:
        return room_event(
            t, GENERAL, messageId="m1", emoji=emoji, userId=ME, count=len(user_ids), userIds=list(user_ids)
        )

    for event in (
        reaction("reaction.added", "☕", BEN, ME),
        reaction("reaction.added", "☕", BEN, ME),
        reaction("reaction.added", "🍰", ME),
        reaction("reaction.removed", "🍰"),
    ):
        state.apply(event)

    assert state.history(GENERAL)[0]["reactions"] == [{"emoji": "☕", "count": 2, "userIds": [BEN, ME]}]


def test_new_server_is_wanted_and_a_left_server_is_removed() -> None:
    state = state_after(new_event("server.created", **server("s-new")))
    assert state.wanted == {"/servers/s-new/channels", f"/servers/s-new/members/{ME}"}

    state.load("/servers/s-new/channels", {"items": [channel("c-new", "s-new")]})
    state.load(f"/servers/s-new/members/{ME}", member(ME, serverId="s-new"))
    channels = [channel(unread=NONE, lastReadMessageId=None, muted=False)]
    new = server("s-new", role="member", channels=[channel("c-new", "s-new", **FRESH)])
    assert state == state_after(servers=[server(role="member", channels=channels), new])

    state.apply(new_event("member.left", serverId="s-new", userId=ME))
    assert state == state_after()


NONE = {"count": 0, "capped": False, "mentions": 0}
FRESH = {"unread": NONE, "lastReadMessageId": None, "muted": False}


def test_channels_are_added_changed_and_removed() -> None:
    created = new_event("channel.created", **channel("c-new", "s-table", name="new"))
    renamed = new_event("channel.updated", **channel("c-new", "s-table", name="newer"))
    gone = new_event("channel.deleted", channelId="c-new", serverId="s-table")

    assert state_after(created, renamed).channels["c-new"]["name"] == "newer"
    assert state_after(created, renamed, gone) == state_after()
    assert state_after(new_event("channel.created", **channel("c-far", "s-elsewhere"))) == state_after()


def test_channel_update_keeps_the_last_message() -> None:
    state = state_after(
        new_event("message.created", **new_message(GENERAL, "m9")),
        new_event("channel.updated", **channel(name="tables", topic="Tea")),
    )
    assert (state.channels[GENERAL.room_id]["lastMessageId"], state.channels[GENERAL.room_id]["topic"]) == ("m9", "Tea")


def test_loaded_members_are_added_changed_and_removed() -> None:
    state = state_after()
    state.load("/servers/s-table/members", {"items": [member(BEN, "owner", serverId="s-table")]})
    eve = member("u-eve", serverId="s-table")

    state.apply(new_event("member.joined", **eve))
    state.apply(new_event("member.updated", **eve | {"role": "moderator"}))
    state.apply(new_event("member.updated", **member(ME, "admin", serverId="s-table")))
    assert state.members["s-table"]["u-eve"]["role"] == "moderator"
    assert state.servers["s-table"]["role"] == "admin"

    state.apply(new_event("member.left", serverId="s-table", userId="u-eve"))
    assert sorted(state.members["s-table"]) == [BEN, ME]


@pytest.mark.parametrize(
    ("new", "gone", "path"),
    [
        (
            new_event("conversation.created", **conversation("d-new")),
            new_event("conversation.deleted", convoId="d-new"),
            "/conversations/d-new",
        ),
        (
            new_event("conversation.created", **conversation("d-new")),
            room_event("participant.left", Room("conversation", "d-new"), userId=ME),
            "/conversations/d-new",
        ),
        (
            new_event("thread.created", **thread("t-new")),
            room_event("participant.left", Room("thread", "t-new"), userId=ME),
            "/threads/t-new",
        ),
        (
            new_event("workspace.created", **workspace("w-new")),
            new_event("workspace.deleted", workspaceId="w-new"),
            "/workspaces/w-new/members",
        ),
        (
            new_event("workspace.created", **workspace("w-new")),
            new_event("workspace.member.left", workspaceId="w-new", userId=ME),
            "/workspaces/w-new/members",
        ),
        (
            new_event("server.created", **server("s-new")),
            new_event("server.deleted", serverId="s-new"),
            "/servers/s-new/channels",
        ),
    ],
    ids=lambda value: value.t if isinstance(value, Event) else "",
)
def test_new_items_are_wanted_until_removed(new: Event, gone: Event, path: str) -> None:
    assert path in state_after(new).wanted
    assert state_after(new, gone) == state_after()


def test_loaded_participants_are_added_changed_and_removed() -> None:
    state = state_after()
    seat = member(BEN, convoId=PAIR.room_id, lastReadMessageId=None, lastReadAt=None)
    state.load("/conversations/d-pair/participants", {"items": [seat]})
    state.load("/threads/t-deal/participants", {"items": []})

    state.apply(room_event("participant.joined", PAIR, **member("u-eve")))
    state.apply(room_event("participant.updated", PAIR, **member("u-eve", "admin")))
    state.apply(room_event("participant.updated", PAIR, **member(ME, "admin")))
    state.apply(room_event("participant.joined", DEAL, **member("u-eve", "seller", blockedUntil=TIME)))
    state.apply(room_event("participant.left", PAIR, userId=BEN))

    assert state.participants[PAIR] == {"u-eve": member("u-eve", "admin"), ME: member(ME, "admin")}
    assert state.participants[DEAL] == {"u-eve": member("u-eve", "seller", blockedUntil=TIME)}
    assert state.conversations[PAIR.room_id]["role"] == "admin"


def test_pins_cursors_cards_and_tabs_are_kept_where_they_are_loaded() -> None:
    pinned = room_event("pin.added", DEAL, messageId="m1", pinnedBy=BEN, pinnedAt=TIME)
    read = room_event("read.updated", DEAL, userId=BEN, lastReadMessageId="m1", readAt=TIME)
    card = {"messageId": "m1", "threadId": DEAL.room_id, "type": "offer", "state": "open", "version": 1, "payload": {}}
    tab = {"threadId": DEAL.room_id, "tab": "brief", "content": {"a": 1}, "sourceVersion": 1, "updatedAt": TIME}
    assert (
        state_after(pinned, read, new_event("card.updated", **card), new_event("tab.updated", **tab)) == state_after()
    )

    state = state_after()
    for what in ("pins", "readers", "cards"):
        state.load(f"/threads/t-deal/{what}", {"items": []})
    state.load("/threads/t-deal/panel", {"tabs": []})
    accepted = new_event("card.updated", **card | {"state": "accepted", "version": 2})
    for event in (pinned, read, accepted, new_event("card.updated", **card), new_event("tab.updated", **tab)):
        state.apply(event)

    assert state.pins[DEAL] == {"m1": {"messageId": "m1", "pinnedBy": BEN, "pinnedAt": TIME}}
    assert state.cursors[DEAL] == {BEN: "m1"}
    assert state.cards[DEAL.room_id]["m1"]["state"] == "accepted"
    assert state.tabs[DEAL.room_id] == {"brief": tab}

    state.apply(room_event("pin.removed", DEAL, messageId="m1", pinnedBy=BEN, pinnedAt=TIME))
    assert state.pins[DEAL] == {}


def test_conversations_and_threads_change_and_are_muted() -> None:
    state = state_after(
        new_event("message.created", **new_message(PAIR, "m9")),
        new_event("conversation.updated", **conversation(name="Pair")),
        new_event("thread.updated", **thread(status="locked")),
        room_event("preferences.updated", DEAL, muted=True),
    )

    assert state.conversations[PAIR.room_id]["name"] == "Pair"
    assert state.conversations[PAIR.room_id]["lastMessageId"] == "m9"
    assert (state.threads[DEAL.room_id]["status"], state.threads[DEAL.room_id]["muted"]) == ("locked", True)
    assert state.threads[DEAL.room_id]["roleContext"] == "buyer"


def test_inbox_messages_are_added_read_and_archived() -> None:
    state = state_after()
    state.load("/tenants/default/inboxes/news/messages", {"items": []})
    inbox = {"tenant": "default", "inbox": "news"}
    for message_id in ("n1", "n2"):
        state.apply(new_event("inbox.message", **inbox, messageId=message_id, title="Hello", readAt=None))
    state.apply(new_event("inbox.updated", **inbox, messageId="n1", readAt=TIME, archivedAt=None, snoozedUntil=None))
    state.apply(new_event("inbox.updated", **inbox, messageId="n2", readAt=None, archivedAt=TIME, snoozedUntil=None))
    state.apply(new_event("inbox.message", **inbox, messageId="n3", title="Wrong", readAt=None))
    state.apply(new_event("inbox.recalled", **inbox, messageId="n3"))
    for message_id in ("n1", "unknown"):
        state.apply(new_event("inbox.edited", **inbox, messageId=message_id, title="Corrected"))
    state.apply(new_event("inbox.counts", **inbox, total=1, unread=0, categories={}))
    state.apply(new_event("inbox.counts", tenant="default", inbox="other", total=1, unread=1, categories={}))

    marks = {"readAt": TIME, "archivedAt": None, "snoozedUntil": None}
    assert state.inbox_messages["default", "news"] == {"n1": {"messageId": "n1", "title": "Corrected"} | marks}
    assert (state.inboxes["default", "news"]["title"], state.inboxes["default", "news"]["total"]) == ("News", 1)
    assert state.inboxes["default", "other"]["unread"] == 1


def test_workspaces_with_members_items_and_settings() -> None:
    state = state_after()
    everything: dict[str, Any] = {"workspace": workspace(), "members": [], "items": [], "settings": [], "next": None}
    state.load("/workspaces/w-plan", everything)
    item = {"workspaceId": "w-plan", "itemId": "i1", "title": "Chairs", "version": 1}
    setting = {"name": "colour", "value": "red", "updatedBy": ME, "updatedAt": TIME}
    for event in (
        new_event("workspace.updated", **workspace(name="Plans")),
        new_event("workspace.member.joined", **member(BEN, workspaceId="w-plan")),
        new_event("workspace.member.updated", **member(BEN, "admin", workspaceId="w-plan")),
        new_event("workspace.member.updated", **member(ME, "admin", workspaceId="w-plan")),
        new_event("workspace.item.updated", **item | {"title": "Tables", "version": 2}),
        new_event("workspace.item.created", **item),
        new_event("workspace.setting.updated", workspaceId="w-plan", **setting),
    ):
        state.apply(event)

    assert (state.workspaces["w-plan"]["name"], state.workspaces["w-plan"]["role"]) == ("Plans", "admin")
    assert state.workspace_members["w-plan"][BEN]["role"] == "admin"
    assert state.items["w-plan"]["i1"]["title"] == "Tables"
    assert state.settings["w-plan"] == {"colour": setting}

    state.apply(new_event("workspace.item.deleted", workspaceId="w-plan", itemId="i1"))
    state.apply(new_event("workspace.setting.deleted", workspaceId="w-plan", name="colour"))
    state.apply(new_event("workspace.member.left", workspaceId="w-plan", userId=BEN))
    assert (state.items["w-plan"], state.settings["w-plan"], sorted(state.workspace_members["w-plan"])) == (
        {},
        {},
        [ME],
    )


def test_presence_is_applied() -> None:
    assert state_after(new_event("presence.updated", userId=BEN, status="offline")).online == set()
    assert state_after(new_event("presence.updated", userId="u-eve", status="online")).online == {BEN, "u-eve"}


def test_unknown_path_cannot_be_loaded() -> None:
    for path in ("/users/me", "/channels/c-general/nothing", "/workspaces/w-plan/invites"):
        with pytest.raises(ValueError, match="nothing is kept"):
            state_after().load(path, {"items": []})


@st.composite
def talks(draw: st.DrawFn) -> list[Event]:
    """Events of one room, in order: each message is sent, and later perhaps changed or deleted."""
    events: list[Event] = []
    there: dict[str, str] = {}
    for number in range(draw(st.integers(1, 12))):
        done = draw(st.sampled_from(["send", "send", "edit", "delete", "react", "read"]))
        if done == "send" or not there:
            author = draw(st.sampled_from([ME, BEN]))
            there[f"m{number:02}"] = author
            events.append(new_event("message.created", **new_message(GENERAL, f"m{number:02}", author=author)))
            continue
        message_id = draw(st.sampled_from(sorted(there)))
        if done == "edit":
            changed = new_message(GENERAL, message_id, f"edit {number}", there[message_id], edited=True)
            events.append(new_event("message.updated", **changed))
        elif done == "react":
            count = draw(st.integers(0, 2))
            reacted = {"emoji": "☕", "userId": ME, "count": count, "userIds": [ME, BEN][:count]}
            events.append(room_event("reaction.added", GENERAL, messageId=message_id, **reacted))
        elif done == "read":
            events.append(room_event("read.updated", GENERAL, userId=ME, lastReadMessageId=message_id, readAt=TIME))
        else:
            del there[message_id]
            events.append(room_event("message.deleted", GENERAL, messageId=message_id))
    return events


@given(talks(), st.data())
def test_repeated_events_change_nothing(events: list[Event], data: st.DataObject) -> None:
    reached = data.draw(st.integers(0, len(events)))
    again_from = data.draw(st.integers(0, reached))

    def applied(*stretches: list[Event]) -> State:
        state = state_after()
        state.load("/channels/c-general/messages", {"items": [new_message(GENERAL, "m", author=ME)]})
        for stretch in stretches:
            for event in stretch:
                state.apply(event)
        return state

    once = applied(events)

    assert applied(events[:reached], events[again_from:]) == once
    ids = [message["messageId"] for message in once.history(GENERAL)]
    assert ids == sorted(ids)

"""Recounts: wrong counts are reported and repaired, and nothing else is changed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from communities.environment import Community, create_community
from conversations.users import Users, create_users
from sobremesa.app import Sobremesa
from sobremesa.cli.reconcile import reconcile
from sobremesa.core.clock import EPOCH
from sobremesa.domains.communities.entities import CHANNELS, ChannelPin, ChannelReactionSummary, pointer_of
from sobremesa.domains.conversations.entities import conversation_by_id
from sobremesa.domains.threads.entities import thread_by_id
from sobremesa.domains.workspaces.entities import workspace_by_id
from sobremesa.table import Delete, Key, Put, RawKey, Table, Update, hex_part, set_to
from sobremesa.table.engines.protocol import PutItem
from threads.environment import Deal, strike_deal

THUMB = hex_part("👍")


async def found(app: Sobremesa, *, dry: bool = False) -> list[str]:
    """Return what a run reports."""
    return [
        f"{drift.what}: {drift.stored} is {drift.true}"
        async for recounted in app.recounts().run(dry=dry)
        for drift in recounted.drift
    ]


async def snapshot(app: Sobremesa) -> dict[RawKey, object]:
    return {RawKey(item["pk"], item["sk"]): item async for item in app.table.scan(consistent=True)}


async def is_repaired(app: Sobremesa, reported: list[str]) -> bool:
    """Return whether a dry run only reports, a run repairs the same, and a second run finds nothing."""
    before = await snapshot(app)
    assert await found(app, dry=True) == reported
    assert await snapshot(app) == before
    assert await found(app) == reported
    return await found(app) == []


@pytest.fixture
async def community(app: Sobremesa) -> Community:
    """A community with a message that three users reacted to."""
    community = await create_community(app)
    message = await community.send(community.owner, "pudding?")
    for who in (community.owner, community.admin, community.member):
        await app.communities.react(who, community.channel_id, message.message_id, "👍")
    return community


async def summary_key(community: Community) -> Key[ChannelReactionSummary]:
    [message] = (await community.app.communities.page(community.owner, community.channel_id, limit=1)).messages
    return ChannelReactionSummary.key(room_id=community.channel_id, message_id=message.message_id, emoji_hex=THUMB)


async def test_correct_store_is_left_unchanged(community: Community) -> None:
    app = community.app
    users = await create_users(app)
    room = await users.group()
    await users.send(users.ana, room, "hello")
    await users.direct(users.ana, users.ben)
    deal = await strike_deal(app)
    await deal.send(deal.buyer, "hello")
    await app.workspaces.create(users.ana, name="Kitchen")
    before = await snapshot(app)

    assert await found(app) == []
    assert await snapshot(app) == before


async def test_wrong_count_of_reactions_is_repaired(community: Community) -> None:
    await community.app.table.write(Update(await summary_key(community), set_to(count=99)))

    assert await is_repaired(community.app, ["reactions: 99 is 3"])
    [shown] = (await community.app.communities.page(community.owner, community.channel_id, limit=1)).messages
    assert [(one.count, len(one.user_ids)) for one in shown.reactions] == [(3, 3)]


async def test_missing_reaction_summary_is_created_again(community: Community) -> None:
    key = await summary_key(community)
    await community.app.table.write(Delete(key))

    users = sorted(who.user_id for who in (community.owner, community.admin, community.member))
    assert await is_repaired(community.app, ["reactions: 0 is 3", f"users: [] is {users}"])
    created = await community.app.table.get(key, consistent=True)
    assert created is not None
    assert (created.count, sorted(created.user_ids)) == (3, users)


async def test_user_in_a_summary_without_a_row_is_removed(community: Community) -> None:
    key = await summary_key(community)
    row = CHANNELS.reaction_by_key(**key.parts, user_id=community.member.user_id)
    await community.app.table.write(Delete(row))

    everyone = sorted(who.user_id for who in (community.owner, community.admin, community.member))
    left = sorted(who.user_id for who in (community.owner, community.admin))
    assert await is_repaired(community.app, ["reactions: 3 is 2", f"users: {everyone} is {left}"])


async def test_rows_of_deleted_messages_are_removed(community: Community) -> None:
    """As older versions left them: the pin and the reactions of a tombstone."""
    app, room = community.app, community.channel_id
    key = await summary_key(community)
    message_id = key.parts["message_id"]
    left = [item for item in (await snapshot(app)).values() if "REACT" in str(item) or "RSUM" in str(item)]
    await app.communities.delete_message(community.owner, room, message_id)
    await app.jobs.run_pending(app.handlers)
    for item in left:
        assert isinstance(item, dict)
        await app.table.engine.write(PutItem(RawKey(item["pk"], item["sk"]), item))
    pin = ChannelPin(room_id=room, message_id=message_id, pinned_by=community.owner.user_id, pinned_at=EPOCH)
    await app.table.write(Put(pin))

    reported = await found(app, dry=True)
    assert set(reported) == {"reactions of a deleted message: there is none", "pin of a deleted message: there is none"}
    await found(app)
    assert await found(app) == []
    assert not [item for item in (await snapshot(app)).values() if "REACT#" in str(item) or "PIN#" in str(item)]


async def test_head_without_its_last_message_is_repaired(community: Community) -> None:
    last = (await community.send(community.owner, "last")).message_id
    await community.app.table.write(Update(pointer_of(room_id=community.channel_id), set_to(last_message_id=None)))
    assert (await community.app.communities.unread(community.member, community.channel_id)).count == 0

    assert await is_repaired(community.app, [f"last message: None is {last}"])
    assert (await community.app.communities.unread(community.member, community.channel_id)).count == 2


async def test_wrong_counts_of_participants_are_repaired(app: Sobremesa) -> None:
    users: Users = await create_users(app)
    group, direct = await users.group(), await users.direct(users.ana, users.ben)
    await app.table.write(Update(conversation_by_id(room_id=group), set_to(participants=50, admins=2)))
    await app.table.write(Update(conversation_by_id(room_id=direct), set_to(participants=7)))

    assert sorted(await found(app, dry=True)) == ["admins: 2 is 1", "participants: 50 is 3", "participants: 7 is 2"]
    await found(app)
    assert await found(app) == []
    conversation = await app.table.get(conversation_by_id(room_id=group))
    assert conversation is not None
    assert (conversation.participants, conversation.admins) == (3, 1)


async def test_wrong_list_of_participants_of_a_thread_is_repaired(app: Sobremesa) -> None:
    deal: Deal = await strike_deal(app)
    thread = await deal.thread()
    await app.table.write(Update(thread_by_id(room_id=thread.room_id), set_to(participants=["nobody"])))

    assert await is_repaired(app, [f"participants: ['nobody'] is {sorted(thread.participants)}"])


async def test_wrong_counts_of_members_of_a_workspace_are_repaired(app: Sobremesa) -> None:
    users: Users = await create_users(app)
    created = await app.workspaces.create(users.ana, name="Kitchen")
    key = workspace_by_id(workspace_id=created.workspace.workspace_id)
    await app.table.write(Update(key, set_to(members=50, owners=4)))

    assert await is_repaired(app, ["members: 50 is 1", "owners: 4 is 1"])


async def test_repair_with_a_failed_condition_counts_again(
    community: Community, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user reacts between the count and its repair: the condition fails, and the count is repeated."""
    app, table = community.app, community.app.table
    key = await summary_key(community)
    await table.write(Update(key, set_to(count=99)))
    write = Table.write
    waiting = [app.communities.react(community.moderator, community.channel_id, key.parts["message_id"], "👍")]

    async def outrun(self: Table, *operations: Any, **options: Any) -> Any:
        if waiting and isinstance(operations[0], Update) and operations[0].key.raw == key.raw:
            await waiting.pop()
        return await write(self, *operations, **options)

    monkeypatch.setattr(Table, "write", outrun)

    assert await found(app) == ["reactions: 100 is 4"]
    monkeypatch.undo()
    assert await found(app) == []


async def test_recount_during_reactions_changes_nothing(community: Community) -> None:
    app, room = community.app, community.channel_id
    message_id = (await summary_key(community)).parts["message_id"]

    async def toggle() -> None:
        for _ in range(5):
            await app.communities.unreact(community.member, room, message_id, "👍")
            await app.communities.react(community.member, room, message_id, "👍")

    await asyncio.gather(toggle(), found(app), found(app))

    assert await found(app) == []
    [shown] = (await app.communities.page(community.owner, room, limit=1)).messages
    assert [one.count for one in shown.reactions] == [3]


async def test_command_reports_what_it_repairs(
    community: Community, store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    key = await summary_key(community)
    await community.app.table.write(Update(key, set_to(count=99)))
    label = f"channel {community.channel_id} message {key.parts['message_id']} 👍"
    report = f"{label}: reactions 99, should be 3\n4 partitions counted, 1 {{}}.\n"

    for dry_run, done in ((True, report.format("to repair")), (False, report.format("repaired"))):
        await reconcile(dry_run=dry_run, store=store)
        assert capsys.readouterr().out == done
    await reconcile(store=store)

    assert capsys.readouterr().out == "4 partitions counted, 0 repaired.\n"

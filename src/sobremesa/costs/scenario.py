"""A scenario that runs every operation once, to report what each costs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable
from typing import Any, NamedTuple, TypeVar

from sobremesa.app import Sobremesa
from sobremesa.core.actor import DEFAULT_TENANT, Actor, KeyId, UserId
from sobremesa.core.clock import SetClock
from sobremesa.core.ids import Ids
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.entities import User
from sobremesa.domains.accounts.user_fields import UserFields
from sobremesa.domains.attachments.uploads import UploadedFile
from sobremesa.domains.conversations.activity import Activity
from sobremesa.domains.conversations.entities import PLACE_MS, ConversationId
from sobremesa.domains.inboxes.entities import InboxKey
from sobremesa.domains.inboxes.publishing import Notice
from sobremesa.domains.threads.entities import ListingId
from sobremesa.domains.threads.service import NewThread
from sobremesa.domains.workspaces.entities import SettingName
from sobremesa.rooms.sending import Draft
from sobremesa.table import Capacity, Put, Usage, measure

T = TypeVar("T")

MESSAGES = 60
MEMBERS = 20
THREADS = 20
PASSWORD = "a long password"  # noqa: S105 - of users in memory
BODY = "The coffee is ready, and there is cake for everybody who comes before four. " * 2


class VerbCost(NamedTuple):
    """The requests of one operation to the table, and the units that they use."""

    verb: str
    calls: float
    used: Capacity


class Costs(NamedTuple):
    """The costs of the scenario, by operation and by access pattern."""

    verbs: list[VerbCost]
    patterns: dict[str, Usage]


class _Bill:
    def __init__(self, clock: SetClock) -> None:
        self.verbs: list[VerbCost] = []
        self._clock = clock

    async def of(self, verb: str, call: Awaitable[T], *, times: int = 1) -> T:
        """Return the result of an operation, and record its cost; the mean, if the call makes it several times."""
        self._clock.move(seconds=0.001)
        with measure() as measured:
            result = await call
        used = Capacity(measured.read / times, measured.write / times)
        self.verbs.append(VerbCost(verb, measured.calls / times, used))
        return result


async def run() -> Costs:
    """Run the scenario on the embedded engine in memory. What a node reads once a second is read once."""
    clock = SetClock()
    settings = Settings(rate_limits="off")
    async with Sobremesa.open("sqlite://", settings=settings, clock=clock, background=False) as app:
        engine: Any = app.table.engine
        engine.version_of = lambda pk, **_: None  # as on DynamoDB, where no result is cached by the version of its rows
        bill = _Bill(clock)
        ana, people = await _people(app, clock, bill)
        room = await _server(app, bill, ana, people)
        await _channel(app, bill, ana, people[0], room, clock)
        await _conversations(app, bill, ana, people, clock)
        await _files(app, bill, ana)
        await _thread(app, bill, ana)
        await _inboxes(app, bill, ana, clock)
        await _workspaces(app, bill, ana, people[0])
        await _end(app, bill, ana, people[0], room)
        return Costs(bill.verbs, app.table.meter.totals())


class _Room(NamedTuple):
    server_id: Any
    channel_id: Any
    code: Any


async def _people(app: Sobremesa, clock: SetClock, bill: _Bill) -> tuple[Actor, list[Actor]]:
    accounts = app.accounts
    signed_in = await bill.of("register", accounts.register(email="ana@example.com", username="ana", password=PASSWORD))
    await bill.of("log in", accounts.login(email="ana@example.com", password=PASSWORD))
    await bill.of("refresh", accounts.refresh(signed_in.refresh_token))
    ana = await bill.of("check a token, at most once a second", app.accounts.authenticate(signed_in.access_token))
    await bill.of("get a profile", accounts.get_user(ana.user_id))
    await bill.of("find a user by name", accounts.find_by_username("ana"))
    key = Actor(key_id=KeyId("key"), scopes=frozenset({"users:write"}))
    named = UserFields(display_name="Bea")
    await bill.of("create a user by external id", accounts.upsert_user(key, key.tenant, "42", named))
    await bill.of("repeat it without a change", accounts.upsert_user(key, key.tenant, "42", named))
    await bill.of("find a user by external id", accounts.find_by_external_ids(key.tenant, ["42"]))
    await bill.of("revoke the tokens of a user", accounts.revoke_tokens(key, key.tenant, "42"))
    ids = Ids(clock)
    return ana, [Actor.of_user(UserId(ids.mint()), f"guest-{number}") for number in range(MEMBERS)]


async def _server(app: Sobremesa, bill: _Bill, ana: Actor, people: list[Actor]) -> _Room:
    server = await bill.of("create a server", app.communities.create_server(ana, name="The long table"))
    created = await bill.of("create a channel", app.communities.create_channel(ana, server.server_id, name="general"))
    invite = await bill.of("create an invite", app.communities.invites.create(ana, server.server_id))
    await bill.of("join by an invite", app.communities.invites.redeem(people[0], invite.code))
    for person in people[1:]:
        await app.communities.invites.redeem(person, invite.code)
    await bill.of("list the servers of a user", app.communities.list_servers(ana, limit=50))
    await bill.of("list the channels of a server", app.communities.list_channels(ana, server.server_id, limit=50))
    await bill.of(f"list {MEMBERS + 1} members", app.communities.members.list_members(ana, server.server_id, limit=50))
    return _Room(server.server_id, created.channel.channel_id, invite.code)


async def _channel(app: Sobremesa, bill: _Bill, ana: Actor, bo: Actor, room: _Room, clock: SetClock) -> None:
    channels, channel_id = app.communities, room.channel_id
    for number in range(MESSAGES):
        sent = await channels.send(bo, channel_id, Draft(f"{number}: {BODY}"))
    sent = await bill.of("send a message", channels.send(bo, channel_id, Draft(BODY)))
    await bill.of("send a message with a nonce", channels.send(bo, channel_id, Draft(BODY, nonce="once")))
    await bill.of("send the same nonce again", channels.send(bo, channel_id, Draft(BODY, nonce="once")))
    message_id = sent.message_id
    await bill.of("open a channel: the newest 50 messages", channels.page(ana, channel_id, limit=50))
    clock.move(seconds=2)
    await channels.page(ana, channel_id, limit=50)
    await bill.of("open it again, on a node that keeps its tail", channels.page(ana, channel_id, limit=50))
    await bill.of("get one message", channels.get_message(ana, channel_id, message_id))
    await bill.of("edit a message", channels.edit(bo, channel_id, message_id, "shorter"))
    await bill.of("react", channels.react(ana, channel_id, message_id, "👍"))
    await bill.of("remove a reaction", channels.unreact(ana, channel_id, message_id, "👍"))
    await bill.of("count unread messages: 62", channels.unread(ana, channel_id))
    await bill.of("mark as read", channels.mark_read(ana, channel_id, message_id))
    newest = (await channels.page(ana, channel_id, limit=1)).messages[0].message_id
    await channels.mark_read(ana, channel_id, newest)
    await bill.of("count unread messages: none", channels.unread(ana, channel_id))
    await bill.of("count unread messages of all rooms: none", channels.unread_everywhere(ana))
    await bill.of("pin a message", channels.pin(ana, channel_id, message_id))
    await bill.of("report a message", channels.report(ana, channel_id, message_id, "Far too short."))
    await _moderation(app, bill)
    await bill.of("delete a message", channels.delete_message(bo, channel_id, message_id))


async def _talks(app: Sobremesa, bill: _Bill, people: list[Actor], clock: SetClock) -> None:
    """Send thirty messages in five minutes, with all that they cause later."""
    talks = app.conversations
    direct = (await talks.create_direct(people[0], people[3].user_id)).conversation_id
    group = (await talks.create_group(people[0], [who.user_id for who in people[1:10]])).conversation_id
    for name, room_id, inside in (("direct conversation", direct, people[:4:3]), ("group of ten", group, people[:10])):
        await app.change_consumer.catch_up()
        clock.move(seconds=2 * PLACE_MS / 1000)

        async def talk(room_id: ConversationId = room_id, inside: list[Actor] = inside) -> None:
            for number in range(30):
                await talks.send(inside[number % len(inside)], room_id, Draft(BODY))
                clock.move(seconds=9)
            await app.change_consumer.catch_up()

        await bill.of(f"one of 30 messages in five minutes to a {name}, with all that it causes", talk(), times=30)


async def _conversations(app: Sobremesa, bill: _Bill, ana: Actor, people: list[Actor], clock: SetClock) -> None:
    conversations, talks = app.conversations, app.conversations
    await app.table.write_many(Put(User(user_id=who.user_id, username=who.username)) for who in people)
    bo, cy = people[:2]
    direct = await bill.of("create a direct conversation", conversations.create_direct(ana, bo.user_id))
    others = [bo.user_id, cy.user_id]
    await talks.send(ana, direct.conversation_id, Draft(BODY))
    group = (await bill.of("create a group of three", conversations.create_group(ana, others))).conversation_id
    for number in range(10):
        await talks.send(bo, group, Draft(f"{number}: {BODY}"))
    await bill.of("send to a direct conversation", talks.send(bo, direct.conversation_id, Draft(BODY)))
    sent = await bill.of("send to a group", talks.send(bo, group, Draft(BODY)))
    await bill.of("edit the last message of a conversation", talks.edit(bo, group, sent.message_id, "shorter"))
    await app.change_consumer.catch_up()
    clock.move(seconds=PLACE_MS / 1000)
    await talks.send(bo, group, Draft(BODY))
    await bill.of("move a group of three up in the inboxes", Activity(app.table).move(group))
    await _talks(app, bill, people, clock)
    await bill.of(
        "open the inbox: two conversations with unread messages", app.conversations.list_conversations(ana, limit=20)
    )
    await bill.of("add a participant to a group", app.conversations.participants.add(ana, group, people[2].user_id))
    await bill.of("leave a group", app.conversations.participants.remove(cy, group, cy.user_id))


async def _moderation(app: Sobremesa, bill: _Bill) -> None:
    root = Actor(user=UserId("root"), is_admin=True)
    cases, _ = await bill.of("list the open cases", app.moderation.list_cases(root, limit=50))
    await bill.of("decide about a case", app.moderation.decide(root, cases[0].case_id, "approve"))


async def _files(app: Sobremesa, bill: _Bill, ana: Actor) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield BODY.encode()

    cake = UploadedFile("cake.txt", "text/plain", pieces())
    file = await bill.of("upload a file", app.attachments.receive(ana, cake))
    await bill.of("get a file's addresses", app.attachments.get(ana, file.file_id))
    token = file.url.partition("token=")[2]
    await bill.of("download one's own file", app.attachments.open(file.file_id, "content", token))
    await bill.of("delete a file", app.attachments.remove(ana, file.file_id))


async def _thread(app: Sobremesa, bill: _Bill, ana: Actor) -> None:
    threads, rooms, cards, tabs = app.threads, app.threads, app.threads.cards, app.threads.tabs
    sal = (await app.accounts.register(email="sal@example.com", username="sal", password=PASSWORD)).actor
    inquiry = NewThread("inquiry", sal.user_id, ListingId("kitchen"))
    created = await bill.of("create an inquiry", threads.create(ana, inquiry))
    thread_id = created.listed.thread.room_id
    await bill.of("create it again", threads.create(ana, inquiry))
    for number in range(THREADS - 1):
        await threads.create(ana, NewThread("project", sal.user_id, city=str(number)))
    await bill.of("send a message to a thread of two", rooms.send(ana, thread_id, Draft(BODY)))
    await bill.of(f"open an inbox of {THREADS} threads, one of them unread", threads.list_threads(sal, limit=THREADS))
    offer = {"amount": 25_000, "currency": "EUR"}
    card = await bill.of("create an offer", cards.create(sal, thread_id, type="offer", payload=offer))
    await bill.of("accept it", cards.move(ana, thread_id, card.message_id, to="accepted", version=1))
    await bill.of("write a tab of 1 KB", tabs.put(ana, thread_id, "brief", {"text": BODY * 6}, source_version=1))
    await bill.of("open the panel", tabs.open_panel(sal, thread_id))
    await bill.of("lock a thread", threads.set_status(ana, thread_id, "locked"))


async def _inboxes(app: Sobremesa, bill: _Bill, ana: Actor, clock: SetClock) -> None:
    parts, tenant, inbox = app.inboxes, DEFAULT_TENANT, InboxKey("news")
    key = Actor(key_id=KeyId("key"), scopes=frozenset({"inbox:publish", "inbox:admin", "inbox:read"}))
    rules = {"default": "30d"}
    await bill.of("configure a tenant", parts.set_tenant(key, tenant, title="Shop", ttl="90d"))
    await bill.of(
        "set up an inbox",
        parts.set_inbox(key, tenant, inbox, title="News", description=None, ttl=rules),
    )
    notice = Notice(sender="shop", title="Half price", body=BODY, category="offers")
    to_all, to_some = parts.publish_to_everyone, parts.publish_to_users
    await to_all(key, tenant, inbox, notice)
    await bill.of("publish to all users of a tenant", to_all(key, tenant, inbox, notice))
    public = (await to_all(key, tenant, inbox, notice)).message_id
    own = await bill.of("publish to one user", to_some(key, tenant, inbox, notice, [ana.user_id]))
    many = [UserId(f"{number:05}") for number in range(1000)]
    await app.table.write_many(Put(User(user_id=user_id, username=user_id, created_at=clock.now())) for user_id in many)
    await bill.of("publish to 1,000 users", to_some(key, tenant, inbox, notice, many))
    await bill.of("get the progress of a delivery", parts.get_publish(key, tenant, inbox, own.message_id))
    await bill.of("count the messages of an inbox, the first time", parts.count(ana, tenant, inbox))
    await bill.of("count the messages of an inbox", parts.count(ana, tenant, inbox))
    for number in range(46):
        await (to_all(key, tenant, inbox, notice) if number % 2 else to_some(key, tenant, inbox, notice, [ana.user_id]))
    await bill.of("open an inbox: the newest 50 messages", parts.list_messages(ana, tenant, inbox, limit=50))
    await bill.of("mark a personal message as read", parts.mark_read(ana, tenant, inbox, own.message_id))
    await bill.of("mark a broadcast as read", parts.mark_read(ana, tenant, inbox, public))
    until_ms = clock.now_ms() + 60_000
    snoozed = parts.snooze(ana, tenant, inbox, public, until_ms=until_ms)
    await bill.of("snooze a message", snoozed)
    await bill.of("archive a message", parts.archive(ana, tenant, inbox, own.message_id))
    await bill.of("mark 48 messages as read at once", parts.mark_all_read(ana, tenant, inbox))
    await bill.of("mute a category", parts.set_preference(ana, tenant, inbox, "offers", muted=True))
    clock.move(seconds=31 * 86400)
    await bill.of("count when 50 messages have expired", parts.count(ana, tenant, inbox))
    clock.move(seconds=-31 * 86400)


async def _workspaces(app: Sobremesa, bill: _Bill, ana: Actor, bo: Actor) -> None:
    created = await bill.of("create a workspace", app.workspaces.create(ana, name="The kitchen"))
    at = created.workspace.workspace_id
    invite = await bill.of("create an invite to a workspace", app.workspaces.invites.create(ana, at))
    await bill.of("join a workspace by an invite", app.invites.redeem(bo, invite.code))
    item = await bill.of("create an item", app.workspaces.items.create(bo, at, title="Coffee", status="open"))
    changes = {"status": "done"}
    await bill.of("update an item", app.workspaces.items.change(ana, at, item.item_id, version=1, changes=changes))
    await bill.of("set a setting", app.workspaces.settings.put(ana, at, SettingName("theme"), "dark"))
    for number in range(199):
        await app.workspaces.items.create(bo, at, title=f"Item {number:03}", status="open")
    await bill.of("open a workspace of 200 items", app.workspaces.get_everything(bo, at, limit=1000))
    await bill.of("list the workspaces of a user", app.workspaces.list_workspaces(bo, limit=50))
    await bill.of("leave a workspace", app.workspaces.members.remove(bo, at, bo.user_id))
    key = Actor(key_id=KeyId("backend"), scopes=frozenset({"rooms:write"}))
    await bill.of("add a member to a workspace by a key", app.workspaces.members.add(key, at, bo.user_id))
    await bill.of("remove a member of a workspace by a key", app.workspaces.members.remove(key, at, bo.user_id))
    pair = [ana.user_id, bo.user_id]
    group = await bill.of("create a group of two by a key", app.conversations.create_group(key, pair))
    await bill.of(
        "remove a participant by a key", app.conversations.participants.remove(key, group.conversation_id, bo.user_id)
    )


async def _end(app: Sobremesa, bill: _Bill, ana: Actor, bo: Actor, room: _Room) -> None:
    await bill.of(
        "change a role", app.communities.members.change_role(ana, room.server_id, bo.user_id, role="moderator")
    )
    await bill.of("kick a member", app.communities.members.remove(ana, room.server_id, bo.user_id))
    await bill.of("ban a user who is not a member", app.communities.members.ban(ana, room.server_id, bo.user_id))
    await bill.of("delete a server", app.communities.delete_server(ana, room.server_id))
    await bill.of("remove the rows of a deleted server", app.jobs.run_pending(app.handlers))

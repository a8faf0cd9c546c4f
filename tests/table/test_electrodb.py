"""A table that ElectroDB made is used as it is, and ElectroDB can use what we write there.

The rows were written by ElectroDB 3.9.3 through its own models of the conversations' document (key templates such as
`CONVO#${convoId}`, otherwise its defaults) and are kept here as a scan showed them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from servers import Endpoint
from sobremesa.core.clock import SetClock
from sobremesa.table import (
    Check,
    Create,
    Delete,
    Entity,
    Index,
    Keys,
    Layout,
    Lookup,
    Pattern,
    Put,
    RawKey,
    ReadCache,
    Registry,
    Table,
    Update,
    Upsert,
    absent,
    equals,
    gsi1,
    present,
    set_to,
)
from sobremesa.table.engines.protocol import Engine, PutItem
from sobremesa.table.errors import BadExpression, ConditionFailed
from sobremesa.table.names import Names
from sobremesa.table.values import Item
from table.engines import dynamo, embedded
from table.samples import stored

ELECTRODB = Names(style="electrodb")
LAYOUT = Layout.named(ELECTRODB)


class Conversation(Entity):
    keys = Keys(pk="CONVO#{convo_id}", sk="#METADATA")

    convo_id: str
    type: str
    name: str | None = None
    last_message_body: str | None = None
    last_message_sender: str | None = None
    last_message_at: str | None = None


class Participant(Entity):
    keys = Keys(pk="CONVO#{convo_id}", sk="PARTICIPANT#{user_id}")
    by_user = Index(gsi1, pk="USER#{user_id}", sk="CONVO#{convo_id}")

    convo_id: str
    user_id: str
    role: str = "member"
    joined_at: str | None = None
    last_read_at: str | None = None


class Message(Entity):
    keys = Keys(pk="CONVO#{convo_id}", sk="MSG#{message_id}")

    convo_id: str
    message_id: str
    sender_id: str
    body: str
    type: str = "text"


conversation = Lookup("AP1", "What is this conversation?", Conversation)
conversations_of = Pattern("AP2", "Where is this person?", Participant, index="by_user", prefix="CONVO#")
participants_of = Pattern("AP3", "Who is in it?", Participant, prefix="PARTICIPANT#")
messages_of = Pattern("AP4", "What are the newest messages?", Message, newest_first=True)
since = Pattern("AP6", "Which messages follow this one?", Message, between=("MSG#{message_id}", "MSG$"))
everything_in = Pattern[Entity]("AP8", "All of it?", Conversation, Participant, Message)
REGISTRY = Registry([Message, Participant, Conversation])

NOW = "2026-04-15T10:30:00.000Z"
ROWS: tuple[Item, ...] = (
    {
        "pk": "convo#c_01", "sk": "#metadata", "__edb_e__": "conversation", "__edb_v__": "1", "convoId": "c_01",
        "name": "Project Chat", "type": "group", "lastMessageBody": "Sounds good!", "lastMessageSender": "u_02",
        "lastMessageAt": "2026-04-15T10:30:00Z", "createdAt": NOW, "updatedAt": NOW,
    },
    {
        "pk": "convo#c_01", "sk": "participant#u_01", "gsi1pk": "user#u_01", "gsi1sk": "convo#c_01",
        "__edb_e__": "participant", "__edb_v__": "1", "convoId": "c_01", "userId": "u_01", "role": "admin",
        "joinedAt": "2026-04-01T...", "lastReadAt": "2026-04-15T10:25:00Z",
    },
    {
        "pk": "convo#c_01", "sk": "participant#u_02", "gsi1pk": "user#u_02", "gsi1sk": "convo#c_01",
        "__edb_e__": "participant", "__edb_v__": "1", "convoId": "c_01", "userId": "u_02", "role": "member",
        "joinedAt": "2026-04-01T...", "lastReadAt": "2026-04-15T10:30:00Z",
    },
    {
        "pk": "convo#c_01", "sk": "msg#01hw1a2b3c...", "__edb_e__": "message", "__edb_v__": "1", "convoId": "c_01",
        "messageId": "01HW1A2B3C...", "senderId": "u_01", "body": "Can we ship by Friday?", "type": "text",
        "createdAt": NOW,
    },
    {
        "pk": "convo#c_01", "sk": "msg#01hw1d4e5f...", "__edb_e__": "message", "__edb_v__": "1", "convoId": "c_01",
        "messageId": "01HW1D4E5F...", "senderId": "u_02", "body": "Sounds good!", "type": "text", "createdAt": NOW,
    },
    {
        "pk": "convo#c_02", "sk": "#metadata", "__edb_e__": "conversation", "__edb_v__": "1", "convoId": "c_02",
        "type": "direct", "lastMessageBody": "See you tomorrow", "lastMessageSender": "u_01", "createdAt": NOW,
        "updatedAt": NOW,
    },
    {
        "pk": "convo#c_02", "sk": "participant#u_01", "gsi1pk": "user#u_01", "gsi1sk": "convo#c_02",
        "__edb_e__": "participant", "__edb_v__": "1", "convoId": "c_02", "userId": "u_01", "role": "member",
        "lastReadAt": "2026-04-15T09:00:00Z",
    },
    {
        "pk": "convo#c_02", "sk": "participant#u_03", "gsi1pk": "user#u_03", "gsi1sk": "convo#c_02",
        "__edb_e__": "participant", "__edb_v__": "1", "convoId": "c_02", "userId": "u_03", "role": "admin",
        "lastReadAt": "2026-04-15T09:00:00Z",
    },
    # By an upsert, with ids that keep their case only in the attributes.
    {
        "pk": "convo#c_upper", "sk": "participant#u_upper", "gsi1pk": "user#u_upper", "gsi1sk": "convo#c_upper",
        "__edb_e__": "participant", "__edb_v__": "1", "convoId": "C_Upper", "userId": "U_Upper", "role": "member",
    },
    # Lower case is JavaScript's: two characters for one.
    {
        "pk": "convo#éß_i\u0307x", "sk": "#metadata", "__edb_e__": "conversation", "__edb_v__": "1",
        "convoId": "Éß_İX", "type": "group", "createdAt": NOW, "updatedAt": NOW,
    },
)  # fmt: skip


@pytest.fixture(params=["embedded", "dynoxide"])
async def engine(clock: SetClock, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Engine]:
    if request.param == "embedded":
        async with embedded(tmp_path / "table.db", clock, ELECTRODB) as local:
            yield local
        return
    endpoint: Endpoint = request.getfixturevalue("dynamodb_endpoint")
    async with dynamo(endpoint, clock, ELECTRODB) as remote:
        yield remote


@pytest.fixture
async def table(engine: Engine, clock: SetClock) -> Table:
    """A table with the rows that ElectroDB wrote."""
    for row in ROWS:
        await engine.write(PutItem(RawKey(row["pk"], row["sk"]), row))
    return Table(engine, clock=clock)


async def test_rows_by_electrodb_are_read_with_their_ids_in_their_own_case(table: Table) -> None:
    group = await table.get(conversation(convo_id="c_01"), consistent=True)
    upper = await table.get(Participant.key(convo_id="C_Upper", user_id="U_Upper"))

    assert group is not None
    assert (group.convo_id, group.name, group.other) == ("c_01", "Project Chat", {"createdAt": NOW, "updatedAt": NOW})
    assert upper == Participant(convo_id="C_Upper", user_id="U_Upper")
    assert await table.get(conversation(convo_id="Éß_İX")) is not None


async def test_patterns_find_them_in_the_table_and_in_an_index(table: Table) -> None:
    users = await table.query(participants_of(convo_id="c_01"))
    rooms = await table.query(conversations_of(user_id="u_01"))
    later = await table.query(since(convo_id="c_01", message_id="01HW1B"))
    rows = await table.query(everything_in(convo_id="c_01"))

    assert [person.user_id for person in users.items] == ["u_01", "u_02"]
    assert [seat.convo_id for seat in rooms.items] == ["c_01", "c_02"]
    assert [message.message_id for message in later.items] == ["01HW1D4E5F..."]
    assert [type(row) for row in rows.items] == [Conversation, Message, Message, Participant, Participant]
    assert (await table.count(messages_of(convo_id="c_01"))).count == 2


async def test_cursors_lead_through_them(table: Table) -> None:
    messages, rooms = messages_of(convo_id="c_01"), conversations_of(user_id="u_01")
    newest = await table.query(messages, limit=1)
    first = await table.query(rooms, limit=1)

    assert [message.body for message in newest.items] == ["Sounds good!"]
    assert [message.sender_id for message in (await table.query(messages, cursor=newest.cursor)).items] == ["u_01"]
    assert [message.sender_id for message in (await table.query(messages, after=newest.items[0])).items] == ["u_01"]
    assert [seat.convo_id for seat in (await table.query(rooms, cursor=first.cursor)).items] == ["c_02"]
    assert [seat.convo_id for seat in (await table.query(rooms, after=first.items[0])).items] == ["c_02"]
    place = rooms.position_of(first.items[0])
    assert [seat.convo_id for seat in (await table.query(rooms, after=place)).items] == ["c_02"]


async def test_they_are_changed_under_conditions(table: Table) -> None:
    key = Participant.key(convo_id="c_01", user_id="u_01")

    after = await table.write(Update(key, set_to(last_read_at="2026-04-16"), when=equals("role", "admin")))
    with pytest.raises(ConditionFailed) as refused:
        await table.write(
            conversation=Create(Conversation(convo_id="c_03", type="group")),
            participant=Update(key, set_to(role="member"), when=equals("role", "member")),
        )
    await table.write(Delete(Participant.key(convo_id="c_02", user_id="u_03")))

    assert (after.last_read_at, after.role) == ("2026-04-16", "admin")
    assert [failure.key for failure in refused.value.failures] == [key.raw]
    assert await stored(table.engine, "convo#c_01", "participant#u_01") == ROWS[1] | {"lastReadAt": "2026-04-16"}
    assert await stored(table.engine, "convo#c_02", "participant#u_03") is None
    assert await stored(table.engine, "convo#c_03", "#metadata") is None


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['pk']} {row['sk']}")
def test_what_we_write_has_the_very_bytes_of_electrodb(row: Item) -> None:
    entity = REGISTRY.entity_of(row, LAYOUT)
    assert entity is not None

    assert entity.from_item(row, LAYOUT).to_item(LAYOUT) == row


async def test_upsert_creates_the_same_row_as_electrodb(table: Table) -> None:
    await table.write(Upsert(Participant.key(convo_id="C_New", user_id="U_New"), set_to(role="member")))

    assert await stored(table.engine, "convo#c_new", "participant#u_new") == {
        "pk": "convo#c_new", "sk": "participant#u_new", "gsi1pk": "user#u_new", "gsi1sk": "convo#c_new",
        "__edb_e__": "participant", "__edb_v__": "1", "convoId": "C_New", "userId": "U_New", "role": "member",
    }  # fmt: skip


async def test_a_row_of_a_later_version_of_a_model_keeps_it(table: Table) -> None:
    row = ROWS[7] | {"__edb_v__": "2"}
    await table.engine.write(PutItem(RawKey(row["pk"], row["sk"]), row))

    loaded = await table.get(Participant.key(convo_id="c_02", user_id="u_03"))
    assert loaded is not None
    await table.write(Put(loaded))

    assert await stored(table.engine, row["pk"], row["sk"]) == row


def test_a_row_without_its_ids_takes_them_from_its_key() -> None:
    bare = {name: value for name, value in ROWS[1].items() if name not in ("convoId", "userId")}

    loaded = Participant.from_item(bare, LAYOUT)

    assert (loaded.convo_id, loaded.user_id) == ("c_01", "u_01")


def test_type_names_come_from_the_map_or_from_electrodbs_default() -> None:
    theirs = Layout.named(Names(style="electrodb", types={"Participant": "seat"}))
    person = Participant(convo_id="c", user_id="u")

    assert person.to_item(theirs)["__edb_e__"] == "seat"
    assert theirs.spelling is not None
    assert theirs.spelling.type_name("ServerMembership") == "serverMembership"
    assert theirs.spelling.type_name("UM") == "um"


def test_two_entities_under_one_key_are_distinguished_by_electrodbs_type() -> None:
    class Visit(Participant):
        """Another kind of row with the same key."""

    row = Visit(convo_id="c", user_id="u").to_item(LAYOUT)

    assert Registry([Participant, Visit]).entity_of(row, LAYOUT) is Visit
    assert Registry([Participant, Visit]).entity_of({**row, "__edb_e__": "participant"}, LAYOUT) is Participant


async def test_an_id_in_another_case_is_another_id_which_is_not_there(table: Table) -> None:
    other = Participant.key(convo_id="C_01", user_id="u_01")
    mine = Participant.key(convo_id="c_01", user_id="u_01")

    assert await table.get(other) is None
    assert await table.get_many([other, mine]) == [None, await table.get(mine)]
    assert await table.get_pair(other, conversation(convo_id="C_01")) == (None, None)
    assert (await table.query(participants_of(convo_id="C_01"))).items == []
    for refused in (
        Update(other, set_to(role="owner")),
        Upsert(other, set_to(role="owner"), when=equals("role", "admin")),
        Delete(other),
        Check(other, when=present()),
    ):
        with pytest.raises(ConditionFailed):
            await table.write(refused)
    assert await stored(table.engine, "convo#c_01", "participant#u_01") == ROWS[1]


async def test_two_ids_that_differ_only_in_case_cannot_both_be_there(table: Table) -> None:
    with pytest.raises(ConditionFailed):
        await table.write(Create(Conversation(convo_id="C_01", type="direct")))
    with pytest.raises(BadExpression):
        await table.write(
            lower=Create(Conversation(convo_id="x", type="direct")),
            upper=Create(Conversation(convo_id="X", type="direct")),
        )

    assert await stored(table.engine, "convo#c_01", "#metadata") == ROWS[0]
    await table.write(
        lower=Check(conversation(convo_id="c_09"), when=absent()),
        other=Check(conversation(convo_id="x"), when=absent()),
    )


async def test_a_range_that_ends_with_its_prefix_ends_there_in_lower_case_too(table: Table) -> None:
    class Zone(Entity):
        keys = Keys(pk="ZONES#{city}", sk="Z{number:02}")

        city: str
        number: int

    class Zoo(Entity):
        keys = Keys(pk="ZONES#{city}", sk="{{{name}")

        city: str
        name: str

    zones_from = Pattern("Z", "Which zones from here on?", Zone, between=("Z{number:02}", "["))
    await table.write_many(Put(Zone(city="X", number=number)) for number in range(4))
    await table.write(Create(Zoo(city="X", name="a")))

    page = await table.query(zones_from(city="X", number=2))

    assert [zone.number for zone in page.items] == [2, 3]


async def test_cached_page_is_read_again_after_a_change(table: Table) -> None:
    cache: ReadCache[str, list[str]] = ReadCache(table, 10)

    async def read() -> list[str]:
        return [person.user_id for person in (await table.query(participants_of(convo_id="C_Upper"))).items]

    assert await cache.get_or_load("people", read) == ["U_Upper"]
    await table.write(Create(Participant(convo_id="C_Upper", user_id="Zoe")))

    assert await cache.get_or_load("people", read) == ["U_Upper", "Zoe"]

"""Custom data: its bounds, and the schemas of a tenant."""

from __future__ import annotations

from time import monotonic
from typing import Any

import pytest

from communities.environment import Community, actor_of
from sobremesa.app import Sobremesa
from sobremesa.core.actor import Actor, KeyId, Tenant
from sobremesa.core.custom_data import KINDS, MAX_BYTES, MAX_DEPTH, BadData, require_bounded
from sobremesa.core.errors import Forbidden, NotFound
from sobremesa.domains.accounts.user_fields import UserFields
from sobremesa.domains.data_schemas import service
from sobremesa.domains.data_schemas.errors import BadDataSchema
from sobremesa.rooms.errors import NonceReused
from sobremesa.rooms.judging import CLEAR, JudgedContent, Verdict
from sobremesa.rooms.sending import Draft
from sobremesa.rooms.service import Rooms

ACME = Tenant("acme")
KEY = Actor(tenant=ACME, key_id=KeyId("k"), scopes=frozenset({"rooms:write"}))
ORDER: dict[str, Any] = {
    "type": "object",
    "properties": {"order": {"$ref": "#/$defs/order"}},
    "required": ["order"],
    "additionalProperties": False,
    "$defs": {"order": {"type": "object", "properties": {"id": {"type": "string", "pattern": "^A-[0-9]+$"}}}},
}


def nested(depth: int) -> dict[str, Any]:
    return {} if depth == 1 else {"a": nested(depth - 1)}


def test_bounds_are_exact() -> None:
    require_bounded(None)
    require_bounded(nested(MAX_DEPTH))
    require_bounded({"a": "x" * (MAX_BYTES - 8)})
    empty_keys: list[dict[str, Any]] = [{"": 1}, {"a": [{"b": {"": 1}}]}]
    for wrong in (*empty_keys, nested(MAX_DEPTH + 1), {"a": "x" * (MAX_BYTES - 7)}, {"a": "é" * (MAX_BYTES // 2 - 3)}):
        with pytest.raises(BadData) as refused:
            require_bounded(wrong)
        assert [error["pointer"] for error in refused.value.data["errors"]] == ["#/data"]


async def test_schema_is_applied_to_its_tenant_and_kind_and_names_the_paths(app: Sobremesa) -> None:
    schemas = app.data_schemas
    await schemas.set(KEY, ACME, "channel", ORDER)
    await schemas.check(ACME, "channel", {"order": {"id": "A-17"}})
    await schemas.check(ACME, "channel", None)
    await schemas.check(ACME, "thread", {"anything": True})
    await schemas.check(Tenant("other"), "channel", {"anything": True})
    with pytest.raises(BadData) as refused:
        await schemas.check(ACME, "channel", {"order": {"id": "17"}})
    assert [error["pointer"] for error in refused.value.data["errors"]] == ["#/data/order/id"]

    assert (await schemas.get(KEY, ACME, "channel")).kind == "channel"
    await schemas.remove(KEY, ACME, "channel")
    await schemas.check(ACME, "channel", {"order": {"id": "17"}})
    with pytest.raises(NotFound):
        await schemas.get(KEY, ACME, "channel")
    with pytest.raises(NotFound):
        await schemas.remove(KEY, ACME, "channel")


async def test_other_node_applies_a_change_after_the_cache_ends(
    app: Sobremesa, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = service.DataSchemas(app.table, app.clock)
    await other.check(ACME, "channel", {"order": 1})
    await app.data_schemas.set(KEY, ACME, "channel", ORDER)
    now = monotonic()
    monkeypatch.setattr(service, "monotonic", lambda: now + service.CACHED_SECONDS + 0.1)
    with pytest.raises(BadData):
        await other.check(ACME, "channel", {"order": 1})


async def test_schema_of_users_is_applied_when_a_backend_creates_them(app: Sobremesa) -> None:
    backend = Actor(tenant=ACME, key_id=KeyId("k"), scopes=frozenset({"users:write"}))
    await app.data_schemas.set(KEY, ACME, "user", ORDER)
    with pytest.raises(BadData):
        await app.accounts.upsert_user(backend, ACME, "customer-1", UserFields(data={"order": {"id": "17"}}))
    with pytest.raises(NotFound):
        await app.accounts.get_tenant_user(backend, ACME, "customer-1")
    created = await app.accounts.upsert_user(backend, ACME, "customer-1", UserFields(data={"order": {"id": "A-17"}}))
    assert created.user.data == {"order": {"id": "A-17"}}


async def test_only_a_key_of_the_tenant_with_the_scope_changes_schemas(app: Sobremesa) -> None:
    with pytest.raises(NotFound):
        await app.data_schemas.set(KEY, Tenant("other"), "user", {})
    with pytest.raises(Forbidden):
        await app.data_schemas.set(Actor(tenant=ACME, key_id=KeyId("k")), ACME, "user", {})


def doubling(levels: int) -> dict[str, Any]:
    """Return a small schema that visits its last part 2 ** levels times."""
    defs: dict[str, Any] = {"d0": {"type": "object"}}
    for level in range(1, levels):
        defs[f"d{level}"] = {"allOf": [{"$ref": f"#/$defs/d{level - 1}"}] * 2}
    return {"$ref": f"#/$defs/d{levels - 1}", "$defs": defs}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nonsense"},
        {"pattern": "("},
        {"$ref": "https://example.com/schema"},
        {"$ref": "file:///etc/passwd"},
        {"$ref": "#"},
        {"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}]}}},
        {"$ref": "#/$defs/b", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"not": {"$ref": "#/$defs/a"}}}},
        {"$dynamicRef": "#x"},
        {"$id": "https://example.com", "type": "object"},
        {"$schema": "https://example.com/own"},
        {"properties": {"a": {"$defs": {}}}},
        {"description": "x" * 17_000},
        nested(33),
        doubling(40),
        {"enum": list(range(2500))},
    ],
)
async def test_schema_that_is_wrong_or_costly_is_refused(schema: dict[str, Any]) -> None:
    async with Sobremesa.open("sqlite://", background=False) as app:
        with pytest.raises(BadDataSchema):
            await app.data_schemas.set(KEY, ACME, "user", schema)


async def test_every_kind_of_room_and_message_stores_data_and_shows_it(community: Community) -> None:
    app, owner = community.app, community.owner
    first, second = {"order": {"id": "A-1"}}, {"order": {"id": "A-2"}, "n": 1.5, "list": [None, True, ""]}

    server = await app.communities.create_server(owner, name="x", data=first)
    assert (await app.communities.get_server(owner, server.server_id)).server.data == first
    assert (await app.communities.change_server(owner, server.server_id, {"data": second})).data == second
    assert (await app.communities.change_server(owner, server.server_id, {"data": None})).data is None
    outcome = await app.communities.create_channel(owner, server.server_id, name="x", data=first)
    assert outcome.channel.data == first
    changed = await app.communities.change_channel(owner, outcome.channel.channel_id, {"data": second})
    assert changed.channel.data == second

    sent = await app.communities.send(owner, community.channel_id, Draft("hi", data=first))
    assert sent.data == first
    [shown] = (await app.communities.page(community.member, community.channel_id, limit=1)).messages
    assert shown.data == first
    edited = await app.communities.edit(owner, community.channel_id, sent.message_id, None, data=second)
    assert (edited.content, edited.data) == ("hi", second)
    assert (await app.communities.edit(owner, community.channel_id, sent.message_id, "ho")).data == second
    await app.communities.delete_message(owner, community.channel_id, sent.message_id)
    assert (await app.communities.get_message(owner, community.channel_id, sent.message_id)).data is None


async def test_data_is_part_of_what_a_nonce_is_bound_to(community: Community) -> None:
    send, owner = community.app.communities.send, community.owner
    first = await send(owner, community.channel_id, Draft("hi", nonce="n", data={"a": 1, "b": 2}))
    again = await send(owner, community.channel_id, Draft("hi", nonce="n", data={"b": 2, "a": 1}))
    assert (again.replayed, again.message_id) == (True, first.message_id)
    for data in ({"a": 2}, None):
        with pytest.raises(NonceReused):
            await send(owner, community.channel_id, Draft("hi", nonce="n", data=data))


class NoSwearing:
    async def judge(self, content: JudgedContent) -> Verdict:
        return Verdict("blocked", ["swearing"]) if "damn" in content.text else CLEAR


async def test_data_is_judged_and_withheld_with_the_content(store: str) -> None:
    async with Sobremesa.open(store, judge=NoSwearing(), background=False) as app:
        owner = actor_of("olga")
        server = await app.communities.create_server(owner, name="x")
        channel = await app.communities.create_channel(owner, server.server_id, name="x")
        reader = actor_of("rea")
        invite = await app.communities.invites.create(owner, server.server_id)
        await app.communities.invites.redeem(reader, invite.code)
        rooms: Rooms = app.communities
        sent = await rooms.send(reader, channel.channel.channel_id, Draft("fine", data={"note": "damn"}))
        assert sent.flags is not None
        other = actor_of("otto")
        await app.communities.invites.redeem(other, invite.code)
        seen = await rooms.get_message(other, channel.channel.channel_id, sent.message_id)
        assert (seen.content, seen.data) == ("", None)


async def test_schema_of_messages_is_applied_to_sends_and_edits(app: Sobremesa) -> None:
    await app.data_schemas.set(KEY, ACME, "message", ORDER)
    owner = Actor.of_user(actor_of("x").user_id, "x", ACME)
    server = await app.communities.create_server(owner, name="x")
    channel_id = (await app.communities.create_channel(owner, server.server_id, name="x")).channel.channel_id
    sent = await app.communities.send(owner, channel_id, Draft("x", data={"order": {"id": "A-1"}}))
    with pytest.raises(BadData):
        await app.communities.send(owner, channel_id, Draft("x", data={"order": 1}))
    with pytest.raises(BadData):
        await app.communities.edit(owner, channel_id, sent.message_id, "y", data={"order": 1})


def test_all_kinds_are_named() -> None:
    assert set(KINDS) == {"user", "server", "channel", "conversation", "thread", "message"}

"""The table explorer over HTTP: who may use it, what it shows, and what it never shows."""

from __future__ import annotations

import uuid
from contextlib import nullcontext
from typing import Any

import aiohttp
import pytest

from api.calling import Caller, register
from api.running import Server, new_key
from sobremesa.app import Sobremesa
from sobremesa.app.registry import REGISTRY
from sobremesa.core.actor import Actor, KeyId, Tenant
from sobremesa.core.errors import Forbidden
from sobremesa.core.settings import Settings


@pytest.fixture
async def operator(server: Server, http: aiohttp.ClientSession) -> Caller:
    """A key of the default tenant that may read the table."""
    return Caller(http, await new_key(server, "table:read"))


async def rows_of(caller: Caller, pk: str, **query: Any) -> list[dict[str, Any]]:
    """Return all rows of a partition, page by page."""
    rows: list[dict[str, Any]] = []
    cursor: dict[str, Any] = {}
    while True:
        page = await caller.get(f"/table/partitions/{pk.replace('#', '%23')}", **query, **cursor)
        rows += page["items"]
        if page["next"] is None:
            return rows
        cursor = {"cursor": page["next"]}


async def test_schema_has_every_entity_and_pattern(operator: Caller) -> None:
    schema = await operator.get("/table/schema")
    assert [entity["name"] for entity in schema["entities"]] == [each.__name__ for each in REGISTRY.entities]
    assert [pattern["id"] for pattern in schema["patterns"]] == [*REGISTRY.patterns]
    [message] = [each for each in schema["entities"] if each["sk"] == "MSG#{ms}#{message_id}"]
    assert (message["pk"], message["indexes"][0]["pk"]) == ("CHANNEL#{room_id}", "MSG#{message_id}")


async def test_partition_shows_rows_by_sort_key_and_their_index_keys(
    operator: Caller, http: aiohttp.ClientSession
) -> None:
    user = await register(http, f"t-{uuid.uuid4().hex[:16]}")
    server = await user.post("/servers", {"name": "A table"})
    pk = f"USER#{user.user_id}"
    rows = await rows_of(operator, pk, limit=2)
    assert [row["sk"] for row in rows] == sorted(row["sk"] for row in rows)
    by_sk = {row["sk"]: row for row in rows}
    membership = by_sk[f"SERVER#{server['serverId']}"]
    assert membership["entity"] == "ServerMembership"
    assert membership["indexKeys"] == [{"index": "gsi1", "pk": f"SERVER#{server['serverId']}", "sk": pk}]
    assert membership["sizeBytes"] > 100
    [key] = membership["indexKeys"]
    assert membership["sk"] in [row["sk"] for row in await rows_of(operator, key["pk"], index=key["index"])]


async def test_request_and_units_of_a_pattern_are_those_of_dynamodb(
    operator: Caller, http: aiohttp.ClientSession
) -> None:
    user = await register(http, f"t-{uuid.uuid4().hex[:16]}")
    for name in ("user_id", "userId"):
        found = await operator.post("/table/patterns/S2.1", {name: user.user_id}, expect=200)
        assert (found["operation"], found["units"]["read"]) == ("GetItem", 1.0)
        assert found["request"]["Key"] == {"pk": {"S": f"USER#{user.user_id}"}, "sk": {"S": "PROFILE"}}
        [row] = found["items"]
        assert row["item"]["username"] == user.name
    found = await operator.post("/table/patterns/S2.2", {"email": user.email}, expect=200)
    assert found["request"]["IndexName"] == "gsi1"
    assert found["request"]["KeyConditionExpression"] == "#0 = :0 AND begins_with(#1, :1)"
    assert [row["entity"] for row in found["items"]] == ["User"]


@pytest.mark.parametrize(
    ("pattern", "body", "status"),
    [
        ("S2.1", {}, 422),
        ("S2.1", {"user_id": "a", "userId": "b"}, 422),
        ("S2.1", {"user_id": "a", "more": 1}, 422),
        ("S2.1", {"user_id": 7}, 422),
        ("S2.1", {"user_id": ""}, 422),
        ("S2.1", {"user_id": "a#b"}, 422),
        ("COM.40", {}, 422),
        ("S2.999", {}, 404),
    ],
)
async def test_wrong_parts_get_a_clear_error(operator: Caller, pattern: str, body: dict[str, Any], status: int) -> None:
    problem = await operator.post(f"/table/patterns/{pattern}", body, expect=status)
    assert problem["detail"]


async def test_unknown_index_and_foreign_cursor_are_refused(operator: Caller, http: aiohttp.ClientSession) -> None:
    user = await register(http, f"t-{uuid.uuid4().hex[:16]}")
    page = await operator.get(f"/table/partitions/USER%23{user.user_id}", limit=1)
    await operator.get("/table/partitions/USER%23other", cursor=page["next"], expect=422)
    problem = await operator.get("/table/partitions/USER%23other", index="gsi9", expect=422)
    assert problem["errors"][0]["detail"] == "Expected one of gsi1, gsi2"


async def test_secrets_are_left_out(server: Server, operator: Caller, http: aiohttp.ClientSession) -> None:
    user = await register(http, f"t-{uuid.uuid4().hex[:16]}")
    key = await new_key(server, "rooms:read")
    key_id = key.removeprefix("sbk_").partition("_")[0]
    rows = {row["sk"]: row for row in await rows_of(operator, f"USER#{user.user_id}")}
    [session] = [row for sk, row in rows.items() if sk.startswith("SESSION#")]
    assert rows["AUTH"]["item"]["hash"] == session["item"]["tokenHash"] == "(redacted)"
    [row] = await rows_of(operator, f"KEY#{key_id}")
    assert row["item"]["hash"] == "(redacted)"
    for row in await rows_of(operator, "SYSTEM"):
        assert row["item"].get("private", "(redacted)") == "(redacted)"
        assert row["item"].get("value", "(redacted)") == "(redacted)"
    found = await operator.post("/table/patterns/ACC.1", {"user_id": user.user_id}, expect=200)
    assert [row["item"]["hash"] for row in found["items"]] == ["(redacted)"]


async def test_rows_are_for_operators_only(server: Server, operator: Caller, http: aiohttp.ClientSession) -> None:
    user = await register(http, f"t-{uuid.uuid4().hex[:16]}")
    others = [
        user,
        Caller(http, await new_key(server, "rooms:read")),
        Caller(http, await new_key(server, "admin", tenant=f"t{uuid.uuid4().hex[:16]}")),
    ]
    for caller in others:
        await caller.get("/table/partitions/SYSTEM", expect=403)
        await caller.post("/table/patterns/S2.1", {"user_id": user.user_id}, expect=403)
        await caller.get("/table/cost", expect=403)
    await others[2].get("/table/schema")


async def test_operators_may_be_of_another_tenant_or_of_none() -> None:
    operator = Actor(tenant=Tenant("ops"), key_id=KeyId("key"), scopes=frozenset({"table:read"}))
    for operator_tenant, is_allowed in (("ops", True), ("default", False), ("", False)):
        settings = Settings(operator_tenant=operator_tenant)
        async with Sobremesa.open("sqlite://", settings=settings, background=False) as app:
            with nullcontext() if is_allowed else pytest.raises(Forbidden):
                await app.explorer.read_partition(operator, "SYSTEM", limit=1)


async def test_reads_of_rows_are_in_the_audit_log(
    server: Server, operator: Caller, http: aiohttp.ClientSession
) -> None:
    target = f"USER#{uuid.uuid4().hex}"
    await rows_of(operator, target)
    admin = Caller(http, await new_key(server, "admin"))
    log = await admin.get("/tenants/default/audit", limit=100)
    assert ("table.read", target) in [(entry["action"], entry["target"]) for entry in log["items"]]


async def test_costs_grow_with_what_is_done(operator: Caller, http: aiohttp.ClientSession) -> None:
    before = await operator.get("/table/cost")
    await register(http, f"t-{uuid.uuid4().hex[:16]}")
    after = await operator.get("/table/cost")
    assert after["writeUnits"] >= before["writeUnits"] + 12
    registrations = {each["pattern"]: each["calls"] for each in after["patterns"]}["ACC.20"]
    assert registrations > {each["pattern"]: each["calls"] for each in before["patterns"]}.get("ACC.20", 0)
    assert after["dollars"] == pytest.approx((after["readUnits"] * 0.125 + after["writeUnits"] * 0.625) / 1e6, abs=1e-6)

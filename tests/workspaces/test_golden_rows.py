"""Rows that another program wrote by the design of the workspaces: they load and can be used."""

from __future__ import annotations

from typing import Any

import pytest

from sobremesa.app import REGISTRY, Sobremesa
from sobremesa.core.actor import Actor, UserId
from sobremesa.domains.invites.codes import InviteCode
from sobremesa.domains.workspaces import entities
from sobremesa.domains.workspaces.entities import (
    Invite,
    Item,
    ItemId,
    LegacyItem,
    LegacySetting,
    Member,
    Setting,
    SettingName,
    Workspace,
    WorkspaceId,
)
from sobremesa.table import Entity, Layout, RawKey, Registry
from sobremesa.table.engines.protocol import PutItem
from sobremesa.table.values import Item as StoredItem

LAYOUT = Layout()
THEN = "2026-02-04T12:10:00Z"
W1 = WorkspaceId("ws_01")
ANA, BEN, CLEO = (Actor.of_user(UserId(name), name) for name in ("u_01", "u_02", "u_03"))


def row(pk: str, sk: str, gsi1pk: str | None = None, gsi1sk: str | None = None, **attributes: Any) -> StoredItem:
    index = {} if gsi1pk is None else {"gsi1pk": gsi1pk, "gsi1sk": gsi1sk}
    return {"pk": pk, "sk": sk, **index, **attributes}


SAMPLES: dict[str, tuple[type[Entity], StoredItem]] = {
    "a workspace": (
        Workspace,
        row(
            "WORKSPACE#ws_01", "WORKSPACE", "USER#u_01", f"WORKSPACE#{THEN}",
            name="Ours", createdBy="u_01", createdAt=THEN,
        ),
    ),
    "its owner": (
        Member,
        row("WORKSPACE#ws_01", "MEMBER#u_01", "USER#u_01", "WORKSPACE#ws_01", role="owner"),
    ),
    "a member": (Member, row("WORKSPACE#ws_01", "MEMBER#u_02", "USER#u_02", "WORKSPACE#ws_01", joinedAt=THEN)),
    "an invite code": (Invite, row("INVITE#abc123", "INVITE", workspaceId="ws_01", expiresAt=None)),
    "an item": (
        Item,
        row("WORKSPACE#ws_01", "ITEM#6f1c", "WSITEMS#ws_01", THEN, title="Coffee", status="open", createdAt=THEN),
    ),
    "a setting": (Setting, row("WORKSPACE#ws_01", "SET#theme", value="dark")),
    "an item of before": (LegacyItem, row("ITEM#9f86d081", "ITEM", "ITEMS", THEN, title="Old", status="open")),
    "a setting of before": (LegacySetting, row("SETTINGS", "SET#theme", value="light")),
}  # fmt: skip


@pytest.mark.parametrize("name", SAMPLES)
def test_documented_row_loads_and_its_keys_are_byte_identical(name: str) -> None:
    entity, item = SAMPLES[name]

    stored = entity.from_item(item, LAYOUT).to_item(LAYOUT)

    keys = [key for key in ("pk", "sk", "gsi1pk", "gsi1sk") if key in item]
    assert {key: stored[key] for key in keys} == {key: item[key] for key in keys}
    lost = {field: value for field, value in item.items() if value is not None and stored.get(field) != value}
    assert lost == {}
    assert Registry.of(entities).entity_of(item, LAYOUT) is entity


def test_codes_of_communities_and_workspaces_are_distinguished() -> None:
    keys = {"pk": "INVITE#abc", "sk": "INVITE"}
    kinds = {kind: REGISTRY.entity_of({**keys, "entityType": kind}, LAYOUT) for kind in ("Invite", "InviteClaim")}

    assert kinds["Invite"] is Invite
    assert kinds["InviteClaim"] is not Invite


async def test_workspace_of_another_writer_can_be_used(app: Sobremesa) -> None:
    for _, item in SAMPLES.values():
        await app.table.engine.write(PutItem(RawKey(item["pk"], item["sk"]), item))

    listed, _ = await app.workspaces.list_workspaces(ANA, limit=10)
    assert [(each.workspace.name, each.role) for each in listed] == [("Ours", "owner")]
    found = await app.workspaces.get_everything(BEN, W1, limit=100)
    assert found.workspace is not None
    assert [item.title for item in found.items] == ["Coffee"]
    assert [(setting.name, setting.value) for setting in found.settings] == [("theme", "dark")]
    changed = await app.workspaces.items.change(BEN, W1, ItemId("6f1c"), version=1, changes={"status": "done"})
    assert (changed.version, changed.status, changed.created_at) == (2, "done", THEN)
    await app.workspaces.settings.put(ANA, W1, SettingName("theme"), "light")
    await app.invites.redeem(CLEO, InviteCode("abc123"))
    assert (await app.workspaces.get(CLEO, W1)).workspace.members == 3
    await app.workspaces.members.remove(BEN, W1, BEN.user_id)
    await app.workspaces.delete(ANA, W1)
    await app.jobs.run_pending(app.handlers)
    left = [item async for item in app.table.scan(consistent=True) if item["pk"] == "WORKSPACE#ws_01"]
    assert left == []

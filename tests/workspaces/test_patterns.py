"""Every declared access pattern finds its rows and no others, and every declared write happens."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from communities.conftest import Ahead
from communities.environment import PASSWORD, register
from pattern_tests import Asked, PatternTests, require_writes
from sobremesa.core.actor import Actor, KeyId, UserId
from sobremesa.core.clock import SystemClock, instant
from sobremesa.core.ids import Ids
from sobremesa.domains.invites.codes import InviteCode
from sobremesa.domains.workspaces import entities as ws
from sobremesa.domains.workspaces.entities import ItemId, SettingName, WorkspaceId
from sobremesa.domains.workspaces.moving import recipe
from sobremesa.table import Entity, Put, RawKey, Registry
from sobremesa.table.capacity import UNNAMED
from sobremesa.table.engines.protocol import PutItem
from sobremesa.work import table_origin as ori
from sobremesa.work.migration import Migrations
from sobremesa.work.migration import entities as mig
from workspaces.team import Team, join

REGISTRY = Registry.of(ws, mig, ori)
FAR = 4_102_444_800
NOW = instant(1_763_000_000_000)
A, B = UserId("ana"), UserId("ben")
W, X = WorkspaceId("w"), WorkspaceId("x")


class Dataset(NamedTuple):
    """Two or more rows of every kind, so that a wrong query finds too much."""

    heads: list[ws.Workspace]
    members: list[ws.Member]
    invites: list[ws.Invite]
    refs: list[ws.InviteRef]
    items: list[ws.Item]
    settings: list[ws.Setting]
    old_items: list[ws.LegacyItem]
    old_settings: list[ws.LegacySetting]
    migrations: list[mig.Migration]
    origins: list[ori.TableOrigin]

    def rows(self) -> list[Entity]:
        return [row for held in self for row in held]


def create_dataset() -> Dataset:
    return Dataset(
        heads=[ws.Workspace(workspace_id=each, name=each) for each in (W, X)],
        members=[ws.Member(workspace_id=each, user_id=who) for each, who in ((W, A), (W, B), (X, A))],
        invites=[ws.Invite(code=InviteCode(code), workspace_id=W) for code in ("c1", "c2")],
        refs=[
            ws.InviteRef(workspace_id=each, code=InviteCode(code), ttl=FAR)
            for each, code in ((W, "c1"), (W, "c2"), (X, "c3"))
        ],
        items=[
            ws.Item(workspace_id=each, item_id=ItemId(id), created_at=NOW)
            for each, id in ((W, "i1"), (W, "i2"), (X, "i3"))
        ],
        settings=[
            ws.Setting(workspace_id=each, name=SettingName(name), value=1)
            for each, name in ((W, "s1"), (W, "s2"), (X, "s1"))
        ],
        old_items=[ws.LegacyItem(hash=hash) for hash in ("h1", "h2")],
        old_settings=[ws.LegacySetting(name=SettingName(name)) for name in ("s1", "s2")],
        migrations=[
            mig.Migration(name=name, phase="planned", planned_at=NOW, changed_at=NOW, position="p")
            for name in ("one", "two")
        ],
        origins=[ori.TableOrigin(noticed_at=NOW)],
    )


READS: dict[str, Callable[[Dataset], Asked]] = {
    # The five access patterns of the design
    "S1.1": lambda s: (
        ws.everything_in(workspace_id=W),
        [s.heads[0], *s.settings[1::-1], *s.members[1::-1], *s.items[1::-1]],
    ),
    "S1.2": lambda s: (ws.workspaces_of(user_id=A), [s.members[0], s.members[2]]),
    "S1.3": lambda s: (ws.membership(workspace_id=W, user_id=B), [s.members[1]]),
    "S1.4": lambda s: (ws.items_of(workspace_id=W), s.items[:2]),
    "S1.5": lambda s: (ws.invite_by_code(code="c2"), [s.invites[1]]),
    # Further access patterns
    "WS.1": lambda s: (ws.workspace_by_id(workspace_id=X), [s.heads[1]]),
    "WS.2": lambda s: (ws.members_of(workspace_id=W), s.members[:2]),
    "WS.3": lambda s: (ws.invites_of(workspace_id=W), s.refs[:2]),
    "WS.4": lambda s: (ws.item_by_id(workspace_id=W, item_id="i2"), [s.items[1]]),
    "WS.5": lambda s: (ws.settings_of(workspace_id=W), s.settings[:2]),
    "WS.6": lambda s: (ws.setting_by_name(workspace_id=X, name="s1"), [s.settings[2]]),
    "WS.7": lambda s: (ws.legacy_item(hash="h2"), [s.old_items[1]]),
    "WS.8": lambda s: (ws.legacy_setting(name="s1"), [s.old_settings[0]]),
    "WS.9": lambda s: (ws.legacy_settings(), s.old_settings),
    "WS.10": lambda s: (
        ws.left_in(workspace_id=W),
        [*s.refs[:2], *s.items[:2], *s.members[:2], *s.settings[:2]],
    ),
    "WS.11": lambda s: (ws.invite_ref(workspace_id=W, code="c2"), [s.refs[1]]),
    "MIG.1": lambda s: (mig.migration_of(name="two"), [s.migrations[1]]),
    "ORI.1": lambda s: (ori.origin_of_table(), s.origins),
}


class TestPatterns(PatternTests):
    registry = REGISTRY
    reads = READS
    whole = ("S1.1", "WS.10")

    def create_dataset(self) -> Dataset:
        return create_dataset()


async def test_every_declared_write_happens_in_one_story_and_none_goes_without_a_name(team: Team, clock: Ahead) -> None:
    app, at = team.app, team.workspace_id
    dora = await register(app, "dora")
    old = {"pk": "ITEM#h", "sk": "ITEM", "gsi1pk": "ITEMS", "gsi1sk": "h", "title": "old"}
    await app.table.engine.write(PutItem(RawKey("ITEM#h", "ITEM"), old))
    await app.table.write(Put(ws.Workspace(workspace_id=WorkspaceId("foreign"))))
    await app.table.write(Put(ws.Member(workspace_id=WorkspaceId("foreign"), user_id=dora.user_id)))
    filled = app.table.meter.totals()[UNNAMED].calls

    await join(app, team.owner, at, dora)
    await app.workspaces.rename(team.owner, at, name="x")
    item = await app.workspaces.items.create(dora, at, title="x")
    await app.workspaces.items.change(dora, at, item.item_id, version=1, changes={"title": "y"})
    await app.workspaces.items.delete(dora, at, item.item_id)
    await app.workspaces.settings.put(team.owner, at, SettingName("a"), 1)
    invite = await app.workspaces.invites.create(team.owner, at)
    await app.invites.revoke(team.owner, invite.code)
    await app.workspaces.members.remove(team.owner, at, dora.user_id)
    await app.workspaces.members.add(Actor(key_id=KeyId("k"), scopes=frozenset({"rooms:write"})), at, dora.user_id)
    migrations = Migrations(app.table, clock, Ids(clock), recipe(app.table.layout))
    await migrations.plan({"workspace": at, "allItems": "ITEMS"})
    await migrations.backfill()
    await app.accounts.delete_me(dora, password=PASSWORD)
    await app.workspaces.delete(team.owner, at)
    for _ in range(3):
        await app.jobs.run_pending(app.handlers)
        await ori.Origin.of(app.table, SystemClock(), is_foreign=True)

    met = app.table.meter.totals()
    require_writes(REGISTRY, met)
    assert met[UNNAMED].calls == filled, "every write has a pattern"

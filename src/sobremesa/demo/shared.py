"""The workspaces of the demo."""

from __future__ import annotations

from typing import Any, NamedTuple

from sobremesa.demo.world import Act, World
from sobremesa.domains.workspaces.entities import SettingName


class Item(NamedTuple):
    """An item, and the states it went through."""

    title: str
    by: str
    data: dict[str, Any]
    statuses: tuple[str, ...]


class Shared(NamedTuple):
    """A workspace: its owner, members and content."""

    begun: str
    name: str
    owner: str
    members: tuple[str, ...]
    admins: tuple[str, ...]
    items: tuple[Item, ...]
    settings: dict[str, Any]


WORKSPACES = (
    Shared(
        "30 10:00",
        "Winter menu",
        "ana",
        ("marta", "teo", "hugo", "noor"),
        ("marta",),
        (
            Item(
                "Smoked leek soup", "marta", {"course": "soup", "cost": 2.1, "price": 7}, ("idea", "testing", "ready")
            ),
            Item(
                "White bean stew", "marta", {"course": "main", "cost": 3.4, "price": 13}, ("idea", "testing", "ready")
            ),
            Item("Squash with hazelnuts", "marta", {"course": "main", "cost": 3.0, "price": 12}, ("testing", "ready")),
            Item("Mussels", "marta", {"course": "main", "waitsFor": "the road at the harbour"}, ("idea", "waiting")),
            Item("Rye with cider", "hugo", {"course": "bread", "note": "the evidence was eaten"}, ("idea", "testing")),
            Item("Quince tart", "hugo", {"course": "sweet", "cost": 1.8, "price": 6}, ("ready",)),
            Item("The almond thing", "ana", {"course": "sweet", "from": "1979, by Pilar"}, ("idea", "testing")),
            Item("Print the menu card", "noor", {"due": "this week"}, ("idea", "doing")),
            Item("Chestnut cream on everything", "teo", {"asked": "three times"}, ("idea", "dropped")),
        ),
        {
            "theme": "autumn",
            "currency": "EUR",
            "hours": {"lunch": ["12:30", "15:30"], "dinner": ["19:30", "23:00"]},
            "statuses": ["idea", "testing", "waiting", "doing", "ready", "dropped"],
            "tastingAt": "16:00",
        },
    ),
    Shared(
        "20 09:00",
        "Harvest dinner",
        "ben",
        ("ana", "iker", "carmen", "noor", "lena"),
        ("carmen",),
        (
            Item("Forty chairs", "ben", {"have": 31, "need": 40}, ("open", "doing")),
            Item("Forty napkins, folded exactly", "lena", {"folded": 40}, ("open", "done")),
            Item("Candles", "carmen", {"have": 79, "cost": 0}, ("open", "done")),
            Item("Poster", "noor", {"hands": 41}, ("open", "doing")),
            Item("Who says a few words?", "ben", {"not": "Pilar, she says"}, ("open",)),
            Item("The big bread", "iker", {"by": "Hugo", "arms": 2}, ("open",)),
        ),
        {"budget": {"amount": 30_000, "currency": "EUR"}, "place": "La Mesa Larga", "goat": False},
    ),
)


def acts(world: World) -> list[Act]:
    """Return the actions that create the workspaces."""
    return [_create(world, shared) for shared in WORKSPACES]


def _create(world: World, shared: Shared) -> Act:
    async def create() -> None:
        app, owner = world.app, world.people[shared.owner]
        created = (await app.workspaces.create(owner, name=shared.name)).workspace
        invite = await app.workspaces.invites.create(owner, created.workspace_id, max_uses=len(shared.members) + 3)
        for name in shared.members:
            await app.workspaces.invites.redeem(world.people[name], invite.code)
        for name in shared.admins:
            await app.workspaces.members.change_role(
                owner, created.workspace_id, world.people[name].user_id, role="admin"
            )
        for item in shared.items:
            actor = world.people[item.by]
            row = await app.workspaces.items.create(
                actor, created.workspace_id, title=item.title, status=item.statuses[0], data=item.data
            )
            for status in item.statuses[1:]:
                row = await app.workspaces.items.change(
                    actor, created.workspace_id, row.item_id, version=row.version, changes={"status": status}
                )
        for setting, value in shared.settings.items():
            await app.workspaces.settings.put(owner, created.workspace_id, SettingName(setting), value)

    return world.act(shared.begun, create)

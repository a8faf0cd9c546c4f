"""The workspaces of the demo."""

from __future__ import annotations

from typing import Any, NamedTuple

from sobremesa.demo.seed_state import Action, SeedState
from sobremesa.domains.workspaces.entities import SettingName


class Item(NamedTuple):
    """An item, and the states it went through."""

    title: str
    by: str
    data: dict[str, Any]
    statuses: tuple[str, ...]


class Workspace(NamedTuple):
    """A workspace: its owner, members and content."""

    created: str
    name: str
    owner: str
    members: tuple[str, ...]
    admins: tuple[str, ...]
    items: tuple[Item, ...]
    settings: dict[str, Any]


WORKSPACES = (
    Workspace(
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
    Workspace(
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


def actions(state: SeedState) -> list[Action]:
    """Return the actions that create the workspaces."""
    return [_create(state, workspace) for workspace in WORKSPACES]


def _create(state: SeedState, workspace: Workspace) -> Action:
    async def create() -> None:
        app, owner = state.app, state.users[workspace.owner]
        created = (await app.workspaces.create(owner, name=workspace.name)).workspace
        invite = await app.workspaces.invites.create(owner, created.workspace_id, max_uses=len(workspace.members) + 3)
        for name in workspace.members:
            await app.workspaces.invites.redeem(state.users[name], invite.code)
        for name in workspace.admins:
            await app.workspaces.members.change_role(
                owner, created.workspace_id, state.users[name].user_id, role="admin"
            )
        for item in workspace.items:
            actor = state.users[item.by]
            row = await app.workspaces.items.create(
                actor, created.workspace_id, title=item.title, status=item.statuses[0], data=item.data
            )
            for status in item.statuses[1:]:
                row = await app.workspaces.items.change(
                    actor, created.workspace_id, row.item_id, version=row.version, changes={"status": status}
                )
        for setting, value in workspace.settings.items():
            await app.workspaces.settings.put(owner, created.workspace_id, SettingName(setting), value)

    return state.action(workspace.created, create)

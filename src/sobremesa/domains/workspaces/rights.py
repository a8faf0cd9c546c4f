"""Which role may do what in a workspace. This table is the rule; the docs show it as it stands here."""

from __future__ import annotations

from typing import Literal, TypeAlias

Role: TypeAlias = Literal["owner", "admin", "member"]
Right: TypeAlias = Literal[
    "read", "write", "configure", "invite", "remove_members", "manage_roles", "delete", "see_audit"
]

DESCRIPTIONS: dict[Right, str] = {
    "read": "see the workspace, its members, items and settings; leave",
    "write": "make, change and delete items",
    "configure": "rename the workspace, change its settings",
    "invite": "make, see and revoke invites",
    "remove_members": "take out those of a lower role",
    "manage_roles": "give any role to anybody, own the workspace together",
    "delete": "delete the workspace",
    "see_audit": "read the audit log",
}

_Rights: TypeAlias = frozenset[Right]
_MEMBER: _Rights = frozenset({"read", "write"})
_ADMIN: _Rights = _MEMBER.union({"configure", "invite", "remove_members", "see_audit"})
_OWNER: _Rights = _ADMIN.union({"manage_roles", "delete"})

RIGHTS: dict[Role, frozenset[Right]] = {"owner": _OWNER, "admin": _ADMIN, "member": _MEMBER}

_RANK: dict[Role, int] = {"member": 0, "admin": 1, "owner": 2}


def may_remove(one: Role, other: Role) -> bool:
    """May the first role take somebody of the second out? Owners may do it to each other."""
    return one == "owner" or _RANK[one] > _RANK[other]

"""The rights of each role in a workspace. The documentation is generated from this table."""

from __future__ import annotations

from typing import Literal, TypeAlias

Role: TypeAlias = Literal["owner", "admin", "member"]
Right: TypeAlias = Literal[
    "read", "write", "configure", "invite", "remove_members", "manage_roles", "delete", "see_audit"
]

DESCRIPTIONS: dict[Right, str] = {
    "read": "see the workspace, its members, items and settings; leave",
    "write": "create, change and delete items",
    "configure": "rename the workspace, change its settings",
    "invite": "create, list and revoke invites",
    "remove_members": "remove members of a lower role",
    "manage_roles": "change the role of any member, add owners",
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
    """Return whether the first role may remove a member of the second. Owners may remove each other."""
    return one == "owner" or _RANK[one] > _RANK[other]

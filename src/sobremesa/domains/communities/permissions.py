"""The rights of each role in a server. The docs page of permissions is generated from this table."""

from __future__ import annotations

from typing import Literal, TypeAlias

Role: TypeAlias = Literal["owner", "admin", "moderator", "member"]
Right: TypeAlias = Literal[
    "read",
    "send",
    "invite",
    "pin",
    "moderate",
    "remove_members",
    "manage_invites",
    "manage_channels",
    "manage_server",
    "manage_roles",
    "see_audit",
    "transfer",
    "delete_server",
]

DESCRIPTIONS: dict[Right, str] = {
    "read": "read channels, members and history",
    "send": "send messages, react, report",
    "invite": "create invites, and revoke your own",
    "pin": "pin messages",
    "moderate": "delete messages of others",
    "remove_members": "kick and ban members with a lower role, list and lift bans",
    "manage_invites": "list all invites and revoke any",
    "manage_channels": "create, update and delete channels, and see all of them and who sees the private ones",
    "manage_server": "update the server's name and icon, manage its bots and slash commands",
    "manage_roles": "give members with a lower role roles below your own",
    "see_audit": "read the audit log",
    "transfer": "transfer the server to another member",
    "delete_server": "delete the server",
}

_Rights: TypeAlias = frozenset[Right]
_MEMBER: _Rights = frozenset({"read", "send", "invite"})
_MODERATOR: _Rights = _MEMBER.union({"pin", "moderate", "remove_members"})
_ADMIN: _Rights = _MODERATOR.union({"manage_invites", "manage_channels", "manage_server", "manage_roles", "see_audit"})
_OWNER: _Rights = _ADMIN.union({"transfer", "delete_server"})

RIGHTS: dict[Role, frozenset[Right]] = {
    "owner": _OWNER,
    "admin": _ADMIN,
    "moderator": _MODERATOR,
    "member": _MEMBER,
}

RANK: dict[Role, int] = {"member": 0, "moderator": 1, "admin": 2, "owner": 3}


def outranks(one: Role, other: Role) -> bool:
    """Return whether the first role ranks above the second. Equal roles do not outrank each other."""
    return RANK[one] > RANK[other]

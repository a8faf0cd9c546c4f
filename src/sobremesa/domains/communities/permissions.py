"""Which role may do what in a server. This table is the rule; the docs show it as it stands here."""

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
    "invite": "make invites, and revoke one's own",
    "pin": "pin messages",
    "moderate": "delete messages of others",
    "remove_members": "kick and ban those of a lower role, see and lift bans",
    "manage_invites": "see all invites and revoke any",
    "manage_channels": "make, change and delete channels",
    "manage_server": "change the server's name and icon",
    "manage_roles": "give roles below one's own to those below oneself",
    "see_audit": "read the audit log",
    "transfer": "hand the server to another member",
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

_RANK: dict[Role, int] = {"member": 0, "moderator": 1, "admin": 2, "owner": 3}


def outranks(one: Role, other: Role) -> bool:
    """Does the first role stand above the second? Nobody acts upon their equals."""
    return _RANK[one] > _RANK[other]

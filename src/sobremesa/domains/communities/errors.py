"""Refusals of communities."""

from __future__ import annotations

from sobremesa.core.errors import Clash, Forbidden


class OwnerCannotLeave(Clash):
    code = "last_owner"
    default_detail = "The owner cannot leave: transfer or delete the server first."


class Banned(Forbidden):
    code = "banned"
    default_detail = "You are banned from this server."


class TooManyChannels(Clash):
    code = "too_many_channels"
    default_detail = "This server has the maximum number of channels."


class TooManyServers(Clash):
    code = "too_many_servers"
    default_detail = "You are a member of the maximum number of servers."

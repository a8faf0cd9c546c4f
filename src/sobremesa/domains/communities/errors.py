"""Refusals of communities."""

from __future__ import annotations

from sobremesa.core.errors import Clash, Forbidden


class ChangedMeanwhile(Clash):
    code = "changed_meanwhile"
    says = "This was changed at the same time: fetch it again and retry."


class OwnerCannotLeave(Clash):
    code = "last_owner"
    says = "The owner cannot leave: transfer or delete the server first."


class Banned(Forbidden):
    code = "banned"
    says = "You are banned from this server."


class RankTooLow(Forbidden):
    code = "rank_too_low"
    says = "Only a member with a higher role may do this."


class TooManyChannels(Clash):
    code = "too_many_channels"
    says = "This server has the maximum number of channels."


class TooManyServers(Clash):
    code = "too_many_servers"
    says = "You are a member of the maximum number of servers."

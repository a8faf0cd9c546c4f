"""What a community refuses."""

from __future__ import annotations

from sobremesa.core.errors import Clash, Forbidden


class ChangedMeanwhile(Clash):
    code = "changed_meanwhile"
    says = "Somebody changed this at the same moment: look again."


class OwnerCannotLeave(Clash):
    code = "last_owner"
    says = "The owner cannot leave: hand the server over, or delete it."


class Banned(Forbidden):
    code = "banned"
    says = "You may not come back to this server."


class RankTooLow(Forbidden):
    code = "rank_too_low"
    says = "Only somebody of a higher role may do this to them."


class TooManyChannels(Clash):
    code = "too_many_channels"
    says = "This server has as many channels as a server may have."


class TooManyServers(Clash):
    code = "too_many_servers"
    says = "You are in as many servers as a person may be."

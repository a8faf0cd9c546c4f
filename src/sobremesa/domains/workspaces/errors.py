"""The refusals of workspaces."""

from __future__ import annotations

from sobremesa.core.errors import Clash, Forbidden, Invalid


class ChangedMeanwhile(Clash):
    code = "changed_meanwhile"
    says = "This was changed by another request. Reload and try again."


class LastOwner(Clash):
    code = "last_owner"
    says = "A workspace must have an owner. Add another owner first, or delete the workspace."


class TooManyMembers(Clash):
    code = "too_many_people"
    says = "This workspace has the maximum number of members."


class StaleVersion(Clash):
    """`current` in the data is the current item."""

    code = "stale_version"
    says = "The item has changed since this version."


class RankTooLow(Forbidden):
    code = "rank_too_low"
    says = "Only a member with a higher role may do this."


class WrongSetting(Invalid):
    """The value does not match the type that the application registered for this setting."""

    code = "wrong_setting"
    says = "The value is not valid for this setting."

"""What a workspace refuses."""

from __future__ import annotations

from sobremesa.core.errors import Clash, Forbidden, Invalid


class ChangedMeanwhile(Clash):
    code = "changed_meanwhile"
    says = "Somebody changed this at the same moment: look again."


class LastOwner(Clash):
    code = "last_owner"
    says = "A workspace is never without an owner: make somebody else one first, or delete it."


class TooManyMembers(Clash):
    code = "too_many_people"
    says = "This workspace has as many people as a workspace may have."


class StaleVersion(Clash):
    """`current` in the data is the item as it is now."""

    code = "stale_version"
    says = "The item has changed since you saw it."


class RankTooLow(Forbidden):
    code = "rank_too_low"
    says = "Only somebody of a higher role may do this to them."


class WrongSetting(Invalid):
    """The application registered a type for this setting, and the value is none of it."""

    code = "wrong_setting"
    says = "The value does not fit this setting."

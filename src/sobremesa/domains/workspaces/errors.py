"""The refusals of workspaces."""

from __future__ import annotations

from sobremesa.core.errors import Clash, Invalid


class LastOwner(Clash):
    code = "last_owner"
    default_detail = "A workspace must have an owner. Add another owner first, or delete the workspace."


class TooManyMembers(Clash):
    code = "too_many_people"
    default_detail = "This workspace has the maximum number of members."


class WrongSetting(Invalid):
    """The value does not match the type that the application registered for this setting."""

    code = "wrong_setting"
    default_detail = "The value is not valid for this setting."

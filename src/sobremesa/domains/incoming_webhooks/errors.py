"""Refusals of incoming webhooks."""

from __future__ import annotations

from sobremesa.core.errors import Clash, Invalid


class TooManyHooks(Clash):
    code = "too_many_hooks"
    default_detail = "This room has the maximum number of incoming webhooks: delete one first."


class NothingToPost(Invalid):
    code = "nothing_to_post"
    default_detail = "The body has no text that could be posted."

"""Refusals of bots."""

from __future__ import annotations

from sobremesa.core.errors import Clash


class TooManyBots(Clash):
    code = "too_many_bots"
    default_detail = "The maximum number of bots is reached: delete one first."

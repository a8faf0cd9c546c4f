"""The refusals of the review queue."""

from __future__ import annotations

from sobremesa.core.errors import Clash


class CaseClosed(Clash):
    code = "case_closed"
    default_detail = "This case is already decided: see `current`."

"""What the review of cases refuses."""

from __future__ import annotations

from sobremesa.core.errors import Clash


class CaseClosed(Clash):
    code = "case_closed"
    says = "Somebody has decided about this case: `current` tells what."

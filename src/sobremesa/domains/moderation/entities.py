"""The access patterns of the review queue, whose rows the rooms write."""

from __future__ import annotations

from typing import NewType

from sobremesa.rooms.entities import ModerationCase
from sobremesa.table import Lookup, Pattern, WritePattern

CaseId = NewType("CaseId", str)

case_by_key = Lookup("MOD.1", "What is this case about?", ModerationCase, consistent=True)
cases_in = Pattern(
    "MOD.2",
    "Which cases of one shard are open, or closed, newest first?",
    ModerationCase,
    index="by_state",
    newest_first=True,
)
tenant_cases_in = Pattern(
    "MOD.10",
    "Which cases of a tenant other than the default one are open, or closed, in one shard, newest first?",
    ModerationCase,
    index="of_tenant",
    newest_first=True,
)
decide_case = WritePattern("MOD.3", "Decide a case", ModerationCase)

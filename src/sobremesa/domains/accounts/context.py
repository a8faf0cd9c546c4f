"""What the parts of accounts share."""

from __future__ import annotations

from typing import NamedTuple

from sobremesa.core.clock import Clock
from sobremesa.core.ids import Ids
from sobremesa.core.settings import Settings
from sobremesa.domains.accounts.actor_cache import ActorCache
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.accounts.directory import Directory
from sobremesa.domains.accounts.keyring import Keyring
from sobremesa.domains.accounts.sessions import Sessions
from sobremesa.domains.accounts.unclaimed_names import UnclaimedNames
from sobremesa.http.limits import Limits
from sobremesa.table import Table


class AccountContext(NamedTuple):
    """The table, the clock, and what reads users and sessions. Each part takes from it what it uses."""

    table: Table
    clock: Clock
    ids: Ids
    settings: Settings
    keyring: Keyring
    limits: Limits
    audit: Audit
    actor_cache: ActorCache
    unclaimed: UnclaimedNames
    directory: Directory
    sessions: Sessions

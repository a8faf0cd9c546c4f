"""Composes the parts of accounts."""

from __future__ import annotations

from typing import NamedTuple

from sobremesa.core.clock import Clock
from sobremesa.core.ids import Ids
from sobremesa.core.settings import BadSetting, Settings
from sobremesa.domains.accounts.actor_cache import ActorCache
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.accounts.authentication import Authentication
from sobremesa.domains.accounts.deletion_hooks import DeletionHook, Exporter, JobQueue
from sobremesa.domains.accounts.issuers import Issuers
from sobremesa.domains.accounts.keyring import Keyring
from sobremesa.domains.accounts.mail import Mailer, mailer_of
from sobremesa.domains.accounts.passwords import Passwords, passwords_of
from sobremesa.domains.accounts.provisioning import Provisioning
from sobremesa.domains.accounts.server_keys import ServerKeys
from sobremesa.domains.accounts.service import Accounts
from sobremesa.domains.accounts.tokens import Tokens
from sobremesa.domains.accounts.unclaimed_names import UnclaimedNames
from sobremesa.http.limits import Limits
from sobremesa.table import Table
from sobremesa.work.table_origin import Origin


class Opened(NamedTuple):
    """The parts of accounts that others use."""

    accounts: Accounts
    authentication: Authentication
    server_keys: ServerKeys


def open_accounts(
    table: Table,
    clock: Clock,
    ids: Ids,
    *,
    keyring: Keyring,
    limits: Limits,
    jobs: JobQueue,
    settings: Settings,
    mailer: Mailer | None = None,
    passwords: Passwords | None = None,
    deletion_hooks: list[DeletionHook] | None = None,
    exporters: list[Exporter] | None = None,
    origin: Origin | None = None,
) -> Opened:
    """Open accounts over a table. Other domains add their deletion hooks and exporters to the lists."""
    mailer = mailer or mailer_of(settings)
    if settings.registration == "verified" and mailer is None:
        raise BadSetting("registration is `verified`, which requires mail: set `mail` or pass a mailer")
    actor_cache = ActorCache(clock)
    tokens = Tokens(keyring, clock, settings.token_issuer)
    audit = Audit(table, clock, ids)
    server_keys = ServerKeys(table, clock, ids, actor_cache, audit)
    accounts = Accounts(
        table,
        clock,
        ids,
        passwords=passwords or passwords_of(settings),
        tokens=tokens,
        keyring=keyring,
        actor_cache=actor_cache,
        audit=audit,
        limits=limits,
        mailer=mailer,
        jobs=jobs,
        settings=settings,
        deletion_hooks=deletion_hooks,
        exporters=exporters,
        unclaimed=(unclaimed := UnclaimedNames(table, origin)),
    )
    authentication = Authentication(
        table,
        clock,
        tokens=tokens,
        issuers=Issuers(settings.issuers, clock),
        provisioning=Provisioning(table, clock, ids, unclaimed),
        keys=server_keys,
        actor_cache=actor_cache,
    )
    return Opened(accounts, authentication, server_keys)

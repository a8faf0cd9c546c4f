"""Composes the parts of accounts."""

from __future__ import annotations

from sobremesa.core.actor import Tenant
from sobremesa.core.clock import Clock
from sobremesa.core.custom_data import BoundsOnly, DataChecks
from sobremesa.core.ids import Ids
from sobremesa.core.settings import BadSetting, Settings
from sobremesa.domains.accounts.actor_cache import ActorCache
from sobremesa.domains.accounts.audit import Audit
from sobremesa.domains.accounts.authentication import Authentication
from sobremesa.domains.accounts.bot_accounts import BotAccounts
from sobremesa.domains.accounts.context import AccountContext
from sobremesa.domains.accounts.deletion_hooks import JobQueue, UserDataOfDomains
from sobremesa.domains.accounts.directory import Directory
from sobremesa.domains.accounts.issuers import Issuers
from sobremesa.domains.accounts.keyring import Keyring
from sobremesa.domains.accounts.password_accounts import PasswordAccounts
from sobremesa.domains.accounts.passwords import Passwords, passwords_of
from sobremesa.domains.accounts.provisioning import Provisioning
from sobremesa.domains.accounts.server_keys import ServerKeys
from sobremesa.domains.accounts.service import Accounts
from sobremesa.domains.accounts.sessions import Sessions
from sobremesa.domains.accounts.tokens import Tokens
from sobremesa.domains.accounts.unclaimed_names import UnclaimedNames
from sobremesa.domains.mail.mailers import Transport
from sobremesa.http.limits import Limits
from sobremesa.table import Table
from sobremesa.work.table_origin import Origin


def open_accounts(
    table: Table,
    clock: Clock,
    ids: Ids,
    *,
    keyring: Keyring,
    limits: Limits,
    jobs: JobQueue,
    settings: Settings,
    transport: Transport | None = None,
    passwords: Passwords | None = None,
    domains: UserDataOfDomains,
    origin: Origin | None = None,
    data_checks: DataChecks | None = None,
) -> Accounts:
    """Open accounts over a table; `domains` returns the other domains that store data of users."""
    if settings.registration == "verified" and transport is None:
        raise BadSetting("registration is `verified`, which requires mail: set `mail` or pass a mailer")
    actor_cache, audit, unclaimed = ActorCache(clock), Audit(table, clock, ids), UnclaimedNames(table, origin)
    tokens = Tokens(keyring, clock, settings.token_issuer)
    directory = Directory(table, unclaimed, Tenant(settings.tenant))
    sessions = Sessions(table, clock, ids, tokens, keyring, actor_cache)
    server_keys = ServerKeys(table, clock, ids, actor_cache, audit)
    context = AccountContext(
        table, clock, ids, settings, keyring, limits, audit, actor_cache, unclaimed, directory, sessions
    )
    return Accounts(
        context,
        passwords=PasswordAccounts(context, passwords or passwords_of(settings), transport),
        jobs=jobs,
        authentication=Authentication(
            table,
            clock,
            tokens=tokens,
            issuers=Issuers(settings.issuers, clock),
            provisioning=Provisioning(table, clock, ids, unclaimed),
            keys=server_keys,
            actor_cache=actor_cache,
        ),
        server_keys=server_keys,
        bots=BotAccounts(table, clock, ids, actor_cache=actor_cache, unclaimed=unclaimed),
        domains=domains,
        data_checks=data_checks or BoundsOnly(),
    )

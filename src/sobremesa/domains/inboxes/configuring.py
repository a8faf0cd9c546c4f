"""Settings of tenants and inboxes, such as the lifetime of messages.

The most specific rule applies: that of the message, of its category in the inbox, of the inbox, of the tenant. Without
a rule, messages do not expire. The first message creates its inbox.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

import jsonschema_rs
import msgspec

from sobremesa.core.actor import Actor, Tenant
from sobremesa.core.errors import NotFound
from sobremesa.domains.inboxes.durations import find_seconds
from sobremesa.domains.inboxes.entities import (
    InboxConfig,
    InboxKey,
    TenantSettings,
    inbox_config,
    set_inbox,
    set_tenant,
    tenant_settings,
)
from sobremesa.domains.inboxes.errors import BadCategory, BadDuration, BadSchema, BodyBreaksSchema
from sobremesa.domains.inboxes.tenancy import require_key
from sobremesa.table import Create, Put, SharedReads, Table
from sobremesa.table.cache import Cache
from sobremesa.table.errors import BadKey, ConditionFailed
from sobremesa.table.keys import check_part

DEFAULT_RULE = "default"
MAX_CATEGORY = 100
MAX_SCHEMA_ERRORS = 10
"""How many schema violations a refusal lists."""
SCHEMAS_KEPT = 256
TENANTS = 2000
"""The tenants whose settings are kept for a second."""


class Rules(NamedTuple):
    """The settings that apply to the messages of an inbox."""

    tenant: TenantSettings | None
    inbox: InboxConfig | None

    def lifetime(self, own: str | None, category: str | None) -> int | None:
        """Return the lifetime of a message in seconds, by the most specific rule; None if it does not expire."""
        by_category: Mapping[str, str] = {} if self.inbox is None else self.inbox.ttl_rules
        rules = (
            own,
            None if category is None else by_category.get(category),
            by_category.get(DEFAULT_RULE),
            None if self.tenant is None else self.tenant.ttl_text,
        )
        return next((seconds for rule in rules if (seconds := find_seconds(rule)) is not None), None)


class Configuring:
    """Settings of tenants and inboxes."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._shared = SharedReads(table, TenantSettings, InboxConfig, limit=TENANTS)
        self._validators: Cache[str, jsonschema_rs.Validator] = Cache(SCHEMAS_KEPT)

    async def set_tenant(self, actor: Actor, tenant: Tenant, *, title: str | None, ttl: str | None) -> TenantSettings:
        """Set the settings of a tenant."""
        require_key(actor, tenant, "inbox:admin")
        if ttl is not None:
            require_duration(ttl)

        settings = TenantSettings(tenant=tenant, title=title, ttl_text=ttl, user_id=actor.name)
        return await self._table.write(Put(settings), pattern=set_tenant)

    async def get_tenant(self, actor: Actor, tenant: Tenant) -> TenantSettings:
        """Return the settings of a tenant, empty until they are set."""
        require_key(actor, tenant, "inbox:read", "inbox:admin")
        return await self._table.get(tenant_settings(tenant=tenant)) or TenantSettings(tenant=tenant)

    async def set_inbox(
        self,
        actor: Actor,
        tenant: Tenant,
        inbox: InboxKey,
        *,
        title: str | None,
        description: str | None,
        ttl: Mapping[str, str],
        schema: Any = None,
    ) -> InboxConfig:
        """Create an inbox, or replace its settings."""
        require_key(actor, tenant, "inbox:admin")
        for category, duration in ttl.items():
            require_category(category)
            require_duration(duration)
        if schema is not None:
            self._validator(schema)

        config = InboxConfig(
            tenant=tenant,
            inbox=inbox,
            title=title,
            description=description,
            ttl_rules=dict(ttl),
            body_schema=schema,
            user_id=actor.name,
        )
        return await self._table.write(Put(config), pattern=set_inbox)

    async def get_inbox(self, actor: Actor, tenant: Tenant, inbox: InboxKey) -> InboxConfig:
        """Return an inbox; NotFound before it is created or has its first message."""
        require_key(actor, tenant, "inbox:read", "inbox:admin")
        config = await self._table.get(inbox_config(tenant=tenant, inbox=inbox))
        if config is None:
            raise NotFound
        return config

    async def rules(self, tenant: Tenant, inbox: InboxKey) -> Rules:
        """Return the settings for a new message, and create the inbox if it does not exist."""
        of_tenant, of_inbox = tenant_settings(tenant=tenant), inbox_config(tenant=tenant, inbox=inbox)
        # At most a second old: otherwise every publish of a tenant would read the same partition.
        found = await self._shared.get_or_load(
            of_tenant.raw.pk, inbox, lambda: self._table.get_pair(of_tenant, of_inbox, consistent=True)
        )
        rules = Rules(*found)
        if rules.inbox is None:
            with contextlib.suppress(ConditionFailed):
                await self._table.write(Create(InboxConfig(tenant=tenant, inbox=inbox)), pattern=set_inbox)
        return rules

    def check_body(self, rules: Rules, body: Any) -> None:
        """Raise BodyBreaksSchema unless the body matches the schema of the inbox."""
        if rules.inbox is None or rules.inbox.body_schema is None:
            return
        broken = list(self._validator(rules.inbox.body_schema).iter_errors(body))
        if broken:
            raise BodyBreaksSchema(
                errors=[
                    {"in": "body", "pointer": _pointer(error.instance_path), "detail": error.message}
                    for error in broken[:MAX_SCHEMA_ERRORS]
                ]
            )

    def _validator(self, schema: Any) -> jsonschema_rs.Validator:
        text = msgspec.json.encode(schema, order="deterministic").decode()
        known = self._validators.find(text)
        if known is not None:
            return known
        try:
            # Patterns run in linear time, and references are never fetched.
            validator = jsonschema_rs.validator_for(
                schema, retriever=_refuse, pattern_options=jsonschema_rs.RegexOptions()
            )
        except (ValueError, TypeError) as error:
            raise BadSchema(str(error).partition("\n")[0][:500]) from None
        self._validators.keep(text, validator)
        return validator


def require_category(category: str) -> None:
    """Raise BadCategory unless this is a valid category: it is part of a key, and `*` is the total."""
    try:
        check_part("category", category)
    except BadKey as error:
        raise BadCategory(str(error)) from None
    if len(category) > MAX_CATEGORY:
        raise BadCategory(f"A category has at most {MAX_CATEGORY} characters.")


def require_duration(text: str) -> None:
    if find_seconds(text) is None:
        raise BadDuration


def _refuse(uri: str) -> NoReturn:
    raise ValueError(f"{uri} is outside the schema")


def _pointer(path: list[str | int]) -> str:
    return "#/body" + "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)

"""Every entity and access pattern of the application."""

from __future__ import annotations

from sobremesa.domains.accounts import entities as account_entities
from sobremesa.domains.attachments import entities as attachment_entities
from sobremesa.domains.bots import entities as bot_entities
from sobremesa.domains.commands import entities as command_entities
from sobremesa.domains.communities import entities as community_entities
from sobremesa.domains.conversations import entities as conversation_entities
from sobremesa.domains.data_schemas import entities as data_schema_entities
from sobremesa.domains.imports import entities as import_entities
from sobremesa.domains.inboxes import entities as inbox_entities
from sobremesa.domains.inboxes import publish_entities as inbox_publish_entities
from sobremesa.domains.incoming_webhooks import entities as hook_entities
from sobremesa.domains.moderation import entities as moderation_entities
from sobremesa.domains.notifications import entities as notification_entities
from sobremesa.domains.threads import entities as thread_entities
from sobremesa.domains.webhooks import entities as webhook_entities
from sobremesa.domains.workspaces import entities as workspace_entities
from sobremesa.live import entities as live_entities
from sobremesa.rooms import entities as room_entities
from sobremesa.rooms import nonces as room_nonces
from sobremesa.table import Entity, Registry
from sobremesa.work import idempotency
from sobremesa.work import quotas as quota_entities
from sobremesa.work import table_origin as origin_entities
from sobremesa.work.consumers import entities as consumer_entities
from sobremesa.work.jobs import entities as job_entities
from sobremesa.work.migration import entities as migration_entities

REGISTRY = Registry.of(
    account_entities,
    community_entities,
    bot_entities,
    command_entities,
    hook_entities,
    conversation_entities,
    thread_entities,
    workspace_entities,
    room_entities,
    room_nonces,
    inbox_entities,
    inbox_publish_entities,
    moderation_entities,
    notification_entities,
    data_schema_entities,
    attachment_entities,
    import_entities,
    webhook_entities,
    job_entities,
    consumer_entities,
    live_entities,
    migration_entities,
    idempotency,
    origin_entities,
    quota_entities,
)
"""The generated documentation, the cost tables and the tests iterate over it."""

OF_THE_PROCESS: frozenset[type[Entity]] = frozenset(
    {
        live_entities.TrailMark,
        live_entities.Node,
        live_entities.PumpProgress,
        consumer_entities.Progress,
        consumer_entities.ShardProgress,
        consumer_entities.StreamNode,
        notification_entities.DigestSweep,
    }
)
"""The rows in which processes note that they are alive, and their positions in the work of this table.

They mean nothing in another table: its change stream has other positions, and other processes use it.
"""

"""Every access pattern of the program is tried by the tests of its domain: a new module of rows cannot be forgotten."""

from __future__ import annotations

import attachments.test_patterns
import bots.test_patterns
import communities.test_patterns
import consumers.test_patterns
import conversations.test_patterns
import data_schemas.test_patterns
import imports.test_patterns
import inboxes.test_patterns
import incoming_webhooks.test_patterns
import live.test_patterns
import notifications.test_patterns
import slash_commands.test_patterns
import threads.test_patterns
import webhooks.test_patterns
import workspaces.test_patterns
from sobremesa.app import REGISTRY

TRIED = (
    attachments.test_patterns,
    bots.test_patterns,
    communities.test_patterns,
    consumers.test_patterns,
    conversations.test_patterns,
    data_schemas.test_patterns,
    imports.test_patterns,
    inboxes.test_patterns,
    incoming_webhooks.test_patterns,
    live.test_patterns,
    notifications.test_patterns,
    slash_commands.test_patterns,
    threads.test_patterns,
    webhooks.test_patterns,
    workspaces.test_patterns,
)


def test_every_declared_pattern_has_a_domain_that_tries_it() -> None:
    tried = {id for module in TRIED for id in module.REGISTRY.patterns}

    assert set(REGISTRY.patterns) == tried

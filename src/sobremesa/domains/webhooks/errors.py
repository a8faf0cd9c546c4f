"""The refusals of webhooks."""

from __future__ import annotations

from sobremesa.core.errors import Clash, Invalid


class BadWebhookUrl(Invalid):
    code = "bad_webhook_url"
    default_detail = "The URL must be https, without credentials, and lead to a public address."


class UnknownEvents(Invalid):
    """Some of the names are no events of webhooks; `unknown` in the data maps each to the nearest known, or null."""

    code = "unknown_event"
    default_detail = "Some of these events do not exist; see `unknown`."


class TooManyWebhooks(Clash):
    code = "too_many_webhooks"
    default_detail = "A tenant has at most 20 webhooks."


class WebhookDisabled(Clash):
    code = "webhook_disabled"
    default_detail = "The webhook is disabled: enable it first."

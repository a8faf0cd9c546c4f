"""Alerts of Grafana and of Prometheus's Alertmanager, which send nearly the same body."""

from __future__ import annotations

import msgspec

from sobremesa.domains.incoming_webhooks.formats.markdown import bold, code, line, link, paragraphs

MAX_ALERTS = 10
MAX_LABELS = 8
MAX_NOTE = 500
_SHOWN_ELSEWHERE = ("alertname", "__alert_rule_uid__", "grafana_folder")


class Alert(msgspec.Struct, rename="camel"):
    """One alert. Grafana adds values and the addresses of its panel, dashboard and silence."""

    status: str = "firing"
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    generator_url: str | None = msgspec.field(name="generatorURL", default=None)
    panel_url: str | None = msgspec.field(name="panelURL", default=None)
    dashboard_url: str | None = msgspec.field(name="dashboardURL", default=None)
    silence_url: str | None = msgspec.field(name="silenceURL", default=None)
    value_string: str | None = None


class AlertsBody(msgspec.Struct, rename="camel"):
    """A group of alerts, as both products send it."""

    status: str = "firing"
    alerts: list[Alert] = []
    common_labels: dict[str, str] = {}
    common_annotations: dict[str, str] = {}
    external_url: str | None = msgspec.field(name="externalURL", default=None)
    title: str | None = None
    """Only of Grafana."""
    message: str | None = None
    """Only of Grafana."""
    truncated_alerts: int | None = None


def render(body: AlertsBody) -> str:
    """Return a group of alerts as text, the firing ones first."""
    alerts = sorted(body.alerts, key=lambda alert: alert.status != "firing")
    shown = [_alert(alert, body) for alert in alerts[:MAX_ALERTS]]
    left = len(alerts) - len(shown) + max(0, body.truncated_alerts or 0)
    return paragraphs([_head(body), *shown, f"- and {left} more" if left > 0 else ""])


def _head(body: AlertsBody) -> str:
    firing = sum(alert.status == "firing" for alert in body.alerts)
    is_firing = firing > 0 if body.alerts else body.status != "resolved"
    name = body.common_labels.get("alertname") or body.title or "Alerts"
    count = f" ({firing} firing, {len(body.alerts) - firing} resolved)" if len(body.alerts) > 1 else ""
    state = "🔴 Firing" if is_firing else "🟢 Resolved"
    return f"{state}: {bold(link(name, body.external_url))}{count}"


def _alert(alert: Alert, body: AlertsBody) -> str:
    mark = "🔴" if alert.status == "firing" else "🟢"
    named = alert.labels.get("alertname", "")
    name = "" if named == body.common_labels.get("alertname") else bold(line(named))
    notes = alert.annotations
    text = notes.get("summary") or notes.get("message") or notes.get("description") or ""
    labels = [
        f"{key}={value}"
        for key, value in sorted(alert.labels.items())
        if key not in _SHOWN_ELSEWHERE and body.common_labels.get(key) != value
    ][:MAX_LABELS]
    links = [
        link(name, url)
        for name, url in (
            ("source", alert.generator_url),
            ("panel", alert.panel_url),
            ("dashboard", alert.dashboard_url),
            ("runbook", notes.get("runbook_url")),
            ("silence", alert.silence_url),
        )
        if url
    ]
    parts = [name, line(text, MAX_NOTE), " ".join(code(label) for label in labels), " · ".join(links)]
    return f"- {mark} " + " ".join(part for part in parts if part)

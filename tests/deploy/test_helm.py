"""The Helm chart, as far as it can be read without Helm: values, settings, ports, and how long connections last."""

from __future__ import annotations

import re
from typing import Any

import yaml

from deploy.templates import ROOT
from sobremesa.core.settings import PREFIX, Settings
from sobremesa.http.server import KEEP_ALIVE_SECONDS
from sobremesa.live.identify import SILENCE_SECONDS

CHART = ROOT / "deploy/helm/sobremesa"
TEMPLATES = {path.name: path.read_text() for path in (CHART / "templates").iterdir()}
VALUES: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text())
GIVEN = {"SOBREMESA_REDIS": "redis://valkey:6379", "SOBREMESA_RECORDS": "postgresql://u:p@postgres/records"}


def paths(value: Any, prefix: str = "") -> set[str]:
    """The paths of values, such as `image.tag`; an empty map is one of its own."""
    if not isinstance(value, dict) or not value:
        return {prefix}
    return {path for key, each in value.items() for path in paths(each, f"{prefix}.{key}" if prefix else key)}


def test_templates_use_every_value_and_no_others() -> None:
    used = set(re.findall(r"\.Values\.([\w.]+)", "".join(TEMPLATES.values())))
    declared = paths(VALUES)
    assert {path for path in used if not any(f"{each}.".startswith(f"{path}.") for each in declared)} == set()
    assert {path for path in declared if not any(f"{path}.".startswith(f"{each}.") for each in used)} == set()


def test_definitions_that_templates_include_exist() -> None:
    text = "".join(TEMPLATES.values())
    assert set(re.findall(r'include "(.+?)"', text)) == set(re.findall(r'define "(.+?)"', text))
    for name, template in TEMPLATES.items():
        opened = len(re.findall(r"\{\{-? (?:if|with|range|define) ", template))
        assert opened == template.count("{{- end }}") + template.count("{{- end -}}"), name


def test_settings_of_the_chart_are_valid() -> None:
    fixed = dict(re.findall(r'^  (SOBREMESA_\w+): "?([\w.]+)"?$', TEMPLATES["settings.yaml"], re.MULTILINE))
    assert set(fixed) == {f"{PREFIX}{name}" for name in ("HOST", "PORT", "METRICS_HOST", "METRICS_PORT")}

    settings = Settings.from_environment(fixed | VALUES["settings"] | GIVEN)

    ports = dict(re.findall(r"name: (\w+), containerPort: (\d+)", TEMPLATES["deployment.yaml"]))
    assert (int(ports["http"]), int(ports["metrics"])) == (settings.port, settings.metrics_port)
    assert "metrics" not in TEMPLATES["service.yaml"] + TEMPLATES["ingress.yaml"], "the public port has no metrics"
    grace = re.search(r"terminationGracePeriodSeconds: (\d+)", TEMPLATES["deployment.yaml"])
    pause = re.search(r'command: \[sleep, "(\d+)"\]', TEMPLATES["deployment.yaml"])
    assert grace is not None
    assert pause is not None
    assert int(grace[1]) > int(pause[1]) + settings.drain_seconds


def test_ingress_keeps_connections_longer_than_the_gateway_and_shorter_than_the_server() -> None:
    annotations = VALUES["ingress"]["annotations"]
    for name in ("proxy-read-timeout", "proxy-send-timeout"):
        assert SILENCE_SECONDS < int(annotations[f"nginx.ingress.kubernetes.io/{name}"]) < KEEP_ALIVE_SECONDS


def test_probes_ask_for_life_and_readiness() -> None:
    probes = re.findall(r"(\w+)Probe:\n +httpGet: \{path: (/\w+), port: http\}", TEMPLATES["deployment.yaml"])
    assert dict(probes) == {"startup": "/healthz", "liveness": "/healthz", "readiness": "/readyz"}

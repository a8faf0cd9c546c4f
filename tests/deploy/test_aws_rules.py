"""Rules of the CloudFormation templates: lint, least privilege, encryption, and what the server's limits require."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from api.test_permissions import documented_policy
from deploy.templates import AWS, NAMES, Values, every_resource, resources, template
from sobremesa.app.registry import REGISTRY
from sobremesa.core.settings import PREFIX, Settings
from sobremesa.http.server import KEEP_ALIVE_SECONDS
from sobremesa.live.identify import SILENCE_SECONDS
from sobremesa.table import Layout
from sobremesa.table.schema import describe

ANYWHERE = "0.0.0.0/0"


def test_templates_pass_cfn_lint() -> None:
    lint = Path(sys.executable).with_name("cfn-lint")
    done = subprocess.run([lint, "--", *AWS.glob("*.yaml")], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_stacks_import_only_what_others_export() -> None:
    exported = set(re.findall(r'Export: \{Name: !Sub "(.+?)"\}', "".join(path.read_text() for path in AWS.glob("*"))))
    imported = {
        name
        for path in AWS.glob("*")
        for name in re.findall(r'ImportValue(?:"|:)*\s*:?\s*!Sub "?(\$\{Deployment\}-\w+)', path.read_text())
    }
    assert imported
    assert imported <= exported


# Permissions


def statements() -> list[tuple[str, dict[str, Any]]]:
    """Every statement that allows something to a role or a user."""
    found = []
    for kind in ("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy"):
        for place, resource in every_resource(kind):
            values = Values(place.partition(".")[0], {"SmtpUrlSecretArn": "arn:x", "SettingsFileArn": "arn:y/z"})
            document = values.of(resource["Properties"]["PolicyDocument"])
            found += [(place, statement) for statement in document["Statement"]]
    assert len(found) > 8
    return found


@pytest.mark.parametrize(("place", "statement"), statements())
def test_no_role_has_a_wildcard_of_actions_or_all_resources(place: str, statement: dict[str, Any]) -> None:
    actions, granted = (
        [each] if isinstance(each, str) else each for each in (statement["Action"], statement["Resource"])
    )
    assert not [action for action in actions if "*" in action]
    assert not [resource for resource in granted if resource in ("*", "arn:aws:s3:::*")]


def test_role_of_nodes_has_the_documented_rights_to_the_table_and_no_others() -> None:
    arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/chat"
    [document] = [
        Values("service").of(each["Properties"]["PolicyDocument"])
        for place, each in every_resource("AWS::IAM::Policy")
        if place == "service.TablePolicy"
    ]
    ours = json.loads(json.dumps(document["Statement"]).replace("<sobremesa-TableArn>", arn))

    rights = [{key: each[key] for key in ("Effect", "Action", "Resource")} for each in ours]
    assert rights == documented_policy("chat")["Statement"]
    others = [action for place, each in statements() if place != "service.TablePolicy" for action in each["Action"]]
    assert {action for action in others if action.startswith("dynamodb:")} == {
        "dynamodb:GetItem",
        "dynamodb:BatchGetItem",
        "dynamodb:Query",
    }, "those of a tenant's own policy"


def leading_keys(tenant: str) -> list[str]:
    document = Values("tenant-access", {"Tenant": tenant}).of(resources("tenant-access")["Access"])
    [statement] = document["Properties"]["PolicyDocument"]["Statement"]
    condition = statement["Condition"]
    assert condition["Null"] == {"dynamodb:LeadingKeys": "false"}
    keys: list[str] = condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
    return keys


def test_policy_of_a_tenant_has_exactly_its_leading_keys() -> None:
    assert leading_keys("acme") == ["t#acme", "t#acmeU#*", "t#acmeG#*"]


@pytest.mark.parametrize("other", ["acme", "acmeU", "acmeG", "acm", "acme2", "xacme"])
def test_policy_of_a_tenant_admits_inboxes_of_that_tenant_only(other: str) -> None:
    pattern = "|".join(re.escape(key).replace(r"\*", ".*") for key in leading_keys("acme"))
    admitted = set()
    for entity in describe(REGISTRY).entities:
        key = re.sub(r"\{(\w+)(:\w+)?\}", lambda part: other if part[1] == "tenant" else "U#1", entity.pk)
        if re.fullmatch(pattern, key):
            admitted.add(entity.name)

    inboxes = {"TenantSettings", "InboxConfig", "UserMessage", "PublicMessage", "UserStats", "CategoryStats"}
    if other == "acme":
        assert inboxes <= admitted
        assert not admitted & {"ApiKey", "TenantBot", "Segment", "ExternalIdClaim", "Publish", "DataSchema"}
    else:
        assert admitted == set()


def test_only_the_load_balancer_is_open_to_the_internet() -> None:
    open_ports = set()
    for place, group in every_resource("AWS::EC2::SecurityGroup"):
        for rule in group["Properties"].get("SecurityGroupIngress", ()):
            if rule.get("CidrIp") == ANYWHERE:
                open_ports.add((place, rule["FromPort"], rule["ToPort"]))
            else:
                assert "SourceSecurityGroupId" in rule, place
    assert open_ports == {("service.BalancerGroup", 443, 443), ("service.BalancerGroup", 80, 80)}


# Data


def test_data_is_encrypted_and_survives_its_stack() -> None:
    table = resources("table")["Table"]
    data = resources("data")
    valkey, records, files = (data[name]["Properties"] for name in ("Valkey", "Records", "Files"))

    assert table["Properties"]["SSESpecification"]["SSEType"] == "KMS"
    assert table["Properties"]["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"]
    assert table["Properties"]["TimeToLiveSpecification"] == {"AttributeName": Layout().ttl, "Enabled": True}
    assert valkey["TransitEncryptionMode"] == "required"
    assert valkey["AtRestEncryptionEnabled"]
    assert records["StorageEncrypted"]
    assert data["RecordsParameters"]["Properties"]["Parameters"]["rds.force_ssl"] == "1"
    assert files["BucketEncryption"]
    assert set(files["PublicAccessBlockConfiguration"].values()) == {True}
    kept = {"table.Table", "table.Key", "data.Records", "data.Files"}
    for place in kept:
        name, _, key = place.partition(".")
        resource = resources(name)[key]
        assert resource["DeletionPolicy"] in ("Retain", "Snapshot"), place
        assert resource["UpdateReplacePolicy"] == resource["DeletionPolicy"], place


def test_valkey_evicts_nothing() -> None:
    assert resources("data")["ValkeyParameters"]["Properties"]["Properties"]["maxmemory-policy"] == "noeviction"


@pytest.mark.parametrize(("shards", "endpoint"), [("1", "PrimaryEndPoint"), ("3", "ConfigurationEndPoint")])
def test_nodes_connect_to_valkey_with_tls_and_a_password(shards: str, endpoint: str) -> None:
    values = Values("data", {"ValkeyShards": shards})
    url = values.of(resources("data")["ValkeyUrl"]["Properties"]["SecretString"])
    assert url == f"rediss://:{{{{resolve:secretsmanager:<ValkeyPassword>}}}}@<Valkey.{endpoint}.Address>:6379"


# Nodes


def server() -> dict[str, Any]:
    """The container of the server, with mail and a file of settings."""
    given = {"SmtpUrlSecretArn": "arn:smtp", "SettingsFileArn": "arn:file", "MailFrom": "chat@example.com"}
    [task] = resources("service", "AWS::ECS::TaskDefinition").values()
    container, _ = Values("service", given).of(task["Properties"])["ContainerDefinitions"]
    assert isinstance(container, dict)
    return container


def test_environment_of_nodes_has_settings_and_no_secrets() -> None:
    settings = {f"{PREFIX}{field.name.upper()}" for field in msgspec.structs.fields(Settings)}
    plain = {each["Name"] for each in server()["Environment"]}
    secret = {each["Name"] for each in server()["Secrets"]}

    assert plain | secret <= settings
    assert secret == {"SOBREMESA_REDIS", "SOBREMESA_RECORDS", "SOBREMESA_SMTP_URL"}
    assert not plain & secret


def test_environment_of_nodes_is_valid() -> None:
    values = {each["Name"]: each["Value"] for each in server()["Environment"]}
    values |= {"SOBREMESA_TRUSTED_PROXIES": "10.80.0.0/24,10.80.1.0/24", "SOBREMESA_PUBLIC_URL": "https://c.example"}
    values |= {"SOBREMESA_STORE": "dynamodb://chat?region=eu-west-1", "SOBREMESA_REDIS": "rediss://:p@valkey:6379"}
    values |= {"SOBREMESA_RECORDS": "postgresql://u:p@h/d?sslmode=require", "SOBREMESA_SMTP_URL": "smtp://h"}

    settings = Settings.from_environment(values)

    assert settings.files == "s3://<sobremesa-Bucket>/files?region=eu-west-1"
    assert settings.trusted_proxies == ["10.80.0.0/24", "10.80.1.0/24"]
    assert settings.metrics_address == ("127.0.0.1", 9090), "only the collector in the same task may ask"
    assert server()["StopTimeout"] > settings.drain_seconds


def test_nodes_and_their_role_use_a_restored_table() -> None:
    values = Values("service", {"RestoredTable": "chat-2"})
    [task] = resources("service", "AWS::ECS::TaskDefinition").values()
    environment = values.of(task["Properties"])["ContainerDefinitions"][0]["Environment"]
    granted = values.of(resources("service")["TablePolicy"]["Properties"]["PolicyDocument"])["Statement"]
    arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/chat-2"

    assert {"Name": "SOBREMESA_STORE", "Value": "dynamodb://chat-2?region=eu-west-1"} in environment
    assert [each["Resource"] for each in granted] == [arn, f"{arn}/index/*", f"{arn}/stream/*"]


def test_load_balancer_keeps_connections_longer_than_the_gateway_and_shorter_than_the_server() -> None:
    [balancer] = resources("service", "AWS::ElasticLoadBalancingV2::LoadBalancer").values()
    attributes = {each["Key"]: each["Value"] for each in balancer["Properties"]["LoadBalancerAttributes"]}
    [nodes] = resources("service", "AWS::ElasticLoadBalancingV2::TargetGroup").values()

    assert SILENCE_SECONDS < int(attributes["idle_timeout.timeout_seconds"]) < KEEP_ALIVE_SECONDS
    assert nodes["Properties"]["HealthCheckPath"] == "/readyz"


# Metrics


def collector() -> dict[str, Any]:
    """The configuration of the collector."""
    [task] = resources("service", "AWS::ECS::TaskDefinition").values()
    _, container = Values("service").of(task["Properties"])["ContainerDefinitions"]
    loaded: dict[str, Any] = yaml.safe_load(container["Environment"][0]["Value"])
    return loaded


def sent(metric: str) -> list[list[str]]:
    """The sets of dimensions that the collector sends a metric with; none if it drops it."""
    configuration = collector()
    [job] = configuration["receivers"]["prometheus"]["config"]["scrape_configs"]
    [kept] = job["metric_relabel_configs"]
    if not re.fullmatch(kept["regex"], metric):
        return []
    declarations = configuration["exporters"]["awsemf"]["metric_declarations"]
    return [
        dimensions
        for each in declarations
        if any(re.search(selector, metric) for selector in each["metric_name_selectors"])
        for dimensions in each["dimensions"]
    ]


def watched() -> list[tuple[str, list[str]]]:
    """Every metric of ours that an alarm or the dashboard uses, with its dimensions."""
    values = Values("monitoring")
    found = []
    for alarm in resources("monitoring", "AWS::CloudWatch::Alarm").values():
        properties = values.of(alarm["Properties"])
        if properties.get("Namespace") == "Sobremesa":
            found.append((properties["MetricName"], [each["Name"] for each in properties["Dimensions"]]))
    dashboard = json.loads(values.of(resources("monitoring")["Dashboard"]["Properties"]["DashboardBody"]))
    for widget in dashboard["widgets"]:
        rows = widget["properties"]["metrics"]
        found += [(row[1], row[2::2]) for row in rows if row[0] == "Sobremesa"]
    assert len(found) > 10
    return found


@pytest.mark.parametrize(("metric", "dimensions"), watched(), ids=str)
def test_metric_of_an_alarm_or_the_dashboard_is_sent_with_its_dimensions(metric: str, dimensions: list[str]) -> None:
    assert dimensions in sent(metric)


@pytest.mark.parametrize("name", NAMES)
def test_templates_have_a_description_and_name_the_deployment_alike(name: str) -> None:
    found = template(name)
    assert found["Description"]
    assert found["Parameters"]["Deployment"] == {
        "Type": "String",
        "Default": "sobremesa",
        "AllowedPattern": "[a-z][a-z0-9-]{1,19}",
    } | {key: each for key, each in found["Parameters"]["Deployment"].items() if key == "Description"}


def test_every_alarm_notifies_of_its_end_and_has_a_rule_for_missing_data() -> None:
    alarms = resources("monitoring", "AWS::CloudWatch::Alarm")
    assert len(alarms) > 12
    for name, alarm in alarms.items():
        assert alarm["Properties"]["AlarmActions"] == alarm["Properties"]["OKActions"] == [{"Ref": "Topic"}], name
        assert alarm["Properties"]["TreatMissingData"], name

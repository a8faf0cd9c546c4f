"""The table, the roles and the alarms of the templates, created in moto, and a server on them."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import botocore.session
import pytest

from api import test_path
from api.calling import client_of
from api.running import Server, serving
from api.test_permissions import documented_policy
from deploy.templates import Template, Values, part_of, resources
from deploy.test_aws_rules import watched
from servers import Endpoint, start_lasting_dynamodb, start_moto
from servers.permissions import Guard, guarded
from sobremesa.table.engines.dynamodb import DynamoEngine
from sobremesa.table.opening import open_engine

REGION = "eu-west-1"
COMPARED = ("KeySchema", "AttributeDefinitions", "StreamSpecification", "BillingModeSummary")

Client = Callable[[str], Any]


@pytest.fixture(scope="package")
def moto() -> Iterator[Endpoint]:
    """A moto of its own, since the names of tables, roles and exports are those of the templates."""
    with start_moto() as endpoint:
        yield endpoint


@pytest.fixture(scope="package")
def aws(moto: Endpoint) -> Client:
    return partial(client_of_service, moto)


def client_of_service(endpoint: Endpoint, service: str) -> Any:
    return botocore.session.Session().create_client(
        service,
        region_name=REGION,
        endpoint_url=endpoint.url,
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )


def create(aws: Client, stack: str, template: Template, **parameters: str) -> dict[str, str]:
    """Create a stack, and return the ids of its resources."""
    formation = aws("cloudformation")
    formation.create_stack(
        StackName=stack,
        TemplateBody=json.dumps(template),
        Capabilities=["CAPABILITY_IAM"],
        Parameters=[{"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()],
    )
    [created] = formation.describe_stacks(StackName=stack)["Stacks"]
    assert created["StackStatus"] == "CREATE_COMPLETE"
    rows = formation.describe_stack_resources(StackName=stack)["StackResources"]
    # moto has empty rows for resources whose condition does not hold.
    return {row["LogicalResourceId"]: row["PhysicalResourceId"] for row in rows if row.get("LogicalResourceId")}


@pytest.fixture(scope="package")
def stacks(aws: Client) -> dict[str, str]:
    """The table as it is, and of the other stacks what moto knows: the bucket, the roles and their policies."""
    ids = create(aws, "table", part_of("table", *resources("table")))
    ids |= create(aws, "data", part_of("data", "Files"), VpcId="vpc-1", PrivateSubnets="subnet-1")
    roles = part_of("service", "MetricLogs", "TaskRole", "TablePolicy", "FilesPolicy", "MetricsPolicy")
    needed = {name: "x" for name, each in roles["Parameters"].items() if "Default" not in each}
    return ids | create(aws, "service", roles, **needed)


@pytest.fixture
async def engine(moto: Endpoint, stacks: dict[str, str]) -> AsyncIterator[DynamoEngine]:
    opened = await open_engine(f"dynamodb://{stacks['Table']}?region={REGION}&endpoint={moto.url}")
    assert isinstance(opened, DynamoEngine)
    yield opened
    await opened.close()


async def test_table_of_the_stack_is_the_one_that_the_command_creates(
    aws: Client, moto: Endpoint, engine: DynamoEngine, stacks: dict[str, str]
) -> None:
    options = "point_in_time_recovery=true&deletion_protection=true&kms_key=" + stacks["Key"]
    other = await open_engine(f"dynamodb://by-command?region={REGION}&endpoint={moto.url}&{options}")
    assert isinstance(other, DynamoEngine)
    await other.create_table()
    found, expected = (
        aws("dynamodb").describe_table(TableName=name)["Table"] for name in (stacks["Table"], "by-command")
    )

    assert {key: comparable(found[key]) for key in COMPARED} == {key: comparable(expected[key]) for key in COMPARED}
    assert indexes(found) == indexes(expected)
    # moto's CloudFormation ignores the time to live, the recovery and the key, which `test_aws_rules.py` looks at.
    assert await engine.complete_table() == ["the time to live, ttl"]
    shown, wanted = await engine.describe_operation(), await other.describe_operation()
    compared = ("billing", "deletion protection")
    assert {name: shown[name] for name in compared} == {name: wanted[name] for name in compared}
    await other.close()


def comparable(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: each for key, each in value.items() if "DateTime" not in key}
    return sorted(value, key=str) if isinstance(value, list) else value


def indexes(table: dict[str, Any]) -> list[tuple[Any, ...]]:
    return sorted(
        (each["IndexName"], str(each["KeySchema"]), str(each["Projection"])) for each in table["GlobalSecondaryIndexes"]
    )


def test_provisioned_table_and_its_indexes_are_scaled(aws: Client) -> None:
    given = {"TableName": "scaled", "Deployment": "scaled", "Billing": "provisioned"}
    given |= {"MinReadUnits": "5", "MaxReadUnits": "50", "MinWriteUnits": "6", "MaxWriteUnits": "60"}
    create(aws, "scaled", part_of("table", "Key", "Table"), **given)
    scale(aws, Values("table", given | {"Table": "scaled"}))
    table = aws("dynamodb").describe_table(TableName="scaled")["Table"]
    scaling = aws("application-autoscaling")
    targets = scaling.describe_scalable_targets(ServiceNamespace="dynamodb")["ScalableTargets"]
    policies = scaling.describe_scaling_policies(ServiceNamespace="dynamodb")["ScalingPolicies"]

    units = [each["ProvisionedThroughput"] for each in (table, *table["GlobalSecondaryIndexes"])]
    assert [(each["ReadCapacityUnits"], each["WriteCapacityUnits"]) for each in units] == [(5, 6)] * 3
    ranges = {
        (each["ResourceId"], each["ScalableDimension"]): (each["MinCapacity"], each["MaxCapacity"]) for each in targets
    }
    assert ranges == {
        (f"table/scaled{index}", f"dynamodb:{kind}:{verb}CapacityUnits"): between
        for index, kind in (("", "table"), ("/index/gsi1", "index"), ("/index/gsi2", "index"))
        for verb, between in (("Read", (5, 50)), ("Write", (6, 60)))
    }
    assert {(each["ResourceId"], each["ScalableDimension"]) for each in policies} == set(ranges)


def scale(aws: Client, values: Values) -> None:
    """Make the calls that CloudFormation makes for autoscaling, which moto's does not know."""
    scaling = aws("application-autoscaling")
    targets = {}
    for name, target in resources("table", "AWS::ApplicationAutoScaling::ScalableTarget").items():
        targets[f"<{name}>"] = values.of(target["Properties"])
        limits = {key: int(targets[f"<{name}>"][key]) for key in ("MinCapacity", "MaxCapacity")}
        scaling.register_scalable_target(**targets[f"<{name}>"] | limits)
    for policy in resources("table", "AWS::ApplicationAutoScaling::ScalingPolicy").values():
        properties = values.of(policy["Properties"])
        target = targets[properties.pop("ScalingTargetId")]
        tracking = properties["TargetTrackingScalingPolicyConfiguration"]
        tracking["TargetValue"] = float(tracking["TargetValue"])
        scaling.put_scaling_policy(
            **properties, **{key: target[key] for key in ("ServiceNamespace", "ResourceId", "ScalableDimension")}
        )


def policy_of_nodes(aws: Client, stacks: dict[str, str]) -> dict[str, Any]:
    """What the role of nodes may do with the table, as IAM has it."""
    iam = aws("iam")
    names = iam.list_role_policies(RoleName=stacks["TaskRole"])["PolicyNames"]
    found = [iam.get_role_policy(RoleName=stacks["TaskRole"], PolicyName=name)["PolicyDocument"] for name in names]
    granted = [statement for document in found for statement in document["Statement"]]
    assert {action.partition(":")[0] for each in granted for action in each["Action"]} == {"dynamodb", "s3", "logs"}
    return {"Statement": [each for each in granted if each["Action"][0].startswith("dynamodb:")]}


def test_role_of_the_stack_has_the_documented_rights(aws: Client, stacks: dict[str, str]) -> None:
    granted = policy_of_nodes(aws, stacks)["Statement"]
    rights = [{key: each[key] for key in ("Effect", "Action", "Resource")} for each in granted]
    assert rights == documented_policy(stacks["Table"])["Statement"]


@pytest.fixture
async def table() -> AsyncIterator[tuple[Endpoint, str]]:
    """The table of the template on the endpoint that all other servers are tested with: moto's streams are too slow."""
    properties = Values("table", {"TableName": "from-template"}).of(resources("table")["Table"]["Properties"])
    accepted = ("TableName", "BillingMode", "AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes")
    wanted = {key: properties[key] for key in accepted}
    for index in wanted["GlobalSecondaryIndexes"]:
        del index["ContributorInsightsSpecification"]  # a call of its own, which emulators do not know
    stream = properties["StreamSpecification"] | {"StreamEnabled": True}
    with start_lasting_dynamodb() as endpoint:
        client_of_service(endpoint, "dynamodb").create_table(**wanted, StreamSpecification=stream)
        yield endpoint, wanted["TableName"]


@pytest.fixture
def guard(aws: Client, table: tuple[Endpoint, str], stacks: dict[str, str]) -> Iterator[Guard]:
    endpoint, name = table
    policy = json.dumps(policy_of_nodes(aws, stacks)).replace(f":table/{stacks['Table']}", f":table/{name}")
    with guarded(json.loads(policy), endpoint) as guard:
        yield guard


@pytest.fixture
def node(guard: Guard, table: tuple[Endpoint, str], tmp_path: Path) -> Iterator[Server]:
    """A server of the table of the template, with the rights of the role of the stack."""
    store = f"dynamodb://{table[1]}?region={REGION}&endpoint={guard.url}"
    files = (tmp_path / "files").as_uri()
    with serving(store, tmp_path / "server.log", files=files, metrics_port=free_port()) as server:
        yield server


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


async def test_server_runs_on_the_table_with_the_rights_of_its_role(node: Server, guard: Guard) -> None:
    async with client_of(node.url) as http:
        async with http.get("/readyz") as answer:
            assert answer.status == 200
        story = test_path.Story(node, http, "stack")
        await test_path.users_register_log_in_and_refresh(story)
        await test_path.a_server_is_created_and_changed(story)
        await test_path.channels_are_created_and_changed(story)
        await test_path.users_join_by_invites(story)
        await test_path.users_send_messages(story)
        await test_path.a_user_polls(story)

    assert guard.denied == []
    assert guard.used == guard.allowed()


async def test_every_metric_that_is_watched_is_exported(node: Server) -> None:
    [address] = re.findall(r"Metrics: (http://\S+)", node.log.read_text())
    async with aiohttp.ClientSession() as http, http.get(address) as answer:
        exported = set(re.findall(r"^# TYPE (\S+) ", await answer.text(), re.MULTILINE))

    assert {name for name, _ in watched()} <= exported


def test_alarms_are_accepted_by_cloudwatch(aws: Client) -> None:
    cloudwatch = aws("cloudwatch")
    values = Values("monitoring", {"ValkeyShards": "4"})
    alarms = resources("monitoring", "AWS::CloudWatch::Alarm")
    for alarm in alarms.values():
        assert values.exists(alarm)
        properties = values.of(alarm["Properties"])
        cloudwatch.put_metric_alarm(**properties | {"Threshold": float(properties["Threshold"])})
    cloudwatch.put_dashboard(
        DashboardName="sobremesa",
        DashboardBody=values.of(resources("monitoring")["Dashboard"]["Properties"]["DashboardBody"]),
    )

    stored = cloudwatch.describe_alarms(AlarmNamePrefix="sobremesa-")["MetricAlarms"]
    assert {each["AlarmName"] for each in stored} == {
        values.of(alarm["Properties"]["AlarmName"]) for alarm in alarms.values()
    }

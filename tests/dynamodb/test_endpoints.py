"""Which endpoint each service has: of the store's address, of AWS's usual settings, of the region."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynamodb.rows import put
from dynamodb.scripted import ScriptedEndpoint, answers, scripted_endpoint
from sobremesa.core.clock import SetClock
from sobremesa.table import OLDEST, Layout
from sobremesa.table.engines.dynamodb import DynamoEngine
from sobremesa.table.engines.dynamodb.connections import Address, Connections, TimeLimits
from sobremesa.table.engines.dynamodb.endpoints import find_endpoints
from sobremesa.table.engines.dynamodb.transport import Endpoints
from sobremesa.table.errors import OutcomeUnknown, StoreFailed
from sobremesa.table.opening import open_engine
from sobremesa.table.service_options import ServiceOptions

NONE = ServiceOptions()
LOCAL = "http://127.0.0.1:8000"
VPC = "https://vpce-1.dynamodb.eu-west-1.vpce.amazonaws.com"
VPC_STREAMS = "https://vpce-2.streams.dynamodb.eu-west-1.vpce.amazonaws.com"


def of_region(tables: str, streams: str, autoscaling: str) -> Endpoints:
    return Endpoints(f"https://{tables}", f"https://{streams}", f"https://{autoscaling}")


@pytest.mark.parametrize(
    ("region", "fips", "dual_stack", "expected"),
    [
        (
            "eu-west-1",
            False,
            False,
            of_region(
                "dynamodb.eu-west-1.amazonaws.com",
                "streams.dynamodb.eu-west-1.amazonaws.com",
                "application-autoscaling.eu-west-1.amazonaws.com",
            ),
        ),
        (
            "us-east-1",
            True,
            False,
            of_region(
                "dynamodb-fips.us-east-1.amazonaws.com",
                "streams.dynamodb-fips.us-east-1.amazonaws.com",
                "application-autoscaling-fips.us-east-1.amazonaws.com",
            ),
        ),
        (
            "eu-west-1",
            False,
            True,
            of_region(
                "dynamodb.eu-west-1.api.aws",
                "streams-dynamodb.eu-west-1.api.aws",
                "application-autoscaling.eu-west-1.api.aws",
            ),
        ),
        (
            "us-gov-west-1",
            True,
            True,
            of_region(
                "dynamodb-fips.us-gov-west-1.api.aws",
                "streams-dynamodb-fips.us-gov-west-1.api.aws",
                "application-autoscaling-fips.us-gov-west-1.api.aws",
            ),
        ),
        (
            "cn-north-1",
            False,
            False,
            of_region(
                "dynamodb.cn-north-1.amazonaws.com.cn",
                "streams.dynamodb.cn-north-1.amazonaws.com.cn",
                "application-autoscaling.cn-north-1.amazonaws.com.cn",
            ),
        ),
    ],
)
async def test_region_and_the_settings_for_fips_and_dual_stack_select_the_endpoints(
    region: str, fips: bool, dual_stack: bool, expected: Endpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_USE_FIPS_ENDPOINT", str(fips).lower())
    monkeypatch.setenv("AWS_USE_DUALSTACK_ENDPOINT", str(dual_stack).lower())

    assert await find_endpoints(region, None, NONE) == expected


async def test_each_service_has_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "https://everything.internal")
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", "https://tables.internal:8443")
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB_STREAMS", "https://streams.internal")

    assert await find_endpoints("eu-west-1", None, NONE) == of_region(
        "tables.internal:8443", "streams.internal", "everything.internal"
    )


async def test_profile_has_the_same_settings(aws_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (aws_home / "config").write_text(
        "[profile vpc]\nregion = eu-west-1\nservices = private\n"
        f"[services private]\ndynamodb =\n  endpoint_url = {VPC}\ndynamodb_streams =\n  endpoint_url = {VPC_STREAMS}\n"
        "[profile fips]\nregion = us-east-1\nuse_fips_endpoint = true\n"
    )
    monkeypatch.setenv("AWS_PROFILE", "vpc")
    assert (await find_endpoints("eu-west-1", None, NONE))[:2] == (VPC, VPC_STREAMS)

    monkeypatch.setenv("AWS_PROFILE", "fips")
    assert (await find_endpoints("us-east-1", None, NONE)).tables == "https://dynamodb-fips.us-east-1.amazonaws.com"


async def test_endpoint_of_another_server_serves_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB_STREAMS", "https://streams.internal")
    monkeypatch.setenv("AWS_USE_FIPS_ENDPOINT", "true")  # nothing for a server on this machine

    assert await find_endpoints("eu-west-1", LOCAL, NONE) == Endpoints(LOCAL, LOCAL, LOCAL)


async def test_options_name_the_endpoint_of_each_service() -> None:
    options = ServiceOptions(streams_endpoint=VPC_STREAMS, autoscaling_endpoint=LOCAL)

    assert await find_endpoints("eu-west-1", VPC, options) == Endpoints(VPC, VPC_STREAMS, LOCAL)


async def test_endpoint_of_aws_for_tables_is_not_used_for_streams() -> None:
    found = await find_endpoints("eu-west-1", VPC, NONE)

    assert found.tables == VPC
    assert found.streams == "https://streams.dynamodb.eu-west-1.amazonaws.com"


@pytest.mark.parametrize("variable", ["AWS_USE_FIPS_ENDPOINT", "AWS_USE_DUALSTACK_ENDPOINT"])
async def test_setting_that_an_endpoint_would_disable_is_an_error(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "true")

    with pytest.raises(StoreFailed, match="remove the endpoint"):
        await find_endpoints("eu-west-1", "https://db.internal", NONE)


async def test_tables_and_streams_are_called_at_their_endpoints(scripted: ScriptedEndpoint) -> None:
    stream = {"LatestStreamArn": "arn", "LatestStreamLabel": "now", "StreamSpecification": {"StreamEnabled": True}}
    scripted.answers_always(answers({"Table": {"TableStatus": "ACTIVE", **stream}}))
    async with scripted_endpoint() as streams:
        streams.answers_always(answers({"StreamDescription": {"Shards": []}}))
        engine = await open_engine(f"dynamodb://notes?endpoint={scripted.url}&streams_endpoint={streams.url}")
        await engine.changes(OLDEST)
        await engine.close()

    assert scripted.actions() == ["DescribeTable"]
    assert streams.actions() == ["DescribeStream"]


async def test_option_sets_the_time_of_an_attempt(scripted: ScriptedEndpoint) -> None:
    scripted.answers_always(scripted.never)
    engine = await open_engine(f"dynamodb://notes?endpoint={scripted.url}&attempt_seconds=0.05")

    with pytest.raises(OutcomeUnknown, match=r"PutItem got no response from 127\.0\.0\.1.*TimeoutError"):
        await engine.write(put())

    await engine.close()


async def test_attempt_at_a_service_is_short_and_one_at_an_emulator_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[float] = []

    def connections(address: Address, times: TimeLimits) -> Connections:
        limits.append(times.respond)
        return Connections(address, times)

    monkeypatch.setattr("sobremesa.table.engines.dynamodb.transport.Connections", connections)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    for endpoint in (None, LOCAL):
        engine = await DynamoEngine.open(Layout(), region="eu-west-1", endpoint=endpoint, clock=SetClock())
        await engine.close()

    # Tables, streams, management of tables, autoscaling.
    assert limits == [2.0, 5.0, 15.0, 15.0, 10.0, 10.0, 15.0, 15.0]

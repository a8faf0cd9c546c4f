"""The signature is AWS Signature Version 4, to the letter as botocore makes it."""

from __future__ import annotations

import datetime
from unittest import mock
from urllib.parse import urlsplit

import botocore.auth
import botocore.awsrequest
import botocore.credentials
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamodb.rows import KEY, put
from dynamodb.scripted import Received, ScriptedEndpoint, answers
from sobremesa.core.clock import SetClock
from sobremesa.table import Layout
from sobremesa.table.engines.dynamodb import DynamoEngine
from sobremesa.table.engines.dynamodb.credentials import DUMMY, Keys
from sobremesa.table.engines.dynamodb.signature import CONTENT_TYPE, Signer

END_OF_2099_MS = 4_102_444_799_999
PRINTABLE = st.characters(min_codepoint=33, max_codepoint=126)
REGIONS = ("eu-west-1", "us-east-1", "cn-north-1", "ap-southeast-2")

all_keys = st.builds(
    Keys,
    access=st.text(st.characters(min_codepoint=48, max_codepoint=90, categories=["Lu", "Nd"]), min_size=1, max_size=24),
    secret=st.text(PRINTABLE, min_size=1, max_size=48),
    token=st.none() | st.text(PRINTABLE, min_size=1, max_size=400),
)
hosts = st.sampled_from(["dynamodb", "streams.dynamodb"]).flatmap(
    lambda service: st.sampled_from([f"{service}.{region}.amazonaws.com" for region in REGIONS])
) | st.integers(1024, 65535).map(lambda port: f"127.0.0.1:{port}")
moments = st.integers(0, END_OF_2099_MS)
targets = st.sampled_from(["DynamoDB_20120810.GetItem", "DynamoDBStreams_20120810.GetRecords"])


def signed_by_botocore(keys: Keys, *, region: str, host: str, target: str, body: bytes, now_ms: int) -> dict[str, str]:
    """The headers that botocore gives to the same request at the same time."""
    request = botocore.awsrequest.AWSRequest(
        "POST", f"http://{host}/", data=body, headers={"Content-Type": CONTENT_TYPE, "X-Amz-Target": target}
    )
    now = datetime.datetime.fromtimestamp(now_ms // 1000, datetime.UTC).replace(tzinfo=None)
    credentials = botocore.credentials.Credentials(keys.access, keys.secret, keys.token)
    with mock.patch.object(botocore.auth, "get_current_datetime", return_value=now):
        botocore.auth.SigV4Auth(credentials, "dynamodb", region).add_auth(request)
    return {"Host": host} | dict(request.headers.items())


@given(keys=all_keys, region=st.sampled_from(REGIONS), host=hosts, target=targets, body=st.binary(), now_ms=moments)
def test_every_request_is_signed_as_botocore_signs_it(
    keys: Keys, region: str, host: str, target: str, body: bytes, now_ms: int
) -> None:
    ours = Signer(region).headers(keys, host=host, target=target, body=body, now_ms=now_ms)

    assert ours == signed_by_botocore(keys, region=region, host=host, target=target, body=body, now_ms=now_ms)


@given(
    requests=st.lists(
        st.tuples(
            st.sampled_from([Keys("one", "secret", None), Keys("one", "other", None), Keys("two", "secret", "token")]),
            st.sampled_from([0, 999, 86_399_999, 86_400_000, 1_763_000_123_456]),
        ),
        max_size=12,
    )
)
def test_a_signer_keeps_no_key_beyond_its_day_or_its_secret(requests: list[tuple[Keys, int]]) -> None:
    signer = Signer("eu-west-1")
    for keys, now_ms in requests:
        ours = signer.headers(keys, host="localhost", target="T.A", body=b"{}", now_ms=now_ms)

        assert ours == signed_by_botocore(
            keys, region="eu-west-1", host="localhost", target="T.A", body=b"{}", now_ms=now_ms
        )


def assert_is_signed(received: Received, keys: Keys, *, region: str, now_ms: int) -> None:
    """What arrived carries the signature that botocore makes of just these bytes and headers."""
    headers = received.request.headers
    expected = signed_by_botocore(
        keys,
        region=region,
        host=headers["Host"],
        target=f"{received.service}.{received.action}",
        body=received.raw,
        now_ms=now_ms,
    )
    assert {name: headers.get(name) for name in expected} == expected
    assert headers.get("X-Amz-Security-Token") == keys.token


@pytest.mark.parametrize("token", [None, "IQoJb3JpZ2luX2VjE+/=="])
async def test_what_arrives_is_what_was_signed(
    token: str | None, scripted: ScriptedEndpoint, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = Keys("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", token)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", keys.access)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", keys.secret)
    if token is not None:
        monkeypatch.setenv("AWS_SESSION_TOKEN", token)
    scripted.answers_always(answers())
    engine = await DynamoEngine.open(Layout(), region="eu-south-2", endpoint=scripted.url, clock=clock)

    await engine.get(KEY, consistent=True, fields=None)
    clock.move(seconds=90_000)
    await engine.write(put(text="¿Qué tal? 😀", content=b"\x00\xff"))
    await engine.close()

    read, written = scripted.received
    assert_is_signed(read, keys, region="eu-south-2", now_ms=clock.now_ms() - 90_000_000)
    assert_is_signed(written, keys, region="eu-south-2", now_ms=clock.now_ms())
    assert read.request.headers["Host"] == urlsplit(scripted.url).netloc


async def test_a_large_body_arrives_whole_and_signed(
    engine: DynamoEngine, scripted: ScriptedEndpoint, clock: SetClock
) -> None:
    scripted.answers_always(answers())

    await engine.transact([put(f"{number}", text="x" * 399_000) for number in range(10)], None)

    (received,) = scripted.received
    assert len(received.body["TransactItems"]) == 10
    assert received.request.headers["Content-Length"] == str(len(received.raw))
    assert_is_signed(received, DUMMY, region="eu-west-1", now_ms=clock.now_ms())

"""Who asks: found where AWS's own tools look, and renewed in time, off the loop."""

from __future__ import annotations

import asyncio
import datetime
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import botocore.credentials
import botocore.exceptions
import botocore.session
import pytest

from dynamodb.rows import KEY, put
from dynamodb.scripted import ScriptedEndpoint, answers
from sobremesa.core.clock import SetClock
from sobremesa.table import Layout
from sobremesa.table.engines.dynamodb import DynamoEngine, credentials
from sobremesa.table.engines.dynamodb.credentials import DUMMY, Credentials, Keys, find_region, is_loopback
from sobremesa.table.errors import StoreClosed, StoreFailed

LOCAL = "http://127.0.0.1:8000"
START = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "from-environment")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")


@pytest.mark.usefixtures("environment")
async def test_keys_are_found_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await (await Credentials.find(None)).current() == Keys("from-environment", "secret", None)

    monkeypatch.setenv("AWS_SESSION_TOKEN", "token")
    assert await (await Credentials.find(None)).current() == Keys("from-environment", "secret", "token")


@pytest.mark.usefixtures("environment")
async def test_keys_of_the_environment_are_used_on_this_machine_too() -> None:
    assert await (await Credentials.find(LOCAL)).current() == Keys("from-environment", "secret", None)


async def test_keys_are_found_in_a_profile(aws_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    profiles = "[default]\naws_access_key_id=one\naws_secret_access_key=1\n"
    profiles += "[other]\naws_access_key_id=two\naws_secret_access_key=2\naws_session_token=t\n"
    (aws_home / "credentials").write_text(profiles)

    assert await (await Credentials.find(None)).current() == Keys("one", "1", None)

    monkeypatch.setenv("AWS_PROFILE", "other")
    assert await (await Credentials.find(None)).current() == Keys("two", "2", "t")


async def test_an_endpoint_on_this_machine_takes_anything() -> None:
    assert await (await Credentials.find(LOCAL)).current() == DUMMY


@pytest.mark.parametrize("endpoint", [None, "https://db.example.com"])
async def test_remote_endpoint_requires_keys(endpoint: str | None) -> None:
    with pytest.raises(StoreFailed, match="no AWS credentials"):
        await Credentials.find(endpoint)


async def test_local_endpoint_needs_no_role(monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(_: object) -> None:
        raise AssertionError("the machine's metadata service was asked")

    monkeypatch.setattr(botocore.credentials.InstanceMetadataProvider, "load", ask)

    assert await (await Credentials.find(LOCAL)).current() == DUMMY
    with pytest.raises(StoreFailed, match="was asked"):
        await Credentials.find(None)


@pytest.mark.parametrize(
    ("endpoint", "here"),
    [
        ("http://127.0.0.1:8000", True),
        ("http://127.1.2.3", True),
        ("http://localhost:8000", True),
        ("http://db.localhost", True),
        ("http://[::1]:8000/", True),
        ("http://10.0.0.1:8000", False),
        ("https://dynamodb.eu-west-1.amazonaws.com", False),
        ("https://localhost.example.com", False),
        ("https://notlocalhost", False),
        ("http://[2001:db8::1]", False),
    ],
)
def test_only_this_machine_is_this_machine(endpoint: str, here: bool) -> None:
    assert is_loopback(endpoint) is here


async def test_the_region_is_found_in_the_environment_or_a_profile(
    aws_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (aws_home / "config").write_text("[default]\nregion = eu-central-1\n")
    assert await find_region(None) == "eu-central-1"

    monkeypatch.setenv("AWS_DEFAULT_REGION", "sa-east-1")
    assert await find_region(None) == "sa-east-1"


async def test_only_an_endpoint_of_ones_own_needs_no_region() -> None:
    assert await find_region(LOCAL) == "us-east-1"
    with pytest.raises(StoreFailed, match="no AWS region"):
        await find_region(None)


BROKEN: dict[str, dict[str, str]] = {
    "a profile that is not there": {"AWS_PROFILE": "nobody"},
    "half a pair": {"AWS_ACCESS_KEY_ID": "key"},
    "a program that fails": {"AWS_PROFILE": "program"},
    "a file that is none": {"AWS_CONFIG_FILE": "broken"},
}


@pytest.mark.parametrize("broken", BROKEN)
async def test_credentials_that_cannot_be_read_are_reported(
    broken: str, aws_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(aws_home)
    (aws_home / "config").write_text("[profile program]\ncredential_process = false\n")
    (aws_home / "broken").write_text("[profile\n=\n")
    for name, value in BROKEN[broken].items():
        monkeypatch.setenv(name, value)

    with pytest.raises(StoreFailed):
        await DynamoEngine.open(Layout(), region=None, endpoint=None, clock=SetClock())


async def test_region_that_cannot_be_read_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobody")

    with pytest.raises(StoreFailed):
        await find_region(LOCAL)


class Lender:
    """Lends keys for an hour each, through botocore's own renewable credentials, and records the requests."""

    def __init__(self) -> None:
        self.now = START
        self.lent = 0
        self.threads: set[threading.Thread] = set()
        self.open = threading.Event()
        self.open.set()
        self.came = threading.Event()
        self.refusal: Exception | None = None
        self.renewable = botocore.credentials.RefreshableCredentials.create_from_metadata(
            self.lend(), refresh_using=self.lend, method="lender"
        )
        self.renewable._time_fetcher = lambda: self.now

    def lend(self) -> dict[str, str]:
        self.threads.add(threading.current_thread())
        self.came.set()
        assert self.open.wait(30)
        if self.refusal is not None:
            raise self.refusal
        self.lent += 1
        until = (self.now + datetime.timedelta(hours=1)).isoformat()
        return {"access_key": f"key{self.lent}", "secret_key": "s", "token": "t", "expiry_time": until}

    def wait(self, *, minutes: float) -> None:
        self.now += datetime.timedelta(minutes=minutes)


@pytest.fixture
async def lender(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Lender]:
    lender = Lender()
    lender.threads.clear()
    lender.came.clear()
    monkeypatch.setattr(credentials, "CHECK_SECONDS", 0.0)
    monkeypatch.setattr(botocore.session.Session, "get_credentials", lambda _: lender.renewable)
    yield lender
    lender.open.set()


async def access(found: Credentials) -> str:
    return (await found.current()).access


async def test_keys_are_renewed_when_a_quarter_of_an_hour_is_left(lender: Lender) -> None:
    found = await Credentials.find(None)
    lender.wait(minutes=44)
    assert await access(found) == "key1"

    lender.wait(minutes=2)
    assert await access(found) == "key2"
    assert await access(found) == "key2"


async def test_while_keys_are_renewed_in_good_time_the_old_ones_serve(lender: Lender) -> None:
    found = await Credentials.find(None)
    lender.wait(minutes=50)
    lender.open.clear()
    renewing = asyncio.create_task(access(found))
    await asyncio.to_thread(lender.came.wait, 30)

    assert await access(found) == "key1"

    lender.open.set()
    assert await renewing == "key2"
    assert await access(found) == "key2"


async def test_in_the_last_minutes_all_requests_wait_for_one_renewal(lender: Lender) -> None:
    found = await Credentials.find(None)
    lender.wait(minutes=56)
    lender.open.clear()
    waiting = [asyncio.create_task(access(found)) for _ in range(20)]
    await asyncio.to_thread(lender.came.wait, 30)

    assert not any(task.done() for task in waiting)

    lender.open.set()
    assert await asyncio.gather(*waiting) == ["key2"] * 20
    assert lender.lent == 2


async def test_keys_are_found_and_renewed_off_the_loop(lender: Lender) -> None:
    lender.wait(minutes=50)
    found = await Credentials.find(None)
    lender.wait(minutes=50)

    assert await access(found) == "key3"
    assert lender.threads
    assert threading.main_thread() not in lender.threads


async def test_keys_of_a_program_are_renewed_by_running_it_again(
    aws_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(credentials, "CHECK_SECONDS", 0.0)
    until = datetime.datetime.now(datetime.UTC) + datetime.timedelta(minutes=10)
    printed = {"Version": 1, "SecretAccessKey": "s", "SessionToken": "t", "Expiration": until.isoformat()}
    runs = aws_home / "runs"
    program = aws_home / "program.py"
    program.write_text(
        "import json, sys\n"
        "with open(sys.argv[1], 'a') as runs:\n    runs.write('.')\n    ran = runs.tell()\n"
        f"print(json.dumps({printed!r} | {{'AccessKeyId': f'run{{ran}}'}}))\n"
    )
    (aws_home / "config").write_text(f"[default]\ncredential_process = {sys.executable} -I {program} {runs}\n")

    found = await Credentials.find(None)
    first, second = await found.current(), await found.current()

    assert second == Keys(f"run{len(runs.read_text())}", "s", "t")
    assert first != second


async def test_looking_whether_keys_are_due_is_not_done_for_each_request(
    lender: Lender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(credentials, "CHECK_SECONDS", 1000.0)
    found = await Credentials.find(None)
    lender.wait(minutes=56)

    assert await access(found) == "key1"


async def test_keys_that_cannot_be_renewed_in_good_time_serve_on(lender: Lender) -> None:
    found = await Credentials.find(None)
    lender.wait(minutes=50)
    lender.refusal = botocore.exceptions.CredentialRetrievalError(provider="lender", error_msg="not now")

    assert await access(found) == "key1"


REFUSALS: list[Exception] = [
    botocore.exceptions.CredentialRetrievalError(provider="lender", error_msg="not now"),
    botocore.exceptions.ClientError({"Error": {"Code": "AccessDenied", "Message": "not you"}}, "AssumeRole"),
    RuntimeError("Credentials were refreshed, but the refreshed credentials are still expired."),
]


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: type(refusal).__name__)
async def test_a_request_whose_keys_cannot_be_renewed_surely_was_not_sent(
    refusal: Exception, lender: Lender, scripted: ScriptedEndpoint, clock: SetClock
) -> None:
    scripted.answers_always(answers())
    engine = await DynamoEngine.open(Layout(), region="eu-west-1", endpoint=scripted.url, clock=clock)
    lender.wait(minutes=58)
    lender.refusal = refusal

    try:
        with pytest.raises(StoreFailed):
            await engine.write(put())
        assert scripted.received == []

        lender.refusal = None
        await engine.write(put())
        assert scripted.received[0].request.headers["X-Amz-Security-Token"] == "t"
    finally:
        await engine.close()


async def test_engine_closed_while_keys_are_renewed_raises(
    lender: Lender, scripted: ScriptedEndpoint, clock: SetClock
) -> None:
    engine = await DynamoEngine.open(Layout(), region="eu-west-1", endpoint=scripted.url, clock=clock)
    lender.wait(minutes=58)
    lender.open.clear()
    reading = asyncio.create_task(engine.get(KEY, consistent=True, fields=None))
    await asyncio.to_thread(lender.came.wait, 30)

    await engine.close()
    lender.open.set()

    with pytest.raises(StoreClosed):
        await reading

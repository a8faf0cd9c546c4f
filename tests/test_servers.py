"""The test servers answer DynamoDB requests, and none outlives the process that started it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

import servers
from servers import (
    Endpoint,
    ServerFailed,
    ServerMissing,
    start_dynalite,
    start_dynamodb_local,
    start_dynoxide,
    start_moto,
)

AUTHORIZATION = (
    "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host;x-amz-date;x-amz-target, Signature=0000"
)
GONE_WITHIN_SECONDS = 5.0


def list_tables(endpoint: Endpoint) -> list[str]:
    request = urllib.request.Request(
        endpoint.url,
        data=b"{}",
        headers={
            "Authorization": AUTHORIZATION,
            "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Date": "20260101T000000Z",
            "X-Amz-Target": "DynamoDB_20120810.ListTables",
        },
    )
    with urllib.request.urlopen(request, timeout=10) as response:
        names: list[str] = json.load(response)["TableNames"]
        return names


def is_gone(endpoint: Endpoint) -> bool:
    deadline = time.monotonic() + GONE_WITHIN_SECONDS
    while time.monotonic() < deadline:
        try:
            list_tables(endpoint)
        except urllib.error.HTTPError as answered:
            answered.close()
        except OSError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("start", [start_dynoxide, start_moto, start_dynalite])
def test_server_responds_while_it_runs_and_is_stopped_afterwards(
    start: Callable[[], AbstractContextManager[Endpoint]],
) -> None:
    with start() as endpoint:
        assert endpoint.url.startswith("http://127.0.0.1:")
        assert list_tables(endpoint) == []

    assert is_gone(endpoint)


def test_dynoxide_keeps_its_tables_in_the_file_it_is_given(tmp_path: Path) -> None:
    database = tmp_path / "table.db"

    with start_dynoxide(database) as endpoint:
        assert list_tables(endpoint) == []

    assert database.stat().st_size > 0


def test_session_servers_respond(dynamodb_endpoint: Endpoint, moto_server: Endpoint) -> None:
    for endpoint in (dynamodb_endpoint, moto_server):
        list_tables(endpoint)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has a parent-death signal")
@pytest.mark.parametrize("start", ["start_dynoxide", "start_moto", "start_dynalite"])
def test_a_server_dies_with_a_killed_parent(start: str) -> None:
    script = f"from servers import *; import time\nwith {start}() as e: print(e.url, flush=True); time.sleep(60)"
    environment = os.environ | {"PYTHONPATH": str(Path(servers.__file__).parents[1])}
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, env=environment) as parent:
        try:
            assert parent.stdout is not None
            endpoint = Endpoint(start, parent.stdout.readline().decode().strip())
            assert list_tables(endpoint) == []
        finally:
            parent.send_signal(signal.SIGKILL)

    assert is_gone(endpoint)


def test_error_of_a_missing_server_names_the_command_to_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "DYNOXIDE", tmp_path / "dynoxide")

    with pytest.raises(ServerMissing, match="run `make install`"), start_dynoxide():
        pass


def test_error_of_a_missing_java_names_the_command_to_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(ServerMissing, match=r"java on the PATH.*run `make conformance`"), start_dynamodb_local():
        pass


def test_error_of_a_dynamodb_local_that_is_not_installed_names_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = tmp_path / "java"
    java.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(servers, "DYNAMODB_LOCAL", tmp_path / "dynamodb-local")

    with pytest.raises(ServerMissing, match=r"dynamodb-local.*run `make conformance`"), start_dynamodb_local():
        pass


def test_make_conformance_without_java_names_what_it_needs(tmp_path: Path) -> None:
    make = shutil.which("make")
    assert make is not None
    repository = Path(servers.__file__).parents[2]

    refused = subprocess.run(
        [make, "-C", str(repository), "conformance"],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert refused.returncode == 2
    assert "make conformance needs a JDK (17 or newer) and Maven: there is no java on the PATH." in refused.stderr


def test_error_of_a_server_that_exits_has_its_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "dynoxide"
    program.write_text("#!/bin/sh\necho no room at the table\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setattr(servers, "DYNOXIDE", program)

    with pytest.raises(ServerFailed, match=r"status 3(.|\n)*no room at the table"), start_dynoxide():
        pass


def test_a_server_is_not_started_from_a_thread_that_may_end_before_it() -> None:
    refusals: list[str] = []

    def start() -> None:
        with pytest.raises(RuntimeError, match="main thread") as refused, start_dynoxide():
            pass
        refusals.append(str(refused.value))

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()

    assert refusals

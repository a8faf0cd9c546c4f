"""Servers that every test may use: one of each kind for each test worker, started when first asked for."""

import gc
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import hypothesis
import pytest

import commands
from lengths import PROPERTY_EXAMPLES
from servers import WITH_DYNAMODB_LOCAL, Endpoint, start_dynamodb, start_moto, start_valkey
from servers.postgres import start_postgres
from servers.sharded import ShardingProxy, start_sharded

TESTS_PER_DYNAMODB = 10_000 if WITH_DYNAMODB_LOCAL else 20

# A pause of a busy machine is neither a slow example nor a slow strategy; `timeout` ends a test that hangs.
hypothesis.settings.register_profile(
    "sobremesa",
    max_examples=PROPERTY_EXAMPLES,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("sobremesa")

# Tests start hundreds of Python processes. Where compiled modules are not kept, each of them compiles everything first,
# which takes longer than most of what they are started for.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_collection_finish() -> None:
    """Let the garbage collector leave out what was imported and collected: it stays until the end.

    Each full collection would look through it again, hundreds of megabytes, and find nothing.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of a folder together, in the random order that they are in.

    The servers of a folder (scope `package`) stop as soon as a test of another folder comes, and start again for the
    next of their own. For the same reason `make test` distributes long runs of tests (`worksteal`), not single ones.
    """
    folders: dict[Path, int] = {}
    for item in items:
        folders.setdefault(item.path.parent, len(folders))
    items.sort(key=lambda item: folders[item.path.parent])


class Renewed:
    """A server that is replaced by a new one after some tests.

    A write to a table with a stream makes dynoxide look through the stream records of all its tables, those of dropped
    tables too: after ten thousand of them it takes ten times as long.
    """

    def __init__(self, start: Callable[[], AbstractContextManager[Endpoint]], tests: int) -> None:
        self._start = start
        self._tests = tests
        self._left = 0
        self._running = ExitStack()
        self._endpoint: Endpoint | None = None

    def endpoint(self) -> Endpoint:
        """Return the endpoint for one more test."""
        if self._endpoint is None or not self._left:
            self.stop()
            self._endpoint = self._running.enter_context(self._start())
            self._left = self._tests
        self._left -= 1
        return self._endpoint

    def stop(self) -> None:
        self._endpoint = None
        self._running.close()


@pytest.fixture(scope="session", autouse=True)
def forked_processes() -> Iterator[None]:
    """End what `commands` has started, after all fixtures that use it."""
    yield
    commands.close()


@pytest.fixture(scope="session")
def dynamodb_endpoints() -> Iterator[Renewed]:
    servers = Renewed(start_dynamodb, TESTS_PER_DYNAMODB)
    yield servers
    servers.stop()


@pytest.fixture
def dynamodb_endpoint(dynamodb_endpoints: Renewed) -> Endpoint:
    """dynoxide in memory, or DynamoDB Local if the environment variable TESTS_DYNAMODB is `local`."""
    return dynamodb_endpoints.endpoint()


@pytest.fixture
def sharded(dynamodb_endpoint: Endpoint) -> Iterator[ShardingProxy]:
    """The same, with streams of several shards, which the test controls."""
    with start_sharded(dynamodb_endpoint) as proxy:
        yield proxy


@pytest.fixture(scope="session")
def moto_server() -> Iterator[Endpoint]:
    with start_moto() as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
def postgres() -> Iterator[Endpoint]:
    with start_postgres() as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
def valkey() -> Iterator[Endpoint]:
    with start_valkey() as endpoint:
        yield endpoint

"""An engine on a scripted endpoint (`engine`, `scripted`), and one on dynoxide (`stored`)."""

from __future__ import annotations

import os
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dynamodb.scripted import ScriptedEndpoint, scripted_endpoint
from servers import Endpoint
from sobremesa.core.clock import SetClock, SystemClock
from sobremesa.table import Layout
from sobremesa.table.engines.dynamodb import DynamoEngine


@pytest.fixture(autouse=True)
def aws_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder where credentials and profiles are looked for: never those of the user who runs the tests."""
    for name in os.environ:
        if name.startswith("AWS_"):
            monkeypatch.delenv(name)
    folder = tmp_path / "aws"
    folder.mkdir()
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(folder / "credentials"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(folder / "config"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
async def scripted() -> AsyncIterator[ScriptedEndpoint]:
    async with scripted_endpoint() as endpoint:
        yield endpoint


@pytest.fixture
async def engine(scripted: ScriptedEndpoint, clock: SetClock) -> AsyncIterator[DynamoEngine]:
    """An engine over the scripted endpoint."""
    engine = await DynamoEngine.open(Layout(table="notes"), region="eu-west-1", endpoint=scripted.url, clock=clock)
    try:
        yield engine
    finally:
        await engine.close()


@pytest.fixture
def layout() -> Layout:
    """A new table name: dynoxide returns the old changes of a name that is used again."""
    return Layout(table=f"dynamodb-{uuid.uuid4().hex}")


@pytest.fixture
async def stored(dynamodb_endpoint: Endpoint, layout: Layout) -> AsyncIterator[DynamoEngine]:
    """An engine with a fresh table on dynoxide."""
    engine = await DynamoEngine.open(layout, region="eu-west-1", endpoint=dynamodb_endpoint.url, clock=SystemClock())
    try:
        await engine.create_table()
        yield engine
        await engine.drop_table()
    finally:
        await engine.close()

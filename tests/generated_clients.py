"""The generated clients of the docs compile and work. `make clients` runs it: it fetches 100 MB of packages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from test_recipes import followed

WITHIN_SECONDS = 900.0
JSON_LINES = ["POST /v1/import/messages", "POST /v1/tenants/{tenant}/users:batch"]


@pytest.mark.timeout(WITHIN_SECONDS)
def test_generated_clients_compile_and_register_send_and_read(tmp_path: Path) -> None:
    printed = followed("client.md", "Generated clients", tmp_path, WITHIN_SECONDS)

    assert printed.splitlines() == ["[ 'Hello from TypeScript' ]", "['Hello from Python']"]
    log = (tmp_path / "python.log").read_text()
    assert "Unable to process schema" not in log
    assert sorted(re.findall(r"parsing (.*) within .* not be generated", log)) == JSON_LINES

"""The generated clients of the docs compile and work. `make clients` runs it: it fetches 100 MB of packages."""

from __future__ import annotations

from pathlib import Path

from test_recipes import followed

LEFT_OUT = ["POST /v1/tenants/{tenant}/users:batch", "POST /v1/import/messages"]


def test_generated_clients_compile_and_register_send_and_read(tmp_path: Path) -> None:
    printed = followed("client.md", "Generated clients", tmp_path)

    assert printed.splitlines() == ["[ 'Hello from TypeScript' ]", "['Hello from Python']"]
    log = (tmp_path / "python.log").read_text()
    dropped = [line.split(" within ")[0].split("parsing ")[1] for line in log.splitlines() if "not be generated" in line]
    assert (sorted(dropped), "Unable to process schema" in log) == (sorted(LEFT_OUT), False), log

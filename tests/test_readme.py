"""The commands of the README work, line by line."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
WITHIN_SECONDS = 120.0


def section_of(page: Path, heading: str) -> str:
    """Return the text below a heading, up to the next one of any level."""
    found = re.search(rf"^##+ {re.escape(heading)}\n(.*?)(?=^##+ |\Z)", page.read_text(), re.MULTILINE | re.DOTALL)
    assert found, f"{page.name} has no section {heading}"
    return found.group(1)


def shell_block(page: Path, heading: str) -> str:
    """Return the commands of a section: its ```sh block that calls the API."""
    section = section_of(page, heading)
    blocks = [block for block in re.findall(r"^```sh\n(.*?)^```", section, re.MULTILINE | re.DOTALL) if "curl" in block]
    assert len(blocks) == 1, f"{page.name} has {len(blocks)} blocks of curl below {heading}"
    return str(blocks[0])


def values_in(text: str) -> list[Any]:
    """The JSON values that stand in a text, one after the other."""
    values = []
    decoder = json.JSONDecoder()
    while text := text.lstrip():
        value, end = decoder.raw_decode(text)
        values.append(value)
        text = text[end:]
    return values


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def typed(lines: str, folder: Path, within: float = WITHIN_SECONDS, **variables: str) -> str:
    """What a shell prints that is given these lines in a folder with our .venv."""
    (folder / ".venv").symlink_to(Path(sys.executable).parent.parent)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SOBREMESA_")}
    # A version manager's `python3` takes longer to start than what it runs here.
    path = f"{sys.base_prefix}/bin{os.pathsep}{os.environ['PATH']}"
    environment |= {"PATH": path, "SOBREMESA_PORT": str(free_port()), **variables}
    # A session of its own, so that the server in the background ends with the shell, whatever happens.
    shell = subprocess.Popen(
        ["bash", "-e", "-u", "-o", "pipefail"],
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with shell:
        try:
            printed, errors = shell.communicate(lines, within)
        except subprocess.TimeoutExpired as late:
            printed, errors = "", str(late)
        finally:
            os.killpg(shell.pid, signal.SIGKILL)
    logs = "\n".join(f"{log.name}: {log.read_text()[-2000:]}" for log in folder.glob("*.log"))
    assert shell.returncode == 0, f"{errors}\n{logs}"
    return printed


def test_a_new_user_who_copies_the_readme_reads_the_first_message(tmp_path: Path) -> None:
    lines = shell_block(ROOT / "README.md", "Try it")
    joined, sent, page = values_in(typed(lines, tmp_path))

    assert joined["role"] == "member"
    [message] = page["items"]
    assert message["messageId"] == sent["messageId"]
    assert (message["username"], message["content"]) == ("ana", "Who brings the coffee, @ben?")
    assert len(message["mentions"]) == 1

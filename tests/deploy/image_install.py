"""The commands of the Dockerfile install a server that runs. `make image` runs it: it fetches packages."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.templates import ROOT
from deploy.test_containers import SERVER, stages, starts_and_becomes_healthy

INSTALL_WITHIN_SECONDS = 280


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the stage `packages` makes of /opt/sobremesa, with its own commands, in an empty folder."""
    folder = tmp_path_factory.mktemp("image")
    target = folder / "opt"
    for instruction in stages()[1]:
        if instruction.name == "COPY":
            copy(instruction.text, folder)
        elif instruction.name == "RUN":
            words = [word.replace("/opt/sobremesa", str(target)) for word in instruction.command]
            assert words[0] == "python"
            clean = {name: each for name, each in os.environ.items() if not name.startswith(("PYTHON", "COV"))}
            done = subprocess.run(
                [sys.executable, *words[1:]],
                cwd=folder,
                env=clean,
                capture_output=True,
                text=True,
                timeout=INSTALL_WITHIN_SECONDS,
                check=False,
            )
            assert done.returncode == 0, done.stdout + done.stderr
    return target


def copy(text: str, folder: Path) -> None:
    """Copy what an instruction copies; what the stage of the web client has built is in this checkout."""
    *sources, into = text.split()
    if sources[0].startswith("--from=web"):
        sources = [sources[1].removeprefix("/build/")]
    for source in sources:
        whole = ROOT / source
        if whole.is_dir():
            shutil.copytree(whole, folder / into, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
        else:
            shutil.copy(whole, folder / into)


def test_image_has_what_the_server_needs_and_no_tools(environment: Path) -> None:
    [site_packages] = environment.glob("lib/python3*/site-packages")
    found = importlib.metadata.distributions(path=[str(site_packages)])
    assert {re.sub(r"[-_.]+", "-", each.name).lower() for each in found} == SERVER


def test_server_of_the_image_becomes_healthy(environment: Path, tmp_path: Path) -> None:
    starts_and_becomes_healthy(environment, tmp_path)

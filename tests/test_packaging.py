"""The packages that a release uploads."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CLIENT = "sobremesa/web/dist/index.html"


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A copy of what a wheel is built from, without the built web client."""
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("dist", "__pycache__"))
    return tmp_path


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def test_wheel_contains_the_web_client_and_is_not_built_without_it(sources: Path) -> None:
    refused = build(sources)

    assert refused.returncode != 0
    assert "run `make install`, which builds the web client" in refused.stderr

    (sources / "src" / CLIENT).parent.mkdir()
    (sources / "src" / CLIENT).write_text("<!doctype html>")
    done = build(sources)

    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(next(sources.glob("dist/*.whl"))) as wheel:
        names = wheel.namelist()
    assert CLIENT in names
    assert "sobremesa/py.typed" in names
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"sobremesa"}

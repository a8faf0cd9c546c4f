"""The packages that a release uploads, and what works without the extras."""

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import msgspec
import pytest

from sobremesa import __version__
from sobremesa.app import Sobremesa
from sobremesa.core.settings import Settings
from sobremesa.table.opening import ExtraMissing

ROOT = Path(__file__).resolve().parents[1]
CLIENT = "sobremesa/web/dist/index.html"


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A copy of what a wheel is built from, without the built web client."""
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("dist", "__pycache__"))
    return tmp_path


@pytest.fixture
def toolkit(tmp_path: Path) -> Path:
    """The unpacked wheel of sobremesa-table, and nothing else of ours."""
    done = build(ROOT / "toolkit", tmp_path)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(next(tmp_path.glob("sobremesa_table-*.whl"))) as wheel:
        wheel.extractall(tmp_path / "installed")
    return tmp_path / "installed"


def build(folder: Path, into: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    command += [] if into is None else ["--directory", str(into)]
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


def run_without(packages: set[str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command in an interpreter that cannot import some packages."""
    hide = f"import sys; sys.modules.update(dict.fromkeys({sorted(packages)!r}))"
    script = f"{hide}; from sobremesa.cli import main; main()"
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


EXTRAS = {"botocore", "redis", "asyncpg"}


def test_embedded_store_works_without_any_extra(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'chat.db'}"

    created = run_without(EXTRAS, "table", "create", "--store", store)
    key = run_without(EXTRAS, "keys", "create", "--tenant", "shop", "--scope", "inbox:publish", "--store", store)

    assert (created.returncode, key.returncode) == (0, 0), created.stderr + key.stderr


async def test_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in EXTRAS:
        monkeypatch.setitem(sys.modules, package, None)
    stores = {
        "dynamodb": Settings(store="dynamodb://chat?region=eu-west-1"),
        "redis": Settings(store="sqlite://", redis="redis://127.0.0.1:6379"),
        "s3": Settings(store="sqlite://", files="s3://bucket/prefix?region=eu-west-1"),
        "postgres": Settings(store="sqlite://", records="postgresql://127.0.0.1/records"),
    }

    for extra, settings in stores.items():
        with pytest.raises(ExtraMissing, match=f"install the extra '{extra}'"):
            async with Sobremesa.open(settings=settings, background=False):
                pass


def test_toolkit_is_installed_and_used_alone(toolkit: Path) -> None:
    site_packages = Path(msgspec.__file__).parents[1]
    example = re.findall(r"^```python\n(.*?)^```", (ROOT / "toolkit/README.md").read_text(), re.MULTILINE | re.DOTALL)
    assert len(example) == 1
    script = f"""
import sys
sys.path += [{str(toolkit)!r}, {str(site_packages)!r}]
import ast, asyncio
code = compile({example[0]!r}, "README", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
asyncio.run(eval(code))
print(sorted({{name.partition(".")[0] for name in sys.modules}} & {{"sobremesa", "structlog", "botocore"}}))
print(sorted(name for name in sys.modules if name.startswith("sobremesa.") and not name.startswith("sobremesa.table")))
"""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script], capture_output=True, text=True, timeout=60, check=False
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["['sobremesa']", "[]"]


def test_both_distributions_have_one_version() -> None:
    projects = [tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"] for folder in ("", "toolkit")]

    assert {project["version"] for project in projects} == {__version__}

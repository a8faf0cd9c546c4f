"""The image, the composition and the unit of systemd: their commands are run here, without Docker."""

from __future__ import annotations

import importlib.metadata
import json
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from packaging.requirements import Requirement

import commands
from commands import SOBREMESA
from deploy.templates import ROOT
from servers import Endpoint
from sobremesa.core.settings import PREFIX, Settings

DEPLOY = ROOT / "deploy"
FOLDER = "/var/lib/sobremesa"
POLL_SECONDS = 0.01


class Instruction(msgspec.Struct, frozen=True):
    """An instruction of the Dockerfile."""

    name: str
    text: str

    @property
    def command(self) -> list[str]:
        """The arguments of an instruction that has JSON, or of a command of the shell."""
        return list(json.loads(self.text)) if self.text.startswith("[") else shlex.split(self.text)


def stages() -> list[list[Instruction]]:
    """The stages of the Dockerfile, each from its FROM on."""
    lines = [line for line in (DEPLOY / "Dockerfile").read_text().splitlines() if not line.lstrip().startswith("#")]
    found: list[list[Instruction]] = []
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        name, _, text = line.strip().partition(" ")
        if name == "FROM":
            found.append([])
        if name and found:
            found[-1].append(Instruction(name, text.strip()))
    assert len(found) == 3
    return found


def of(stage: int, name: str) -> list[Instruction]:
    return [each for each in stages()[stage] if each.name == name]


def test_web_client_of_the_image_is_built_as_here() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for run in of(0, "RUN"):
        ours = run.text.replace("npm ", "$(NPM) ", 1).replace("run ", "run --silent ", 1)
        assert ours in makefile, "the built client of this checkout is the one of the image"


def needed(requirement: str, extras: set[str]) -> set[str]:
    """The names of a distribution and of all that it needs, as this environment has it."""
    names, waiting = set[str](), [(requirement, frozenset(extras))]
    while waiting:
        name, wanted = waiting.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        for line in importlib.metadata.requires(name) or ():
            found = Requirement(line)
            if found.marker is None or any(found.marker.evaluate({"extra": extra}) for extra in (wanted or {""})):
                other = re.sub(r"[-_.]+", "-", found.name).lower()
                if other not in names or found.extras:
                    waiting.append((found.name, frozenset(found.extras)))
                    names.add(other)
        names.add(key)
    return names


SERVER = needed("sobremesa", {"dynamodb", "postgres", "redis", "s3"})
"""The distributions that a server with all extras needs, on this machine."""


def test_image_keeps_what_the_server_needs_and_no_tools() -> None:
    """Without fetching anything; `make image` runs the commands."""
    lock = (ROOT / "requirements.lock").read_text()
    locked = {name.replace("_", "-").lower() for name in re.findall(r"^([\w.-]+)==", lock, re.MULTILINE)}
    *_, last = of(1, "RUN")
    _, _, removed = last.text.partition("uninstall --yes ")
    here = {re.sub(r"[-_.]+", "-", each.name).lower() for each in importlib.metadata.distributions()}

    assert (locked & here) - SERVER == set(removed.split())
    assert "--without-pip" in of(1, "RUN")[0].text
    assert "--require-hashes" in of(1, "RUN")[1].text


def test_commands_of_the_image_start_a_server_that_becomes_healthy(tmp_path: Path) -> None:
    starts_and_becomes_healthy(Path(sys.prefix), tmp_path)


def starts_and_becomes_healthy(environment: Path, tmp_path: Path) -> None:
    """Run the commands of the image with an environment of Python that has the server."""
    variables = image_variables()
    [entry], [command], [health] = of(2, "ENTRYPOINT"), of(2, "CMD"), of(2, "HEALTHCHECK")
    assert (variables["SOBREMESA_HOST"], variables["SOBREMESA_METRICS_PORT"]) == ("0.0.0.0", "9090")
    variables |= {"PATH": f"{environment}/bin", "TMPDIR": str(tmp_path)}
    variables |= {"SOBREMESA_HOST": "127.0.0.1", "SOBREMESA_PORT": "0", "SOBREMESA_METRICS_PORT": "0"}
    assert (entry.command, command.command) == (["sobremesa"], ["serve"])

    log = tmp_path / "log"
    with log.open("wb") as output:
        program = [str(environment / "bin/sobremesa"), *command.command]
        server = subprocess.Popen(program, cwd=tmp_path, env=variables, stdout=output, stderr=subprocess.STDOUT)
    try:
        address = wait_for_address(server, log)
        _, _, probe = health.text.partition("CMD ")
        words = [word.replace("http://127.0.0.1:8080", address) for word in json.loads(probe)]
        words[0] = str(environment / "bin/python")
        subprocess.run(words, env=variables, check=True, timeout=30)
        server.terminate()
        assert server.wait(20) == 0
        with pytest.raises(subprocess.CalledProcessError):
            subprocess.run(words, env=variables, check=True, timeout=30, capture_output=True)
    finally:
        server.kill()
        server.wait()


def wait_for_address(server: subprocess.Popen[bytes] | commands.Process, log: Path) -> str:
    while server.poll() is None:
        if found := re.search(r"http://127\.0\.0\.1:\d+(?=/docs)", log.read_text()):
            return found[0]
        time.sleep(POLL_SECONDS)
    raise AssertionError(log.read_text())


def image_variables() -> dict[str, str]:
    [variables] = of(2, "ENV")
    return dict(each.split("=", 1) for each in shlex.split(variables.text))


def test_image_runs_as_a_user_without_rights_and_writes_to_one_folder() -> None:
    assert [each.text for each in of(2, "USER")] == ["10001:10001"]
    assert [each.text for each in of(2, "WORKDIR")] == [each.text for each in of(2, "VOLUME")] == [FOLDER]
    assert image_variables()["TMPDIR"] == FOLDER
    assert not [each for each in of(2, "RUN") if "pip" in each.text or "apt" in each.text]
    [copied] = of(2, "COPY")
    assert copied.text == "--from=packages /opt/sobremesa /opt/sobremesa"


def test_files_that_the_image_needs_are_not_ignored() -> None:
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    for stage in (0, 1):
        for instruction in of(stage, "COPY"):
            if not instruction.text.startswith("--from"):
                for source in instruction.text.split()[:-1]:
                    assert f"!{source.partition('/')[0]}" in ignored


# The composition


def composition() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return loaded


def test_composition_refers_to_what_it_has() -> None:
    found = composition()
    services = found["services"]
    volumes = set()
    for name, service in services.items():
        assert set(service.get("depends_on", ())) <= set(services)
        assert "image" in service, name
        volumes |= {volume.partition(":")[0] for volume in service.get("volumes", ())}
        for other, rule in service.get("depends_on", {}).items():
            if rule["condition"] == "service_healthy":
                assert "healthcheck" in services[other]
    assert volumes == set(found["volumes"])
    assert services["server"]["build"] == {"context": "..", "dockerfile": "deploy/Dockerfile"}
    assert services["server"]["read_only"]


async def test_settings_of_the_composition_start_a_node(
    dynamodb_endpoint: Endpoint, valkey: Endpoint, postgres: Endpoint, tmp_path: Path
) -> None:
    written = composition()["services"]["server"]["environment"]
    variables = {name: re.sub(r"\$\{\w+:-(.*?)\}", r"\1", value) for name, value in written.items()}
    variables["SOBREMESA_STORE"] = variables["SOBREMESA_STORE"].replace("http://dynamodb:8000", dynamodb_endpoint.url)
    variables["SOBREMESA_REDIS"] = variables["SOBREMESA_REDIS"].replace("redis://valkey:6379", valkey.url)
    variables["SOBREMESA_RECORDS"] = postgres.url
    variables["SOBREMESA_FILES"] = variables["SOBREMESA_FILES"].replace(FOLDER, str(tmp_path))
    assert {name for name in variables if name.startswith(PREFIX)} <= {
        f"{PREFIX}{field.name.upper()}" for field in msgspec.structs.fields(Settings)
    }

    log = tmp_path / "log"
    with (
        log.open("wb") as output,
        commands.Process(
            SOBREMESA,
            *("serve", "--port", "0"),
            folder=tmp_path,
            environment=variables,
            stdout=output,
            stderr=subprocess.STDOUT,
        ) as node,
    ):
        wait_for_address(node, log)
        node.terminate()
        assert node.wait(30) == 0


# systemd


def unit() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in (DEPLOY / "sobremesa.service").read_text().splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(name, []).append(value)
    return found


def test_unit_of_systemd_confines_a_server_with_valid_settings() -> None:
    found = unit()
    assert found["ExecStart"] == ["/opt/sobremesa/bin/sobremesa serve"]
    assert found["NoNewPrivileges"] == found["DynamicUser"] == ["yes"]
    assert found["ProtectSystem"] == ["strict"]
    [given] = found["Environment"]
    settings = Settings.from_environment(dict(each.split("=", 1) for each in given.split()))
    assert settings.store == f"sqlite:///{FOLDER}/sobremesa.db"
    assert float(found["TimeoutStopSec"][0]) > settings.drain_seconds


def test_unit_of_systemd_is_valid(tmp_path: Path) -> None:
    verifier = shutil.which("systemd-analyze")
    path = tmp_path / "sobremesa.service"
    path.write_text((DEPLOY / "sobremesa.service").read_text().replace("/opt/sobremesa/bin/sobremesa", str(SOBREMESA)))
    if verifier is not None:  # where there is no systemd, the test above has to do
        done = subprocess.run([verifier, "verify", path], capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stdout + done.stderr) == (0, "")

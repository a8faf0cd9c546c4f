"""The demo as its own process, as a user starts it, until the end of a block."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from api.running import Server, running

SEEDED_WITHIN_SECONDS = 90.0
"""However many others use this machine meanwhile."""

PRINTED_WITHIN_SECONDS = 10.0

_ALL_IS_PRINTED = re.compile(r"--fresh creates it again\.\n")
_LOGIN = re.compile(r"^(\w+) +(\S+@\S+) +(\S+) +(\S.*)$", re.MULTILINE)


class Login(NamedTuple):
    """A line of the table that the demo prints."""

    user: str
    email: str
    password: str
    sees: str


def logins_of(server: Server) -> dict[str, Login]:
    """Who can log in, as it is printed."""
    found = (Login(*match) for match in _LOGIN.findall(server.log.read_text()))
    return {login.user: login for login in found}


def environment_of(**settings: str) -> dict[str, str]:
    """This environment, without settings of another server."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("SOBREMESA_")}
    return inherited | {f"SOBREMESA_{name.upper()}": value for name, value in settings.items()}


def copied(store: str, folder: Path) -> str:
    """The same store once more, without its uploaded files; no process may be using it."""
    source = Path(store.removeprefix("sqlite:///"))
    for file in source.parent.glob(f"{source.name}*"):
        if file.is_file():
            shutil.copy(file, folder / file.name)
    return f"sqlite:///{folder / source.name}"


@contextmanager
def demo_running(store: str, log: Path, *options: str) -> Iterator[Server]:
    """`sobremesa demo` on any free port."""
    arguments = ("demo", "--port", "0", "--store", store, *options)
    with running(*arguments, environment=environment_of(rate_limits="off"), log=log) as process:
        server = Server(store, process, log, ready_within=SEEDED_WITHIN_SECONDS)
        server.wait_for(_ALL_IS_PRINTED, PRINTED_WITHIN_SECONDS)
        yield server

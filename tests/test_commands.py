"""A forked process behaves as one that was started by itself, and outlives nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import commands

WAITS = "import sys, time; print('ready', flush=True); time.sleep(60)"
GONE_WITHIN_SECONDS = 20.0


@pytest.mark.parametrize(
    "program",
    [
        "print('out'); import sys; print('err', file=sys.stderr)",
        "import sys; sys.exit(3)",
        "import sys; sys.exit('a reason')",
        "import atexit; atexit.register(print, 'last'); raise SystemExit",
        "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
        "import threading, time; threading.Thread(target=lambda: (time.sleep(0.01), print('late'))).start()",
        "import os, sys; print(sys.argv, os.getcwd(), os.environ['GIVEN'], sys.stdin.read(), sys.stdout.isatty())",
        "from signal import *; print([getattr(getsignal(n), '__name__', '') for n in (SIGTERM, SIGCHLD)])",
        "import threading; print(threading.active_count())",
        "print(__name__, undefined)",
    ],
)
def test_a_forked_process_does_what_a_started_one_does(program: str, tmp_path: Path) -> None:
    environment = os.environ | {"GIVEN": "this"}
    started = subprocess.run(
        [sys.executable, "-c", program, "a", "b"],
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    forked = commands.run("-c", program, "a", "b", folder=tmp_path, environment=environment)

    assert (forked.returncode, forked.stdout) == (started.returncode, started.stdout)
    assert forked.stderr.splitlines()[-1:] == started.stderr.splitlines()[-1:]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_a_signal_ends_a_forked_process(number: signal.Signals) -> None:
    with commands.Process("-c", WAITS, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        assert process.poll() is None
        process.send_signal(number)
        assert process.wait(GONE_WITHIN_SECONDS) == -number
        assert process.poll() == -number


async def test_a_forked_process_can_be_awaited_and_given_input() -> None:
    echo = "import sys; sys.stdout.write(sys.stdin.read())"
    with commands.Process("-c", echo, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"hello")
        process.stdin.close()
        assert await process.wait_async() == 0
        assert process.stdout.read() == b"hello"
    with pytest.raises(TimeoutError):
        await commands.run_async("-c", WAITS, within=0.01)


def test_forked_processes_are_not_random_in_the_same_way() -> None:
    program = "import random, secrets, uuid; print(random.random(), secrets.token_hex(), uuid.uuid4())"
    first, second = (commands.run("-c", program).stdout.split() for _ in range(2))

    assert len(first) == 3
    assert not set(first) & set(second)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has a parent-death signal")
def test_a_killed_worker_leaves_no_forked_process_behind() -> None:
    worker = (
        "import commands, subprocess, time\n"
        f"process = commands.Process('-c', {WAITS!r}, stdout=subprocess.PIPE)\n"
        "process.stdout.readline()\n"
        "print(process.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(commands.__file__).parent)}
    command = [sys.executable, "-c", worker]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
    deadline = time.monotonic() + GONE_WITHIN_SECONDS
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < deadline, "the forked process still runs"
        time.sleep(0.01)

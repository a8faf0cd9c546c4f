"""Become the given program, tied to the life of the process that started it.

    python tether.py PARENT_PID [--as UID:GID] PROGRAM [ARGUMENT ...]

On Linux the kernel kills the program when the thread that started it ends, so that a killed test run leaves
no server behind. It is a script of its own because code between fork and exec is not safe in a process with
threads. Elsewhere the program only runs. With `--as` it runs as another user; that comes first, since the
kernel forgets the tie when the user changes.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def tie_to_parent(parent_pid: int) -> None:
    if not sys.platform.startswith("linux"):
        return
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) failed")
    if os.getppid() != parent_pid:
        sys.exit("The parent ended before the tether was tied.")


def become(owner: str) -> None:
    uid, _, gid = owner.partition(":")
    os.setgroups([])
    os.setgid(int(gid))
    os.setuid(int(uid))


if __name__ == "__main__":
    command = sys.argv[2:]
    if command[0] == "--as":
        become(command[1])
        command = command[2:]
    tie_to_parent(int(sys.argv[1]))
    os.execv(command[0], command)

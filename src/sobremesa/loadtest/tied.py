"""Run a program that, on Linux, ends with the process that started it, even if that is killed.

    python tied.py PARENT_PID PROGRAM [ARGUMENT ...]

It is a script of its own because code between fork and exec is not safe in a process with threads.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1

if __name__ == "__main__":
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != int(sys.argv[1]):
            sys.exit("The process that started this has ended.")
    os.execv(sys.argv[2], sys.argv[2:])  # noqa: S606 - a program of our own

"""A disk with injected failures: at the n-th write or sync of one file, once or until it is repaired."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import apsw

Call: TypeAlias = Literal["read", "write", "sync"]


class Fault(NamedTuple):
    """What fails: which call of which file (by the end of its name), and how."""

    call: Call
    file: str
    error: type[apsw.Error]
    torn: bool = False


class FailingDisk(apsw.VFS):
    """The VFS; it passes everything through until a failure is injected."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.failures = 0
        self._fault: Fault | None = None
        self._calls_before = 0
        super().__init__(name, "")

    def fail(self, fault: Fault, *, after_calls: int = 0) -> None:
        """From now on let so many of these calls pass, and fail every one after them."""
        self._fault = fault
        self._calls_before = after_calls
        self.failures = 0

    def repair(self) -> None:
        self._fault = None

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        assert name is not None, "a temporary file: the engine keeps those in memory"
        return _FailingFile(self, name, flags)

    def failing(self, call: Call, file: str) -> Fault | None:
        """The fault of this call, if it is to fail."""
        fault = self._fault
        if fault is None or fault.call != call or not file.endswith(fault.file):
            return None
        if self._calls_before > 0:
            self._calls_before -= 1
            return None
        self.failures += 1
        return fault


class _FailingFile(apsw.VFSFile):
    def __init__(self, disk: FailingDisk, name: str | apsw.URIFilename, flags: list[int]) -> None:
        self._disk = disk
        self._file = Path(name.filename() if isinstance(name, apsw.URIFilename) else name).name
        super().__init__("", name, flags)

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        self._refuse("read")
        return super().xRead(amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        fault = self._disk.failing("write", self._file)
        if fault is None:
            super().xWrite(data, offset)
            return
        if fault.torn:
            super().xWrite(bytes(data)[: len(data) // 2], offset)
        raise fault.error("injected failure")

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._refuse("sync")
        super().xSync(flags)

    def _refuse(self, call: Call) -> None:
        fault = self._disk.failing(call, self._file)
        if fault is not None:
            raise fault.error("injected failure")


@contextmanager
def failing_disk(name: str) -> Iterator[FailingDisk]:
    """The VFS, known to SQLite under this name for as long as the block lasts."""
    disk = FailingDisk(name)
    try:
        yield disk
    finally:
        disk.unregister()

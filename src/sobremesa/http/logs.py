"""Logs: one line of JSON or text for each event, on standard output, without secrets.

Log records of libraries that use `logging` have the same format.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from functools import lru_cache
from typing import Any, BinaryIO, Literal

import msgspec
import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from sobremesa.core.clock import instant

SECRETS = ("token", "password", "authorization", "secret", "cookie", "content", "body")
"""Values of keys that contain one of these words are redacted."""
REDACTED = "***"
PACE_SECONDS = 10.0

_encode = msgspec.json.Encoder(enc_hook=repr).encode


class Pace:
    """Limits how often a frequent event is logged."""

    def __init__(self) -> None:
        self._next = 0.0

    def is_due(self) -> bool:
        """Return True at most once in `PACE_SECONDS`."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + PACE_SECONDS
        return True


def configure(form: Literal["json", "text"] = "json", file: BinaryIO | None = None, level: int = logging.INFO) -> None:
    """Configure the logs of this process; loggers that were used before keep their configuration."""
    structlog.configure(
        processors=[
            _stamped,
            structlog.processors.StackInfoRenderer(),
            structlog.processors.ExceptionRenderer(),
            redact,
            *_renderers(form),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.BytesLoggerFactory(file),
        cache_logger_on_first_use=True,
    )
    global _requests  # noqa: PLW0603 - as structlog's own configuration, it is one for the process
    _requests = (file or sys.stdout.buffer) if form == "json" and level <= logging.INFO else None
    # The info logs of libraries are of no use in production.
    logging.basicConfig(handlers=[_Forward()], level=logging.WARNING, force=True)


def redact(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Redact the values of keys that look like secrets, at any depth."""
    for key, value in event.items():
        if _looks_secret(key):
            event[key] = REDACTED
        elif isinstance(value, dict):
            event[key] = redact(_logger, _method, dict(value))
    return event


@lru_cache(maxsize=1024)
def _looks_secret(key: object) -> bool:
    name = str(key).lower()
    return any(word in name for word in SECRETS)


class _RequestLine(msgspec.Struct):
    """The line of one request, in the order of its fields."""

    timestamp: str
    method: str
    route: str
    status: int
    code: str | None
    ms: float
    request_id: str
    actor: str | None
    level: str = "info"
    event: str = "request"
    logger: str = "sobremesa.access"


_requests: BinaryIO | None = None
_lines: list[bytes] = []
_access = structlog.get_logger("sobremesa.access")


def log_request(
    method: str, route: str, status: int, code: str | None, ms: float, request_id: str, actor: str | None
) -> None:
    """Write the line of one request.

    It is written for every request and all of its fields are safe, so it skips the processors: a third of the cost.
    """
    if _requests is None:
        _access.info(
            "request", method=method, route=route, status=status, code=code, ms=ms, request_id=request_id, actor=actor
        )
        return
    line = _RequestLine(_now(), method, route, status, code, ms, request_id, actor)
    _lines.append(_encode(line))
    if len(_lines) == 1:
        # Lines of one iteration of the loop are written together: one commit completes many requests.
        asyncio.get_running_loop().call_soon(_write_lines)


def _write_lines() -> None:
    lines = b"\n".join([*_lines, b""])
    _lines.clear()
    if _requests is not None:
        _requests.write(lines)
        _requests.flush()


class _Now:
    """Returns the time as text; the part that is the same for a second is cached."""

    def __init__(self) -> None:
        self._second = 0
        self._text = ""

    def __call__(self) -> str:
        second, rest = divmod(time.time_ns() // 1_000_000, 1000)
        if second != self._second:
            self._second, self._text = second, instant(second * 1000)[:-4]
        return f"{self._text}{rest:03d}Z"


_now = _Now()


def _stamped(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """Return the event with time, level and logger first."""
    stamped = {"timestamp": _now(), "level": method, "event": event.pop("event", "")}
    name = getattr(logger, "name", None)
    if name:
        stamped["logger"] = name
    stamped.update(event)
    return stamped


def _json(_logger: WrappedLogger, _method: str, event: EventDict) -> bytes:
    return _encode(event)


def _renderers(form: Literal["json", "text"]) -> list[Processor]:
    if form == "json":
        return [_json]
    console = structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0)
    return [console, _as_bytes]


def _as_bytes(_logger: WrappedLogger, _method: str, line: Any) -> bytes:
    return str(line).encode(errors="replace")


class _Forward(logging.Handler):
    """Forwards records of `logging` to structlog."""

    def emit(self, record: logging.LogRecord) -> None:
        level = record.levelname.lower() if record.levelno <= logging.CRITICAL else "critical"
        log = structlog.get_logger(record.name)
        getattr(log, level, log.info)(record.getMessage().strip(), exc_info=record.exc_info)

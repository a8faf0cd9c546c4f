"""Logs: one line of JSON (or of text, for people) for each event, on standard output, without secrets.

What other libraries say through `logging` comes out in the same form.
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
"""A key that has one of these words in it keeps its value to itself."""
REDACTED = "***"
PACE_SECONDS = 10.0

_encode = msgspec.json.Encoder(enc_hook=repr).encode


class Pace:
    """Tells when to log again something that may happen very often."""

    def __init__(self) -> None:
        self._next = 0.0

    def is_due(self) -> bool:
        """Yes, at most once in `PACE_SECONDS`."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + PACE_SECONDS
        return True


def configure(form: Literal["json", "text"] = "json", file: BinaryIO | None = None, level: int = logging.INFO) -> None:
    """Set up the logs of this process; loggers that were used before keep what they had."""
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
    # What libraries tell in passing is of no use in production.
    logging.basicConfig(handlers=[_Forward()], level=logging.WARNING, force=True)


def redact(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """The event without the values of keys that look like secrets, at any depth."""
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

    There is one for each of them and all of its fields are ours, so it takes the short way: a third of the cost.
    """
    if _requests is None:
        _access.info(
            "request", method=method, route=route, status=status, code=code, ms=ms, request_id=request_id, actor=actor
        )
        return
    line = _RequestLine(_now(), method, route, status, code, ms, request_id, actor)
    _lines.append(_encode(line))
    if len(_lines) == 1:
        # Those of one turn of the loop are written together: many requests are answered by one commit.
        asyncio.get_running_loop().call_soon(_write_lines)


def _write_lines() -> None:
    lines = b"\n".join([*_lines, b""])
    _lines.clear()
    if _requests is not None:
        _requests.write(lines)
        _requests.flush()


class _Now:
    """The time as text; what is the same for a second is made once in it."""

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
    """The event with time, level and logger in front."""
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
    """From `logging` to our own lines."""

    def emit(self, record: logging.LogRecord) -> None:
        level = record.levelname.lower() if record.levelno <= logging.CRITICAL else "critical"
        log = structlog.get_logger(record.name)
        getattr(log, level, log.info)(record.getMessage().strip(), exc_info=record.exc_info)

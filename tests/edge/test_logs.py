"""Logs keep secrets to themselves, and speak in one form."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from collections.abc import Callable, Iterator
from typing import Any, Literal

import pytest
import structlog

from sobremesa.http import logs


@pytest.fixture
def configured() -> Iterator[Callable[[Literal["json", "text"]], io.BytesIO]]:
    """Sets the logs up to be written into the file that it gives."""
    handlers, level = logging.getLogger().handlers[:], logging.getLogger().level
    before = structlog.get_config()

    def configure(form: Literal["json", "text"]) -> io.BytesIO:
        out = io.BytesIO()
        logs.configure(form, out)
        return out

    yield configure
    logs._requests = None
    structlog.configure(**before)
    logging.basicConfig(handlers=handlers, level=level, force=True)


def lines(out: io.BytesIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.getvalue().splitlines()]


@pytest.mark.parametrize(
    "key", ["token", "access_token", "refreshToken", "password", "new_password", "authorization", "client_secret"]
)
def test_what_looks_like_a_secret_is_not_written(configured: Any, key: str) -> None:
    out = configured("json")
    structlog.get_logger("test").info("happened", **{key: "hunter2", "nested": {key: "hunter2", "kept": 1}})
    (line,) = lines(out)
    assert line[key] == logs.REDACTED
    assert line["nested"] == {key: logs.REDACTED, "kept": 1}


def test_message_contents_are_not_logged(configured: Any) -> None:
    out = configured("json")
    structlog.get_logger("test").info("happened", content="dear diary", body=b"dear diary", message_content="dear")
    assert b"dear" not in out.getvalue()


def test_a_line_has_time_level_and_actor(configured: Any) -> None:
    out = configured("json")
    structlog.get_logger("test").warning("happened", number=7, thing=object)
    (line,) = lines(out)
    assert list(line) == ["timestamp", "level", "event", "logger", "number", "thing"]
    assert (line["level"], line["event"], line["logger"], line["number"]) == ("warning", "happened", "test", 7)


def test_an_error_has_its_traceback_without_the_values_of_variables(configured: Any) -> None:
    for form in ("json", "text"):
        out = configured(form)
        password = "hunter2"
        try:
            raise RuntimeError(f"{len(password)} characters")
        except RuntimeError as error:
            structlog.get_logger(form).error("failed", exc_info=error)
        text = out.getvalue().decode()
        assert "RuntimeError: 7 characters" in text
        assert "test_an_error_has_its_traceback" in text
        assert "hunter2" not in text.replace('password = "hunter2"', "")


def test_records_of_libraries_have_the_same_form(configured: Any) -> None:
    out = configured("json")
    logging.getLogger("some.library").warning("it is %s", "late")
    logging.getLogger("some.library").info("never mind")
    (line,) = lines(out)
    assert (line["level"], line["event"], line["logger"]) == ("warning", "it is late", "some.library")


async def test_the_line_of_a_request_is_the_same_by_the_short_way_as_by_the_long(
    configured: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = ("GET", "/v1/tables", 200, None, 1.5, "abc-1", "user:ana")
    out = configured("json")
    logs.log_request(*request)
    await asyncio.sleep(0)  # it is written at the end of the turn
    monkeypatch.setattr(logs, "_requests", None)
    # A logger keeps the configuration of its first use: this one is thrown away.
    monkeypatch.setattr(logs, "_access", structlog.get_logger("sobremesa.access"))
    logs.log_request(*request)
    short, long = lines(out)
    assert short.pop("timestamp")
    assert long.pop("timestamp")
    assert short == long


def test_text_format_is_readable(configured: Any) -> None:
    out = configured("text")
    structlog.get_logger("test").info("happened", number=7, token="hunter2")
    text = out.getvalue().decode()
    assert "happened" in text
    assert "number=7" in text
    assert "hunter2" not in text

"""Who has an unsubscribe link can end the digests of its user and nothing else; who has none can do nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from gateway.served_app import ServedApp, serve_app
from sobremesa.core.actor import UserId

UNKNOWN, MALFORMED, TOO_LARGE = 404, 422, 431
SCANNER = {"purpose": "prefetch", "sec-purpose": "prefetch;prerender", "user-agent": "Mail scanner"}


@pytest.fixture
async def served() -> AsyncIterator[ServedApp]:
    async with serve_app("sqlite://") as served:
        yield served


async def _status(served: ServedApp, method: str, token: str, body: bytes | None = None) -> int:
    async with served.http.request(method, f"/v1/unsubscribe/{token}", data=body, headers=SCANNER) as response:
        await response.read()
        return response.status


def _forged(token: str, other: str) -> dict[str, int]:
    """Tokens that nobody was mailed, and how each is refused."""
    swapped = [
        token[:number] + ("B" if each == "A" else "A") + token[number + 1 :] for number, each in enumerate(token)
    ]
    truncated = [token[:length] for length in range(1, len(token))]
    decorated = [f"{token}=", f"{token}!", f"!{token}", f"{token[:9]}.{token[9:]}", f"{token}AAAA", token * 2]
    unknown = [*swapped, *truncated, *decorated, token[:20] + other[20:], "A", "%C3%A9", "%00", "-", "%2e%2e"]
    return dict.fromkeys(unknown, UNKNOWN) | {"A" * 201: MALFORMED, "A" * 40_000: TOO_LARGE, "%ED%A0%80": MALFORMED}


async def test_link_that_was_not_mailed_is_refused_and_changes_nothing(served: ServedApp) -> None:
    ana, bea = await served.create_user("ana"), await served.create_user("bea")
    tokens = [served.app.notifications.unsubscribe_token(who.user.user_id) for who in (ana, bea)]
    before = await served.app.notifications.find_settings(ana.actor)
    for method in ("GET", "POST"):
        refused = {token: await _status(served, method, token) for token in _forged(*tokens)}
        assert refused == _forged(*tokens)
    assert await served.app.notifications.find_settings(ana.actor) == before
    nobody = served.app.notifications.unsubscribe_token(UserId("01M00000000000000000000000"))
    assert await _status(served, "POST", nobody) == 200, "the response does not reveal whether an account exists"


async def test_scanner_that_fetches_the_link_does_not_unsubscribe(served: ServedApp) -> None:
    ana = await served.create_user("ana")
    notifications, token = served.app.notifications, served.app.notifications.unsubscribe_token(ana.user.user_id)
    await notifications.change_settings(ana.actor, digest="daily")
    for method in ("GET", "HEAD", "GET"):
        assert await _status(served, method, token) == 200
    assert await _status(served, "OPTIONS", token) == await _status(served, "PUT", token) == 405
    assert (await served.get(ana, "/users/me/notifications"))["digest"] == "daily"
    # The body of a one-click request (RFC 8058) is not needed, and not read.
    assert await _status(served, "POST", token, b"List-Unsubscribe=One-Click&x=" + b"x" * 40_000) == 200
    assert (await served.get(ana, "/users/me/notifications"))["digest"] == "off"

"""The links that end digests without a login: signed tokens that do not expire, and the page that they open."""

from __future__ import annotations

import base64
import hmac
from collections.abc import AsyncGenerator

from sobremesa.core.actor import UserId
from sobremesa.core.errors import NotFound
from sobremesa.http.endpoints import HtmlPage

SIGNATURE_BYTES = 16
_PURPOSE = b"digest unsubscribe "

_HEADERS = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'",
}
_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>{title}</title>
<style>
body {{ margin: 15vh auto; max-width: 30rem; padding: 0 1rem; font: 1rem/1.5 sans-serif; color: #2b2622; }}
button {{ padding: 0.6rem 1.2rem; border: 0; border-radius: 0.5rem; background: #9a3412; color: #fff; font: inherit; }}
</style>
</head>
<body>
<h1>{title}</h1>
{content}
</body>
</html>
"""
_ASK = _PAGE.format(
    title="Unsubscribe from digests?",
    content="""<p>You will receive no more e-mails about what you have not read.</p>
<form method="post"><button>Unsubscribe</button></form>""",
)
_DONE = _PAGE.format(
    title="You are unsubscribed",
    content="<p>You will receive no more e-mails about what you have not read. Your settings can change this.</p>",
)


class UnsubscribeTokens:
    """Creates and verifies the tokens of unsubscribe links."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def of(self, user_id: UserId) -> str:
        """Return the token of a user, the same each time."""
        return base64.urlsafe_b64encode(self._signature(user_id) + user_id.encode()).rstrip(b"=").decode()

    def read(self, token: str) -> UserId:
        """Return the user of a token; NotFound if it is not valid."""
        try:
            raw = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
            user_id = UserId(raw[SIGNATURE_BYTES:].decode())
        except ValueError:
            raise NotFound from None
        # The text, not the bytes: the decoder skips characters that are not of its alphabet.
        if not hmac.compare_digest(token.encode(), self.of(user_id).encode()):
            raise NotFound
        return user_id

    def _signature(self, user_id: UserId) -> bytes:
        return hmac.digest(self._secret, _PURPOSE + user_id.encode(), "sha256")[:SIGNATURE_BYTES]


def question_page() -> HtmlPage:
    """Return the page that asks for a confirmation."""
    return HtmlPage(_pieces(_ASK), _HEADERS)


def done_page() -> HtmlPage:
    """Return the page after unsubscribing."""
    return HtmlPage(_pieces(_DONE), _HEADERS)


async def _pieces(page: str) -> AsyncGenerator[bytes, None]:
    yield page.encode()

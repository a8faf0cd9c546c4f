"""The body of a send. It always has a nonce, so that a retry creates no second message."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import uuid4

from sobremesa.client.models import Json


def new_message(content: str, reply_to: str | None, attachments: Sequence[str], nonce: str | None) -> Json:
    """Return the body; a retry sends the same."""
    body: Json = {"content": content, "nonce": nonce or uuid4().hex}
    if reply_to is not None:
        body["replyTo"] = reply_to
    if attachments:
        body["attachments"] = list(attachments)
    return body

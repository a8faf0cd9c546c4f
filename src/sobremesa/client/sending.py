"""The body of a send, which has a nonce in any case: however often it is tried, it makes one message."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import uuid4

from sobremesa.client.shapes import Json


def new_message(content: str, reply_to: str | None, attachments: Sequence[str], nonce: str | None) -> Json:
    """What goes to the server; the same value goes again when it is tried again."""
    body: Json = {"content": content, "nonce": nonce or uuid4().hex}
    if reply_to is not None:
        body["replyTo"] = reply_to
    if attachments:
        body["attachments"] = list(attachments)
    return body

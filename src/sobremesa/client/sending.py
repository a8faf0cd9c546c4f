"""The body of a send. It always has a nonce, so that a retry creates no second message."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import uuid4

import msgspec

from sobremesa.client.errors import ApiError
from sobremesa.client.models import Json, Message
from sobremesa.client.transport import Transport


def new_message(content: str, reply_to: str | None, attachments: Sequence[str], nonce: str | None) -> Json:
    """Return the body; a retry sends the same."""
    body: Json = {"content": content, "nonce": nonce or uuid4().hex}
    if reply_to is not None:
        body["replyTo"] = reply_to
    if attachments:
        body["attachments"] = list(attachments)
    return body


def reply_nonce(message: Message, number: int) -> str:
    """Return the nonce of a reply to a message: the same whenever the same program replies to it again."""
    return f"reply-{message.message_id}-{number}"


async def send_reply(transport: Transport, message: Message, body: Json) -> Message:
    """Send a reply over HTTP, which works while the gateway reconnects; return the one that is there, if there is."""
    path = f"{message.room.path}/messages"
    try:
        reply = await transport.send("POST", path, body=body, safe=True)
    except ApiError as error:
        if error.code != "nonce_reused" or "messageId" not in error.data:
            raise
        reply = await transport.send("GET", f"{path}/{error.data['messageId']}")
    return msgspec.json.decode(reply.body, type=Message)

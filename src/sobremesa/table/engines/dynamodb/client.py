"""One typed call: the request is a dictionary, the response a struct, an error a TableError."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from sobremesa.table.engines.dynamodb.rejections import error_of, error_without_response
from sobremesa.table.engines.dynamodb.transport import NoResponse, Rejected, Service, Transport
from sobremesa.table.engines.protocol import ItemWrite

A = TypeVar("A")

_encode = msgspec.json.Encoder().encode


class Client:
    """Calls one service of an endpoint."""

    def __init__(self, transport: Transport, service: Service) -> None:
        self._transport = transport
        self._service = service

    async def call(
        self,
        action: str,
        request: dict[str, Any],
        answer: msgspec.json.Decoder[A],
        writes: Sequence[ItemWrite] | None = None,
    ) -> A:
        """Return the response, or raise a TableError. `writes` are the operations of a write, () if it has no items."""
        try:
            return await self.exchange(action, request, answer)
        except Rejected as rejected:
            raise error_of(rejected, writes) from rejected
        except NoResponse as silence:
            raise error_without_response(silence, writing=writes is not None) from silence

    async def exchange(self, action: str, request: dict[str, Any], answer: msgspec.json.Decoder[A]) -> A:
        """Return the response, or raise Rejected or NoResponse for a caller that handles the service's errors."""
        content = await self._transport.post(self._service, action, _encode(request))
        try:
            return answer.decode(content)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            message = f"the response to {action} cannot be read: {error}"
            raise NoResponse(message, may_have_been_done=True) from error

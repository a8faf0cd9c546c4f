"""The bound: the same server without the product. A frame is made once and written to all, past the server's framing.

The messages of one iteration of the event loop are written to each socket at once. Nothing is stored, and no client is
asked who they are.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import uvicorn
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from sobremesa.live.frames import text_frame
from sobremesa.live.wire import Wire, wire_of

HELLO = "hello"
TO_MYSELF = '{"to":"me"'
ANSWER = text_frame(b'{"answer":1}')


class FanOut:
    """Sends every message to all clients, and acknowledges it."""

    def __init__(self) -> None:
        self._wires: set[Wire] = set()
        self._waiting: list[bytes] = []

    async def __call__(
        self,
        scope: MutableMapping[str, Any],
        receive: Callable[[], Awaitable[MutableMapping[str, Any]]],
        send: Callable[[MutableMapping[str, Any]], Awaitable[None]],
    ) -> None:
        if scope["type"] != "websocket":
            return
        await receive()
        await send({"type": "websocket.accept"})
        wire = wire_of(send)
        wire.write(text_frame(HELLO.encode()), 1)
        self._wires.add(wire)
        try:
            while (message := await receive())["type"] == "websocket.receive":
                self._receive(wire, message["text"])
        finally:
            self._wires.discard(wire)

    def _receive(self, wire: Wire, text: str) -> None:
        frame = text_frame(text.encode())
        if text.startswith(TO_MYSELF):
            wire.write(frame, 1)
        else:
            if not self._waiting:
                asyncio.get_running_loop().call_soon(self._tell)
            self._waiting.append(frame)
        wire.write(ANSWER, 1)

    def _tell(self) -> None:
        waiting, self._waiting = self._waiting, []
        frames = b"".join(waiting)
        for wire in self._wires:
            wire.write(frames, len(waiting))


if __name__ == "__main__":
    uvicorn.run(
        FanOut(),
        host="127.0.0.1",
        port=int(sys.argv[1]),
        loop="uvloop",
        ws=WebSocketsSansIOProtocol,
        ws_per_message_deflate=False,
        lifespan="off",
        access_log=False,
        log_level="error",
    )

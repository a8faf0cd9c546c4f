"""The bound: the same server without the product. A frame is made once and written to all, past the server's framing.

What is said in one turn of the event loop is written to each socket in one piece. Nothing is stored, and nobody is
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
    """Hands what anybody says to everybody, and answers."""

    def __init__(self) -> None:
        self._wires: set[Wire] = set()
        self._said: list[bytes] = []

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
                self._hear(wire, message["text"])
        finally:
            self._wires.discard(wire)

    def _hear(self, wire: Wire, said: str) -> None:
        frame = text_frame(said.encode())
        if said.startswith(TO_MYSELF):
            wire.write(frame, 1)
        else:
            if not self._said:
                asyncio.get_running_loop().call_soon(self._tell)
            self._said.append(frame)
        wire.write(ANSWER, 1)

    def _tell(self) -> None:
        said, self._said = self._said, []
        frames = b"".join(said)
        for wire in self._wires:
            wire.write(frames, len(said))


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

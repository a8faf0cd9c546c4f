"""The speed of the client itself: a process writes frames to many connections as fast as it can.

What the client can count in a second of its own processor time bounds every figure that it can report.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import socket
import sys
from time import process_time

from sobremesa.loadtest.connection import Connection, Tally, connect_all
from sobremesa.loadtest.server import LOOPBACK, Cores, free_port, running

PAYLOAD_BYTES = 380
HELLO = b"hello"
EVENT = b"event"
_ACCEPT = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class _CountingDialect:
    path = "/"
    event = EVENT

    def handle_open(self, connection: Connection) -> None:
        """The server sends the first frame."""

    def handle_frame(self, connection: Connection, payload: bytes) -> None:
        if payload == HELLO:
            connection.ready.set_result(None)


async def client_bound(cores: Cores, *, connections: int, seconds: float) -> float:
    """Return how many frames this process can count in a second of its processor time."""
    port = free_port()
    command = [sys.executable, "-m", "sobremesa.loadtest.counting", str(port), str(connections)]
    with running(command, port, cores, {}):
        tally = Tally()
        found = await connect_all(LOOPBACK, port, [_CountingDialect()] * connections, tally)
        await asyncio.sleep(seconds / 4)
        counted, used = tally.count, process_time()
        await asyncio.sleep(seconds)
        rate = (tally.count - counted) / max(process_time() - used, 1e-9)
        for connection in found:
            connection.disconnect()
    return rate


def write_frames(port: int, connections: int) -> None:
    """Accept a number of connections, and write to them until they close."""
    event = (EVENT + b"." * PAYLOAD_BYTES)[:PAYLOAD_BYTES]
    frame = b"\x81\x7e" + PAYLOAD_BYTES.to_bytes(2, "big") + event
    clients: list[socket.socket] = []
    with socket.create_server((LOOPBACK, port), backlog=1024) as listener:
        while len(clients) < connections:
            client, _ = listener.accept()
            if _accept_handshake(client):
                clients.append(client)
    left = [b""] * connections
    with contextlib.suppress(ConnectionError):
        while True:
            for place, client in enumerate(clients):
                with contextlib.suppress(BlockingIOError):
                    data = left[place] or frame
                    left[place] = data[client.send(data) :]


def _accept_handshake(client: socket.socket) -> bool:
    """Answer the WebSocket handshake; False for a connection that only probes the port."""
    head = b""
    while b"\r\n\r\n" not in head:
        more = client.recv(4096)
        if not more:
            return False
        head += more
    key = head.partition(b"Sec-WebSocket-Key: ")[2].partition(b"\r\n")[0]
    accept = base64.b64encode(hashlib.sha1(key + _ACCEPT, usedforsecurity=False).digest())
    client.sendall(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: %b\r\n\r\n\x81%c%b" % (accept, len(HELLO), HELLO)
    )
    client.setblocking(False)
    return True


if __name__ == "__main__":
    write_frames(*map(int, sys.argv[1:]))

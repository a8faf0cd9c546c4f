"""The framework alone: Starlette on uvicorn, which answers with bytes from memory, and echoes what it is sent.

It does what any application on this stack must: route, read the body, decode it with msgspec and encode an answer. It
does not know who asks, limits nothing, logs nothing and stores nothing.
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


class Sent(msgspec.Struct):
    content: str


_decode = msgspec.json.Decoder(Sent).decode
_encode = msgspec.json.Encoder().encode


def site(page: bytes) -> Starlette:
    """An application that answers every page with these bytes."""

    async def get(request: Request) -> Response:
        return Response(page, media_type="application/json")

    async def post(request: Request) -> Response:
        return Response(_encode(_decode(await request.body())), 201, media_type="application/json")

    path = "/v1/channels/{room_id}/messages"
    return Starlette(routes=[Route(path, get, methods=["GET"]), Route(path, post, methods=["POST"])])


def main() -> None:
    """Serve on a port, with the page of a file."""
    port, page = int(sys.argv[1]), Path(sys.argv[2]).read_bytes()
    uvicorn.run(
        site(page), host="127.0.0.1", port=port, loop="uvloop", http="httptools", access_log=False, log_level="error"
    )


if __name__ == "__main__":
    main()

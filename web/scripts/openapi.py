"""Print the OpenAPI document of this tree, from which the types of the client are generated."""

from __future__ import annotations

import asyncio
import sys

import msgspec

from sobremesa.app import Sobremesa


async def main() -> None:
    async with Sobremesa.open("sqlite://", background=False) as app:
        sys.stdout.buffer.write(msgspec.json.encode(app.site().document()))


asyncio.run(main())

"""A node in a process of its own: `sobremesa serve`, with live options that no setting offers.

python -m live.node '{"fast": false}'
"""

from __future__ import annotations

import os
import sys

import msgspec

from sobremesa.app import Sobremesa
from sobremesa.http import logs
from sobremesa.http.server import run, serve
from sobremesa.live.opening import LiveOptions
from sobremesa.settings import Settings

DRAIN_SECONDS = 2.0


async def main(options: LiveOptions) -> None:
    async with Sobremesa.open(settings=Settings.from_environment(os.environ), live=options) as app:
        await serve(
            app.site(),
            host="127.0.0.1",
            port=0,
            drain_seconds=DRAIN_SECONDS,
            on_ready=lambda address: print(f"serves {address}", flush=True),
        )


if __name__ == "__main__":
    logs.configure("json")
    run(main(msgspec.json.decode(sys.argv[1], type=LiveOptions)))

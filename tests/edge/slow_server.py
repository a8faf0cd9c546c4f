"""A server with requests that wait for a file: `python slow_server.py DIRECTORY`.

It prints its address. `PUT /v1/notes/{name}` answers once the file `go` is in the directory, after it has written the
note there; when the application closes, the file `closed` contains how many notes it had then.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from sobremesa.core.actor import Actor, UserId
from sobremesa.http import logs, server
from sobremesa.http.dispatch import Dispatch
from sobremesa.http.endpoints import Input, Output, Routes
from sobremesa.http.limits import NoLimits
from sobremesa.http.metrics import Metrics
from sobremesa.http.site import Site


class Note(Input):
    """Something to remember."""

    content: str


class Kept(Output):
    """What was kept."""

    name: str


def site_in(directory: Path) -> Site:
    api = Routes("Notes")

    @api.put("/notes/{name}")
    async def keep_note(actor: Actor, name: str, body: Note) -> Kept:
        """Keep a note."""
        (directory / f"{name}.begun").touch()
        while not (directory / "go").exists():  # noqa: ASYNC110 - another process makes the file
            await asyncio.sleep(0.01)
        if body.content == "broken":
            raise RuntimeError("the pencil broke")
        (directory / f"{name}.note").write_text(body.content)
        return Kept(name=name)

    async def authenticate(token: str) -> Actor:
        return Actor.of_user(UserId("ana"), "ana")

    async def ready() -> None:
        pass

    async def close() -> None:
        (directory / "closed").write_text(str(len(list(directory.glob("*.note")))))  # noqa: ASYNC240

    dispatch = Dispatch(api.endpoints, authenticate, NoLimits(), max_body_bytes=4096, request_seconds=30)
    return Site(dispatch, version="1", public_url="http://127.0.0.1", ready=ready, metrics=Metrics(), on_stop=[close])


if __name__ == "__main__":
    logs.configure("json")
    site = site_in(Path(sys.argv[1]))
    server.run(
        server.serve(
            site,
            host="127.0.0.1",
            port=0,
            drain_seconds=float(sys.argv[2]),
            on_ready=lambda address: print(address, flush=True),
        )
    )

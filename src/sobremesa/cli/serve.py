"""`sobremesa serve`: run the HTTP server."""

from __future__ import annotations

import os
import sys
from typing import Literal

from rich.console import Console

from sobremesa.app import Sobremesa, load_extensions
from sobremesa.cli.store import Store
from sobremesa.core.settings import CONFIG, PREFIX, Settings
from sobremesa.http import logs
from sobremesa.http.connection_limits import MaxConnections
from sobremesa.http.server import run
from sobremesa.http.server import serve as serve_site

console = Console(stderr=True)


def serve(
    *, config: str | None = None, store: Store | None = None, host: str | None = None, port: int | None = None
) -> None:
    """Serve the API until stopped.

    The table and its keys are created if they do not exist. Every setting can be set by an environment variable,
    such as SOBREMESA_STORE, or in a TOML file.

    Parameters
    ----------
    config
        A TOML file with settings (default: SOBREMESA_CONFIG). Environment variables override it.
    host
        The address to listen on (default: SOBREMESA_HOST, or 127.0.0.1).
    port
        The port to listen on (default: SOBREMESA_PORT, or 8080); 0 picks a free port.
    """
    environment = dict(os.environ) | ({} if config is None else {PREFIX + CONFIG: config})
    settings = Settings.from_environment(environment, store=store, host=host, port=port)
    for warning in settings.warnings():
        console.print(f"[yellow]warning:[/yellow] {warning}", highlight=False, soft_wrap=True)
    logs.configure(_log_format(settings))
    if settings.extensions:
        # A console script does not search the working directory, where an application's own modules are.
        sys.path.insert(0, "")
    run(_serve(settings))


async def _serve(settings: Settings) -> None:
    def print_address(address: str) -> None:
        console.print(
            f"Serving {settings.store} at {address} (API docs: {address}/docs)", highlight=False, soft_wrap=True
        )
        if settings.metrics_address is not None:
            console.print("Metrics: http://{}:{}/metrics".format(*settings.metrics_address), highlight=False)

    async with Sobremesa.open(settings=settings, **load_extensions(settings.extensions)._asdict()) as app:
        await serve_site(
            app.site(),
            host=settings.host,
            port=settings.port,
            drain_seconds=settings.drain_seconds,
            max_connections=MaxConnections.of(settings),
            metrics=settings.metrics_address,
            trusted_proxies=settings.trusted_proxies,
            on_ready=print_address,
        )


def _log_format(settings: Settings) -> Literal["json", "text"]:
    if settings.log_format != "auto":
        return settings.log_format
    return "text" if sys.stdout.isatty() else "json"

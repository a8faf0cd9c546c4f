"""Refuse to build a package without the web client: a server installed from it would have no page."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

CLIENT = "src/sobremesa/web/dist/index.html"


class RequireWebClient(BuildHookInterface[Any]):
    """Check for the built web client before a wheel or an sdist is made."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        # An editable install is made before the client is built, and finds it once it is there.
        if version != "editable" and not (Path(self.root) / CLIENT).is_file():
            raise FileNotFoundError(f"{CLIENT} is missing: run `make install`, which builds the web client.")

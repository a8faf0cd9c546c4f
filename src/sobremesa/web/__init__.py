"""Serves the built web client.

Its source is in `web/`; `make install` builds it into `dist` next to this file. `files.py` reads it once, and
`client.py` serves it.
"""

from sobremesa.web.client import Client
from sobremesa.web.files import read_build, with_meta

__all__ = ["Client", "read_build", "with_meta"]

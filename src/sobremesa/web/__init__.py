"""The web client, as the process serves it.

`web/` holds its source; `make install` builds it into `dist` beside this file, from where `files.py` reads it once and
`client.py` serves it. Nothing here knows what the client does.
"""

from sobremesa.web.client import Client
from sobremesa.web.files import read_build, with_meta

__all__ = ["Client", "read_build", "with_meta"]
